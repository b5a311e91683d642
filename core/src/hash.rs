//! Hashes that are the same in every run.

use std::hash::{DefaultHasher, Hash, Hasher as _};

/// The FNV-1a hash of bytes. It is part of file formats and of random streams.
pub fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let add = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, add)
}

/// The hash of a value. Another version of the standard library may compute another, so it must not be kept in files.
pub fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
