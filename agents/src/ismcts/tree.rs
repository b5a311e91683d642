//! The tree, in an arena.
//!
//! A node is a list of edges, one per action that was ever tried there, in blocks of eight: the fields of eight edges lie side
//! by side, so that one pass of vector instructions scores them all and counts availability on the way. A leaf is an edge
//! without a node: it gets one when it is reached for the second time.

use std::collections::HashMap;
use std::f32::consts::LN_2;

use stier_core::{Action, ActionSet};

/// Edges in a block.
const LANES: usize = 8;
/// Stands for "no block" and "no node".
const NONE: u32 = u32::MAX;

/// Where an edge is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Edge {
    block: u32,
    lane: u8,
}

/// Eight edges of one node. Lanes from `len` on are empty: no visits.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Block {
    /// Sums of the returns for the node's mover, each between 0 and 1.
    value: [f64; LANES],
    visits: [u32; LANES],
    /// How often the action was legal when the node was passed.
    available: [u32; LANES],
    /// The node that the edge leads to, or [`NONE`].
    child: [u32; LANES],
    action: [u8; LANES],
    len: u8,
    /// The node's next block, or [`NONE`].
    next: u32,
}

impl Block {
    fn new() -> Self {
        Self {
            value: [0.0; LANES],
            visits: [0; LANES],
            available: [0; LANES],
            child: [NONE; LANES],
            action: [0; LANES],
            len: 0,
            next: NONE,
        }
    }
}

/// A node: the actions that have an edge, and where the edges are.
#[derive(Clone, Debug)]
struct Node<A> {
    tried: A,
    first: u32,
    last: u32,
}

/// A search tree over what the searching seat can observe of the sequences of actions.
#[derive(Clone, Debug)]
pub(super) struct Tree<A> {
    nodes: Vec<Node<A>>,
    blocks: Vec<Block>,
    /// Children by (node, observation), of actions that the searcher did not see as they were, or of which it saw more.
    shared: HashMap<(u32, u64), u32>,
}

/// What the tree knows of one action at the root.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct RootEdge {
    pub(super) action: Action,
    pub(super) visits: u32,
    pub(super) available: u32,
    pub(super) value: f64,
}

impl<A: ActionSet> Tree<A> {
    /// The root of every tree.
    pub(super) const ROOT: u32 = 0;

    /// A tree that is nothing but a root.
    pub(super) fn new() -> Self {
        let mut tree = Self { nodes: Vec::new(), blocks: Vec::new(), shared: HashMap::new() };
        tree.clear();
        tree
    }

    /// Back to nothing but a root, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.blocks.clear();
        self.shared.clear();
        self.add_node();
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The actions that have an edge at the node.
    #[inline(always)]
    pub(super) fn tried(&self, node: u32) -> A {
        self.nodes[node as usize].tried
    }

    fn add_node(&mut self) -> u32 {
        let index = self.nodes.len() as u32;
        self.nodes.push(Node { tried: A::default(), first: NONE, last: NONE });
        index
    }

    /// Adds an edge for an action that has none.
    #[inline]
    pub(super) fn add_edge(&mut self, node: u32, action: Action) -> Edge {
        let node = &mut self.nodes[node as usize];
        debug_assert!(!node.tried.contains(action));
        node.tried = node.tried.with(action);
        if node.last == NONE || usize::from(self.blocks[node.last as usize].len) == LANES {
            let new = self.blocks.len() as u32;
            self.blocks.push(Block::new());
            match node.last {
                NONE => node.first = new,
                last => self.blocks[last as usize].next = new,
            }
            node.last = new;
        }
        let block = &mut self.blocks[node.last as usize];
        let lane = block.len;
        block.len += 1;
        block.action[usize::from(lane)] = action.0;
        block.available[usize::from(lane)] = 1;
        Edge { block: node.last, lane }
    }

    /// Counts availability for the legal actions that have an edge.
    #[inline]
    pub(super) fn count_available(&mut self, node: u32, legal: A) {
        let mut at = self.nodes[node as usize].first;
        while at != NONE {
            let block = &mut self.blocks[at as usize];
            let legal = legal.lanes(&block.action);
            block.available = lanes(|i| block.available[i] + (legal[i] & u32::from(block.visits[i] > 0)));
            at = block.next;
        }
    }

    /// The legal edge with the highest upper confidence bound: mean + c sqrt(ln(availability) / visits). Counts availability
    /// for all legal ones. At least one legal action must have an edge.
    #[inline]
    pub(super) fn select(&mut self, node: u32, legal: A, c: f32) -> (Edge, Action) {
        let mut at = self.nodes[node as usize].first;
        let (mut best, mut best_block) = (0, at);
        while at != NONE {
            let block = &mut self.blocks[at as usize];
            let legal = legal.lanes(&block.action);
            let legal = lanes(|i| legal[i] & u32::from(block.visits[i] > 0));
            block.available = lanes(|i| block.available[i] + legal[i]);
            let share = lanes(|i| 1.0 / block.visits[i].max(1) as i32 as f32);
            let log = lanes(|i| ln(block.available[i]));
            let bound = lanes(|i| block.value[i] as f32 * share[i] + c * (log[i] * share[i]).sqrt());
            // Bounds are not negative, so they compare like their bits; the lowest bits hold the lane.
            let keys = lanes(|i| (bound[i].to_bits() & !(LANES as u32 - 1) | i as u32) & legal[i].wrapping_neg());
            let key = keys.into_iter().fold(0, u32::max);
            if key > best {
                (best, best_block) = (key, at);
            }
            at = block.next;
        }
        debug_assert!(best > 0, "a legal action has an edge");
        let lane = best as u8 & (LANES as u8 - 1);
        let action = Action(self.blocks[best_block as usize].action[usize::from(lane)]);
        (Edge { block: best_block, lane }, action)
    }

    /// The node that an edge leads to, made now if there is none yet. `observed` is what the searcher learned: if it is the
    /// action, the edge has the node to itself; otherwise all edges of `node` with the same observation share one.
    #[inline]
    pub(super) fn child(&mut self, node: u32, edge: Edge, action: Action, observed: u64) -> u32 {
        if observed != u64::from(action.0) {
            let next = self.nodes.len() as u32;
            let child = *self.shared.entry((node, observed)).or_insert(next);
            if child == next {
                self.add_node();
            }
            return child;
        }
        let (block, lane) = (edge.block as usize, usize::from(edge.lane));
        let child = self.blocks[block].child[lane];
        if child != NONE {
            return child;
        }
        let child = self.add_node();
        self.blocks[block].child[lane] = child;
        child
    }

    /// Adds one visit with this return, scaled to 0..=1.
    #[inline]
    pub(super) fn update(&mut self, edge: Edge, value: f64) {
        let (block, lane) = (&mut self.blocks[edge.block as usize], usize::from(edge.lane & (LANES as u8 - 1)));
        block.visits[lane] += 1;
        block.value[lane] += value;
    }

    /// The edges of the root, in the order in which they were first tried.
    pub(super) fn root_edges(&self) -> Vec<RootEdge> {
        let mut edges = Vec::new();
        let mut at = self.nodes[Self::ROOT as usize].first;
        while at != NONE {
            let block = &self.blocks[at as usize];
            for lane in 0..usize::from(block.len) {
                edges.push(RootEdge {
                    action: Action(block.action[lane]),
                    visits: block.visits[lane],
                    available: block.available[lane],
                    value: block.value[lane],
                });
            }
            at = block.next;
        }
        edges
    }
}

/// One value per lane; each call compiles to a vector instruction or a few.
#[inline(always)]
fn lanes<T>(value: impl FnMut(usize) -> T) -> [T; LANES] {
    std::array::from_fn(value)
}

/// The natural logarithm of a count from 1 to 2^31 - 1, to within 2e-4: exponent plus a polynomial in the mantissa (through
/// the logarithm at the Chebyshev nodes of 1..2). Portable, free of branches, never negative.
#[inline(always)]
fn ln(count: u32) -> f32 {
    let bits = (count as i32 as f32).to_bits();
    let exponent = ((bits >> 23) as i32 - 127) as f32;
    let m = f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000);
    let mantissa = -1.731_726_4 + (2.792_836_4 + (-1.440_592_2 + (0.433_932_45 - 0.054_370_93 * m) * m) * m) * m;
    exponent * LN_2 + mantissa
}

#[cfg(test)]
mod tests {
    use stier_core::{Action, ActionSet as _, Actions64};

    use super::{Tree, ln};

    #[test]
    fn the_logarithm_is_close_and_not_negative() {
        for count in (1..10_000).chain((1..260).map(|k| k * 4_000_003)) {
            let exact = f64::from(count).ln();
            let close = f64::from(ln(count));
            assert!(close >= 0.0 && (close - exact).abs() < 2e-4, "ln({count}): {close} for {exact}");
        }
    }

    /// Upper confidence bounds as the formula says them, one edge at a time.
    #[test]
    fn selection_follows_the_formula() {
        for c in [0.1_f32, 0.7, 2.0] {
            let mut tree: Tree<Actions64> = Tree::new();
            let ids: Vec<Action> = (0..21).map(|i| Action(3 * i)).collect();
            // (visits, availability, value)
            let mut shadow = vec![(0_u32, 0_u32, 0.0_f64); 21];
            let mut rng = stier_core::Rng::stream(1, "tree", 0);
            for (index, &action) in ids.iter().enumerate() {
                let edge = tree.add_edge(Tree::<Actions64>::ROOT, action);
                shadow[index] = (1, 1, rng.unit());
                tree.update(edge, shadow[index].2);
            }
            for _ in 0..3000 {
                let legal: Actions64 = ids.iter().copied().filter(|_| rng.below(3) == 0).collect();
                if legal.is_empty() {
                    continue;
                }
                let (edge, action) = tree.select(Tree::<Actions64>::ROOT, legal, c);
                let bound = |&(visits, available, value): &(u32, u32, f64)| {
                    value / f64::from(visits) + f64::from(c) * (f64::from(available).ln() / f64::from(visits)).sqrt()
                };
                let mut best = f64::NEG_INFINITY;
                for (index, &id) in ids.iter().enumerate().filter(|&(_, &id)| legal.contains(id)) {
                    shadow[index].1 += 1;
                    best = best.max(bound(&shadow[index]));
                    assert!(tree.tried(Tree::<Actions64>::ROOT).contains(id));
                }
                let chosen = ids.iter().position(|&id| id == action).unwrap();
                assert!(legal.contains(action));
                assert!(bound(&shadow[chosen]) > best - 1e-3, "chose {action:?}, c = {c}");
                let value = rng.unit();
                tree.update(edge, value);
                shadow[chosen].0 += 1;
                shadow[chosen].2 += value;
            }
            for (edge, expected) in tree.root_edges().iter().zip(&shadow) {
                assert_eq!((edge.visits, edge.available), (expected.0, expected.1));
                assert!((edge.value - expected.2).abs() < 1e-9);
            }
        }
    }
}
