//! Hashes that are the same in every run.

use std::hash::{DefaultHasher, Hash, Hasher as _};

/// The FNV-1a hash of bytes. It is part of file formats and of random streams.
pub fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let mut hash = Fnv1a::default();
    bytes.into_iter().for_each(|byte| hash.add(&[byte]));
    hash.value()
}

/// The same hash of bytes that come one after another. Another byte in one place always gives another hash.
#[derive(Clone, Copy, Debug)]
pub struct Fnv1a(u64);

impl Default for Fnv1a {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv1a {
    /// Adds bytes.
    #[inline]
    pub fn add(&mut self, bytes: &[u8]) {
        let add = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 = bytes.iter().fold(self.0, add);
    }

    /// The hash of the bytes so far.
    #[inline]
    pub fn value(self) -> u64 {
        self.0
    }
}

/// The hash of a value. Another version of the standard library may compute another, so it must not be kept in files.
pub fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
