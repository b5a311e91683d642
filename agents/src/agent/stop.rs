//! When a long calculation is to end early.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A time and a flag: whichever comes first ends the calculation.
#[derive(Clone, Copy, Debug)]
pub struct Stop<'a> {
    start: Instant,
    until: Option<Instant>,
    interrupt: &'a AtomicBool,
}

impl<'a> Stop<'a> {
    /// Ends `time_ms` milliseconds after `start`, or never by itself if that is 0; at once when the flag is set.
    pub fn new(start: Instant, time_ms: u64, interrupt: &'a AtomicBool) -> Self {
        let until = (time_ms > 0).then(|| start + Duration::from_millis(time_ms));
        Self { start, until, interrupt }
    }

    /// The same with this share, 0 to 1, of the time.
    pub fn sooner(self, share: f64) -> Self {
        let part = |until: Instant| self.start + (until - self.start).mul_f64(share.clamp(0.0, 1.0));
        Self { until: self.until.map(part), ..self }
    }

    /// Whether a time was given.
    pub fn is_timed(&self) -> bool {
        self.until.is_some()
    }

    /// Whether it is time to end. Asks the clock only if a time was given.
    pub fn is_due(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed) || self.until.is_some_and(|until| Instant::now() >= until)
    }
}
