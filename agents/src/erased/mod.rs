//! Games, states and agents for callers that know no types.
//!
//! Each has an object-safe trait (`Dyn…`), implemented once for every game by a type that knows the game (`Erased…`).
//! Arguments are checked here; below, callers are trusted.

mod entrant;
mod facts;
#[cfg(feature = "threads")]
mod lanes;
mod seen;
mod state;
mod tree;

use std::any::Any;
use std::fmt::Debug;
use std::ops::Deref;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use stier_core::public::{NoPublicForm, Place, PublicForm};
use stier_core::{
    Action, FromRules, FullGame, Game, GameInfo, History, OptionInfo, Options as _, ParseError, RecordError, Seat,
    record,
};
use thiserror::Error;

use crate::agent::lines::Line;
use crate::agent::player::Player;
use crate::agent::threads::{self, Watch, WatchOf};
use crate::agent::{DecideError, Decision};
#[cfg(feature = "threads")]
use crate::arena::properties::{self, MeasureError, Properties};
#[cfg(feature = "threads")]
use crate::arena::{self, Entrant, PitError, PitResult, Settings};
#[cfg(feature = "threads")]
use crate::batch::vector::{self, Vector, VectorError};
#[cfg(feature = "threads")]
use crate::batch::{ManyError, resample_many, search_many};
use crate::belief::marginals::{Marginals, marginals};
use crate::catalogue::spec::playing;
use crate::catalogue::{AgentSpec, Unsuited};
use crate::solve::game_tree::{self, BuildError, GameTree};
use crate::solve::ranges::{InGame, Respondent};
use crate::solve::tabular::IndexedTree;
use crate::solve::{RangePolicy, RangeTree};

use self::entrant::ErasedEntrant;
use self::state::{Dealt, ErasedState};
use self::tree::{Asked, ErasedTree};

pub use entrant::{Callback, DynEntrant};
pub use facts::GameFacts;
#[cfg(feature = "threads")]
pub use lanes::{DynVector, DynWorlds};
pub use state::{Dealing, DynState};
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
    /// The name, followed by the rules that differ from the defaults: `schwinget:bouts=4`. Only equal games have the same
    /// text. Files of solutions contain it.
    fn identity(&self) -> String;
    /// The numbers that hold in every state.
    fn info(&self) -> &GameInfo;
    /// Everything else that describes the game.
    fn facts(&self) -> &GameFacts;
    /// The names of the agents that can play the game with their default options.
    fn agents(&self) -> Vec<&'static str>;
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
    /// The game as public states; see [`Game::public_form`].
    fn public_form(
        &self,
        max_histories: usize,
        fold: bool,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Box<dyn PublicForm>, NoPublicForm>;
    /// A history after which a seat knows what its place says; see [`Game::public_history`].
    fn public_history(&self, form: &dyn PublicForm, seat: Seat, place: &Place) -> Option<Box<dyn DynState>>;
    /// The behaviour of an entrant on public states of this game; see `RangePolicy::of_agent` and
    /// [`DynTree::policy_of`].
    fn policy_on_ranges(
        &self,
        tree: Arc<RangeTree>,
        entrant: &DynEntrant,
        settings: &AskSettings,
        interrupt: &Arc<AtomicBool>,
        watch: Watch<'_>,
    ) -> Result<RangePolicy, AskError>;
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
    fn identity(&self) -> String {
        match self.game.rules().to_text() {
            rules if rules.is_empty() => self.game.name().to_string(),
            rules => format!("{}:{rules}", self.game.name()),
        }
    }

    fn info(&self) -> &GameInfo {
        self.game.info()
    }

    fn facts(&self) -> &GameFacts {
        self.facts.get_or_init(|| GameFacts::of(&*self.game))
    }

    fn agents(&self) -> Vec<&'static str> {
        playing(&*self.game)
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

    fn public_form(
        &self,
        max_histories: usize,
        fold: bool,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Box<dyn PublicForm>, NoPublicForm> {
        self.game.public_form(max_histories, fold, goes_on)
    }

    fn public_history(&self, form: &dyn PublicForm, seat: Seat, place: &Place) -> Option<Box<dyn DynState>> {
        let history = self.game.public_history(form, seat, place)?;
        Some(Box::new(ErasedState { game: self.clone(), history, dealing: None }))
    }

    fn policy_on_ranges(
        &self,
        tree: Arc<RangeTree>,
        entrant: &DynEntrant,
        settings: &AskSettings,
        interrupt: &Arc<AtomicBool>,
        watch: Watch<'_>,
    ) -> Result<RangePolicy, AskError> {
        let asked = Asked::new(self.clone(), entrant, settings, interrupt)?;
        let game = &*self.game;
        let enter = || Box::new(InGame { game, agent: asked.enter() }) as Box<dyn Respondent + '_>;
        Ok(RangePolicy::of_agent(tree, &enter, &asked.seeds, asked.threads, watch)?)
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

/// An agent for a game whose type is not known.
pub trait DynAgent: Send {
    /// Decides for the player to act. Uses only what this player can know, unless it is an oracle. Returns
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

    /// Refuses policies of other games.
    fn plays(&self, policy: &RangePolicy) -> Result<(), DecideError> {
        let expected = self.identity();
        if policy.tree().game() == expected {
            return Ok(());
        }
        Err(DecideError::OtherGame { expected, found: policy.tree().game().to_string() })
    }

    fn is_not(&self, other: &dyn DynGame) -> DecideError {
        DecideError::OtherGame { expected: self.identity(), found: other.identity() }
    }
}

impl<G: FullGame> Debug for ErasedGame<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.identity())
    }
}

/// A player and the game that it plays.
struct ErasedAgent<G: Game> {
    game: ErasedGame<G>,
    player: Player<G>,
}

/// Checks a seat number from outside.
pub fn check_seat(game: &dyn DynGame, seat: i64) -> Result<Seat, BadSeat> {
    let seats = game.info().num_seats;
    match u8::try_from(seat) {
        Ok(number) if usize::from(number) < seats => Ok(Seat(number)),
        _ => Err(BadSeat { seat, game: game.facts().name.to_string(), seats }),
    }
}
