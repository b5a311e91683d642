//! PUCT as in AlphaZero (Silver et al. 2017; Rosin 2011), on availability counts. Exploration is in proportion to a
//! prior, which is computed on each visit to a node or stored with its edges.

use stier_core::{Action, ActionSet, Rng};

use super::IsmctsOptions;
use super::selection::{Prior, Selection, means, node_mean};
use super::table::NONE;
use super::tree::{Block, Bound, Edge, LANES, Tree, lanes};

/// PUCT: mean + c spread P sqrt(availability) / (1 + visits). For unvisited actions, the mean of the node is used.
#[derive(Clone, Debug)]
pub(super) struct Puct {
    c: f32,
}

/// The bound of each edge of a block, given its prior; `unseen` replaces the mean of an unvisited action.
#[inline(always)]
fn guided<A>(block: &Block<A>, prior: &[f32; LANES], c: f32, unseen: f32) -> [f32; LANES] {
    let (mean, _) = means(block);
    let width = lanes(|i| (block.available[i] as i32 as f32).sqrt() / (1 + block.visits[i]) as i32 as f32);
    lanes(|i| (if block.visits[i] > 0 { mean[i] } else { unseen }) + c * prior[i] * width[i])
}

struct Guided<'a, A> {
    c: f32,
    unseen: f32,
    prior: Prior<'a, A>,
}

impl<A: ActionSet> Bound<A, ()> for Guided<'_, A> {
    #[inline(always)]
    fn lanes(&self, block: &Block<A>, (): &()) -> [f32; LANES] {
        guided(block, &self.prior.lanes(block), self.c, self.unseen)
    }
}

impl Selection for Puct {
    type Extra = ();
    type Note<A: ActionSet> = ();
    const TRIES_ALL: bool = false;
    const HAS_PRIOR: bool = true;

    fn new(options: &IsmctsOptions) -> Self {
        Self { c: options.c as f32 }
    }

    fn first_try<A: ActionSet>() {}

    #[inline(always)]
    fn select<A: ActionSet>(
        &self,
        tree: &mut Tree<A, ()>,
        node: u32,
        legal: A,
        prior: Prior<'_, A>,
        spread: f32,
        _rng: &mut Rng,
    ) -> (Edge, Action, ()) {
        let bound = Guided { c: self.c * spread, unseen: node_mean(tree, node), prior };
        let (edge, action) = tree.best(node, legal, &bound);
        (edge, action, ())
    }
}

/// PUCT with priors stored with the edges. The priors of the legal actions are normalised to sum to 1.
#[derive(Clone, Debug)]
pub(super) struct StoredPuct {
    c: f32,
}

/// The priors of a block's edges.
#[derive(Clone, Debug, Default)]
pub(super) struct Priors([f32; LANES]);

struct GuidedByEdges {
    c: f32,
    unseen: f32,
}

impl<A: ActionSet> Bound<A, Priors> for GuidedByEdges {
    #[inline(always)]
    fn lanes(&self, block: &Block<A>, priors: &Priors) -> [f32; LANES] {
        guided(block, &priors.0, self.c, self.unseen)
    }
}

impl Selection for StoredPuct {
    type Extra = Priors;
    type Note<A: ActionSet> = ();
    const TRIES_ALL: bool = false;
    const STORES_PRIOR: bool = true;

    fn prior_of(extra: &mut Priors) -> Option<&mut [f32; LANES]> {
        Some(&mut extra.0)
    }

    fn new(options: &IsmctsOptions) -> Self {
        Self { c: options.c as f32 }
    }

    fn first_try<A: ActionSet>() {}

    #[inline(always)]
    fn select<A: ActionSet>(
        &self,
        tree: &mut Tree<A, Priors>,
        node: u32,
        legal: A,
        _prior: Prior<'_, A>,
        spread: f32,
        _rng: &mut Rng,
    ) -> (Edge, Action, ()) {
        let (mut at, mut total) = (node, 0.0);
        while at != NONE {
            let (block, priors) = tree.parts(at);
            let legal = block.legal(legal);
            total += lanes(|i| legal[i] as i32 as f32 * priors.0[i]).iter().sum::<f32>();
            at = block.next;
        }
        debug_assert!(total > 0.0, "legal actions have priors");
        let bound = GuidedByEdges { c: self.c * spread / total, unseen: node_mean(tree, node) };
        let (edge, action) = tree.best(node, legal, &bound);
        (edge, action, ())
    }
}
