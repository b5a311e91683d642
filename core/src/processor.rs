//! Work compiled twice: for every processor that the package supports, and for modern ones, with wider vectors and
//! instructions for single bits (x86-64-v3: Intel's from 2013, AMD's from 2015). Which one runs is decided at run time;
//! results are equal.
//!
//! Inside [`Work`], draw bits by the [`Processor`], which has been asked once; elsewhere by [`bits`](crate::bits), which
//! asks each time.

#[cfg(target_arch = "x86_64")]
use std::sync::atomic::{AtomicU8, Ordering};

use crate::word::{self, Cumulated, Word};

/// Instructions of a kind of processor. A value exists only where the processor has them.
pub trait Processor: Copy {
    /// Spreads the low bits of `source` over the set bits of `mask`, lowest first.
    fn deposit(self, source: u64, mask: u64) -> u64;

    /// The set bit of `word` that has exactly `rank` set bits below it, alone; `rank < word.size()`.
    #[inline(always)]
    fn nth_member<W: Word>(self, word: W, rank: u32) -> W {
        debug_assert!(rank < word.size());
        W::of(self.deposit(1 << rank, word.bits()))
    }

    /// The same as [`nth_member`](Self::nth_member), for a word with no other bits than the lowest of each byte.
    #[inline(always)]
    fn nth_byte(self, word: u64, rank: u32) -> u64 {
        self.nth_member(word, rank)
    }

    /// The position of the set bit of `word` that has exactly `rank` set bits below it; `rank < word.size()`.
    #[inline(always)]
    fn nth_bit<W: Word>(self, word: W, rank: u32) -> u32 {
        self.nth_member(word, rank).first()
    }
}

/// A piece of work that [`run`] compiles twice.
pub trait Work {
    /// The result.
    type Output;

    /// Does the work. What is not inlined into it is compiled for old processors only, so it must be `#[inline(always)]`
    /// itself.
    fn work<P: Processor>(self, processor: P) -> Self::Output;
}

/// Does the work with the instructions that this processor has.
#[inline]
pub fn run<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if is_modern() {
        // SAFETY: the processor has the instructions.
        #[allow(unsafe_code)]
        return unsafe { run_modern(work) };
    }
    work.work(Any)
}

/// Any processor: for work that is compiled once.
#[derive(Clone, Copy, Debug)]
pub struct Any;

impl Processor for Any {
    #[inline(always)]
    fn deposit(self, source: u64, mask: u64) -> u64 {
        word::deposit_portable(source, mask)
    }

    #[inline(always)]
    fn nth_member<W: Word>(self, word: W, rank: u32) -> W {
        word::nth_member_portable(word, rank)
    }

    #[inline(always)]
    fn nth_byte(self, word: u64, rank: u32) -> u64 {
        1 << Cumulated::<u64>::new(word).place_of(rank)
    }
}

/// A modern processor. Only [`run_modern`] makes one.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Modern(());

#[cfg(target_arch = "x86_64")]
impl Processor for Modern {
    #[inline(always)]
    fn deposit(self, source: u64, mask: u64) -> u64 {
        // SAFETY: the processor has the instruction.
        #[allow(unsafe_code)]
        unsafe {
            std::arch::x86_64::_pdep_u64(source, mask)
        }
    }
}

/// Defines the function that uses these features, and those that ask for them, so that they cannot differ.
macro_rules! modern {
    ($($feature:tt),+) => {
        #[cfg(target_arch = "x86_64")]
        $(#[target_feature(enable = $feature)])+
        fn run_modern<W: Work>(work: W) -> W::Output {
            work.work(Modern(()))
        }

        /// Returns true if the processor has these features. Where everything is compiled for them, nothing is asked.
        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        pub(crate) fn is_modern() -> bool {
            if cfg!(all($(target_feature = $feature),+)) {
                return true;
            }
            match KIND.load(Ordering::Relaxed) {
                UNKNOWN => ask(),
                kind => kind == MODERN,
            }
        }

        /// Asks the processor.
        #[cfg(target_arch = "x86_64")]
        #[cold]
        #[inline(never)]
        fn ask() -> bool {
            let modern = $(is_x86_feature_detected!($feature))&&+;
            KIND.store(if modern { MODERN } else { OLD }, Ordering::Relaxed);
            modern
        }
    };
}

modern!("avx2", "bmi1", "bmi2", "fma", "lzcnt");

/// The kind of processor, as far as it is known.
#[cfg(target_arch = "x86_64")]
static KIND: AtomicU8 = AtomicU8::new(UNKNOWN);
#[cfg(target_arch = "x86_64")]
const UNKNOWN: u8 = 0;
#[cfg(target_arch = "x86_64")]
const OLD: u8 = 1;
#[cfg(target_arch = "x86_64")]
const MODERN: u8 = 2;
