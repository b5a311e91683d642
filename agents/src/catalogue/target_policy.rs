//! The known policy of an agent that a responder exploits. A responder knows how the agent is made but not its random
//! numbers. It uses the policy to infer cards and to simulate the agent.
//!
//! For a view, a newly restarted agent is queried for its policy, with seeds that differ from those of the game. The
//! answers of several seeds are averaged. An agent whose decisions depend on earlier ones (`reuse=on`) is treated as
//! if it forgot them, and one that sees everything (an oracle) as if it were blindfolded.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use stier_core::{
    Action, ActionSet as _, BySeat, Hints, History, Rng, Seat, SeatView as _, Turn, choice, float, options,
};

use crate::agent::Agent;
use crate::agent::sampling;
use crate::agent::stop::Stop;
use crate::belief::policy_model::PolicyModel;
use crate::belief::{BeliefSettings, Beliefs};
use crate::catalogue::spec::AgentSpec;
use crate::rollout::fitted;
use crate::rollout::{Roller, Rollout};
use crate::search::algorithm::Task;
use crate::search::greedy;
use crate::search::open_cards::Future;

choice! {
    /// The policy for the parts of simulations that are not searched.
    pub(crate) enum Continuation {
        /// Uniformly random legal actions.
        Random = "random",
        /// Uniformly random among the actions that the game's hints leave.
        Hints = "hints",
        /// The game's policy, fitted to the decisions of a search.
        Fitted = "fitted",
        /// The action that the game's hints prefer.
        Greedy = "greedy",
        /// The policy of the exploited agent. The result is then one step of policy improvement over it.
        Against = "against",
    }
}

options! {
    /// A responder's knowledge and simulations.
    pub(crate) struct ResponderSettings for "responders" {
        /// The agent whose policy is known. It is assumed to play all other seats.
        against: Box<AgentSpec> = Box::new("greedy".parse().expect("an agent")), ();
        /// The number of copies of the agent, each with its own seed, whose answers are averaged.
        seeds: u64 = 1, 1..=1000;
        /// The responder's policy in simulations; after `replies` decisions, the policy of all players.
        continuation: Continuation = Continuation::Fitted, ();
        /// The number of decisions per simulation, forced ones not counted, for which the agent is queried. Queries
        /// about its past decisions, for each of the `particles`, are additional.
        replies: u64 = 1000, 0..=1_000_000;
        /// The number of histories weighed for a decision by the others' actions; below 64 only chance counts.
        particles: u64 = 1000, 0..=10_000_000;
        /// The share of the others' decisions that is assumed to be uniformly random when histories are weighed. If
        /// it is above 0, an action that the policy never takes does not rule a history out: the agent's search may
        /// use other random numbers.
        epsilon: f64 = 0.05, 0.0..=1.0;
    }
}

/// The largest number of stored answers.
const MAX_ANSWERS: usize = 1 << 18;

/// An agent's policy. The answers of agents that search are stored until the next game.
pub(crate) struct TargetPolicy<G: Hints> {
    cached: Mutex<CachedAgent<G>>,
}

struct CachedAgent<G: Hints> {
    agent: Box<dyn Agent<G>>,
    seeds: Vec<u64>,
    interrupt: Arc<AtomicBool>,
    answers: HashMap<G::View, Arc<[f64]>>,
}

impl<G: Hints> TargetPolicy<G> {
    /// Creates the policy of the agent, averaged over several seeds derived from `seed`.
    pub(crate) fn new(settings: &ResponderSettings, seed: u64) -> Self {
        let agent = settings.against.build(0);
        let seeds = vec![0; settings.seeds as usize];
        let mut cached = CachedAgent { agent, seeds, interrupt: Arc::default(), answers: HashMap::new() };
        cached.restart(seed);
        Self { cached: Mutex::new(cached) }
    }

    fn cached(&mut self) -> &mut CachedAgent<G> {
        self.cached.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a new game.
    pub(crate) fn restart(&mut self, seed: u64) {
        self.cached().restart(seed);
    }

    /// Sets a flag after which answers come early and are meaningless.
    pub(crate) fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        let cached = self.cached();
        cached.agent.interrupt_with(flag.clone());
        cached.interrupt = flag;
    }

    /// The probability of each legal action, ascending by action, for the player to act after these events.
    pub(crate) fn policy(&self, game: &G, mover: Seat, so_far: &History<G>, legal: G::Actions) -> Arc<[f64]> {
        let view = game.view(so_far, mover);
        self.cached.lock().unwrap_or_else(PoisonError::into_inner).policy(game, view, legal)
    }
}

impl<G: Hints> CachedAgent<G> {
    fn restart(&mut self, seed: u64) {
        for (index, own) in self.seeds.iter_mut().enumerate() {
            *own = Rng::stream(seed, "victim", index as u64).bits();
        }
        self.answers.clear();
    }

    fn policy(&mut self, game: &G, view: G::View, legal: G::Actions) -> Arc<[f64]> {
        if !self.answers.is_empty()
            && let Some(known) = self.answers.get(&view)
        {
            return known.clone();
        }
        let mut sums = vec![0.0; legal.len()];
        let mut searched = false;
        for &seed in &self.seeds {
            self.agent.restart(seed);
            let decision = self.agent.act(game, &view, legal);
            searched |= decision.search.is_some();
            sums.iter_mut().zip(&decision.policy).for_each(|(sum, (_, share))| *sum += share);
        }
        let total = self.seeds.len() as f64;
        let policy: Arc<[f64]> = sums.into_iter().map(|sum| sum / total).collect();
        // The answer of an interrupted search must not outlast the interruption.
        if searched && !self.interrupt.load(Ordering::Relaxed) {
            if self.answers.len() == MAX_ANSWERS {
                self.answers.clear();
            }
            self.answers.insert(view, policy.clone());
        }
        policy
    }
}

impl<G: Hints> PolicyModel<G> for TargetPolicy<G> {
    fn scores(&self, game: &G, so_far: &History<G>, legal: G::Actions, scores: &mut Vec<f32>) {
        let Turn::Seat(mover) = game.turn(so_far.state()) else { return };
        scores.extend(self.policy(game, mover, so_far, legal).iter().map(|&share| float::log(share) as f32));
    }
}

impl ResponderSettings {
    /// The weights of worlds for a seat that knows the policy of all others.
    pub(crate) fn belief(&self) -> BeliefSettings {
        BeliefSettings {
            beliefs: Beliefs::Policy,
            model_epsilon: self.epsilon,
            model_temperature: 1.0,
            particles: self.particles,
            ..BeliefSettings::default()
        }
    }
}

/// Continues games between one seat and all others.
pub(crate) struct Simulator<'a, G: Hints> {
    /// The game.
    pub game: &'a G,
    /// The responding seat.
    pub seat: Seat,
    target: &'a TargetPolicy<G>,
    continuation: Continuation,
    /// The largest number of queries.
    replies: u64,
    /// Ends the queries early.
    stop: Stop<'a>,
}

impl<'a, G: Hints> Simulator<'a, G> {
    /// Creates the simulator of a responder's decision.
    pub(crate) fn new(task: &Task<'a, G>, settings: &ResponderSettings, target: &'a TargetPolicy<G>) -> Self {
        let ResponderSettings { continuation, replies, .. } = *settings;
        Self { game: task.game, seat: task.view.seat(), target, continuation, replies, stop: task.stop }
    }

    /// Chooses a player's action. The others follow the agent's policy, for at most `replies` queries counted by
    /// `queries`. The responder follows the continuation, and after that all players do.
    pub(crate) fn act(&self, history: &History<G>, mover: Seat, queries: &mut u64, rng: &mut Rng) -> Action {
        let legal = self.game.legal(history.state());
        if legal.len() == 1 {
            return legal.nth(0);
        }
        let imitates = self.continuation == Continuation::Against;
        if mover == self.seat && !imitates || self.is_spent(*queries) {
            return self.go_on(history, mover, rng);
        }
        *queries += 1;
        let policy = self.target.policy(self.game, mover, history, legal);
        legal.nth(sampling::place(policy.iter().copied(), rng.unit()))
    }

    /// Returns true if the simulation may not query the agent any more.
    fn is_spent(&self, queries: u64) -> bool {
        queries >= self.replies || self.stop.is_due()
    }

    /// Plays the game to its end. Returns its returns and the number of queries in this simulation, starting from
    /// `queries`.
    pub(crate) fn play_on(
        &self,
        mut history: History<G>,
        mut future: Future,
        mut queries: u64,
        rng: &mut Rng,
    ) -> (BySeat<f32>, u64) {
        let game = self.game;
        while let Turn::Seat(mover) = game.turn(history.state()) {
            if self.is_spent(queries) {
                return (self.finish(history, future, rng), queries);
            }
            let action = self.act(&history, mover, &mut queries, rng);
            future.push(game, &mut history, action);
        }
        (game.rounded_returns(history.state()), queries)
    }

    /// Plays to the end by the continuation alone, for all players.
    fn finish(&self, mut history: History<G>, mut future: Future, rng: &mut Rng) -> BySeat<f32> {
        let game = self.game;
        let rollout = match self.continuation {
            Continuation::Random => Rollout::Random,
            Continuation::Hints | Continuation::Against => Rollout::Hints,
            Continuation::Fitted => Rollout::Fitted,
            Continuation::Greedy => {
                while let Turn::Seat(mover) = game.turn(history.state()) {
                    let action = self.go_on(&history, mover, rng);
                    future.push(game, &mut history, action);
                }
                return game.rounded_returns(history.state());
            }
        };
        Roller::of(game, rollout).returns(game, &mut history.state().clone(), rng)
    }

    /// The action of the continuation, by hints if that would be a query.
    fn go_on(&self, history: &History<G>, mover: Seat, rng: &mut Rng) -> Action {
        let (game, state) = (self.game, history.state());
        let legal = game.legal(state);
        match self.continuation {
            Continuation::Random => legal.pick(rng),
            Continuation::Hints | Continuation::Against => game.rollout(state, legal).pick(rng),
            Continuation::Fitted => fitted::pick(game, state, legal, rng),
            Continuation::Greedy if legal.len() == 1 => legal.nth(0),
            Continuation::Greedy => greedy::choose(game, &game.view(history, mover), legal, rng),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use stier_core::games::schwimmen::Schwimmen;
    use stier_core::{ActionSet as _, Game as _, History, Rng, Turn};

    use super::{ResponderSettings, TargetPolicy};

    #[test]
    fn interrupted_answers_are_not_kept() {
        let game = Schwimmen::new(Default::default()).expect("default rules");
        let history = History::dealt(&game, &mut Rng::stream(1, "interrupted", 0));
        let Turn::Seat(mover) = game.turn(history.state()) else { panic!("a decision") };
        let legal = game.legal(history.state());
        assert!(legal.len() > 1);
        let against = Box::new("ismcts:iterations=300,choose=sample".parse().expect("an agent"));
        let settings = ResponderSettings { against, ..ResponderSettings::default() };
        let expected = TargetPolicy::new(&settings, 1).policy(&game, mover, &history, legal);
        let mut target = TargetPolicy::new(&settings, 1);
        let flag = Arc::new(AtomicBool::new(true));
        target.interrupt_with(flag.clone());
        assert_ne!(target.policy(&game, mover, &history, legal), expected, "the search ended early");
        flag.store(false, Ordering::Relaxed);
        assert_eq!(target.policy(&game, mover, &history, legal), expected);
    }
}
