//! The state of a game: hands, pigs, food.

use crate::seats::Seat;

use super::counts::{Counts, MAX_COLOURS};

/// The largest number of players.
pub(super) const MAX_PLAYERS: usize = 4;

/// The next kind of event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Hash, Debug)]
#[repr(u8)]
pub(super) enum Phase {
    /// A player plays a card.
    Play,
    /// A player lays food on the track.
    Food,
    /// A pig is placed, by chance or by the first player.
    Place,
    /// Chance deals a card.
    Deal,
    /// The game has ended.
    Over,
}

/// The number of phases.
pub(super) const PHASES: usize = 5;

/// The distance of a pig that is not on the track yet.
pub(super) const NOT_PLACED: u8 = u8::MAX;

/// A game of Schweins-Galopp.
///
/// Undealt race cards have no identity: they are the rest of each colour, and stay hidden in this round.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// `hands[seat]`: the cards the seat holds.
    pub(super) hands: [Counts; MAX_PLAYERS],
    /// `played[seat]`: the cards the seat has played in this round.
    pub(super) played: [Counts; MAX_PLAYERS],
    /// The spaces with a pig, as a set.
    pub(super) occupied: u32,
    /// The spaces with food, as a set.
    pub(super) track_food: u32,
    /// `distance[colour]`: the distance that the pig has run, counted from space 0. Its space is the distance modulo
    /// the length of the track.
    pub(super) distance: [u8; MAX_COLOURS],
    /// The distance of the leading pig.
    pub(super) front: u8,
    /// Food that no player has.
    pub(super) supply: u8,
    /// `risk[seat]`: food taken in this round, banked or lost with the last card.
    pub(super) risk: [u8; MAX_PLAYERS],
    /// `banked[seat]`: food that is safe.
    pub(super) banked: [u8; MAX_PLAYERS],
    /// The next kind of event.
    pub(super) phase: Phase,
    /// The number of events in this phase so far.
    pub(super) count: u8,
    /// The player to act. During the deal, the player who receives the card; while pigs are placed, the first player.
    pub(super) mover: u8,
    /// The first player of the round.
    pub(super) first: u8,
    /// The number of finished rounds.
    pub(super) round: u8,
}

const _: () = assert!(size_of::<State>() <= 64, "a state must fit into a cache line");

impl State {
    /// Creates the game before the first pig is placed.
    pub(super) fn new(food: u8) -> Self {
        Self {
            hands: [Counts::NONE; MAX_PLAYERS],
            played: [Counts::NONE; MAX_PLAYERS],
            occupied: 0,
            track_food: 0,
            distance: [NOT_PLACED; MAX_COLOURS],
            front: 0,
            supply: food,
            risk: [0; MAX_PLAYERS],
            banked: [0; MAX_PLAYERS],
            phase: Phase::Place,
            count: 0,
            mover: 0,
            first: 0,
            round: 0,
        }
    }

    /// Removes the opponents' cards: leaves what `seat` sees on the table and in its hand.
    pub(super) fn seen_by(&self, seat: Seat) -> Self {
        let mut seen = *self;
        seen.hands = [Counts::NONE; MAX_PLAYERS];
        seen.hands[seat.index()] = self.hands[seat.index()];
        seen
    }
}
