//! The iterations that a search may still do.

use std::time::{Duration, Instant};

use crate::agent::stop::Stop;

/// The largest number of iterations between two checks of clock and flag.
const MAX_AT_ONCE: u64 = 256;
/// The target time between two checks.
const LOOK: Duration = Duration::from_micros(20);

/// The limit of a search, in iterations or time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget<'a> {
    most: u64,
    stop: Stop<'a>,
    last: Instant,
    chunk: u64,
}

impl<'a> Budget<'a> {
    /// The budget of search `index` out of `count`. With a time limit it is all the time there is; otherwise it is a
    /// share of `iterations`.
    pub(crate) fn part(iterations: u64, stop: Stop<'a>, index: u64, count: u64) -> Self {
        let share = iterations / count + u64::from(index < iterations % count);
        let most = if stop.is_timed() { u64::MAX } else { share };
        Self { most, stop, last: Instant::now(), chunk: 0 }
    }

    /// Limits the number of iterations further.
    pub(crate) fn at_most(self, most: u64) -> Self {
        Self { most: self.most.min(most), ..self }
    }

    /// Calls `iterate` with the number of iterations done, until the budget is spent. Returns their number.
    #[inline(always)]
    pub(crate) fn run(mut self, mut iterate: impl FnMut(u64)) -> u64 {
        let mut done = 0;
        loop {
            let chunk = self.next(done);
            if chunk == 0 {
                return done;
            }
            (done..done + chunk).for_each(&mut iterate);
            done += chunk;
        }
    }

    /// The number of iterations to do before the next call, after `done` of them; 0 ends the search. Neither clock
    /// nor flag end it before the first iteration.
    pub(crate) fn next(&mut self, done: u64) -> u64 {
        if done > 0 && self.stop.is_due() {
            return 0;
        }
        let now = Instant::now();
        let taken = now.duration_since(self.last).as_nanos().max(1) as u64;
        self.last = now;
        self.chunk = match self.chunk {
            0 => 1,
            chunk => (chunk * LOOK.as_nanos() as u64 / taken).clamp(1, (2 * chunk).min(MAX_AT_ONCE)),
        };
        self.chunk.min(self.most - done)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::Instant;

    use super::Budget;
    use crate::agent::stop::Stop;
    use crate::agent::threads::Workers;

    #[test]
    fn parts_add_up() {
        let flag = AtomicBool::new(false);
        let stop = Stop::new(Instant::now(), 0, &flag);
        let mut parts: Vec<Budget<'_>> = (0..7).map(|index| Budget::part(3000, stop, index, 7)).collect();
        let total = Workers::default().run_all(&mut parts, |budget| budget.run(|_| {}));
        assert_eq!(total, 3000);
    }

    #[test]
    fn flag_and_clock_end_a_search_after_its_first_iteration() {
        let (set, unset) = (AtomicBool::new(true), AtomicBool::new(false));
        let start = Instant::now();
        let mut interrupted = Budget::part(10_000, Stop::new(start, 0, &set), 0, 1);
        assert!(interrupted.next(0) > 0);
        assert_eq!(interrupted.next(1), 0);
        let mut over = Budget::part(1, Stop::new(start, 1, &unset), 0, 1);
        while start.elapsed().as_millis() < 2 {}
        assert!(over.next(0) > 0);
        assert_eq!(over.next(16), 0);
        let mut timed = Budget::part(1, Stop::new(start, 3_600_000, &unset), 0, 1).at_most(100);
        assert!(timed.next(0) > 0 && timed.next(99) == 1 && timed.next(100) == 0);
    }

    #[test]
    fn slow_iterations_are_checked_often() {
        let flag = AtomicBool::new(false);
        let mut budget = Budget::part(1_000_000, Stop::new(Instant::now(), 0, &flag), 0, 1);
        let mut done = budget.next(0);
        assert_eq!(done, 1);
        for _ in 0..10 {
            std::thread::sleep(std::time::Duration::from_micros(200) * done as u32);
            let chunk = budget.next(done);
            assert!(chunk <= 2, "{chunk} slow iterations at once");
            done = chunk;
        }
    }
}
