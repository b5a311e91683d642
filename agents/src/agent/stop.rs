//! The end of a long calculation.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use stier_core::OptionValue;
use stier_core::options::{Allowed, OptionType};
use web_time::Instant;

/// The milliseconds that a decision may take, as an option of an agent; 0 for any number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TimeLimit(pub(crate) u64);

impl TimeLimit {
    /// No limit.
    pub(crate) const NONE: Self = Self(0);
}

impl OptionType for TimeLimit {
    type Limits = ();

    fn parse(text: &str, (): &()) -> Result<Self, String> {
        u64::parse(text, &(0..=3_600_000)).map(Self)
    }

    fn value(&self) -> OptionValue {
        self.0.value()
    }

    fn allowed((): &()) -> Allowed {
        u64::allowed(&(0..=3_600_000))
    }
}

/// A time limit and a flag. Whichever comes first ends the calculation.
#[derive(Clone, Copy, Debug)]
pub struct Stop<'a> {
    start: Instant,
    until: Option<Instant>,
    /// True if the time limit takes the place of the calculation's own budget.
    pub(crate) is_timed: bool,
    interrupt: &'a AtomicBool,
}

impl<'a> Stop<'a> {
    /// Ends `time_ms` milliseconds after `start`, or without a time limit if that is 0. Setting the flag ends it at
    /// once.
    pub fn new(start: Instant, time_ms: u64, interrupt: &'a AtomicBool) -> Self {
        let until = (time_ms > 0).then(|| start + Duration::from_millis(time_ms));
        Self { start, until, is_timed: time_ms > 0, interrupt }
    }

    /// The same end for a calculation within the timed one, which has a budget of its own.
    pub(crate) fn within_budget(self) -> Self {
        Self { is_timed: false, ..self }
    }

    /// Shortens the time limit to this share, from 0 to 1.
    pub(crate) fn within_share(self, share: f64) -> Self {
        let part = |until: Instant| self.start + (until - self.start).mul_f64(share.clamp(0.0, 1.0));
        Self { until: self.until.map(part), ..self }
    }

    /// Returns true if it is time to end. Reads the clock only if there is a time limit.
    pub fn is_due(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed) || self.until.is_some_and(|until| Instant::now() >= until)
    }
}
