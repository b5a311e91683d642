//! The game's own policy, fitted to the decisions of a search, as a player within a search.
//!
//! The policy is a softmax over weighted features of the player's knowledge; see [`Hints::logit`]. It plays in
//! rollouts (as in D. Silver and G. Tesauro, *Monte-Carlo Simulation Balancing*, ICML 2009, for Go) and for the
//! opponents in a tree. It is also a prior for PUCT and a model of past decisions. Without features it is the uniform
//! policy.

use arrayvec::ArrayVec;
use stier_core::{Action, ActionSet as _, Hints, Rng};

use crate::agent::sampling::{MAX_ACTIONS, place, softmax};

/// The probability of each legal action, ascending by action.
#[inline]
pub fn probabilities<G: Hints>(game: &G, state: &G::State, legal: G::Actions) -> ArrayVec<f32, MAX_ACTIONS> {
    let (mut weights, sum) = weights(game, state, legal);
    weights.iter_mut().for_each(|weight| *weight /= sum);
    weights
}

/// Draws a legal action with its probability.
#[inline]
pub fn pick<G: Hints>(game: &G, state: &G::State, legal: G::Actions, rng: &mut Rng) -> Action {
    if legal.len() == 1 {
        return legal.nth(0);
    }
    let (weights, sum) = weights(game, state, legal);
    legal.nth(place(weights, rng.unit() as f32 * sum))
}

/// Weights in proportion to the probabilities, with a maximum of 1, and their sum.
#[inline(always)]
fn weights<G: Hints>(game: &G, state: &G::State, legal: G::Actions) -> (ArrayVec<f32, MAX_ACTIONS>, f32) {
    let mut weights = ArrayVec::new();
    game.logits(state, legal, &mut |logit| weights.push(logit));
    let sum = softmax(&mut weights, 1.0);
    (weights, sum)
}
