//! Work compiled up to three times: for every processor that the package supports, for modern ones, with wider vectors and
//! instructions for single bits (x86-64-v3: Intel's from 2013, AMD's from 2015), and for those with vectors of 512 bits.
//! Networks in integers also use the products of bytes that newer ones have. Which one runs is decided at run time; results
//! are equal.
//!
//! Inside [`Work`], draw bits by the [`Processor`], which has been asked once; elsewhere by [`bits`](crate::bits), which
//! asks each time.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256i, _mm256_dpbusd_avx_epi32, _mm256_dpbusd_epi32};
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

    /// The way to make rows columns. It is a value, so that work which uses it is compiled once up to the last step.
    #[inline(always)]
    fn transposer(self) -> Transposer {
        Transposer {
            #[cfg(target_arch = "x86_64")]
            is_modern: false,
        }
    }
}

/// Makes the rows of a square its columns.
#[derive(Clone, Copy, Debug)]
pub struct Transposer {
    /// Only a modern processor sets it.
    #[cfg(target_arch = "x86_64")]
    is_modern: bool,
}

impl Transposer {
    /// The columns of a square as its rows.
    #[inline(always)]
    pub fn transpose(self, rows: &Eight) -> Eight {
        #[cfg(target_arch = "x86_64")]
        if self.is_modern {
            // SAFETY: the processor has the instructions.
            #[allow(unsafe_code)]
            return unsafe { transpose(rows) };
        }
        let mut columns = [Vector([0.0; 8]); 8];
        for (number, row) in rows.iter().enumerate() {
            for (column, &value) in columns.iter_mut().zip(&row.0) {
                column.0[number] = value;
            }
        }
        columns
    }
}

/// Rows of a square of 8 times 8 numbers, which [`Transposer`] makes columns.
pub type Eight = [Vector<f32, 8>; 8];

/// Numbers for one vector register. The alignment spares the compiler to load and store it in halves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(32))]
pub struct Vector<T, const N: usize>(pub [T; N]);

/// The number of vectors of sums that [`Processor::add_products`] computes at a time.
pub const PRODUCTS: usize = 4;

/// A piece of work that [`run`] compiles twice, and [`run_wide`] three times.
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

/// Does the work as [`run`] does, or with vectors of 512 bits: for loops over long lists of integers. The first processors
/// with such vectors, those without VNNI, lower their clock for them.
#[inline]
pub fn run_wide<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if is_modern() && is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vnni") {
        // SAFETY: the processor has the instructions.
        #[allow(unsafe_code)]
        return unsafe { run_widest(work) };
    }
    run(work)
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

/// A modern processor. Only [`run_modern`] and [`run_widest`] make one.
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
        let (_, add) = KERNELS.into_iter().find(|(is_there, _)| is_there()).expect("a modern processor has AVX2");
        // SAFETY: the kernel is there.
        #[allow(unsafe_code)]
        unsafe {
            add(inputs, weights, sums);
        }
    }

    #[inline(always)]
    fn transposer(self) -> Transposer {
        Transposer { is_modern: true }
    }
}

/// [`Transposer::transpose`]: interleaves rows, then pairs, then fours.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx")]
#[inline]
fn transpose(rows: &Eight) -> Eight {
    use std::arch::x86_64::{
        __m256, _mm256_load_ps, _mm256_permute2f128_ps, _mm256_shuffle_ps, _mm256_store_ps, _mm256_unpackhi_ps,
        _mm256_unpacklo_ps,
    };

    // SAFETY: vectors are as long as registers, and aligned.
    #[allow(unsafe_code)]
    let load = |row: usize| unsafe { _mm256_load_ps(rows[row].0.as_ptr()) };
    let pairs = |row: usize| {
        let (one, other) = (load(row), load(row + 1));
        [_mm256_unpacklo_ps(one, other), _mm256_unpackhi_ps(one, other)]
    };
    let fours = |row: usize| {
        let ([a, b], [c, d]) = (pairs(row), pairs(row + 2));
        [
            _mm256_shuffle_ps::<0x44>(a, c),
            _mm256_shuffle_ps::<0xee>(a, c),
            _mm256_shuffle_ps::<0x44>(b, d),
            _mm256_shuffle_ps::<0xee>(b, d),
        ]
    };
    let (upper, lower) = (fours(0), fours(4));
    let mut columns = [Vector([0.0; 8]); 8];
    let mut store = |column: usize, values: __m256| {
        // SAFETY: a column is as long as a register, and aligned.
        #[allow(unsafe_code)]
        unsafe {
            _mm256_store_ps(columns[column].0.as_mut_ptr(), values);
        }
    };
    for column in 0..4 {
        store(column, _mm256_permute2f128_ps::<0x20>(upper[column], lower[column]));
        store(column + 4, _mm256_permute2f128_ps::<0x31>(upper[column], lower[column]));
    }
    columns
}

/// [`Processor::add_products`] for processors with certain instructions.
#[cfg(target_arch = "x86_64")]
type Kernel = unsafe fn(&[[u8; 4]], &[Vector<i8, 32>], &mut [Vector<i32, 8>]);

/// The loops of [`Processor::add_products`]: `add` adds the products of 32 inputs and weights to 8 sums.
///
/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn add_each(
    inputs: &[[u8; 4]],
    weights: &[Vector<i8, 32>],
    sums: &mut [Vector<i32, 8>],
    add: impl Fn(__m256i, __m256i, __m256i) -> __m256i,
) {
    use std::arch::x86_64::{
        _mm256_add_epi32, _mm256_load_si256, _mm256_set1_epi32, _mm256_setzero_si256, _mm256_store_si256,
    };

    let all = sums.len();
    for (sums, start) in sums.as_chunks_mut::<PRODUCTS>().0.iter_mut().zip((0..).step_by(PRODUCTS)) {
        // SAFETY: the caller knows the processor, and vectors are as long as registers, and aligned.
        unsafe {
            // Two registers for each vector of sums: the next product need not wait for the last one.
            let mut even = sums.map(|sum| _mm256_load_si256(sum.0.as_ptr().cast()));
            let mut odd = [_mm256_setzero_si256(); PRODUCTS];
            let add_group = |sums: &mut [__m256i; PRODUCTS], inputs: [u8; 4], weights: &[Vector<i8, 32>]| {
                let inputs = _mm256_set1_epi32(i32::from_le_bytes(inputs));
                let weights: &[Vector<i8, 32>; PRODUCTS] = weights[start..].first_chunk().expect("as many as sums");
                for (sum, weights) in sums.iter_mut().zip(weights) {
                    *sum = add(*sum, inputs, _mm256_load_si256(weights.0.as_ptr().cast()));
                }
            };
            let (pairs, last) = inputs.as_chunks::<2>();
            let mut rows = weights.chunks_exact(2 * all);
            for (&[first, second], weights) in pairs.iter().zip(&mut rows) {
                add_group(&mut even, first, &weights[..all]);
                add_group(&mut odd, second, &weights[all..]);
            }
            if let Some(&last) = last.first() {
                add_group(&mut even, last, rows.remainder());
            }
            for ((sum, even), odd) in sums.iter_mut().zip(even).zip(odd) {
                _mm256_store_si256(sum.0.as_mut_ptr().cast(), _mm256_add_epi32(even, odd));
            }
        }
    }
}

/// Defines kernels for processors with these features, and lists them with the functions that ask for the features.
macro_rules! add_products {
    ($($name:ident: $($feature:tt),+ => $add:ident;)+) => {
        $(
        #[cfg(target_arch = "x86_64")]
        $(#[target_feature(enable = $feature)])+
        fn $name(inputs: &[[u8; 4]], weights: &[Vector<i8, 32>], sums: &mut [Vector<i32, 8>]) {
            // SAFETY: the processor has the instructions.
            #[allow(unsafe_code)]
            unsafe {
                add_each(inputs, weights, sums, |sum, inputs, weights| $add(sum, inputs, weights));
            }
        }
        )+

        #[cfg(target_arch = "x86_64")]
        static KERNELS: [(fn() -> bool, Kernel); [$(stringify!($name)),+].len()] =
            [$((|| $(is_x86_feature_detected!($feature))&&+, $name)),+];
    };
}

// The first that a processor has is the fastest. VNNI multiplies and adds bytes in one instruction: Intel's processors from
// 2019, AMD's from 2022.
add_products! {
    add_products_avx512_vnni: "avx2", "avx512vl", "avx512vnni" => _mm256_dpbusd_epi32;
    add_products_avx_vnni: "avx2", "avxvnni" => _mm256_dpbusd_avx_epi32;
    add_products_avx2: "avx2" => add_pairs;
}

/// The same as VNNI, for inputs up to 127: the sum of two products fits into 16 bits.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn add_pairs(sums: __m256i, inputs: __m256i, weights: __m256i) -> __m256i {
    use std::arch::x86_64::{_mm256_add_epi32, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi16};

    let pairs = _mm256_maddubs_epi16(inputs, weights);
    _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
}

/// Defines the functions that use these features, and those that ask for them, so that they cannot differ.
macro_rules! modern {
    ($($feature:tt),+) => {
        #[cfg(target_arch = "x86_64")]
        $(#[target_feature(enable = $feature)])+
        fn run_modern<W: Work>(work: W) -> W::Output {
            work.work(Modern(()))
        }

        #[cfg(target_arch = "x86_64")]
        $(#[target_feature(enable = $feature)])+
        #[target_feature(enable = "avx512bw")]
        fn run_widest<W: Work>(work: W) -> W::Output {
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

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use proptest::prelude::*;

    use super::{Any, Eight, KERNELS, PRODUCTS, Processor, Vector, Work, run};

    struct Transpose<'a>(&'a Eight);

    impl Work for Transpose<'_> {
        type Output = Eight;

        fn work<P: Processor>(self, processor: P) -> Self::Output {
            processor.transposer().transpose(self.0)
        }
    }

    #[test]
    fn rows_become_columns_on_every_processor() {
        let rows = std::array::from_fn(|row| Vector(std::array::from_fn(|column| (8 * row + column) as f32)));
        let columns = std::array::from_fn(|row| Vector(std::array::from_fn(|column| (8 * column + row) as f32)));
        assert_eq!(run(Transpose(&rows)), columns);
        assert_eq!(Any.transposer().transpose(&rows), columns);
    }

    proptest! {
        #[test]
        fn products_are_equal_on_every_processor(
            inputs in prop::collection::vec(prop::array::uniform4(0_u8..128), 0..9),
            numbers in prop::collection::vec(any::<i8>(), 9 * 2 * PRODUCTS * 32),
        ) {
            let vectors = numbers.as_chunks().0.iter().map(|&chunk| Vector(chunk));
            let weights: Vec<Vector<i8, 32>> = vectors.take(inputs.len() * 2 * PRODUCTS).collect();
            let mut expected = [Vector([7; 8]); 2 * PRODUCTS];
            Any.add_products(&inputs, &weights, &mut expected);
            for (_, add) in KERNELS.into_iter().filter(|(is_there, _)| is_there()) {
                let mut sums = [Vector([7; 8]); 2 * PRODUCTS];
                // SAFETY: the processor has the instructions.
                #[allow(unsafe_code)]
                unsafe { add(&inputs, &weights, &mut sums) };
                prop_assert_eq!(sums, expected);
            }
        }
    }
}
