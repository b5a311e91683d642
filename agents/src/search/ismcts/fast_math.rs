//! Approximate functions for selection rules. Unlike those of [`float`](stier_core::float), they have no branches, so that
//! they run for all lanes of a block at once. Their results are the same on every platform.

use std::f32::consts::{LN_2, LOG2_E};

/// The natural logarithm of a count from 1 to 2^31 - 1, to within 2e-4: exponent plus a polynomial in the mantissa
/// (through the logarithm at the Chebyshev nodes of 1..2). Never negative.
#[inline(always)]
pub(super) fn ln(count: u32) -> f32 {
    let bits = (count as i32 as f32).to_bits();
    let exponent = ((bits >> 23) as i32 - 127) as f32;
    let m = f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000);
    let mantissa = -1.731_726_4 + (2.792_836_4 + (-1.440_592_2 + (0.433_932_45 - 0.054_370_93 * m) * m) * m) * m;
    exponent * LN_2 + mantissa
}

/// The exponential of a number that is not positive, to within a part in 10^4; 2^-125 instead of anything less.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    let power = (x * LOG2_E).max(-125.0);
    let whole = power as i32 - 1;
    // Between 0 and 2^1, both included: Taylor's polynomial about 1/2 of the power's fraction.
    let f = (power - whole as f32 - 0.5) * LN_2;
    let fraction = 1.0 + f * (1.0 + f * (0.5 + f * (1.0 / 6.0 + f * (1.0 / 24.0 + f * (1.0 / 120.0)))));
    std::f32::consts::SQRT_2 * fraction * f32::from_bits(((whole + 127) as u32) << 23)
}
