//! Magnetic mirror descent search: one regularised step of policy improvement over a trained network.
//!
//! S. Sokota, G. Farina, D. J. Wu, H. Hu, K. A. Wang, J. Z. Kolter and N. Brown, *The Update-Equivalence Framework for
//! Decision-Time Planning*, ICLR 2024. It is also the search of Ataraxos: S. Sokota et al., *Scalable Decision-Making
//! for Games of Imperfect Information*, Nature 658, 2026.
//!
//! At a decision, worlds are drawn from the belief, by default weighted by the network's own policy. Every action is
//! tried in each of them, and the network plays on for all players
//! ([`network_rollouts`](crate::search::network_rollouts)). All actions of a world meet the same random numbers. Let
//! pi be the network's policy, q the mean returns of the actions, s the `step` and T the `magnet`. The new policy is
//!
//! ```text
//! new(a) ∝ exp((log pi(a) + s q(a)) / (1 + T s))
//! ```
//!
//! This closed form maximises the expected q minus the divergence from pi over s, plus T times the entropy. It is a
//! softmax of the network's logits plus s q. With `step=0` it is exactly the network's policy. By default the most
//! probable action is played, and the magnet does not change that; `choose=sample` plays the policy itself.
//!
//! The unit of q is the network's `value_scale`, the return that counted as 1 in training. A step thus means much the
//! same in games with different stakes. The values in the statistics are in the game's utility.
//!
//! Known weaknesses: the returns are those of play by the network, which takes no such steps itself. A large step plays
//! almost the best action against that play. This wins more against it, but can be exploited far more than the network.
//! Near an equilibrium only small steps lower exploitability. With few rollouts a large step also follows their noise.
//! Beliefs are exact with `beliefs=exact`, or if the worlds can be enumerated; see [`belief`](crate::belief) for particles.
//! They assume that the others play by the network.

use arrayvec::ArrayVec;
use stier_core::list::Listing as _;
use stier_core::{ActionSet as _, Hints, SeatView as _, options};

use crate::agent::endings::EndingSettings;
use crate::agent::sampling::{MAX_ACTIONS, softmax};
use crate::agent::stop::TimeLimit;
use crate::agent::{ActionStats, Decision, Search};
use crate::belief::policy_model::Model;
use crate::belief::{BeliefSettings, Beliefs};
use crate::network::agent::NetworkChoice;
use crate::rollout::{Cutoff, Evaluation};
use crate::search::algorithm::{Algorithm, SearchAgent, Task};
use crate::search::determinized::{Drawn, WorldDraws, WorldTally};
use crate::search::future::WorldValues;
use crate::search::network_rollouts::{NetworkRollouts, Rollout};

options! {
    /// The options of [`Mmds`].
    pub(crate) struct MmdsOptions for "mmds" {
        /// Rollouts per decision, shared equally among the actions; at least one for each. If all worlds are known,
        /// each is played equally often, with fewer rollouts in all.
        rollouts: u64 = 200, 1..=1_000_000_000;
        /// Milliseconds per decision. If given, time ends the search instead of `rollouts`, and results depend on the
        /// clock. If there are at most as many worlds as `rollouts` for each action, they are searched in turn.
        time_ms: TimeLimit = TimeLimit::NONE, ();
        /// The size of the step, for returns in units of the network's value_scale. At 0 the policy is the network's. The
        /// default changes few decisions. A larger one, such as 100, wins more against the network, but near an equilibrium
        /// and in games in which good play mixes it can be exploited more.
        step: f64 = 1.0, 0.0..=1_000_000.0;
        /// The pull towards uniform play. With it the logarithms of the new probabilities are divided by 1 + magnet x
        /// step, which matters only with choose=sample.
        magnet: f64 = 0.0, 0.0..=1_000_000.0;
        /// The action that is played.
        choose: NetworkChoice = NetworkChoice::Best, ();
        /// The point at which an evaluation ends a rollout: after this many plies, with the deal, or off.
        cutoff: Cutoff = Cutoff::Off, ();
        /// The source of that evaluation.
        evaluation: Evaluation = Evaluation::Network, (), "cutoff!=off";
        /// The weights of the worlds. The network is required.
        ..belief: BeliefSettings = BeliefSettings {
            beliefs: Beliefs::Policy,
            model: Model::Network,
            model_epsilon: 0.0,
            model_temperature: 1.0,
            ..BeliefSettings::default()
        };
        /// Its play when few tricks are left.
        ..endings: EndingSettings = EndingSettings::default();
    }
}

/// The largest number of rollouts at once, unless there are more actions. The clock is read in between.
const MAX_ROLLOUTS: usize = 256;

/// The algorithm: see the [module](self) documentation.
pub(crate) struct Mmds {
    options: MmdsOptions,
    rollouts: NetworkRollouts,
}

impl Mmds {
    /// Creates a player with the streams of `seed`.
    pub(crate) fn new(options: MmdsOptions, seed: u64) -> SearchAgent<Self> {
        let network = options.belief.guide.network.clone();
        let rollouts = NetworkRollouts::new(network, options.cutoff, options.evaluation);
        SearchAgent::new(options.time_ms, options.belief.clone(), seed, Self { options, rollouts })
    }

    /// Plays every action in the worlds and sums up the results.
    fn tally<G: Hints>(&mut self, task: &Task<'_, G>) -> WorldTally {
        let Task { game, legal, .. } = *task;
        let worlds = self.options.rollouts.div_ceil(legal.len() as u64);
        let draws = WorldDraws::new(&task.worlds, worlds, &mut task.streams.rng("mmds worlds"));
        let mut tally = WorldTally::new(task.view.seat(), legal.iter());
        loop {
            let indices = (tally.worlds..).take((MAX_ROLLOUTS / legal.len()).max(1));
            let goes_on = |index: &u64| !draws.is_done(*index, true, &task.stop);
            let worlds: Vec<Drawn<G::State>> = indices.take_while(goes_on).map(|index| draws.nth(index)).list();
            if worlds.is_empty() {
                return tally;
            }
            let mut begun: Vec<Rollout<G>> = Vec::with_capacity(worlds.len() * legal.len());
            for Drawn { state, future, rng, .. } in &worlds {
                let rollout = Rollout::new(game, *state, future.clone(), rng.clone().bits());
                begun.extend(legal.iter().map(|action| {
                    let mut rollout = rollout.clone();
                    rollout.play(game, action);
                    rollout
                }));
            }
            let returns = self.rollouts.returns(game, &mut begun);
            for (world, returns) in worlds.iter().zip(returns.chunks(legal.len())) {
                let valued =
                    legal.iter().zip(returns).map(|(action, values)| WorldValues::once(action, values.clone()));
                tally.add(world.weight, &valued.list());
            }
        }
    }
}

impl<G: Hints> Algorithm<G> for Mmds {
    fn decide(&mut self, task: &Task<'_, G>) -> Decision {
        let tally = self.tally(task);
        let search = Search { actions: tally.stats(), iterations: tally.worlds, nodes: 1, seconds: 0.0 };
        let MmdsOptions { step, magnet, choose, .. } = self.options;
        let evaluator = self.rollouts.evaluator();
        let per_unit = step / f64::from(evaluator.network().value_scale);
        let logits = evaluator.evaluate_view(task.game, task.view).logits;
        let stepped =
            |stats: &ActionStats| (f64::from(logits[usize::from(stats.action)]) + per_unit * stats.value) as f32;
        let mut weights: ArrayVec<f32, MAX_ACTIONS> = search.actions.iter().map(stepped).collect();
        let sum = softmax(&mut weights, (1.0 + magnet * step) as f32);
        choose.decide(search, &task.streams, task.legal, &weights, sum)
    }
}
