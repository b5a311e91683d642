//! A part of a game solved anew, from the ranges of both players at its root.
//!
//! With the ranges as they are, the policies are an equilibrium of the part, but a player that follows one may lose more
//! against an opponent who knows it: such an opponent chooses with which hands it comes there. The gadgets keep a player
//! safe by what each hand of the opponent was worth against the policy before, its *alternative*: the value of a best
//! response. See N. Burch, M. Johanson and M. Bowling, *Solving Imperfect Information Games Using Decomposition*, AAAI 2014,
//! and M. Moravčík, M. Schmid, K. Ha, M. Hladík and S. Gaukrodger, *Refining Subgames in Large Imperfect Information
//! Games*, AAAI 2016.

use crate::agent::endings::{EndingSettings, Gadget};
use crate::agent::threads::{Halted, Watch, goes_on};

/// The least number of a hand of the player that learns, as a share of its largest.
const LEAST: f32 = 1e-6;

/// The opponent's range, as the gadget learns it.
struct Beginning<'a> {
    gadget: Gadget,
    /// The probability that the hand comes from its range, not from the gadget.
    range_share: f64,
    /// By hand: its range, scaled so that all pairs of hands that fit sum to 1.
    range: Vec<f64>,
    alternatives: &'a [f64],
    /// By hand: the probability that the gadget is about it, by pair of hands that fit; with max-margin, if it is chosen.
    weights: Vec<f64>,
    /// By hand: the probability that it begins, or with max-margin that it is chosen.
    shares: Vec<f64>,
    /// By hand: the regrets of these, and of the alternative.
    regrets: Vec<[f64; 2]>,
}

impl<'a> Beginning<'a> {
    /// `pairs` is, by hand, the sum of the other player's range over the hands that fit.
    fn new(gadget: Gadget, range_share: f64, range: &[f32], alternatives: &'a [f64], pairs: &[f64]) -> Self {
        let inverse = |sum: f64| if sum > 0.0 { 1.0 / sum } else { 0.0 };
        let all = inverse(pairs.iter().sum());
        let scale = inverse(range.iter().zip(pairs).map(|(&number, pairs)| f64::from(number) * pairs).sum());
        let range = range.iter().map(|&number| if scale > 0.0 { f64::from(number) * scale } else { all }).collect();
        let (weights, shares) = match gadget {
            Gadget::MaxMargin => {
                (pairs.iter().map(|&sum| inverse(sum)).collect(), vec![1.0 / pairs.len() as f64; pairs.len()])
            }
            _ => (vec![all; pairs.len()], vec![1.0; pairs.len()]),
        };
        let range_share = if gadget == Gadget::Unsafe { 1.0 } else { range_share };
        Self { gadget, range_share, range, alternatives, weights, shares, regrets: vec![[0.0; 2]; pairs.len()] }
    }

    /// The opponent's range: its own one, and that of the gadget.
    fn range(&self) -> Vec<f32> {
        let Self { range_share, range, weights, shares, .. } = self;
        let begins = weights.iter().zip(shares).map(|(weight, share)| (1.0 - range_share) * weight * share);
        range.iter().zip(begins).map(|(number, begins)| (range_share * number + begins) as f32).collect()
    }

    /// Learns from the values of the hands.
    fn learn(&mut self, values: &[f32]) {
        let gains = values.iter().map(|&value| f64::from(value)).zip(self.alternatives).zip(&self.weights);
        let gains: Vec<f64> = gains.map(|((value, other), weight)| (value - other) * weight).collect();
        let is_one = self.gadget == Gadget::MaxMargin;
        let mean: f64 = gains.iter().zip(&self.shares).map(|(gain, share)| gain * share).sum();
        for ((gain, share), [begins, leaves]) in gains.iter().zip(&self.shares).zip(&mut self.regrets) {
            let mean = if is_one { mean } else { gain * share };
            *begins = (*begins + gain - mean).max(0.0);
            *leaves = if is_one { 0.0 } else { (*leaves - mean).max(0.0) };
        }
        let all: f64 = self.regrets.iter().map(|regrets| regrets[0]).sum();
        let even = if is_one { 1.0 / gains.len() as f64 } else { 0.5 };
        for (share, [begins, leaves]) in self.shares.iter_mut().zip(&self.regrets) {
            let sum = if is_one { all } else { begins + leaves };
            *share = if sum > 0.0 { begins / sum } else { even };
        }
    }
}

/// A calculation of counterfactual regret minimization in a part of a game.
pub(crate) trait Subgame {
    /// Updates a seat in an iteration, of which the first is 1, from these ranges where the part begins; its average policy
    /// only if it is wanted. Returns the values of its hands there.
    fn learn(&mut self, iteration: u64, seat: usize, ranges: [&[f32]; 2], has_average: bool) -> Vec<f32>;
}

/// Solves a part of a game anew for a seat, from these ranges where it begins. By hand of the other seat, `alternatives` are
/// the values of a best response to the seat's policy before, which gadgets need, and `pairs` the sums of the seat's range
/// over the hands that fit. `watch` is asked before each iteration, and may stop it.
pub(crate) fn resolve(
    subgame: &mut dyn Subgame,
    (seat, ranges): (usize, [&[f32]; 2]),
    (alternatives, pairs): (&[f64], &[f64]),
    settings: &EndingSettings,
    watch: Watch<'_>,
) -> Result<(), Halted> {
    let &EndingSettings { gadget, range_share, ending_iterations, .. } = settings;
    let other = seat ^ 1;
    let mut beginning = Beginning::new(gadget, range_share, ranges[other], alternatives, pairs);
    for iteration in 1..=ending_iterations {
        // Nobody asks what the other seat has learned last.
        let learners = if iteration < ending_iterations { &[other, seat][..] } else { &[seat] };
        for &learner in learners {
            goes_on(watch())?;
            let range = beginning.range();
            let mut given = [&range[..]; 2];
            given[seat] = ranges[seat];
            let own = raised(given[learner]);
            given[learner] = &own;
            let values = subgame.learn(iteration, learner, given, learner == seat);
            if learner == other {
                beginning.learn(&values);
            }
        }
    }
    Ok(())
}

/// The range with at least a small number for every hand, so that each has an average policy.
fn raised(range: &[f32]) -> Vec<f32> {
    let least = LEAST * range.iter().copied().fold(0.0, f32::max);
    range.iter().map(|number| number.max(least)).collect()
}
