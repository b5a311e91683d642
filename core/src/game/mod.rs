//! The vocabulary of games.
//!
//! | type | meaning | holders |
//! | --- | --- | --- |
//! | [`Game`] | the rules, ready to play by | all |
//! | [`FromRules`] | a game that is made from options | programs that load games |
//! | [`Game::State`] | the world, hidden cards included | this crate, the arena (which deals), oracles |
//! | [`Game::View`] | the knowledge of one seat, with perfect recall | agents |
//! | [`Game::Sampler`] | the states that a view cannot tell apart, drawn exactly | search |
//!
//! A seat's knowledge has several forms:
//!
//! | name | for | perfect recall | cost |
//! | --- | --- | --- | --- |
//! | [`Game::observe`] | games: their one description of what an observer sees now | no | low |
//! | [`Game::observation`] | learners: the same as a tensor | no | low |
//! | [`Game::sight`] | searches: a number for it, for keys of nodes | no | a few nanoseconds in fast games |
//! | [`Game::observed`] | searches: a number for what an action shows | no | a few nanoseconds in fast games |
//! | [`Game::view`] | agents and samplers | yes | linear in the number of events |
//! | [`Game::information_state`] | learners: the view as a tensor | yes | low, once there is a view |
//!
//! Clients ask for further capabilities: [`Notation`] for people, [`Hints`] for search, [`FullGame`] for both.
//!
//! The traits and the types in their signatures need each other, so they share this folder.

pub mod endings;
pub mod failure;
pub mod hints;
pub mod history;
pub mod key;
pub mod listed;
pub mod log;
pub mod notation;
pub mod public;

use std::fmt::Debug;
use std::hash::Hash;

use crate::actions::{Action, ActionSet};
use crate::dyn_pen::DynPen;
use crate::encode::{self, BlockPen, Bytes, Cell, Field, Floats, Pen, Tensor, Values};
use crate::error::RulesError;
use crate::game::endings::{Endings, Hands};
use crate::game::failure::Foreign;
use crate::game::hints::Hints;
use crate::game::history::History;
use crate::game::key::Past;
use crate::game::notation::Notation;
use crate::game::public::{NoPublicForm, Place, PublicForm};
use crate::list::Listing as _;
use crate::options::{DynOptions, Options};
use crate::rng::{self, Rng};
use crate::seats::{BySeat, Seat};
use crate::symmetry::Symmetry;

/// The next to act.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Turn {
    /// A random event: a card dealt or drawn, a die.
    Chance,
    /// A player.
    Seat(Seat),
    /// The game has ended.
    Over,
}

impl Turn {
    /// The player to act, if it is a player.
    pub fn seat(self) -> Option<Seat> {
        match self {
            Turn::Seat(seat) => Some(seat),
            Turn::Chance | Turn::Over => None,
        }
    }
}

/// One outcome of a random event.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outcome {
    /// The outcome; numbered apart from the players' actions.
    pub action: Action,
    /// The probability. The probabilities of one event sum to 1.
    pub probability: f64,
}

/// The outcomes of one random event, in ascending order.
pub type Chance = Vec<Outcome>;

/// These outcomes, all of them equally probable.
pub fn evenly(outcomes: impl IntoIterator<Item = u8>) -> Chance {
    let outcomes = outcomes.into_iter();
    let mut chance = Chance::with_capacity(outcomes.size_hint().0);
    for outcome in outcomes {
        chance.push(Outcome { action: Action(outcome), probability: 1.0 });
    }
    let probability = 1.0 / chance.len() as f64;
    chance.iter_mut().for_each(|outcome| outcome.probability = probability);
    chance
}

/// The outcomes without their probabilities.
pub(crate) fn actions_of(outcomes: &[Outcome]) -> Vec<Action> {
    outcomes.iter().map(|outcome| outcome.action).list()
}

/// Facts about a game under its rules: the same in every state.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct GameInfo {
    /// The number of seats, 2 to [`MAX_SEATS`](crate::seats::MAX_SEATS).
    pub num_seats: usize,
    /// The number of action ids.
    pub num_actions: usize,
    /// The number of chance outcome ids.
    pub num_outcomes: usize,
    /// An upper bound on the number of decisions in a game.
    pub max_decisions: usize,
    /// An upper bound on the number of random events in a game.
    pub max_chance_events: usize,
    /// Bounds on the return of every seat: lowest, highest.
    pub utility_range: (f64, f64),
    /// The sum of the returns of all seats, where it is the same in every game.
    pub utility_sum: Option<f64>,
    /// True if choices made one after another stand for choices made at once: each stays hidden from the other players
    /// until all are in. Interfaces with simultaneous moves offer the game that way, too.
    pub simultaneous: bool,
    /// True if another player may fail to notice a player's action. Information sets may then contain histories with
    /// different numbers of decisions.
    pub hidden_moves: bool,
}

impl GameInfo {
    /// A guess at the return of any seat: an even share of the sum, or else the middle of the range.
    pub fn middle_return(&self) -> f64 {
        let (low, high) = self.utility_range;
        self.utility_sum.map_or((low + high) / 2.0, |sum| sum / self.num_seats as f64)
    }
}

/// The observer of a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Observer {
    /// A spectator, who sees only public information.
    Public,
    /// A player.
    Seat(Seat),
}

impl Observer {
    /// The seat of the observer, if it is a player.
    #[inline(always)]
    pub fn seat(self) -> Option<Seat> {
        match self {
            Observer::Public => None,
            Observer::Seat(seat) => Some(seat),
        }
    }
}

/// A game under fixed rules.
///
/// States are plain values. A `Game` holds everything fixed by the rules (tables, counts) and interprets states.
/// Methods with an action argument rely on the caller to pass a legal one: check it with [`legal`](Game::legal) or
/// [`Notation::check`].
///
/// A plain game writes the required methods, uses [`Log`](crate::Log) as its view and [`Filter`](crate::Filter) as its
/// sampler, and names its actions in [`Notation`]. Everything else has a default. A fast game overrides the defaults
/// with the same behaviour, and `stier_testing` checks that it does.
///
/// ```
/// use stier_core::games::kuhn_poker::{KuhnPoker, Rules};
/// use stier_core::{ActionSet, Game, Rng, FromRules, Turn};
///
/// let game = KuhnPoker::new(Rules::default())?;
/// let mut rng = Rng::stream(7, "example", 0);
/// let mut state = game.root();
/// game.settle(&mut state, &mut rng);
/// while let Turn::Seat(_) = game.turn(&state) {
///     let action = game.legal(&state).pick(&mut rng);
///     game.step(&mut state, action, &mut rng);
/// }
/// assert_eq!(game.returns(&state).iter().sum::<f64>(), 0.0);
/// # Ok::<(), stier_core::RulesError>(())
/// ```
pub trait Game: Clone + Send + Sync + 'static {
    /// True to compile searches for modern processors, too ([`processor`](crate::processor)). Set it only where
    /// benchmarks show a gain above 5 %.
    const COMPILES_SEARCH_TWICE: bool = false;
    /// True if the game has [endings](Game::endings) under some rules: agents that solve them are compiled for such
    /// games alone.
    const HAS_ENDINGS: bool = false;
    /// The world, hidden cards included. At most 64 bytes, in a plain game 56; equal states have equal futures.
    type State: Copy + Eq + Hash + Debug + Send + Sync + 'static;
    /// The knowledge of one seat.
    type View: SeatView<Self>;
    /// Draws states for a view.
    type Sampler: Sampler<Self>;
    /// Sets of this game's actions.
    type Actions: ActionSet;

    /// The rules it was made from. Their [owner](DynOptions::owner) is the game.
    fn rules(&self) -> &dyn DynOptions;
    /// The facts that hold in every state.
    fn info(&self) -> &GameInfo;

    /// The state before the first random event.
    fn root(&self) -> Self::State;
    /// The actor of the next event in this state.
    fn turn(&self, state: &Self::State) -> Turn;
    /// The legal actions; empty unless a player is to act. They depend only on what this player knows.
    fn legal(&self, state: &Self::State) -> Self::Actions;
    /// Plays a legal action, or applies a possible outcome of chance.
    fn apply(&self, state: &mut Self::State, action: Action);
    /// The possible outcomes of chance; empty unless chance is to act.
    fn chance(&self, state: &Self::State) -> Chance;
    /// The utility of each seat at the end, exact to the last place; zeros before the end.
    fn returns(&self, state: &Self::State) -> BySeat<f64>;
    /// Writes the observer's view of this state, without the past that the state no longer shows: the same fields in
    /// every state. Uses nothing that is hidden from the observer. The public observation must be a function of the
    /// observation of any seat.
    ///
    /// The knowledge of a player follows from it: the player's own actions, every change of its observation, and its
    /// turns.
    fn observe<P: Pen>(&self, state: &Self::State, observer: Observer, pen: &mut P);

    /// The name in records, on the command line, in Python: `snake_case`, never changed.
    fn name(&self) -> &'static str {
        self.rules().owner()
    }

    /// The version of the actions' ids: raised when one of them changes its meaning, so that networks trained on the
    /// old ids are refused. A test pins it (`core/tests/encodings.rs`).
    fn actions_version(&self) -> u32 {
        1
    }

    /// The version of the observation: raised when one of its values changes its meaning.
    fn observation_version(&self) -> u32 {
        1
    }

    /// The number of seats.
    #[inline(always)]
    fn num_seats(&self) -> usize {
        self.info().num_seats
    }

    /// The number of action ids.
    #[inline(always)]
    fn num_actions(&self) -> usize {
        self.info().num_actions
    }

    /// The actions that a trained network must choose among to fit this game: `version:number of actions`.
    fn action_signature(&self) -> String {
        format!("{}:{}", self.actions_version(), self.num_actions())
    }

    /// Draws one outcome with the probabilities of [`chance`](Game::chance), without applying it.
    fn sample_chance(&self, state: &Self::State, rng: &mut Rng) -> Action {
        let outcomes = self.chance(state);
        outcomes[rng::place(outcomes.iter().map(|outcome| outcome.probability), rng.unit())].action
    }

    /// A number for the information that `observer` gets from `action` in the state `before`, without the random events
    /// that follow. Equal numbers cannot be told apart. A number below 256 is the action itself and nothing more.
    /// [`UNNOTICED`](crate::game::key::UNNOTICED) means that the observer does not notice the action. Search branches on it.
    #[inline(always)]
    fn observed(&self, before: &Self::State, action: Action, observer: Seat) -> u64 {
        log::observed(self, before, action, observer)
    }

    /// A number for the information of `seat` in this state: equal in states that the seat cannot tell apart. Fast
    /// games leave out information from actions. The sights at all decisions and the [observations](Game::observed) of
    /// all actions identify the information set of the seat, except for the order of cards dealt together. Search keys
    /// its nodes by them. They do not contain what a seat sees between two random events only: a game must show the
    /// results of random events until the next decision.
    fn sight(&self, state: &Self::State, seat: Seat) -> u64 {
        log::sight(self, state, seat)
    }

    /// The number of deals (bouts, rounds) that began before the present one. Each deal has random streams of its own
    /// (see [`Dealer`](crate::Dealer)), so that games with the same seed have the same deals, no matter how they are
    /// played.
    fn deal_number(&self, _state: &Self::State) -> u32 {
        0
    }

    /// Plays fast: applies a player's action and draws all random events up to the next decision or the end.
    /// Distributed like [`apply`](Game::apply) followed by [`sample_chance`](Game::sample_chance).
    #[inline]
    fn step(&self, state: &mut Self::State, action: Action, rng: &mut Rng) {
        self.apply(state, action);
        self.settle(state, rng);
    }

    /// Plays uniformly random legal actions to the end. Gives the same bits as repeated [`step`](Game::step) with
    /// [`pick`](ActionSet::pick). Returns the number of decisions.
    #[inline]
    fn playout(&self, state: &mut Self::State, rng: &mut Rng) -> u32 {
        let mut decisions = 0;
        while let Turn::Seat(_) = self.turn(state) {
            let action = self.legal(state).pick(rng);
            self.step(state, action, rng);
            decisions += 1;
        }
        decisions
    }

    /// Draws random events until a player is to act or the game is over.
    #[inline]
    fn settle(&self, state: &mut Self::State, rng: &mut Rng) {
        while self.turn(state) == Turn::Chance {
            let outcome = self.sample_chance(state, rng);
            self.apply(state, outcome);
        }
    }

    /// The [returns](Game::returns) in single precision, which is enough for search averages. They are rounded towards
    /// zero, so that no mean leaves the [range](GameInfo::utility_range) of returns.
    #[inline]
    fn rounded_returns(&self, state: &Self::State) -> BySeat<f32> {
        let returns = self.returns(state);
        BySeat::from_fn(returns.len(), |seat| towards_zero(returns[seat]))
    }
    /// The [range](GameInfo::utility_range) of the [rounded returns](Game::rounded_returns).
    #[inline]
    fn rounded_range(&self) -> (f32, f32) {
        let (low, high) = self.info().utility_range;
        (towards_zero(low), towards_zero(high))
    }

    /// The knowledge of `seat` after these events. Two histories give equal views if and only if the seat cannot tell
    /// them apart. Takes linear time in the number of events.
    fn view(&self, history: &History<Self>, seat: Seat) -> Self::View {
        Self::View::new(self, history, seat)
    }

    /// The sampler over the states that are consistent with a view.
    fn sampler(&self, view: &Self::View) -> Self::Sampler {
        Self::Sampler::new(self, view)
    }

    /// The rules, if they run somewhere else. What such a game promises is checked where it is used.
    fn foreign(&self) -> Option<&dyn Foreign> {
        None
    }

    /// The game as public states. If they are found from all histories, there must be at most so many; `goes_on` is asked
    /// now and then, and may stop it.
    ///
    /// With `fold`, hands and public states count once if they differ only by names that can be exchanged. Solvers lose
    /// nothing by that, but a policy to which these names matter has its place only without.
    fn public_form(
        &self,
        _max_histories: usize,
        _fold: bool,
        _goes_on: &dyn Fn() -> bool,
    ) -> Result<Box<dyn PublicForm>, NoPublicForm> {
        Err(NoPublicForm::Rules(
            "Schwinget has, and games for two whose histories can all be listed, such as Leduc poker",
        ))
    }

    /// The place of a view in a form of this game; `None` if its seat is not to act.
    fn public_place(&self, _form: &dyn PublicForm, _view: &Self::View) -> Option<Place> {
        None
    }

    /// A history after which `seat` knows what its place says: of several, always the same. `None` if chance cannot deal
    /// the other seat any hand. The [actions](Place::actions) of the place do not count.
    fn public_history(&self, _form: &dyn PublicForm, _seat: Seat, _place: &Place) -> Option<History<Self>> {
        None
    }

    /// The hands, by which beliefs are carried forward; `None` if these rules have too many, or the game cannot list them.
    fn hands(&self) -> Option<&dyn Hands<Self>> {
        None
    }

    /// The endings of deals; `None` if they cannot be solved under these rules.
    fn endings(&self) -> Option<&dyn Endings<Self>> {
        None
    }

    /// The parts of the [observation](Game::observe).
    fn observation_layout(&self) -> Vec<Field> {
        let mut tensor = Tensor::default();
        self.observe(&self.root(), Observer::Public, &mut DynPen::new(&mut tensor));
        tensor.fields
    }

    /// The observation that a trained network must have read to fit this game: `version:name:shape,name:shape`, the
    /// shape of each field of the layout joined by `x`, as in `1:hand:36,played:2x36`.
    fn observation_signature(&self) -> String {
        encode::signature(self.observation_version(), &self.observation_layout())
    }

    /// Changes a state so that players see no differences in it that are names alone. States that then look alike to all
    /// have the same legal actions, and on average the same returns. Used by [`Game::public_form`] of plain games.
    fn fold(&self, _state: &mut Self::State) {}

    /// The classes, such as suits, that can be exchanged without changing the game; `None` if there are none.
    fn symmetry(&self) -> Option<Symmetry> {
        None
    }

    /// Overwrites `out`, which has exactly the size of the [layout](Game::observation_layout), with the present
    /// [observation](Game::observe) of `seat`. Every value is 0 or 1.
    #[inline]
    fn observation<T: Cell>(&self, state: &Self::State, seat: Seat, out: &mut [T]) {
        let mut pen = Values::new(out);
        self.observe(state, Observer::Seat(seat), &mut pen);
        pen.finish();
    }

    /// The parts of the information-state tensor.
    fn information_state_layout(&self) -> Vec<Field> {
        let mut tensor = Tensor::default();
        self.view(&History::new(self), Seat(0)).write(self, &mut tensor);
        tensor.fields
    }

    /// Overwrites `out`, which has exactly the size of the layout, with everything that the seat of the view knows.
    /// Every value is 0 or 1. Equal tensors mean equal views.
    fn information_state(&self, view: &Self::View, out: &mut [f32]) {
        let mut pen = Floats::new(out);
        view.write(self, &mut pen);
        pen.finish();
    }
}

/// A game whose type of options is known at compile time.
pub trait FromRules: Game {
    /// The variant: plain data whose text form is its identity. Its owner's name is the name of the game.
    type Rules: Options;
    /// The [name](Game::name) of the game. Do not override it.
    const NAME: &'static str = <Self::Rules as Options>::OWNER;

    /// Makes the game under these rules. Fails if the rules are not valid together.
    fn new(rules: Self::Rules) -> Result<Self, RulesError>;

    /// Makes the game under rules given as text; see [`Options::from_text`].
    fn from_text(rules: &str) -> Result<Self, RulesError> {
        Self::new(Self::Rules::from_text(rules)?)
    }
}

/// A game with every capability.
pub trait FullGame: Notation + Hints {}
impl<G: Notation + Hints> FullGame for G {}

/// The nearest number in single precision that is not farther from zero.
#[inline(always)]
fn towards_zero(value: f64) -> f32 {
    /// The bits of a fraction that single precision lacks.
    const LOST: u64 = (1 << (f64::MANTISSA_DIGITS - f32::MANTISSA_DIGITS)) - 1;
    f64::from_bits(value.to_bits() & !LOST) as f32
}

/// The knowledge of one seat, with perfect recall. Equal views mean the same information set.
pub trait SeatView<G: Game>: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// The knowledge of `seat` after these events.
    fn new(game: &G, history: &History<G>, seat: Seat) -> Self;
    /// Everything that the seat has learned at decisions so far, and its present sight.
    fn past(&self) -> &Past;
    /// The seat.
    fn seat(&self) -> Seat {
        self.past().seat()
    }
    /// Overwrites `out` with the present observation of the seat: the
    /// [`Game::observation`] of every state that is consistent with the view.
    fn observation<T: Cell>(&self, game: &G, out: &mut [T]);
    /// Writes everything that the seat knows: the same fields in every view. Values are 0 or 1. Equal values mean equal
    /// views.
    fn write<P: BlockPen>(&self, game: &G, pen: &mut P);
    /// Everything that the seat knows, in one line. Equal strings mean equal views.
    fn knowledge(&self, game: &G) -> String
    where
        G: Notation;
}

/// A state with its weight.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct World<S> {
    /// The state.
    pub state: S,
    /// Proportional to the chance reach probability of the histories of the information set that end in the state.
    pub weight: u64,
}

/// The states of one information set, distributed by chance: each history that the view cannot tell from the true one
/// counts by its chance reach probability. The choices of the players are not weighted.
///
/// ```
/// use stier_core::games::kuhn_poker::{KuhnPoker, Rules};
/// use stier_core::{Game, History, Rng, FromRules, Sampler, Seat};
///
/// let game = KuhnPoker::new(Rules::default())?;
/// let mut rng = Rng::stream(7, "example", 0);
/// let history = History::dealt(&game, &mut rng);
/// let view = game.view(&history, Seat(0));
/// let sampler = game.sampler(&view);
/// // The opponent has one of the two other cards.
/// assert_eq!(sampler.count(), 2);
/// assert!(sampler.worlds().any(|world| world.state == *history.state()));
/// // The view cannot tell the sampled history from the true one.
/// assert_eq!(game.view(&sampler.sample_history(&game, &mut rng), Seat(0)), view);
/// # Ok::<(), stier_core::RulesError>(())
/// ```
pub trait Sampler<G: Game>: Clone + Send + Sync {
    /// The sampler of a view.
    fn new(game: &G, view: &G::View) -> Self;
    /// Draws a state exactly from that distribution.
    fn sample(&self, rng: &mut Rng) -> G::State;
    /// The exact number of distinct states.
    fn count(&self) -> u128;
    /// Every state once, with its weight, in a fixed order. Only practical if [`count`](Sampler::count) is small.
    fn worlds(&self) -> impl Iterator<Item = World<G::State>>;
    /// Draws a history of the information set that ends in `world`, one of its states, exactly by chance reach
    /// probability. It is legal from the first event on and gives the same view.
    fn sample_history_of(&self, game: &G, world: &G::State, rng: &mut Rng) -> History<G>;
    /// Draws a history of the information set exactly by chance reach probability. Slower than
    /// [`sample`](Sampler::sample), with the same distribution of the last state.
    fn sample_history(&self, game: &G, rng: &mut Rng) -> History<G> {
        let world = self.sample(rng);
        self.sample_history_of(game, &world, rng)
    }

    /// True if all histories of a world give every player the same view at each of its decisions. One history of each
    /// world then shows exactly how probable the players' actions were in it under any policies.
    fn worlds_fix_views(&self) -> bool {
        false
    }
}

/// The values of the observation.
pub(crate) fn observed_values<G: Game>(game: &G, state: &G::State, observer: Observer) -> Bytes {
    let mut values = Bytes::new();
    game.observe(state, observer, &mut values);
    values
}
