//! Draws from a fixed distribution over a list, in constant time.

use stier_core::Rng;

/// Alias table. A. J. Walker, *An Efficient Method for Generating Discrete Random Variables with General Distributions*, ACM
/// Transactions on Mathematical Software 3(3), 1977; made in linear time after M. D. Vose, IEEE Transactions on Software
/// Engineering 17(9), 1991. Every column holds at most two entries and is as likely as the others.
#[derive(Clone, Debug)]
pub struct Alias {
    /// `columns[i]`: the chance, in units of 2^-64, that the column stands for entry `i` and not for the other entry.
    columns: Vec<(u64, u32)>,
}

impl Alias {
    /// The distribution proportional to `weights`: finite, none negative, at least one positive, fewer than 2^32. `None` of
    /// other weights.
    pub fn new(weights: &[f64]) -> Option<Self> {
        let total: f64 = weights.iter().sum();
        let sound = weights.iter().all(|&weight| weight >= 0.0) && total > 0.0 && total.is_finite();
        let count = u32::try_from(weights.len()).ok().filter(|_| sound)?;
        let mut left: Vec<f64> = weights.iter().map(|weight| weight / total * f64::from(count)).collect();
        let (mut small, mut large): (Vec<u32>, Vec<u32>) = (0..count).partition(|&entry| left[entry as usize] < 1.0);
        let mut columns: Vec<(u64, u32)> = (0..count).map(|entry| (u64::MAX, entry)).collect();
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
        // What is left over fills its column but for rounding, or weighs nothing and is nobody's.
        let heaviest = (0..count).max_by(|&a, &b| weights[a as usize].total_cmp(&weights[b as usize]))?;
        for entry in small.into_iter().filter(|&entry| weights[entry as usize] == 0.0) {
            columns[entry as usize] = (0, heaviest);
        }
        Some(Self { columns })
    }

    /// An entry.
    #[inline]
    pub fn draw(&self, rng: &mut Rng) -> usize {
        let entry = rng.below(self.columns.len() as u32);
        let (own, other) = self.columns[entry as usize];
        if rng.bits() < own || other == entry { entry as usize } else { other as usize }
    }
}

#[cfg(test)]
mod tests {
    use stier_core::Rng;

    use super::Alias;

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
    fn weights_that_are_no_distribution_are_refused() {
        for weights in [vec![], vec![0.0, 0.0], vec![1.0, -1.0], vec![f64::NAN, 1.0], vec![f64::INFINITY, 1.0]] {
            assert!(Alias::new(&weights).is_none(), "{weights:?}");
        }
    }
}
