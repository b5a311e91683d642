//! A tree from a [list](Listed) of all histories, and what both ways to make a tree share.

use std::collections::hash_map::Entry;
use std::ops::ControlFlow;

use rustc_hash::FxHashMap;
use stier_core::listed::{Listed, ListedNode};
use stier_core::seats::MAX_SEATS;
use stier_core::{Action, BySeat, Game};

use crate::agent::threads::goes_on;

use super::layout::{Layout, Shape};
use super::{BuildError, Children, Level, NONE, Node, Outcomes, Packed, STRIDE, Tree};

/// The numbers of returns and of lists of outcomes, each of which a tree has once.
#[derive(Default)]
pub(super) struct Numbers {
    returns: FxHashMap<[u64; MAX_SEATS], u32>,
    outcomes: FxHashMap<Vec<u64>, u32>,
}

impl Numbers {
    /// The number of these returns.
    pub(super) fn of_returns(&mut self, tree: &mut Tree, returns: &BySeat<f64>) -> u32 {
        let mut bits = [0; MAX_SEATS];
        bits.iter_mut().zip(returns.iter()).for_each(|(bits, value)| *bits = value.to_bits());
        *self.returns.entry(bits).or_insert_with(|| {
            tree.returns.push(returns.clone());
            tree.returns.len() as u32 - 1
        })
    }

    /// The number of a list of outcomes, each a probability and the random events that lead to it.
    pub(super) fn of_outcomes(&mut self, tree: &mut Tree, list: &[(f64, Vec<Action>)]) -> u32 {
        let mut key = Vec::with_capacity(3 * list.len());
        for (probability, run) in list {
            key.push(probability.to_bits());
            key.push(run.len() as u64);
            key.extend(run.chunks(8).map(|eight| eight.iter().fold(0, |word, event| word << 8 | u64::from(event.0))));
        }
        match self.outcomes.entry(key) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(entry) => {
                let outcomes = &mut tree.outcomes;
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
}

impl Tree {
    /// A tree of this game without nodes.
    pub(super) fn empty(game: &impl Game) -> Self {
        Self {
            game_name: game.name(),
            rules: game.rules().to_text(),
            seats: game.num_seats(),
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
        }
    }

    /// Notes where children begin, for the nodes of the last layer.
    pub(super) fn mark(&mut self, starts: &[u32]) {
        let tree = self;
        for level in *tree.levels.last().expect("there is a layer") {
            let mut now = level.first;
            for number in level.start..level.end {
                if (number as usize).is_multiple_of(STRIDE) {
                    tree.marks.push(now);
                }
                match tree.nodes[number as usize].node() {
                    Node::End { .. } => {}
                    Node::Chance { outcomes, .. } => {
                        let lists = &tree.outcomes.lists;
                        now.chance += lists[outcomes as usize + 1] - lists[outcomes as usize];
                    }
                    Node::Decision { set, .. } => {
                        now.decisions += starts[set as usize + 1] - starts[set as usize];
                    }
                }
            }
        }
    }

    /// Numbers the sets anew and fills in what follows from all nodes, given the starts of the rows.
    pub(super) fn finished(mut self, starts: Vec<u32>) -> Self {
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

/// A node on the way from the list to the tree: its place in the list, and for each seat the place in a policy of the seat's
/// last action.
#[derive(Clone, Copy)]
struct Listing {
    place: u32,
    last_rows: [u32; MAX_SEATS],
}

/// A tree made from a list.
struct Assembly<'a> {
    tree: Tree,
    starts: Vec<u32>,
    numbers: Numbers,
    listed: &'a Listed,
    /// The set in the tree of each set in the list, or [`NONE`].
    sets: Vec<u32>,
    /// The first set of the present layer.
    first_set: u32,
}

/// Nodes between two questions to the watcher.
const NODES_PER_POLL: usize = 1 << 14;

/// Makes a tree from a list of all histories.
pub(super) fn assemble(
    tree: Tree,
    listed: &Listed,
    watch: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
) -> Result<Tree, BuildError> {
    let sets = vec![NONE; listed.sets.len()];
    let mut own = Assembly { tree, starts: vec![0], numbers: Numbers::default(), listed, sets, first_set: 0 };
    let mut layer = vec![Listing { place: 0, last_rows: [NONE; MAX_SEATS] }];
    own.tree.nodes.push(Packed::new(Node::End { returns: 0 }));
    let mut start = 0;
    while !layer.is_empty() {
        (layer, start) = own.layer(&layer, start, watch)?;
    }
    Ok(own.tree.finished(own.starts))
}

impl Assembly<'_> {
    /// Fills in the nodes of a layer, which begins at the node `start`. Returns the next layer and where it begins.
    fn layer(
        &mut self,
        after_choice: &[Listing],
        start: usize,
        watch: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
    ) -> Result<(Vec<Listing>, usize), BuildError> {
        self.first_set = self.tree.movers.len() as u32;
        let drawn_start = self.tree.nodes.len();
        let mut drawn = Vec::new();
        for (number, &from) in (start..).zip(after_choice) {
            if let ListedNode::Chance { .. } = self.listed.nodes[from.place as usize] {
                let (mut outcomes, before) = (Vec::new(), drawn.len());
                self.draw(from, 1.0, &mut Vec::new(), &mut outcomes, &mut drawn);
                let outcomes = self.numbers.of_outcomes(&mut self.tree, &outcomes);
                let first = (drawn_start + before) as u32;
                self.tree.nodes[number] = Packed::new(Node::Chance { first, outcomes });
            }
        }
        self.tree.nodes.resize(drawn_start + drawn.len(), Packed::new(Node::End { returns: 0 }));
        let end = self.tree.nodes.len();
        let mut next = Vec::new();
        self.choose(after_choice, start, &mut next, watch)?;
        let after_drawn = self.tree.nodes.len();
        self.choose(&drawn, drawn_start, &mut next, watch)?;
        let last = self.tree.nodes.len();
        let children =
            |decisions: usize, chance: usize| Children { decisions: decisions as u32, chance: chance as u32 };
        let level = |start: usize, end: usize, first, last| Level { start: start as u32, end: end as u32, first, last };
        self.tree.levels.push([
            level(start, drawn_start, children(end, drawn_start), children(after_drawn, end)),
            level(drawn_start, end, children(after_drawn, end), children(last, end)),
        ]);
        self.tree.layers.push(self.tree.movers.len() as u32);
        self.tree.mark(&self.starts);
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
    fn choose(
        &mut self,
        from: &[Listing],
        start: usize,
        next: &mut Vec<Listing>,
        watch: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
    ) -> Result<(), BuildError> {
        for (number, &Listing { place, mut last_rows }) in (start..).zip(from) {
            if number.is_multiple_of(NODES_PER_POLL) {
                goes_on(watch(self.tree.nodes.len()))?;
            }
            match self.listed.nodes[place as usize] {
                ListedNode::Chance { .. } => {}
                ListedNode::End { returns } => {
                    let returns = &self.listed.returns[returns as usize];
                    let returns = self.numbers.of_returns(&mut self.tree, returns);
                    self.tree.nodes[number] = Packed::new(Node::End { returns });
                }
                ListedNode::Decision { first, set } => {
                    let listed = &self.listed.sets[set as usize];
                    let mover = listed.seat.index();
                    let own = self.set(set, last_rows[mover])?;
                    let first_child = self.tree.nodes.len() as u32;
                    self.tree.nodes[number] = Packed::new(Node::Decision { set: own, first: first_child });
                    let row = self.starts[own as usize];
                    for (rank, place) in (0..listed.actions.len() as u32).zip(first..) {
                        last_rows[mover] = row + rank;
                        next.push(Listing { place, last_rows });
                        self.tree.nodes.push(Packed::new(Node::End { returns: 0 }));
                    }
                }
            }
        }
        Ok(())
    }

    /// The set in the tree of a set in the list, at a node before which its player last acted at `last_row`.
    fn set(&mut self, set: u32, last_row: u32) -> Result<u32, BuildError> {
        let known = self.sets[set as usize];
        if known == NONE {
            let number = self.tree.movers.len() as u32;
            self.sets[set as usize] = number;
            let listed = &self.listed.sets[set as usize];
            self.tree.movers.push(listed.seat);
            self.tree.actions.extend(&listed.actions);
            self.tree.previous.push(last_row);
            self.starts.push(self.starts[number as usize] + listed.actions.len() as u32);
            return Ok(number);
        }
        let game = self.tree.game_name;
        if known < self.first_set {
            return Err(BuildError::HiddenMoves { game });
        }
        if self.tree.previous[known as usize] != last_row {
            return Err(BuildError::ImperfectRecall { game });
        }
        Ok(known)
    }
}
