//! A whole game in memory: a node for every history, an information set for all nodes that look alike to their mover.
//!
//! The exact methods work on it: the values of policies, [best responses](crate::solve::best_response), [counterfactual
//! regret minimization](crate::solve::cfr) and the [sequence form](crate::solve::sequence_form).
//!
//! Consecutive random events are one chance node, and its outcomes are the different results. Two sequences of events
//! that lead to the same state and the same views are one outcome, with the sum of their probabilities. The order in
//! which the cards of a hand are dealt does not matter, and information sets and values are those of the game.
//!
//! Nodes are numbered level by level, with the children of a level's nodes adjacent and after all nodes of that
//! level. A pass over the tree visits one layer after another, set by set. It works on each layer in parallel and adds
//! in the same order for any number of threads.
//!
//! A history takes 12 bytes, a decision 4 more, a chance node 12 more, and an information set about 60, and 1 for each
//! action. Views are not stored: a set can
//! [replay](InformationSet::view) one of its histories. Building also holds the states of two layers: those with the
//! same number of choices before them, and the next. Consecutive random events in mid-game make it slower, because
//! views must then be compared.
//!
//! A tree makes two demands on a game beyond those of [`Game`]. [`sight`](Game::sight) must show each seat everything
//! that a random event reveals to it, also between two random events. All players must know when random events
//! happen, though not their results.

mod assembly;
mod growth;
mod layout;
mod numbers;
mod policy;
mod rows;
mod size;
mod sweep;

use std::cell::OnceCell;
use std::ops::{ControlFlow, Deref, Range};
use std::sync::Arc;

use stier_core::listed::Unlisted;
use stier_core::{Action, ActionSet as _, BySeat, Game, History, Seat};
use thiserror::Error;

use crate::agent::threads::{Halted, WatchOf};

use assembly::TreeBuilder;
use growth::Growth;
pub(crate) use layout::{Layout, Run};
pub use numbers::NodeNumbers;
pub(crate) use numbers::Numbers;
pub use policy::Policy;
pub(crate) use policy::is_distribution;
pub(crate) use rows::{RowTask, row_tasks};
pub use size::{TreeSize, estimate_size};
pub(crate) use sweep::Sweep;

/// The game has more histories than allowed.
#[derive(Clone, Copy, PartialEq, Debug, Error)]
pub enum TooLarge {
    /// The counting stopped at the limit.
    #[error("the game has more than {most} histories")]
    Counted {
        /// The number allowed.
        most: usize,
    },
    /// The game is clearly larger, so nothing was counted.
    #[error("the game has about {:.1e} histories, estimated from random games, and {most} are allowed", .estimate.histories)]
    Estimated {
        /// The number allowed.
        most: usize,
        /// The estimated size.
        estimate: TreeSize,
    },
}

/// The reason why a tree was not built.
#[derive(Clone, PartialEq, Debug, Error)]
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
    /// Histories of one information set in which its player has done or known different things before.
    #[error(
        "{game} cannot be enumerated: histories of the same information set differ in what its player knew or did before"
    )]
    ImperfectRecall {
        /// The game.
        game: &'static str,
    },
    /// More histories than allowed.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// Interrupted, or the threads could not be started.
    #[error(transparent)]
    Halted(#[from] Halted),
}

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

/// Adjacent nodes whose children all come later. Levels alternate between nodes after a choice (including the root)
/// and nodes after chance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Level {
    /// The first node.
    start: u32,
    /// The end (exclusive).
    end: u32,
    /// The first children.
    first: Children,
    /// The ends (exclusive) of the children.
    last: Children,
}

/// The first children of decisions and of chance nodes, counted from some node on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Children {
    decisions: u32,
    chance: u32,
}

/// The start of the children is stored once per this many nodes.
const STRIDE: usize = 1 << 10;

/// The number of random games from which the size of a tree is estimated before it is enumerated.
pub(crate) const PROBES: u64 = 200;

/// The most histories that a game lists before the size of its tree is estimated.
const LISTED_AT_ONCE: usize = 20_000;

/// Marks the absence of an earlier decision.
const NONE: u32 = u32::MAX;

/// All histories of a game.
#[derive(Clone, Debug)]
pub struct GameTree<G: Game> {
    game: G,
    tree: Tree,
}

impl<G: Game> Deref for GameTree<G> {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        &self.tree
    }
}

/// The shape of a [`GameTree`]: all that passes over it need, without the type of the game.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(crate) game_name: &'static str,
    rules: String,
    seats: usize,
    nodes: Vec<Packed>,
    /// Two levels for each number of earlier choices.
    levels: Vec<[Level; 2]>,
    /// The children's starts for each [`STRIDE`]-th node.
    marks: Vec<Children>,
    /// By set.
    movers: Vec<Seat>,
    /// The legal actions of all sets, ascending: by place in a policy.
    actions: Vec<Action>,
    /// The start of each set's row in a policy, and the end of the last row.
    starts: Arc<[u32]>,
    /// By set: the place in a policy of the mover's previous action, or [`NONE`].
    previous: Vec<u32>,
    /// The first set for each number of earlier choices, and the total number of sets.
    layers: Vec<u32>,
    /// The nodes of all sets, one set after another, and the start of each set.
    members: Vec<u32>,
    member_starts: Vec<u32>,
    outcomes: Outcomes,
    returns: Vec<BySeat<f64>>,
    layout: Layout,
}

/// The different lists of outcomes of chance nodes.
#[derive(Clone, Debug)]
struct Outcomes {
    /// The first outcome of each list, and the total number of outcomes.
    lists: Vec<u32>,
    /// By outcome.
    probabilities: Vec<f64>,
    /// The first event of each outcome, and the total number of events.
    starts: Vec<u32>,
    events: Vec<Action>,
}

impl<G: Game> GameTree<G> {
    /// Enumerates a game of at most `most_nodes` histories; 2^30 is the largest possible number. If an
    /// [estimate](estimate_size) shows that the game is clearly larger, this fails before anything is enumerated. The
    /// calculation uses the threads of the current pool; the tree does not depend on their number.
    pub fn new(game: &G, most_nodes: usize) -> Result<Self, BuildError> {
        Self::build(game, most_nodes, &|_| ControlFlow::Continue(()))
    }

    /// The same as [`new`](Self::new) with a callback. `watch` regularly receives the number of histories and may
    /// stop the build.
    pub fn build(game: &G, most_nodes: usize, watch: WatchOf<'_, usize>) -> Result<Self, BuildError> {
        if game.info().hidden_moves {
            return Err(BuildError::HiddenMoves { game: game.name() });
        }
        let most = most_nodes.clamp(1, NUMBER as usize);
        let estimate = OnceCell::new();
        let too_large = || {
            let estimate = *estimate.get_or_init(|| estimate_size(game, PROBES));
            estimate.exceeds(most).then_some(TooLarge::Estimated { most, estimate })
        };
        let goes_on = |count: usize| watch(count).is_continue() && (count < LISTED_AT_ONCE || too_large().is_none());
        match game.list(most, &goes_on) {
            Ok(listed) => {
                Ok(Self { game: game.clone(), tree: assembly::assemble(TreeBuilder::new(game), &listed, watch)? })
            }
            Err(Unlisted::TooMany) => Err(TooLarge::Counted { most }.into()),
            Err(Unlisted::Stopped) => {
                Err(estimate.get().and_then(|_| too_large()).map_or(Halted::Interrupted.into(), Into::into))
            }
            Err(Unlisted::NotOffered) => match too_large() {
                Some(error) => Err(error.into()),
                None => Growth::new(game, most, watch).grow(),
            },
        }
    }

    /// The game that was enumerated.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// One information set.
    pub fn set(&self, number: u32) -> InformationSet<'_, G> {
        assert!(
            (number as usize) < self.num_sets(),
            "information set {number} is out of range; the tree has {}",
            self.num_sets()
        );
        InformationSet { tree: self, number }
    }

    /// Every information set, ascending by the number of earlier choices.
    pub fn sets(&self) -> impl ExactSizeIterator<Item = InformationSet<'_, G>> {
        self.set_numbers().map(|number| InformationSet { tree: self, number })
    }

    /// The events that lead to a node. If several sequences of random events are one outcome, the first of them is
    /// used.
    pub fn history(&self, number: u32) -> History<G> {
        History::of(&self.game, self.tree.events_to(&self.tree.starts, number))
    }
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
    fn member_range(&self, set: u32) -> Range<usize> {
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
    fn events_to(&self, starts: &[u32], number: u32) -> Vec<Action> {
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

/// An information set: nodes that look alike to the player to act.
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
    /// The number of the set in the tree.
    pub fn number(self) -> u32 {
        self.number
    }

    /// The seat to act.
    pub fn seat(self) -> Seat {
        self.tree.mover(self.number)
    }

    /// The legal actions.
    pub fn legal(self) -> G::Actions {
        self.tree.actions(self.number).iter().fold(G::Actions::default(), |set, &action| set.with(action))
    }

    /// The nodes, ascending.
    #[inline]
    pub fn members(self) -> &'a [u32] {
        self.tree.tree.members(self.number)
    }

    /// The first history of the set.
    pub fn history(self) -> History<G> {
        self.tree.history(self.members()[0])
    }

    /// The player's view. Replays a history.
    pub fn view(self) -> G::View {
        self.tree.game.view(&self.history(), self.seat())
    }

    /// The player's previous information set and the rank of the action chosen there; `None` if this is the player's
    /// first decision.
    pub fn previous(self) -> Option<(InformationSet<'a, G>, u32)> {
        let (number, rank) = self.tree.previous_choice(self.number)?;
        Some((self.tree.set(number), rank))
    }
}
