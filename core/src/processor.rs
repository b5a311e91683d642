//! Hot loops compiled twice: for every processor that the package supports, and for those with wider vectors and
//! instructions for single bits (x86-64-v3: Intel's from 2013, AMD's from 2015). Which one runs is decided at run time;
//! results are equal.

#[cfg(target_arch = "x86_64")]
use std::sync::atomic::{AtomicBool, Ordering};

/// True if the processor is known to be modern; false until it has been asked.
#[cfg(target_arch = "x86_64")]
static IS_MODERN: AtomicBool = AtomicBool::new(false);

/// Returns true if the processor has the instructions that [`for_each_processor!`] may use.
#[cfg(target_arch = "x86_64")]
#[doc(hidden)]
#[inline(always)]
pub fn is_modern() -> bool {
    IS_MODERN.load(Ordering::Relaxed) || ask()
}

/// Asks the processor for every feature that is enabled below. On an old one this is asked again at every call.
#[cfg(target_arch = "x86_64")]
#[cold]
#[inline(never)]
fn ask() -> bool {
    let modern = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("lzcnt");
    IS_MODERN.store(modern, Ordering::Relaxed);
    modern
}

/// A piece of work that [`run`] compiles twice.
pub trait Work {
    /// The result.
    type Output;

    /// Works. To be compiled twice it must be `#[inline(always)]`, as must be what it calls.
    fn work(self) -> Self::Output;
}

/// Works with the instructions that this processor has.
#[inline]
pub fn run<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,bmi1,bmi2,fma,lzcnt")]
        fn modern<W: Work>(work: W) -> W::Output {
            work.work()
        }

        if is_modern() {
            // SAFETY: the processor has these instructions.
            #[allow(unsafe_code)]
            return unsafe { modern(work) };
        }
    }
    work.work()
}

/// Compiles a function for old and for modern processors and calls the right one. What the function calls is compiled
/// twice only where it is inlined. Inside, `deposit` is [`bits::deposit`](crate::bits::deposit) for that processor.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_processor {
    (
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident $(<$(const $constant:ident: $kind:ty),+>)?
        ($($argument:ident: $type:ty),+ $(,)?) $(-> $result:ty)? $body:block
    ) => {
        $(#[$attribute])*
        $visibility fn $name $(<$(const $constant: $kind),+>)? ($($argument: $type),+) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,bmi2,fma,lzcnt")]
            fn modern $(<$(const $constant: $kind),+>)? ($($argument: $type),+) $(-> $result)? {
                #[allow(unused_imports)]
                use ::std::arch::x86_64::_pdep_u64 as deposit;
                $body
            }

            #[cfg(target_arch = "x86_64")]
            if $crate::processor::is_modern() {
                // SAFETY: the processor has these instructions.
                #[allow(unsafe_code)]
                return unsafe { modern $(::<$($constant),+>)? ($($argument),+) };
            }
            #[allow(unused_imports)]
            use $crate::bits::deposit_portable as deposit;
            $body
        }
    };
}
