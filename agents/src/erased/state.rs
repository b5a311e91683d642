//! States whose type is not known.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use stier_core::hash::hash_of;
use stier_core::list::Listing as _;
use stier_core::public::{Place, PublicForm};
use stier_core::scene::Scene;
use stier_core::{
    Action, ActionSet as _, Dealer, Event, FullGame, Game, History, IllegalAction, Outcome, ParseError, Rng,
    Sampler as _, Seat, Turn, World, record,
};

use super::seen::seen;
use super::{DynGame, ErasedGame};
use crate::agent::DecideError;
use crate::agent::worlds::Worlds;
use crate::belief::marginals::{Marginals, marginals};

/// The origin of a state's random events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dealing {
    /// The seed of the random events.
    pub seed: u64,
    /// The number of events before it began: 0, except in states that were resampled.
    pub since: usize,
}

/// A state whose type is not known, with its history.
pub trait DynState: Any + Send + Sync + Debug {
    /// The game.
    fn game(&self) -> Arc<dyn DynGame>;
    /// A copy with a future of its own.
    fn duplicate(&self) -> Box<dyn DynState>;
    /// The player to act, chance, or the end.
    fn turn(&self) -> Turn;
    /// The legal actions of the player to act, or the outcomes of chance, ascending.
    fn possible(&self) -> Vec<Action>;
    /// The outcomes with their probabilities; empty unless chance is to act.
    fn chance(&self) -> Vec<Outcome>;
    /// The error for an event that is not possible, by its id.
    fn refusal(&self, id: i64) -> IllegalAction;
    /// Applies an action or an outcome. A seeded state draws the random events that follow. On an error nothing
    /// changes.
    fn apply(&mut self, action: Action) -> Result<(), IllegalAction>;
    /// The events so far, chance included.
    fn events(&self) -> &[Event];
    /// Each seat's utility; zeros before the end.
    fn returns(&self) -> Vec<f64>;
    /// The origin of the random events; `None` if they are explicit.
    fn dealing(&self) -> Option<Dealing>;
    /// Changes the origin of the random events. Returns false and changes nothing if this dealing does not lead to
    /// the events that have happened since it began.
    fn set_dealing(&mut self, dealing: Option<Dealing>) -> bool;
    /// The name of an action or outcome that can happen next, or of any action.
    fn event_name(&self, action: Action) -> String;
    /// The event of this name in this state, for any id; the inverse of [`event_name`](DynState::event_name).
    fn parse_event(&self, text: &str) -> Result<Action, ParseError>;
    /// The knowledge of the seat as a string.
    fn knowledge(&self, seat: Seat) -> String;
    /// Overwrites `out` with the information-state tensor of the seat.
    fn information_state(&self, seat: Seat, out: &mut [f32]);
    /// Overwrites `out` with the observation tensor of the seat.
    fn observation(&self, seat: Seat, out: &mut [f32]);
    /// The place of the player to act in a form of this game; see [`Game::public_place`].
    fn place(&self, form: &dyn PublicForm) -> Option<(Place, Seat)>;
    /// A history that the seat cannot tell apart from this one, drawn by chance reach probability.
    fn resample(&self, seat: Seat, seed: u64) -> Box<dyn DynState>;
    /// The events of histories that the seat cannot tell apart from this one: one of each world and true if there are
    /// at most so many, else so many drawn ones and false. They depend only on what the seat knows.
    fn worlds(&self, seat: Seat, count: u64) -> (Vec<Vec<Event>>, bool);
    /// For each event of a history, true if the seat sees what it is: at once, or when the actions that players choose
    /// in secret are laid open. Any other event in its place would look different to it.
    fn seen(&self, events: &[Event], seat: Seat) -> Vec<bool>;
    /// The probable places of the cards given the knowledge of the seat, if only chance is weighed.
    fn beliefs(&self, seat: Seat) -> Marginals;
    /// The names of the cards in no hand that nobody has seen; see [`Notation::unseen`](stier_core::Notation::unseen).
    fn unseen(&self) -> Vec<String>;
    /// The state as text, with all cards open or as a seat sees it.
    fn text(&self, perspective: Option<Seat>) -> String;
    /// The state as a picture, with all cards open or as a seat sees it.
    fn scene(&self, perspective: Option<Seat>) -> Scene;
    /// The game so far as a record.
    fn record(&self) -> String;
}

impl<G: FullGame> DynState for ErasedState<G> {
    fn game(&self) -> Arc<dyn DynGame> {
        Arc::new(self.game.clone())
    }

    fn duplicate(&self) -> Box<dyn DynState> {
        Box::new(self.clone())
    }

    fn turn(&self) -> Turn {
        self.game.turn(self.history.state())
    }

    fn possible(&self) -> Vec<Action> {
        self.game.possible(self.history.state())
    }

    fn chance(&self) -> Vec<Outcome> {
        self.game.chance(self.history.state())
    }

    fn refusal(&self, id: i64) -> IllegalAction {
        self.game.refusal(self.history.state(), id)
    }

    fn apply(&mut self, action: Action) -> Result<(), IllegalAction> {
        let state = self.history.state();
        // Decisions, the common case, are checked without listing anything.
        let legal = self.game.turn(state) != Turn::Chance && self.game.legal(state).contains(action);
        if !legal {
            self.game.check(state, action)?;
        }
        self.history.push(&*self.game, action);
        if let Some(Dealt { dealer, .. }) = &mut self.dealing {
            dealer.settle(&*self.game, &mut self.history);
        }
        Ok(())
    }

    fn events(&self) -> &[Event] {
        self.history.events()
    }

    fn returns(&self) -> Vec<f64> {
        self.game.returns(self.history.state()).as_slice().to_vec()
    }

    fn dealing(&self) -> Option<Dealing> {
        self.dealing.as_ref().map(|dealt| dealt.begun)
    }

    fn set_dealing(&mut self, dealing: Option<Dealing>) -> bool {
        let dealt = dealing.map(|dealing| self.replayed(dealing));
        let fits = !matches!(dealt, Some(None));
        if fits {
            self.dealing = dealt.flatten();
        }
        fits
    }

    fn event_name(&self, action: Action) -> String {
        self.game.event_name(self.history.state(), action)
    }

    fn parse_event(&self, text: &str) -> Result<Action, ParseError> {
        self.game.parse_event(self.history.state(), text)
    }

    fn knowledge(&self, seat: Seat) -> String {
        self.game.knowledge(&self.game.view(&self.history, seat))
    }

    fn information_state(&self, seat: Seat, out: &mut [f32]) {
        self.game.information_state(&self.game.view(&self.history, seat), out);
    }

    fn observation(&self, seat: Seat, out: &mut [f32]) {
        self.game.observation(self.history.state(), seat, out);
    }

    fn place(&self, form: &dyn PublicForm) -> Option<(Place, Seat)> {
        let seat = self.game.turn(self.history.state()).seat()?;
        Some((self.game.public_place(form, &self.game.view(&self.history, seat))?, seat))
    }

    fn resample(&self, seat: Seat, seed: u64) -> Box<dyn DynState> {
        let mut rng = Rng::stream(seed, "resample", 0);
        let sampler = self.game.sampler(&self.game.view(&self.history, seat));
        let history = sampler.sample_history(&*self.game, &mut rng);
        let begun = |_| Dealt::new(Dealing { seed: rng.bits(), since: history.events().len() });
        let dealing = self.dealing.as_ref().map(begun);
        Box::new(Self { game: self.game.clone(), history, dealing })
    }

    fn worlds(&self, seat: Seat, count: u64) -> (Vec<Vec<Event>>, bool) {
        let sampler = self.game.sampler(&self.game.view(&self.history, seat));
        let rng = |world| Rng::stream(0, "worlds", world);
        let is_complete = sampler.worlds_fix_views() && sampler.count() <= u128::from(count);
        let histories: Vec<_> = if is_complete {
            let of = |(number, world): (u64, World<G::State>)| {
                sampler.sample_history_of(&*self.game, &world.state, &mut rng(number))
            };
            (0..).zip(sampler.worlds()).map(of).list()
        } else {
            (0..count).map(|world| sampler.sample_history(&*self.game, &mut rng(world))).list()
        };
        (histories.iter().map(|history| history.events().to_vec()).list(), is_complete)
    }

    fn seen(&self, events: &[Event], seat: Seat) -> Vec<bool> {
        seen(&*self.game, events, seat)
    }

    fn beliefs(&self, seat: Seat) -> Marginals {
        marginals(&*self.game, &Worlds::uniform(&*self.game, &self.game.view(&self.history, seat)))
    }

    fn unseen(&self) -> Vec<String> {
        self.game.unseen(self.history.state())
    }

    fn text(&self, perspective: Option<Seat>) -> String {
        self.game.text(self.history.state(), perspective)
    }

    fn scene(&self, perspective: Option<Seat>) -> Scene {
        self.game.scene(self.history.state(), perspective)
    }

    fn record(&self) -> String {
        record::write(&*self.game, &self.history)
    }
}

impl dyn DynState + '_ {
    /// Returns true if both are the same history of the same game.
    pub fn same(&self, other: &dyn DynState) -> bool {
        self.events() == other.events() && self.game().identity() == other.game().identity()
    }

    /// A hash that is equal for states that are the same.
    pub fn fingerprint(&self) -> u64 {
        hash_of(&(self.game().identity(), self.events()))
    }
}

/// A history, and the dealer if the state deals itself.
#[derive(Clone)]
pub(super) struct ErasedState<G: Game> {
    pub(super) game: ErasedGame<G>,
    pub(super) history: History<G>,
    pub(super) dealing: Option<Dealt>,
}

/// A dealer, and how it began.
#[derive(Clone)]
pub(super) struct Dealt {
    pub(super) begun: Dealing,
    pub(super) dealer: Dealer,
}

impl Dealt {
    pub(super) fn new(begun: Dealing) -> Self {
        Self { begun, dealer: Dealer::new(begun.seed, 0) }
    }
}

impl<G: Game> ErasedState<G> {
    /// The seat to act; refuses states in which there is none.
    pub(super) fn mover(&self) -> Result<Seat, DecideError> {
        DecideError::seat(self.game.turn(self.history.state()))
    }

    /// The dealer, after the events that it began with and those that have happened since; `None` if it leads to other events.
    fn replayed(&self, begun: Dealing) -> Option<Dealt> {
        let events = self.history.events();
        if begun.since > events.len() {
            return None;
        }
        let mut dealt = Dealt::new(begun);
        let mut history = self.history.prefix(&*self.game, begun.since);
        loop {
            dealt.dealer.settle(&*self.game, &mut history);
            let done = history.events().len();
            if !events.starts_with(history.events()) {
                return None;
            }
            // The events so far are the same, so the next one is as legal as it was.
            match events.get(done) {
                Some(event) => history.push(&*self.game, event.action),
                None => return Some(dealt),
            }
        }
    }
}

impl<G: Game> Debug for ErasedState<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "state of {} after {} events", self.game.name(), self.history.events().len())
    }
}
