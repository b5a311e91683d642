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

    /// Adds the products of inputs up to 127, in groups of four, and weights to sums. For each group there are as many
    /// vectors of weights as of sums, four weights for each sum. Vectors of sums come in multiples of [`PRODUCTS`].
    #[inline(always)]
    fn add_products(self, inputs: &[[u8; 4]], weights: &[Vector<i8, 32>], sums: &mut [Vector<i32, 8>]) {
        for (inputs, weights) in inputs.iter().zip(weights.chunks_exact(sums.len())) {
            for (sums, weights) in sums.iter_mut().zip(weights) {
                for (sum, weights) in sums.0.iter_mut().zip(weights.0.as_chunks::<4>().0) {
                    *sum +=
                        inputs.iter().zip(weights).map(|(&x, &weight)| i32::from(x) * i32::from(weight)).sum::<i32>();
                }
            }
        }
    }
}

/// Numbers for one vector register. The alignment spares the compiler to load and store it in halves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(32))]
pub struct Vector<T, const N: usize>(pub [T; N]);

/// The number of vectors of sums that [`Processor::add_products`] computes at a time.
pub const PRODUCTS: usize = 4;

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

    #[inline(always)]
    fn add_products(self, inputs: &[[u8; 4]], weights: &[Vector<i8, 32>], sums: &mut [Vector<i32, 8>]) {
        use std::arch::x86_64::{
            _mm256_add_epi32, _mm256_load_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi16,
            _mm256_set1_epi32, _mm256_store_si256,
        };

        let all = sums.len();
        for (sums, start) in sums.as_chunks_mut::<PRODUCTS>().0.iter_mut().zip((0..).step_by(PRODUCTS)) {
            // SAFETY: the processor has the instructions, and vectors are as long as registers, and aligned.
            #[allow(unsafe_code)]
            unsafe {
                let mut own = sums.map(|sum| _mm256_load_si256(sum.0.as_ptr().cast()));
                for (&inputs, weights) in inputs.iter().zip(weights.chunks_exact(all)) {
                    let inputs = _mm256_set1_epi32(i32::from_le_bytes(inputs));
                    let weights: &[Vector<i8, 32>; PRODUCTS] = weights[start..].first_chunk().expect("as many as sums");
                    for (sum, weights) in own.iter_mut().zip(weights) {
                        // The sum of two products of an input up to 127 and a weight fits into 16 bits.
                        let pairs = _mm256_maddubs_epi16(inputs, _mm256_load_si256(weights.0.as_ptr().cast()));
                        *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
                    }
                }
                for (sum, own) in sums.iter_mut().zip(own) {
                    _mm256_store_si256(sum.0.as_mut_ptr().cast(), own);
                }
            }
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
