//! The policy of an agent that is to be exploited, as far as one can know it who knows how the agent is made but not its random
//! numbers: what a responder infers from, and whom it plays against in its simulations.
//!
//! At a view, an agent fresh from its restart is asked for its policy, with seeds that are not those of the game; the answers of
//! several are averaged. An agent whose decisions depend on those before (`reuse=on`) is taken for one that forgets, one that sees
//! everything (an oracle) for blindfolded.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use stier_core::{Action, ActionSet as _, BySeat, Hints, History, Rng, Seat, Turn, choice, float, options};

use crate::agent::Agent;
use crate::agent::sampling;
use crate::agent::stop::Stop;
use crate::agent::worlds::Worlds;
use crate::belief::policy_model::PolicyModel;
use crate::belief::{BeliefSettings, Beliefs};
use crate::catalogue::spec::AgentSpec;
use crate::rollout::fitted;
use crate::rollout::{Roller, Rollout};
use crate::search::greedy;
use crate::search::open_cards::Future;

choice! {
    /// A policy for what simulations do not look into.
    pub enum Continuation {
        /// Uniformly random legal actions.
        Random = "random",
        /// Uniformly among those that the game's hints leave.
        Hints = "hints",
        /// By the game's policy, fitted to the decisions of a search.
        Fitted = "fitted",
        /// The action that the game's hints like best.
        Greedy = "greedy",
        /// As the agent that is to be exploited would: what is found is one step of policy improvement over it.
        Against = "against",
    }
}

options! {
    /// What a responder knows and how it simulates.
    pub struct ResponderSettings for "responders" {
        /// The agent whose policy is known: it is taken to have all other seats.
        against: Box<AgentSpec> = Box::new("greedy".parse().expect("an agent")), ();
        /// The agents, each with a seed of its own, whose answers are averaged to that policy.
        seeds: u64 = 1, 1..=1000;
        /// How the responder goes on in simulations; after `replies` decisions everybody.
        continuation: Continuation = Continuation::Fitted, ();
        /// Decisions of a simulation, forced ones not counted, that are asked of the agent it responds to. What it does in past
        /// decisions is asked besides, for each of the `particles`.
        replies: u64 = 1000, 0..=1_000_000;
        /// The histories that are weighed for a decision by what the others did in them; below 64 chance alone counts.
        particles: u64 = 1000, 0..=10_000_000;
        /// The share of the others' decisions that are taken to be uniformly random when histories are weighed. Above 0 what the
        /// policy says it never does is no proof: its search may have other random numbers.
        epsilon: f64 = 0.05, 0.0..=1.0;
    }
}

/// Answers kept at once; a decision of a searching agent costs far more than the room.
const MOST_ANSWERS: usize = 1 << 18;

/// An agent's policy. Answers of agents that search are kept until the next game.
pub(crate) struct Victim<G: Hints> {
    asked: Mutex<Asked<G>>,
}

struct Asked<G: Hints> {
    agent: Box<dyn Agent<G>>,
    seeds: Vec<u64>,
    answers: HashMap<G::View, Arc<[f64]>>,
}

impl<G: Hints> Victim<G> {
    /// The policy of the agent, averaged over so many; their seeds are derived from `seed`.
    pub(crate) fn new(settings: &ResponderSettings, seed: u64) -> Self {
        let agent = settings.against.build(0);
        let mut asked = Asked { agent, seeds: vec![0; settings.seeds as usize], answers: HashMap::new() };
        asked.restart(seed);
        Self { asked: Mutex::new(asked) }
    }

    fn asked(&mut self) -> &mut Asked<G> {
        self.asked.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a new game.
    pub(crate) fn restart(&mut self, seed: u64) {
        self.asked().restart(seed);
    }

    /// Once the flag is set, answers come early and mean nothing.
    pub(crate) fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.asked().agent.interrupt_with(flag);
    }

    /// The probability of each legal action, ascending by action, for the player to act after these events.
    pub(crate) fn policy(&self, game: &G, mover: Seat, so_far: &History<G>, legal: G::Actions) -> Arc<[f64]> {
        let view = game.view(so_far, mover);
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).policy(game, view, legal)
    }
}

impl<G: Hints> Asked<G> {
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
        if searched {
            if self.answers.len() == MOST_ANSWERS {
                self.answers.clear();
            }
            self.answers.insert(view, policy.clone());
        }
        policy
    }
}

impl<G: Hints> PolicyModel<G> for Victim<G> {
    fn scores(&self, game: &G, so_far: &History<G>, legal: G::Actions, scores: &mut Vec<f32>) {
        let Turn::Seat(mover) = game.turn(so_far.state()) else { return };
        scores.extend(self.policy(game, mover, so_far, legal).iter().map(|&share| float::log(share) as f32));
    }
}

impl ResponderSettings {
    /// What a seat takes for possible that knows the policy of all others.
    pub(crate) fn worlds<G: Hints>(
        &self,
        game: &G,
        view: &G::View,
        victim: &Victim<G>,
        stop: &Stop<'_>,
        rng: &mut Rng,
    ) -> Worlds<G> {
        let belief = BeliefSettings {
            beliefs: Beliefs::Policy,
            model_epsilon: self.epsilon,
            model_temperature: 1.0,
            particles: self.particles,
            ..BeliefSettings::default()
        };
        belief.histories_by(victim, game, view, stop, rng)
    }
}

/// Plays games on: one seat against all others.
pub(crate) struct Simulator<'a, G: Hints> {
    /// The game.
    pub game: &'a G,
    /// Who responds.
    pub seat: Seat,
    /// Whom it responds to.
    pub victim: &'a Victim<G>,
    /// How it goes on.
    pub continuation: Continuation,
    /// Decisions that are asked of the victim.
    pub replies: u64,
    /// Ends the asking early.
    pub stop: Stop<'a>,
}

impl<G: Hints> Simulator<'_, G> {
    /// What a player does: the others by their policy, which is asked for at most `replies` times (`asked` counts), the responder
    /// by the continuation, as everybody then.
    pub(crate) fn act(&self, history: &History<G>, mover: Seat, asked: &mut u64, rng: &mut Rng) -> Action {
        let legal = self.game.legal(history.state());
        if legal.len() == 1 {
            return legal.nth(0);
        }
        let imitates = self.continuation == Continuation::Against;
        if mover == self.seat && !imitates || self.is_spent(*asked) {
            return self.go_on(history, mover, rng);
        }
        *asked += 1;
        let policy = self.victim.policy(self.game, mover, history, legal);
        legal.nth(sampling::place(policy.iter().copied(), rng.unit()))
    }

    /// Whether no decision of a simulation is asked of the victim any more.
    fn is_spent(&self, asked: u64) -> bool {
        asked >= self.replies || self.stop.is_due()
    }

    /// The returns of the game played on, and how many decisions of this simulation were asked of the victim: `asked` before.
    pub(crate) fn play_on(
        &self,
        mut history: History<G>,
        mut future: Future,
        mut asked: u64,
        rng: &mut Rng,
    ) -> (BySeat<f32>, u64) {
        let game = self.game;
        while let Turn::Seat(mover) = game.turn(history.state()) {
            if self.is_spent(asked) {
                return (self.finish(history, future, rng), asked);
            }
            let action = self.act(&history, mover, &mut asked, rng);
            future.push(game, &mut history, action);
        }
        (game.rounded_returns(history.state()), asked)
    }

    /// The same by the continuation alone, for everybody.
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

    /// The action of the continuation; by hints, where that is to ask the victim.
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
