//! UCB1 over actions that are not always available, and trees of it over a player's information sets.
//!
//! P. Auer, N. Cesa-Bianchi and P. Fischer, *Finite-time Analysis of the Multiarmed Bandit Problem*, Machine Learning
//! 47, 2002. An action counts as available in the iterations in which it was legal (P. I. Cowling, E. J. Powley and D.
//! Whitehouse, *Information Set Monte Carlo Tree Search*, 2012).

use rustc_hash::FxHashMap;
use stier_core::{Action, ActionSet, Rng, float};

use crate::agent::ActionStats;
use crate::agent::memory::{Memory, growth, listed, mapped};

/// The statistics of one action at one node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ActionRecord {
    /// The action.
    pub action: Action,
    /// The number of tries.
    pub visits: u64,
    /// The number of iterations that could have tried the action.
    pub available: u64,
    /// The sum of the returns.
    pub sum: f64,
}

impl ActionRecord {
    /// Creates the statistics of an untried action.
    pub(crate) fn new(action: Action) -> Self {
        Self { action, visits: 0, available: 0, sum: 0.0 }
    }

    /// Adds the statistics of another search.
    pub(crate) fn plus(self, Self { visits, available, sum, .. }: Self) -> Self {
        Self { visits: self.visits + visits, available: self.available + available, sum: self.sum + sum, ..self }
    }

    /// Counts a return.
    #[inline]
    pub(crate) fn add(&mut self, value: f64) {
        self.visits += 1;
        self.sum += value;
    }

    /// The mean return; 0 if the action was never tried.
    #[inline]
    pub(crate) fn mean(&self) -> f64 {
        self.sum / self.visits.max(1) as f64
    }

    /// The upper confidence bound: mean + width x sqrt(log / visits); infinite if the action was never tried.
    #[inline]
    pub(crate) fn bound(&self, width: f64, log: f64) -> f64 {
        if self.visits == 0 { f64::INFINITY } else { self.mean() + width * (log / self.visits as f64).sqrt() }
    }

    /// Converts the statistics to those of a decision, with this mean.
    pub(crate) fn stats(&self, value: f64) -> ActionStats {
        let Self { action, visits, available: availability, .. } = *self;
        ActionStats { action: action.0, visits, value, availability, probability: 0.0 }
    }
}

/// The index of the highest bound, the first of equals; `None` if there are no bounds.
pub(crate) fn highest(bounds: impl Iterator<Item = (usize, f64)>) -> Option<usize> {
    let mut best = (None, f64::NEG_INFINITY);
    for (place, bound) in bounds {
        if bound > best.1 {
            best = (Some(place), bound);
        }
    }
    best.0
}

/// The node of the root's information set, or of another one.
pub(crate) type NodeId = usize;

/// The largest number of nodes of a tree: their numbers fit in 32 bits.
const MAX_NODES: usize = u32::MAX as usize;

/// A tree of nodes with their tried actions, indexed by the keys of the information sets.
#[derive(Debug)]
pub(crate) struct UcbTree {
    index: FxHashMap<u64, u32>,
    nodes: Vec<Vec<ActionRecord>>,
    memory: Memory,
}

impl UcbTree {
    /// Creates an empty tree that takes at most this memory. Once it is full, searches continue with the existing
    /// nodes and actions.
    pub(crate) fn new(memory: Memory) -> Self {
        Self { index: FxHashMap::default(), nodes: Vec::new(), memory }
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node with this key, created if necessary; `None` if it does not exist and the tree is full.
    pub(crate) fn node(&mut self, key: u64) -> Option<NodeId> {
        if let Some(&node) = self.index.get(&key) {
            return Some(node as NodeId);
        }
        let next = self.nodes.len();
        let has_room = self.memory.take(listed::<Vec<ActionRecord>>() + mapped::<u64, u32>()) && next < MAX_NODES;
        // The first node is always created.
        (has_room || next == 0).then(|| {
            self.index.insert(key, next as u32);
            self.nodes.push(Vec::new());
            next
        })
    }

    /// Selects an untried legal action if there is one and room for it (with `true`), else the one with the highest
    /// bound; `None` if there is neither. Returns its index. Counts availability.
    pub(crate) fn select<A: ActionSet>(
        &mut self,
        node: NodeId,
        legal: A,
        width: f64,
        rng: &mut Rng,
    ) -> Option<(usize, bool)> {
        let records = &mut self.nodes[node];
        let mut untried = legal;
        // Actions that have always been available share one logarithm.
        let mut log = (0, 0.0);
        let legal = records.iter_mut().enumerate().filter(|(_, record)| legal.contains(record.action));
        let best = highest(legal.map(|(place, record)| {
            untried = untried.without(A::default().with(record.action));
            record.available += 1;
            if record.available != log.0 {
                log = (record.available, float::log(record.available as f64));
            }
            (place, record.bound(width, log.1))
        }));
        // The first node is the root, or one of a few equivalent ones. It gets all of its actions.
        if untried.is_empty() || !self.memory.take(growth(records)) && node > 0 {
            return best.map(|best| (best, false));
        }
        records.push(ActionRecord { available: 1, ..ActionRecord::new(untried.pick(rng)) });
        Some((records.len() - 1, true))
    }

    /// The statistics of a selected action.
    pub(crate) fn record(&mut self, node: NodeId, place: usize) -> &mut ActionRecord {
        &mut self.nodes[node][place]
    }

    /// The statistics of an action at the node with this key; empty if it was never tried.
    pub(crate) fn find(&self, key: u64, action: Action) -> ActionRecord {
        let records = self.index.get(&key).map_or(&[][..], |&node| &self.nodes[node as NodeId]);
        records.iter().find(|record| record.action == action).copied().unwrap_or(ActionRecord::new(action))
    }
}
