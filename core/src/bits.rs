//! Machine words as sets: the `k`-th member, random members and subsets, all subsets of a given size.

#[cfg(target_arch = "x86_64")]
use std::arch::asm;
use std::iter;

#[cfg(target_arch = "x86_64")]
use crate::processor::is_modern;
use crate::rng::Rng;
pub use crate::word::{Cumulated, Word, deposit_portable, nth_member_portable};

/// The set bit of `word` that has exactly `rank` set bits below it, alone; `rank < word.size()`.
#[inline(always)]
pub fn nth_member<W: Word>(word: W, rank: u32) -> W {
    debug_assert!(rank < word.size());
    if cfg!(target_arch = "x86_64") { W::of(deposit(1 << rank, word.bits())) } else { nth_member_portable(word, rank) }
}

/// The position of the set bit of `word` that has exactly `rank` set bits below it; `rank < word.size()`.
#[inline(always)]
pub fn nth_bit<W: Word>(word: W, rank: u32) -> u32 {
    nth_member(word, rank).first()
}

/// The position of a set bit of `word`, uniformly drawn; there must be one.
#[inline(always)]
pub fn random_bit<W: Word>(word: W, rng: &mut Rng) -> u32 {
    nth_bit(word, rng.below(word.size()))
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

/// Draws a subset of `size` members of `set`, uniformly; `size <= set.size()`.
#[inline]
pub fn random_subset<W: Word>(set: W, size: u32, rng: &mut Rng) -> W {
    let members = set.size();
    debug_assert!(size <= members);
    // Draw the smaller set: the subset or its complement.
    let (draws, complement) = if 2 * size <= members { (size, false) } else { (members - size, true) };
    let (mut rest, mut counts) = (set, set.counts());
    for drawn in 0..draws {
        let rank = rng.below(members - drawn);
        let is_counted = !cfg!(target_arch = "x86_64");
        rest = rest ^ if is_counted { rest.take(&mut counts, rank) } else { nth_member(rest, rank) };
    }
    if complement { rest } else { set ^ rest }
}

/// Iterates over all subsets of `set` with exactly `size` members, ascending.
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
pub fn members(word: u32) -> Members {
    Members(word)
}

/// See [`members`].
#[derive(Clone, Debug)]
pub struct Members(u32);

impl Iterator for Members {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        if self.0 == 0 {
            return None;
        }
        let position = self.0.trailing_zeros() as u8;
        self.0 &= self.0 - 1;
        Some(position)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::{any, proptest};

    use super::{
        Cumulated, Word as _, binomial, deposit, deposit_portable, members, nth_bit, nth_bit_wide, nth_member,
        nth_member_portable, random_subset, subsets,
    };
    use crate::rng::Rng;

    proptest! {
        #[test]
        fn the_instruction_and_its_portable_twin_agree(source in any::<u64>(), mask in any::<u64>()) {
            assert_eq!(deposit(source, mask), deposit_portable(source, mask));
        }

        #[test]
        fn the_nth_bit_has_n_bits_below(word in any::<u128>(), source in any::<u32>()) {
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
                assert_eq!(u64::from(nth_member(few, rank)), 1 << nth_bit(low, rank));
                assert_eq!(nth_member(few, rank), nth_member_portable(few, rank));
            }
            // Members taken one after the other.
            let (mut rest, mut counts) = (low, low.counts());
            for left in (1..=low.count_ones()).rev() {
                let rank = source % left;
                let member = rest.take(&mut counts, rank);
                assert_eq!(member, 1 << nth_bit(rest, rank));
                rest ^= member;
            }
            let bytes = low & (u64::MAX / 255);
            for rank in 0..bytes.count_ones() {
                assert_eq!(Cumulated::<u64>::new(bytes).place_of(rank), nth_bit(bytes, rank));
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
