//! Everything that has been asked about positions of a Python game, so that Python is asked once.
//!
//! A node is a Python object with the answers about it. Equal objects have one node. A map from paths finds the node of
//! a position. Both forget: what was not used for a while is asked again when it is needed.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, Weak};
use std::{hash::Hash, mem};

use pyo3::prelude::*;
use rustc_hash::FxHashMap;
use stier_core::{Action, Actions256, BySeat, Outcome, Turn};

use super::encode::Code;
use super::position::Path;
use crate::run::locked;

/// The view of an observer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Seen {
    pub(super) code: Code,
    /// The game's own features, in words of 64 bits.
    pub(super) features: Box<[u64]>,
}

/// A state of the game in Python, and what Python said about it.
pub(super) struct Node {
    pub(super) object: Py<PyAny>,
    /// A number that no other object has. None in games whose states are histories.
    pub(super) identity: Option<u64>,
    pub(super) turn: Turn,
    pub(super) legal: Actions256,
    pub(super) chance: Vec<Outcome>,
    pub(super) returns: BySeat<f64>,
    /// By seat, and last what everybody sees.
    pub(super) seen: Box<[OnceLock<Seen>]>,
    /// The nodes after events that have been tried.
    children: Mutex<Vec<(Action, Weak<Node>)>>,
}

impl Node {
    /// A new node of an object.
    pub(super) fn new(
        object: Py<PyAny>,
        identity: Option<u64>,
        seats: usize,
        turn: Turn,
        (legal, chance, returns): (Actions256, Vec<Outcome>, BySeat<f64>),
    ) -> Self {
        let seen = (0..=seats).map(|_| OnceLock::new()).collect();
        Self { object, identity, turn, legal, chance, returns, seen, children: Mutex::default() }
    }

    /// The node after an event, if it is known.
    pub(super) fn child(&self, event: Action) -> Option<Arc<Self>> {
        let children = locked(&self.children);
        children.iter().find(|(own, _)| *own == event).and_then(|(_, child)| child.upgrade())
    }

    /// Notes the node after an event.
    pub(super) fn note_child(&self, event: Action, child: &Arc<Self>) {
        let mut children = locked(&self.children);
        children.retain(|(own, _)| *own != event);
        children.push((event, Arc::downgrade(child)));
    }
}

/// A map that forgets: it keeps what was put in or found lately.
pub(super) struct Recent<K, V> {
    /// The young entries and the old ones.
    kept: RwLock<(FxHashMap<K, V>, FxHashMap<K, V>)>,
    /// The number of young entries.
    most: usize,
}

impl<K: Hash + Eq + Copy, V: Clone> Recent<K, V> {
    fn new(most: usize) -> Self {
        Self { kept: RwLock::default(), most }
    }

    /// The value of a key, if it is kept.
    pub(super) fn get(&self, key: K) -> Option<V> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(young) = kept.0.get(&key) {
            return Some(young.clone());
        }
        let old = kept.1.get(&key).cloned();
        drop(kept);
        old.inspect(|value| self.insert(key, value.clone()))
    }

    /// Keeps a value.
    pub(super) fn insert(&self, key: K, value: V) {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let (young, old) = &mut *kept;
        let forgotten = (young.len() >= self.most).then(|| mem::replace(old, mem::take(young)));
        let replaced = young.insert(key, value);
        // Python may run while objects are dropped, so nothing may be locked any more.
        drop(kept);
        drop((forgotten, replaced));
    }
}

/// The part of a game that is kept.
pub(super) struct Nodes {
    /// The nodes at the ends of paths.
    pub(super) by_path: Recent<Path, Arc<Node>>,
    /// The nodes of objects with a hash.
    pub(super) by_hash: Recent<i64, Vec<Arc<Node>>>,
    /// The words for a digest, by observer.
    pub(super) words: Recent<(usize, u64), Arc<str>>,
    /// The digests that features belong to, by observer.
    pub(super) digests: Recent<(usize, u64), u64>,
}

impl Nodes {
    /// Keeps at most so many nodes, and half of them at least.
    pub(super) fn new(most: usize) -> Self {
        let most = (most / 2).max(64);
        let (by_path, by_hash) = (Recent::new(most), Recent::new(most));
        Self { by_path, by_hash, words: Recent::new(most), digests: Recent::new(most) }
    }
}
