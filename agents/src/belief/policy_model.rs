//! Models of the other players, for inferring their cards from their actions.
//!
//! A model is queried about a player's decision in a world that the observer only imagines, with that player's cards
//! open. It may use only what that player knows there.
//!
//! Known weakness of all models: an inference is only as good as its model. In AI Factory's Spades, S. Whitehouse, P.
//! I. Cowling, E. J. Powley and J. Rollason (*Integrating Monte Carlo Tree Search with Knowledge-Based Methods to
//! Create Engaging Play in a Commercial Mobile Game*, AIIDE 2013) dealt worlds by rules of thumb. This caused
//! blunders, because likely cards became far too likely in the worlds searched. A strong opponent that does not
//! follow the model is misread, and one that knows the model can exploit it.

use std::sync::{Arc, Mutex, PoisonError};

use stier_core::list::Listing as _;
use stier_core::{ActionSet as _, Hints, History, Turn, choice};

use crate::agent::batch_agent::Query;
use crate::network::evaluator::Evaluator;
use crate::network::file::Network;

choice! {
    /// The policy models by name.
    pub enum Model {
        /// [`RolloutModel`].
        Rollout = "rollout",
        /// [`GreedyModel`].
        Greedy = "greedy",
        /// [`FittedModel`].
        Fitted = "fitted",
        /// [`NetworkModel`].
        Network = "network",
    }
}

/// A model of a player's choices.
pub trait PolicyModel<G: Hints>: Sync {
    /// Appends to the empty `scores` a score for each legal action, ascending by action, for the player to act after
    /// these events. A score is the logarithm of a weight, up to a constant. It is negative infinity for actions that
    /// the player never takes, but not for all of them. The probabilities are proportional to `exp(score /
    /// temperature)`. A model uses only what this player knows.
    fn scores(&self, game: &G, so_far: &History<G>, _legal: G::Actions, scores: &mut Vec<f32>) {
        self.scores_of_states(game, &[*so_far.state()], scores);
    }

    /// The number of positions that are scored together. It does not affect the scores.
    fn batch(&self) -> usize {
        1
    }

    /// Appends the scores of the legal actions in these positions, one after another.
    fn scores_of_many(&self, game: &G, positions: &[&History<G>], scores: &mut Vec<f32>) {
        let mut own = Vec::new();
        for position in positions {
            own.clear();
            self.scores(game, position, game.legal(position.state()), &mut own);
            scores.append(&mut own);
        }
    }

    /// Appends the scores of the legal actions in these states, one after another: for models whose scores depend on the state
    /// alone, which exact beliefs need. Others have [`scores`](Self::scores).
    fn scores_of_states(&self, _game: &G, _states: &[G::State], _scores: &mut Vec<f32>) {
        unreachable!("the model reads histories")
    }
}

/// The number of positions that a network evaluates together.
pub(crate) const NETWORK_BATCH: usize = 256;

/// Players choose uniformly among the actions that the game's hints leave for [rollouts](Hints::rollout).
#[derive(Clone, Copy, Debug)]
pub struct RolloutModel;

impl<G: Hints> PolicyModel<G> for RolloutModel {
    fn scores_of_states(&self, game: &G, states: &[G::State], scores: &mut Vec<f32>) {
        for state in states {
            let legal = game.legal(state);
            let sensible = game.rollout(state, legal);
            scores.extend(legal.iter().map(|action| if sensible.contains(action) { 0.0 } else { f32::NEG_INFINITY }));
        }
    }
}

/// Players prefer actions with more [appeal](Hints::appeal). Scores run from -1 for the least appealing action to 0
/// for the most appealing. At low temperatures this is the greedy player. Each decision costs a view.
#[derive(Clone, Copy, Debug)]
pub struct GreedyModel;

impl<G: Hints> PolicyModel<G> for GreedyModel {
    fn scores(&self, game: &G, so_far: &History<G>, legal: G::Actions, scores: &mut Vec<f32>) {
        let Turn::Seat(mover) = game.turn(so_far.state()) else { return };
        let view = game.view(so_far, mover);
        scores.extend(legal.iter().map(|action| game.appeal(&view, action)));
        let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let worst = scores.iter().copied().fold(f32::INFINITY, f32::min);
        let range = if best > worst { best - worst } else { 1.0 };
        for score in scores {
            *score = (*score - best) / range;
        }
    }
}

/// Players follow the game's policy, which was fitted to the decisions of a search: see [`Hints::logit`]. At
/// temperature 1 the probabilities are those that were fitted.
#[derive(Clone, Copy, Debug)]
pub struct FittedModel;

impl<G: Hints> PolicyModel<G> for FittedModel {
    fn scores_of_states(&self, game: &G, states: &[G::State], scores: &mut Vec<f32>) {
        for state in states {
            game.logits(state, game.legal(state), &mut |logit| scores.push(logit));
        }
    }
}

/// Players follow the policy of a trained network. At temperature 1 the probabilities are the network's own.
#[derive(Debug)]
pub struct NetworkModel(Mutex<Evaluator>);

impl NetworkModel {
    /// Creates the model of this network.
    pub fn new(network: Arc<Network>) -> Self {
        Self(Mutex::new(Evaluator::new(network)))
    }
}

impl<G: Hints> PolicyModel<G> for NetworkModel {
    fn batch(&self) -> usize {
        NETWORK_BATCH
    }

    fn scores_of_many(&self, game: &G, positions: &[&History<G>], scores: &mut Vec<f32>) {
        let states: Vec<G::State> = positions.iter().map(|position| *position.state()).list();
        self.scores_of_states(game, &states, scores);
    }

    fn scores_of_states(&self, game: &G, states: &[G::State], scores: &mut Vec<f32>) {
        let mut evaluator = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (output, state) in evaluator.evaluate_many(game, &Query::all(game, states)).zip(states) {
            scores.extend(game.legal(state).iter().map(|action| output.logits[action.index()]));
        }
    }
}
