//! Machine words as sets: the `k`-th member, random members and subsets, all subsets of a given size.

#[cfg(target_arch = "x86_64")]
use std::arch::asm;
use std::iter;
use std::ops::BitXor;

#[cfg(target_arch = "x86_64")]
use crate::processor::is_modern;
use crate::rng::Rng;

/// The position of the set bit of `word` that has exactly `rank` set bits below it; `rank < word.count_ones()`.
#[inline(always)]
pub fn nth_bit(word: u64, rank: u32) -> u32 {
    nth_member(word, rank).trailing_zeros()
}

/// The set bit of `word` that has exactly `rank` set bits below it, alone; `rank < word.count_ones()`.
#[inline(always)]
pub fn nth_member(word: u64, rank: u32) -> u64 {
    debug_assert!(rank < word.count_ones());
    if cfg!(target_arch = "x86_64") { deposit(1 << rank, word) } else { nth_member_portable(word, rank) }
}

/// [`nth_member`] for 32 bits.
#[inline(always)]
pub fn nth_of_few(word: u32, rank: u32) -> u32 {
    if cfg!(target_arch = "x86_64") { nth_member(word.into(), rank) as u32 } else { nth_of_few_portable(word, rank) }
}

/// Defines for words of one size what machines without the instruction that deposits bits can do: bytes are counted side
/// by side and the right one is looked up, without branches, which could not be predicted.
macro_rules! byte_by_byte {
    ($word:ty, $nth:ident, $of:literal, $cumulated:ident, $first_above:ident) => {
        #[doc = concat!("The same as [`", $of, "`], for machines without the instruction that deposits bits.")]
        #[inline(always)]
        pub fn $nth(word: $word, rank: u32) -> $word {
            const ALL: $word = <$word>::MAX;
            let pairs = word - ((word >> 1) & ALL / 3);
            let nibbles = (pairs & ALL / 5) + ((pairs >> 2) & ALL / 5);
            let up_to = $cumulated((nibbles + (nibbles >> 4)) & ALL / 17);
            let place = $first_above(up_to, rank);
            let below = (up_to << 8 >> place) as u32 & 255;
            1 << (place + u32::from(PLACES[usize::from((word >> place) as u8)][(rank - below) as usize & 7]))
        }

        /// Each byte plus all lower ones; the sums must be below 256. The highest byte is the sum of all.
        #[inline(always)]
        pub fn $cumulated(bytes: $word) -> $word {
            bytes.wrapping_mul(<$word>::MAX / 255)
        }

        /// The position of the lowest of the bytes that are larger than `rank`; there must be one, and all must be below
        /// 128.
        #[inline(always)]
        pub fn $first_above(bytes: $word, rank: u32) -> u32 {
            const ONES: $word = <$word>::MAX / 255;
            const TOPS: $word = ONES << 7;
            debug_assert!(bytes & TOPS == 0 && <$word>::from(rank) < bytes >> (<$word>::BITS - 8));
            (((bytes | TOPS) - <$word>::from(rank + 1) * ONES) & TOPS).trailing_zeros() & (<$word>::BITS - 8)
        }
    };
}
byte_by_byte!(u64, nth_member_portable, "nth_member", cumulated, first_above);
byte_by_byte!(u32, nth_of_few_portable, "nth_of_few", cumulated_few, first_of_few_above);

/// The same as [`nth_member`], for a word with no other bits than the lowest of each byte.
#[inline(always)]
pub fn nth_byte_portable(word: u64, rank: u32) -> u64 {
    debug_assert!(rank < word.count_ones() && word & !BYTES == 0);
    1 << first_above(cumulated(word), rank)
}

/// One in each byte.
pub const BYTES: u64 = u64::MAX / 255;

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

/// The position of a set bit of `word`, uniformly drawn; there must be one.
#[inline(always)]
pub fn random_bit(word: u32, rng: &mut Rng) -> u32 {
    nth_of_few(word, rng.below(word.count_ones())).trailing_zeros()
}

/// [`random_bit`] for 64 bits.
#[inline(always)]
pub fn random_bit_wide(word: u64, rng: &mut Rng) -> u32 {
    nth_bit(word, rng.below(word.count_ones()))
}

/// [`nth_bit`] for 128 bits.
#[inline(always)]
pub fn nth_bit_wide(word: u128, rank: u32) -> u32 {
    let (low, high) = (word as u64, (word >> 64) as u64);
    let below = low.count_ones();
    if rank < below { nth_bit(low, rank) } else { 64 + nth_bit(high, rank - below) }
}

/// Spreads the low bits of `source` over the set bits of `mask`, lowest first.
#[inline(always)]
pub fn deposit(source: u64, mask: u64) -> u64 {
    #[cfg(not(target_arch = "x86_64"))]
    return deposit_portable(source, mask);
    #[cfg(target_arch = "x86_64")]
    if is_modern() {
        let out;
        // SAFETY: the processor has the instruction, which reads and writes these registers alone. The intrinsic function
        // would be a call where the surrounding code is compiled for old processors too.
        #[allow(unsafe_code)]
        unsafe {
            asm!(
                "pdep {out}, {source}, {mask}",
                out = lateout(reg) out,
                source = in(reg) source,
                mask = in(reg) mask,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        out
    } else {
        deposit_rarely(source, mask)
    }
}

/// On modern processors a function that is never called, kept out of the callers.
#[cfg(target_arch = "x86_64")]
#[cold]
#[inline(never)]
fn deposit_rarely(source: u64, mask: u64) -> u64 {
    deposit_portable(source, mask)
}

/// The same as [`deposit`], bit by bit: for machines without the instruction, and to test it against.
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

/// Draws a subset of `size` members of `set`, uniformly; `size <= set.count_ones()`.
#[inline]
pub fn random_subset(set: u32, size: u32, rng: &mut Rng) -> u32 {
    subset(set, set.count_ones(), size, nth_of_few, rng)
}

/// [`random_subset`] for 64 bits.
#[inline]
pub fn random_subset_wide(set: u64, size: u32, rng: &mut Rng) -> u64 {
    subset(set, set.count_ones(), size, nth_member, rng)
}

#[inline(always)]
fn subset<W: Copy + BitXor<Output = W>>(set: W, members: u32, size: u32, nth: fn(W, u32) -> W, rng: &mut Rng) -> W {
    debug_assert!(size <= members);
    // Draw the smaller set: the subset or its complement.
    let (draws, complement) = if 2 * size <= members { (size, false) } else { (members - size, true) };
    let mut rest = set;
    for drawn in 0..draws {
        rest = rest ^ nth(rest, rng.below(members - drawn));
    }
    if complement { rest } else { set ^ rest }
}

/// Iterates over all subsets of `set` with exactly `size` members, in a fixed order.
pub fn subsets(set: u32, size: u32) -> impl Iterator<Item = u32> + Clone {
    subsets_wide(u64::from(set), size).map(|subset| subset as u32)
}

/// [`subsets`] of a set with at most 63 members.
pub fn subsets_wide(set: u64, size: u32) -> impl Iterator<Item = u64> + Clone {
    let members = set.count_ones();
    debug_assert!(members < 64);
    let end = 1 << members;
    // The next subset, packed into the low bits.
    let mut next = (size <= members).then(|| (1_u64 << size) - 1);
    iter::from_fn(move || {
        let packed = next?;
        next = if packed == 0 {
            None
        } else {
            // The next larger word with as many set bits (Gosper, HAKMEM item 175).
            let lowest = packed & packed.wrapping_neg();
            let ripple = packed + lowest;
            let larger = ripple | (((packed ^ ripple) >> 2) / lowest);
            (larger < end).then_some(larger)
        };
        Some(deposit(packed, set))
    })
}

/// The number of `k`-element subsets of an `n`-element set; exact for `n <= 60`.
pub fn binomial(n: u32, k: u32) -> u64 {
    debug_assert!(n <= 60);
    if k > n {
        return 0;
    }
    let k = k.min(n - k);
    (0..u64::from(k)).fold(1, |product, i| product * (u64::from(n) - i) / (i + 1))
}

/// Iterates over the positions of the set bits of a word, lowest first.
pub fn members(mut word: u32) -> impl Iterator<Item = u8> + Clone {
    iter::from_fn(move || {
        (word != 0).then(|| {
            let position = word.trailing_zeros() as u8;
            word &= word - 1;
            position
        })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::{any, proptest};

    use super::{
        BYTES, binomial, deposit, deposit_portable, members, nth_bit, nth_bit_wide, nth_byte_portable,
        nth_member_portable, nth_of_few, nth_of_few_portable, random_subset, subsets,
    };
    use crate::rng::Rng;

    proptest! {
        #[test]
        fn the_instruction_and_its_portable_twin_agree(source in any::<u64>(), mask in any::<u64>()) {
            assert_eq!(deposit(source, mask), deposit_portable(source, mask));
        }

        #[test]
        fn the_nth_bit_has_n_bits_below(word in any::<u128>()) {
            for rank in 0..word.count_ones() {
                let position = nth_bit_wide(word, rank);
                assert_eq!(word >> position & 1, 1);
                assert_eq!((word & ((1 << position) - 1)).count_ones(), rank);
            }
            let low = word as u64;
            for rank in 0..low.count_ones() {
                assert_eq!(nth_bit(low, rank), nth_bit_wide(u128::from(low), rank));
                assert_eq!(1 << nth_bit(low, rank), nth_member_portable(low, rank));
            }
            let few = word as u32;
            for rank in 0..few.count_ones() {
                assert_eq!(u64::from(nth_of_few(few, rank)), 1 << nth_bit(low, rank));
                assert_eq!(nth_of_few(few, rank), nth_of_few_portable(few, rank));
            }
            let bytes = low & BYTES;
            for rank in 0..bytes.count_ones() {
                assert_eq!(nth_byte_portable(bytes, rank), 1 << nth_bit(bytes, rank));
            }
        }

        #[test]
        fn subsets_are_all_there_once(set in 0_u32..1 << 14, size in 0_u32..15) {
            let all: Vec<u32> = subsets(set, size).collect();
            assert_eq!(all.len() as u64, binomial(set.count_ones(), size));
            let distinct: std::collections::HashSet<u32> = all.iter().copied().collect();
            assert_eq!(distinct.len(), all.len());
            assert!(all.iter().all(|s| s & !set == 0 && s.count_ones() == size));
        }
    }

    #[test]
    fn random_subsets_are_uniform() {
        // Seven members have 21 subsets of size 2 and of size 5 (drawn as a complement): 20 degrees of freedom,
        // quantile at 1e-6.
        let set = 0b101_1101_0011;
        assert_eq!(members(set).count(), 7);
        let mut rng = Rng::stream(0, "subset", 0);
        for size in [2, 5] {
            let mut counts: HashMap<u32, f64> = HashMap::new();
            for _ in 0..210_000 {
                *counts.entry(random_subset(set, size, &mut rng)).or_default() += 1.0;
            }
            assert_eq!(counts.len(), 21);
            let chi: f64 = counts.values().map(|c| (c - 1e4) * (c - 1e4) / 1e4).sum();
            assert!(chi < 63.6, "size {size}: chi-square {chi}");
        }
    }
}
