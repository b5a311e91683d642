//! Thread pools. Without the feature `threads`, everything runs on the caller's thread, in order, with the same results.
//!
//! | loop | for | threads |
//! | --- | --- | --- |
//! | [`each`] | tasks that make results or fail, with something that one task leaves to the next | a pool of its own |
//! | `for_each`, `for_each_part` | numbers, ranges of numbers | those of the caller's pool |
//! | `for_each_task` | tasks that own something, such as a part of an array | those of the caller's pool |
//! | `map_all` | numbers, with results in order | those of the caller's pool |

use std::num::NonZero;
use std::ops::{ControlFlow, Range};
#[cfg(feature = "threads")]
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(feature = "threads")]
use std::sync::{Condvar, atomic::AtomicU64};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

#[cfg(feature = "threads")]
use rayon::prelude::{IntoParallelIterator, ParallelIterator as _};
#[cfg(feature = "threads")]
use rayon::{ThreadPool, ThreadPoolBuilder};
use stier_core::list::Listing as _;
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

/// A callback of a long calculation, called from any thread, which may stop it.
pub type Watch<'a> = &'a (dyn Fn() -> ControlFlow<()> + Sync);

/// A callback that is told how far a long calculation has come, and may stop it.
pub type WatchOf<'a, T> = &'a (dyn Fn(T) -> ControlFlow<()> + Sync);

/// Turns the answer of a `watch` callback into an error if it is to stop.
pub fn goes_on(flow: ControlFlow<()>) -> Result<(), Halted> {
    if flow.is_break() { Err(Halted::Interrupted) } else { Ok(()) }
}

/// A `watch` callback that keeps its answer: once it has stopped one thread, it stops all others.
pub(crate) fn stopping_all(watch: Watch<'_>) -> impl Fn() -> ControlFlow<()> + Sync + use<'_> {
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
    let (mut work, mut result) = (Some(work), None);
    in_pool(threads, &mut || result = work.take().map(|work| work()))?;
    Ok(result.expect("the work was done"))
}

#[cfg(feature = "threads")]
fn in_pool(threads: usize, work: &mut (dyn FnMut() + Send)) -> Result<(), Halted> {
    run_in(&pool(resolve(threads))?, work);
    Ok(())
}

/// Does the work on a thread of the pool, so that its parallel loops run on the threads of the pool.
#[cfg(feature = "threads")]
pub(crate) fn run_in(pool: &ThreadPool, work: &mut (dyn FnMut() + Send)) {
    pool.install(work);
}

#[cfg(not(feature = "threads"))]
fn in_pool(_threads: usize, work: &mut (dyn FnMut() + Send)) -> Result<(), Halted> {
    work();
    Ok(())
}

/// Does the work for every number below `count`, in parallel on the threads of the caller's pool.
///
/// All parallel loops end here, in one function that is not generic: a closure with a type of its own would bring a copy
/// of the scheduler.
pub(crate) fn for_each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    #[cfg(feature = "threads")]
    if count > 1 && num_threads() > 1 {
        return (0..count).into_par_iter().for_each(work);
    }
    (0..count).for_each(work);
}

/// Does the work for all numbers below `count` in parts of so many.
pub(crate) fn for_each_part(count: usize, size: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    for_each(count.div_ceil(size), &|part| work(part * size..count.min((part + 1) * size)));
}

/// The number of threads of the caller's pool.
fn num_threads() -> usize {
    #[cfg(feature = "threads")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "threads"))]
    1
}

/// Locks, whether or not another thread has panicked: nothing here is left half done.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Values that several threads give, each once.
struct Slots<T>(Vec<Mutex<Option<T>>>);

impl<T> Slots<T> {
    fn new(count: usize) -> Self {
        Self((0..count).map(|_| Mutex::default()).list())
    }

    fn set(&self, index: usize, value: T) {
        *locked(&self.0[index]) = Some(value);
    }

    fn into_values(self) -> Vec<T> {
        let value = |slot: Mutex<Option<T>>| slot.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.0.into_iter().map(|slot| value(slot).expect("each value was given")).list()
    }
}

/// Sets a flag if the thread panics while it exists.
struct OnPanic<'a>(&'a AtomicBool);

impl Drop for OnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// The number of tasks that [`each`] makes room for at a time.
const TASKS: u64 = 1 << 16;

/// Does `count` tasks and returns their results in order. An error ends the calculation: tasks that have not begun are left
/// out. A task takes over what `enter` made for an earlier one, if that has ended. One thread is the caller's own; 0
/// threads means all cores.
pub fn each<W: Send, T: Send, E: From<Halted> + Send>(
    threads: usize,
    count: u64,
    enter: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, u64) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let (idle, failure) = (Mutex::new(Vec::new()), Mutex::new(None));
    let failed = AtomicBool::new(false);
    let mut all = Vec::new();
    let threads = resolve(threads).min(usize::try_from(count).unwrap_or(usize::MAX));
    let mut run = || {
        for first in (0..count).step_by(TASKS as usize) {
            let size = TASKS.min(count - first) as usize;
            let results = Slots::new(size);
            let task = |index: usize| {
                if failed.load(Ordering::Relaxed) {
                    return;
                }
                let _watch = OnPanic(&failed);
                let own = locked(&idle).pop();
                let mut own = own.unwrap_or_else(&enter);
                match work(&mut own, first + index as u64) {
                    Ok(result) => results.set(index, result),
                    Err(error) => {
                        failed.store(true, Ordering::Relaxed);
                        locked(&failure).get_or_insert(error);
                    }
                }
                locked(&idle).push(own);
            };
            if threads > 1 {
                for_each(size, &task)
            } else {
                (0..size).for_each(task)
            }
            if failed.load(Ordering::Relaxed) {
                return;
            }
            all.append(&mut results.into_values());
        }
    };
    if threads > 1 {
        in_pool(threads, &mut run)?;
    } else {
        run();
    }
    let failure = locked(&failure).take();
    failure.map_or(Ok(all), Err)
}

/// Does the work for every number below `count`, in parallel on the threads of the caller's pool, and returns the
/// results in order.
pub(crate) fn map_all<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let results = Slots::new(count);
    for_each(count, &|index| results.set(index, work(index)));
    results.into_values()
}

/// Does all tasks, in parallel on the threads of the caller's pool if there are several.
pub(crate) fn for_each_task<T: Send>(tasks: impl IntoIterator<Item = T>, work: impl Fn(T) + Sync) {
    let mut tasks = tasks.into_iter();
    let Some(first) = tasks.next() else { return };
    let Some(second) = tasks.next() else { return work(first) };
    if num_threads() == 1 {
        work(first);
        work(second);
        for task in tasks {
            work(task);
        }
        return;
    }
    let mut slots = vec![Mutex::new(Some(first)), Mutex::new(Some(second))];
    for task in tasks {
        slots.push(Mutex::new(Some(task)));
    }
    for_each(slots.len(), &|index| work(locked(&slots[index]).take().expect("each task is taken once")));
}

/// Waits until a number of jobs have ended.
#[cfg(feature = "threads")]
struct WaitGroup {
    running: Mutex<usize>,
    changed: Condvar,
}

#[cfg(feature = "threads")]
impl WaitGroup {
    fn wait(&self) {
        drop(self.changed.wait_while(locked(&self.running), |running| *running > 0));
    }
}

/// A job of the group, which ends when this is dropped, by a panic, too.
#[cfg(feature = "threads")]
struct Job<'a>(&'a WaitGroup);

#[cfg(feature = "threads")]
impl Drop for Job<'_> {
    fn drop(&mut self) {
        *locked(&self.0.running) -= 1;
        self.0.changed.notify_one();
    }
}

/// Threads that an agent keeps from one decision to the next, started when first needed.
#[derive(Default, Debug)]
pub(crate) struct Workers {
    /// The pool with the process that started it. A forked process does not have its threads.
    #[cfg(feature = "threads")]
    pool: Option<(u32, ThreadPool)>,
}

/// A search that is ready to run and returns its number of iterations.
type Run<'a> = Box<dyn FnOnce() -> u64 + Send + 'a>;

impl Workers {
    /// Does the work on this many threads. Panics if they cannot be started.
    #[cfg(feature = "threads")]
    pub(crate) fn install(&mut self, threads: usize, work: &mut (dyn FnMut() + Send)) {
        run_in(self.pool(threads), work);
    }

    #[cfg(not(feature = "threads"))]
    pub(crate) fn install(&mut self, _threads: usize, work: &mut (dyn FnMut() + Send)) {
        work();
    }

    /// Runs every search, all but the first on its own thread, and returns the iterations of all. Panics of searches
    /// are resumed.
    pub(crate) fn run_all<S: Send>(&mut self, searches: &mut [S], run: impl Fn(&mut S) -> u64 + Sync) -> u64 {
        if let [only] = searches {
            return run(only);
        }
        let run = &run;
        self.run_side_by_side(searches.iter_mut().map(|search| -> Run<'_> { Box::new(move || run(search)) }).list())
    }

    #[cfg(not(feature = "threads"))]
    fn run_side_by_side(&mut self, searches: Vec<Run<'_>>) -> u64 {
        searches.into_iter().map(|run| run()).sum()
    }

    #[cfg(feature = "threads")]
    fn run_side_by_side(&mut self, searches: Vec<Run<'_>>) -> u64 {
        let (count, mut searches) = (searches.len(), searches.into_iter());
        let Some(first) = searches.next() else { return 0 };
        let (total, group) = (AtomicU64::new(0), WaitGroup { running: Mutex::new(count - 1), changed: Condvar::new() });
        self.pool(count - 1).in_place_scope(|scope| {
            let (total, group) = (&total, &group);
            for run in searches {
                scope.spawn(move |_| {
                    let _job = Job(group);
                    total.fetch_add(run(), Ordering::Relaxed);
                });
            }
            let own = first();
            // Waiting for the others here leaves nothing to wait for at the end of the scope. There, a thread of
            // another pool would start other work in the meantime, perhaps a whole game.
            group.wait();
            own + total.load(Ordering::Relaxed)
        })
    }

    #[cfg(feature = "threads")]
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
