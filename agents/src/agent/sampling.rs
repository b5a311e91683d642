//! Draws in proportion to weights.

use stier_core::Rng;
use stier_core::list::Listing as _;
pub use stier_core::rng::draw;
pub(crate) use stier_core::rng::place;

/// The largest number of legal actions in any game.
pub(crate) const MAX_ACTIONS: usize = 128;

/// Replaces logits by weights in proportion to their softmax at this temperature, with a maximum of 1. Returns the
/// sum.
#[inline(always)]
pub(crate) fn softmax(logits: &mut [f32], temperature: f32) -> f32 {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    logits.iter_mut().for_each(|logit| *logit = exp((*logit - most) / temperature));
    logits.iter().sum()
}

/// The exponential of a number up to 88, with the same bits on every machine: 2 to the power of the nearest integer
/// times a Taylor polynomial. The relative error is at most 4e-6, plus 1e-7 times the number's magnitude.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    let doublings = (x * std::f32::consts::LOG2_E).max(-126.0);
    let whole = doublings.round_ties_even();
    let rest = (doublings - whole) * std::f32::consts::LN_2;
    let power = 1.0 + rest * (1.0 + rest * (1.0 / 2.0 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0 + rest / 120.0))));
    power * f32::from_bits(((whole as i32 + 127) as u32) << 23)
}

/// An alias table: A. J. Walker, *An Efficient Method for Generating Discrete Random Variables with General
/// Distributions*, ACM Transactions on Mathematical Software 3(3), 1977. It is built in linear time: M. D. Vose, IEEE
/// Transactions on Software Engineering 17(9), 1991. All columns are equally likely, and each holds at most two
/// entries.
#[derive(Clone, Debug)]
pub(crate) struct Alias {
    /// For column `i`: the probability of entry `i`, in units of 2^-64, and the column's other entry.
    columns: Vec<(u64, u32)>,
}

impl Alias {
    /// Builds the distribution proportional to `weights`. There must be fewer than 2^32 weights, all finite, none
    /// negative and at least one positive; otherwise the result is `None`.
    pub(crate) fn new(weights: &[f64]) -> Option<Self> {
        let total: f64 = weights.iter().sum();
        let sound = weights.iter().all(|&weight| weight >= 0.0) && total > 0.0 && total.is_finite();
        let count = u32::try_from(weights.len()).ok().filter(|_| sound)?;
        let mut left: Vec<f64> = weights.iter().map(|weight| weight / total * f64::from(count)).list();
        let (mut small, mut large): (Vec<u32>, Vec<u32>) = (0..count).partition(|&entry| left[entry as usize] < 1.0);
        let mut columns: Vec<(u64, u32)> = (0..count).map(|entry| (u64::MAX, entry)).list();
        while let (Some(&poor), Some(&rich)) = (small.last(), large.last()) {
            small.pop();
            let own = left[poor as usize];
            columns[poor as usize] = ((own * (1_u128 << 64) as f64) as u64, rich);
            left[rich as usize] -= 1.0 - own;
            if left[rich as usize] < 1.0 {
                large.pop();
                small.push(rich);
            }
        }
        // The remaining entries fill their columns up to rounding. Those without weight must never be drawn.
        let heaviest = (0..count).max_by(|&a, &b| weights[a as usize].total_cmp(&weights[b as usize]))?;
        for entry in small.into_iter().filter(|&entry| weights[entry as usize] == 0.0) {
            columns[entry as usize] = (0, heaviest);
        }
        Some(Self { columns })
    }

    /// Draws an entry.
    #[inline]
    pub(crate) fn draw(&self, rng: &mut Rng) -> usize {
        let entry = rng.below(self.columns.len() as u32);
        let (own, other) = self.columns[entry as usize];
        if rng.bits() < own || other == entry { entry as usize } else { other as usize }
    }
}

#[cfg(test)]
mod tests {
    use stier_core::Rng;

    use super::{Alias, draw, exp, place};

    #[test]
    fn draws_follow_the_weights() {
        let mut rng = Rng::stream(1, "alias", 0);
        for weights in [vec![1.0], vec![1.0, 0.0, 3.0, 0.5, 0.0, 5.5], vec![1e-9, 1e9], vec![0.25; 7]] {
            let alias = Alias::new(&weights).expect("weights");
            let total: f64 = weights.iter().sum();
            let mut counts = vec![0.0; weights.len()];
            for _ in 0..200_000 {
                counts[alias.draw(&mut rng)] += 1.0;
            }
            for (count, weight) in counts.iter().zip(&weights) {
                let expected = weight / total * 200_000.0;
                assert!((count - expected).abs() <= 5.0 * expected.sqrt() + 1e-3, "{counts:?} for {weights:?}");
            }
        }
    }

    #[test]
    fn invalid_weights_are_refused() {
        for weights in [vec![], vec![0.0, 0.0], vec![1.0, -1.0], vec![f64::NAN, 1.0], vec![f64::INFINITY, 1.0]] {
            assert!(Alias::new(&weights).is_none(), "{weights:?}");
        }
    }

    #[test]
    fn powers_are_close() {
        for step in -8000..8800 {
            let x = step as f32 / 100.0;
            let exact = f64::from(x).exp();
            assert!((f64::from(exp(x)) - exact).abs() <= (4e-6 + 1e-7 * f64::from(x).abs()) * exact, "{x}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(-1e9) < 1.2e-38);
    }

    #[test]
    fn indices_are_drawn_by_their_probabilities() {
        let mut rng = Rng::stream(1, "test", 0);
        let mut found = [0; 4];
        (0..10_000).for_each(|_| found[draw(&[0.0, 0.25, 0.75, 0.0], &mut rng)] += 1);
        assert_eq!((found[0], found[3]), (0, 0));
        assert!((2300..2700).contains(&found[1]), "{found:?}");
    }

    #[test]
    fn rounding_never_gives_what_weighs_nothing() {
        assert_eq!(place([0.25, 0.75, 0.0], 1.0), 1);
        assert_eq!(place([0.0_f32, 0.0], 0.0), 0);
        assert_eq!((0..4).map(|point| place([1_u64, 0, 3], point)).collect::<Vec<_>>(), [0, 2, 2, 2]);
    }
}
