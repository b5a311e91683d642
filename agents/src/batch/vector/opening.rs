//! Games whose beginning differs: openings by another agent (exploring starts), and barred actions.
//!
//! The learner comes to positions that it would not reach by itself. Its beliefs about the hidden cards there are those of a
//! mixture of its own play and this beginning.

use stier_core::{Action, ActionSet, Game, Hints, Rng};

use super::VectorError;
use crate::catalogue::AgentSpec;

/// The beginning of some of the games by another agent.
#[derive(Clone, PartialEq, Debug)]
pub struct Opening {
    /// The agent that decides for all seats until the opening is over.
    pub agent: AgentSpec,
    /// The games and decisions.
    pub span: Span,
}

/// An action that the caller may not choose at the beginning of some of the games. Opponents may.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Barred {
    /// The action. It stays legal where it is the only one.
    pub action: Action,
    /// The games and decisions.
    pub span: Span,
}

/// The games that begin differently, and for how long.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Span {
    /// The share of the games, 0 to 1.
    pub share: f64,
    /// The largest number of decisions, at least 1. Each number up to it is equally likely.
    pub decisions: u32,
}

impl Opening {
    /// Refuses agents that do not fit the game, and numbers out of range.
    pub(super) fn check<G: Hints>(&self, game: &G) -> Result<(), VectorError> {
        self.span.check("opening")?;
        Ok(self.agent.check(game)?)
    }

    /// The number of decisions before the learner takes over.
    pub(super) fn length(&self, seed: u64) -> u32 {
        self.span.length(seed, "opening")
    }
}

impl Barred {
    /// Refuses actions that the game does not have, and numbers out of range.
    pub(super) fn check<G: Game>(&self, game: &G) -> Result<(), VectorError> {
        let (action, actions) = (self.action.0, game.num_actions());
        if usize::from(action) >= actions {
            return Err(VectorError::Action { action, actions });
        }
        self.span.check("barred")
    }

    /// The number of decisions, of all players, at which the action is barred.
    pub(super) fn length(&self, seed: u64) -> u32 {
        self.span.length(seed, "barred")
    }

    /// The legal actions without this one; all if it is the only one.
    pub(super) fn allowed<S: ActionSet>(&self, legal: S) -> S {
        let others = legal.without(S::default().with(self.action));
        if others.is_empty() { legal } else { others }
    }
}

impl Span {
    /// Refuses numbers out of range.
    fn check(&self, name: &'static str) -> Result<(), VectorError> {
        if !(0.0..=1.0).contains(&self.share) {
            return Err(VectorError::Share { name, found: self.share });
        }
        if self.decisions == 0 {
            return Err(VectorError::NoDecisions { name });
        }
        Ok(())
    }

    /// The number of decisions in a game, from (seed of the game, name, 0).
    fn length(&self, seed: u64, name: &str) -> u32 {
        let mut rng = Rng::stream(seed, name, 0);
        if rng.unit() < self.share { 1 + rng.below(self.decisions) } else { 0 }
    }
}
