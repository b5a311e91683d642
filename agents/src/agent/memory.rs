//! The memory of a search, and its limit. While a list or a map grows, the old and the new one exist side by side; the limit includes
//! both, so that a search never takes more.

use std::ops::RangeInclusive;

/// The range of the agents' option `memory_mb`, in mebibytes.
pub(crate) const MEMORY_MB: RangeInclusive<u64> = 1..=1_048_576;

/// The default of `memory_mb`.
pub(crate) const DEFAULT_MEMORY_MB: u64 = 512;

/// The bytes that a tree may take besides what it must take. Once they are spent, it grows no more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    left: usize,
}

impl Memory {
    /// For one of so many trees, which share these mebibytes.
    pub(crate) fn share(memory_mb: u64, trees: u64) -> Self {
        let bytes = memory_mb.saturating_mul(1 << 20) / trees.max(1);
        Self { left: usize::try_from(bytes).unwrap_or(usize::MAX) }
    }

    /// No limit, for tests of trees.
    #[cfg(test)]
    pub fn unlimited() -> Self {
        Self { left: usize::MAX }
    }

    /// The bytes that are left.
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// Takes so many bytes, if there are as many; whether there were.
    #[inline]
    pub(crate) fn take(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }
}

/// The most bytes per entry of a long list: a full list of twice its size has just been made beside it.
pub(crate) const fn listed<T>() -> usize {
    3 * size_of::<T>()
}

/// The most bytes per entry of a large standard hash map. It has one more byte per place, and a map of twice its places is made beside
/// it when seven eighths of them are taken.
pub(crate) const fn mapped<K, V>() -> usize {
    (size_of::<(K, V)>() + 1) * 24 / 7 + 1
}

/// The bytes that one more entry takes of a short list: nothing, if there is room.
pub(crate) fn growth<T>(list: &Vec<T>) -> usize {
    /// The overhead of an allocation, in bytes.
    const OVERHEAD: usize = 16;
    match list.capacity() {
        0 => 4 * size_of::<T>() + OVERHEAD,
        places if places == list.len() => places * size_of::<T>(),
        _ => 0,
    }
}
