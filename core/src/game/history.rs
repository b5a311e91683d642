//! A game from its first random event to now.

use crate::actions::Action;
use crate::game::{Game, Turn};
use crate::rng::Rng;

/// One event: the actor (never [`Turn::Over`]) and the action.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Event {
    /// The actor.
    pub turn: Turn,
    /// The player's action or the chance outcome.
    pub action: Action,
}

/// All events of a game so far, including hidden ones, and the state after them.
///
/// ```
/// use stier_core::games::kuhn_poker::{BET, KuhnPoker, Rules};
/// use stier_core::{Game, History, Rng, FromRules, Seat, Turn};
///
/// let game = KuhnPoker::new(Rules::default())?;
/// let mut history = History::dealt(&game, &mut Rng::stream(7, "example", 0));
/// history.push(&game, BET);
/// // Two cards and a bet.
/// assert_eq!(history.events().len(), 3);
/// assert_eq!(game.turn(history.state()), Turn::Seat(Seat(1)));
/// assert_eq!(game.turn(history.prefix(&game, 2).state()), Turn::Seat(Seat(0)));
/// # Ok::<(), stier_core::RulesError>(())
/// ```
#[derive(Clone, Debug)]
pub struct History<G: Game> {
    state: G::State,
    events: Vec<Event>,
}

impl<G: Game> PartialEq for History<G> {
    fn eq(&self, other: &Self) -> bool {
        self.events == other.events && self.state == other.state
    }
}

impl<G: Game> Eq for History<G> {}

impl<G: Game> History<G> {
    /// Starts at the root, without events.
    pub fn new(game: &G) -> Self {
        Self { state: game.root(), events: Vec::new() }
    }

    /// The history of these events.
    pub fn of(game: &G, events: impl IntoIterator<Item = Action>) -> Self {
        let mut history = Self::new(game);
        events.into_iter().for_each(|event| history.push(game, event));
        history
    }

    /// Starts a game and draws all random events before the first decision.
    pub fn dealt(game: &G, rng: &mut Rng) -> Self {
        let mut history = Self::new(game);
        history.settle(game, rng);
        history
    }

    /// Returns to the root. The memory for events is kept.
    pub fn restart(&mut self, game: &G) {
        self.state = game.root();
        self.events.clear();
    }

    /// The present state.
    pub fn state(&self) -> &G::State {
        &self.state
    }

    /// The events in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The events in order, each after the state in which it happened.
    pub fn steps(&self, game: &G) -> impl Iterator<Item = (G::State, Event)> {
        self.events.iter().scan(game.root(), |state, &event| {
            let before = *state;
            game.apply(state, event.action);
            Some((before, event))
        })
    }

    /// Appends a legal action or a possible outcome of chance.
    pub fn push(&mut self, game: &G, action: Action) {
        let turn = game.turn(&self.state);
        debug_assert_ne!(turn, Turn::Over, "the game is over");
        // In this order nothing has changed if the game fails.
        game.apply(&mut self.state, action);
        self.events.push(Event { turn, action });
    }

    /// Draws random events until a player is to act or the game is over.
    pub fn settle(&mut self, game: &G, rng: &mut Rng) {
        while game.turn(&self.state) == Turn::Chance {
            let outcome = game.sample_chance(&self.state, rng);
            self.push(game, outcome);
        }
    }

    /// The game after its first `count` events.
    pub fn prefix(&self, game: &G, count: usize) -> Self {
        Self::of(game, self.events[..count].iter().map(|event| event.action))
    }
}
