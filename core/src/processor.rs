//! Work compiled twice: for every processor that the package supports, and for modern ones, with wider vectors and
//! instructions for single bits (x86-64-v3: Intel's from 2013, AMD's from 2015). Which one runs is decided at run time;
//! results are equal.

#[cfg(target_arch = "x86_64")]
use std::sync::atomic::{AtomicBool, Ordering};

use crate::bits;

/// A kind of processor. A value is the proof that this is one.
pub trait Processor: Copy {
    /// Spreads the low bits of `source` over the set bits of `mask`, lowest first.
    fn deposit(self, source: u64, mask: u64) -> u64;

    /// The position of the set bit of `word` that has exactly `rank` set bits below it; `rank < word.count_ones()`.
    #[inline(always)]
    fn nth_bit(self, word: u64, rank: u32) -> u32 {
        debug_assert!(rank < word.count_ones());
        self.deposit(1 << rank, word).trailing_zeros()
    }
}

/// A piece of work that [`run`] compiles twice.
pub trait Work {
    /// The result.
    type Output;

    /// Works. To be compiled twice it must be `#[inline(always)]`, as must be what it calls.
    fn work<P: Processor>(self, processor: P) -> Self::Output;
}

/// Works with the instructions that this processor has.
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

/// Any processor.
#[derive(Clone, Copy)]
struct Any;

impl Processor for Any {
    #[inline(always)]
    fn deposit(self, source: u64, mask: u64) -> u64 {
        bits::deposit_portable(source, mask)
    }
}

/// A modern processor.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Modern;

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

/// The function that uses features of modern processors, and the one that asks for the same features.
macro_rules! modern {
    ($($feature:tt),+) => {
        #[cfg(target_arch = "x86_64")]
        $(#[target_feature(enable = $feature)])+
        fn run_modern<W: Work>(work: W) -> W::Output {
            work.work(Modern)
        }

        /// Asks the processor. An old one is asked again every time.
        #[cfg(target_arch = "x86_64")]
        #[cold]
        #[inline(never)]
        fn ask() -> bool {
            let modern = $(is_x86_feature_detected!($feature))&&+;
            IS_MODERN.store(modern, Ordering::Relaxed);
            modern
        }
    };
}

modern!("avx2", "bmi1", "bmi2", "fma", "lzcnt");

/// True if the processor is known to be modern; false until it has been asked.
#[cfg(target_arch = "x86_64")]
static IS_MODERN: AtomicBool = AtomicBool::new(false);

/// Returns true if the processor has the instructions of x86-64-v3.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn is_modern() -> bool {
    IS_MODERN.load(Ordering::Relaxed) || ask()
}
