//! The search tree, stored in an arena.
//!
//! A node is a list of edges, one per action that was ever tried there, in blocks of eight. Each field of the eight
//! edges is an array, so that one pass of vector instructions scores all edges and counts availability on the way. A
//! node *is* its first block, three cache lines. A leaf is an edge without a node; it gets a node when it is reached
//! for the second time.
//!
//! Nodes are found in two ways: by following an edge, or by a key that represents a player's knowledge. A selection
//! rule may keep data besides visits and values. It is stored block by block in a separate array, which is empty if
//! there is none.

use rustc_hash::FxHashMap;
pub(super) use stier_core::actions::{LANES, lanes};
use stier_core::key::mix;
use stier_core::{Action, ActionSet};

use crate::agent::memory::{Memory, mapped};
use crate::search::ucb::ActionRecord;

/// The mask of a lane's number.
const LANE_BITS: u32 = LANES as u32 - 1;
/// The number of blocks of the largest node, with one lane per action.
pub(super) const MAX_BLOCKS: usize = 256 / LANES;
/// The smallest limit on blocks, however little memory there is.
const MIN_BLOCKS: usize = 64;
/// Marks the absence of a node or block.
pub(super) const NONE: u32 = u32::MAX;

/// The place of an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Edge {
    pub(super) block: u32,
    pub(super) lane: u8,
}

impl Edge {
    /// The lane as an index below [`LANES`].
    #[inline(always)]
    pub(super) fn lane(self) -> usize {
        self.lane as usize & LANE_BITS as usize
    }
}

/// Eight edges of one node. Lanes from `len` on are empty.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Block<A> {
    /// Sums of the returns for the node's mover, each between 0 and 1.
    pub(super) value: [f64; LANES],
    pub(super) visits: [u32; LANES],
    /// The number of times the action was legal when the node was passed, from its first try on.
    pub(super) available: [u32; LANES],
    /// The node that the edge leads to, or [`NONE`].
    child: [u32; LANES],
    /// In a node's first block: the actions that have an edge.
    tried: A,
    pub(super) action: [u8; LANES],
    /// The node's next block, or [`NONE`].
    pub(super) next: u32,
    len: u8,
}

impl<A: ActionSet> Block<A> {
    fn new() -> Self {
        Self {
            value: [0.0; LANES],
            visits: [0; LANES],
            available: [0; LANES],
            child: [NONE; LANES],
            tried: A::default(),
            action: [0; LANES],
            next: NONE,
            len: 0,
        }
    }

    /// Per lane: 1 if it holds an edge of a legal action, else 0.
    #[inline(always)]
    pub(super) fn legal(&self, legal: A) -> [u32; LANES] {
        let legal = legal.lanes(&self.action);
        let len = u32::from(self.len);
        lanes(|i| legal[i] & u32::from((i as u32) < len))
    }
}

/// The bounds by which edges are selected, as a closure or, where it must be inlined, as a type.
pub(super) trait Bounds<A, X> {
    /// The bounds of a block's edges, and anything in lanes without an edge.
    fn of(&self, block: &Block<A>, extra: &X) -> [f32; LANES];
}

impl<A, X, F: Fn(&Block<A>, &X) -> [f32; LANES]> Bounds<A, X> for F {
    #[inline(always)]
    fn of(&self, block: &Block<A>, extra: &X) -> [f32; LANES] {
        self(block, extra)
    }
}

/// A search tree whose selection rule keeps an `X` for each block. Trees of different threads share no cache line.
#[derive(Clone, Debug)]
#[repr(align(128))]
pub(super) struct Tree<A, X> {
    blocks: Vec<Block<A>>,
    extras: Vec<X>,
    /// Nodes by key.
    keyed: FxHashMap<u64, u32>,
    nodes: u32,
    /// The memory that the tree may take.
    memory: Memory,
    /// The number of blocks of a full tree. There is room for one more node of the largest size.
    limit: usize,
    /// The tree of the previous decision, from which nodes are taken over when their keys are needed.
    past: Option<Box<Tree<A, X>>>,
}

impl<A: ActionSet, X: Default + Clone> Tree<A, X> {
    /// Creates an empty tree. The tree of the previous decision, if it is kept, may take as much memory again.
    pub(super) fn new(memory: Memory) -> Self {
        let block_bytes = size_of::<Block<A>>() + size_of::<X>();
        // While the lists grow to their full size, the old ones of half that size exist too.
        let room = memory.left / (block_bytes + block_bytes / 2 + mapped::<u64, u32>());
        let limit = room.saturating_sub(MAX_BLOCKS).clamp(MIN_BLOCKS, NONE as usize - MAX_BLOCKS);
        let (blocks, extras, keyed) = Default::default();
        Self { blocks, extras, keyed, nodes: 0, memory, limit, past: None }
    }

    /// Forgets everything, including the previous decision, but keeps the memory.
    pub(super) fn clear(&mut self) {
        self.empty();
        if let Some(past) = &mut self.past {
            past.empty();
        }
    }

    fn empty(&mut self) {
        self.blocks.clear();
        self.extras.clear();
        // Clearing a map takes time in proportion to its capacity, unless it is empty.
        if !self.keyed.is_empty() && self.keyed.len() * 16 < self.keyed.capacity() {
            self.keyed = FxHashMap::default();
        } else {
            self.keyed.clear();
        }
        self.nodes = 0;
    }

    /// Begins a new decision. The current tree becomes the past, from which nodes with keys are taken over when
    /// needed. The previous past is forgotten.
    pub(super) fn age(&mut self) {
        let mut past = self.past.take().unwrap_or_else(|| Box::new(Self::new(self.memory)));
        std::mem::swap(self, &mut past);
        self.empty();
        self.past = Some(past);
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> u32 {
        self.nodes
    }

    /// The block with this number.
    #[inline(always)]
    pub(super) fn block(&self, at: u32) -> &Block<A> {
        &self.blocks[at as usize]
    }

    /// A block, and the selection rule's data about it.
    #[inline(always)]
    pub(super) fn parts(&mut self, at: u32) -> (&mut Block<A>, &mut X) {
        (&mut self.blocks[at as usize], &mut self.extras[at as usize])
    }

    /// The blocks of a node.
    #[inline(always)]
    pub(super) fn blocks(&self, node: u32) -> impl Iterator<Item = &Block<A>> {
        let next = |block: &&Block<A>| (block.next != NONE).then(|| self.block(block.next));
        std::iter::successors(Some(self.block(node)), next)
    }

    /// Visits the blocks of a node with the rule's statistics of each.
    #[inline(always)]
    pub(super) fn for_each_block(&mut self, node: u32, mut visit: impl FnMut(&mut Block<A>, &mut X)) {
        let mut at = node;
        while at != NONE {
            let (block, extra) = self.parts(at);
            visit(block, extra);
            at = block.next;
        }
    }

    /// The actions that have an edge at the node.
    #[inline(always)]
    pub(super) fn tried(&self, node: u32) -> A {
        self.blocks[node as usize].tried
    }

    fn add_block(&mut self) -> u32 {
        if self.blocks.len() == self.blocks.capacity() {
            self.grow();
        }
        let index = self.blocks.len() as u32;
        self.blocks.push(Block::new());
        self.extras.push(X::default());
        index
    }

    /// Reserves room for about twice as many blocks: the size of a full tree, halved as often as possible.
    #[cold]
    fn grow(&mut self) {
        let blocks = self.blocks.len();
        let mut room = (self.limit + MAX_BLOCKS).max(blocks + LANES);
        while room.div_ceil(2) >= blocks + LANES {
            room = room.div_ceil(2);
        }
        self.blocks.reserve_exact(room - blocks);
        self.extras.reserve_exact(room - blocks);
    }

    /// The memory in bytes, including the tree of the previous decision.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        let past = self.past.as_ref().map_or(0, |past| past.bytes());
        let [blocks, extras] =
            [self.blocks.capacity() * size_of::<Block<A>>(), self.extras.capacity() * size_of::<X>()];
        let keyed = self.keyed.capacity() / 7 * 8 * (size_of::<(u64, u32)>() + 1);
        blocks + if size_of::<X>() > 0 { extras } else { 0 } + keyed + past
    }

    /// The number of edges that a node may get. It is unlimited, or in a full tree the number of free places in the
    /// node's last block.
    #[inline]
    pub(super) fn room(&self, node: u32) -> usize {
        if self.blocks.len() < self.limit {
            return usize::MAX;
        }
        LANES - self.blocks(node).last().map_or(0, |last| usize::from(last.len))
    }

    /// Adds a node that no key or edge leads to yet; [`NONE`] if the tree is full.
    #[inline]
    pub(super) fn add_node(&mut self) -> u32 {
        if self.blocks.len() >= self.limit {
            return NONE;
        }
        self.nodes += 1;
        self.add_block()
    }

    /// Counts availability for the legal actions that have an edge. Adds an edge, available once, for an action that
    /// has none.
    #[inline]
    pub(super) fn expand(&mut self, node: u32, legal: A, action: Action) -> Edge {
        let mut at = node;
        loop {
            let block = &mut self.blocks[at as usize];
            let legal = block.legal(legal);
            block.available = lanes(|i| block.available[i] + legal[i]);
            if block.next == NONE {
                break;
            }
            at = block.next;
        }
        let edge = self.append(node, at, action);
        self.blocks[edge.block as usize].available[edge.lane()] = 1;
        edge
    }

    /// Adds edges for actions that have none, with an availability of 0.
    pub(super) fn add_edges(&mut self, node: u32, actions: impl Iterator<Item = Action>) {
        let mut last = node;
        for action in actions {
            while self.blocks[last as usize].next != NONE {
                last = self.blocks[last as usize].next;
            }
            self.append(node, last, action);
        }
    }

    #[inline]
    fn append(&mut self, node: u32, last: u32, action: Action) -> Edge {
        debug_assert!(!self.tried(node).contains(action));
        self.blocks[node as usize].tried = self.blocks[node as usize].tried.with(action);
        let mut at = last;
        if usize::from(self.blocks[last as usize].len) == LANES {
            at = self.add_block();
            self.blocks[last as usize].next = at;
        }
        let block = &mut self.blocks[at as usize];
        let edge = Edge { block: at, lane: block.len };
        block.action[edge.lane()] = action.0;
        block.len += 1;
        edge
    }

    /// Selects the legal edge with the highest bound, after counting availability for all legal edges. Bounds must
    /// not be negative, and at least one legal action must have an edge.
    #[inline(always)]
    pub(super) fn best(&mut self, node: u32, legal: A, bounds: impl Bounds<A, X>) -> Edge {
        let mut at = node;
        let (mut best, mut best_block) = (0, at);
        while at != NONE {
            let (block, extra) = (&mut self.blocks[at as usize], &self.extras[at as usize]);
            let legal = block.legal(legal);
            block.available = lanes(|i| block.available[i] + legal[i]);
            let bound = bounds.of(block, extra);
            // Bounds are not negative, so they compare like their bits. The lowest bits hold the lane, and zero is
            // reserved for lanes that are not legal.
            let order = lanes(|i| (bound[i].to_bits() & !LANE_BITS).wrapping_add(LANES as u32));
            let keys = lanes(|i| (order[i] | i as u32) & legal[i].wrapping_neg());
            let key = keys.into_iter().fold(0, u32::max);
            if key > best {
                (best, best_block) = (key, at);
            }
            at = block.next;
        }
        debug_assert!(best > 0, "no legal action has an edge");
        Edge { block: best_block, lane: (best & LANE_BITS) as u8 }
    }

    /// The action of an edge.
    #[inline(always)]
    pub(super) fn action(&self, edge: Edge) -> Action {
        Action(self.blocks[edge.block as usize].action[edge.lane()])
    }

    /// The number of visits of an edge.
    #[inline(always)]
    pub(super) fn visits(&self, edge: Edge) -> u32 {
        self.blocks[edge.block as usize].visits[edge.lane()]
    }

    /// The node that the edge of an action leads to, created if necessary; [`NONE`] if the tree is full. `observed` is
    /// the searcher's observation of the action. If it is the action itself, the edge has its own node. Otherwise all
    /// edges of `node` with the same observation share one.
    #[inline]
    pub(super) fn child(&mut self, node: u32, edge: Edge, action: Action, observed: u64) -> u32 {
        if observed != u64::from(action.0) {
            return self.keyed(mix(u64::from(node), observed));
        }
        let child = self.blocks[edge.block as usize].child[edge.lane()];
        if child != NONE {
            return child;
        }
        let child = self.add_node();
        self.blocks[edge.block as usize].child[edge.lane()] = child;
        child
    }

    /// The node of a key: found, taken over from the past, or created; [`NONE`] if the tree is full.
    #[inline]
    pub(super) fn keyed(&mut self, key: u64) -> u32 {
        self.keyed.get(&key).copied().unwrap_or_else(|| self.add_keyed(key))
    }

    fn add_keyed(&mut self, key: u64) -> u32 {
        let node = self.add_node();
        if node != NONE {
            self.keyed.insert(key, node);
            if let Some(past) = self.past.take() {
                if let Some(&old) = past.keyed.get(&key) {
                    self.take_over(node, &past, old);
                }
                self.past = Some(past);
            }
        }
        node
    }

    /// Copies another tree's statistics of a node.
    fn take_over(&mut self, node: u32, other: &Self, old: u32) {
        let (mut to, mut from) = (node, old);
        loop {
            self.blocks[to as usize] = Block { child: [NONE; LANES], ..other.blocks[from as usize].clone() };
            self.extras[to as usize] = other.extras[from as usize].clone();
            from = other.blocks[from as usize].next;
            if from == NONE {
                return;
            }
            let next = self.add_block();
            self.blocks[to as usize].next = next;
            to = next;
        }
    }

    /// Adds one visit with this return, scaled to the range 0 to 1.
    #[inline(always)]
    pub(super) fn update(&mut self, edge: Edge, value: f64) {
        let block = &mut self.blocks[edge.block as usize];
        block.visits[edge.lane()] += 1;
        block.value[edge.lane()] += value;
    }

    /// The edges of a node, in the order in which they were added, each with its `weight` in the average strategy.
    pub(super) fn edges(
        &self,
        node: u32,
        weight: fn(&Block<A>, &X, usize) -> Option<f64>,
    ) -> Vec<(ActionRecord, Option<f64>)> {
        let mut edges = Vec::new();
        let mut at = node;
        while at != NONE {
            let (block, extra) = (&self.blocks[at as usize], &self.extras[at as usize]);
            for lane in 0..usize::from(block.len) {
                let (visits, available) = (block.visits[lane].into(), block.available[lane].into());
                let action = Action(block.action[lane]);
                let record = ActionRecord { action, visits, available, sum: block.value[lane] };
                edges.push((record, weight(block, extra, lane)));
            }
            at = block.next;
        }
        edges
    }
}

#[cfg(test)]
mod tests {
    use stier_core::key::mix;
    use stier_core::{Action, ActionSet as _, Actions64, Actions128};

    use super::{Block, Edge, MAX_BLOCKS, NONE, Tree};
    use crate::agent::memory::Memory;

    #[test]
    fn a_block_is_three_cache_lines() {
        assert_eq!((size_of::<Block<Actions64>>(), size_of::<Block<Actions128>>()), (192, 192));
    }

    /// A node with edges for `count` actions, each visited `index + 1` times with return 1/2.
    fn filled(tree: &mut Tree<Actions64, ()>, key: u64, count: u8) -> u32 {
        let node = tree.keyed(key);
        for action in (0..count).map(Action) {
            let edge = tree.expand(node, Actions64::default().with(action), action);
            (0..=action.0).for_each(|_| tree.update(edge, 0.5));
        }
        node
    }

    #[test]
    fn nodes_are_taken_over_once() {
        let mut tree: Tree<Actions64, ()> = Tree::new(Memory::unlimited());
        let node = filled(&mut tree, 5, 19);
        filled(&mut tree, 6, 3);
        let edges = tree.edges(node, |_, _, _| None);
        assert_eq!(edges.len(), 19);
        assert!(edges.iter().all(|(edge, _)| edge.visits == u64::from(edge.action.0) + 1 && edge.available == 1));
        tree.age();
        assert_eq!(tree.len(), 0);
        let again = tree.keyed(5);
        assert_eq!((tree.len(), tree.edges(again, |_, _, _| None)), (1, edges.clone()));
        assert_eq!(tree.tried(again).len(), 19);
        // A twentieth edge fits.
        tree.expand(again, Actions64::default(), Action(40));
        assert_eq!(tree.edges(again, |_, _, _| None).len(), 20);
        // Nodes that were not requested in between are gone.
        tree.age();
        let (kept, lost) = (tree.keyed(5), tree.keyed(6));
        assert_eq!(tree.edges(kept, |_, _, _| None).len(), 20);
        assert!(tree.edges(lost, |_, _, _| None).is_empty());
        tree.clear();
        let forgotten = tree.keyed(5);
        assert!(tree.edges(forgotten, |_, _, _| None).is_empty());
    }

    #[test]
    fn small_trees_do_not_keep_the_map_of_a_large_one() {
        let mut tree: Tree<Actions64, ()> = Tree::new(Memory::unlimited());
        let mut searched = |keys: u64| {
            (0..keys).for_each(|key| assert_ne!(tree.keyed(key), NONE));
            tree.clear();
            assert_eq!(tree.len(), 0);
            tree.keyed.capacity()
        };
        let large = searched(10_000);
        assert!(large >= 10_000);
        assert_eq!(searched(9_000), large);
        assert!(searched(10) < 100);
    }

    #[test]
    fn hidden_actions_share_a_child() {
        let mut tree: Tree<Actions64, ()> = Tree::new(Memory::unlimited());
        let root = filled(&mut tree, 1, 3);
        let edge = |lane| Edge { block: root, lane };
        let open = tree.child(root, edge(1), Action(1), 1);
        assert_eq!(tree.child(root, edge(1), Action(1), 1), open);
        let hidden = tree.child(root, edge(1), Action(1), 1 << 40);
        assert_eq!(tree.child(root, edge(0), Action(0), 1 << 40), hidden);
        assert!(hidden != open && hidden != NONE);
        assert_ne!(tree.child(open, edge(1), Action(1), 1 << 40), hidden);
    }

    #[test]
    fn a_full_tree_keeps_to_its_memory() {
        let memory = Memory::share(1, 1);
        let mut tree: Tree<Actions64, [f64; 8]> = Tree::new(memory);
        let nodes = (1..).take_while(|&key| tree.keyed(mix(7, key)) != NONE).count();
        assert!(nodes > 2000 && nodes == tree.len() as usize, "{nodes}");
        // Every node takes as many edges as it can.
        for node in 0..nodes as u32 {
            let room = tree.room(node);
            assert!(room <= 64);
            tree.add_edges(node, (0..64).map(Action).take(room));
            assert!(!tree.tried(node).is_empty() && tree.room(node) == 0);
        }
        assert_eq!(tree.blocks.len(), nodes);
        // Only the root takes all of its edges. After that the tree is completely full.
        tree.add_edges(0, (8..64).map(Action));
        assert!(tree.blocks.len() <= nodes + MAX_BLOCKS);
        assert!(tree.bytes() <= memory.left, "{} bytes", tree.bytes());
        // The same holds for each of the two trees of a search that reuses the last one.
        tree.age();
        assert!((1..).any(|key| tree.keyed(mix(7, key)) == NONE));
        assert!(tree.bytes() <= 2 * memory.left, "{} bytes", tree.bytes());
    }
}
