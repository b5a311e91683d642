//! A whole game in memory: a node for every history, an information set for all nodes that look alike to their mover.
//!
//! The exact methods work on it: the values of policies, [best responses](crate::solve::best_response), [counterfactual
//! regret minimization](crate::solve::cfr) and the [sequence form](crate::solve::SequenceForm).
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
//! action. Views are not stored: a set can [replay](InformationSet::view) one of its histories. Building also holds the
//! states of two layers: those with the same number of choices before them, and the next. Consecutive random events in
//! mid-game make it slower, because views must then be compared.
//!
//! A tree makes two demands on a game beyond those of [`Game`]. [`sight`](Game::sight) must show each seat everything
//! that a random event reveals to it, also between two random events. All players must know when random events
//! happen, though not their results.

mod assembly;
mod growth;
mod knowledge;
mod layout;
mod numbers;
mod policy;
mod rows;
mod size;
mod states;
mod sweep;
mod tree;

use std::cell::OnceCell;
use std::ops::{ControlFlow, Deref};

use stier_core::failure::Foreign;
use stier_core::listed::Unlisted;
use stier_core::{ActionSet as _, DynOptions, Game, GameInfo, History, Seat};
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
use states::States;
pub(crate) use sweep::{MAX_WIDTH, Sweep};
use tree::{NONE, NUMBER};
pub use tree::{Node, Tree};

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
    /// The game has hidden moves, and does not say so.
    #[error(
        "{game}: player {seat} does not notice some actions of others or of chance, so that histories in which they come at \
         other times look alike: such a game cannot be enumerated"
    )]
    UnnoticedMoves {
        /// The game.
        game: &'static str,
        /// The player to act.
        seat: Seat,
    },
    /// Histories of one information set with different legal actions.
    #[error("{game}: legal_actions differ in two histories that player {seat} cannot tell apart")]
    OtherActions {
        /// The game.
        game: &'static str,
        /// The player to act.
        seat: Seat,
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

/// The number of random games from which the size of a tree is estimated before it is enumerated.
pub(crate) const PROBES: u64 = 200;

/// The most histories that a game lists before the size of its tree is estimated.
const LISTED_AT_ONCE: usize = 20_000;

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
        let estimate = || estimate_size(game, PROBES);
        let tree =
            enumerate(game.rules(), game.info(), game.foreign(), &|| states::root(game), &estimate, most_nodes, watch)?;
        Ok(Self { game: game.clone(), tree })
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

/// The tree of a game of which this is known; see [`GameTree::build`].
fn enumerate(
    rules: &dyn DynOptions,
    info: &GameInfo,
    foreign: Option<&dyn Foreign>,
    root: &dyn Fn() -> Box<dyn States>,
    estimate: &dyn Fn() -> TreeSize,
    most_nodes: usize,
    watch: WatchOf<'_, usize>,
) -> Result<Tree, BuildError> {
    if info.hidden_moves {
        return Err(BuildError::HiddenMoves { game: rules.owner() });
    }
    let most = most_nodes.clamp(1, NUMBER as usize);
    let estimated = OnceCell::new();
    let too_large = || {
        let estimate = *estimated.get_or_init(estimate);
        estimate.exceeds(most).then_some(TooLarge::Estimated { most, estimate })
    };
    let goes_on = |count: usize| watch(count).is_continue() && (count < LISTED_AT_ONCE || too_large().is_none());
    let builder = TreeBuilder::new(rules, info.num_seats);
    match foreign.and_then(|game| game.list(most, &goes_on)) {
        Some(Ok(listed)) => assembly::assemble(builder, &listed, watch),
        Some(Err(Unlisted::TooMany)) => Err(TooLarge::Counted { most }.into()),
        Some(Err(Unlisted::Stopped)) => {
            Err(estimated.get().and_then(|_| too_large()).map_or(Halted::Interrupted.into(), Into::into))
        }
        None => match too_large() {
            Some(error) => Err(error.into()),
            None => Growth::new(builder, foreign.is_some(), most, watch).grow(root()),
        },
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
