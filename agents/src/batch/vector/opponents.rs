//! The agents that play the seats of the learner's opponents.
//!
//! An opponent remembers nothing from one decision to the next: each is the first decision of the agent under a seed
//! hashed from (seed of the game, "opponent", events so far). So a lane is a function of its seed and the learner's
//! actions, a few agents serve any number of lanes, and checkpoints do not contain them. What an agent could have kept
//! for its next decision (`reuse` of `ismcts`) it computes again.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stier_core::{Action, Game, Hints, Rng, Seat};

use super::VectorError;
use super::lane::Lane;
use super::step::LaneStep;
use crate::agent::batch_agent::Query;
use crate::agent::player::Player;
use crate::agent::streams::Streams;
use crate::catalogue::spec::AgentSpec;
use crate::network::agent::NetworkAgent;
use crate::search::random;

/// The learner's seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LearnerSeat {
    /// The same in every game.
    Fixed(Seat),
    /// Seat `i` in the first game of lane `i`, then the next seat in each game, modulo the seats.
    Rotate,
    /// Drawn for each game, from (seed of the game, "learner", 0).
    Random,
}

/// In more lanes than this, opponents that ask networks take long enough to be interrupted.
const FEW_LANES: usize = 256;

/// Opponents of one learner.
#[derive(Clone, PartialEq, Debug)]
pub struct Opponents {
    /// One for all other seats, or one for each, clockwise from the learner.
    pub agents: Vec<AgentSpec>,
    /// The learner's seat.
    pub learner: LearnerSeat,
}

impl Opponents {
    /// Refuses opponents that do not fit the game.
    pub(super) fn check<G: Hints>(&self, game: &G) -> Result<(), VectorError> {
        let seats = game.num_seats();
        if self.agents.len() != 1 && self.agents.len() != seats - 1 {
            return Err(VectorError::Opponents { expected: seats - 1, found: self.agents.len() });
        }
        self.agents.iter().try_for_each(|spec| spec.check(game))?;
        match self.learner {
            LearnerSeat::Fixed(seat) if seat.index() >= seats => Err(VectorError::Seat { seat: seat.0, seats }),
            _ => Ok(()),
        }
    }

    /// Returns true if all of them decide so fast in this number of lanes that interrupts are not needed.
    pub(super) fn are_instant(&self, lanes: usize) -> bool {
        self.agents.iter().all(|spec| spec.facts().is_instant && (lanes <= FEW_LANES || !spec.has_network()))
    }

    /// The learner's seat in a game.
    pub(super) fn learner(&self, seats: usize, lane: usize, episode: u64, seed: u64) -> Seat {
        match self.learner {
            LearnerSeat::Fixed(seat) => seat,
            LearnerSeat::Rotate => Seat(((lane as u64).wrapping_add(episode) % seats as u64) as u8),
            LearnerSeat::Random => Seat(Rng::stream(seed, "learner", 0).below(seats as u32) as u8),
        }
    }
}

/// An agent that decides for all lanes of a thread.
enum Agent<G: Game> {
    /// Chooses at random, and needs neither a view nor a state.
    Random,
    /// Decides in many lanes at once.
    Network(Box<NetworkAgent>),
    Player(Player<G>),
}

/// The agents of the opponents, each with a number that distinguishes its seeds.
pub(super) struct OpponentAgents<G: Game>(Vec<(u64, Agent<G>)>);

impl<G: Hints> OpponentAgents<G> {
    /// The agents; once the flag is set, their decisions end early.
    pub(super) fn new(opponents: Option<&Opponents>, interrupt: &Arc<AtomicBool>) -> Self {
        let agent = |spec: &AgentSpec| {
            let agent = if spec.is_random() {
                Agent::Random
            } else if let Some(network) = spec.network_agent::<G>() {
                Agent::Network(Box::new(network))
            } else {
                let mut player = spec.player(0);
                player.interrupt_with(interrupt.clone());
                Agent::Player(player)
            };
            (spec.seed().unwrap_or(0).rotate_left(32), agent)
        };
        Self(opponents.map_or_else(Vec::new, |all| all.agents.iter().map(agent).collect()))
    }

    /// The action of the opponent on `seat`, which is to act; `None` if it [decides for many
    /// lanes](Self::decide_many) at once.
    pub(super) fn decide(&mut self, game: &G, lane: &Lane<G>, seat: Seat) -> Option<Action> {
        let place = self.place(game, lane, seat);
        let (salt, agent) = &mut self.0[place];
        let legal = game.legal(lane.history.state());
        match agent {
            Agent::Random => Some(random::first_choice(seed_of(lane, *salt), legal)),
            Agent::Network(_) => None,
            Agent::Player(player) => {
                player.restart(seed_of(lane, *salt));
                Some(player.act(game, &lane.history, Some(&lane.dealer), legal).action)
            }
        }
    }

    /// Plays the actions of opponents in lanes that wait for them.
    pub(super) fn decide_many(&mut self, game: &G, waiting: &mut [LaneStep<'_, G>]) {
        let mover = |lane: &Lane<G>| game.turn(lane.history.state()).seat().expect("an opponent is to act");
        let mut lanes_of_agents: Vec<Vec<usize>> = vec![Vec::new(); self.0.len()];
        for (number, LaneStep { lane, .. }) in waiting.iter().enumerate() {
            lanes_of_agents[self.place(game, lane, mover(lane))].push(number);
        }
        for ((salt, agent), lanes) in self.0.iter_mut().zip(lanes_of_agents) {
            let Agent::Network(agent) = agent else { continue };
            for lanes in lanes.chunks(POSITIONS_AT_ONCE) {
                let position = |&number: &usize| {
                    let lane = &*waiting[number].lane;
                    Query::new(lane.history.state(), mover(lane), Streams::new(seed_of(lane, *salt)))
                };
                let actions: Vec<Action> = agent.decide_many(game, lanes.iter().map(position)).collect();
                lanes.iter().zip(actions).for_each(|(&number, action)| waiting[number].lane.push(game, action));
            }
        }
    }

    /// The place of the agent that has the seat.
    fn place(&self, game: &G, lane: &Lane<G>, seat: Seat) -> usize {
        let seats = game.num_seats();
        if self.0.len() == 1 { 0 } else { (seat.index() + seats - lane.learner().index() - 1) % seats }
    }
}

/// The number of positions that a network evaluates at once: their tensors stay in the cache.
const POSITIONS_AT_ONCE: usize = 128;

/// The seed of an opponent's decision.
fn seed_of<G: Game>(lane: &Lane<G>, salt: u64) -> u64 {
    Rng::stream(lane.seed ^ salt, "opponent", lane.history.events().len() as u64).bits()
}
