//! Where an agent is in its game: whose random streams it draws from, how many decisions it has made, who may stop it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use stier_core::Rng;

use crate::agent::stop::Stop;

/// The random streams of one agent in one game, as far as it has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Streams {
    seed: u64,
    decisions: u64,
}

impl Streams {
    /// Before the first decision; the streams are those of `seed`.
    pub fn new(seed: u64) -> Self {
        Self { seed, decisions: 0 }
    }

    /// A decision is made.
    pub fn advance(&mut self) {
        self.decisions += 1;
    }

    /// The random stream of the next decision for this purpose.
    pub fn rng(&self, purpose: &str) -> Rng {
        Rng::stream(self.seed, purpose, self.decisions)
    }

    /// One of `count` such streams.
    pub fn rng_of_many(&self, purpose: &str, index: u64, count: u64) -> Rng {
        Rng::stream(self.seed, purpose, self.decisions * count + index)
    }
}

/// The course of one game, as far as an agent that searches keeps account of it.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    streams: Streams,
    interrupt: Arc<AtomicBool>,
}

impl Course {
    /// Before the first decision; random streams are those of `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self { streams: Streams::new(seed), interrupt: Arc::default() }
    }

    /// Begins another game with the streams of `seed`.
    pub(crate) fn restart(&mut self, seed: u64) {
        self.streams = Streams::new(seed);
    }

    /// Once the flag is set, decisions end early.
    pub(crate) fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.interrupt = flag;
    }

    /// A decision is made.
    pub(crate) fn advance(&mut self) {
        self.streams.advance();
    }

    /// The random stream of the next decision for this purpose.
    pub(crate) fn rng(&self, purpose: &str) -> Rng {
        self.streams.rng(purpose)
    }

    /// One of `count` such streams.
    pub(crate) fn rng_of_many(&self, purpose: &str, index: u64, count: u64) -> Rng {
        self.streams.rng_of_many(purpose, index, count)
    }

    /// When a decision that began at `start` is to end, if it may take `time_ms` milliseconds, or 0 for any time.
    pub(crate) fn stop(&self, start: Instant, time_ms: u64) -> Stop<'_> {
        Stop::new(start, time_ms, &self.interrupt)
    }
}
