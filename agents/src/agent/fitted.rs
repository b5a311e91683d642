//! The game's own policy, fitted to the decisions of a search, as a player inside a search.
//!
//! See [`Hints::logit`]: a softmax over weighted features of what the player to act knows. It stands in for players in rollouts
//! (as in the knowledge-based rollouts of computer Go: D. Silver and G. Tesauro, *Monte-Carlo Simulation Balancing*, ICML 2009), for
//! the opponents in a tree, for the prior of PUCT, and as model of past decisions. Without features it is the uniform policy.

use arrayvec::ArrayVec;
use stier_core::{Action, ActionSet as _, Hints, Rng};

/// The most actions that are legal at once in any game.
pub(crate) const MOST: usize = 128;

/// The probability of each legal action, ascending by action.
#[inline]
pub fn probabilities<G: Hints>(game: &G, state: &G::State, legal: G::Actions) -> ArrayVec<f32, MOST> {
    let (mut weights, sum) = weights(game, state, legal);
    weights.iter_mut().for_each(|weight| *weight /= sum);
    weights
}

/// An action of the policy: each legal one with its probability.
#[inline]
pub fn pick<G: Hints>(game: &G, state: &G::State, legal: G::Actions, rng: &mut Rng) -> Action {
    let count = legal.len();
    if count == 1 {
        return legal.nth(0);
    }
    let (weights, sum) = weights(game, state, legal);
    let mut left = rng.unit() as f32 * sum;
    let drawn = weights.iter().position(|&weight| {
        left -= weight;
        left < 0.0
    });
    // Rounding may leave over a last bit of the sum.
    legal.nth(drawn.unwrap_or(count - 1))
}

/// What the probabilities are proportional to, the most being 1, and the sum.
#[inline(always)]
fn weights<G: Hints>(game: &G, state: &G::State, legal: G::Actions) -> (ArrayVec<f32, MOST>, f32) {
    let mut weights = ArrayVec::new();
    game.logits(state, legal, &mut |logit| weights.push(logit));
    let most = weights.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    weights.iter_mut().for_each(|weight| *weight = exp(*weight - most));
    let sum = weights.iter().sum();
    (weights, sum)
}

/// e to the power of a number up to 88, within a share of 4e-6 of it, and 1e-7 more for each unit of the number: the same bits on
/// every machine. 2 to the power of the nearest whole number times a Taylor polynomial.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    let doublings = (x * std::f32::consts::LOG2_E).max(-126.0);
    let whole = doublings.round_ties_even();
    let rest = (doublings - whole) * std::f32::consts::LN_2;
    let power = 1.0 + rest * (1.0 + rest * (1.0 / 2.0 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0 + rest / 120.0))));
    power * f32::from_bits(((whole as i32 + 127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::exp;

    #[test]
    fn powers_are_close() {
        for step in -8000..8800 {
            let x = step as f32 / 100.0;
            let exact = f64::from(x).exp();
            assert!((f64::from(exp(x)) - exact).abs() <= (4e-6 + 1e-7 * f64::from(x).abs()) * exact, "{x}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(-1e9) < 1.2e-38);
    }
}
