//! Prior probabilities of actions, which a selection rule may use before it knows returns.

use stier_core::{ActionSet, BySeat, Hints, choice};

use crate::rollout::{Roller, fitted};

use super::IsmctsOptions;
use super::tree::{Block, LANES, Tree, lanes};

choice! {
    /// The source of PUCT's prior.
    pub(crate) enum PriorFrom {
        /// Half uniform, half uniform among the actions that the game's hints leave to rollouts.
        Hints = "hints",
        /// A quarter uniform, the rest by the game's policy ([`fitted`](crate::rollout::fitted)).
        Fitted = "fitted",
        /// Uniform.
        Uniform = "uniform",
        /// A quarter uniform, the rest by a trained network, which is queried once where a node begins, and again where actions are
        /// legal that were not before.
        Network = "network",
    }
}

/// The uniform part of a prior from the game's policy or a network's.
const UNIFORM_PART: f32 = 0.25;

/// A selection rule's prior, given that the rule keeps an `X` for each block of edges.
pub(super) trait Prior<X>: Send {
    /// The prior with these options.
    fn new(options: &IsmctsOptions) -> Self;

    /// Prepares the priors of the legal edges of a node, in a state in which its player is to act.
    fn prepare<G: Hints>(
        &mut self,
        game: &G,
        state: &G::State,
        legal: G::Actions,
        tree: &mut Tree<G::Actions, X>,
        node: u32,
        roller: &mut Roller,
    );

    /// Returns true if one query to a network prepares a new node and gives the value of its state.
    fn evaluates(&self, _roller: &Roller) -> bool {
        false
    }

    /// Prepares a new node and returns the value of its state for all seats.
    fn evaluate<G: Hints>(
        &mut self,
        _game: &G,
        _state: &G::State,
        _legal: G::Actions,
        _tree: &mut Tree<G::Actions, X>,
        _node: u32,
        _roller: &mut Roller,
    ) -> BySeat<f32> {
        unreachable!("a rule without a prior does not evaluate")
    }
}

/// The prior of rules that use none.
pub(super) struct NoPrior;

impl<X> Prior<X> for NoPrior {
    fn new(_options: &IsmctsOptions) -> Self {
        Self
    }

    #[inline(always)]
    fn prepare<G: Hints>(
        &mut self,
        _game: &G,
        _state: &G::State,
        _legal: G::Actions,
        _tree: &mut Tree<G::Actions, X>,
        _node: u32,
        _roller: &mut Roller,
    ) {
    }
}

/// The priors of a block's edges. A network's are computed once, the others on every visit; 0 stands for one that is missing.
#[derive(Clone, Debug, Default)]
pub(super) struct EdgePriors(pub(super) [f32; LANES]);

/// A prior that is stored with the edges.
pub(super) struct StoredPrior {
    from: PriorFrom,
    /// Working space: the probability of each legal action, by its id.
    table: Box<[f32; 256]>,
}

impl StoredPrior {
    /// Writes a prior that is uniform in part; `rest` is the other part of each legal action.
    #[inline(always)]
    fn write<A: ActionSet>(&mut self, legal: A, rest: impl Iterator<Item = f32>) {
        let uniform = UNIFORM_PART / legal.len() as f32;
        legal.iter().zip(rest).for_each(|(action, rest)| self.table[action.index()] = uniform + rest);
    }

    /// The priors of a block's edges by the table.
    #[inline(always)]
    fn lanes<A>(&self, block: &Block<A>) -> [f32; LANES] {
        block.action.map(|action| self.table[usize::from(action)])
    }
}

impl Prior<EdgePriors> for StoredPrior {
    fn new(options: &IsmctsOptions) -> Self {
        Self { from: options.prior, table: Box::new([0.0; 256]) }
    }

    #[inline(always)]
    fn prepare<G: Hints>(
        &mut self,
        game: &G,
        state: &G::State,
        legal: G::Actions,
        tree: &mut Tree<G::Actions, EdgePriors>,
        node: u32,
        roller: &mut Roller,
    ) {
        let uniform = 1.0 / legal.len() as f32;
        match self.from {
            PriorFrom::Uniform => tree.for_each_block(node, |_, priors| priors.0 = [uniform; LANES]),
            PriorFrom::Hints => {
                let favoured = game.rollout(state, legal);
                let (base, bonus) = (0.5 * uniform, 0.5 / favoured.len() as f32);
                tree.for_each_block(node, |block, priors| {
                    let favoured = favoured.lanes(&block.action);
                    priors.0 = lanes(|i| base + bonus * favoured[i] as i32 as f32);
                });
            }
            PriorFrom::Fitted => {
                let probabilities = fitted::probabilities(game, state, legal);
                self.write(legal, probabilities.into_iter().map(|share| (1.0 - UNIFORM_PART) * share));
                tree.for_each_block(node, |block, priors| priors.0 = self.lanes(block));
            }
            PriorFrom::Network => {
                let mut is_missing = false;
                tree.for_each_block(node, |block, priors| {
                    let legal = block.legal(legal);
                    is_missing |= priors.0.iter().zip(legal).any(|(&prior, legal)| legal > 0 && prior == 0.0);
                });
                if is_missing {
                    self.evaluate(game, state, legal, tree, node, roller);
                }
            }
        }
    }

    fn evaluates(&self, roller: &Roller) -> bool {
        self.from == PriorFrom::Network && roller.only_evaluates()
    }

    fn evaluate<G: Hints>(
        &mut self,
        game: &G,
        state: &G::State,
        legal: G::Actions,
        tree: &mut Tree<G::Actions, EdgePriors>,
        node: u32,
        roller: &mut Roller,
    ) -> BySeat<f32> {
        let mover = game.turn(state).seat().expect("a player is to act");
        let evaluation = roller.network().expect("a network is named").evaluate(game, state, mover);
        let (weights, sum) = evaluation.weights(legal.iter(), 1.0);
        self.write(legal, weights.into_iter().map(|weight| (1.0 - UNIFORM_PART) * weight / sum));
        tree.for_each_block(node, |block, priors| {
            let (legal, found) = (block.legal(legal), self.lanes(block));
            let is_missing = |i: usize| legal[i] > 0 && priors.0[i] == 0.0;
            priors.0 = lanes(|i| if is_missing(i) { found[i] } else { priors.0[i] });
        });
        evaluation.values(game, state, mover)
    }
}
