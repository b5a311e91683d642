//! A whole game in memory: every history a node, nodes that their mover cannot tell apart one information set.
//!
//! What is exact works on it: the values of policies, [best responses](crate::best_response), [counterfactual regret
//! minimization](crate::cfr), the [sequence form](crate::sequence_form).
//!
//! Random events in a row are one chance node, whose outcomes are the different results: two sequences of events that lead to the
//! same state and leave every seat with the same view are one outcome with the sum of their probabilities. How a hand was dealt
//! card by card does not matter, then, and information sets and values are those of the game.
//!
//! Nodes are numbered level by level: children side by side, after all nodes of their parent's level. A pass over the tree works
//! through one level after the other, each in parallel, and adds up in the same order whatever the number of threads.
//!
//! A history takes 8 bytes, a decision 4 more, an information set about 25. Views are not kept: a set knows its histories and
//! [replays](InformationSet::view) one. Building holds the states of two layers, those with as many choices before them and one more,
//! besides; in a Schwinget of 7.6 million histories it took 0.2 microseconds and at most 50 bytes for each. Where several random events
//! follow each other in mid-game, views have to be taken: a small Schwimmen of 10 million took 2 microseconds and 130 bytes.
//!
//! What it expects of a game beyond the promises of [`Game`]: [`sight`](Game::sight) shows each seat whatever a random event shows
//! it, also between two random events, and everybody knows when random events happen, though not what they bring.

mod growth;
mod passes;
mod policy;
mod size;

use std::iter::FusedIterator;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use stier_core::{Action, ActionSet as _, BySeat, Game, History, Seat};
use thiserror::Error;

use growth::Growth;
pub(crate) use passes::{Task, for_each_task, reach_layer, row_tasks, sum_up_layer};
pub use policy::Policy;
pub use size::{TreeSize, estimate_size};

/// The game has more histories than allowed.
#[derive(Clone, Copy, PartialEq, Debug, Error)]
pub enum TooLarge {
    /// So many have been counted, and there are more.
    #[error("the game has more than {most} histories")]
    Counted {
        /// How many were allowed.
        most: usize,
    },
    /// Nothing has been counted: the game is clearly larger.
    #[error("the game has about {:.1e} histories, estimated from random games, and {most} are allowed", .estimate.histories)]
    Estimated {
        /// How many were allowed.
        most: usize,
        /// The estimated size.
        estimate: TreeSize,
    },
}

/// Why there is no tree.
#[derive(Clone, Copy, PartialEq, Debug, Error)]
pub enum BuildError {
    /// The game has [hidden moves](stier_core::GameInfo::hidden_moves): its information sets do not lie in one layer.
    #[error(
        "{game} cannot be enumerated under these rules: players miss moves of each other, so that histories with different \
         numbers of decisions share an information set"
    )]
    HiddenMoves {
        /// The game.
        game: &'static str,
    },
    /// More histories than allowed.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// The watcher asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// One history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// One random event or several in a row.
    Chance {
        /// The number of the first child; one for each outcome.
        first: u32,
        /// Which of the tree's lists of [outcomes](GameTree::outcomes) it has.
        outcomes: u32,
    },
    /// A decision.
    Decision {
        /// The information set.
        set: u32,
        /// The number of the first child; one for each action of the set.
        first: u32,
    },
    /// The end.
    End {
        /// Which of the tree's different [returns](GameTree::returns) it has.
        returns: u32,
    },
}

/// A node in 8 bytes: the number of the first child, and a number with its kind in the highest two bits.
#[derive(Clone, Copy, Debug)]
struct Packed {
    first: u32,
    tag: u32,
}

const CHANCE: u32 = 1 << 30;
const DECISION: u32 = 2 << 30;
const NUMBER: u32 = CHANCE - 1;

impl Packed {
    fn new(node: Node) -> Self {
        let (kind, number, first) = match node {
            Node::End { returns } => (0, returns, 0),
            Node::Chance { first, outcomes } => (CHANCE, outcomes, first),
            Node::Decision { set, first } => (DECISION, set, first),
        };
        debug_assert!(number <= NUMBER);
        Self { first, tag: kind | number }
    }

    #[inline(always)]
    fn node(self) -> Node {
        let (number, first) = (self.tag & NUMBER, self.first);
        match self.tag & !NUMBER {
            DECISION => Node::Decision { set: number, first },
            CHANCE => Node::Chance { first, outcomes: number },
            _ => Node::End { returns: number },
        }
    }
}

/// Nodes side by side whose children all come later. There are two kinds in turn: what follows a choice (the root, too), and what
/// follows chance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Level {
    /// The first node.
    start: u32,
    /// Behind the last one.
    end: u32,
    /// The first children.
    first: Children,
    /// Behind the last children.
    last: Children,
}

/// Where the children of decisions and those of chance nodes begin, from some node on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Children {
    decisions: u32,
    chance: u32,
}

/// For every so many nodes, where their children begin is noted.
const STRIDE: usize = 1 << 10;

/// Random games from which the size of a tree is estimated before it is enumerated.
pub(crate) const PROBES: u64 = 200;

/// Stands for "no decision before".
const NONE: u32 = u32::MAX;

/// All histories of a game.
#[derive(Clone, Debug)]
pub struct GameTree<G: Game> {
    game: G,
    nodes: Vec<Packed>,
    /// Two for each number of choices made before.
    levels: Vec<[Level; 2]>,
    /// For each [`STRIDE`]-th node.
    marks: Vec<Children>,
    /// By set.
    movers: Vec<Seat>,
    legal: Vec<G::Actions>,
    /// By set, where its rows begin in a policy; one more at the end.
    starts: Arc<[u32]>,
    /// By set, the place in a policy of its mover's action before, or [`NONE`].
    previous: Vec<u32>,
    /// The first set after as many choices as the index says; one more at the end.
    layers: Vec<u32>,
    /// The nodes of all sets, one set after the other, and where each begins.
    members: Vec<u32>,
    member_starts: Vec<u32>,
    outcomes: Outcomes,
    returns: Vec<BySeat<f64>>,
}

/// The different lists of outcomes that chance nodes have.
#[derive(Clone, Debug)]
struct Outcomes {
    /// By list, its first outcome; one more at the end.
    lists: Vec<u32>,
    /// By outcome.
    probabilities: Vec<f64>,
    /// By outcome, its first event; one more at the end.
    starts: Vec<u32>,
    events: Vec<Action>,
}

impl<G: Game> GameTree<G> {
    /// The number of the root.
    pub const ROOT: u32 = 0;

    /// Enumerates the game, up to this many histories; 2^30 is the most that there can be. A game that is clearly larger by an
    /// [estimate](estimate_size) is refused before anything is enumerated. Uses the threads of the pool that it is called in; the tree does not
    /// depend on them.
    pub fn new(game: &G, most_nodes: usize) -> Result<Self, BuildError> {
        Self::build(game, most_nodes, &|_| ControlFlow::Continue(()))
    }

    /// The same; `watch` is told the number of histories again and again, and may break off.
    pub fn build(
        game: &G,
        most_nodes: usize,
        watch: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
    ) -> Result<Self, BuildError> {
        if game.info().hidden_moves {
            return Err(BuildError::HiddenMoves { game: G::NAME });
        }
        let most = most_nodes.clamp(1, NUMBER as usize);
        let estimate = estimate_size(game, PROBES);
        if estimate.exceeds(most) {
            return Err(TooLarge::Estimated { most, estimate }.into());
        }
        Growth::new(game, most, watch).grow()
    }

    /// The game that was enumerated.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The number of seats.
    pub fn num_seats(&self) -> usize {
        self.game.num_seats()
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

    /// One information set.
    pub fn set(&self, number: u32) -> InformationSet<'_, G> {
        assert!((number as usize) < self.num_sets(), "there are {} information sets, no {number}", self.num_sets());
        InformationSet { tree: self, number }
    }

    /// Every information set, ascending by the number of choices made before.
    pub fn sets(&self) -> Sets<'_, G> {
        Sets { tree: self, left: 0..self.num_sets() as u32 }
    }

    /// The number of actions of all information sets: how many numbers a policy is.
    pub fn num_rows(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    /// The probabilities of a list of outcomes; they sum to 1.
    #[inline]
    pub fn outcomes(&self, outcomes: u32) -> &[f64] {
        let lists = &self.outcomes.lists;
        &self.outcomes.probabilities[lists[outcomes as usize] as usize..lists[outcomes as usize + 1] as usize]
    }

    /// The random events that make an outcome: of all sequences that do, the first in ascending order.
    pub fn events(&self, outcomes: u32, rank: u32) -> &[Action] {
        let outcome = (self.outcomes.lists[outcomes as usize] + rank) as usize;
        &self.outcomes.events[self.outcomes.starts[outcome] as usize..self.outcomes.starts[outcome + 1] as usize]
    }

    /// The returns at an end.
    #[inline]
    pub fn returns(&self, returns: u32) -> &BySeat<f64> {
        &self.returns[returns as usize]
    }

    /// The nodes of an information set, ascending.
    pub fn members(&self, set: u32) -> &[u32] {
        let (from, to) = (self.member_starts[set as usize], self.member_starts[set as usize + 1]);
        &self.members[from as usize..to as usize]
    }

    /// How many actions an information set has.
    #[inline]
    pub fn width(&self, set: u32) -> u32 {
        self.starts[set as usize + 1] - self.starts[set as usize]
    }

    /// Where the actions of a set are in a policy.
    #[inline]
    pub(crate) fn row(&self, set: u32) -> Range<usize> {
        self.starts[set as usize] as usize..self.starts[set as usize + 1] as usize
    }

    /// Where the actions of each set begin in a policy; one more at the end.
    pub(crate) fn starts(&self) -> &Arc<[u32]> {
        &self.starts
    }

    /// The place in a policy of what the set's mover did before, if it was to act before.
    #[inline]
    pub(crate) fn previous(&self, set: u32) -> Option<u32> {
        Some(self.previous[set as usize]).filter(|&row| row != NONE)
    }

    /// The most choices that are made, and one: what [`layer`](Self::layer) and the passes count up to.
    pub(crate) fn num_layers(&self) -> usize {
        self.levels.len()
    }

    /// The information sets with this many choices before them.
    pub(crate) fn layer(&self, choices: usize) -> Range<u32> {
        self.layers[choices]..self.layers[choices + 1]
    }

    /// Who acts at a set.
    #[inline]
    pub(crate) fn mover(&self, set: u32) -> Seat {
        self.movers[set as usize]
    }

    /// The first child of a decision.
    #[inline]
    pub(crate) fn first_child(&self, node: u32) -> usize {
        self.nodes[node as usize].first as usize
    }

    /// The node from which a node is reached, and the rank of the action or outcome that leads there; `None` for the root.
    pub fn parent(&self, number: u32) -> Option<(u32, u32)> {
        if number == Self::ROOT {
            return None;
        }
        let layer = self.levels.partition_point(|[after_choice, _]| after_choice.start <= number) - 1;
        // While the tree grows, nodes behind the last layer come after its choices.
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

    /// The events that lead to a node: where several sequences of random events are one outcome, the first of them.
    pub fn history(&self, number: u32) -> History<G> {
        let mut path = Vec::new();
        let mut at = number;
        while let Some((parent, rank)) = self.parent(at) {
            path.push((parent, rank));
            at = parent;
        }
        let mut history = History::new(&self.game);
        for (parent, rank) in path.into_iter().rev() {
            match self.node(parent) {
                Node::Chance { outcomes, .. } => {
                    self.events(outcomes, rank).iter().for_each(|&event| history.push(&self.game, event));
                }
                Node::Decision { set, .. } => history.push(&self.game, self.legal[set as usize].nth(rank as usize)),
                Node::End { .. } => unreachable!("nothing follows an end"),
            }
        }
        history
    }
}

/// What the player to act cannot tell apart.
#[derive(Debug)]
pub struct InformationSet<'a, G: Game> {
    tree: &'a GameTree<G>,
    number: u32,
}

impl<G: Game> Clone for InformationSet<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for InformationSet<'_, G> {}

impl<'a, G: Game> InformationSet<'a, G> {
    /// Its number in the tree.
    pub fn number(self) -> u32 {
        self.number
    }

    /// Who acts.
    pub fn seat(self) -> Seat {
        self.tree.mover(self.number)
    }

    /// What may be done.
    pub fn legal(self) -> G::Actions {
        self.tree.legal[self.number as usize]
    }

    /// The nodes, ascending.
    pub fn members(self) -> &'a [u32] {
        self.tree.members(self.number)
    }

    /// Its first history.
    pub fn history(self) -> History<G> {
        self.tree.history(self.members()[0])
    }

    /// What the player knows. Replays a history: microseconds.
    pub fn view(self) -> G::View {
        self.tree.game.view(&self.history(), self.seat())
    }

    /// The information set at which its player acted before, and the rank of the action that was chosen there; `None` if this is
    /// the player's first decision.
    pub fn previous(self) -> Option<(InformationSet<'a, G>, u32)> {
        let row = self.tree.previous(self.number)?;
        let number = self.tree.starts.partition_point(|&start| start <= row) as u32 - 1;
        Some((self.tree.set(number), row - self.tree.starts[number as usize]))
    }
}

/// Information sets of a tree, in order.
#[derive(Clone, Debug)]
pub struct Sets<'a, G: Game> {
    tree: &'a GameTree<G>,
    left: Range<u32>,
}

impl<'a, G: Game> Iterator for Sets<'a, G> {
    type Item = InformationSet<'a, G>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left.next().map(|number| InformationSet { tree: self.tree, number })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl<G: Game> ExactSizeIterator for Sets<'_, G> {}
impl<G: Game> FusedIterator for Sets<'_, G> {}
