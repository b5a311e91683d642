//! Memory limits of searches. While a list or map grows, the old and the new one exist side by side. The limit
//! includes both, so a search never exceeds it.

use std::ops::RangeInclusive;

/// The range of the agents' option `memory_mb`, in mebibytes.
pub(crate) const MEMORY_MB: RangeInclusive<u64> = 1..=1_048_576;

/// The default of `memory_mb`.
pub(crate) const DEFAULT_MEMORY_MB: u64 = 512;

/// The number of bytes that a tree may still take. Once they are used up, the tree stops growing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    /// The number of bytes left.
    pub(crate) left: usize,
}

impl Memory {
    /// Creates the limit of one of `trees` trees that share `memory_mb` mebibytes.
    pub(crate) fn share(memory_mb: u64, trees: u64) -> Self {
        let bytes = memory_mb.saturating_mul(1 << 20) / trees.max(1);
        Self { left: usize::try_from(bytes).unwrap_or(usize::MAX) }
    }

    /// Creates an unlimited budget, for tests of trees.
    #[cfg(test)]
    pub(crate) fn unlimited() -> Self {
        Self { left: usize::MAX }
    }

    /// Takes this many bytes if they are left, and returns true if they were.
    #[inline]
    pub(crate) fn take(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }
}

/// The largest number of bytes per entry of a long list: a list of twice its size has just been allocated beside the
/// full one.
pub(crate) const fn listed<T>() -> usize {
    3 * size_of::<T>()
}

/// The largest number of bytes per entry of a large standard hash map. It has one more byte per slot. Once seven
/// eighths of its slots are taken, a map of twice its size is allocated beside it.
pub(crate) const fn mapped<K, V>() -> usize {
    (size_of::<(K, V)>() + 1) * 24 / 7 + 1
}

/// The number of bytes that another entry of a short list takes; 0 if there is room.
pub(crate) fn growth<T>(list: &Vec<T>) -> usize {
    /// The overhead of an allocation, in bytes.
    const OVERHEAD: usize = 16;
    match list.capacity() {
        0 => 4 * size_of::<T>() + OVERHEAD,
        places if places == list.len() => places * size_of::<T>(),
        _ => 0,
    }
}
