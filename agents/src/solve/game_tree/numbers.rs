//! Numbers that the tasks of a pass share.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Tree;

/// A number that several tasks may see.
#[derive(Debug, Default)]
pub(crate) struct Number(AtomicU64);

impl Number {
    #[inline(always)]
    pub(crate) fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    #[inline(always)]
    pub(crate) fn set(&self, value: f64) {
        self.0.store(value.to_bits(), Ordering::Relaxed);
    }
}

impl Clone for Number {
    fn clone(&self) -> Self {
        Self(AtomicU64::new(self.0.load(Ordering::Relaxed)))
    }
}

/// Numbers that several tasks may see.
#[derive(Clone, Debug)]
pub(crate) struct Numbers(pub(super) Vec<Number>);

impl Numbers {
    pub(crate) fn new(count: usize) -> Self {
        Self(vec![Number::default(); count])
    }

    #[inline(always)]
    pub(crate) fn get(&self, place: usize) -> f64 {
        self.0[place].get()
    }

    #[inline(always)]
    pub(crate) fn of(&self, places: Range<usize>) -> &[Number] {
        &self.0[places]
    }
}

/// A number for each node of a tree, but for ends after closing actions.
#[derive(Clone, Debug)]
pub struct NodeNumbers(pub(super) Numbers);

impl NodeNumbers {
    /// Creates a 0 for each node.
    pub fn new(tree: &Tree) -> Self {
        Self(Numbers::new(tree.layout.len()))
    }

    /// The number of the root.
    pub fn root(&self, tree: &Tree) -> f64 {
        self.0.get(tree.layout.root as usize)
    }

    /// The numbers of a set's nodes, ascending.
    pub fn of_set(&self, tree: &Tree, set: u32) -> impl Iterator<Item = f64> {
        self.0.0[tree.member_range(set)].iter().map(Number::get)
    }
}
