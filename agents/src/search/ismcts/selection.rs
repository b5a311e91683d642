//! Selection rules: the choice of the edge that an iteration follows, and what is learned from its return.
//!
//! Returns are scaled so that the game's utilities span 0 to 1. `spread` is twice the standard deviation of the
//! searcher's returns on that scale, and 1 in a game won or lost evenly. What the literature states for rewards of 0
//! and 1 holds with rewards divided by it. Where the number of visits to a node counts, each action counts those in
//! which it was available.

use std::f32::consts::{LN_2, LOG2_E};

use arrayvec::ArrayVec;
use stier_core::{ActionSet, BySeat, Hints, Rng, choice};

use crate::agent::sampling;
use crate::rollout::Roller;

use super::IsmctsOptions;
use super::tree::{Block, Bounds, Edge, LANES, MAX_BLOCKS, Tree, lanes};

choice! {
    /// The rule by which an iteration selects edges.
    pub(crate) enum Rule {
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
    /// The part of a selection that is needed to learn from its return. The default belongs to an edge that was not
    /// selected, but followed as the first of its action.
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

/// UCB1: mean + c spread sqrt(ln(availability) / visits).
#[derive(Clone)]
pub(super) struct Ucb1 {
    c: f32,
}

impl<A: ActionSet> Selection<A> for Ucb1 {
    type Extra = ();
    type Note = ();

    fn new(options: &IsmctsOptions) -> Self {
        Self { c: options.c as f32 }
    }

    #[inline(always)]
    fn select(&self, tree: &mut Tree<A, ()>, node: u32, legal: A, spread: f32, _rng: &mut Rng) -> (Edge, ()) {
        (tree.best(node, legal, Self { c: self.c * spread }), ())
    }
}

impl<A> Bounds<A, ()> for Ucb1 {
    #[inline(always)]
    fn of(&self, block: &Block<A>, (): &()) -> [f32; LANES] {
        let (mean, share) = means(block);
        let log = lanes(|i| ln(block.available[i]));
        lanes(|i| mean[i] + self.c * (log[i] * share[i]).sqrt())
    }
}

/// UCB1-tuned: mean + 2 c sqrt(ln(availability) / visits * V), V the variance of the action's returns plus
/// spread^2 sqrt(2 ln(availability) / visits), at most spread^2 / 4. With c = 1/2 and a spread of 1 it is the formula
/// of the paper.
#[derive(Clone)]
pub(super) struct Ucb1Tuned {
    c: f32,
}

impl<A: ActionSet> Selection<A> for Ucb1Tuned {
    /// Sums of squared returns.
    type Extra = [f64; LANES];
    type Note = ();

    fn new(options: &IsmctsOptions) -> Self {
        Self { c: 2.0 * options.c as f32 }
    }

    #[inline(always)]
    fn select(&self, tree: &mut Tree<A, Self::Extra>, node: u32, legal: A, spread: f32, _rng: &mut Rng) -> (Edge, ()) {
        let range = spread * spread;
        let bound = |block: &Block<A>, squares: &Self::Extra| {
            let (mean, share) = means(block);
            let log = lanes(|i| ln(block.available[i]) * share[i]);
            let variance = lanes(|i| (squares[i] as f32 * share[i] - mean[i] * mean[i]).max(0.0));
            let most = lanes(|i| (variance[i] + range * (2.0 * log[i]).sqrt()).min(0.25 * range));
            lanes(|i| mean[i] + self.c * (log[i] * most[i]).sqrt())
        };
        (tree.best(node, legal, bound), ())
    }

    #[inline(always)]
    fn learn(tree: &mut Tree<A, Self::Extra>, edge: Edge, _note: (), value: f64) {
        tree.parts(edge.block).1[edge.lane()] += value * value;
        tree.update(edge, value);
    }
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
type Row = ArrayVec<[f32; LANES], MAX_BLOCKS>;

/// Draws an edge in proportion to `weights`, which are 0 for actions that are not legal and not all 0. Returns it with
/// its weight.
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

/// The legal edges of a node.
struct Available {
    /// 1 for each edge of a legal action, else 0.
    mask: Row,
    /// The number of legal actions.
    actions: f32,
    /// The most visits in which one of them was available, this one included.
    visits: u32,
}

/// Counts availability of a node's legal actions.
#[inline(always)]
fn count<A: ActionSet, X: Default + Clone>(tree: &mut Tree<A, X>, node: u32, legal: A) -> Available {
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

/// Smooth-UCT: with probability max(gamma, eta / (1 + d sqrt(visits))) UCB1, else an action drawn from the average
/// strategy, the visits, each divided by availability.
#[derive(Clone)]
pub(super) struct SmoothUct {
    ucb1: Ucb1,
    gamma: f32,
    eta: f32,
    d: f32,
}

impl<A: ActionSet> Selection<A> for SmoothUct {
    type Extra = ();
    type Note = ();

    fn new(options: &IsmctsOptions) -> Self {
        let ucb1 = Ucb1 { c: options.c as f32 };
        Self { ucb1, gamma: gamma_or_default(options), eta: options.eta as f32, d: options.d as f32 }
    }

    #[inline(always)]
    fn select(&self, tree: &mut Tree<A, ()>, node: u32, legal: A, spread: f32, rng: &mut Rng) -> (Edge, ()) {
        let mut visits = 1;
        for block in tree.blocks(node) {
            let legal = block.legal(legal);
            visits = lanes(|i| block.available[i] * legal[i]).into_iter().fold(visits, u32::max);
        }
        let eta = (self.eta / (1.0 + self.d * (visits as i32 as f32).sqrt())).max(self.gamma);
        if (rng.unit() as f32) < eta {
            return self.ucb1.select(tree, node, legal, spread, rng);
        }
        let mut weights = count(tree, node, legal).mask;
        let mut total = 0.0;
        for (row, block) in weights.iter_mut().zip(tree.blocks(node)) {
            *row = lanes(|i| row[i] * block.visits[i] as i32 as f32 / block.available[i].max(1) as i32 as f32);
            total += row.iter().sum::<f32>();
        }
        (draw(tree, node, &weights, total, rng).0, ())
    }

    fn weight(block: &Block<A>, (): &(), lane: usize) -> Option<f64> {
        Some(f64::from(block.visits[lane]))
    }
}

/// The option `gamma`; 0 selects 0.1.
fn gamma_or_default(options: &IsmctsOptions) -> f32 {
    if options.gamma == 0.0 { 0.1 } else { options.gamma as f32 }
}

/// The statistics of the regret-based rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Regrets {
    /// The estimated advantage of the action over the strategy, added up over the visits in which it was available.
    regret: [f64; LANES],
    /// The sum of the strategies of all visits. The first of them are weighted by the number of the visit.
    average: [f64; LANES],
    /// The strategy of the last visit.
    strategy: [f32; LANES],
}

/// The number of visits in which the strategy is mostly noise and counts for less in the average, the less the earlier.
const WARM_UP: u32 = 256;

/// A selection by a regret-based rule.
#[derive(Clone, Copy, Default)]
pub(super) struct Draw<A> {
    node: u32,
    /// The divisor of the difference between return and mean: the probability of the action, or somewhat more; 0 for
    /// the first try of an action, from which only the mean is learned.
    divisor: f32,
    /// The probability of the action by the strategy, without exploration.
    share: f32,
    legal: A,
}

/// The regret-based rules. With a share gamma they explore uniformly. K is the number of legal actions, R the regrets
/// added up.
///
/// EXP3: probabilities in proportion to exp(gamma R / (K spread)). For actions that are always available, regrets
/// differ from one another as the sums of rewards do that EXP3 keeps. Exponents are taken relative to the largest, so
/// nothing overflows. Without an option gamma = min(1, sqrt(K ln K / ((e - 1) visits))), the optimum for that many
/// visits.
///
/// Regret matching: probabilities in proportion to the positive regrets, uniform if there are none. To the probability
/// that a return is divided by, sqrt(ln K / (K visits)) is added (implicit exploration: Neu, *Explore No More*, 2015).
/// Otherwise a single return of a rare action would decide for hundreds of visits.
#[derive(Clone)]
pub(super) struct RegretRule {
    is_exp3: bool,
    gamma: f32,
}

impl<A: ActionSet> Selection<A> for RegretRule {
    type Extra = Regrets;
    type Note = Draw<A>;

    fn new(options: &IsmctsOptions) -> Self {
        let is_exp3 = options.selection == Rule::Exp3;
        Self { is_exp3, gamma: if is_exp3 { options.gamma as f32 } else { gamma_or_default(options) } }
    }

    #[inline(always)]
    fn select(&self, tree: &mut Tree<A, Regrets>, node: u32, legal: A, spread: f32, rng: &mut Rng) -> (Edge, Draw<A>) {
        let Available { mask, actions, visits } = count(tree, node, legal);
        let (log, passes) = (ln(actions as u32), visits as i32 as f32);
        let (mut gamma, mut implicit) = (self.gamma, 0.0);
        let mut strategy;
        if self.is_exp3 {
            if gamma == 0.0 {
                const LESS_THAN_E: f32 = std::f32::consts::E - 1.0;
                gamma = (actions * log / (LESS_THAN_E * passes)).sqrt().min(1.0);
            }
            let rate = f64::from(gamma / (actions * spread));
            let (mut most, mut masks) = (f64::NEG_INFINITY, mask.iter());
            tree.for_each_block(node, |_, extra| {
                let mask = masks.next().expect("a row for each block");
                let regrets = lanes(|i| if mask[i] > 0.0 { extra.regret[i] } else { f64::NEG_INFINITY });
                most = regrets.into_iter().fold(most, f64::max);
            });
            strategy = weights(tree, node, &mask, |regret| exp((rate * (regret - most)).min(0.0) as f32));
        } else {
            implicit = (log / (actions * passes)).sqrt();
            strategy = weights(tree, node, &mask, |regret| regret.max(0.0) as f32);
        }
        // Adds the strategy to the average, then mixes in uniform exploration.
        let weight = f64::from(visits.min(WARM_UP));
        let total: f32 = strategy.iter().flatten().sum();
        let uniform = 1.0 / actions;
        let mut rows = strategy.iter_mut().zip(&mask);
        tree.for_each_block(node, |_, extra| {
            let (row, mask) = rows.next().expect("a row for each block");
            let normal = if total > 0.0 { lanes(|i| row[i] / total) } else { lanes(|i| uniform * mask[i]) };
            extra.strategy = normal;
            extra.average = lanes(|i| extra.average[i] + weight * f64::from(normal[i]));
            *row = lanes(|i| (1.0 - gamma) * normal[i] + gamma * uniform * mask[i]);
        });
        let (edge, probability) = draw(tree, node, &strategy, 1.0, rng);
        let share = tree.parts(edge.block).1.strategy[edge.lane()];
        (edge, Draw { node, divisor: probability + implicit, share, legal })
    }

    /// Adds to the regrets of all legal actions. The return of an action is estimated by its mean so far, and that of
    /// the selected action by the return on top, weighted by importance. This is unbiased, with the means as control
    /// variates (Schmid et al., *Variance Reduction in Monte Carlo Counterfactual Regret Minimization*, 2019).
    #[inline(always)]
    fn learn(tree: &mut Tree<A, Regrets>, edge: Edge, note: Draw<A>, value: f64) {
        if note.divisor > 0.0 {
            restore_strategy(tree, edge, &note);
            let unseen = f64::from(node_mean(tree, note.node));
            let mean = |block: &Block<A>| {
                lanes(|i| if block.visits[i] > 0 { block.value[i] / f64::from(block.visits[i]) } else { unseen })
            };
            let surprise = (value - mean(tree.block(edge.block))[edge.lane()]) / f64::from(note.divisor);
            let mut expected = 0.0;
            tree.for_each_block(note.node, |block, extra| {
                let mean = mean(block);
                expected += lanes(|i| f64::from(extra.strategy[i]) * mean[i]).iter().sum::<f64>();
            });
            let chosen = tree.parts(edge.block).1;
            expected += f64::from(chosen.strategy[edge.lane()]) * surprise;
            chosen.regret[edge.lane()] += surprise;
            tree.for_each_block(note.node, |block, extra| {
                let (mean, legal) = (mean(block), block.legal(note.legal));
                extra.regret = lanes(|i| extra.regret[i] + f64::from(legal[i]) * (mean[i] - expected));
            });
        }
        tree.update(edge, value);
    }

    fn weight(_block: &Block<A>, extra: &Regrets, lane: usize) -> Option<f64> {
        Some(extra.average[lane])
    }
}

/// Restores the strategy of a draw. An iteration passes a node again if the observer did not notice the action. The
/// later visit overwrites the strategy by its own, in which the action may be illegal and all others have shares in the
/// same proportion, or nearly so in EXP3.
#[inline(always)]
fn restore_strategy<A: ActionSet>(tree: &mut Tree<A, Regrets>, edge: Edge, note: &Draw<A>) {
    let chosen = &mut tree.parts(edge.block).1.strategy[edge.lane()];
    if *chosen == note.share {
        return;
    }
    *chosen = 0.0;
    let mut others = 0.0;
    tree.for_each_block(note.node, |block, extra| {
        let legal = block.legal(note.legal);
        extra.strategy = lanes(|i| legal[i] as i32 as f32 * extra.strategy[i]);
        others += extra.strategy.iter().sum::<f32>();
    });
    let scale = if others > 0.0 { (1.0 - note.share) / others } else { 0.0 };
    tree.for_each_block(note.node, |_, extra| extra.strategy = lanes(|i| scale * extra.strategy[i]));
    tree.parts(edge.block).1.strategy[edge.lane()] = note.share;
}

/// The weights of a node's legal actions, each a function of the action's regret.
#[inline(always)]
fn weights<A: ActionSet>(tree: &mut Tree<A, Regrets>, node: u32, mask: &Row, weight: impl Fn(f64) -> f32) -> Row {
    let (mut rows, mut masks) = (Row::new(), mask.iter());
    tree.for_each_block(node, |_, extra| {
        let mask = masks.next().expect("a row for each block");
        rows.push(lanes(|i| mask[i] * weight(extra.regret[i])));
    });
    rows
}

/// The natural logarithm of a count from 1 to 2^31 - 1, to within 2e-4: exponent plus a polynomial in the mantissa
/// (through the logarithm at the Chebyshev nodes of 1..2). Portable, free of branches, never negative.
#[inline(always)]
fn ln(count: u32) -> f32 {
    let bits = (count as i32 as f32).to_bits();
    let exponent = ((bits >> 23) as i32 - 127) as f32;
    let m = f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000);
    let mantissa = -1.731_726_4 + (2.792_836_4 + (-1.440_592_2 + (0.433_932_45 - 0.054_370_93 * m) * m) * m) * m;
    exponent * LN_2 + mantissa
}

/// The exponential of a number that is not positive, to within a part in 10^4; 2^-125 instead of anything less.
/// Portable, free of branches.
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
    use super::super::puct::{NetworkPuct, Puct};
    use super::super::tree::{LANES, Tree};
    use super::{Expansion, RegretRule, Regrets, Rule, Selection, SmoothUct, Ucb1, Ucb1Tuned, exp, ln};
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

    /// The prior of a visit, and that of the edges of a block.
    struct Prior {
        favoured: Actions64,
        base: f32,
        bonus: f32,
        lanes: [f32; LANES],
    }

    /// A node's edge as the formulas see it.
    #[derive(Clone, Copy, Default)]
    struct Arm {
        visits: u32,
        available: u32,
        value: f64,
        squares: f64,
    }

    /// Follows a rule through 3,000 visits to a node of 21 edges, a third of them legal each time, and checks that
    /// every selected edge has the highest bound.
    fn follows<S: Selection<Actions64>>(
        c: f64,
        spread: f32,
        set_priors: impl Fn(&mut S, &mut S::Extra, Prior),
        bound: impl Fn(&Arm, f64, f64) -> f64,
    ) {
        let mut rule = S::new(&IsmctsOptions { c, ..Default::default() });
        let mut tree: Tree<Actions64, S::Extra> = Tree::new(Memory::unlimited());
        let root = tree.add_node();
        let ids: Vec<Action> = (0..21).map(|i| Action(3 * i)).collect();
        let mut arms = vec![Arm::default(); 21];
        let mut rng = Rng::stream(1, "rule", 0);
        if S::EXPANSION == Expansion::OneByOne {
            for (arm, &action) in arms.iter_mut().zip(&ids) {
                let edge = tree.expand(root, Actions64::default(), action);
                let value = rng.unit();
                *arm = Arm { visits: 1, available: 1, value, squares: value * value };
                S::learn(&mut tree, edge, Default::default(), value);
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
            let prior_of = |action| base + bonus * f32::from(favoured.contains(action));
            tree.for_each_block(root, |block, extra| {
                let lanes = block.action.map(|id| prior_of(Action(id)));
                set_priors(&mut rule, extra, Prior { favoured, base, bonus, lanes });
            });
            let visits: u32 = arms.iter().map(|arm| arm.visits).sum();
            let mean =
                if visits == 0 { 0.5 } else { arms.iter().map(|arm| arm.value).sum::<f64>() / f64::from(visits) };
            let (edge, note) = rule.select(&mut tree, root, legal, spread, &mut rng);
            let action = tree.action(edge);
            let chosen = ids.iter().position(|&id| id == action).expect("an edge");
            assert!(legal.contains(action));
            let mut best = f64::NEG_INFINITY;
            let mut of_chosen = 0.0;
            for (index, &id) in ids.iter().enumerate().filter(|&(_, &id)| legal.contains(id)) {
                arms[index].available += 1;
                let here = bound(&arms[index], f64::from(prior_of(id)), mean);
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
        for ((edge, _), arm) in tree.edges(root, S::weight).iter().zip(&arms) {
            assert_eq!((edge.visits, edge.available > 0), (u64::from(arm.visits), arm.available > 0));
            assert!(S::EXPANSION == Expansion::AllAtOnce || edge.available == u64::from(arm.available));
            assert!((edge.sum - arm.value).abs() < 1e-9);
        }
    }

    #[test]
    fn bounds_follow_the_formulas() {
        for (c, spread) in [(0.1, 1.0), (0.7, 0.3), (2.0, 1.0), (0.0, 1.0)] {
            let wide = c * f64::from(spread);
            let range = f64::from(spread).powi(2);
            follows::<Ucb1>(
                c,
                spread,
                |_, _, _| {},
                |arm, _, _| {
                    let visits = f64::from(arm.visits);
                    arm.value / visits + wide * (f64::from(arm.available).ln() / visits).sqrt()
                },
            );
            follows::<Ucb1Tuned>(
                c,
                spread,
                |_, _, _| {},
                |arm, _, _| {
                    let visits = f64::from(arm.visits);
                    let mean = arm.value / visits;
                    let share = f64::from(arm.available).ln() / visits;
                    let variance = arm.squares / visits - mean * mean + range * (2.0 * share).sqrt();
                    mean + 2.0 * c * (share * variance.min(range / 4.0)).sqrt()
                },
            );
            let puct = |arm: &Arm, prior: f64, unseen: f64| {
                let visits = f64::from(arm.visits);
                let mean = if arm.visits == 0 { unseen } else { arm.value / visits };
                mean + wide * prior * f64::from(arm.available).sqrt() / (1.0 + visits)
            };
            let set = |rule: &mut Puct<Actions64>, _: &mut (), prior: Prior| {
                (rule.favoured, rule.base, rule.bonus) = (prior.favoured, prior.base, prior.bonus);
            };
            follows::<Puct<Actions64>>(c, spread, set, puct);
            follows::<NetworkPuct>(c, spread, |_, priors, prior| *priors = prior.lanes, puct);
        }
    }

    /// The share of each of 12 arms in the average strategy and in the visits after that many pulls; arm `k` pays 1
    /// with probability (k + 1) / 13.
    fn bandit<S: Selection<Actions64>>(options: &IsmctsOptions, pulls: u32) -> (Vec<f64>, Vec<f64>) {
        let rule = S::new(options);
        let mut tree: Tree<Actions64, S::Extra> = Tree::new(Memory::unlimited());
        let root = tree.add_node();
        let mut rng = Rng::stream(1, "bandit", 0);
        let legal: Actions64 = (0..12).map(Action).collect();
        for pull in 0..pulls {
            let untried = legal.without(tree.tried(root));
            let (edge, note) = if untried.is_empty() {
                rule.select(&mut tree, root, legal, 1.0, &mut rng)
            } else {
                (tree.expand(root, legal, untried.pick(&mut rng)), Default::default())
            };
            let pays = rng.below(13) <= u32::from(tree.action(edge).0);
            S::learn(&mut tree, edge, note, f64::from(pays));
            debug_assert!(pull < 12 || untried.is_empty());
        }
        let edges = tree.edges(root, S::weight);
        let mut shares = (vec![0.0; 12], vec![0.0; 12]);
        let total: f64 = edges.iter().filter_map(|(_, weight)| *weight).sum();
        for (edge, weight) in edges {
            let weight = weight.expect("an average strategy");
            assert!(weight.is_finite() && weight >= 0.0);
            shares.0[edge.action.index()] = weight / total;
            shares.1[edge.action.index()] = edge.visits as f64 / f64::from(pulls);
        }
        shares
    }

    #[test]
    fn mixed_rules_find_the_best_arm() {
        let [exp3, matching] =
            [Rule::Exp3, Rule::RegretMatching].map(|selection| IsmctsOptions { selection, ..IsmctsOptions::default() });
        for (average, visits) in [
            bandit::<RegretRule>(&exp3, 20_000),
            bandit::<RegretRule>(&matching, 20_000),
            bandit::<SmoothUct>(&matching, 20_000),
        ] {
            assert!(average[11] > 0.7, "{average:?}");
            assert!(visits[11] > 0.6 && visits.iter().all(|&share| share > 0.0), "{visits:?}");
        }
        // Exploration costs its share of the visits and nothing of the average strategy.
        for options in [exp3, matching] {
            let (average, visits) = bandit::<RegretRule>(&IsmctsOptions { gamma: 0.6, ..options }, 20_000);
            assert!(average[11] > 0.9 && (0.40..0.46).contains(&visits[11]), "{average:?} {visits:?}");
            assert!(visits[0] > 0.04, "{visits:?}");
        }
    }

    /// An iteration that passes a node three times, each time without the actions chosen before, learns regrets that
    /// the strategy of each visit weighs to 0.
    #[test]
    fn regrets_are_relative_to_the_strategy_of_their_visit() {
        for selection in [Rule::Exp3, Rule::RegretMatching] {
            let rule = <RegretRule as Selection<Actions64>>::new(&IsmctsOptions {
                selection,
                gamma: 0.3,
                ..Default::default()
            });
            let mut tree: Tree<Actions64, Regrets> = Tree::new(Memory::unlimited());
            let root = tree.add_node();
            let all: Actions64 = (0..12).map(Action).collect();
            for action in all.iter() {
                let edge = tree.expand(root, all, action);
                <RegretRule as Selection<Actions64>>::learn(&mut tree, edge, Default::default(), 0.5);
            }
            let rows = |tree: &mut Tree<Actions64, Regrets>| {
                let (mut strategy, mut regret) = (Vec::new(), Vec::new());
                tree.for_each_block(root, |_, extra| {
                    strategy.extend(extra.strategy.map(f64::from));
                    regret.extend(extra.regret);
                });
                (strategy, regret)
            };
            let mut rng = Rng::stream(1, "passed again", 0);
            for _ in 0..200 {
                let mut legal = all;
                let mut visits = Vec::new();
                for _ in 0..3 {
                    let (edge, note) = rule.select(&mut tree, root, legal, 1.0, &mut rng);
                    visits.push((edge, note, rows(&mut tree).0));
                    legal = legal.without(Actions64::default().with(tree.action(edge)));
                }
                let value = rng.unit();
                for (edge, note, strategy) in visits.into_iter().rev() {
                    let before = rows(&mut tree).1;
                    RegretRule::learn(&mut tree, edge, note, value);
                    let after = rows(&mut tree).1;
                    let weighed: f64 = (0..after.len()).map(|i| strategy[i] * (after[i] - before[i])).sum();
                    let most =
                        after.iter().zip(&before).map(|(after, before)| (after - before).abs()).fold(1.0, f64::max);
                    assert!(weighed.abs() < 0.01 * most, "{selection:?}: {weighed} of {most}");
                }
            }
        }
    }

    #[test]
    fn ten_million_pulls_overflow_nothing() {
        let exp3 = IsmctsOptions { selection: Rule::Exp3, ..Default::default() };
        let (average, visits) = bandit::<RegretRule>(&exp3, 10_000_000);
        assert!(average[11] > 0.95 && visits[11] > 0.95, "{average:?}");
        let (average, _) = bandit::<RegretRule>(&IsmctsOptions { gamma: 0.5, ..exp3 }, 300_000);
        assert!(average[11] > 0.99, "{average:?}");
    }
}
