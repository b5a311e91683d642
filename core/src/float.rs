//! Functions of real numbers that give the same bits on every platform.
//!
//! The standard library uses the platform's mathematics library, whose last bits differ between platforms. Everything
//! that affects a decision or a return uses the functions here instead; the lint `disallowed_methods` enforces this.
//! Square roots and fused multiply-adds are exact everywhere and may be used directly.

pub use libm::{exp, expf, log, logf};

/// Raises a number to a non-negative integer power by repeated squaring.
#[inline(always)]
pub fn power(mut base: f32, mut exponent: u32) -> f32 {
    let mut result = 1.0;
    loop {
        if exponent & 1 == 1 {
            result *= base;
        }
        exponent >>= 1;
        if exponent == 0 {
            return result;
        }
        base *= base;
    }
}

#[cfg(test)]
mod tests {
    use super::{exp, expf, log, logf, power};

    #[test]
    fn powers_are_products() {
        for base in [0.0, 0.3, 1.0, -1.5_f32] {
            let mut exact = 1.0;
            for exponent in 0..40 {
                let found = f64::from(power(base, exponent));
                assert!((found - exact).abs() <= 1e-5 * f64::abs(exact), "{base} to the power of {exponent}: {found}");
                exact *= f64::from(base);
            }
        }
    }

    #[test]
    fn bits_do_not_depend_on_the_platform() {
        let doubles =
            [0.1, 0.7, 1.3, 2.5, 17.0, 300.25].map(|x| [exp(x).to_bits(), exp(-x).to_bits(), log(x).to_bits()]);
        let singles =
            [0.1, 0.7, 1.3, 2.5, 17.0, 80.25].map(|x| [expf(x).to_bits(), expf(-x).to_bits(), logf(x).to_bits()]);
        let checksum = |bits: &mut dyn Iterator<Item = u64>| {
            bits.fold(0xcbf2_9ce4_8422_2325_u64, |hash, bits| (hash ^ bits).wrapping_mul(0x0000_0100_0000_01b3))
        };
        let found =
            [checksum(&mut doubles.into_iter().flatten()), checksum(&mut singles.into_iter().flatten().map(u64::from))];
        assert_eq!(found, [0x2cc4_be00_35b7_b355, 0xbb0e_443e_1fe3_fcfa], "{found:#x?}");
    }
}
