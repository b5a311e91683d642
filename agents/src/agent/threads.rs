//! Thread pools. Without the feature `threads`, everything runs on the caller's thread, in order, with the same results.

use std::num::NonZero;
use std::ops::ControlFlow;
#[cfg(feature = "threads")]
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(feature = "threads")]
use std::sync::mpsc;
use std::thread;

#[cfg(feature = "threads")]
use rayon::prelude::{IntoParallelIterator, ParallelIterator as _};
#[cfg(feature = "threads")]
use rayon::{ThreadPool, ThreadPoolBuilder};
use thiserror::Error;

/// The reason why a calculation on threads did not end.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Halted {
    /// Interrupted by a flag or a `watch` callback.
    #[error("interrupted")]
    Interrupted,
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// The number of threads.
        threads: usize,
        /// The reason.
        reason: String,
    },
}

/// Turns the answer of a `watch` callback into an error if it is to stop.
pub fn goes_on(flow: ControlFlow<()>) -> Result<(), Halted> {
    if flow.is_break() { Err(Halted::Interrupted) } else { Ok(()) }
}

/// A `watch` callback that keeps its answer: once it has stopped one thread, it stops all others.
pub(crate) fn stopping_all(
    watch: &(dyn Fn() -> ControlFlow<()> + Sync),
) -> impl Fn() -> ControlFlow<()> + Sync + use<'_> {
    let stopped = AtomicBool::new(false);
    move || {
        if stopped.load(Ordering::Relaxed) || watch().is_break() {
            stopped.store(true, Ordering::Relaxed);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// Resolves a number of threads; 0 means all cores.
pub fn resolve(threads: usize) -> usize {
    match threads {
        _ if cfg!(not(feature = "threads")) => 1,
        0 => thread::available_parallelism().map_or(1, NonZero::get),
        _ => threads,
    }
}

/// Creates a separate pool. The global one would not survive a fork.
#[cfg(feature = "threads")]
pub fn pool(threads: usize) -> Result<ThreadPool, Halted> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Halted::Threads { threads, reason: error.to_string() })
}

/// Runs a calculation in a pool of its own; 0 threads means all cores.
pub fn install<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T, Halted> {
    #[cfg(feature = "threads")]
    return Ok(pool(resolve(threads))?.install(work));
    #[cfg(not(feature = "threads"))]
    {
        let _ = threads;
        Ok(work())
    }
}

/// Does `count` tasks and returns their results in order. The first error ends the calculation: tasks that have not
/// begun are left out. `enter` is called at least once per thread, and tasks that follow each other on the thread share
/// what it returns. One thread is the caller's own; 0 threads means all cores.
pub fn each<W, T: Send, E: From<Halted> + Send>(
    threads: usize,
    count: u64,
    enter: impl Fn() -> W + Sync + Send,
    work: impl Fn(&mut W, u64) -> Result<T, E> + Sync + Send,
) -> Result<Vec<T>, E> {
    let threads = resolve(threads).min(usize::try_from(count).unwrap_or(usize::MAX));
    debug_assert!(cfg!(feature = "threads") || threads <= 1);
    #[cfg(feature = "threads")]
    if threads > 1 {
        return pool(threads)?.install(|| (0..count).into_par_iter().map_init(enter, work).collect());
    }
    let mut own = enter();
    (0..count).map(|task| work(&mut own, task)).collect()
}

/// Does the work for every item, in parallel on the threads of the caller's pool, and returns the results in order.
#[cfg(feature = "threads")]
pub(crate) fn map_all<I: Send, T: Send>(
    items: impl IntoParallelIterator<Item = I>,
    work: impl Fn(I) -> T + Sync + Send,
) -> Vec<T> {
    items.into_par_iter().map(work).collect()
}

/// Does the work for every item, and returns the results in order.
#[cfg(not(feature = "threads"))]
pub(crate) fn map_all<I, T>(items: impl IntoIterator<Item = I>, work: impl Fn(I) -> T) -> Vec<T> {
    items.into_iter().map(work).collect()
}

/// Threads that an agent keeps from one decision to the next, started when first needed.
#[derive(Default, Debug)]
pub(crate) struct Workers {
    /// The pool with the process that started it. A forked process does not have its threads.
    #[cfg(feature = "threads")]
    pool: Option<(u32, ThreadPool)>,
}

#[cfg(not(feature = "threads"))]
impl Workers {
    /// Runs every search, and returns the iterations of all.
    pub(crate) fn run_all<S>(&mut self, searches: &mut [S], run: impl Fn(&mut S) -> u64) -> u64 {
        searches.iter_mut().map(run).sum()
    }
}

#[cfg(feature = "threads")]
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
