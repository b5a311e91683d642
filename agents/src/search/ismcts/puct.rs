//! PUCT as in AlphaZero (Silver et al. 2017; Rosin 2011), on availability counts. Exploration is in proportion to a
//! prior.

use stier_core::{ActionSet, BySeat, Hints, Rng, Seat, choice};

use crate::network::evaluator::Output;
use crate::rollout::{Roller, fitted};

use super::IsmctsOptions;
use super::selection::{Expansion, Selection, Visit, means, node_mean};
use super::tree::{Block, Edge, LANES, Tree, lanes};

choice! {
    /// The source of PUCT's prior.
    pub(crate) enum PriorFrom {
        /// Half uniform, half uniform among the actions that the game's hints leave to rollouts.
        Hints = "hints",
        /// A quarter uniform, the rest by the game's policy ([`fitted`](crate::rollout::fitted)).
        Fitted = "fitted",
        /// Uniform.
        Uniform = "uniform",
        /// A quarter uniform, the rest by a trained network. It is queried once where a node begins, and again where
        /// actions are legal that were not before.
        Network = "network",
    }
}

/// The bounds: mean + c P sqrt(availability) / (1 + visits), with prior P. `unseen` replaces the mean of an unvisited
/// action.
#[inline(always)]
fn bounds<A>(block: &Block<A>, prior: [f32; LANES], c: f32, unseen: f32) -> [f32; LANES] {
    let (mean, _) = means(block);
    let width = lanes(|i| (block.available[i] as i32 as f32).sqrt() / (1 + block.visits[i]) as i32 as f32);
    lanes(|i| (if block.visits[i] > 0 { mean[i] } else { unseen }) + c * prior[i] * width[i])
}

/// The uniform part of a prior from the game's policy or a network's.
const UNIFORM_PART: f32 = 0.25;

/// Prior probabilities by action.
#[derive(Clone)]
struct Priors(Box<[f32; 256]>);

impl Priors {
    fn new() -> Self {
        Self(Box::new([0.0; 256]))
    }

    /// Writes a prior that is uniform in part; `rest` is the other part of each legal action.
    #[inline(always)]
    fn write<A: ActionSet>(&mut self, legal: A, rest: impl Iterator<Item = f32>) {
        let uniform = UNIFORM_PART / legal.len() as f32;
        legal.iter().zip(rest).for_each(|(action, rest)| self.0[action.index()] = uniform + rest);
    }

    /// The probabilities of a block's edges.
    #[inline(always)]
    fn lanes<A>(&self, block: &Block<A>) -> [f32; LANES] {
        lanes(|i| self.0[usize::from(block.action[i])])
    }
}

/// PUCT with a prior that each visit computes anew.
#[derive(Clone)]
pub(super) struct Puct<A> {
    c: f32,
    from: PriorFrom,
    /// Actions with a larger prior in this visit.
    pub(super) favoured: A,
    /// The prior of all actions.
    pub(super) base: f32,
    /// The addition for the favoured ones.
    pub(super) bonus: f32,
    /// The prior by the game's policy.
    priors: Priors,
}

impl<A: ActionSet> Selection<A> for Puct<A> {
    type Extra = ();
    type Note = ();
    const EXPANSION: Expansion = Expansion::AllAtOnce;

    fn new(options: &IsmctsOptions) -> Self {
        let (c, from) = (options.c as f32, options.prior);
        Self { c, from, favoured: A::default(), base: 0.0, bonus: 0.0, priors: Priors::new() }
    }

    #[inline(always)]
    fn prepare<G: Hints<Actions = A>>(&mut self, visit: &Visit<'_, G>, _tree: &mut Tree<A, ()>, _roller: &mut Roller) {
        let Visit { game, state, legal, .. } = *visit;
        let uniform = 1.0 / legal.len() as f32;
        match self.from {
            PriorFrom::Uniform | PriorFrom::Network => (self.base, self.bonus) = (uniform, 0.0),
            PriorFrom::Hints => {
                self.favoured = game.rollout(state, legal);
                (self.base, self.bonus) = (0.5 * uniform, 0.5 / self.favoured.len() as f32);
            }
            PriorFrom::Fitted => {
                let policy = fitted::probabilities(game, state, legal);
                self.priors.write(legal, policy.into_iter().map(|share| (1.0 - UNIFORM_PART) * share));
            }
        }
    }

    #[inline(always)]
    fn select(&self, tree: &mut Tree<A, ()>, node: u32, legal: A, spread: f32, _rng: &mut Rng) -> (Edge, ()) {
        let (c, unseen) = (self.c * spread, node_mean(tree, node));
        let edge = match self.from {
            PriorFrom::Fitted => {
                tree.best(node, legal, |block: &Block<A>, (): &()| bounds(block, self.priors.lanes(block), c, unseen))
            }
            PriorFrom::Uniform | PriorFrom::Network | PriorFrom::Hints => {
                tree.best(node, legal, |block: &Block<A>, (): &()| {
                    let favoured = self.favoured.lanes(&block.action);
                    bounds(block, lanes(|i| self.base + self.bonus * favoured[i] as i32 as f32), c, unseen)
                })
            }
        };
        (edge, ())
    }
}

/// PUCT with the prior of a network, which is stored with the edges.
#[derive(Clone)]
pub(super) struct NetworkPuct {
    c: f32,
    priors: Priors,
}

impl NetworkPuct {
    /// Queries the network and writes the priors that are missing. Also returns the player to act.
    fn write_priors<'r, G: Hints>(
        &mut self,
        &Visit { game, state, legal, node }: &Visit<'_, G>,
        tree: &mut Tree<G::Actions, [f32; LANES]>,
        roller: &'r mut Roller,
    ) -> (Output<'r>, Seat) {
        let mover = game.turn(state).seat().expect("a player is to act");
        let evaluation = roller.network().expect("a network is named").evaluate(game, state, mover);
        let (weights, sum) = evaluation.weights(legal.iter(), 1.0);
        self.priors.write(legal, weights.into_iter().map(|weight| (1.0 - UNIFORM_PART) * weight / sum));
        tree.for_each_block(node, |block, priors| {
            let (legal, found) = (block.legal(legal), self.priors.lanes(block));
            *priors = lanes(|i| if legal[i] > 0 && priors[i] == 0.0 { found[i] } else { priors[i] });
        });
        (evaluation, mover)
    }
}

impl<A: ActionSet> Selection<A> for NetworkPuct {
    /// The priors; 0 stands for one that is missing.
    type Extra = [f32; LANES];
    type Note = ();
    const EXPANSION: Expansion = Expansion::AllAtOnce;

    fn new(options: &IsmctsOptions) -> Self {
        Self { c: options.c as f32, priors: Priors::new() }
    }

    #[inline(always)]
    fn prepare<G: Hints<Actions = A>>(
        &mut self,
        visit: &Visit<'_, G>,
        tree: &mut Tree<A, Self::Extra>,
        roller: &mut Roller,
    ) {
        let mut is_missing = false;
        tree.for_each_block(visit.node, |block, priors| {
            let legal = block.legal(visit.legal);
            is_missing |= priors.iter().zip(legal).any(|(&prior, legal)| legal > 0 && prior == 0.0);
        });
        if is_missing {
            self.write_priors(visit, tree, roller);
        }
    }

    fn evaluates(&self, roller: &Roller) -> bool {
        roller.only_evaluates()
    }

    fn evaluate<G: Hints<Actions = A>>(
        &mut self,
        visit: &Visit<'_, G>,
        tree: &mut Tree<A, Self::Extra>,
        roller: &mut Roller,
    ) -> BySeat<f32> {
        let (evaluation, mover) = self.write_priors(visit, tree, roller);
        evaluation.values(visit.game, visit.state, mover)
    }

    /// Selects by priors divided by the sum of those of the legal actions: they were computed when other actions were
    /// legal.
    #[inline(always)]
    fn select(&self, tree: &mut Tree<A, Self::Extra>, node: u32, legal: A, spread: f32, _rng: &mut Rng) -> (Edge, ()) {
        let mut total = 0.0;
        tree.for_each_block(node, |block, priors| {
            let legal = block.legal(legal);
            total += lanes(|i| legal[i] as i32 as f32 * priors[i]).iter().sum::<f32>();
        });
        debug_assert!(total > 0.0, "legal actions have priors");
        let (c, unseen) = (self.c * spread / total, node_mean(tree, node));
        (tree.best(node, legal, |block: &Block<A>, priors: &Self::Extra| bounds(block, *priors, c, unseen)), ())
    }
}
