//! Pools of threads.

use std::num::NonZero;
use std::sync::mpsc;
use std::{process, thread};

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

/// Threads that an agent keeps from one decision to the next, started when they are needed first.
#[derive(Default, Debug)]
pub struct Workers {
    /// With the process that started them: a fork has none of their threads.
    pool: Option<(u32, ThreadPool)>,
}

impl Workers {
    /// Runs every search, all but the first on a thread of its own; returns the iterations of all. Panics of searches are resumed.
    pub fn run_all<S: Send>(&mut self, searches: &mut [S], run: impl Fn(&mut S) -> u64 + Sync) -> u64 {
        let Some((first, others)) = searches.split_first_mut() else { return 0 };
        if others.is_empty() {
            return run(first);
        }
        let run = &run;
        let (sender, results) = mpsc::channel();
        self.pool(others.len()).in_place_scope(|scope| {
            for search in others {
                let sender = sender.clone();
                scope.spawn(move |_| {
                    let _ = sender.send(run(search));
                });
            }
            drop(sender);
            // To wait for the results here leaves nothing to wait for at the end of the scope, where a thread of another pool would
            // begin other work meanwhile: a whole game, perhaps.
            run(first) + results.iter().sum::<u64>()
        })
    }

    fn pool(&mut self, threads: usize) -> &ThreadPool {
        let process = process::id();
        let is_ready = |(owner, pool): &(u32, ThreadPool)| *owner == process && pool.current_num_threads() == threads;
        if !self.pool.as_ref().is_some_and(is_ready) {
            if let Some((owner, pool)) = self.pool.take()
                && owner != process
            {
                // Nobody would answer to the end of the parent's pool.
                std::mem::forget(pool);
            }
            self.pool = Some((process, pool(threads).unwrap_or_else(|error| panic!("{error}"))));
        }
        &self.pool.as_ref().expect("it was just made").1
    }
}
