//! The scale and the spread of the returns of a search.

use stier_core::Game;

/// The range of a game's returns, which searches scale to the range 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReturnScale {
    low: f64,
    /// The difference between the highest return and the lowest.
    pub(crate) range: f64,
    inverse: f64,
}

impl ReturnScale {
    /// Creates the scale of a game.
    pub(crate) fn new<G: Game>(game: &G) -> Self {
        let (low, high) = game.rounded_range();
        let range = f64::from(high) - f64::from(low);
        Self { low: f64::from(low), range, inverse: range.max(f64::MIN_POSITIVE).recip() }
    }

    /// A return as a share of the range.
    #[inline(always)]
    pub(crate) fn unit(&self, value: f64) -> f64 {
        (value - self.low) * self.inverse
    }

    /// The return for a share of the range.
    pub(crate) fn value(&self, unit: f64) -> f64 {
        self.low + unit * self.range
    }
}

/// Twice the standard deviation of the returns, the unit of exploration. It is the largest value at any power of two
/// of iterations. It does not shrink as the search settles on a line; otherwise the search could not leave a bad one.
#[derive(Clone, Debug)]
pub(crate) struct ReturnSpread {
    count: u64,
    sum: f64,
    squares: f64,
    /// The spread, or the whole range before it is first measured.
    pub(crate) width: f64,
    /// The smallest spread that is assumed.
    least: f64,
}

/// The number of iterations before the spread is first measured.
const FIRST_LOOK: u64 = 16;
/// The smallest spread that is assumed, as a share of the range of returns.
const MIN_SPREAD: f64 = 0.05;

impl ReturnSpread {
    /// Creates the spread of returns with this range.
    pub(crate) fn new(range: f64) -> Self {
        Self { count: 0, sum: 0.0, squares: 0.0, width: range, least: MIN_SPREAD * range }
    }

    /// The spread in single precision.
    #[inline(always)]
    pub(crate) fn scale(&self) -> f32 {
        self.width as f32
    }

    /// Counts a return.
    #[inline(always)]
    pub(crate) fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        self.squares += value * value;
        if self.count.is_power_of_two() && self.count >= FIRST_LOOK {
            let mean = self.sum / self.count as f64;
            let variance = (self.squares / self.count as f64 - mean * mean).max(0.0);
            let before = if self.count == FIRST_LOOK { self.least } else { self.width };
            self.width = before.max(2.0 * variance.sqrt());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ReturnSpread;

    #[test]
    fn the_spread_is_twice_the_deviation_and_does_not_shrink() {
        let mut spread = ReturnSpread::new(1.0);
        (0..15).for_each(|i| spread.add(f64::from(i % 2)));
        assert_eq!(spread.scale(), 1.0);
        spread.add(1.0);
        assert!((spread.scale() - 1.0).abs() < 0.01, "half zeros, half ones: {}", spread.scale());
        (0..10_000).for_each(|_| spread.add(0.5));
        assert!(spread.scale() > 0.9);
        let mut narrow = ReturnSpread::new(1.0);
        (0..16).for_each(|_| narrow.add(0.5));
        assert_eq!(narrow.scale(), 0.05);
    }
}
