//! Small counts, one per colour, in one word: a hand of race cards.

use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// A colour: 0 to 4, written `a` to `e`.
pub(super) type Colour = u8;

/// The largest number of colours.
pub(super) const MAX_COLOURS: usize = 5;

/// Bits per count.
const WIDTH: u32 = 6;
/// One of each colour.
const ONES: u32 = 0x0104_1041;

/// A multiset of colours: five counts of six bits each. Counts must be below 32 for [`held`](Counts::held); the sum
/// must be below 64.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct Counts(u32);

impl Counts {
    /// None of any colour.
    pub(super) const NONE: Self = Self(0);

    /// One card of a colour.
    #[inline(always)]
    pub(super) fn one(colour: Colour) -> Self {
        Self(1 << (WIDTH * u32::from(colour)))
    }

    /// `count` cards of a colour.
    #[inline(always)]
    pub(super) fn of(colour: usize, count: u32) -> Self {
        Self(count << (WIDTH * colour as u32))
    }

    /// The count of a colour.
    #[inline(always)]
    pub(super) fn get(self, colour: usize) -> u8 {
        (self.0 >> (WIDTH * colour as u32) & 63) as u8
    }

    /// The sum of all counts.
    #[inline(always)]
    pub(super) fn sum(self) -> u8 {
        (self.0.wrapping_mul(ONES) >> (4 * WIDTH) & 63) as u8
    }

    /// The colours with a count of at least one, as a set.
    #[inline(always)]
    pub(super) fn held(self) -> u64 {
        // Takes the top bit of each count's field, then gathers all five by one multiplication without carries.
        let tops = (self.0 + 31 * ONES) >> 5 & ONES;
        (u64::from(tops) * 0x0010_8421) >> 20 & 31
    }

    /// The same counts, one per byte.
    #[inline(always)]
    pub(super) fn bytes(self) -> u64 {
        (0..MAX_COLOURS).fold(0, |bytes, colour| bytes | u64::from(self.get(colour)) << (8 * colour))
    }

    /// All counts in one word; equal only for equal counts.
    #[inline(always)]
    pub(super) fn word(self) -> u64 {
        u64::from(self.0)
    }

    /// Iterates over the single cards, in ascending order of colour.
    pub(super) fn iter(self) -> impl Iterator<Item = Colour> {
        (0..MAX_COLOURS as u8).flat_map(move |colour| (0..self.get(usize::from(colour))).map(move |_| colour))
    }
}

impl Add for Counts {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Counts {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Counts {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl SubAssign for Counts {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

impl FromIterator<Colour> for Counts {
    fn from_iter<I: IntoIterator<Item = Colour>>(colours: I) -> Self {
        colours.into_iter().fold(Self::NONE, |counts, colour| counts + Self::one(colour))
    }
}

impl fmt::Debug for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries((0..MAX_COLOURS).map(|colour| self.get(colour))).finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::proptest;

    use super::{Counts, MAX_COLOURS};

    proptest! {
        #[test]
        fn counts_behave_like_arrays(wanted in vec(0_u8..8, MAX_COLOURS)) {
            let counts: Counts = wanted.iter().zip(0..).flat_map(|(&count, colour)| vec![colour; count.into()]).collect();
            assert_eq!((0..MAX_COLOURS).map(|colour| counts.get(colour)).collect::<Vec<_>>(), wanted);
            assert_eq!(counts.sum(), wanted.iter().sum::<u8>());
            let held = wanted.iter().zip(0..).map(|(&count, colour)| u64::from(count > 0) << colour).sum::<u64>();
            assert_eq!(counts.held(), held);
            assert_eq!(counts.iter().collect::<Counts>(), counts);
            for (colour, &count) in wanted.iter().enumerate() {
                assert_eq!(counts.bytes() >> (8 * colour) & 255, u64::from(count));
            }
        }
    }
}
