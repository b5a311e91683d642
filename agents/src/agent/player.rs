//! The players at a table: agents, which see what their seat knows, and oracles, which see everything.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stier_core::{Action, ActionSet as _, Dealer, Game, History, Turn};

use crate::agent::{Agent, Decision};

/// A player that can see all cards, so that its actions reveal hidden information. As an [`Agent`] it is blindfolded.
pub trait OracleAgent<G: Game>: Agent<G> {
    /// Chooses one of the `legal` actions for the player to act; see [`Agent::act`]. `dealer` supplies the random
    /// events to come, if they are known.
    fn act_openly(&mut self, game: &G, history: &History<G>, dealer: Option<&Dealer>, legal: G::Actions) -> Decision;
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
            (Self::Oracle(oracle), Turn::Seat(_)) => oracle.act_openly(game, history, dealer, legal),
            (_, Turn::Chance | Turn::Over) => {
                debug_assert!(false, "a player must be to act");
                Decision::certain(Action::default(), legal.iter())
            }
        }
    }

    /// The player as an agent that sees only views.
    pub fn agent(&mut self) -> &mut dyn Agent<G> {
        match self {
            Self::Fair(agent) => &mut **agent,
            Self::Oracle(oracle) => &mut **oracle,
        }
    }

    /// Begins a new game; see [`Agent::restart`].
    pub fn restart(&mut self, seed: u64) {
        self.agent().restart(seed);
    }

    /// Sets a flag that ends a decision early. The player then chooses by the search so far.
    pub fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.agent().interrupt_with(flag);
    }
}
