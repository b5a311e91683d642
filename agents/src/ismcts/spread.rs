//! How far returns lie apart.

/// How far the searcher's returns lie apart: twice their standard deviation, the most that it has been at any power of two of
/// iterations. It does not shrink as the search settles on a line, or there would be no leaving a bad one.
#[derive(Clone, Debug)]
pub(super) struct Spread {
    count: u64,
    sum: f64,
    squares: f64,
    scale: f32,
}

/// Iterations before the spread is first measured.
const FIRST_LOOK: u64 = 16;
/// The least spread that is assumed, as a share of the range of returns.
const LEAST_SPREAD: f32 = 0.05;

impl Default for Spread {
    fn default() -> Self {
        Self { count: 0, sum: 0.0, squares: 0.0, scale: 1.0 }
    }
}

impl Spread {
    /// Twice the standard deviation; 1 before it is first measured.
    #[inline(always)]
    pub(super) fn scale(&self) -> f32 {
        self.scale
    }

    /// Counts a return, scaled to 0..=1.
    #[inline(always)]
    pub(super) fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        self.squares += value * value;
        if self.count.is_power_of_two() && self.count >= FIRST_LOOK {
            let mean = self.sum / self.count as f64;
            let variance = (self.squares / self.count as f64 - mean * mean).max(0.0);
            let before = if self.count == FIRST_LOOK { LEAST_SPREAD } else { self.scale };
            self.scale = before.max(2.0 * variance.sqrt() as f32);
        }
    }
}
