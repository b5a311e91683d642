//! One type for all plain games: games that need no speed.
//!
//! Code that is generic over the game (searches, solvers, matches) is compiled once for each type of game. For small
//! games, compile time matters more than speed. [`Plain`] is one [`Game`] for all of them: it asks the object-safe
//! [`PlainGame`], which every game implements whose view is a [`Log`] and whose sampler is a [`Filter`].
//!
//! ```
//! use stier_core::games::kuhn_poker::KuhnPoker;
//! use stier_core::{Game, History, Plain, Rng, FromRules};
//!
//! let game = Plain::new(KuhnPoker::from_text("players=3")?);
//! assert_eq!((game.name(), game.num_seats()), ("kuhn_poker", 3));
//! let history = History::dealt(&game, &mut Rng::stream(7, "example", 0));
//! assert_eq!(history.events().len(), 3);
//! # Ok::<(), stier_core::RulesError>(())
//! ```

mod public;
mod state;

use std::fmt;
use std::sync::Arc;

use crate::actions::{Action, ActionSet, Actions256};
use crate::encode::Pen;
use crate::filter::Filter;
use crate::game::failure::Foreign;
use crate::game::hints::{Hints, RuleOfThumb};
use crate::game::history::History;
use crate::game::log::Log;
use crate::game::notation::Notation;
use crate::game::public::{NoPublicForm, Place, PublicForm};
use crate::game::{Chance, FullGame, Game, GameInfo, Observer, Turn};
use crate::options::DynOptions;
use crate::scene::{Face, Scene};
use crate::seats::{BySeat, Seat};
use crate::symmetry::Symmetry;

pub use crate::dyn_pen::DynPen;
use public::Publics;
pub use state::{PlainState, StateType};

/// Calls `$then` with the methods of a trait that have the same form in [`PlainGame`], in its implementations and in
/// [`Plain`]. `&state` is a state in the type of each.
macro_rules! methods {
    ($then:ident! Game) => {
        $then! { Game:
            rules() -> &dyn DynOptions;
            info() -> &GameInfo;
            actions_version() -> u32;
            observation_version() -> u32;
            symmetry() -> Option<Symmetry>;
            turn(&state) -> Turn;
            chance(&state) -> Chance;
            returns(&state) -> BySeat<f64>;
            deal_number(&state) -> u32;
            foreign() -> Option<&dyn Foreign>;
            observed(&before, action: Action, observer: Seat) -> u64;
            sight(&state, seat: Seat) -> u64;
        }
    };
    ($then:ident! Notation) => {
        $then! { Notation:
            action_name(action: Action) -> String;
            outcome_name(outcome: Action) -> String;
            rule_broken(&state, action: Action) -> String;
            knowledge(view: &Log) -> String;
            scene(&state, perspective: Option<Seat>) -> Scene;
            cards() -> Vec<String>;
            faces() -> Vec<Face>;
            holdings(&state, seat: Seat, counts: &mut [u8]) -> ();
            unseen(&state) -> Vec<String>;
        }
    };
    ($then:ident! Hints) => {
        $then! { Hints:
            best_agent() -> &'static str;
            has_policy() -> bool;
            network() -> Option<&'static [u8]>;
            appeal(view: &Log, action: Action) -> f32;
            rule_of_thumb(view: &Log) -> Option<RuleOfThumb>;
            weights() -> &[f32];
            evaluate(&state) -> BySeat<f32>;
            ending(&state) -> Option<BySeat<f32>>;
        }
    };
}

macro_rules! declare {
    ($trait:ident: $($name:ident($(&$state:ident $(,)?)? $($argument:ident: $type:ty),*) -> $out:ty;)+) => {$(
        #[doc = concat!("See [`", stringify!($trait), "::", stringify!($name), "`].")]
        fn $name(&self $(, $state: &PlainState)? $(, $argument: $type)*) -> $out;
    )+};
}

macro_rules! implement {
    ($trait:ident: $($name:ident($(&$state:ident $(,)?)? $($argument:ident: $type:ty),*) -> $out:ty;)+) => {$(
        fn $name(&self $(, $state: &PlainState)? $(, $argument: $type)*) -> $out {
            $trait::$name(self $(, $state.get())? $(, $argument)*)
        }
    )+};
}

macro_rules! forward {
    ($trait:ident: $($name:ident($(&$state:ident $(,)?)? $($argument:ident: $type:ty),*) -> $out:ty;)+) => {$(
        fn $name(&self $(, $state: &PlainState)? $(, $argument: $type)*) -> $out {
            self.0.$name($($state,)? $($argument),*)
        }
    )+};
}

/// A plain game, for callers that do not know its type. Each method calls the method of the same name in [`Game`],
/// [`Notation`] or [`Hints`]. Overrides of any other method, such as [`Game::step`], are ignored. Every state passed in
/// must come from the same game.
///
/// It is implemented for every game with such a view and such a sampler.
pub trait PlainGame: Send + Sync {
    methods!(declare! Game);
    methods!(declare! Notation);
    methods!(declare! Hints);
    /// See [`Game::root`].
    fn root(&self) -> PlainState;
    /// See [`Game::legal`].
    fn legal(&self, state: &PlainState) -> Actions256;
    /// See [`Game::apply`].
    fn apply(&self, state: &mut PlainState, action: Action);
    /// See [`Game::observe`].
    fn observe(&self, state: &PlainState, observer: Observer, pen: &mut DynPen<'_>);
    /// See [`Game::fold`].
    fn fold(&self, state: &mut PlainState);
    /// See [`Hints::rollout`].
    fn rollout(&self, state: &PlainState, legal: Actions256) -> Actions256;
    /// See [`Hints::features`].
    fn features(&self, state: &PlainState, action: Action, add: &mut dyn FnMut(usize, f32));
}

impl<G: FullGame + Game<View = Log, Sampler = Filter<G>>> PlainGame for G {
    methods!(implement! Game);
    methods!(implement! Notation);
    methods!(implement! Hints);

    fn root(&self) -> PlainState {
        PlainState::new(Game::root(self))
    }

    fn legal(&self, state: &PlainState) -> Actions256 {
        Actions256::of(Game::legal(self, state.get()))
    }

    fn apply(&self, state: &mut PlainState, action: Action) {
        Game::apply(self, state.get_mut(), action);
    }

    fn observe(&self, state: &PlainState, observer: Observer, pen: &mut DynPen<'_>) {
        Game::observe(self, state.get(), observer, pen);
    }

    fn fold(&self, state: &mut PlainState) {
        Game::fold(self, state.get_mut());
    }

    fn rollout(&self, state: &PlainState, legal: Actions256) -> Actions256 {
        let legal = legal.iter().fold(G::Actions::default(), G::Actions::with);
        Actions256::of(Hints::rollout(self, state.get(), legal))
    }

    fn features(&self, state: &PlainState, action: Action, mut add: &mut dyn FnMut(usize, f32)) {
        Hints::features(self, state.get(), action, &mut add);
    }
}

/// A plain game under fixed rules.
#[derive(Clone)]
pub struct Plain(Arc<dyn PlainGame>);

impl Plain {
    /// The game with these rules.
    pub fn new(rules: impl PlainGame + 'static) -> Self {
        Self(Arc::new(rules))
    }
}

impl fmt::Debug for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Plain").field(&self.0.rules()).finish()
    }
}

impl Game for Plain {
    type State = PlainState;
    type View = Log;
    type Sampler = Filter<Self>;
    type Actions = Actions256;
    methods!(forward! Game);

    fn root(&self) -> PlainState {
        self.0.root()
    }

    fn legal(&self, state: &PlainState) -> Actions256 {
        self.0.legal(state)
    }

    fn apply(&self, state: &mut PlainState, action: Action) {
        self.0.apply(state, action);
    }

    fn observe<P: Pen>(&self, state: &PlainState, observer: Observer, pen: &mut P) {
        self.0.observe(state, observer, &mut DynPen::new(pen));
    }

    fn fold(&self, state: &mut PlainState) {
        self.0.fold(state);
    }

    fn public_form(
        &self,
        max_histories: usize,
        fold: bool,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Box<dyn PublicForm>, NoPublicForm> {
        Ok(Box::new(Publics::new(self, max_histories, fold, goes_on)?))
    }

    fn public_place(&self, form: &dyn PublicForm, view: &Log) -> Option<Place> {
        form.as_any().downcast_ref::<Publics>()?.place(view)
    }

    fn public_history(&self, form: &dyn PublicForm, seat: Seat, place: &Place) -> Option<History<Self>> {
        form.as_any().downcast_ref::<Publics>()?.history(self, seat, place)
    }
}

impl Notation for Plain {
    methods!(forward! Notation);
}

impl Hints for Plain {
    methods!(forward! Hints);

    fn rollout(&self, state: &PlainState, legal: Actions256) -> Actions256 {
        self.0.rollout(state, legal)
    }

    fn features(&self, state: &PlainState, action: Action, add: &mut impl FnMut(usize, f32)) {
        self.0.features(state, action, add);
    }
}
