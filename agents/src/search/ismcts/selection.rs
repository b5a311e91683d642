//! Selection rules: which edge an iteration follows, and what is learned from where it ended.
//!
//! Returns are scaled so that the game's utilities span 0..=1. `spread` is twice the standard deviation of the searcher's
//! returns on that scale, and 1 in a game won or lost evenly: what the literature states for rewards of 0 and 1 holds with
//! rewards divided by it. Where the number of passes of a node counts, each action counts those in which it was available.

use std::f32::consts::{LN_2, LOG2_E};

use arrayvec::ArrayVec;
use stier_core::{Action, ActionSet, Hints, Rng, choice};

use crate::agent::sampling;
use crate::rollout::fitted;

use super::IsmctsOptions;
use super::table::NONE;
use super::tree::{Block, Bound, Edge, LANES, MAX_BLOCKS, Tree, lanes};

choice! {
    /// How an iteration chooses among edges.
    pub enum Rule {
        /// The highest upper confidence bound, UCB1 (Auer, Cesa-Bianchi and Fischer 2002), on availability counts.
        Ucb1 = "ucb1",
        /// UCB1-tuned (the same paper): exploration shrinks with the variance of the action's own returns.
        Ucb1Tuned = "ucb1_tuned",
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

choice! {
    /// Where PUCT has its prior from.
    pub enum PriorFrom {
        /// Half uniform, half uniform among the actions that the game's hints leave to rollouts.
        Hints = "hints",
        /// A quarter uniform, the rest by the game's policy ([`fitted`](crate::rollout::fitted)).
        Fitted = "fitted",
        /// Uniform.
        Uniform = "uniform",
        /// A quarter uniform, the rest by a trained network, which is asked once where a node begins, and again where actions are
        /// legal that were not before.
        Network = "network",
    }
}

/// How probable each legal action is before any search.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prior<'a, A> {
    /// Where it is given action by action: the probability of each legal one, by its id.
    table: Option<&'a PriorTable>,
    /// Otherwise the actions with the bonus on top of the base.
    favoured: A,
    base: f32,
    bonus: f32,
}

/// A probability for each action id.
pub(super) type PriorTable = [f32; 256];

/// The uniform part of a prior from the game's policy or a network's.
pub(super) const UNIFORM_PART: f32 = 0.25;

impl<'a, A: ActionSet> Prior<'a, A> {
    /// What the game says about a state. Reads nothing that is hidden from the player to act. `table` is room for it.
    #[inline(always)]
    pub(super) fn of<G: Hints<Actions = A>>(
        from: PriorFrom,
        game: &G,
        state: &G::State,
        legal: A,
        table: &'a mut PriorTable,
    ) -> Self {
        let uniform = 1.0 / legal.len() as f32;
        match from {
            // A network's lies with the edges.
            PriorFrom::Uniform | PriorFrom::Network => Self { table: None, favoured: legal, base: 0.0, bonus: uniform },
            PriorFrom::Fitted => {
                let probabilities = fitted::probabilities(game, state, legal);
                for (action, probability) in legal.iter().zip(probabilities) {
                    table[action.index()] = UNIFORM_PART * uniform + (1.0 - UNIFORM_PART) * probability;
                }
                Self { table: Some(table), ..Self::default() }
            }
            PriorFrom::Hints => {
                let favoured = game.rollout(state, legal);
                Self { table: None, favoured, base: 0.5 * uniform, bonus: 0.5 / favoured.len() as f32 }
            }
        }
    }

    /// The probabilities of the actions in a block, where they are legal.
    #[inline(always)]
    pub(super) fn lanes(&self, block: &Block<A>) -> [f32; LANES] {
        if let Some(table) = self.table {
            return block.action.map(|action| table[usize::from(action)]);
        }
        let favoured = self.favoured.lanes(&block.action);
        lanes(|i| self.base + self.bonus * favoured[i] as i32 as f32)
    }
}

/// A selection rule.
pub(super) trait Selection: Clone + Send + Sync + 'static {
    /// What it keeps for each block besides visits, values and availability.
    type Extra: Clone + Default + Send + Sync + 'static;
    /// What it must remember of a choice until the return is known.
    type Note<A: ActionSet>: Clone + Copy;
    /// Whether each untried action is tried once, in random order, before the rule is asked. If not, all legal actions get an
    /// edge at once.
    const TRIES_ALL: bool = true;
    /// Whether it uses the prior.
    const HAS_PRIOR: bool = false;
    /// Whether the weights of edges are an average strategy.
    const AVERAGES: bool = false;
    /// Whether edges may know their nodes without keys: faster, at the price of a second copy of the search.
    const LINKS: bool = false;
    /// Whether each edge keeps its prior ([`prior_of`](Selection::prior_of)), which the search fills in.
    const STORES_PRIOR: bool = false;

    /// The priors of a block's edges, 0 where none was filled in yet.
    fn prior_of(_extra: &mut Self::Extra) -> Option<&mut [f32; LANES]> {
        None
    }

    /// The rule with these options.
    fn new(options: &IsmctsOptions) -> Self;

    /// What is remembered of a first try, which the rule was not asked about.
    fn first_try<A: ActionSet>() -> Self::Note<A>;

    /// Chooses an edge of a legal action, and counts availability for all of them.
    fn select<A: ActionSet>(
        &self,
        tree: &mut Tree<A, Self::Extra>,
        node: u32,
        legal: A,
        prior: Prior<'_, A>,
        spread: f32,
        rng: &mut Rng,
    ) -> (Edge, Action, Self::Note<A>);

    /// Learns the return, scaled to 0..=1, of an edge that was followed.
    #[inline(always)]
    fn learn<A: ActionSet>(tree: &mut Tree<A, Self::Extra>, edge: Edge, _note: Self::Note<A>, value: f64) {
        tree.update(edge, value);
    }

    /// An edge's part in the average strategy, not normalised.
    fn weight<A: ActionSet>(_block: &Block<A>, _extra: &Self::Extra, _lane: usize) -> f64 {
        0.0
    }
}

/// The mean returns of a block's edges; of no meaning where there are no visits.
#[inline(always)]
pub(super) fn means<A>(block: &Block<A>) -> ([f32; LANES], [f32; LANES]) {
    let share = lanes(|i| 1.0 / block.visits[i] as i32 as f32);
    (lanes(|i| block.value[i] as f32 * share[i]), share)
}

/// UCB1: mean + c spread sqrt(ln(availability) / visits).
#[derive(Clone, Debug)]
pub(super) struct Ucb1 {
    c: f32,
}

struct UpperConfidence {
    c: f32,
}

impl<A> Bound<A, ()> for UpperConfidence {
    #[inline(always)]
    fn lanes(&self, block: &Block<A>, (): &()) -> [f32; LANES] {
        let (mean, share) = means(block);
        let log = lanes(|i| ln(block.available[i]));
        lanes(|i| mean[i] + self.c * (log[i] * share[i]).sqrt())
    }
}

impl Selection for Ucb1 {
    type Extra = ();
    type Note<A: ActionSet> = ();
    const LINKS: bool = true;

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
        _prior: Prior<'_, A>,
        spread: f32,
        _rng: &mut Rng,
    ) -> (Edge, Action, ()) {
        let (edge, action) = tree.best(node, legal, &UpperConfidence { c: self.c * spread });
        (edge, action, ())
    }
}

/// UCB1-tuned: mean + 2 c sqrt(ln(availability) / visits * V), V the variance of the action's returns plus
/// spread^2 sqrt(2 ln(availability) / visits), at most spread^2 / 4. With c = 1/2 and a spread of 1 it is the formula of the
/// paper.
#[derive(Clone, Debug)]
pub(super) struct Ucb1Tuned {
    c: f32,
}

/// Sums of squared returns.
#[derive(Clone, Debug, Default)]
pub(super) struct Squares([f64; LANES]);

struct Tuned {
    c: f32,
    range: f32,
}

impl<A> Bound<A, Squares> for Tuned {
    #[inline(always)]
    fn lanes(&self, block: &Block<A>, squares: &Squares) -> [f32; LANES] {
        let (mean, share) = means(block);
        let log = lanes(|i| ln(block.available[i]) * share[i]);
        let variance = lanes(|i| (squares.0[i] as f32 * share[i] - mean[i] * mean[i]).max(0.0));
        let most = lanes(|i| (variance[i] + self.range * (2.0 * log[i]).sqrt()).min(0.25 * self.range));
        lanes(|i| mean[i] + self.c * (log[i] * most[i]).sqrt())
    }
}

impl Selection for Ucb1Tuned {
    type Extra = Squares;
    type Note<A: ActionSet> = ();

    fn new(options: &IsmctsOptions) -> Self {
        Self { c: 2.0 * options.c as f32 }
    }

    fn first_try<A: ActionSet>() {}

    #[inline(always)]
    fn select<A: ActionSet>(
        &self,
        tree: &mut Tree<A, Squares>,
        node: u32,
        legal: A,
        _prior: Prior<'_, A>,
        spread: f32,
        _rng: &mut Rng,
    ) -> (Edge, Action, ()) {
        let (edge, action) = tree.best(node, legal, &Tuned { c: self.c, range: spread * spread });
        (edge, action, ())
    }

    #[inline(always)]
    fn learn<A: ActionSet>(tree: &mut Tree<A, Squares>, edge: Edge, _note: (), value: f64) {
        tree.parts(edge.block).1.0[edge.lane()] += value * value;
        tree.update(edge, value);
    }
}

/// The mean return of all visits of a node; 1/2 before the first.
#[inline(always)]
pub(super) fn node_mean<A: ActionSet, X: Default + Clone>(tree: &Tree<A, X>, node: u32) -> f32 {
    let (mut at, mut value, mut visits) = (node, 0.0, 0);
    while at != NONE {
        let block = tree.block(at);
        value += block.value.iter().sum::<f64>();
        visits += block.visits.iter().sum::<u32>();
        at = block.next;
    }
    if visits == 0 { 0.5 } else { (value / f64::from(visits)) as f32 }
}

/// One number per edge of a node, block by block.
type Row = ArrayVec<[f32; LANES], MAX_BLOCKS>;

/// Draws an edge in proportion to `weights`, which are 0 for actions that are not legal and not all 0; returns it with its
/// weight.
#[inline]
fn draw<A: ActionSet, X: Default + Clone>(
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

/// Counts availability of a node's legal actions; returns for each edge whether it is legal (1 or 0), how many are, and the
/// most passes in which one of them was available, this one included.
#[inline(always)]
fn count<A: ActionSet, X: Default + Clone>(tree: &mut Tree<A, X>, node: u32, legal: A) -> (Row, f32, u32) {
    let mut row = Row::new();
    let (mut actions, mut passes, mut at) = (0, 1, node);
    while at != NONE {
        let (block, _) = tree.parts(at);
        let legal = block.legal(legal);
        block.available = lanes(|i| block.available[i] + legal[i]);
        row.push(lanes(|i| legal[i] as i32 as f32));
        actions += legal.iter().sum::<u32>();
        passes = lanes(|i| block.available[i] * legal[i]).into_iter().fold(passes, u32::max);
        at = block.next;
    }
    (row, actions as f32, passes)
}

/// Smooth-UCT: with probability max(gamma, eta / (1 + d sqrt(passes))) UCB1, else an action drawn from the average strategy,
/// the visits, each divided by availability.
#[derive(Clone, Debug)]
pub(super) struct SmoothUct {
    ucb1: Ucb1,
    gamma: f32,
    eta: f32,
    d: f32,
}

impl Selection for SmoothUct {
    type Extra = ();
    type Note<A: ActionSet> = ();
    const AVERAGES: bool = true;

    fn new(options: &IsmctsOptions) -> Self {
        let gamma = if options.gamma == 0.0 { 0.1 } else { options.gamma as f32 };
        Self { ucb1: Ucb1::new(options), gamma, eta: options.eta as f32, d: options.d as f32 }
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
        rng: &mut Rng,
    ) -> (Edge, Action, ()) {
        let mut passes = 1;
        let mut at = node;
        while at != NONE {
            let block = tree.block(at);
            let legal = block.legal(legal);
            passes = lanes(|i| block.available[i] * legal[i]).into_iter().fold(passes, u32::max);
            at = block.next;
        }
        let eta = (self.eta / (1.0 + self.d * (passes as i32 as f32).sqrt())).max(self.gamma);
        if (rng.unit() as f32) < eta {
            return self.ucb1.select(tree, node, legal, prior, spread, rng);
        }
        let (mut weights, _, _) = count(tree, node, legal);
        let (mut at, mut total) = (node, 0.0);
        for row in &mut weights {
            let block = tree.block(at);
            *row = lanes(|i| row[i] * block.visits[i] as i32 as f32 / block.available[i].max(1) as i32 as f32);
            total += row.iter().sum::<f32>();
            at = block.next;
        }
        let (edge, _) = draw(tree, node, &weights, total, rng);
        (edge, tree.action(edge), ())
    }

    fn weight<A: ActionSet>(block: &Block<A>, (): &(), lane: usize) -> f64 {
        f64::from(block.visits[lane])
    }
}

/// What the regret-based rules keep.
#[derive(Clone, Debug, Default)]
pub(super) struct Regrets {
    /// How much better the action would have done than the strategy, estimated and added up over the passes in which it was
    /// available.
    regret: [f64; LANES],
    /// The strategies of all passes, added up, the first of them weighted by the number of the pass.
    average: [f64; LANES],
    /// The strategy of the last pass.
    strategy: [f32; LANES],
}

/// Passes in which the strategy is noise mostly and counts for less in the average, the less the earlier.
const WARM_UP: u32 = 256;

/// What a regret-based rule remembers of a choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draw<A> {
    node: u32,
    /// What the surprise of the return is divided by: the probability with which the action was chosen, or somewhat more; 0 for
    /// a first try, of which only the mean is learned.
    divisor: f32,
    legal: A,
}

/// Draws an action from a strategy with a share `gamma` of uniform exploration mixed in, and adds the strategy to the average.
/// Returns are to be divided by the probability of the action plus `implicit`.
#[inline(always)]
fn explore<A: ActionSet>(
    tree: &mut Tree<A, Regrets>,
    node: u32,
    legal: A,
    rows: (Row, Row),
    (gamma, implicit): (f32, f32),
    passes: u32,
    rng: &mut Rng,
) -> (Edge, Action, Draw<A>) {
    let (mask, mut strategy) = rows;
    let weight = f64::from(passes.min(WARM_UP));
    let actions: f32 = mask.iter().flatten().sum();
    let total: f32 = strategy.iter().flatten().sum();
    let uniform = 1.0 / actions;
    let mut at = node;
    for (row, mask) in strategy.iter_mut().zip(&mask) {
        let normal = if total > 0.0 { lanes(|i| row[i] / total) } else { lanes(|i| uniform * mask[i]) };
        let (block, extra) = tree.parts(at);
        extra.strategy = normal;
        extra.average = lanes(|i| extra.average[i] + weight * f64::from(normal[i]));
        *row = lanes(|i| (1.0 - gamma) * normal[i] + gamma * uniform * mask[i]);
        at = block.next;
    }
    let (edge, probability) = draw(tree, node, &strategy, 1.0, rng);
    (edge, tree.action(edge), Draw { node, divisor: probability + implicit, legal })
}

/// Adds to the regrets of all legal actions. What an action would have brought is estimated by its mean return so far, and the
/// one that was chosen by the return on top, weighted by importance: unbiased, with the means as control variates (Schmid et
/// al., *Variance Reduction in Monte Carlo Counterfactual Regret Minimization*, 2019).
#[inline(always)]
fn add_regrets<A: ActionSet>(tree: &mut Tree<A, Regrets>, edge: Edge, note: Draw<A>, value: f64) {
    if note.divisor > 0.0 {
        let unseen = f64::from(node_mean(tree, note.node));
        let mean = |block: &Block<A>| {
            lanes(|i| if block.visits[i] > 0 { block.value[i] / f64::from(block.visits[i]) } else { unseen })
        };
        let surprise = (value - mean(tree.block(edge.block))[edge.lane()]) / f64::from(note.divisor);
        let (mut at, mut expected) = (note.node, 0.0);
        while at != NONE {
            let (block, extra) = tree.parts(at);
            let mean = mean(block);
            expected += lanes(|i| f64::from(extra.strategy[i]) * mean[i]).iter().sum::<f64>();
            at = block.next;
        }
        let chosen = tree.parts(edge.block).1;
        expected += f64::from(chosen.strategy[edge.lane()]) * surprise;
        chosen.regret[edge.lane()] += surprise;
        at = note.node;
        while at != NONE {
            let (block, extra) = tree.parts(at);
            let (mean, legal) = (mean(block), block.legal(note.legal));
            extra.regret = lanes(|i| extra.regret[i] + f64::from(legal[i]) * (mean[i] - expected));
            at = block.next;
        }
    }
    tree.update(edge, value);
}

/// EXP3: probabilities in proportion to exp(gamma R / (K spread)), with a share gamma of uniform exploration, K the number of
/// legal actions, R the regrets added up: for actions that are always available they differ from one another as the sums of
/// rewards do that EXP3 keeps. Exponents are taken relative to the largest, so nothing overflows. Without an option
/// gamma = min(1, sqrt(K ln K / ((e - 1) passes))), the optimum for that many passes.
#[derive(Clone, Debug)]
pub(super) struct Exp3 {
    gamma: f32,
}

impl Selection for Exp3 {
    type Extra = Regrets;
    type Note<A: ActionSet> = Draw<A>;
    const AVERAGES: bool = true;

    fn new(options: &IsmctsOptions) -> Self {
        Self { gamma: options.gamma as f32 }
    }

    fn first_try<A: ActionSet>() -> Draw<A> {
        Draw { node: NONE, divisor: 0.0, legal: A::default() }
    }

    #[inline(always)]
    fn select<A: ActionSet>(
        &self,
        tree: &mut Tree<A, Regrets>,
        node: u32,
        legal: A,
        _prior: Prior<'_, A>,
        spread: f32,
        rng: &mut Rng,
    ) -> (Edge, Action, Draw<A>) {
        let (mask, actions, passes) = count(tree, node, legal);
        let gamma = if self.gamma > 0.0 {
            self.gamma
        } else {
            const LESS_THAN_E: f32 = std::f32::consts::E - 1.0;
            (actions * ln(actions as u32) / (LESS_THAN_E * passes as i32 as f32)).sqrt().min(1.0)
        };
        let rate = f64::from(gamma / (actions * spread));
        let (mut at, mut most) = (node, f64::NEG_INFINITY);
        for mask in &mask {
            let (block, extra) = tree.parts(at);
            let regrets = lanes(|i| if mask[i] > 0.0 { extra.regret[i] } else { f64::NEG_INFINITY });
            most = regrets.into_iter().fold(most, f64::max);
            at = block.next;
        }
        at = node;
        let mut strategy = Row::new();
        for mask in &mask {
            let (block, extra) = tree.parts(at);
            strategy.push(lanes(|i| mask[i] * exp((rate * (extra.regret[i] - most)).min(0.0) as f32)));
            at = block.next;
        }
        explore(tree, node, legal, (mask, strategy), (gamma, 0.0), passes, rng)
    }

    #[inline(always)]
    fn learn<A: ActionSet>(tree: &mut Tree<A, Regrets>, edge: Edge, note: Draw<A>, value: f64) {
        add_regrets(tree, edge, note, value);
    }

    fn weight<A: ActionSet>(_block: &Block<A>, extra: &Regrets, lane: usize) -> f64 {
        extra.average[lane]
    }
}

/// Regret matching: probabilities in proportion to the positive regrets, uniform if there are none, with a share gamma of
/// uniform exploration. To the probability that a return is divided by, sqrt(ln K / (K passes)) is added, K the number of legal
/// actions (implicit exploration: Neu, *Explore No More*, 2015): a single return of a rare action would else decide for hundreds
/// of passes.
#[derive(Clone, Debug)]
pub(super) struct RegretMatching {
    gamma: f32,
}

impl Selection for RegretMatching {
    type Extra = Regrets;
    type Note<A: ActionSet> = Draw<A>;
    const AVERAGES: bool = true;

    fn new(options: &IsmctsOptions) -> Self {
        Self { gamma: if options.gamma == 0.0 { 0.1 } else { options.gamma as f32 } }
    }

    fn first_try<A: ActionSet>() -> Draw<A> {
        Exp3::first_try()
    }

    #[inline(always)]
    fn select<A: ActionSet>(
        &self,
        tree: &mut Tree<A, Regrets>,
        node: u32,
        legal: A,
        _prior: Prior<'_, A>,
        _spread: f32,
        rng: &mut Rng,
    ) -> (Edge, Action, Draw<A>) {
        let (mask, actions, passes) = count(tree, node, legal);
        let mut strategy = Row::new();
        let mut at = node;
        for mask in &mask {
            let (block, extra) = tree.parts(at);
            strategy.push(lanes(|i| mask[i] * extra.regret[i].max(0.0) as f32));
            at = block.next;
        }
        let implicit = (ln(actions as u32) / (actions * passes as i32 as f32)).sqrt();
        explore(tree, node, legal, (mask, strategy), (self.gamma, implicit), passes, rng)
    }

    #[inline(always)]
    fn learn<A: ActionSet>(tree: &mut Tree<A, Regrets>, edge: Edge, note: Draw<A>, value: f64) {
        add_regrets(tree, edge, note, value);
    }

    fn weight<A: ActionSet>(_block: &Block<A>, extra: &Regrets, lane: usize) -> f64 {
        extra.average[lane]
    }
}

/// The natural logarithm of a count from 1 to 2^31 - 1, to within 2e-4: exponent plus a polynomial in the mantissa (through
/// the logarithm at the Chebyshev nodes of 1..2). Portable, free of branches, never negative.
#[inline(always)]
fn ln(count: u32) -> f32 {
    let bits = (count as i32 as f32).to_bits();
    let exponent = ((bits >> 23) as i32 - 127) as f32;
    let m = f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000);
    let mantissa = -1.731_726_4 + (2.792_836_4 + (-1.440_592_2 + (0.433_932_45 - 0.054_370_93 * m) * m) * m) * m;
    exponent * LN_2 + mantissa
}

/// The exponential of a number that is not positive, to within a part in 10^4; 2^-125 instead of anything less. Portable, free
/// of branches.
#[inline(always)]
fn exp(x: f32) -> f32 {
    let power = (x * LOG2_E).max(-125.0);
    let whole = power as i32 - 1;
    // Between 0 and 2^1, both included: Taylor's polynomial about 1/2 of the power's fraction.
    let f = (power - whole as f32 - 0.5) * LN_2;
    let fraction = 1.0 + f * (1.0 + f * (0.5 + f * (1.0 / 6.0 + f * (1.0 / 24.0 + f * (1.0 / 120.0)))));
    std::f32::consts::SQRT_2 * fraction * f32::from_bits(((whole + 127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use stier_core::{Action, ActionSet as _, Actions64, Rng};

    use super::super::IsmctsOptions;
    use super::super::puct::Puct;
    use super::super::tree::Tree;
    use super::{Exp3, Prior, RegretMatching, Selection, SmoothUct, Ucb1, Ucb1Tuned, exp, ln};
    use crate::agent::memory::Memory;

    #[test]
    fn the_logarithm_is_close_and_not_negative() {
        for count in (1..10_000).chain((1..260).map(|k| k * 4_000_003)) {
            let exact = f64::from(count).ln();
            let close = f64::from(ln(count));
            assert!(close >= 0.0 && (close - exact).abs() < 2e-4, "ln({count}): {close} for {exact}");
        }
    }

    #[test]
    fn the_exponential_is_close() {
        for x in (0..86_600).map(|k| -f64::from(k) / 1000.0) {
            let close = f64::from(exp(x as f32));
            assert!((close / x.exp() - 1.0).abs() < 1e-4, "exp({x}): {close} for {}", x.exp());
        }
        for x in [-88.0, -1e6, -1e30, f32::NEG_INFINITY] {
            assert!((2.3e-38..2.4e-38).contains(&exp(x)), "{}", exp(x));
        }
    }

    /// A node's edge as the formulas see it.
    #[derive(Clone, Copy, Default)]
    struct Arm {
        visits: u32,
        available: u32,
        value: f64,
        squares: f64,
    }

    /// Follows a rule through 3,000 passes of a node of 21 edges, a third of them legal each time, and asks of every choice
    /// whether its bound is the highest.
    fn follows<S: Selection>(c: f64, spread: f32, bound: impl Fn(&Arm, f64, f64) -> f64) {
        let rule = S::new(&IsmctsOptions { c, ..Default::default() });
        let mut tree: Tree<Actions64, S::Extra> = Tree::new(Memory::unlimited());
        let root = tree.add_node();
        let ids: Vec<Action> = (0..21).map(|i| Action(3 * i)).collect();
        let mut arms = vec![Arm::default(); 21];
        let mut rng = Rng::stream(1, "rule", 0);
        if S::TRIES_ALL {
            for (arm, &action) in arms.iter_mut().zip(&ids) {
                let edge = tree.expand(root, Actions64::default(), action);
                let value = rng.unit();
                *arm = Arm { visits: 1, available: 1, value, squares: value * value };
                S::learn(&mut tree, edge, S::first_try(), value);
            }
        } else {
            tree.add_edges(root, ids.iter().copied());
        }
        for _ in 0..3000 {
            let legal: Actions64 = ids.iter().copied().filter(|_| rng.below(3) == 0).collect();
            if legal.is_empty() {
                continue;
            }
            // Every second legal action is favoured: it has three times the prior of the others, about.
            let favoured: Actions64 = legal.iter().step_by(2).collect();
            let (base, bonus) = (0.5 / legal.len() as f32, 0.5 / favoured.len() as f32);
            let prior = Prior { table: None, favoured, base, bonus };
            let visits: u32 = arms.iter().map(|arm| arm.visits).sum();
            let mean =
                if visits == 0 { 0.5 } else { arms.iter().map(|arm| arm.value).sum::<f64>() / f64::from(visits) };
            let (edge, action, note) = rule.select(&mut tree, root, legal, prior, spread, &mut rng);
            let chosen = ids.iter().position(|&id| id == action).expect("an edge");
            assert!(legal.contains(action));
            let mut best = f64::NEG_INFINITY;
            let mut of_chosen = 0.0;
            for (index, &id) in ids.iter().enumerate().filter(|&(_, &id)| legal.contains(id)) {
                arms[index].available += 1;
                let prior = base + bonus * f32::from(u8::from(favoured.contains(id)));
                let here = bound(&arms[index], f64::from(prior), mean);
                best = best.max(here);
                of_chosen = if index == chosen { here } else { of_chosen };
            }
            assert!(of_chosen > best - 1e-3, "chose {action:?} with {of_chosen}, best is {best}, c = {c}");
            // Some actions are better than others.
            let value = rng.unit() * f64::from(action.0 + 30) / 93.0;
            S::learn(&mut tree, edge, note, value);
            arms[chosen].visits += 1;
            arms[chosen].value += value;
            arms[chosen].squares += value * value;
        }
        for (edge, arm) in tree.edges(root, S::weight).iter().zip(&arms) {
            assert_eq!((edge.visits, edge.available > 0), (arm.visits, arm.available > 0));
            assert!(!S::TRIES_ALL || edge.available == arm.available);
            assert!((edge.value - arm.value).abs() < 1e-9);
        }
    }

    #[test]
    fn bounds_follow_the_formulas() {
        for (c, spread) in [(0.1, 1.0), (0.7, 0.3), (2.0, 1.0), (0.0, 1.0)] {
            let wide = c * f64::from(spread);
            let range = f64::from(spread).powi(2);
            follows::<Ucb1>(c, spread, |arm, _, _| {
                let visits = f64::from(arm.visits);
                arm.value / visits + wide * (f64::from(arm.available).ln() / visits).sqrt()
            });
            follows::<Ucb1Tuned>(c, spread, |arm, _, _| {
                let visits = f64::from(arm.visits);
                let mean = arm.value / visits;
                let share = f64::from(arm.available).ln() / visits;
                let variance = arm.squares / visits - mean * mean + range * (2.0 * share).sqrt();
                mean + 2.0 * c * (share * variance.min(range / 4.0)).sqrt()
            });
            follows::<Puct>(c, spread, |arm, prior, unseen| {
                let visits = f64::from(arm.visits);
                let mean = if arm.visits == 0 { unseen } else { arm.value / visits };
                mean + wide * prior * f64::from(arm.available).sqrt() / (1.0 + visits)
            });
        }
    }

    /// The share of each of 12 arms in the average strategy and in the visits after that many pulls; arm `k` pays 1 with
    /// probability (k + 1) / 13.
    fn bandit<S: Selection>(options: &IsmctsOptions, pulls: u32) -> (Vec<f64>, Vec<f64>) {
        let rule = S::new(options);
        let mut tree: Tree<Actions64, S::Extra> = Tree::new(Memory::unlimited());
        let root = tree.add_node();
        let mut rng = Rng::stream(1, "bandit", 0);
        let legal: Actions64 = (0..12).map(Action).collect();
        for pull in 0..pulls {
            let untried = legal.without(tree.tried(root));
            let (edge, action, note) = if untried.is_empty() {
                rule.select(&mut tree, root, legal, Prior::default(), 1.0, &mut rng)
            } else {
                let action = untried.pick(&mut rng);
                (tree.expand(root, legal, action), action, S::first_try())
            };
            let pays = rng.below(13) <= u32::from(action.0);
            S::learn(&mut tree, edge, note, f64::from(u8::from(pays)));
            debug_assert!(pull < 12 || untried.is_empty());
        }
        let edges = tree.edges(root, S::weight);
        let mut shares = (vec![0.0; 12], vec![0.0; 12]);
        let total: f64 = edges.iter().map(|edge| edge.weight).sum();
        for edge in edges {
            assert!(edge.weight.is_finite() && edge.weight >= 0.0);
            shares.0[edge.action.index()] = edge.weight / total;
            shares.1[edge.action.index()] = f64::from(edge.visits) / f64::from(pulls);
        }
        shares
    }

    #[test]
    fn mixed_rules_find_the_best_arm() {
        let options = IsmctsOptions::default();
        for (average, visits) in [
            bandit::<Exp3>(&options, 20_000),
            bandit::<RegretMatching>(&options, 20_000),
            bandit::<SmoothUct>(&options, 20_000),
        ] {
            assert!(average[11] > 0.7, "{average:?}");
            assert!(visits[11] > 0.6 && visits.iter().all(|&share| share > 0.0), "{visits:?}");
        }
        // Exploration costs its share of the visits and nothing of the average strategy.
        let wide = IsmctsOptions { gamma: 0.6, ..options };
        for (average, visits) in [bandit::<Exp3>(&wide, 20_000), bandit::<RegretMatching>(&wide, 20_000)] {
            assert!(average[11] > 0.9 && (0.40..0.46).contains(&visits[11]), "{average:?} {visits:?}");
            assert!(visits[0] > 0.04, "{visits:?}");
        }
    }

    #[test]
    fn ten_million_pulls_overflow_nothing() {
        let (average, visits) = bandit::<Exp3>(&IsmctsOptions::default(), 10_000_000);
        assert!(average[11] > 0.95 && visits[11] > 0.95, "{average:?}");
        let (average, _) = bandit::<Exp3>(&IsmctsOptions { gamma: 0.5, ..Default::default() }, 300_000);
        assert!(average[11] > 0.99, "{average:?}");
    }
}
