//! Games, states and agents for callers that know no types.
//!
//! Each has an object-safe trait (`Dyn…`), implemented once for every game by a type that knows the game (`Erased…`).
//! Arguments are checked here; below, callers are trusted.

mod facts;
#[cfg(feature = "threads")]
mod lanes;
mod seen;
mod tree;

use std::any::Any;
use std::fmt::Debug;
use std::ops::Deref;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use stier_core::hash::hash_of;
use stier_core::scene::Scene;
use stier_core::{
    Action, ActionSet as _, Dealer, Event, FromRules, FullGame, Game, GameInfo, History, IllegalAction, OptionInfo,
    Options as _, Outcome, ParseError, RecordError, Sampler as _, Seat, SeatView as _, Turn, World, record,
};
use thiserror::Error;

use crate::agent::batch_agent::BatchAgent;
use crate::agent::lines::Line;
use crate::agent::player::Player;
#[cfg(feature = "threads")]
use crate::agent::threads::Watch;
use crate::agent::threads::{self, WatchOf};
use crate::agent::worlds::Worlds;
use crate::agent::{Agent, DecideError, Decision};
use crate::arena::Entrant;
#[cfg(feature = "threads")]
use crate::arena::properties::{self, MeasureError, Properties};
#[cfg(feature = "threads")]
use crate::arena::{self, PitError, PitResult, Settings};
#[cfg(feature = "threads")]
use crate::batch::vector::{self, Vector, VectorError};
#[cfg(feature = "threads")]
use crate::batch::{ManyError, resample_many, search_many};
use crate::belief::marginals::{Marginals, marginals};
use crate::catalogue::{AgentSpec, Unsuited};
use crate::solve::game_tree::{self, BuildError, GameTree};
use crate::solve::tabular::IndexedTree;

use self::seen::seen;
use self::tree::ErasedTree;

pub use facts::GameFacts;
#[cfg(feature = "threads")]
pub use lanes::{DynVector, DynWorlds};
pub use tree::{AskError, AskSettings, DynPolicy, DynTree, NotAPolicy};

/// A seat that the game does not have.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{game} has no seat {seat}; seats: 0 to {}", .seats - 1)]
pub struct BadSeat {
    /// The given number.
    pub seat: i64,
    /// The game.
    pub game: String,
    /// Its number of seats.
    pub seats: usize,
}

/// A game whose type is not known.
pub trait DynGame: Send + Sync + Debug {
    /// The numbers that hold in every state.
    fn info(&self) -> &GameInfo;
    /// Everything else that describes the game.
    fn facts(&self) -> &GameFacts;
    /// The name of an action below [`num_actions`](GameInfo::num_actions).
    fn action_name(&self, action: Action) -> String;
    /// The name of an outcome below [`num_outcomes`](GameInfo::num_outcomes).
    fn outcome_name(&self, outcome: Action) -> String;
    /// The action of that name.
    fn parse_action(&self, text: &str) -> Result<Action, ParseError>;
    /// The outcome of that name.
    fn parse_outcome(&self, text: &str) -> Result<Action, ParseError>;
    /// The state before the first random event; with a seed, the random events draw themselves.
    fn new_state(&self, seed: Option<u64>) -> Box<dyn DynState>;
    /// The state that a [`record`] of this game ends with.
    fn replay(&self, record: &str) -> Result<Box<dyn DynState>, RecordError>;
    /// An agent for this game, if it can play the game.
    fn agent(&self, spec: &AgentSpec) -> Result<Box<dyn DynAgent>, Unsuited>;
    /// Agents against each other; see [`arena::pit`]. Once `interrupt` is set, decisions in progress end early.
    #[cfg(feature = "threads")]
    fn pit(
        &self,
        entrants: &[DynEntrant],
        settings: &Settings,
        interrupt: &Arc<AtomicBool>,
        watch: Watch<'_>,
    ) -> Result<PitResult, PitError>;
    /// Many games side by side. Once `interrupt` is set, its calls end early and change nothing.
    #[cfg(feature = "threads")]
    fn vector(&self, settings: vector::Settings, interrupt: Arc<AtomicBool>)
    -> Result<Box<dyn DynVector>, VectorError>;
    /// Many determinizations of states of this game, from what one seat each knows; see [`resample_many`]. Once
    /// `interrupt` is set, the call ends early.
    #[cfg(feature = "threads")]
    fn resample_many(
        &self,
        states: &[(&dyn DynState, Seat)],
        settings: &resample_many::Settings<'_>,
        interrupt: &AtomicBool,
    ) -> Result<Box<dyn DynWorlds>, ManyError>;
    /// An agent's decisions in many states of this game; see [`search_many`]. Once `interrupt` is set, the call
    /// ends early.
    #[cfg(feature = "threads")]
    fn search_many(
        &self,
        spec: &AgentSpec,
        states: &[&dyn DynState],
        settings: &search_many::Settings,
        interrupt: &Arc<AtomicBool>,
        watch: Watch<'_>,
    ) -> Result<Vec<Decision>, ManyError>;
    /// The record of a game that [`pit`](DynGame::pit) played, from its events.
    fn record_of(&self, events: &[Action]) -> String;
    /// Measures how hard the game is to search; see [`properties::measure`].
    #[cfg(feature = "threads")]
    fn properties(&self, settings: &properties::Settings, watch: Watch<'_>) -> Result<Properties, MeasureError>;
    /// Estimates the number of histories; see [`game_tree::estimate_size`].
    fn estimate_histories(&self) -> game_tree::TreeSize;
    /// All histories of the game, if there are no more than that; see [`GameTree::build`].
    /// The result does not depend on the number of threads; 0 uses all cores. `watch` receives the number of
    /// histories so far and may stop the enumeration.
    fn enumerate(
        &self,
        most_histories: usize,
        threads: usize,
        watch: WatchOf<'_, usize>,
    ) -> Result<Arc<dyn DynTree>, BuildError>;
}

impl<G: FullGame> DynGame for ErasedGame<G> {
    fn info(&self) -> &GameInfo {
        self.game.info()
    }

    fn facts(&self) -> &GameFacts {
        self.facts.get_or_init(|| GameFacts::of(&*self.game))
    }

    fn action_name(&self, action: Action) -> String {
        self.game.action_name(action)
    }

    fn outcome_name(&self, outcome: Action) -> String {
        self.game.outcome_name(outcome)
    }

    fn parse_action(&self, text: &str) -> Result<Action, ParseError> {
        self.game.parse_action(text)
    }

    fn parse_outcome(&self, text: &str) -> Result<Action, ParseError> {
        self.game.parse_outcome(text)
    }

    fn new_state(&self, seed: Option<u64>) -> Box<dyn DynState> {
        let mut history = History::new(&*self.game);
        let mut dealing = seed.map(|seed| Dealt::new(Dealing { seed, since: 0 }));
        if let Some(Dealt { dealer, .. }) = &mut dealing {
            dealer.settle(&*self.game, &mut history);
        }
        Box::new(ErasedState { game: self.clone(), history, dealing })
    }

    fn replay(&self, record: &str) -> Result<Box<dyn DynState>, RecordError> {
        let history = record::replay(&*self.game, record)?;
        Ok(Box::new(ErasedState { game: self.clone(), history, dealing: None }))
    }

    fn agent(&self, spec: &AgentSpec) -> Result<Box<dyn DynAgent>, Unsuited> {
        spec.check(&*self.game)?;
        Ok(Box::new(ErasedAgent { game: self.clone(), player: spec.player(&*self.game, spec.seed().unwrap_or(0)) }))
    }

    #[cfg(feature = "threads")]
    fn pit(
        &self,
        entrants: &[DynEntrant],
        settings: &Settings,
        interrupt: &Arc<AtomicBool>,
        watch: Watch<'_>,
    ) -> Result<PitResult, PitError> {
        let guest = |entrant: &DynEntrant| ErasedEntrant {
            game: self.clone(),
            entrant: entrant.clone(),
            interrupt: interrupt.clone(),
        };
        let guests: Vec<ErasedEntrant<G>> = entrants.iter().map(guest).collect();
        let guests: Vec<&dyn Entrant<G>> = guests.iter().map(|guest| guest as _).collect();
        arena::pit(&*self.game, &guests, settings, watch)
    }

    #[cfg(feature = "threads")]
    fn vector(
        &self,
        settings: vector::Settings,
        interrupt: Arc<AtomicBool>,
    ) -> Result<Box<dyn DynVector>, VectorError> {
        Ok(Box::new(Vector::new(self.game.clone(), settings, interrupt)?))
    }

    #[cfg(feature = "threads")]
    fn resample_many(
        &self,
        states: &[(&dyn DynState, Seat)],
        settings: &resample_many::Settings<'_>,
        interrupt: &AtomicBool,
    ) -> Result<Box<dyn DynWorlds>, ManyError> {
        let mut sources = Vec::with_capacity(states.len());
        for (index, &(state, seat)) in states.iter().enumerate() {
            let position = self.state(state).map_err(|source| ManyError::State { index, source })?;
            let dealt = position.dealing.is_some();
            sources.push(resample_many::Source { history: &position.history, seat, dealt });
        }
        Ok(Box::new(resample_many::draw(&self.game, &sources, settings, interrupt)?))
    }

    #[cfg(feature = "threads")]
    fn search_many(
        &self,
        spec: &AgentSpec,
        states: &[&dyn DynState],
        settings: &search_many::Settings,
        interrupt: &Arc<AtomicBool>,
        watch: Watch<'_>,
    ) -> Result<Vec<Decision>, ManyError> {
        let mut sources = Vec::with_capacity(states.len());
        for (index, &state) in states.iter().enumerate() {
            let position = self.state(state).and_then(|position| position.mover().map(|_| position));
            let position = position.map_err(|source| ManyError::State { index, source })?;
            sources.push((&position.history, position.dealing.as_ref().map(|dealt| &dealt.dealer)));
        }
        search_many::search(&*self.game, spec, &sources, settings, interrupt, watch)
    }

    fn record_of(&self, events: &[Action]) -> String {
        record::write(&*self.game, &History::of(&*self.game, events.iter().copied()))
    }

    #[cfg(feature = "threads")]
    fn properties(&self, settings: &properties::Settings, watch: Watch<'_>) -> Result<Properties, MeasureError> {
        properties::measure(&*self.game, settings, watch)
    }

    fn estimate_histories(&self) -> game_tree::TreeSize {
        game_tree::estimate_size(&*self.game, game_tree::PROBES)
    }

    fn enumerate(
        &self,
        most_histories: usize,
        threads: usize,
        watch: WatchOf<'_, usize>,
    ) -> Result<Arc<dyn DynTree>, BuildError> {
        let tree = threads::install(threads, || GameTree::build(&*self.game, most_histories, watch))??;
        Ok(Arc::new(ErasedTree(Arc::new(IndexedTree::new(tree)))))
    }
}

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
    /// A history that the seat cannot tell apart from this one, drawn by chance reach probability.
    fn resample(&self, seat: Seat, seed: u64) -> Box<dyn DynState>;
    /// The events of histories that the seat cannot tell apart from this one: one of each world and true if there are
    /// at most so many, else so many drawn ones and false. They depend on nothing but what the seat knows.
    fn worlds(&self, seat: Seat, count: u64) -> (Vec<Vec<Event>>, bool);
    /// For each event of a history, true if the seat sees what it is: at once, or when the actions that players choose
    /// in secret are laid open. Any other event in its place would look different to it.
    fn seen(&self, events: &[Event], seat: Seat) -> Vec<bool>;
    /// The probable places of the cards given the knowledge of the seat, if only chance is weighed.
    fn beliefs(&self, seat: Seat) -> Marginals;
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

    fn resample(&self, seat: Seat, seed: u64) -> Box<dyn DynState> {
        let mut rng = stier_core::Rng::stream(seed, "resample", 0);
        let sampler = self.game.sampler(&self.game.view(&self.history, seat));
        let history = sampler.sample_history(&*self.game, &mut rng);
        let begun = |_| Dealt::new(Dealing { seed: rng.bits(), since: history.events().len() });
        let dealing = self.dealing.as_ref().map(begun);
        Box::new(Self { game: self.game.clone(), history, dealing })
    }

    fn worlds(&self, seat: Seat, count: u64) -> (Vec<Vec<Event>>, bool) {
        let sampler = self.game.sampler(&self.game.view(&self.history, seat));
        let rng = |world| stier_core::Rng::stream(0, "worlds", world);
        let is_complete = sampler.worlds_fix_views() && sampler.count() <= u128::from(count);
        let histories: Vec<_> = if is_complete {
            let of = |(number, world): (u64, World<G::State>)| {
                sampler.sample_history_of(&*self.game, &world.state, &mut rng(number))
            };
            (0..).zip(sampler.worlds()).map(of).collect()
        } else {
            (0..count).map(|world| sampler.sample_history(&*self.game, &mut rng(world))).collect()
        };
        (histories.iter().map(|history| history.events().to_vec()).collect(), is_complete)
    }

    fn seen(&self, events: &[Event], seat: Seat) -> Vec<bool> {
        seen(&*self.game, events, seat)
    }

    fn beliefs(&self, seat: Seat) -> Marginals {
        marginals(&*self.game, &Worlds::uniform(&*self.game, &self.game.view(&self.history, seat)))
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
        self.events() == other.events() && self.game().facts().identity() == other.game().facts().identity()
    }

    /// A hash that is equal for states that are the same.
    pub fn fingerprint(&self) -> u64 {
        hash_of(&(self.game().facts().identity(), self.events()))
    }
}

/// An agent for a game whose type is not known.
pub trait DynAgent: Send {
    /// Decides for the player to act. Uses nothing that this player cannot know, unless it is an oracle. Returns
    /// the searched lines of up to `depth` actions, too, each before those that continue it; none from agents that
    /// keep no tree.
    fn decide_with_lines(&mut self, state: &dyn DynState, depth: usize) -> Result<(Decision, Vec<Line>), DecideError>;
    /// The agent's beliefs about the places of the cards, given the knowledge of the seat.
    fn beliefs(&mut self, state: &dyn DynState, seat: Seat) -> Result<Marginals, DecideError>;
    /// Begins a new game with the streams of `seed`.
    fn restart(&mut self, seed: u64);
    /// A decision in progress ends early once the flag is set, with what it has.
    fn interrupt_with(&mut self, flag: Arc<AtomicBool>);
}

impl<G: FullGame> DynAgent for ErasedAgent<G> {
    fn decide_with_lines(&mut self, state: &dyn DynState, depth: usize) -> Result<(Decision, Vec<Line>), DecideError> {
        let state = self.game.state(state)?;
        state.mover()?;
        let (game, history) = (&*self.game, &state.history);
        let dealer = state.dealing.as_ref().map(|dealt| &dealt.dealer);
        self.player.agent().note_lines(depth);
        let decision = self.player.act(game, history, dealer, game.legal(history.state()));
        let lines = self.player.agent().lines();
        self.player.agent().note_lines(0);
        Ok((decision, lines))
    }

    fn beliefs(&mut self, state: &dyn DynState, seat: Seat) -> Result<Marginals, DecideError> {
        let (game, state) = (&*self.game, self.game.state(state)?);
        let view = game.view(&state.history, seat);
        Ok(marginals(game, &self.player.agent().beliefs(game, &view)))
    }

    fn restart(&mut self, seed: u64) {
        self.player.restart(seed);
    }

    fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.player.interrupt_with(flag);
    }
}

impl dyn DynAgent + '_ {
    /// Decides for the player to act.
    pub fn decide(&mut self, state: &dyn DynState) -> Result<Decision, DecideError> {
        Ok(self.decide_with_lines(state, 0)?.0)
    }
}

/// A caller's function as an agent: it is shown a state drawn from what the player to act knows, and told if this is the
/// player's first decision since a restart.
pub type Callback = Arc<dyn Fn(Box<dyn DynState>, bool) -> Action + Send + Sync>;

/// A competitor in matches of a game whose type is not known.
#[derive(Clone)]
pub enum DynEntrant {
    /// An agent by name.
    Spec(AgentSpec),
    /// A function, with the label that results call it and its [identity](Entrant::identity).
    Callback(String, String, Callback),
    /// A policy in a table, with the label that results call it. It plays only the game it was made for.
    Table(String, Arc<dyn DynPolicy>),
}

impl DynEntrant {
    /// The label in results.
    pub fn label(&self) -> String {
        match self {
            Self::Spec(spec) => spec.to_string(),
            Self::Callback(label, ..) | Self::Table(label, _) => label.clone(),
        }
    }

    /// See [`Entrant::identity`].
    pub fn identity(&self) -> String {
        match self {
            Self::Spec(spec) => spec.to_string(),
            Self::Callback(_, identity, _) => identity.clone(),
            Self::Table(label, table) => format!("{label} {:016x}", table.fingerprint()),
        }
    }

    /// The number of seeds with which [queries](DynTree::policy_of) are made; 0 for entrants whose policy needs no random
    /// numbers.
    pub fn num_seeds(&self, settings: &AskSettings) -> u64 {
        match self {
            Self::Spec(spec) if spec.facts().is_instant => 0,
            Self::Spec(_) | Self::Callback(..) => settings.seeds,
            Self::Table(..) => 0,
        }
    }

    /// A number that is mixed into the seed of [queries](DynTree::policy_of).
    fn seed(&self) -> u64 {
        match self {
            Self::Spec(spec) => spec.seed().unwrap_or(0),
            Self::Callback(..) | Self::Table(..) => 0,
        }
    }
}

/// The game without its type.
pub fn erase<G: FullGame>(game: G) -> Arc<dyn DynGame> {
    Arc::new(ErasedGame::new(Arc::new(game)))
}

/// The options of a game.
pub fn options<G: FromRules>() -> Vec<OptionInfo> {
    G::Rules::describe()
}

/// A game whose type is known here.
#[derive(Clone)]
struct ErasedGame<G> {
    game: Arc<G>,
    facts: Arc<OnceLock<GameFacts>>,
}

impl<G> Deref for ErasedGame<G> {
    type Target = G;

    fn deref(&self) -> &G {
        &self.game
    }
}

impl<G: FullGame> ErasedGame<G> {
    fn new(game: Arc<G>) -> Self {
        Self { game, facts: Arc::default() }
    }

    /// The state, if it is one of this game.
    fn state<'a>(&self, state: &'a dyn DynState) -> Result<&'a ErasedState<G>, DecideError> {
        (state as &dyn Any)
            .downcast_ref::<ErasedState<G>>()
            .filter(|state| state.game.rules() == self.game.rules())
            .ok_or_else(|| self.is_not(&*state.game()))
    }

    fn is_not(&self, other: &dyn DynGame) -> DecideError {
        DecideError::OtherGame { expected: format!("{self:?}"), found: format!("{other:?}") }
    }
}

impl<G: Game> Debug for ErasedGame<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.game.rules().to_text() {
            rules if rules.is_empty() => f.write_str(self.game.name()),
            rules => write!(f, "{}:{rules}", self.game.name()),
        }
    }
}

/// A history, and the dealer if the state deals itself.
#[derive(Clone)]
struct ErasedState<G: Game> {
    game: ErasedGame<G>,
    history: History<G>,
    dealing: Option<Dealt>,
}

/// A dealer, and how it began.
#[derive(Clone)]
struct Dealt {
    begun: Dealing,
    dealer: Dealer,
}

impl Dealt {
    fn new(begun: Dealing) -> Self {
        Self { begun, dealer: Dealer::new(begun.seed, 0) }
    }
}

impl<G: Game> ErasedState<G> {
    /// The seat to act; refuses states in which there is none.
    fn mover(&self) -> Result<Seat, DecideError> {
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

/// A player and the game that it plays.
struct ErasedAgent<G: Game> {
    game: ErasedGame<G>,
    player: Player<G>,
}

/// An entrant, with the game that it enters.
struct ErasedEntrant<G> {
    game: ErasedGame<G>,
    entrant: DynEntrant,
    interrupt: Arc<AtomicBool>,
}

impl<G: FullGame> Entrant<G> for ErasedEntrant<G> {
    fn label(&self) -> String {
        self.entrant.label()
    }

    fn identity(&self) -> String {
        self.entrant.identity()
    }

    fn suits(&self, game: &G) -> Result<(), String> {
        match &self.entrant {
            DynEntrant::Spec(spec) => spec.check(game).map_err(|error| error.to_string()),
            DynEntrant::Callback(..) => Ok(()),
            DynEntrant::Table(_, table) => {
                self.game.tabular_agent(&**table).map(|_| ()).map_err(|error| error.to_string())
            }
        }
    }

    fn enter(&self, game: &G) -> Player<G> {
        match &self.entrant {
            DynEntrant::Spec(spec) => {
                let mut player = spec.player(game, 0);
                player.interrupt_with(self.interrupt.clone());
                player
            }
            DynEntrant::Callback(_, _, function) => {
                let rng = stier_core::Rng::stream(0, "callback", 0);
                let (game, function) = (self.game.clone(), function.clone());
                Player::Fair(Box::new(CallbackAgent { game, function, rng, restarted: true }))
            }
            DynEntrant::Table(_, table) => {
                let agent = self.game.tabular_agent(&**table);
                Player::Fair(Box::new(agent.expect("tables of other games have been refused")))
            }
        }
    }

    fn is_instant(&self) -> bool {
        matches!(&self.entrant, DynEntrant::Spec(spec) if spec.facts().is_instant)
    }

    fn batch_agent(&self, game: &G) -> Option<Box<dyn BatchAgent<G>>> {
        match &self.entrant {
            DynEntrant::Spec(spec) => Entrant::<G>::batch_agent(spec, game),
            DynEntrant::Callback(..) | DynEntrant::Table(..) => None,
        }
    }
}

/// A caller's function as an agent.
struct CallbackAgent<G> {
    game: ErasedGame<G>,
    function: Callback,
    rng: stier_core::Rng,
    restarted: bool,
}

impl<G: FullGame> Agent<G> for CallbackAgent<G> {
    /// Shows the function a whole history, drawn from the view so that it reveals nothing hidden from the player.
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let history = game.sampler(view).sample_history(game, &mut self.rng);
        debug_assert_eq!(game.turn(history.state()), Turn::Seat(view.seat()));
        let shown = Box::new(ErasedState { game: self.game.clone(), history, dealing: None });
        let action = (self.function)(shown, std::mem::take(&mut self.restarted));
        // The caller's side refuses illegal actions and ends the match. Until then the game continues with a legal one.
        let action = if legal.contains(action) { action } else { legal.pick(&mut self.rng) };
        Decision::certain(action, legal.iter())
    }

    fn restart(&mut self, seed: u64) {
        self.rng = stier_core::Rng::stream(seed, "callback", 0);
        self.restarted = true;
    }
}

/// Checks a seat number from outside.
pub fn check_seat(game: &dyn DynGame, seat: i64) -> Result<Seat, BadSeat> {
    let seats = game.info().num_seats;
    match u8::try_from(seat) {
        Ok(number) if usize::from(number) < seats => Ok(Seat(number)),
        _ => Err(BadSeat { seat, game: game.facts().name.to_string(), seats }),
    }
}
