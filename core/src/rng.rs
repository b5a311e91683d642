//! Random streams, passed as a parameter.
//!
//! The generator is xoshiro256++ (Blackman and Vigna 2021). The draws are our own, so that the same seed gives the
//! same bits with every version of `rand`. Streams are derived by hashing (seed, purpose, index): no two parts of a
//! program share one by accident, and the number of threads does not matter.

use std::ops::SubAssign;

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::hash::fnv1a;

/// A stream of random numbers.
///
/// ```
/// use stier_core::Rng;
///
/// let [mut deal, mut again, mut other] = [0, 0, 1].map(|index| Rng::stream(7, "deal", index));
/// assert!(deal.below(6) < 6);
/// again.below(6);
/// assert_eq!(deal.bits(), again.bits());
/// assert_ne!(deal.bits(), other.bits());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// Derives the stream for the `index`-th use of a `seed` for a `purpose`, such as `(7, "deal", 12)`.
    pub fn stream(seed: u64, purpose: &str, index: u64) -> Self {
        // One SplitMix64 finaliser per ingredient.
        let named = fnv1a(purpose.bytes());
        Self(Xoshiro256PlusPlus::seed_from_u64(mix(mix(mix(seed) ^ named) ^ index)))
    }

    /// 64 random bits.
    #[inline(always)]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws a number in `0..n`, exactly uniform, for `n >= 1` (Lemire 2019, with rejection).
    #[inline(always)]
    pub fn below(&mut self, n: u32) -> u32 {
        debug_assert!(n > 0);
        let mut product = (self.bits() >> 32) * u64::from(n);
        if (product as u32) < n {
            (*self, product) = self.clone().redraw(n, product);
        }
        (product >> 32) as u32
    }

    /// Repeats the draw of [`below`](Self::below) until it is unbiased, which is rarely necessary. Takes and returns
    /// the stream by value, so that callers can keep it in registers.
    #[cold]
    #[inline(never)]
    fn redraw(mut self, n: u32, mut product: u64) -> (Self, u64) {
        let threshold = n.wrapping_neg() % n;
        while (product as u32) < threshold {
            product = (self.bits() >> 32) * u64::from(n);
        }
        (self, product)
    }

    /// Draws a number in `0..n`, exactly uniform, for `n >= 1` of any size.
    #[inline]
    pub fn below_wide(&mut self, n: u64) -> u64 {
        debug_assert!(n > 0);
        let mut product = u128::from(self.bits()) * u128::from(n);
        if (product as u64) < n {
            let threshold = n.wrapping_neg() % n;
            while (product as u64) < threshold {
                product = u128::from(self.bits()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// Draws a number in `[0, 1)`, a multiple of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Puts the items into a uniformly random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

/// One step of SplitMix64 and its finaliser: a bijection in which every input bit affects every output bit.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The index of a point on a line that is divided in proportion to the weights. If rounding puts the point beyond the
/// end, this is the last index with a positive weight.
#[inline(always)]
pub fn place<T: Copy + Default + PartialOrd + SubAssign>(weights: impl IntoIterator<Item = T>, mut point: T) -> usize {
    let mut last = 0;
    for (place, weight) in weights.into_iter().enumerate() {
        if point < weight {
            return place;
        }
        if weight > T::default() {
            last = place;
        }
        point -= weight;
    }
    last
}

/// Draws an index in proportion to the weights.
pub fn draw(weights: &[f64], rng: &mut Rng) -> usize {
    place(weights.iter().copied(), rng.unit() * weights.iter().sum::<f64>())
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn a_stream_never_changes() {
        let mut rng = Rng::stream(7, "deal", 3);
        let first: Vec<u64> = (0..3).map(|_| rng.bits()).collect();
        assert_eq!(first, EXPECTED);
    }
    const EXPECTED: [u64; 3] = [2306064270565769674, 1133894298801404425, 8340858695546357647];

    #[test]
    fn streams_differ_in_seed_purpose_and_index() {
        let base = Rng::stream(1, "a", 0);
        for other in [Rng::stream(2, "a", 0), Rng::stream(1, "b", 0), Rng::stream(1, "a", 1)] {
            assert_ne!(base, other);
        }
    }

    #[test]
    fn bounded_draws_are_uniform() {
        // 600,000 draws over 6 and over 13 faces. The bound is the chi-square quantile at 1e-6 for 12 degrees of
        // freedom.
        let mut rng = Rng::stream(0, "uniform", 0);
        for faces in [6_u32, 13] {
            let mut counts = vec![0_u32; faces as usize];
            for _ in 0..300_000 {
                counts[rng.below(faces) as usize] += 1;
                counts[rng.below_wide(u64::from(faces)) as usize] += 1;
            }
            let expected = 600_000.0 / f64::from(faces);
            let chi: f64 = counts.iter().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
            assert!(chi < 50.5, "{faces} faces: chi-square {chi}");
        }
    }

    #[test]
    fn shuffles_produce_every_order() {
        let mut rng = Rng::stream(0, "shuffle", 0);
        let mut seen = std::collections::HashSet::new();
        for _ in 0..500 {
            let mut items = [0, 1, 2, 3];
            rng.shuffle(&mut items);
            seen.insert(items);
        }
        assert_eq!(seen.len(), 24);
    }
}
