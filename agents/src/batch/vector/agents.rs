//! The agents that decide inside a step: opponents, and the one that begins games. Also the agent whose beliefs are
//! appended to the observation.
//!
//! They remember nothing from one decision to the next: each is the first decision of the agent under a seed hashed from
//! (seed of the game, "opponent", events so far). So a lane is a function of its seed and the learner's actions, a few
//! agents serve any number of lanes, and checkpoints do not contain them. What an agent could have kept for its next
//! decision (`reuse` of `ismcts`) it computes again.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stier_core::list::Listing as _;
use stier_core::{Action, ActionSet as _, FullGame, Game, Rng, Seat};

use super::Settings;
use super::beliefs::Believer;
use super::lane::Lane;
use crate::agent::batch_agent::{BatchAgent as _, Query};
use crate::agent::player::Player;
use crate::agent::streams::Streams;
use crate::catalogue::AgentSpec;
use crate::network::agent::NetworkAgent;
use crate::search::random;

/// An agent that decides for all lanes of a thread.
enum Agent<G: Game> {
    /// Chooses at random, and needs neither a view nor a state.
    Random,
    /// Decides in many lanes at once.
    Network(Box<NetworkAgent>),
    Player(Player<G>),
}

/// The agents, each with a number from its own seed: the opponents, then the one that begins games.
pub(super) struct Agents<G: Game> {
    agents: Vec<(u64, Agent<G>)>,
    num_opponents: usize,
    /// The agent whose beliefs are shown, if there is one.
    pub(super) believer: Option<Believer<G>>,
}

impl<G: FullGame> Agents<G> {
    /// The agents; once the flag is set, their decisions end early.
    pub(super) fn new(game: &G, settings: &Settings, interrupt: &Arc<AtomicBool>) -> Self {
        let agent = |spec: &AgentSpec| {
            let agent = if spec.is_random() {
                Agent::Random
            } else if let Some(network) = spec.network_agent(game) {
                Agent::Network(Box::new(network))
            } else {
                let mut player = spec.player(game, 0);
                player.interrupt_with(interrupt.clone());
                Agent::Player(player)
            };
            (spec.seed().unwrap_or(0).rotate_left(32), agent)
        };
        let num_opponents = settings.opponents.as_ref().map_or(0, |all| all.agents.len());
        let believer = settings.beliefs.as_ref().map(|spec| Believer::new(game, spec, interrupt));
        Self { agents: settings.agents().map(agent).list(), num_opponents, believer }
    }

    /// The action of the agent on `seat`, which is to act; `None` if it [decides for many lanes](Self::decide_many) at
    /// once.
    pub(super) fn decide(&mut self, game: &G, lane: &Lane<G>, seat: Seat) -> Option<Action> {
        let place = self.place(game, lane, seat);
        let (salt, agent) = &mut self.agents[place];
        let legal = game.legal(lane.history.state());
        match agent {
            Agent::Random => Some(legal.pick(&mut random::stream(seed_of(lane, *salt)))),
            Agent::Network(_) => None,
            Agent::Player(player) => {
                player.restart(seed_of(lane, *salt));
                Some(player.act(game, &lane.history, Some(&lane.dealer), legal).action)
            }
        }
    }

    /// Plays the actions of agents in lanes that wait for them.
    pub(super) fn decide_many(&mut self, game: &G, waiting: &mut [&mut Lane<G>]) {
        let mover = |lane: &Lane<G>| game.turn(lane.history.state()).seat().expect("an agent is to act");
        let mut lanes_of_agents: Vec<Vec<usize>> = vec![Vec::new(); self.agents.len()];
        for (number, lane) in waiting.iter().enumerate() {
            lanes_of_agents[self.place(game, lane, mover(lane))].push(number);
        }
        for ((salt, agent), lanes) in self.agents.iter_mut().zip(lanes_of_agents) {
            let Agent::Network(agent) = agent else { continue };
            for lanes in lanes.chunks(POSITIONS_AT_ONCE) {
                let position = |&number: &usize| {
                    let lane = &*waiting[number];
                    Query::new(lane.history.state(), mover(lane), Streams::new(seed_of(lane, *salt)))
                };
                let mut actions = Vec::with_capacity(lanes.len());
                agent.decide(game, &lanes.iter().map(position).collect::<Vec<_>>(), &mut actions);
                lanes.iter().zip(actions).for_each(|(&number, action)| waiting[number].push_of_agent(game, action));
            }
        }
    }

    /// The place of the agent that has the seat.
    fn place(&self, game: &G, lane: &Lane<G>, seat: Seat) -> usize {
        let seats = game.num_seats();
        if lane.is_in_opening() {
            return self.num_opponents;
        }
        if self.num_opponents == 1 { 0 } else { (seat.index() + seats - lane.learner().index() - 1) % seats }
    }
}

/// The number of positions that a network evaluates at once: their tensors stay in the cache.
const POSITIONS_AT_ONCE: usize = 128;

/// The seed of an agent's decision.
fn seed_of<G: Game>(lane: &Lane<G>, salt: u64) -> u64 {
    Rng::stream(lane.seed ^ salt, "opponent", lane.history.events().len() as u64).bits()
}
