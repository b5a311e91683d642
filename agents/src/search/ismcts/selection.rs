//! Selection rules: the choice of the edge that an iteration follows, and what is learned from its return.
//!
//! Returns are scaled so that the game's utilities span 0 to 1. `spread` is twice the standard deviation of the
//! searcher's returns on that scale, and 1 in a game won or lost evenly. What the literature states for rewards of 0
//! and 1 holds with rewards divided by it. Wherever a formula uses the visits of the node, the rules here use the number
//! of visits in which the action was available.

use arrayvec::ArrayVec;
use stier_core::{ActionSet, BySeat, Hints, Rng, choice};

use crate::agent::sampling;
use crate::rollout::Roller;

use super::IsmctsOptions;
use super::tree::{Block, Edge, LANES, MAX_BLOCKS, Tree, lanes};

choice! {
    /// The rule by which an iteration selects edges.
    pub(crate) enum Rule {
        /// The highest upper confidence bound, UCB1 (Auer, Cesa-Bianchi and Fischer 2002), on availability counts.
        Ucb1 = "ucb1",
        /// PUCT as in AlphaZero (Silver et al. 2017; Rosin 2011): exploration in proportion to a prior.
        Puct = "puct",
        /// EXP3 (Auer, Cesa-Bianchi, Freund and Schapire 2002): exponential weights.
        Exp3 = "exp3",
        /// Regret matching (Hart and Mas-Colell 2000; in tree search: Lanctot, Lisý and Winands 2013).
        RegretMatching = "regret_matching",
        /// Smooth-UCT (Heinrich and Silver 2015): UCB1 mixed with the average strategy.
        SmoothUct = "smooth_uct",
    }
}

/// The way in which a node gets its edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Expansion {
    /// One edge per visit, for an untried action at random. The rule selects once every legal action has an edge.
    OneByOne,
    /// An edge for every legal action before the rule selects. An edge that was never followed ends the descent.
    AllAtOnce,
}

/// A decision on the way through the tree.
pub(super) struct Visit<'a, G: Hints> {
    pub(super) game: &'a G,
    pub(super) state: &'a G::State,
    pub(super) legal: G::Actions,
    pub(super) node: u32,
}

/// A selection rule. Each thread has its own copy.
pub(super) trait Selection<A: ActionSet>: Clone + Send + 'static {
    /// The statistics of each block besides visits, values and availability.
    type Extra: Clone + Default + Send + 'static;
    /// The part of a selection that is needed to learn from its return. The default is for an edge that was just created
    /// and so was not chosen by the rule.
    type Note: Copy + Default;
    /// The way in which nodes get their edges.
    const EXPANSION: Expansion = Expansion::OneByOne;

    /// The rule with these options.
    fn new(options: &IsmctsOptions) -> Self;

    /// Prepares the selection at a node.
    #[inline(always)]
    fn prepare<G: Hints<Actions = A>>(
        &mut self,
        _visit: &Visit<'_, G>,
        _tree: &mut Tree<A, Self::Extra>,
        _roller: &mut Roller,
    ) {
    }

    /// Returns true if one query to a network prepares a new node and gives the value of its state.
    fn evaluates(&self, _roller: &Roller) -> bool {
        false
    }

    /// Prepares a new node and returns the value of its state for all seats.
    fn evaluate<G: Hints<Actions = A>>(
        &mut self,
        _visit: &Visit<'_, G>,
        _tree: &mut Tree<A, Self::Extra>,
        _roller: &mut Roller,
    ) -> BySeat<f32> {
        unreachable!("a rule without a network does not evaluate")
    }

    /// Selects an edge of a legal action, and counts availability for all of them.
    fn select(
        &self,
        tree: &mut Tree<A, Self::Extra>,
        node: u32,
        legal: A,
        spread: f32,
        rng: &mut Rng,
    ) -> (Edge, Self::Note);

    /// Learns the return of an edge that was followed, scaled to the range from 0 to 1.
    #[inline(always)]
    fn learn(tree: &mut Tree<A, Self::Extra>, edge: Edge, _note: Self::Note, value: f64) {
        tree.update(edge, value);
    }

    /// The weight of an edge in the average strategy, not normalised; `None` if the rule has no average strategy.
    fn weight(_block: &Block<A>, _extra: &Self::Extra, _lane: usize) -> Option<f64> {
        None
    }
}

/// The mean returns of a block's edges and the inverse visits; meaningless where there are no visits.
#[inline(always)]
pub(super) fn means<A>(block: &Block<A>) -> ([f32; LANES], [f32; LANES]) {
    let share = lanes(|i| 1.0 / block.visits[i] as i32 as f32);
    (lanes(|i| block.value[i] as f32 * share[i]), share)
}

/// The mean return of all visits of a node; 1/2 before the first.
#[inline(always)]
pub(super) fn node_mean<A: ActionSet, X: Default + Clone>(tree: &Tree<A, X>, node: u32) -> f32 {
    let (mut value, mut visits) = (0.0, 0);
    for block in tree.blocks(node) {
        value += block.value.iter().sum::<f64>();
        visits += block.visits.iter().sum::<u32>();
    }
    if visits == 0 { 0.5 } else { (value / f64::from(visits)) as f32 }
}

/// One number per edge of a node, block by block.
pub(super) type Row = ArrayVec<[f32; LANES], MAX_BLOCKS>;

/// Draws an edge in proportion to `weights`, which are 0 for actions that are not legal and not all 0. Returns it with
/// its weight.
#[inline]
pub(super) fn draw<A: ActionSet, X: Default + Clone>(
    tree: &Tree<A, X>,
    node: u32,
    weights: &Row,
    total: f32,
    rng: &mut Rng,
) -> (Edge, f32) {
    let place = sampling::place(weights.iter().flatten().copied(), rng.unit() as f32 * total);
    let (number, lane) = (place / LANES, place % LANES);
    let block = (0..number).fold(node, |block, _| tree.block(block).next);
    let weight = weights[number][lane];
    debug_assert!(weight > 0.0, "something to draw from");
    (Edge { block, lane: lane as u8 }, weight)
}

/// The legal edges of a node.
pub(super) struct Available {
    /// 1 for each edge of a legal action, else 0.
    pub(super) mask: Row,
    /// The number of legal actions.
    pub(super) actions: f32,
    /// The most visits in which one of them was available, this one included.
    pub(super) visits: u32,
}

/// Counts availability of a node's legal actions.
#[inline(always)]
pub(super) fn count<A: ActionSet, X: Default + Clone>(tree: &mut Tree<A, X>, node: u32, legal: A) -> Available {
    let mut mask = Row::new();
    let (mut actions, mut visits) = (0, 1);
    tree.for_each_block(node, |block, _| {
        let legal = block.legal(legal);
        block.available = lanes(|i| block.available[i] + legal[i]);
        mask.push(lanes(|i| legal[i] as i32 as f32));
        actions += legal.iter().sum::<u32>();
        visits = lanes(|i| block.available[i] * legal[i]).into_iter().fold(visits, u32::max);
    });
    Available { mask, actions: actions as f32, visits }
}

/// The option `gamma`; 0 selects 0.1.
pub(super) fn gamma_or_default(options: &IsmctsOptions) -> f32 {
    if options.gamma == 0.0 { 0.1 } else { options.gamma as f32 }
}
