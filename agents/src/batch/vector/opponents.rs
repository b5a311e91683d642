//! Who plays the seats that the learner does not.
//!
//! An opponent remembers nothing from one decision to the next: each is the first decision of the agent under a seed hashed from
//! (seed of the game, "opponent", events so far). So a lane is a function of its seed and the learner's actions, a few agents
//! serve any number of lanes, and nothing of them needs to be kept in a checkpoint. What an agent would have kept for its next
//! decision (`reuse` of `ismcts`) it works out anew.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stier_core::{Action, Dealer, Encode, Game, Hints, History, Rng, Seat};

use super::VectorError;
use super::lane::Lane;
use crate::agent::course::Streams;
use crate::agent::crowd::Position;
use crate::agent::player::Player;
use crate::catalogue::spec::AgentSpec;
use crate::network::agent::NetworkAgent;
use crate::search::random;

/// Where the learner sits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LearnerSeat {
    /// In every game there.
    Fixed(Seat),
    /// In the first game of lane `i` at seat `i`, in each next one a place further on, modulo the seats.
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
    /// Where the learner sits.
    pub learner: LearnerSeat,
}

impl Opponents {
    /// Whether they fit the game.
    pub(super) fn check<G: Encode>(&self, game: &G) -> Result<(), VectorError> {
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

    /// Whether they all decide at once in so many lanes; the others may be interrupted.
    pub(super) fn are_instant(&self, lanes: usize) -> bool {
        self.agents.iter().all(|spec| spec.is_instant() && (lanes <= FEW_LANES || !spec.has_network()))
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

/// One agent, to decide for all lanes that a thread has in hand.
enum Opponent<G: Game> {
    /// Needs to be shown nothing.
    Random,
    /// Is asked for many lanes at once.
    Network(Box<NetworkAgent>),
    Player(Player<G>),
}

/// The opponents, ready to decide.
pub(super) struct Crew<G: Game> {
    agents: Vec<(u64, Opponent<G>)>,
}

impl<G: Hints> Crew<G> {
    /// One of each kind; once the flag is set, decisions end early.
    pub(super) fn new(opponents: Option<&Opponents>, interrupt: &Arc<AtomicBool>) -> Self {
        let enter = |spec: &AgentSpec| {
            let opponent = if spec.is_random() {
                Opponent::Random
            } else if let Some(agent) = spec.network_agent() {
                Opponent::Network(Box::new(agent))
            } else {
                let mut player = spec.player(0);
                player.interrupt_with(interrupt.clone());
                Opponent::Player(player)
            };
            (spec.seed().unwrap_or(0).rotate_left(32), opponent)
        };
        Self { agents: opponents.map_or_else(Vec::new, |all| all.agents.iter().map(enter).collect()) }
    }

    /// Whether somebody had better be asked for many lanes at once.
    pub(super) fn is_batched(&self) -> bool {
        self.agents.iter().any(|(_, opponent)| matches!(opponent, Opponent::Network(_)))
    }

    /// What the opponent on `seat`, who is to act, does.
    pub(super) fn decide(
        &mut self,
        game: &G,
        history: &History<G>,
        dealer: &Dealer,
        seed: u64,
        learner: Seat,
        seat: Seat,
    ) -> Action {
        let place = self.place(game, learner, seat);
        let (salt, opponent) = &mut self.agents[place];
        let seed = seed_of(seed, *salt, history);
        let legal = game.legal(history.state());
        match opponent {
            Opponent::Random => random::first_choice(seed, legal),
            Opponent::Network(agent) => {
                let position = Position::new(history.state(), seat, Streams::new(seed));
                agent.decide_many(game, [position].into_iter()).next().expect("an answer")
            }
            Opponent::Player(player) => {
                player.restart(seed);
                player.act(game, history, Some(dealer), legal).action
            }
        }
    }

    /// The same in many lanes, `waiting` for the opponents on these seats: the actions, in their order.
    pub(super) fn decide_many(&mut self, game: &G, lanes: &[Lane<G>], waiting: &[(usize, Seat)]) -> Vec<Action> {
        let mut actions = vec![Action::default(); waiting.len()];
        let mut asked: Vec<Vec<usize>> = vec![Vec::new(); self.agents.len()];
        for (number, &(lane, seat)) in waiting.iter().enumerate() {
            let lane = &lanes[lane];
            let place = self.place(game, lane.learner(), seat);
            match &self.agents[place].1 {
                Opponent::Network(_) => asked[place].push(number),
                _ => {
                    actions[number] = self.decide(game, &lane.history, &lane.dealer, lane.seed, lane.learner(), seat);
                }
            }
        }
        for ((salt, opponent), asked) in self.agents.iter_mut().zip(asked) {
            let Opponent::Network(agent) = opponent else { continue };
            for some in asked.chunks(AT_ONCE) {
                let position = |&number: &usize| {
                    let (lane, seat) = waiting[number];
                    let history = &lanes[lane].history;
                    let streams = Streams::new(seed_of(lanes[lane].seed, *salt, history));
                    Position::new(history.state(), seat, streams)
                };
                for (&number, action) in some.iter().zip(agent.decide_many(game, some.iter().map(position))) {
                    actions[number] = action;
                }
            }
        }
        actions
    }

    /// Which of the agents sits there.
    fn place(&self, game: &G, learner: Seat, seat: Seat) -> usize {
        let seats = game.num_seats();
        if self.agents.len() == 1 { 0 } else { (seat.index() + seats - learner.index() - 1) % seats }
    }
}

/// Positions that a network is asked about at once: their tensors stay in the cache.
const AT_ONCE: usize = 128;

/// The seed of an opponent's decision.
fn seed_of<G: Game>(seed: u64, salt: u64, history: &History<G>) -> u64 {
    Rng::stream(seed ^ salt, "opponent", history.events().len() as u64).bits()
}
