//! The order in which passes visit a tree, and where they keep a number for each of its nodes.
//!
//! The sets of a layer are sorted by [`Shape`]. Those of one shape form a run, and several runs a task. The numbers of
//! a set's nodes are adjacent and in the order of the sets, so a pass reads them in order and jumps only for their
//! children. The ends after closing actions have no number, because their values follow from those of their parents.
//! The solvers' layout leaves out forced endings for the same reason.

use std::ops::Range;

use stier_core::Seat;

use super::{Node, Tree};

/// The number of nodes in the sets of a task.
const MEMBERS: usize = 1 << 10;

/// The cost of beginning a run, in numbers that are read.
const RUN: usize = 1 << 6;

/// The most times that sets which must not be left out are looked for.
const ROUNDS: usize = 4;

/// The places of nodes that have none, or none yet.
const NOWHERE: u32 = u32::MAX;
const UNKNOWN: u32 = u32::MAX - 1;

/// The facts about a set that a pass needs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Shape {
    pub(super) mover: Seat,
    /// The number of actions.
    pub(super) width: u32,
    /// The closing actions, which end the game after every history of the set: a bit for each rank. Only the first 64
    /// actions can be closing.
    pub(super) closing: u64,
}

impl Shape {
    /// The shapes of all sets of a tree. An action is also closing if it always leads to sets that are `left_out`.
    pub(super) fn of_sets(tree: &Tree, left_out: &[bool]) -> Vec<Self> {
        let open = |set| Self { mover: tree.mover(set), width: tree.width(set), closing: u64::MAX };
        let mut shapes: Vec<Self> = tree.set_numbers().map(open).collect();
        for node in tree.nodes() {
            if let Node::Decision { set, first } = node {
                let shape = &mut shapes[set as usize];
                let ranks = (0..shape.width.min(u64::BITS)).filter(|rank| ends(tree, left_out, first + rank));
                shape.closing &= ranks.map(|rank| 1 << rank).sum::<u64>();
            }
        }
        shapes
    }

    pub(super) fn closes(self, rank: u32) -> bool {
        rank < u64::BITS && self.closing >> rank & 1 == 1
    }
}

/// The places of numbers, and the order in which they are visited.
#[derive(Clone, Default, Debug)]
pub(crate) struct Layout {
    /// The number of places. The first belong to the members of all sets, in their order.
    len: usize,
    /// The place of the root.
    pub(super) root: u32,
    runs: Vec<Run>,
    /// The first run of each task, and the number of runs.
    tasks: Vec<u32>,
    /// The places of children, except after closing actions: by member and rank. Then those of the children of chance
    /// nodes.
    pub(super) children: Vec<u32>,
    /// The numbers of the returns after closing actions: by member and rank.
    pub(super) closed: Vec<u32>,
    chances: Vec<ChancePlaces>,
    /// The places of all other ends, with the numbers of their returns.
    ends: Vec<(u32, u32)>,
    /// By layer, and after the last: the first task, chance node and end.
    layers: Vec<[u32; 3]>,
}

/// Adjacent sets of one shape.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(super) shape: Shape,
    pub(super) sets: Range<u32>,
    /// The start of their children in [`Layout::children`].
    pub(super) children: u32,
    /// The start of their returns in [`Layout::closed`].
    pub(super) closed: u32,
}

impl Run {
    /// The seat that acts at the sets.
    pub(crate) fn mover(&self) -> Seat {
        self.shape.mover
    }

    /// The sets.
    pub(crate) fn sets(&self) -> Range<u32> {
        self.sets.clone()
    }

    /// The number of sets.
    pub(crate) fn num_sets(&self) -> usize {
        self.sets.len()
    }

    /// The number of actions of each set.
    pub(crate) fn width(&self) -> usize {
        self.shape.width as usize
    }

    /// The number of actions of all sets.
    pub(crate) fn num_rows(&self) -> usize {
        self.num_sets() * self.width()
    }
}

/// The places of a chance node and its children.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChancePlaces {
    pub(super) here: u32,
    /// The start of the children in [`Layout::children`].
    pub(super) children: u32,
    /// The number of its list of [outcomes](Tree::outcomes).
    pub(super) outcomes: u32,
}

impl Layout {
    /// A layout without the sets that are `left_out`.
    pub(super) fn new(tree: &Tree, shapes: &[Shape], left_out: &[bool]) -> Self {
        let mut layout = Self { tasks: vec![0], ..Self::default() };
        let places = layout.number(tree, shapes);
        for layer in 0..tree.num_layers() {
            layout.layers.push(layout.counts());
            let mut sets = tree.layer(layer).filter(|&set| !left_out[set as usize]);
            layout.arrange(tree, shapes, &mut sets, &places);
            layout.others(tree, layer, &places);
        }
        layout.layers.push(layout.counts());
        layout
    }

    /// A layout without forced endings, for passes that need no numbers there; `None` if it would not be shorter, or
    /// finding it takes more than [`ROUNDS`]. They are the sets with a single action, which ends the game or leads to
    /// other forced endings, if they are only reached by closing actions.
    pub(crate) fn without_forced_endings(tree: &Tree) -> Option<Self> {
        let mut left_out = vec![false; tree.num_sets()];
        for set in tree.set_numbers().rev().filter(|&set| tree.width(set) == 1) {
            left_out[set as usize] = tree.members(set).iter().all(|&member| match tree.node(member) {
                Node::Decision { first, .. } => ends(tree, &left_out, first),
                Node::Chance { .. } | Node::End { .. } => unreachable!("it is a member of a set"),
            });
        }
        // Sets that are kept may keep others in turn.
        for _ in 0..ROUNDS {
            let shapes = Shape::of_sets(tree, &left_out);
            let kept = reached_otherwise(tree, &shapes, &left_out);
            if kept.is_empty() {
                let found = left_out.contains(&true).then(|| Self::new(tree, &shapes, &left_out));
                return found.filter(|found| found.cost() < tree.layout.cost());
            }
            kept.into_iter().for_each(|set| left_out[set as usize] = false);
        }
        None
    }

    /// The cost of a pass, in numbers that are read.
    fn cost(&self) -> usize {
        self.children.len() + self.closed.len() + RUN * self.runs.len()
    }

    fn counts(&self) -> [u32; 3] {
        [self.tasks.len() as u32 - 1, self.chances.len() as u32, self.ends.len() as u32]
    }

    /// Gives places to all nodes but the ends after closing actions. Returns them by node.
    fn number(&mut self, tree: &Tree, shapes: &[Shape]) -> Vec<u32> {
        let mut places = vec![UNKNOWN; tree.num_nodes()];
        (0..).zip(&tree.members).for_each(|(place, &member)| places[member as usize] = place);
        self.len = tree.members.len();
        for (number, node) in tree.nodes().enumerate() {
            match node {
                Node::Decision { set, first } => {
                    let shape = shapes[set as usize];
                    let closed = (0..shape.width).filter(|&rank| shape.closes(rank));
                    closed.for_each(|rank| places[(first + rank) as usize] = NOWHERE);
                }
                Node::Chance { .. } | Node::End { .. } if places[number] == UNKNOWN => {
                    places[number] = self.len as u32;
                    self.len += 1;
                }
                Node::Chance { .. } | Node::End { .. } => {}
            }
        }
        self.root = places[Tree::ROOT as usize];
        places
    }

    /// Cuts sets of a layer into runs and tasks.
    fn arrange(&mut self, tree: &Tree, shapes: &[Shape], sets: &mut dyn Iterator<Item = u32>, places: &[u32]) {
        let mut members = 0;
        for set in sets {
            let shape = shapes[set as usize];
            let is_next = |run: &Run| run.shape == shape && run.sets.end == set;
            if members == 0 || !self.runs.last().is_some_and(is_next) {
                let (children, closed) = (self.children.len() as u32, self.closed.len() as u32);
                self.runs.push(Run { shape, sets: set..set, children, closed });
            }
            self.runs.last_mut().expect("it has just begun").sets.end = set + 1;
            for &member in tree.members(set) {
                let Node::Decision { first, .. } = tree.node(member) else { unreachable!("it is a member of a set") };
                for rank in 0..shape.width {
                    match shape.closes(rank) {
                        true => self.closed.push(forced_returns(tree, first + rank)),
                        false => self.children.push(places[(first + rank) as usize]),
                    }
                }
            }
            members += tree.members(set).len();
            if members >= MEMBERS {
                self.tasks.push(self.runs.len() as u32);
                members = 0;
            }
        }
        if members > 0 {
            self.tasks.push(self.runs.len() as u32);
        }
    }

    /// Notes the chance nodes and ends of a layer.
    fn others(&mut self, tree: &Tree, layer: usize, places: &[u32]) {
        let [after_choice, after_chance] = tree.levels[layer];
        for number in after_choice.start..after_chance.end {
            match (places[number as usize], tree.node(number)) {
                (here, Node::Chance { first, outcomes }) => {
                    self.chances.push(ChancePlaces { here, children: self.children.len() as u32, outcomes });
                    let count = tree.outcomes(outcomes).len();
                    self.children.extend(&places[first as usize..first as usize + count]);
                }
                (NOWHERE, Node::End { .. }) | (_, Node::Decision { .. }) => {}
                (here, Node::End { returns }) => self.ends.push((here, returns)),
            }
        }
    }

    /// The number of places.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The range of a layer's tasks, chance nodes or ends.
    fn range(&self, layer: usize, kind: usize) -> Range<usize> {
        self.layers[layer][kind] as usize..self.layers[layer + 1][kind] as usize
    }

    /// The tasks of a layer: runs of sets.
    pub(crate) fn tasks(&self, layer: usize) -> impl Iterator<Item = &[Run]> {
        (0..self.num_tasks(layer)).map(move |task| self.task(layer, task))
    }

    /// The number of tasks of a layer.
    pub(super) fn num_tasks(&self, layer: usize) -> usize {
        self.range(layer, 0).len()
    }

    /// A task of a layer, by its place.
    pub(super) fn task(&self, layer: usize, place: usize) -> &[Run] {
        let task = self.range(layer, 0).start + place;
        &self.runs[self.tasks[task] as usize..self.tasks[task + 1] as usize]
    }

    /// The chance nodes of a layer.
    pub(super) fn chances(&self, layer: usize) -> &[ChancePlaces] {
        &self.chances[self.range(layer, 1)]
    }

    /// The ends of a layer, but for those after closing actions, with the numbers of their returns.
    pub(super) fn ends(&self, layer: usize) -> &[(u32, u32)] {
        &self.ends[self.range(layer, 2)]
    }
}

/// True at an end, and in a set that is left out.
fn ends(tree: &Tree, left_out: &[bool], node: u32) -> bool {
    match tree.node(node) {
        Node::Decision { set, .. } => left_out[set as usize],
        Node::Chance { .. } => false,
        Node::End { .. } => true,
    }
}

/// The sets that are `left_out`, but begin the game, follow chance or an action that is not closing, or whose own
/// action is not closing.
fn reached_otherwise(tree: &Tree, shapes: &[Shape], left_out: &[bool]) -> Vec<u32> {
    let mut kept: Vec<u32> = tree.set_numbers().filter(|&set| shapes[set as usize].closing == 0).collect();
    let mut keep = |child| match tree.node(child) {
        Node::Decision { set, .. } => kept.push(set),
        Node::Chance { .. } | Node::End { .. } => {}
    };
    keep(Tree::ROOT);
    for node in tree.nodes() {
        match node {
            Node::Decision { set, first } => {
                let shape = shapes[set as usize];
                (0..shape.width).filter(|&rank| !shape.closes(rank)).for_each(|rank| keep(first + rank));
            }
            Node::Chance { first, outcomes } => {
                (first..).zip(tree.outcomes(outcomes)).for_each(|(child, _)| keep(child))
            }
            Node::End { .. } => {}
        }
    }
    kept.retain(|&set| left_out[set as usize]);
    kept
}

/// The number of the returns after a node from which on no player has a choice.
fn forced_returns(tree: &Tree, mut node: u32) -> u32 {
    loop {
        match tree.node(node) {
            Node::Decision { first, .. } => node = first,
            Node::End { returns } => return returns,
            Node::Chance { .. } => unreachable!("no chance between a closing action and the end"),
        }
    }
}
