//! The spread of the returns of a search, the unit of exploration.

/// Twice the standard deviation of the returns, scaled to the range 0 to 1. It is the largest value at any power of
/// two of iterations. It does not shrink as the search settles on a line; otherwise the search could not leave a bad
/// one.
#[derive(Clone, Debug)]
pub(crate) struct ReturnSpread {
    count: u64,
    sum: f64,
    squares: f64,
    scale: f32,
}

/// The number of iterations before the spread is first measured.
const FIRST_LOOK: u64 = 16;
/// The smallest spread that is assumed, as a share of the range of returns.
const MIN_SPREAD: f32 = 0.05;

impl Default for ReturnSpread {
    fn default() -> Self {
        Self { count: 0, sum: 0.0, squares: 0.0, scale: 1.0 }
    }
}

impl ReturnSpread {
    /// The spread, or the whole range before it is first measured.
    #[inline(always)]
    pub(crate) fn scale(&self) -> f32 {
        self.scale
    }

    /// Counts a return, scaled to the range 0 to 1.
    #[inline(always)]
    pub(crate) fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        self.squares += value * value;
        if self.count.is_power_of_two() && self.count >= FIRST_LOOK {
            let mean = self.sum / self.count as f64;
            let variance = (self.squares / self.count as f64 - mean * mean).max(0.0);
            let before = if self.count == FIRST_LOOK { MIN_SPREAD } else { self.scale };
            self.scale = before.max(2.0 * variance.sqrt() as f32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ReturnSpread;

    #[test]
    fn the_spread_is_twice_the_deviation_and_does_not_shrink() {
        let mut spread = ReturnSpread::default();
        (0..15).for_each(|i| spread.add(f64::from(i % 2)));
        assert_eq!(spread.scale(), 1.0);
        spread.add(1.0);
        assert!((spread.scale() - 1.0).abs() < 0.01, "half zeros, half ones: {}", spread.scale());
        (0..10_000).for_each(|_| spread.add(0.5));
        assert!(spread.scale() > 0.9);
        let mut narrow = ReturnSpread::default();
        (0..16).for_each(|_| narrow.add(0.5));
        assert_eq!(narrow.scale(), 0.05);
    }
}
