//! The game's own policy, fitted to the decisions of a search, as a player inside a search.
//!
//! See [`Hints::logit`]: a softmax over weighted features of what the player to act knows. It stands in for players in rollouts
//! (as in the knowledge-based rollouts of computer Go: D. Silver and G. Tesauro, *Monte-Carlo Simulation Balancing*, ICML 2009), for
//! the opponents in a tree, for the prior of PUCT, and as model of past decisions. Without features it is the uniform policy.

use arrayvec::ArrayVec;
use stier_core::{Action, ActionSet as _, Hints, Rng};

use crate::agent::sampling::{MOST, place, softmax};

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
    if legal.len() == 1 {
        return legal.nth(0);
    }
    let (weights, sum) = weights(game, state, legal);
    legal.nth(place(weights, rng.unit() as f32 * sum))
}

/// What the probabilities are proportional to, the most being 1, and the sum.
#[inline(always)]
fn weights<G: Hints>(game: &G, state: &G::State, legal: G::Actions) -> (ArrayVec<f32, MOST>, f32) {
    let mut weights = ArrayVec::new();
    game.logits(state, legal, &mut |logit| weights.push(logit));
    let sum = softmax(&mut weights, 1.0);
    (weights, sum)
}
