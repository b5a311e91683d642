//! The iterations that a search may still do.

use std::time::Duration;

use web_time::Instant;

use crate::agent::stop::Stop;

/// The largest number of iterations between two checks of clock and flag.
const MAX_AT_ONCE: u64 = 256;
/// The target time between two checks.
const LOOK: Duration = Duration::from_micros(20);

/// The limit of a search, in iterations or time: the numbers of its iterations, from 0 on.
#[derive(Clone, Debug)]
pub(crate) struct Budget<'a> {
    most: u64,
    stop: Stop<'a>,
    last: Instant,
    chunk: u64,
    /// The number of iterations begun.
    pub(crate) begun: u64,
    /// The number of iterations before clock and flag are asked again.
    until: u64,
}

impl<'a> Budget<'a> {
    /// The budget of search `index` out of `count`. With a time limit it is all the time there is; otherwise it is a
    /// share of `iterations`.
    pub(crate) fn part(iterations: u64, stop: Stop<'a>, index: u64, count: u64) -> Self {
        let share = iterations / count + u64::from(index < iterations % count);
        let most = if stop.is_timed { u64::MAX } else { share };
        Self { most, stop, last: Instant::now(), chunk: 0, begun: 0, until: 0 }
    }

    /// Limits the number of iterations further.
    pub(crate) fn at_most(self, most: u64) -> Self {
        Self { most: self.most.min(most), ..self }
    }

    /// Asks clock and flag, neither of which ends a search before the first iteration. Returns false at the end.
    #[inline(never)]
    fn look(&mut self) -> bool {
        if self.begun > 0 && self.stop.is_due() {
            return false;
        }
        let now = Instant::now();
        let taken = now.duration_since(self.last).as_nanos().max(1) as u64;
        self.last = now;
        self.chunk = match self.chunk {
            0 => 1,
            chunk => (chunk * LOOK.as_nanos() as u64 / taken).clamp(1, (2 * chunk).min(MAX_AT_ONCE)),
        };
        self.until = self.begun + self.chunk.min(self.most - self.begun);
        self.until > self.begun
    }
}

impl Iterator for Budget<'_> {
    type Item = u64;

    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        if self.begun == self.until && !self.look() {
            return None;
        }
        self.begun += 1;
        Some(self.begun - 1)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use web_time::Instant;

    use super::Budget;
    use crate::agent::stop::Stop;
    use crate::agent::threads::Workers;

    #[test]
    fn parts_add_up() {
        let flag = AtomicBool::new(false);
        let stop = Stop::new(Instant::now(), 0, &flag);
        let mut parts: Vec<Budget<'_>> = (0..7).map(|index| Budget::part(3000, stop, index, 7)).collect();
        let total = Workers::default().run_all(&mut parts, |budget| budget.count() as u64);
        assert_eq!(total, 3000);
    }

    #[test]
    fn flag_and_clock_end_a_search_after_its_first_iteration() {
        let (set, unset) = (AtomicBool::new(true), AtomicBool::new(false));
        let start = Instant::now();
        let interrupted = Budget::part(10_000, Stop::new(start, 0, &set), 0, 1);
        assert_eq!(interrupted.count(), 1);
        let over = Budget::part(1, Stop::new(start, 1, &unset), 0, 1);
        while start.elapsed().as_millis() < 2 {}
        assert_eq!(over.count(), 1);
        let timed = Budget::part(1, Stop::new(start, 3_600_000, &unset), 0, 1).at_most(100);
        assert!(timed.eq(0..100));
    }

    #[test]
    fn slow_iterations_are_checked_often() {
        let flag = AtomicBool::new(false);
        let mut budget = Budget::part(1_000_000, Stop::new(Instant::now(), 0, &flag), 0, 1);
        for _ in 0..10 {
            assert!(budget.next().is_some());
            assert!(budget.until - budget.begun < 2, "{} slow iterations at once", budget.until - budget.begun + 1);
            std::thread::sleep(std::time::Duration::from_micros(200));
        }
    }
}
