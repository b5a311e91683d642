//! The random streams of an agent within a game, one set for each of its decisions.

use stier_core::Rng;

/// The random streams of one agent in one game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Streams {
    seed: u64,
    decisions: u64,
}

impl Streams {
    /// Creates the streams of `seed`, before the first decision.
    pub fn new(seed: u64) -> Self {
        Self { seed, decisions: 0 }
    }

    /// Moves on to the streams of the next decision.
    pub fn advance(&mut self) {
        self.decisions += 1;
    }

    /// The streams of the decision after the next one.
    pub(crate) fn advanced(self) -> Self {
        Self { decisions: self.decisions + 1, ..self }
    }

    /// The random stream of the next decision for this purpose.
    pub fn rng(&self, purpose: &str) -> Rng {
        Rng::stream(self.seed, purpose, self.decisions)
    }

    /// Stream `index` of `count` for this purpose.
    pub fn rng_of_many(&self, purpose: &str, index: u64, count: u64) -> Rng {
        Rng::stream(self.seed, purpose, self.decisions * count + index)
    }
}
