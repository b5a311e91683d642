//! Everything that has been asked about positions of a Python game, so that Python is asked once.
//!
//! A node is a Python object with the answers about it. Equal objects have one node. A map from paths finds the node of a
//! position. Both forget: what was not used for a while is asked again when it is needed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, Weak};
use std::{hash::Hash, mem};

use pyo3::prelude::*;
use rustc_hash::FxHashMap;
use stier_core::{Action, Actions256, BySeat, Outcome, Turn};

use super::encode::Code;
use super::position::Path;

/// What an observer sees.
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
        let children = self.children.lock().unwrap_or_else(PoisonError::into_inner);
        children.iter().find(|(own, _)| *own == event).and_then(|(_, child)| child.upgrade())
    }

    /// Notes the node after an event.
    pub(super) fn note_child(&self, event: Action, child: &Arc<Self>) {
        let mut children = self.children.lock().unwrap_or_else(PoisonError::into_inner);
        children.retain(|(own, _)| *own != event);
        children.push((event, Arc::downgrade(child)));
    }
}

/// A map that forgets: it keeps what was put in or found lately.
struct Recent<K, V> {
    young: FxHashMap<K, V>,
    old: FxHashMap<K, V>,
}

impl<K: Hash + Eq, V: Clone> Recent<K, V> {
    fn new() -> Self {
        Self { young: FxHashMap::default(), old: FxHashMap::default() }
    }

    /// Makes room. Returns what is forgotten, to be dropped when nothing is locked any more.
    #[must_use]
    fn age(&mut self) -> FxHashMap<K, V> {
        mem::replace(&mut self.old, mem::take(&mut self.young))
    }
}

/// The nodes of a game.
pub(super) struct Nodes {
    by_path: RwLock<Recent<Path, Arc<Node>>>,
    by_hash: Mutex<Recent<i64, Vec<Arc<Node>>>>,
    /// What digests stand for, in words, by observer.
    known: Mutex<Recent<(usize, u64), Arc<str>>>,
    /// The digests that features belong to, by observer.
    features: Mutex<Recent<(usize, u64), u64>>,
    /// The nodes that are kept as young ones.
    most: usize,
    /// New nodes since old ones were forgotten.
    new: AtomicUsize,
}

impl Nodes {
    /// Keeps at most so many nodes, and about half of them at least.
    pub(super) fn new(most: usize) -> Self {
        Self {
            by_path: RwLock::new(Recent::new()),
            by_hash: Mutex::new(Recent::new()),
            known: Mutex::new(Recent::new()),
            features: Mutex::new(Recent::new()),
            most: (most / 2).max(64),
            new: AtomicUsize::new(0),
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
        let forgotten = if kept.young.len() >= self.most { Some(kept.age()) } else { None };
        kept.young.insert(path, node.clone());
        drop(kept);
        drop(forgotten);
    }

    /// The nodes of objects with this hash.
    pub(super) fn with_hash(&self, hash: i64) -> Vec<Arc<Node>> {
        let kept = self.by_hash.lock().unwrap_or_else(PoisonError::into_inner);
        [&kept.young, &kept.old].into_iter().filter_map(|nodes| nodes.get(&hash)).flatten().cloned().collect()
    }

    /// Keeps a new node of an object with this hash.
    pub(super) fn add(&self, hash: i64, node: &Arc<Node>) {
        let mut kept = self.by_hash.lock().unwrap_or_else(PoisonError::into_inner);
        let forgotten = if self.new.fetch_add(1, Ordering::Relaxed) >= self.most {
            self.new.store(0, Ordering::Relaxed);
            Some(kept.age())
        } else {
            None
        };
        kept.young.entry(hash).or_default().push(node.clone());
        drop(kept);
        drop(forgotten);
    }

    /// Notes what a digest of an observer stands for.
    pub(super) fn name(&self, observer: usize, digest: u64, words: Arc<str>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let forgotten = if known.young.len() >= self.most { Some(known.age()) } else { None };
        known.young.insert((observer, digest), words);
        drop(known);
        drop(forgotten);
    }

    /// What a digest of an observer stands for, if it was seen lately.
    pub(super) fn named(&self, observer: usize, digest: u64) -> Option<Arc<str>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.young.get(&(observer, digest)).or_else(|| known.old.get(&(observer, digest))).cloned()
    }

    /// Notes that features belong to a digest. Returns the digest to which they belonged before: the same, if they tell all
    /// observations apart.
    pub(super) fn belongs(&self, observer: usize, features: u64, digest: u64) -> u64 {
        let mut known = self.features.lock().unwrap_or_else(PoisonError::into_inner);
        let before = known.old.get(&(observer, features)).copied();
        if known.young.len() >= self.most {
            drop(known.age());
        }
        *known.young.entry((observer, features)).or_insert(before.unwrap_or(digest))
    }
}
