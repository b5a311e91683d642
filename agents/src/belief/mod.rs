//! Beliefs: worlds weighted by the other players' actions.
//!
//! Policy inference: D. Rebstock, C. Solinas, M. Buro and N. R. Sturtevant, *Policy Based Inference in Trick-Taking
//! Card Games*, IEEE Conference on Games 2019. Earlier work used tables instead of policies (M. Buro, J. R. Long, T.
//! Furtak and N. Sturtevant, *Improving State Evaluation, Inference, and Search in Trick-Based Card Games*, IJCAI
//! 2009) or the statistics of the last search (P. I. Cowling, D. Whitehouse and E. J. Powley, *Emergent Bluffing and
//! Inference with Monte Carlo Tree Search*, IEEE Conference on Computational Intelligence and Games 2015).
//!
//! Histories of the information set are drawn by chance reach probability ([`Sampler::sample_history`]). The weight
//! of a history is the product, over the others' decisions in the present deal, of the probabilities that a
//! [`PolicyModel`] gives to the actions taken. If the model is the others' true policy, this converges to the exact
//! posterior. If there are few worlds, they are enumerated. The weight of a world is then its exact prior weight
//! times the mean likelihood of histories drawn from it. This is exact if all histories of a world look the same to
//! the players ([`Sampler::worlds_fix_views`]); with `model_epsilon` 0, a world that the model excludes then has
//! weight 0. Otherwise the drawn histories are *particles*. [`Belief::weighing`] returns the method that was used.
//!
//! Known weaknesses: see the [models](crate::belief::policy_model) for the effect of a wrong one. Weights that rest on
//! few histories are noise, which a search mistakes for knowledge. Particle weights are therefore raised to a power
//! below 1 until the effective sample size is at least 32 and a thirty-second of their number. In a long game the
//! evidence that remains depends on the number of particles. A world is lost if the model excludes the few histories
//! drawn from it, even if it allows others. Earlier deals are not used to learn how a player plays. If the model
//! excludes everything, only chance remains.

pub(crate) mod marginals;
pub mod policy_model;

pub use marginals::{Basis, Marginals, marginals};

use std::sync::PoisonError;

use stier_core::{
    ActionSet as _, Event, Game, Hints, History, Rng, Sampler, Seat, SeatView as _, Turn, World, choice, float, options,
};

use crate::agent::batch_agent::Query;
use crate::agent::stop::Stop;
use crate::agent::streams::Streams;
use crate::agent::worlds::{Belief, NoBelief, Weighing, Worlds};
use crate::belief::policy_model::{FittedModel, GreedyModel, Model, NetworkModel, PolicyModel, RolloutModel};
use crate::network::option::Guide;

choice! {
    /// The weights of the worlds that a search draws.
    pub enum Beliefs {
        /// By chance alone, exactly as the game's sampler draws them.
        Uniform = "uniform",
        /// By chance and by the other players' actions: policy inference.
        Policy = "policy",
    }
}

options! {
    /// Options about an agent's beliefs, and about the network that the whole agent may use.
    pub struct BeliefSettings for "beliefs" {
        /// The weights of the worlds.
        beliefs: Beliefs = Beliefs::Uniform, ();
        /// With beliefs=policy, the model of the other players.
        model: Model = Model::Rollout, ();
        /// The share of the others' decisions that is assumed to be uniformly random.
        model_epsilon: f64 = 0.1, 0.0..=1.0;
        /// Below 1 the others are assumed to follow the model more strictly than it says, above 1 less.
        model_temperature: f64 = 0.1, 0.000001..=1000000.0;
        /// The largest number of histories weighed for a decision. Fewer than 64 help only if there are few worlds.
        particles: u64 = 1000, 1..=10_000_000;
        /// The share of time_ms that may be spent on weighing.
        belief_share: f64 = 0.25, 0.0..=1.0;
        /// A trained network.
        ..guide: Guide = Guide::default();
    }
}

/// With fewer particles than this a search would see too few worlds, so there is no belief.
const MIN_PARTICLES: u64 = 64;
/// The number of histories drawn per world, if worlds are enumerated and their histories differ.
const PER_WORLD: u64 = 4;
/// More worlds than this are not enumerated. Listing them could take longer than the decision may.
const MAX_LISTED: u128 = 1 << 16;
/// The number of histories that a network weighs at once. The clock is read in between.
const AT_ONCE: u64 = 64;
/// The effective sample size of particles is at least this share of their number,
const MIN_SHARE: f64 = 1.0 / 32.0;
/// and at least this number.
const MIN_EFFECTIVE: f64 = 32.0;

impl BeliefSettings {
    /// The worlds that a search draws from a view, weighted by this [model](Self::policy_model) of the other players.
    /// Inference takes at most its share of the decision's time. Without inference, `rng` is not used and the draws are
    /// exactly those of [`Worlds::uniform`].
    pub fn worlds<G: Hints>(
        &self,
        model: &dyn PolicyModel<G>,
        kept: Kept,
        game: &G,
        view: &G::View,
        stop: &Stop<'_>,
        rng: &mut Rng,
    ) -> Worlds<G> {
        let sampler = game.sampler(view);
        let belief = match self.beliefs {
            Beliefs::Uniform => Err(NoBelief::NothingToInfer),
            Beliefs::Policy => self.infer(model, kept, game, view, &sampler, stop, rng),
        };
        Worlds::weighted(sampler, belief)
    }

    /// The model of the other players. Panics if it is a network and none is given; parsing an agent's text ensures
    /// that there is one.
    pub fn policy_model<G: Hints>(&self) -> Box<dyn PolicyModel<G>> {
        match self.model {
            Model::Rollout => Box::new(RolloutModel),
            Model::Greedy => Box::new(GreedyModel),
            Model::Fitted => Box::new(FittedModel),
            Model::Network => {
                let network = self.guide.network.network().expect("a parsed agent has its network");
                Box::new(NetworkModel::new(network.clone()))
            }
        }
    }

    /// Infers the belief of a view from the others' actions. `stop` is that of the decision; inference takes the share
    /// of its time given in the settings. With histories the result is always particles, even if there are few worlds.
    #[expect(clippy::too_many_arguments, reason = "a decision and its model")]
    fn infer<G: Hints>(
        &self,
        model: &dyn PolicyModel<G>,
        kept: Kept,
        game: &G,
        view: &G::View,
        sampler: &G::Sampler,
        stop: &Stop<'_>,
        rng: &mut Rng,
    ) -> Result<Belief<G>, NoBelief> {
        let mut weigher = Weigher::new(game, view.seat(), self, model);
        let exact = sampler.worlds_fix_views();
        let least = if exact { 1 } else { PER_WORLD };
        let count = sampler.count();
        if kept == Kept::States && count <= MAX_LISTED.min(u128::from(self.particles / least)) {
            let each = if exact { 1 } else { PER_WORLD.max(MIN_PARTICLES.div_ceil(count as u64)) };
            let mut worlds: Vec<World<G::State>> = sampler.worlds().collect();
            rng.shuffle(&mut worlds);
            // The first history of every world, then the second of every world, and so on.
            let world = |index: usize| &worlds[index % worlds.len()].state;
            let draw = |index| sampler.sample_history_of(game, world(index), rng);
            let logs = weigher.weigh(each * count as u64, stop, draw, drop).ok_or(NoBelief::NothingToInfer)?;
            let states = worlds.iter().take(logs.len()).map(|world| world.state).collect();
            let (likelihoods, weighing) = match logs.len() < worlds.len() {
                // Time ended the weighing, and the worlds weighed so far are a random sample of all.
                true => (particle_weights(&logs)?, Weighing::Particles),
                false if exact => (means(&logs, worlds.len())?, Weighing::Exact),
                false => (means(&logs, worlds.len())?, Weighing::Estimated),
            };
            return Belief::new(states, prior_times(&worlds, likelihoods), weighing, logs.len() as u64);
        }
        let (mut states, mut histories) = (Vec::new(), Vec::new());
        let draw = |_| sampler.sample_history(game, rng);
        let logs = weigher.weigh(self.particles, stop, draw, |history| {
            states.push(*history.state());
            if kept == Kept::Histories {
                histories.push(history);
            }
        });
        let logs = logs.ok_or(NoBelief::NothingToInfer)?;
        let belief = Belief::new(states, particle_weights(&logs)?, Weighing::Particles, logs.len() as u64)?;
        Ok(belief.with_histories(histories))
    }
}

/// The parts of the weighed histories that a belief keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// Their last states.
    States,
    /// Their last states and the histories themselves.
    Histories,
}

/// Weights for the particles, if there are enough of them.
fn particle_weights(logs: &[f64]) -> Result<Vec<f64>, NoBelief> {
    if (logs.len() as u64) < MIN_PARTICLES {
        return Err(NoBelief::Failed);
    }
    flattened(logs, MIN_EFFECTIVE.max(MIN_SHARE * logs.len() as f64))
}

/// The mean likelihood of each of `count` worlds. The histories are interleaved: the first of every world, then the
/// second of every world, and so on.
fn means(logs: &[f64], count: usize) -> Result<Vec<f64>, NoBelief> {
    let likelihoods = flattened(logs, 0.0)?;
    let mean = |world: usize| {
        let own = likelihoods.iter().skip(world).step_by(count);
        own.clone().sum::<f64>() / own.len() as f64
    };
    Ok((0..count).map(mean).collect())
}

/// The prior weight of each world times its likelihood. There may be fewer likelihoods than worlds.
fn prior_times<S>(worlds: &[World<S>], likelihoods: Vec<f64>) -> Vec<f64> {
    worlds.iter().zip(likelihoods).map(|(world, likelihood)| world.weight as f64 * likelihood).collect()
}

/// Likelihoods from their logarithms, with the greatest being 1. They are raised to the greatest power up to 1 that
/// gives the required effective sample size, if any does. Histories that the model excludes keep weight 0, however
/// few remain.
fn flattened(logs: &[f64], least_effective: f64) -> Result<Vec<f64>, NoBelief> {
    let best = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if best == f64::NEG_INFINITY {
        return Err(NoBelief::Failed);
    }
    let raised = |power: f64| -> Vec<f64> { logs.iter().map(|log| float::exp(power * (log - best))).collect() };
    let effective = |weights: &[f64]| {
        let (sum, squares) = weights.iter().fold((0.0, 0.0), |(sum, squares), w| (sum + w, squares + w * w));
        sum * sum / squares
    };
    let plain = raised(1.0);
    if effective(&plain) >= least_effective {
        return Ok(plain);
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..20 {
        let middle = (low + high) / 2.0;
        *if effective(&raised(middle)) >= least_effective { &mut low } else { &mut high } = middle;
    }
    let survives = |log: &f64| if log.is_finite() { 1.0 } else { 0.0 };
    Ok(if low > 0.0 { raised(low) } else { logs.iter().map(survives).collect() })
}

/// Weighs histories by a model of the players other than the observer.
pub struct Weigher<'a, G: Game> {
    game: &'a G,
    observer: Seat,
    model: &'a dyn PolicyModel<G>,
    epsilon: f64,
    temperature: f64,
    time_share: f64,
    scores: Vec<f32>,
}

impl<'a, G: Hints> Weigher<'a, G> {
    /// Creates a weigher for the information sets of `observer`.
    pub fn new(game: &'a G, observer: Seat, settings: &BeliefSettings, model: &'a dyn PolicyModel<G>) -> Self {
        Self {
            game,
            observer,
            model,
            epsilon: settings.model_epsilon.clamp(0.0, 1.0),
            temperature: settings.model_temperature.max(1e-6),
            time_share: settings.belief_share,
            scores: Vec::new(),
        }
    }

    /// Draws up to `wanted` histories of the information set, as far as time allows, each from its number, and passes
    /// them to `keep`. Returns their log-likelihoods; `None` if the others have not acted.
    fn weigh(
        &mut self,
        wanted: u64,
        stop: &Stop<'_>,
        mut draw: impl FnMut(usize) -> History<G>,
        mut keep: impl FnMut(History<G>),
    ) -> Option<Vec<f64>> {
        let stop = stop.within_share(self.time_share);
        let at_once = if self.model.network().is_some() { AT_ONCE } else { 1 };
        let mut logs = Vec::new();
        while (logs.len() as u64) < wanted && !stop.is_due() {
            // The first history shows whether the others have acted.
            let most = if logs.is_empty() { 1 } else { at_once.min(wanted - logs.len() as u64) };
            let histories: Vec<History<G>> = (logs.len()..).take(most as usize).map(&mut draw).collect();
            logs.extend(self.log_likelihoods(&histories)?);
            histories.into_iter().for_each(&mut keep);
        }
        Some(logs)
    }

    /// The log-probability of the others' actions in the present deal, given the cards of this history; `None` if
    /// they have not acted. The cost is the number of events times the cost of the model.
    pub fn log_likelihood(&mut self, history: &History<G>) -> Option<f64> {
        let mut log = 0.0;
        let chosen = others_choices(self.game, self.observer, history, |so_far, _, legal, rank| {
            self.scores.clear();
            self.model.scores(self.game, so_far, legal, &mut self.scores);
            debug_assert_eq!(self.scores.len(), legal.len(), "a score for every legal action");
            log += float::log(self.probability(rank));
        });
        chosen.then_some(log)
    }

    /// The [log-likelihood](Self::log_likelihood) of each of these histories.
    fn log_likelihoods(&mut self, histories: &[History<G>]) -> Option<Vec<f64>> {
        let Some(network) = self.model.network() else {
            return histories.iter().map(|history| self.log_likelihood(history)).collect();
        };
        let mut choices = Vec::new();
        for (index, history) in histories.iter().enumerate() {
            let note = |so_far: &History<G>, mover, legal, rank| {
                choices.push((index, *so_far.state(), mover, legal, rank));
            };
            if !others_choices(self.game, self.observer, history, note) {
                return None;
            }
        }
        let queries = choices.iter().map(|(_, state, mover, ..)| Query::new(state, *mover, Streams::new(0)));
        let mut evaluator = network.lock().unwrap_or_else(PoisonError::into_inner);
        let outputs = evaluator.evaluate_many(self.game, queries);
        let mut logs = vec![0.0; histories.len()];
        for (output, &(index, _, _, legal, rank)) in outputs.zip(&choices) {
            self.scores.clear();
            self.scores.extend(legal.iter().map(|action| output.logits[action.index()]));
            logs[index] += float::log(self.probability(rank));
        }
        Some(logs)
    }

    /// The probability of the action with this rank, given the scores of all legal ones.
    fn probability(&self, rank: usize) -> f64 {
        let best = self.scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weigh = |score: f32| float::exp(f64::from(score - best) / self.temperature);
        let total: f64 = self.scores.iter().map(|&score| weigh(score)).sum();
        let chosen = weigh(self.scores[rank]) / total;
        self.epsilon / self.scores.len() as f64 + (1.0 - self.epsilon) * chosen
    }
}

/// Calls `each` for every choice in the present deal of the players other than `observer`, with the events before it,
/// the player, the legal actions and the rank of the one chosen. Returns true if these players have acted, whether or
/// not they had a choice.
fn others_choices<G: Game>(
    game: &G,
    observer: Seat,
    history: &History<G>,
    mut each: impl FnMut(&History<G>, Seat, G::Actions, usize),
) -> bool {
    let deal = game.deal_number(history.state());
    let mut so_far = History::new(game);
    let mut acted = false;
    for &Event { turn, action } in history.events() {
        if let Turn::Seat(mover) = turn
            && mover != observer
            && game.deal_number(so_far.state()) == deal
        {
            let legal = game.legal(so_far.state());
            acted = true;
            if legal.len() > 1 {
                let rank = legal.iter().position(|other| other == action).expect("every action of a history is legal");
                each(&so_far, mover, legal, rank);
            }
        }
        so_far.push(game, action);
    }
    acted
}

#[cfg(test)]
mod tests {
    use super::{NoBelief, flattened};

    #[test]
    fn excluded_histories_have_no_weight() {
        let mut logs = vec![f64::NEG_INFINITY; 400];
        assert_eq!(flattened(&logs, 32.0), Err(NoBelief::Failed));
        (logs[3], logs[7]) = (-1.0, -20.0);
        let weights = flattened(&logs, 32.0).expect("two histories remain");
        let survivors: Vec<usize> = (0..logs.len()).filter(|&place| weights[place] > 0.0).collect();
        assert_eq!(survivors, [3, 7]);
        assert_eq!(weights[3], weights[7], "flattened as far as possible");
    }
}
