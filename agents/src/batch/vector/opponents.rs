//! The opponents of one learner, and the learner's seat.

use stier_core::{Hints, Rng, Seat};

use super::VectorError;
use crate::catalogue::AgentSpec;

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

    /// The learner's seat in a game.
    pub(super) fn learner(&self, seats: usize, lane: usize, episode: u64, seed: u64) -> Seat {
        match self.learner {
            LearnerSeat::Fixed(seat) => seat,
            LearnerSeat::Rotate => Seat(((lane as u64).wrapping_add(episode) % seats as u64) as u8),
            LearnerSeat::Random => Seat(Rng::stream(seed, "learner", 0).below(seats as u32) as u8),
        }
    }
}
