//! A tree from a [list](Listed) of all histories, and what both ways to make a tree share.

use std::collections::hash_map::Entry;
use std::ops::Range;

use rustc_hash::FxHashMap;
use stier_core::listed::{Listed, ListedNode};
use stier_core::seats::MAX_SEATS;
use stier_core::{Action, BySeat, DynOptions, Seat};

use crate::agent::threads::{WatchOf, goes_on};

use super::BuildError;
use super::layout::{Layout, Shape};
use super::tree::{Children, Level, NONE, Node, Outcomes, Packed, STRIDE, Tree};

/// A tree in the making.
pub(super) struct TreeBuilder {
    pub(super) tree: Tree,
    /// By information set, and at the end: where its row begins.
    starts: Vec<u32>,
    /// The numbers of returns and of lists of outcomes, each of which a tree has once.
    returns: FxHashMap<[u64; MAX_SEATS], u32>,
    outcomes: FxHashMap<Vec<u64>, u32>,
}

impl TreeBuilder {
    /// A tree without nodes, of a game with these rules.
    pub(super) fn new(rules: &dyn DynOptions, seats: usize) -> Self {
        let tree = Tree {
            game_name: rules.owner(),
            rules: rules.to_text(),
            seats,
            nodes: Vec::new(),
            levels: Vec::new(),
            marks: Vec::new(),
            movers: Vec::new(),
            actions: Vec::new(),
            starts: [].into(),
            previous: Vec::new(),
            layers: vec![0],
            members: Vec::new(),
            member_starts: Vec::new(),
            outcomes: Outcomes { lists: vec![0], probabilities: Vec::new(), starts: vec![0], events: Vec::new() },
            returns: Vec::new(),
            layout: Layout::default(),
        };
        Self { tree, starts: vec![0], returns: FxHashMap::default(), outcomes: FxHashMap::default() }
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.tree.nodes.len()
    }

    /// Appends a node, which is an end until it is [set](Self::set).
    pub(super) fn push(&mut self, returns: u32) {
        self.tree.nodes.push(Packed::new(Node::End { returns }));
    }

    /// Says what a node is.
    pub(super) fn set(&mut self, number: usize, node: Node) {
        self.tree.nodes[number] = Packed::new(node);
    }

    /// The number of these returns.
    pub(super) fn returns(&mut self, returns: &BySeat<f64>) -> u32 {
        let mut bits = [0; MAX_SEATS];
        bits.iter_mut().zip(returns.iter()).for_each(|(bits, value)| *bits = value.to_bits());
        *self.returns.entry(bits).or_insert_with(|| {
            self.tree.returns.push(returns.clone());
            self.tree.returns.len() as u32 - 1
        })
    }

    /// The number of a list of outcomes, each a probability and the random events that lead to it.
    pub(super) fn outcomes(&mut self, list: &[(f64, Vec<Action>)]) -> u32 {
        let mut key = Vec::with_capacity(3 * list.len());
        for (probability, run) in list {
            key.push(probability.to_bits());
            key.push(run.len() as u64);
            key.extend(run.chunks(8).map(|eight| eight.iter().fold(0, |word, event| word << 8 | u64::from(event.0))));
        }
        match self.outcomes.entry(key) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(entry) => {
                let outcomes = &mut self.tree.outcomes;
                for (probability, run) in list {
                    outcomes.probabilities.push(*probability);
                    outcomes.events.extend(run);
                    outcomes.starts.push(outcomes.events.len() as u32);
                }
                outcomes.lists.push(outcomes.probabilities.len() as u32);
                *entry.insert(outcomes.lists.len() as u32 - 2)
            }
        }
    }

    /// Adds an information set and returns its number. Its player last acted at the place `last_row` of a policy.
    pub(super) fn add_set(&mut self, mover: Seat, actions: &[Action], last_row: u32) -> u32 {
        let number = self.tree.movers.len();
        self.tree.movers.push(mover);
        self.tree.actions.extend(actions);
        self.tree.previous.push(last_row);
        self.starts.push(self.starts[number] + actions.len() as u32);
        number as u32
    }

    /// The places of a set's actions in a policy.
    pub(super) fn row(&self, set: u32) -> Range<u32> {
        self.starts[set as usize]..self.starts[set as usize + 1]
    }

    /// The actions of a set.
    pub(super) fn actions(&self, set: u32) -> &[Action] {
        let row = self.row(set);
        &self.tree.actions[row.start as usize..row.end as usize]
    }

    /// All events before a node.
    pub(super) fn events_to(&self, number: u32) -> Vec<Action> {
        self.tree.events_to(&self.starts, number)
    }

    /// Ends a layer. It has the nodes from `start` on that follow a choice, then those from `drawn` on that follow
    /// chance. The children of the decisions among the former begin at `end`, of those among the latter at
    /// `after_drawn`.
    pub(super) fn finish_layer(&mut self, start: usize, drawn: usize, end: usize, after_drawn: usize) {
        let [start, drawn, end, after_drawn, last] = [start, drawn, end, after_drawn, self.len()].map(|at| at as u32);
        let children = |decisions, chance| Children { decisions, chance };
        let levels = [
            Level { start, end: drawn, first: children(end, drawn), last: children(after_drawn, end) },
            Level { start: drawn, end, first: children(after_drawn, end), last: children(last, end) },
        ];
        for level in levels {
            self.mark(level);
        }
        self.tree.levels.push(levels);
        self.tree.layers.push(self.tree.movers.len() as u32);
    }

    /// Notes where children begin, for the nodes of a level.
    fn mark(&mut self, level: Level) {
        let mut now = level.first;
        for number in level.start..level.end {
            if (number as usize).is_multiple_of(STRIDE) {
                self.tree.marks.push(now);
            }
            match self.tree.node(number) {
                Node::End { .. } => {}
                Node::Chance { outcomes, .. } => now.chance += self.tree.outcomes(outcomes).len() as u32,
                Node::Decision { set, .. } => now.decisions += self.row(set).len() as u32,
            }
        }
    }

    /// The whole tree.
    pub(super) fn finished(self) -> Tree {
        self.tree.finished(self.starts)
    }
}

impl Tree {
    /// Numbers the sets anew and fills in what follows from all nodes, given the starts of the rows.
    fn finished(mut self, starts: Vec<u32>) -> Self {
        self.starts = starts.into();
        let shapes = self.sort_sets();
        let mut sizes = vec![0; self.num_sets() + 1];
        let decisions = || {
            self.nodes.iter().zip(0_u32..).filter_map(|(node, number)| match node.node() {
                Node::Decision { set, .. } => Some((set as usize, number)),
                Node::Chance { .. } | Node::End { .. } => None,
            })
        };
        decisions().for_each(|(set, _)| sizes[set + 1] += 1);
        for set in 1..sizes.len() {
            sizes[set] += sizes[set - 1];
        }
        let mut next = sizes.clone();
        let mut members = vec![0; sizes[sizes.len() - 1] as usize];
        for (set, number) in decisions() {
            members[next[set] as usize] = number;
            next[set] += 1;
        }
        self.member_starts = sizes;
        self.members = members;
        self.layout = Layout::new(&self, &shapes, &vec![false; self.num_sets()]);
        self
    }

    /// Sorts the sets of each layer by their shapes, which are returned.
    fn sort_sets(&mut self) -> Vec<Shape> {
        let shapes = Shape::of_sets(self, &vec![false; self.num_sets()]);
        let mut order = Vec::with_capacity(self.num_sets());
        for layer in 0..self.num_layers() {
            let start = order.len();
            order.extend(self.layer(layer));
            order[start..].sort_by_key(|&set: &u32| shapes[set as usize]);
        }
        let (mut numbers, mut starts) = (vec![0; order.len()], vec![0]);
        for (number, &set) in (0..).zip(&order) {
            numbers[set as usize] = number;
            starts.push(starts[number as usize] + self.width(set));
        }
        let moved = |row: u32| {
            let set = self.starts.partition_point(|&start| start <= row) - 1;
            starts[numbers[set] as usize] + row - self.starts[set]
        };
        let previous = |&set: &u32| self.previous(set).map_or(NONE, moved);
        self.previous = order.iter().map(previous).collect();
        self.movers = order.iter().map(|&set| self.mover(set)).collect();
        self.actions = order.iter().flat_map(|&set| self.actions(set)).copied().collect();
        self.starts = starts.into();
        for node in &mut self.nodes {
            if let Node::Decision { set, first } = node.node() {
                *node = Packed::new(Node::Decision { set: numbers[set as usize], first });
            }
        }
        order.iter().map(|&set| shapes[set as usize]).collect()
    }
}

/// A node on the way from the list to the tree: its place in the list, and for each seat the place in a policy of the
/// seat's last action.
#[derive(Clone, Copy)]
struct Listing {
    place: u32,
    last_rows: [u32; MAX_SEATS],
}

/// A tree made from a list.
struct Assembly<'a> {
    builder: TreeBuilder,
    listed: &'a Listed,
    watch: WatchOf<'a, usize>,
    /// The set in the tree of each set in the list, or [`NONE`].
    sets: Vec<u32>,
    /// The first set of the present layer.
    first_set: u32,
}

/// Nodes between two questions to the watcher.
const NODES_PER_POLL: usize = 1 << 14;

/// Makes a tree from a list of all histories.
pub(super) fn assemble(builder: TreeBuilder, listed: &Listed, watch: WatchOf<'_, usize>) -> Result<Tree, BuildError> {
    let sets = vec![NONE; listed.sets.len()];
    let mut own = Assembly { builder, listed, watch, sets, first_set: 0 };
    let mut layer = vec![Listing { place: 0, last_rows: [NONE; MAX_SEATS] }];
    own.builder.push(0);
    let mut start = 0;
    while !layer.is_empty() {
        (layer, start) = own.layer(&layer, start)?;
    }
    Ok(own.builder.finished())
}

impl Assembly<'_> {
    /// Fills in the nodes of a layer, which begins at the node `start`. Returns the next layer and where it begins.
    fn layer(&mut self, after_choice: &[Listing], start: usize) -> Result<(Vec<Listing>, usize), BuildError> {
        self.first_set = self.builder.tree.movers.len() as u32;
        let drawn_start = self.builder.len();
        let mut drawn = Vec::new();
        for (number, &from) in (start..).zip(after_choice) {
            if let ListedNode::Chance { .. } = self.listed.nodes[from.place as usize] {
                let (mut outcomes, before) = (Vec::new(), drawn.len());
                self.draw(from, 1.0, &mut Vec::new(), &mut outcomes, &mut drawn);
                let outcomes = self.builder.outcomes(&outcomes);
                let first = (drawn_start + before) as u32;
                self.builder.set(number, Node::Chance { first, outcomes });
            }
        }
        drawn.iter().for_each(|_| self.builder.push(0));
        let end = self.builder.len();
        let mut next = Vec::new();
        self.choose(after_choice, start, &mut next)?;
        let after_drawn = self.builder.len();
        self.choose(&drawn, drawn_start, &mut next)?;
        self.builder.finish_layer(start, drawn_start, end, after_drawn);
        Ok((next, end))
    }

    /// Adds the results of consecutive random events.
    fn draw(
        &self,
        from: Listing,
        probability: f64,
        run: &mut Vec<Action>,
        outcomes: &mut Vec<(f64, Vec<Action>)>,
        drawn: &mut Vec<Listing>,
    ) {
        let ListedNode::Chance { first, chance } = self.listed.nodes[from.place as usize] else {
            outcomes.push((probability, run.clone()));
            drawn.push(from);
            return;
        };
        for (place, outcome) in (first..).zip(&self.listed.chances[chance as usize]) {
            run.push(outcome.action);
            self.draw(Listing { place, ..from }, probability * outcome.probability, run, outcomes, drawn);
            run.pop();
        }
    }

    /// Fills in decisions and ends, and appends the nodes that follow.
    fn choose(&mut self, from: &[Listing], start: usize, next: &mut Vec<Listing>) -> Result<(), BuildError> {
        for (number, &Listing { place, mut last_rows }) in (start..).zip(from) {
            if number.is_multiple_of(NODES_PER_POLL) {
                goes_on((self.watch)(self.builder.len()))?;
            }
            match self.listed.nodes[place as usize] {
                ListedNode::Chance { .. } => {}
                ListedNode::End { returns } => {
                    let returns = self.builder.returns(&self.listed.returns[returns as usize]);
                    self.builder.set(number, Node::End { returns });
                }
                ListedNode::Decision { first, set } => {
                    let mover = self.listed.sets[set as usize].seat.index();
                    let own = self.set(set, last_rows[mover])?;
                    self.builder.set(number, Node::Decision { set: own, first: self.builder.len() as u32 });
                    for (row, place) in self.builder.row(own).zip(first..) {
                        last_rows[mover] = row;
                        next.push(Listing { place, last_rows });
                        self.builder.push(0);
                    }
                }
            }
        }
        Ok(())
    }

    /// The set in the tree of a set in the list, at a node before which its player last acted at `last_row`.
    fn set(&mut self, set: u32, last_row: u32) -> Result<u32, BuildError> {
        let known = &mut self.sets[set as usize];
        if *known == NONE {
            let listed = &self.listed.sets[set as usize];
            *known = self.builder.add_set(listed.seat, &listed.actions, last_row);
            return Ok(*known);
        }
        let game = self.builder.tree.game_name;
        if *known < self.first_set {
            return Err(BuildError::UnnoticedMoves { game, seat: self.listed.sets[set as usize].seat });
        }
        if self.builder.tree.previous[*known as usize] != last_row {
            return Err(BuildError::ImperfectRecall { game });
        }
        Ok(*known)
    }
}
