//! Pools of threads.

use std::num::NonZero;
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};
use thiserror::Error;

/// Threads that could not be started.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("cannot start {threads} threads: {reason}")]
pub struct ThreadsError {
    /// How many.
    pub threads: usize,
    /// Why not.
    pub reason: String,
}

/// How many threads are meant: 0 stands for all cores.
pub fn resolve(threads: usize) -> usize {
    if threads == 0 { thread::available_parallelism().map_or(1, NonZero::get) } else { threads }
}

/// A pool of its own: the global one would not survive a fork.
pub fn pool(threads: usize) -> Result<ThreadPool, ThreadsError> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| ThreadsError { threads, reason: error.to_string() })
}
