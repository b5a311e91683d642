//! The shape of a tree: its nodes, information sets and outcomes of chance.

use std::ops::Range;
use std::sync::Arc;

use stier_core::{Action, BySeat, Seat};

use super::{Layout, Run};

/// Marks the absence of an earlier decision.
pub(super) const NONE: u32 = u32::MAX;

/// One history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// One or more consecutive random events.
    Chance {
        /// The number of the first child; one for each outcome.
        first: u32,
        /// The number of its list of [outcomes](Tree::outcomes).
        outcomes: u32,
    },
    /// A decision.
    Decision {
        /// The information set.
        set: u32,
        /// The number of the first child; one for each action of the set.
        first: u32,
    },
    /// The end of the game.
    End {
        /// The number of its [returns](Tree::returns).
        returns: u32,
    },
}

/// A node in 8 bytes: the number of the first child, and another number with the node's kind in the highest two bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed {
    pub(super) first: u32,
    pub(super) tag: u32,
}

pub(super) const CHANCE: u32 = 1 << 30;
pub(super) const DECISION: u32 = 2 << 30;
pub(super) const NUMBER: u32 = CHANCE - 1;

impl Packed {
    pub(super) fn new(node: Node) -> Self {
        let (kind, number, first) = match node {
            Node::End { returns } => (0, returns, 0),
            Node::Chance { first, outcomes } => (CHANCE, outcomes, first),
            Node::Decision { set, first } => (DECISION, set, first),
        };
        debug_assert!(number <= NUMBER);
        Self { first, tag: kind | number }
    }

    #[inline(always)]
    pub(super) fn node(self) -> Node {
        let (number, first) = (self.tag & NUMBER, self.first);
        match self.tag & !NUMBER {
            DECISION => Node::Decision { set: number, first },
            CHANCE => Node::Chance { first, outcomes: number },
            _ => Node::End { returns: number },
        }
    }
}

/// Adjacent nodes whose children all come later. Levels alternate between nodes after a choice (including the root)
/// and nodes after chance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Level {
    /// The first node.
    pub(super) start: u32,
    /// The end (exclusive).
    pub(super) end: u32,
    /// The first children.
    pub(super) first: Children,
    /// The ends (exclusive) of the children.
    pub(super) last: Children,
}

/// The first children of decisions and of chance nodes, counted from some node on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Children {
    pub(super) decisions: u32,
    pub(super) chance: u32,
}

/// The start of the children is stored once per this many nodes.
pub(super) const STRIDE: usize = 1 << 10;

/// The shape of a [`GameTree`](super::GameTree): all that passes over it need, without the type of the game.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(crate) game_name: &'static str,
    pub(super) rules: String,
    pub(super) seats: usize,
    pub(super) nodes: Vec<Packed>,
    /// Two levels for each number of earlier choices.
    pub(super) levels: Vec<[Level; 2]>,
    /// The children's starts for each [`STRIDE`]-th node.
    pub(super) marks: Vec<Children>,
    /// By set.
    pub(super) movers: Vec<Seat>,
    /// The legal actions of all sets, ascending: by place in a policy.
    pub(super) actions: Vec<Action>,
    /// The start of each set's row in a policy, and the end of the last row.
    pub(super) starts: Arc<[u32]>,
    /// By set: the place in a policy of the mover's previous action, or [`NONE`].
    pub(super) previous: Vec<u32>,
    /// The first set for each number of earlier choices, and the total number of sets.
    pub(super) layers: Vec<u32>,
    /// The nodes of all sets, one set after another, and the start of each set.
    pub(super) members: Vec<u32>,
    pub(super) member_starts: Vec<u32>,
    pub(super) outcomes: Outcomes,
    pub(super) returns: Vec<BySeat<f64>>,
    pub(super) layout: Layout,
}

/// The different lists of outcomes of chance nodes.
#[derive(Clone, Debug)]
pub(super) struct Outcomes {
    /// The first outcome of each list, and the total number of outcomes.
    pub(super) lists: Vec<u32>,
    /// By outcome.
    pub(super) probabilities: Vec<f64>,
    /// The first event of each outcome, and the total number of events.
    pub(super) starts: Vec<u32>,
    pub(super) events: Vec<Action>,
}

impl Tree {
    /// The number of the root.
    pub const ROOT: u32 = 0;

    /// The first line of files about this tree, in this format: game, rules and sizes.
    pub(crate) fn heading(&self, format: &str) -> String {
        let (nodes, sets, rows) = (self.num_nodes(), self.num_sets(), self.num_rows());
        format!("{format} {}:{} histories={nodes} sets={sets} actions={rows}", self.game_name, self.rules)
    }

    /// The number of seats.
    pub fn num_seats(&self) -> usize {
        self.seats
    }

    /// The number of histories.
    pub fn num_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// One history.
    #[inline]
    pub fn node(&self, number: u32) -> Node {
        self.nodes[number as usize].node()
    }

    /// Every history, the root first.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = Node> + '_ {
        self.nodes.iter().map(|node| node.node())
    }

    /// The number of information sets.
    pub fn num_sets(&self) -> usize {
        self.movers.len()
    }

    /// The numbers of all information sets, ascending by the number of earlier choices.
    pub fn set_numbers(&self) -> Range<u32> {
        0..self.num_sets() as u32
    }

    /// All information sets, ascending by their first histories: their order in files.
    pub(crate) fn sets_in_files(&self) -> Vec<u32> {
        let mut sets: Vec<u32> = self.set_numbers().collect();
        sets.sort_unstable_by_key(|&set| self.members(set)[0]);
        sets
    }

    /// The number of actions of all information sets, which is the length of a policy.
    pub fn num_rows(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    /// The probabilities of a list of outcomes; they sum to 1.
    #[inline]
    pub fn outcomes(&self, outcomes: u32) -> &[f64] {
        let lists = &self.outcomes.lists;
        &self.outcomes.probabilities[lists[outcomes as usize] as usize..lists[outcomes as usize + 1] as usize]
    }

    /// The random events of an outcome. If there are several sequences, this is the first in ascending order.
    pub fn events(&self, outcomes: u32, rank: u32) -> &[Action] {
        let outcome = (self.outcomes.lists[outcomes as usize] + rank) as usize;
        &self.outcomes.events[self.outcomes.starts[outcome] as usize..self.outcomes.starts[outcome + 1] as usize]
    }

    /// The returns at the end of a game.
    #[inline]
    pub fn returns(&self, returns: u32) -> &BySeat<f64> {
        &self.returns[returns as usize]
    }

    /// The number of actions of an information set.
    #[inline]
    pub fn width(&self, set: u32) -> u32 {
        self.starts[set as usize + 1] - self.starts[set as usize]
    }

    /// The legal actions of an information set, ascending.
    #[inline]
    pub fn actions(&self, set: u32) -> &[Action] {
        &self.actions[self.row(set)]
    }

    /// The nodes of an information set, ascending.
    #[inline]
    pub fn members(&self, set: u32) -> &[u32] {
        &self.members[self.member_range(set)]
    }

    /// The places of a set's nodes among the members of all sets.
    #[inline]
    pub(super) fn member_range(&self, set: u32) -> Range<usize> {
        self.member_starts[set as usize] as usize..self.member_starts[set as usize + 1] as usize
    }

    /// The returns of a seat, by number.
    pub(crate) fn payoffs(&self, seat: Seat) -> Vec<f64> {
        self.returns.iter().map(|returns| returns[seat]).collect()
    }

    /// The places of a set's actions in a policy.
    #[inline]
    pub(crate) fn row(&self, set: u32) -> Range<usize> {
        self.starts[set as usize] as usize..self.starts[set as usize + 1] as usize
    }

    /// The place in a policy of the mover's previous action; `None` if this is its first decision.
    #[inline]
    pub(crate) fn previous(&self, set: u32) -> Option<u32> {
        Some(self.previous[set as usize]).filter(|&row| row != NONE)
    }

    /// The start of each set's actions in a policy, and the end of the last.
    pub(crate) fn starts(&self) -> &Arc<[u32]> {
        &self.starts
    }

    /// The mover's previous information set and the rank of the action chosen there; `None` if this is its first
    /// decision.
    pub(crate) fn previous_choice(&self, set: u32) -> Option<(u32, u32)> {
        let row = self.previous(set)?;
        let number = self.starts.partition_point(|&start| start <= row) as u32 - 1;
        Some((number, row - self.starts[number as usize]))
    }

    /// By set: the place in a policy of the mover's last choice among several actions, which it made with the
    /// probability of reaching the set by its own choices.
    pub(crate) fn last_choices(&self) -> Vec<Option<u32>> {
        let mut choices: Vec<Option<u32>> = Vec::with_capacity(self.num_sets());
        for set in self.set_numbers() {
            let last = self.previous_choice(set).and_then(|(before, rank)| match self.width(before) {
                1 => choices[before as usize],
                _ => Some(self.starts[before as usize] + rank),
            });
            choices.push(last);
        }
        choices
    }

    /// The largest number of choices in a history plus 1: the range of [`layer`](Self::layer) and of the passes.
    pub(crate) fn num_layers(&self) -> usize {
        self.levels.len()
    }

    /// The information sets with this many choices before them.
    pub(crate) fn layer(&self, choices: usize) -> Range<u32> {
        self.layers[choices]..self.layers[choices + 1]
    }

    /// The tasks of a layer: runs of sets.
    pub(crate) fn tasks(&self, choices: usize) -> impl Iterator<Item = &[Run]> {
        self.layout.tasks(choices)
    }

    /// The seat that acts at a set.
    #[inline]
    pub fn mover(&self, set: u32) -> Seat {
        self.movers[set as usize]
    }

    /// The parent of a node and the rank of the action or outcome that leads to the node; `None` for the root.
    pub fn parent(&self, number: u32) -> Option<(u32, u32)> {
        if number == Self::ROOT {
            return None;
        }
        let layer = self.levels.partition_point(|[after_choice, _]| after_choice.start <= number) - 1;
        // While the tree grows, nodes after the last layer are children of its choices.
        let drawn = self.levels[layer][1];
        let after_chance = (drawn.start..drawn.end).contains(&number);
        let begin = |children: &Children| if after_chance { children.chance } else { children.decisions };
        let mark = self.marks.partition_point(|mark| begin(mark) <= number) - 1;
        let kind = if after_chance { CHANCE } else { DECISION };
        let nodes = &self.nodes[mark * STRIDE..];
        let near = nodes.iter().take(STRIDE).enumerate().rev();
        let (place, node) = near
            .into_iter()
            .find(|(_, node)| node.tag & !NUMBER == kind && node.first <= number)
            .expect("every node but the root has a parent");
        Some(((mark * STRIDE + place) as u32, number - node.first))
    }

    /// The events that lead to a node, given the starts of the rows of sets.
    pub(super) fn events_to(&self, starts: &[u32], number: u32) -> Vec<Action> {
        let mut path = Vec::new();
        let mut at = number;
        while let Some((parent, rank)) = self.parent(at) {
            path.push((parent, rank));
            at = parent;
        }
        let mut events = Vec::new();
        for (parent, rank) in path.into_iter().rev() {
            match self.node(parent) {
                Node::Chance { outcomes, .. } => events.extend(self.events(outcomes, rank)),
                Node::Decision { set, .. } => events.push(self.actions[(starts[set as usize] + rank) as usize]),
                Node::End { .. } => unreachable!("nothing follows an end"),
            }
        }
        events
    }
}
