//! EXP3 (Auer, Cesa-Bianchi, Freund and Schapire 2002) and regret matching (Hart and Mas-Colell 2000; in tree search:
//! Lanctot, Lisý and Winands 2013): mixed strategies from the regrets of actions.

use stier_core::{ActionSet, Rng};

use super::IsmctsOptions;
use super::fast_math::{exp, ln};
use super::selection::{Available, Row, Rule, Selection, count, draw, gamma_or_default, node_mean};
use super::tree::{Block, Edge, LANES, Tree, lanes};

/// The statistics of the regret-based rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Regrets {
    /// The estimated advantage of the action over the strategy, added up over the visits in which it was available.
    pub(super) regret: [f64; LANES],
    /// The sum of the strategies of all visits. The first of them are weighted by the number of the visit.
    average: [f64; LANES],
    /// The strategy of the last visit.
    pub(super) strategy: [f32; LANES],
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
/// have the same pairwise differences as the reward sums of EXP3. Exponents are taken relative to the largest, so
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
