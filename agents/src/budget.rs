//! When a search ends, and how it is spread over threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Iterations between two looks at the flag.
const CHUNK: u64 = 256;
/// Iterations between two looks at the clock: few, so that slow iterations do not get more time.
const CLOCK_CHUNK: u64 = 16;

/// When a search ends.
#[derive(Clone, Copy, Debug)]
pub enum Budget {
    /// After so many iterations.
    Iterations(u64),
    /// At this time.
    Until(Instant),
}

impl Budget {
    /// The part of the `index`-th of `count` searches that began at `start`: all of `time_ms`, if that is not 0, or its share of
    /// `iterations`.
    pub fn part(iterations: u64, time_ms: u64, start: Instant, index: u64, count: u64) -> Self {
        match time_ms {
            0 => Self::Iterations(iterations / count + u64::from(index < iterations % count)),
            ms => Self::Until(start + Duration::from_millis(ms)),
        }
    }

    /// How many iterations to do before asking again, when so many are done; 0 to end, but neither clock nor
    /// flag do so before the first ones.
    pub fn next(self, done: u64, interrupt: &AtomicBool) -> u64 {
        let chunk = match self {
            Self::Iterations(total) => CHUNK.min(total - done),
            Self::Until(end) if done > 0 && Instant::now() >= end => 0,
            Self::Until(_) => CLOCK_CHUNK,
        };
        if interrupt.load(Ordering::Relaxed) && done > 0 { 0 } else { chunk }
    }
}

/// Runs every search, each on a thread of its own; returns the iterations of all.
pub fn run_all<S: Send>(searches: &mut [S], run: impl Fn(&mut S) -> u64 + Sync) -> u64 {
    if let [only] = searches {
        return run(only);
    }
    let run = &run;
    thread::scope(|scope| {
        let running: Vec<_> = searches.iter_mut().map(|search| scope.spawn(move || run(search))).collect();
        running.into_iter().map(|thread| thread.join().expect("a search does not panic")).sum()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::Instant;

    use super::{Budget, run_all};

    #[test]
    fn parts_add_up() {
        let flag = AtomicBool::new(false);
        let mut parts: Vec<Budget> = (0..7).map(|index| Budget::part(3000, 0, Instant::now(), index, 7)).collect();
        let total = run_all(&mut parts, |budget| {
            let mut done = 0;
            loop {
                match budget.next(done, &flag) {
                    0 => return done,
                    chunk => done += chunk,
                }
            }
        });
        assert_eq!(total, 3000);
    }

    #[test]
    fn flag_and_clock_end_a_search_that_has_something() {
        let flag = AtomicBool::new(true);
        let budget = Budget::Iterations(10_000);
        assert!(budget.next(0, &flag) > 0);
        assert_eq!(budget.next(256, &flag), 0);
        let over = Budget::Until(Instant::now());
        assert!(over.next(0, &flag) > 0);
        assert_eq!(over.next(16, &AtomicBool::new(false)), 0);
    }
}
