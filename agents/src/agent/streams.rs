//! An agent's state within a game: its random streams, the number of its decisions and its interrupt flag.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use stier_core::Rng;

use crate::agent::stop::Stop;

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

    /// The random stream of the next decision for this purpose.
    pub fn rng(&self, purpose: &str) -> Rng {
        Rng::stream(self.seed, purpose, self.decisions)
    }

    /// Stream `index` of `count` for this purpose.
    pub fn rng_of_many(&self, purpose: &str, index: u64, count: u64) -> Rng {
        Rng::stream(self.seed, purpose, self.decisions * count + index)
    }
}

/// The random streams and the interrupt flag of an agent that searches.
#[derive(Clone, Debug)]
pub(crate) struct AgentStreams {
    streams: Streams,
    interrupt: Arc<AtomicBool>,
}

impl AgentStreams {
    /// Creates the streams of `seed`, before the first decision.
    pub(crate) fn new(seed: u64) -> Self {
        Self { streams: Streams::new(seed), interrupt: Arc::default() }
    }

    /// Begins another game with the streams of `seed`.
    pub(crate) fn restart(&mut self, seed: u64) {
        self.streams = Streams::new(seed);
    }

    /// Sets a flag that ends decisions early.
    pub(crate) fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.interrupt = flag;
    }

    /// Moves on to the streams of the next decision.
    pub(crate) fn advance(&mut self) {
        self.streams.advance();
    }

    /// The random stream of the next decision for this purpose.
    pub(crate) fn rng(&self, purpose: &str) -> Rng {
        self.streams.rng(purpose)
    }

    /// Stream `index` of `count` for this purpose.
    pub(crate) fn rng_of_many(&self, purpose: &str, index: u64, count: u64) -> Rng {
        self.streams.rng_of_many(purpose, index, count)
    }

    /// The end of a decision that began at `start` and may take `time_ms` milliseconds; 0 is unlimited.
    pub(crate) fn stop(&self, start: Instant, time_ms: u64) -> Stop<'_> {
        Stop::new(start, time_ms, &self.interrupt)
    }
}
