//! The players whose knowledge the nodes represent, and the search for nodes in an iteration.

use stier_core::key::{Chain, Past, UNNOTICED, mix};
use stier_core::options::Switch;
use stier_core::seats::MAX_SEATS;
use stier_core::{Action, Game, Seat, choice};

use super::tree::{Edge, Tree};
use super::{IsmctsOptions, Opponents};
use crate::agent::chains::new_chain;

choice! {
    /// The observations by which nodes are distinguished.
    pub(crate) enum TreeObserver {
        /// The searcher's observations, with one tree for all (SO-ISMCTS).
        Single = "single",
        /// The observations of the seat to move, starting from its cards at the root (MO-ISMCTS).
        Multi = "multi",
    }
}

choice! {
    /// The treatment of cards that a seat draws after the root.
    pub(crate) enum Draws {
        /// They do not branch: a node covers all draws.
        Merge = "merge",
        /// They lead to different nodes, like everything that the seat sees.
        Branch = "branch",
    }
}

/// The tree of a game.
type TreeOf<G, X> = Tree<<G as Game>::Actions, X>;

/// Follows an iteration and finds its nodes in the tree.
pub(super) trait Observers<G: Game, X>: Clone + Send + 'static {
    /// Creates the observers of a search for the seat of this past.
    fn new(options: &IsmctsOptions, past: &Past, searcher: Seat) -> Self;

    /// Makes the root in an empty tree.
    fn plant(&self, tree: &mut TreeOf<G, X>) -> u32;

    /// The node of the first decision of an iteration; [`NONE`](super::tree::NONE) if the tree is full.
    fn begin(&mut self, game: &G, state: &G::State, tree: &mut TreeOf<G, X>) -> u32;

    /// Sees an action, before it is done.
    fn see(&mut self, game: &G, before: &G::State, action: Action);

    /// The node of the next decision, after an edge of a node was followed; [`NONE`](super::tree::NONE) if the tree is
    /// full.
    fn next(&mut self, game: &G, state: &G::State, mover: Seat, from: (u32, Edge), tree: &mut TreeOf<G, X>) -> u32;
}

/// One tree of the searcher's observations of actions, without keys: an edge knows the node that it leads to.
#[derive(Clone, Debug)]
pub(super) struct Linked {
    searcher: Seat,
    /// The last action, and the searcher's observation of it.
    action: Action,
    observed: u64,
}

impl Linked {
    /// Returns true if these nodes are those of the options, besides the selection rule.
    pub(super) fn suffices(options: &IsmctsOptions) -> bool {
        (options.observer, options.draws) == (TreeObserver::Single, Draws::Merge)
            && (options.reuse, options.opponents) == (Switch::Off, Opponents::Search)
            && options.self_determination == 0.0
    }
}

impl<G: Game, X: Default + Clone> Observers<G, X> for Linked {
    fn new(_options: &IsmctsOptions, _past: &Past, searcher: Seat) -> Self {
        Self { searcher, action: Action(0), observed: 0 }
    }

    fn plant(&self, tree: &mut TreeOf<G, X>) -> u32 {
        tree.add_node()
    }

    #[inline(always)]
    fn begin(&mut self, _game: &G, _state: &G::State, _tree: &mut TreeOf<G, X>) -> u32 {
        0
    }

    #[inline(always)]
    fn see(&mut self, game: &G, before: &G::State, action: Action) {
        (self.action, self.observed) = (action, game.observed(before, action, self.searcher));
    }

    #[inline(always)]
    fn next(
        &mut self,
        _game: &G,
        _state: &G::State,
        _mover: Seat,
        (node, edge): (u32, Edge),
        tree: &mut TreeOf<G, X>,
    ) -> u32 {
        if self.observed == UNNOTICED { node } else { tree.child(node, edge, self.action, self.observed) }
    }
}

/// Nodes with keys: each seat that counts has a chain of its observations.
///
/// The searcher's chain begins with the game, so that its nodes have the same keys in the searches of later decisions.
/// With draws=branch it includes the cards that the searcher sees ([`Game::sight`]). With draws=merge it includes them
/// only in worlds where the searcher's root hand differs from the real one. The chains of the others begin at the root with what they see
/// there.
#[derive(Clone, Debug)]
pub(super) struct Keyed {
    searcher: Seat,
    observer: TreeObserver,
    draws: Draws,
    /// The searcher's chain up to the root.
    start: Chain,
    /// The searcher's sight at the root.
    sight: u64,
    chains: [Chain; MAX_SEATS],
}

impl Keyed {
    /// The seats whose chains are kept.
    #[inline(always)]
    fn followed<G: Game>(&self, game: &G) -> std::ops::Range<usize> {
        match self.observer {
            TreeObserver::Single => self.searcher.index()..self.searcher.index() + 1,
            TreeObserver::Multi => 0..game.num_seats(),
        }
    }

    /// All seats look at the state of a decision.
    #[inline(always)]
    fn look<G: Game>(&mut self, game: &G, state: &G::State) {
        if self.draws == Draws::Branch {
            for seat in self.followed(game) {
                self.chains[seat].look(game.sight(state, Seat(seat as u8)));
            }
        }
    }
}

/// Sets the chains of other seats apart from the searcher's.
const OTHERS: u64 = 0x1319_8a2e_0370_7344;
/// Salt for the searcher's chain in worlds where it holds a different hand.
const OTHER_CARDS: u64 = 0xa409_3822_299f_31d0;

impl<G: Game, X: Default + Clone> Observers<G, X> for Keyed {
    fn new(options: &IsmctsOptions, past: &Past, searcher: Seat) -> Self {
        let IsmctsOptions { observer, draws, .. } = *options;
        let start = past.chain(new_chain(searcher), draws == Draws::Branch);
        Self { searcher, observer, draws, start, sight: past.sight(), chains: [Chain::default(); MAX_SEATS] }
    }

    fn plant(&self, tree: &mut TreeOf<G, X>) -> u32 {
        tree.keyed(self.start.key())
    }

    #[inline(always)]
    fn begin(&mut self, game: &G, state: &G::State, tree: &mut TreeOf<G, X>) -> u32 {
        for seat in self.followed(game) {
            let sight = game.sight(state, Seat(seat as u8));
            let searcher = seat == self.searcher.index();
            self.chains[seat] = if !searcher {
                Chain::new(mix(mix(self.start.key() ^ OTHERS, seat as u64), sight))
            } else if self.draws == Draws::Branch || sight == self.sight {
                self.start
            } else {
                Chain::new(mix(self.start.key() ^ OTHER_CARDS, sight))
            };
        }
        self.look(game, state);
        tree.keyed(self.chains[self.searcher.index()].key())
    }

    #[inline(always)]
    fn see(&mut self, game: &G, before: &G::State, action: Action) {
        for seat in self.followed(game) {
            self.chains[seat].notice(game.observed(before, action, Seat(seat as u8)));
        }
    }

    #[inline(always)]
    fn next(&mut self, game: &G, state: &G::State, mover: Seat, _from: (u32, Edge), tree: &mut TreeOf<G, X>) -> u32 {
        self.look(game, state);
        let whose = if self.observer == TreeObserver::Multi { mover } else { self.searcher };
        tree.keyed(self.chains[whose.index()].key())
    }
}
