//! A readable error on processors that cannot run the module.

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;

/// Bits of register ECX that processors of the level x86-64-v2 set in leaf 1 of `cpuid` (System V ABI for x86-64, section
/// 3.1.1): SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2 and POPCNT.
#[cfg(target_arch = "x86_64")]
const NEEDED: u32 = 1 | 1 << 9 | 1 << 13 | 1 << 19 | 1 << 20 | 1 << 23;

/// Raises `ImportError` if the processor lacks instructions for which the module is compiled.
pub(crate) fn check() -> PyResult<()> {
    // Not `is_x86_feature_detected!`, which does not ask for what the compiler was told to assume.
    #[cfg(target_arch = "x86_64")]
    if raw_cpuid() & NEEDED != NEEDED {
        return Err(PyImportError::new_err(
            "this processor is too old for stier, which needs the instructions of x86-64-v2 (Intel since 2008, AMD since 2011)",
        ));
    }
    Ok(())
}

#[cfg(target_arch = "x86_64")]
fn raw_cpuid() -> u32 {
    // SAFETY: every processor for x86-64 has the instruction. (Newer compilers know.)
    #[allow(unsafe_code, unused_unsafe)]
    unsafe {
        std::arch::x86_64::__cpuid(1).ecx
    }
}
