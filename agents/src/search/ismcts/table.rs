//! A map from keys to nodes: a hash table with open addressing.

/// Marks the absence of a node.
pub(super) const NONE: u32 = u32::MAX;

/// One slot of the table; in use if its generation is the table's current one.
#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    node: u32,
    generation: u32,
}

const FREE: Slot = Slot { key: 0, node: NONE, generation: 0 };
/// The number of slots of a new table.
const MIN_SLOTS: usize = 64;

/// Nodes by key. Keys are already spread evenly ([`mix`](stier_core::key::mix)), so their low bits give the first
/// slot to probe, and the following slots are probed in turn. At least half of the slots are free. Clearing takes
/// constant time.
#[derive(Clone, Debug)]
pub(super) struct Table {
    slots: Vec<Slot>,
    generation: u32,
    len: usize,
}

impl Table {
    /// An empty table.
    pub(super) fn new() -> Self {
        Self { slots: vec![FREE; MIN_SLOTS], generation: 1, len: 0 }
    }

    /// The memory in bytes.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
    }

    /// Forgets all keys, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.len = 0;
        self.generation = self.generation.wrapping_add(1);
        if self.generation == FREE.generation {
            self.slots.fill(FREE);
            self.generation = 1;
        }
    }

    /// The node of a key, or [`NONE`].
    #[inline]
    pub(super) fn get(&self, key: u64) -> u32 {
        let mask = self.slots.len() - 1;
        let mut at = key as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.generation != self.generation {
                return NONE;
            }
            if slot.key == key {
                return slot.node;
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a key that is not there yet.
    pub(super) fn insert(&mut self, key: u64, node: u32) {
        debug_assert_eq!(self.get(key), NONE);
        if 2 * (self.len + 1) > self.slots.len() {
            let slots = vec![FREE; 2 * self.slots.len()];
            let old = std::mem::replace(&mut self.slots, slots);
            for slot in old {
                if slot.generation == self.generation {
                    self.place(slot.key, slot.node);
                }
            }
        }
        self.place(key, node);
        self.len += 1;
    }

    fn place(&mut self, key: u64, node: u32) {
        let mask = self.slots.len() - 1;
        let mut at = key as usize & mask;
        while self.slots[at].generation == self.generation {
            at = (at + 1) & mask;
        }
        self.slots[at] = Slot { key, node, generation: self.generation };
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use stier_core::Rng;

    use super::{NONE, Table};

    #[test]
    fn tables_agree_with_the_standard_map() {
        let mut rng = Rng::stream(1, "table", 0);
        let mut table = Table::new();
        for round in 0..4 {
            let mut map: HashMap<u64, u32> = HashMap::new();
            for node in 0..20_000 {
                // Half of the keys are close together, so that runs form and wrap around the end.
                let key = if rng.below(2) == 0 { rng.bits() } else { u64::from(rng.below(60_000)).wrapping_neg() };
                let known = *map.entry(key).or_insert(node);
                assert_eq!(table.get(key), if known == node { NONE } else { known }, "round {round}");
                if known == node {
                    table.insert(key, node);
                }
            }
            assert!(map.iter().all(|(&key, &node)| table.get(key) == node));
            table.clear();
            assert!(map.keys().all(|&key| table.get(key) == NONE));
        }
    }

    #[test]
    fn generations_may_wrap_around() {
        let mut table = Table::new();
        table.insert(7, 1);
        table.generation = u32::MAX;
        table.insert(8, 2);
        table.clear();
        assert_eq!((table.get(7), table.get(8)), (NONE, NONE));
        table.insert(7, 3);
        assert_eq!(table.get(7), 3);
    }
}
