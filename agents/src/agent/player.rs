//! The players at a table: agents, which see what their seat knows, and oracles, which see everything.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stier_core::{Action, ActionSet as _, Dealer, Game, History, Turn};

use crate::agent::lines::Line;
use crate::agent::worlds::Worlds;
use crate::agent::{Agent, Decision};

/// A player that sees all cards. It is not an [`Agent`], because its actions reveal hidden information.
pub trait OracleAgent<G: Game>: Send {
    /// Chooses one of the `legal` actions for the player to act; see [`Agent::act`]. `dealer` supplies the random
    /// events to come, if they are known.
    fn act(&mut self, game: &G, history: &History<G>, dealer: Option<&Dealer>, legal: G::Actions) -> Decision;

    /// Begins a new game; see [`Agent::restart`].
    fn restart(&mut self, seed: u64);

    /// Sets a flag that ends a decision early. The oracle then chooses by the search so far.
    fn interrupt_with(&mut self, flag: Arc<AtomicBool>);
}

/// A player at a table: one that sees what its seat knows, or one that sees everything.
pub enum Player<G: Game> {
    /// Decides from views.
    Fair(Box<dyn Agent<G>>),
    /// Decides from the game as it is.
    Oracle(Box<dyn OracleAgent<G>>),
}

impl<G: Game> Player<G> {
    /// Chooses one of the `legal` actions for the player to act. Only an oracle sees more than that player's view.
    pub fn act(&mut self, game: &G, history: &History<G>, dealer: Option<&Dealer>, legal: G::Actions) -> Decision {
        match (self, game.turn(history.state())) {
            (Self::Fair(agent), Turn::Seat(seat)) => agent.act(game, &game.view(history, seat), legal),
            (Self::Oracle(oracle), Turn::Seat(_)) => oracle.act(game, history, dealer, legal),
            (_, Turn::Chance | Turn::Over) => {
                debug_assert!(false, "a player must be to act");
                Decision::certain(Action::default(), legal.iter())
            }
        }
    }

    /// The worlds that the player considers possible given this view. For oracles they are by chance alone.
    pub fn beliefs(&mut self, game: &G, view: &G::View) -> Worlds<G> {
        match self {
            Self::Fair(agent) => agent.beliefs(game, view),
            Self::Oracle(_) => Worlds::uniform(game, view),
        }
    }

    /// See [`Agent::note_lines`]. Oracles record none.
    pub fn note_lines(&mut self, depth: usize) {
        if let Self::Fair(agent) = self {
            agent.note_lines(depth);
        }
    }

    /// See [`Agent::lines`].
    pub fn lines(&mut self) -> Vec<Line> {
        match self {
            Self::Fair(agent) => agent.lines(),
            Self::Oracle(_) => Vec::new(),
        }
    }

    /// Begins a new game; see [`Agent::restart`].
    pub fn restart(&mut self, seed: u64) {
        match self {
            Self::Fair(agent) => agent.restart(seed),
            Self::Oracle(oracle) => oracle.restart(seed),
        }
    }

    /// Sets a flag that ends a decision early. The player then chooses by the search so far.
    pub fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        match self {
            Self::Fair(agent) => agent.interrupt_with(flag),
            Self::Oracle(oracle) => oracle.interrupt_with(flag),
        }
    }
}
