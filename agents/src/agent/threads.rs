//! Thread pools.

use std::num::NonZero;
use std::sync::mpsc;
use std::{process, thread};

use rayon::{ThreadPool, ThreadPoolBuilder};
use thiserror::Error;

/// An error in starting threads.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("cannot start {threads} threads: {reason}")]
pub struct ThreadsError {
    /// The number of threads.
    pub threads: usize,
    /// The reason.
    pub reason: String,
}

/// Resolves a number of threads; 0 means all cores.
pub fn resolve(threads: usize) -> usize {
    if threads == 0 { thread::available_parallelism().map_or(1, NonZero::get) } else { threads }
}

/// Creates a separate pool. The global one would not survive a fork.
pub fn pool(threads: usize) -> Result<ThreadPool, ThreadsError> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| ThreadsError { threads, reason: error.to_string() })
}

/// Threads that an agent keeps from one decision to the next, started when first needed.
#[derive(Default, Debug)]
pub(crate) struct Workers {
    /// The pool with the process that started it. A forked process does not have its threads.
    pool: Option<(u32, ThreadPool)>,
}

impl Workers {
    /// Runs every search, all but the first on its own thread, and returns the iterations of all. Panics of searches
    /// are resumed.
    pub(crate) fn run_all<S: Send>(&mut self, searches: &mut [S], run: impl Fn(&mut S) -> u64 + Sync) -> u64 {
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
            // Waiting for the results here leaves nothing to wait for at the end of the scope. There, a thread of
            // another pool would start other work in the meantime, perhaps a whole game.
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
                // The threads of the parent's pool do not exist here, so dropping the pool would wait forever.
                std::mem::forget(pool);
            }
            self.pool = Some((process, pool(threads).unwrap_or_else(|error| panic!("{error}"))));
        }
        &self.pool.as_ref().expect("it was just made").1
    }
}
