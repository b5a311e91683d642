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
//! With `beliefs=exact`, all hands are carried forward through the deal, in games whose [hands](Game::hands) can be listed.
//! Their probabilities are exact whatever is hidden, without histories and without draws.
//!
//! Known weaknesses: see the [models](crate::belief::policy_model) for the effect of a wrong one. Weights that rest on
//! few histories are noise, which a search mistakes for knowledge. Particle weights are therefore raised to a power
//! below 1 until the effective sample size is at least 32 and a thirty-second of their number. In a long game the
//! evidence that remains depends on the number of particles. A world is lost if the model excludes the few histories
//! drawn from it, even if it allows others. Earlier deals are not used to learn how a player plays. If the model
//! excludes everything, only chance remains.

mod exact;
pub(crate) mod marginals;
pub mod policy_model;
pub(crate) mod ranges;

pub(crate) use exact::Earlier;
pub use marginals::{Basis, Marginals, marginals};

use std::ops::RangeInclusive;

use stier_core::list::Listing as _;
use stier_core::{
    Action, ActionSet as _, Event, Game, Hints, History, Rng, Sampler, Seat, SeatView as _, Turn, World, choice, float,
    options,
};

use crate::agent::beliefs::{Belief, NoBelief, Weighing};
use crate::agent::stop::Stop;
use crate::agent::worlds::Worlds;
use crate::belief::policy_model::{FittedModel, GreedyModel, Model, NetworkModel, PolicyModel, RolloutModel};
use crate::network::option::Guide;

choice! {
    /// The weights of the worlds that a search draws.
    pub enum Beliefs {
        /// By chance alone, exactly as the game's sampler draws them.
        Uniform = "uniform",
        /// By chance and by the other players' actions: policy inference.
        Policy = "policy",
        /// The same for all worlds, each with its exact probability, in games that can carry them forward.
        Exact = "exact",
    }
}

options! {
    /// Options about an agent's beliefs, and about the network that the whole agent may use.
    pub struct BeliefSettings for "beliefs" {
        /// The weights of the worlds.
        beliefs: Beliefs = Beliefs::Uniform, ();
        /// Unless beliefs=uniform, the model of the other players. With beliefs=exact not greedy, which looks at more than the
        /// state.
        model: Model = Model::Rollout, (), "beliefs!=uniform";
        /// The share of the others' decisions that is assumed to be uniformly random.
        model_epsilon: f64 = 0.1, 0.0..=1.0, "beliefs!=uniform";
        /// Below 1 the others are assumed to follow the model more strictly than it says, above 1 less.
        model_temperature: f64 = 0.1, 0.000001..=1000000.0, "beliefs!=uniform and model!=rollout";
        /// The largest number of histories weighed for a decision.
        particles: u64 = 1000, PARTICLES, "beliefs=policy";
        /// The share of time_ms that may be spent on weighing.
        belief_share: f64 = 0.25, 0.0..=1.0, "time_ms!=0 and beliefs!=uniform or time_ms!=0 and self_determination!=0";
        /// A trained network.
        ..guide: Guide = Guide::default();
    }
}

/// With fewer particles than this a search would see too few worlds, so there is no belief. Only time can end the
/// weighing so early.
const MIN_PARTICLES: u64 = 64;
/// The numbers of particles that agents may weigh.
pub(crate) const PARTICLES: RangeInclusive<u64> = MIN_PARTICLES..=10_000_000;
/// The number of histories drawn per world, if worlds are enumerated and their histories differ.
const PER_WORLD: u64 = 4;
/// More worlds than this are not enumerated. Listing them could take longer than the decision may.
const MAX_LISTED: u128 = 1 << 16;
/// The effective sample size of particles is at least this share of their number,
const MIN_SHARE: f64 = 1.0 / 32.0;
/// and at least this number.
const MIN_EFFECTIVE: f64 = 32.0;

impl BeliefSettings {
    /// The worlds that a search draws from a view, weighted by a model of the other players: that of the
    /// [settings](Self::policy_model), unless another is given. Inference takes at most its share of the decision's
    /// time. Without inference, `rng` is not used and the draws are exactly those of [`Worlds::uniform`].
    pub fn worlds<G: Hints>(
        &self,
        model: Option<&dyn PolicyModel<G>>,
        kept: Kept,
        game: &G,
        view: &G::View,
        stop: &Stop<'_>,
        rng: &mut Rng,
    ) -> Worlds<G> {
        self.worlds_after(&Earlier::default(), model, kept, game, view, stop, rng)
    }

    /// The same, going on from an earlier decision.
    #[expect(clippy::too_many_arguments, reason = "a decision, its model and the decision before")]
    pub(crate) fn worlds_after<G: Hints>(
        &self,
        earlier: &Earlier,
        model: Option<&dyn PolicyModel<G>>,
        kept: Kept,
        game: &G,
        view: &G::View,
        stop: &Stop<'_>,
        rng: &mut Rng,
    ) -> Worlds<G> {
        let sampler = game.sampler(view);
        if self.beliefs == Beliefs::Uniform {
            return Worlds::weighted(sampler, Err(NoBelief::NothingToInfer));
        }
        let own = self.policy_model();
        let model = model.unwrap_or(&*own);
        let mut weigher = Weigher::new(game, view.seat(), self, model);
        let belief = match self.beliefs {
            Beliefs::Exact => weigher.carry(view, earlier, stop),
            _ => weigher.infer(self.particles, kept, &sampler, stop, rng),
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
    Ok((0..count).map(mean).list())
}

/// The prior weight of each world times its likelihood. There may be fewer likelihoods than worlds.
fn prior_times<S>(worlds: &[World<S>], likelihoods: Vec<f64>) -> Vec<f64> {
    worlds.iter().zip(likelihoods).map(|(world, likelihood)| world.weight as f64 * likelihood).list()
}

/// Likelihoods from their logarithms, with the greatest being 1. They are raised to the greatest power up to 1 that
/// gives the required effective sample size, if any does. Histories that the model excludes keep weight 0, however
/// few remain.
fn flattened(logs: &[f64], least_effective: f64) -> Result<Vec<f64>, NoBelief> {
    let best = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if best == f64::NEG_INFINITY {
        return Err(NoBelief::Failed);
    }
    let raised = |power: f64| -> Vec<f64> { logs.iter().map(|log| float::exp(power * (log - best))).list() };
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
    Ok(if low > 0.0 { raised(low) } else { logs.iter().map(survives).list() })
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

    /// Infers the belief of the observer from the others' actions. `stop` is that of the decision; inference takes the share
    /// of its time given in the settings. With histories the result is always particles, even if there are few worlds.
    fn infer(
        &mut self,
        particles: u64,
        kept: Kept,
        sampler: &G::Sampler,
        stop: &Stop<'_>,
        rng: &mut Rng,
    ) -> Result<Belief<G>, NoBelief> {
        let game = self.game;
        let exact = sampler.worlds_fix_views();
        let least = if exact { 1 } else { PER_WORLD };
        let count = sampler.count();
        if kept == Kept::States && count <= MAX_LISTED.min(u128::from(particles / least)) {
            let each = if exact { 1 } else { PER_WORLD.max(MIN_PARTICLES.div_ceil(count as u64)) };
            let mut worlds: Vec<World<G::State>> = sampler.worlds().list();
            rng.shuffle(&mut worlds);
            // The first history of every world, then the second of every world, and so on.
            let world = |index: usize| &worlds[index % worlds.len()].state;
            let draw = |index| sampler.sample_history_of(game, world(index), rng);
            let logs = self.weigh(each * count as u64, stop, draw, drop).ok_or(NoBelief::NothingToInfer)?;
            let states = worlds.iter().take(logs.len()).map(|world| world.state).list();
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
        let logs = self.weigh(particles, stop, draw, |history| {
            states.push(*history.state());
            if kept == Kept::Histories {
                histories.push(history);
            }
        });
        let logs = logs.ok_or(NoBelief::NothingToInfer)?;
        let belief = Belief::new(states, particle_weights(&logs)?, Weighing::Particles, logs.len() as u64)?;
        Ok(belief.with_histories(histories))
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
        let mut logs = Vec::new();
        while (logs.len() as u64) < wanted && !stop.is_due() {
            // The first history shows if the others have acted. Only then are more of them drawn.
            let batch = if logs.is_empty() { 1 } else { self.model.batch() as u64 };
            if batch == 1 {
                let history = draw(logs.len());
                logs.push(self.log_likelihood(&history)?);
                keep(history);
                continue;
            }
            let known = logs.len();
            let count = batch.min(wanted - known as u64) as usize;
            let histories: Vec<History<G>> = (known..known + count).map(&mut draw).list();
            logs.append(&mut self.log_likelihoods(&histories)?);
            histories.into_iter().for_each(&mut keep);
        }
        Some(logs)
    }

    /// The log-probability of the others' actions in the present deal, given the cards of this history; `None` if
    /// they have not acted. The cost is the number of events times the cost of the model.
    pub fn log_likelihood(&mut self, history: &History<G>) -> Option<f64> {
        let mut replay = Replay::new(self.game, self.observer, history);
        while let Some((legal, rank)) = replay.next(self.game) {
            self.scores.clear();
            self.model.scores(self.game, &replay.so_far, legal, &mut self.scores);
            debug_assert_eq!(self.scores.len(), legal.len(), "a score for every legal action");
            replay.log += float::log(self.probability(&self.scores, rank));
        }
        replay.chosen.then_some(replay.log)
    }

    /// The same for several histories; `None` if the others have not acted in one of them.
    fn log_likelihoods(&mut self, histories: &[History<G>]) -> Option<Vec<f64>> {
        let replay = |history| Replay::new(self.game, self.observer, history);
        let mut replays: Vec<_> = histories.iter().map(replay).list();
        loop {
            let advance = |(place, replay): (usize, &mut Replay<'_, G>)| {
                replay.next(self.game).map(|(legal, rank)| (place, legal.len(), rank))
            };
            let waiting: Vec<_> = replays.iter_mut().enumerate().filter_map(advance).list();
            if waiting.is_empty() {
                return replays.iter().map(|replay| replay.chosen.then_some(replay.log)).collect();
            }
            let positions: Vec<_> = waiting.iter().map(|&(place, ..)| &replays[place].so_far).list();
            self.scores.clear();
            self.model.scores_of_many(self.game, &positions, &mut self.scores);
            let mut scores = self.scores.as_slice();
            for (place, count, rank) in waiting {
                let (own, others) = scores.split_at(count);
                scores = others;
                replays[place].log += float::log(self.probability(own, rank));
            }
            debug_assert!(scores.is_empty(), "a score for every legal action");
        }
    }

    /// The probability of the legal action with this rank, given the scores of all.
    fn probability(&self, scores: &[f32], rank: usize) -> f64 {
        let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weigh = |score: f32| float::exp(f64::from(score - best) / self.temperature);
        let total: f64 = scores.iter().map(|&score| weigh(score)).sum();
        let chosen = weigh(scores[rank]) / total;
        self.epsilon / scores.len() as f64 + (1.0 - self.epsilon) * chosen
    }
}

/// A history played again, which stops at the decisions that its likelihood depends on.
struct Replay<'a, G: Game> {
    /// The events still to come.
    events: std::slice::Iter<'a, Event>,
    /// The action of the decision at which it stands.
    pending: Option<Action>,
    so_far: History<G>,
    deal: u32,
    observer: Seat,
    /// The log-likelihood of the decisions passed.
    log: f64,
    /// True if the others have acted in the present deal.
    chosen: bool,
}

impl<'a, G: Game> Replay<'a, G> {
    fn new(game: &G, observer: Seat, history: &'a History<G>) -> Self {
        let (so_far, deal) = (History::new(game), game.deal_number(history.state()));
        Self { events: history.events().iter(), pending: None, so_far, deal, observer, log: 0.0, chosen: false }
    }

    /// Goes on to the next choice of another player than the observer in the present deal. Returns the legal actions,
    /// two or more, and the rank of the one taken.
    fn next(&mut self, game: &G) -> Option<(G::Actions, usize)> {
        if let Some(action) = self.pending.take() {
            self.so_far.push(game, action);
        }
        for &Event { turn, action } in self.events.by_ref() {
            if let Turn::Seat(mover) = turn
                && mover != self.observer
                && game.deal_number(self.so_far.state()) == self.deal
            {
                self.chosen = true;
                let legal = game.legal(self.so_far.state());
                if legal.len() > 1 {
                    self.pending = Some(action);
                    let rank = legal.iter().position(|other| other == action);
                    return Some((legal, rank.expect("every action of a history is legal")));
                }
            }
            self.so_far.push(game, action);
        }
        None
    }
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
