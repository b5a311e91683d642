//! Exploring starts: games that begin with the decisions of another agent.
//!
//! The learner takes over in positions that it would not reach by itself. From there on the game is an ordinary one. The
//! cards hidden at these positions follow from the play of both, so a learner's beliefs are those of a mixture.

use stier_core::{Hints, Rng};

use super::VectorError;
use crate::catalogue::spec::AgentSpec;

/// The beginning of some of the games.
#[derive(Clone, PartialEq, Debug)]
pub struct Opening {
    /// The agent that decides for all seats until the opening is over.
    pub agent: AgentSpec,
    /// The share of the games that have an opening, 0 to 1.
    pub share: f64,
    /// The largest number of decisions in an opening, at least 1. Each number up to it is equally likely.
    pub decisions: u32,
}

impl Opening {
    /// Refuses agents that do not fit the game, and numbers out of range.
    pub(super) fn check<G: Hints>(&self, game: &G) -> Result<(), VectorError> {
        if !(0.0..=1.0).contains(&self.share) {
            return Err(VectorError::OpeningShare { found: self.share });
        }
        if self.decisions == 0 {
            return Err(VectorError::OpeningDecisions);
        }
        Ok(self.agent.check(game)?)
    }

    /// The number of decisions before the learner takes over, from (seed of the game, "opening", 0).
    pub(super) fn length(&self, seed: u64) -> u32 {
        let mut rng = Rng::stream(seed, "opening", 0);
        if rng.unit() < self.share { 1 + rng.below(self.decisions) } else { 0 }
    }
}
