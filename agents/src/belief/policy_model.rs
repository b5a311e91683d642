//! Who the other players are taken for, when their actions are to say something about their cards.
//!
//! A model is asked about a player's decision in a world that the observer only imagines: with that player's cards open. It must
//! answer as that player could, from what that player knows there.
//!
//! Known weakness of all of them: an inference is as good as its model. S. Whitehouse, P. I. Cowling, E. J. Powley and J. Rollason
//! (*Integrating Monte Carlo Tree Search with Knowledge-Based Methods to Create Engaging Play in a Commercial Mobile Game*, AIIDE
//! 2013) had dealt worlds by rules of thumb in AI Factory's Spades, and it caused blunders: a card that was in one place in a third
//! of the worlds was there in 87 % of those searched. A strong opponent that does not follow the model is misread; one that knows
//! the model can exploit it.

use std::sync::{Arc, Mutex, PoisonError};

use stier_core::{ActionSet as _, Hints, History, Turn, choice};

use crate::network::evaluator::Evaluator;
use crate::network::file::Network;
use crate::network::option::Guide;

choice! {
    /// The policy models there are by name.
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

/// A guess at how a player chooses.
pub trait PolicyModel<G: Hints>: Sync {
    /// For the player to act after these events, a score for each legal action, ascending by action, into the empty `scores`:
    /// the logarithm of a weight, up to a constant; negative infinity for what the player never does, not for all. The
    /// probabilities are proportional to `exp(score / temperature)`. Uses nothing that this player does not know.
    fn scores(&self, game: &G, so_far: &History<G>, legal: G::Actions, scores: &mut Vec<f32>);
}

/// Players choose uniformly among the actions that the game's hints leave for [rollouts](Hints::rollout). Some nanoseconds a
/// decision.
#[derive(Clone, Copy, Debug)]
pub struct RolloutModel;

impl<G: Hints> PolicyModel<G> for RolloutModel {
    fn scores(&self, game: &G, so_far: &History<G>, legal: G::Actions, scores: &mut Vec<f32>) {
        let sensible = game.rollout(so_far.state(), legal);
        scores.extend(legal.iter().map(|action| if sensible.contains(action) { 0.0 } else { f32::NEG_INFINITY }));
    }
}

/// Players prefer what [appeals](Hints::appeal) to them: scores run from -1 for the least appealing action to 0 for the most.
/// Low temperatures make it the greedy player. Costs a view a decision: microseconds.
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

/// Players follow the game's policy, which was fitted to the decisions of a search: see [`Hints::logit`]. At temperature 1 with the
/// probabilities that it was fitted to. Tens of nanoseconds a decision.
#[derive(Clone, Copy, Debug)]
pub struct FittedModel;

impl<G: Hints> PolicyModel<G> for FittedModel {
    fn scores(&self, game: &G, so_far: &History<G>, legal: G::Actions, scores: &mut Vec<f32>) {
        game.logits(so_far.state(), legal, &mut |logit| scores.push(logit));
    }
}

/// Players follow the policy of a trained network. At temperature 1 with the probabilities that it gives. Microseconds a decision.
#[derive(Debug)]
pub struct NetworkModel(Mutex<Evaluator>);

impl NetworkModel {
    /// The model of this network.
    pub fn new(network: Arc<Network>) -> Self {
        Self(Mutex::new(Evaluator::new(network)))
    }
}

impl<G: Hints> PolicyModel<G> for NetworkModel {
    fn scores(&self, game: &G, so_far: &History<G>, legal: G::Actions, scores: &mut Vec<f32>) {
        let Turn::Seat(mover) = game.turn(so_far.state()) else { return };
        let mut evaluator = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let logits = evaluator.evaluate(game, so_far.state(), mover).logits;
        scores.extend(legal.iter().map(|action| logits[action.index()]));
    }
}

/// The model that an agent's options name. Panics if that is a network and there is none: the text of an agent that parses has one.
pub fn by_name<G: Hints>(model: Model, guide: &Guide) -> Box<dyn PolicyModel<G>> {
    match model {
        Model::Rollout => Box::new(RolloutModel),
        Model::Greedy => Box::new(GreedyModel),
        Model::Fitted => Box::new(FittedModel),
        Model::Network => Box::new(NetworkModel::new(guide.network.network().expect("a network is named").clone())),
    }
}
