//! PUCT as in AlphaZero (Silver et al. 2017; Rosin 2011), on availability counts. Exploration is in proportion to a prior.

use stier_core::{Action, ActionSet, Rng};

use super::IsmctsOptions;
use super::prior::{EdgePriors, PriorFrom, StoredPrior};
use super::selection::{Expansion, Selection, means, node_mean};
use super::tree::{Block, Bound, Edge, LANES, Tree, lanes};

/// PUCT: mean + c spread P sqrt(availability) / (1 + visits). For unvisited actions, the mean of the node is used.
#[derive(Clone, Debug)]
pub(super) struct Puct {
    c: f32,
    /// Divides the priors of the legal actions by their sum: a network's were computed when other actions were legal.
    normalises: bool,
}

struct Guided {
    c: f32,
    /// Replaces the mean of an unvisited action.
    unseen: f32,
}

impl<A: ActionSet> Bound<A, EdgePriors> for Guided {
    #[inline(always)]
    fn lanes(&self, block: &Block<A>, EdgePriors(prior): &EdgePriors) -> [f32; LANES] {
        let (mean, _) = means(block);
        let width = lanes(|i| (block.available[i] as i32 as f32).sqrt() / (1 + block.visits[i]) as i32 as f32);
        lanes(|i| (if block.visits[i] > 0 { mean[i] } else { self.unseen }) + self.c * prior[i] * width[i])
    }
}

impl Selection for Puct {
    type Extra = EdgePriors;
    type Note<A: ActionSet> = ();
    type Prior = StoredPrior;
    const EXPANSION: Expansion = Expansion::AllAtOnce;

    fn new(options: &IsmctsOptions) -> Self {
        Self { c: options.c as f32, normalises: options.prior == PriorFrom::Network }
    }

    #[inline(always)]
    fn select<A: ActionSet>(
        &self,
        tree: &mut Tree<A, EdgePriors>,
        node: u32,
        legal: A,
        spread: f32,
        _rng: &mut Rng,
    ) -> (Edge, Action, ()) {
        let mut c = self.c * spread;
        if self.normalises {
            let mut total = 0.0;
            tree.for_each_block(node, |block, priors| {
                let legal = block.legal(legal);
                total += lanes(|i| legal[i] as i32 as f32 * priors.0[i]).iter().sum::<f32>();
            });
            debug_assert!(total > 0.0, "legal actions have priors");
            c /= total;
        }
        let (edge, action) = tree.best(node, legal, &Guided { c, unseen: node_mean(tree, node) });
        (edge, action, ())
    }
}
