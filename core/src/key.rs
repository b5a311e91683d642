//! Hash keys that identify what a seat knows.

/// Adds a value to a key. Two different sequences of values have the same key only by accident, in about one of 2^64
/// pairs.
#[inline(always)]
pub const fn mix(key: u64, value: u64) -> u64 {
    let spread = key.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let product = (spread ^ spread >> 32 ^ value).wrapping_mul(0xd6e8_feb8_6659_fd93);
    product ^ product >> 32
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::mix;

    #[test]
    fn short_sequences_have_distinct_keys() {
        assert_ne!(mix(5, 2), mix(4, 3));
        let mut keys = HashSet::from([0]);
        let mut ends = vec![0];
        for _ in 0..3 {
            ends = ends.iter().flat_map(|&key| (0..60).map(move |value| mix(key, value))).collect();
            for &key in &ends {
                assert!(keys.insert(key), "two sequences have the key {key}");
            }
        }
        // Tables are indexed with the low bits alone, so these must be spread evenly.
        let low: HashSet<u64> = ends.iter().map(|key| key & 0xf_ffff).collect();
        let expected = 1_048_576.0 * (1.0 - (-216_000.0_f64 / 1_048_576.0).exp());
        assert!((low.len() as f64 - expected).abs() < 0.01 * expected, "{} of {expected}", low.len());
    }
}
