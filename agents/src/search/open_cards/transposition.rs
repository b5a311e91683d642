//! Transposition tables: the results for positions by their hashes.

use std::hash::Hasher;

use stier_core::key::mix;

/// The number of slots of a transposition table.
const SLOTS: usize = 1 << 16;
/// The depth of exact values.
pub(super) const CERTAIN: u32 = u32::MAX;
/// The result for a position.
#[derive(Clone, Debug)]
pub(super) struct Entry<T> {
    generation: u32,
    pub(super) depth: u32,
    key: u64,
    pub(super) result: T,
}

/// A transposition table, which takes memory once it is used.
#[derive(Clone, Debug)]
pub(super) struct Transpositions<T> {
    slots: Vec<Option<Entry<T>>>,
    /// The current generation. Entries of earlier generations are forgotten.
    generation: u32,
}

impl<T: Clone> Transpositions<T> {
    pub(super) fn clear(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.clear();
        }
    }

    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<&Entry<T>> {
        let entry = self.slots.get(key as usize % SLOTS)?.as_ref();
        entry.filter(|entry| entry.key == key && entry.generation == self.generation)
    }

    #[inline]
    pub(super) fn put(&mut self, key: u64, depth: u32, result: T) {
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, None);
        }
        self.slots[key as usize % SLOTS] = Some(Entry { generation: self.generation, depth, key, result });
    }
}

impl<T> Default for Transpositions<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), generation: 0 }
    }
}

/// A hasher that packs its input into words of 64 bits and mixes them.
#[derive(Default)]
pub(super) struct Words {
    key: u64,
    word: u64,
    bits: u32,
}

impl Words {
    #[inline(always)]
    fn add(&mut self, value: u64, bits: u32) {
        if self.bits + bits > 64 {
            self.key = mix(self.key, self.word);
            (self.word, self.bits) = (0, 0);
        }
        self.word |= value << self.bits;
        self.bits += bits;
    }
}

impl Hasher for Words {
    fn finish(&self) -> u64 {
        mix(mix(self.key, self.word), u64::from(self.bits))
    }

    #[inline(always)]
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word), 8 * chunk.len() as u32);
        }
    }

    /// Lengths and variant numbers are small.
    #[inline(always)]
    fn write_usize(&mut self, value: usize) {
        self.add(value as u64 & 0xffff, 16);
    }

    #[inline(always)]
    fn write_isize(&mut self, value: isize) {
        self.write_usize(value as usize);
    }
}
