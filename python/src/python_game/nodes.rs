//! Everything that has been asked about positions of a Python game, so that Python is asked once.
//!
//! A node is a Python object with the answers about it. Equal objects have one node. A map from paths finds the node of a
//! position. Both forget: what was not used for a while is asked again when it is needed.

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
    /// A number that no other object has; 0 in games whose states are histories.
    pub(super) identity: u64,
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
        identity: u64,
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
struct Recent<K, V> {
    young: FxHashMap<K, V>,
    old: FxHashMap<K, V>,
}

impl<K: Hash + Eq + Copy, V: Clone> Recent<K, V> {
    fn new() -> Self {
        Self { young: FxHashMap::default(), old: FxHashMap::default() }
    }

    fn get(&mut self, key: K) -> Option<V> {
        if let Some(old) = self.old.remove(&key) {
            self.young.insert(key, old);
        }
        self.young.get(&key).cloned()
    }

    /// Returns what is forgotten once there are `most` young entries, to be dropped when nothing is locked any more:
    /// Python may run meanwhile.
    #[must_use]
    fn insert(&mut self, key: K, value: V, most: usize) -> Option<FxHashMap<K, V>> {
        let is_full = self.young.len() >= most;
        let forgotten = is_full.then(|| mem::replace(&mut self.old, mem::take(&mut self.young)));
        self.young.insert(key, value);
        forgotten
    }
}

/// The nodes of a game.
pub(super) struct Nodes {
    by_path: RwLock<Recent<Path, Arc<Node>>>,
    by_hash: Mutex<Recent<i64, Vec<Arc<Node>>>>,
    /// The words for a digest, by observer.
    words: Mutex<Recent<(usize, u64), Arc<str>>>,
    /// The digests that features belong to, by observer.
    digests: Mutex<Recent<(usize, u64), u64>>,
    /// The number of young entries of each.
    most: usize,
}

impl Nodes {
    /// Keeps at most so many nodes, and half of them at least.
    pub(super) fn new(most: usize) -> Self {
        Self {
            by_path: RwLock::new(Recent::new()),
            by_hash: Mutex::new(Recent::new()),
            words: Mutex::new(Recent::new()),
            digests: Mutex::new(Recent::new()),
            most: (most / 2).max(64),
        }
    }

    /// The node at the end of a path, if it is kept.
    pub(super) fn at(&self, path: &Path) -> Option<Arc<Node>> {
        let kept = self.by_path.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(node) = kept.young.get(path) {
            return Some(node.clone());
        }
        let node = kept.old.get(path).cloned();
        drop(kept);
        node.inspect(|node| self.put(*path, node))
    }

    /// Keeps the node at the end of a path.
    pub(super) fn put(&self, path: Path, node: &Arc<Node>) {
        let mut kept = self.by_path.write().unwrap_or_else(PoisonError::into_inner);
        let forgotten = kept.insert(path, node.clone(), self.most);
        drop(kept);
        drop(forgotten);
    }

    /// The nodes of objects with this hash.
    pub(super) fn with_hash(&self, hash: i64) -> Vec<Arc<Node>> {
        locked(&self.by_hash).get(hash).unwrap_or_default()
    }

    /// Keeps a new node of an object with this hash.
    pub(super) fn add(&self, hash: i64, node: &Arc<Node>) {
        let mut kept = locked(&self.by_hash);
        let mut nodes = kept.get(hash).unwrap_or_default();
        nodes.push(node.clone());
        let forgotten = kept.insert(hash, nodes, self.most);
        drop(kept);
        drop(forgotten);
    }

    /// Notes the words for a digest.
    pub(super) fn name(&self, observer: usize, digest: u64, words: Arc<str>) {
        let forgotten = locked(&self.words).insert((observer, digest), words, self.most);
        drop(forgotten);
    }

    /// The words for a digest, if it was seen lately.
    pub(super) fn named(&self, observer: usize, digest: u64) -> Option<Arc<str>> {
        locked(&self.words).get((observer, digest))
    }

    /// Notes that features belong to a digest. Returns the digest to which they belonged before: the same, if they tell all
    /// observations apart.
    pub(super) fn belongs(&self, observer: usize, features: u64, digest: u64) -> u64 {
        let mut kept = locked(&self.digests);
        let before = kept.get((observer, features));
        if before.is_none() {
            drop(kept.insert((observer, features), digest, self.most));
        }
        before.unwrap_or(digest)
    }
}
