//! Machine words as sets, for any processor.

use std::ops::BitXor;

/// A machine word as a set.
pub trait Word: Copy + BitXor<Output = Self> {
    /// The number of members.
    fn size(self) -> u32;

    /// The position of the lowest member; there must be one.
    fn first(self) -> u32;

    /// The lowest 32 or 64 bits of a number.
    fn of(bits: u64) -> Self;

    /// The word as a number.
    fn bits(self) -> u64;

    /// The number of members up to and including each byte, a byte each.
    fn counts(self) -> Cumulated<Self>;

    /// The member that has exactly `rank` members below it, which the counts lose. For machines without the instruction
    /// that deposits bits: without branches, which could not be predicted.
    fn take(self, counts: &mut Cumulated<Self>, rank: u32) -> Self;
}

/// Bytes side by side in a word, each the sum of all bytes up to it. No sum is larger than 127.
#[derive(Clone, Copy)]
pub struct Cumulated<W>(W);

macro_rules! word {
    ($word:ty) => {
        impl Word for $word {
            #[inline(always)]
            fn size(self) -> u32 {
                self.count_ones()
            }

            #[inline(always)]
            fn first(self) -> u32 {
                self.trailing_zeros()
            }

            #[inline(always)]
            fn of(bits: u64) -> Self {
                bits as Self
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                self.into()
            }

            #[inline(always)]
            fn counts(self) -> Cumulated<Self> {
                let pairs = self - ((self >> 1) & Self::MAX / 3);
                let nibbles = (pairs & Self::MAX / 5) + ((pairs >> 2) & Self::MAX / 5);
                Cumulated::<$word>::new((nibbles + (nibbles >> 4)) & Self::MAX / 17)
            }

            #[inline(always)]
            fn take(self, counts: &mut Cumulated<Self>, rank: u32) -> Self {
                let place = counts.place_of(rank);
                let below = (counts.0 << 8 >> place) as u32 & 255;
                counts.remove(place);
                1 << (place + u32::from(PLACES[usize::from((self >> place) as u8)][(rank - below) as usize & 7]))
            }
        }

        impl Cumulated<$word> {
            /// One in each byte.
            const ONES: $word = <$word>::MAX / 255;
            /// The top bit of each byte.
            const TOPS: $word = Self::ONES << 7;

            /// Sums up the bytes of a word.
            #[inline(always)]
            pub fn new(bytes: $word) -> Self {
                Self(bytes.wrapping_mul(Self::ONES))
            }

            /// The sum of all bytes.
            #[inline(always)]
            pub fn total(self) -> u32 {
                (self.0 >> (<$word>::BITS - 8)) as u32
            }

            /// The position of the lowest byte whose sum is larger than `rank`; `rank < total`.
            #[inline(always)]
            pub fn place_of(self, rank: u32) -> u32 {
                debug_assert!(self.0 & Self::TOPS == 0 && rank < self.total());
                let above = ((self.0 | Self::TOPS) - <$word>::from(rank + 1) * Self::ONES) & Self::TOPS;
                above.trailing_zeros() & (<$word>::BITS - 8)
            }

            /// Subtracts one from the byte at this position, which must not be 0.
            #[inline(always)]
            pub fn remove(&mut self, place: u32) {
                self.0 -= Self::ONES << place;
            }
        }
    };
}
word!(u32);
word!(u64);

/// The same as [`bits::nth_member`](crate::bits::nth_member), for machines without the instruction that deposits bits.
#[inline(always)]
pub fn nth_member_portable<W: Word>(word: W, rank: u32) -> W {
    word.take(&mut word.counts(), rank)
}

/// The same as [`bits::deposit`](crate::bits::deposit), bit by bit: for machines without the instruction, and to test it against.
#[inline]
pub fn deposit_portable(mut source: u64, mut mask: u64) -> u64 {
    let mut out = 0;
    while mask != 0 && source != 0 {
        let lowest = mask & mask.wrapping_neg();
        if source & 1 == 1 {
            out |= lowest;
        }
        source >>= 1;
        mask ^= lowest;
    }
    out
}

/// The position of the set bit of a byte with a number of set bits below it: `PLACES[byte][number]`.
static PLACES: [[u8; 8]; 256] = {
    let mut places = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut place, mut number) = (0, 0);
        while place < 8 {
            if byte >> place & 1 == 1 {
                places[byte][number] = place as u8;
                number += 1;
            }
            place += 1;
        }
        byte += 1;
    }
    places
};
