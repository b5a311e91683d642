//! The state of a game: bit sets of cards and a few counters.

use crate::seats::Seat;

use super::cards::Card;

/// The largest number of seats at a table.
pub(super) const SEATS: usize = 4;
/// On the table: the seat has not chosen a card.
pub(super) const NO_CARD: Card = u8::MAX;
/// On the table, in a state as one seat sees it: a card that lies face down. Does not occur in true states.
pub(super) const FACE_DOWN: Card = u8::MAX - 1;

/// The next kind of event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub(super) enum Phase {
    /// The boss changes the rules of the trick.
    Change,
    /// A player chooses a card.
    Choose,
    /// The game has ended.
    Over,
    /// Chance deals a card into a hand.
    Deal,
    /// The dice fix the first trump value of the round.
    Dice,
    /// The side of the UP&DOWN card is thrown.
    Side,
    /// The orientation of the UP&DOWN card is drawn.
    Orientation,
    /// The boss rolls the dice for a new trump value.
    Roll,
}

/// A game of Up & Down: the hands, the table, the rules of the trick, the score.
///
/// The deck and the unseen cards have no order: `pool` is the set of cards not dealt, and a card gets its identity
/// when it is dealt. A card that is neither in a hand, nor on the table, nor in the pool has been played in this
/// round.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// `hands[seat]`: the cards the seat holds, without the card it has chosen.
    pub(super) hands: [u64; SEATS],
    /// The cards not dealt.
    pub(super) pool: u64,
    /// `table[seat]`: the card the seat has chosen, or [`NO_CARD`]. Face down in the phase [`Phase::Choose`]. In
    /// [`Phase::Change`] and [`Phase::Over`] these are the face-up cards of the last trick of the round.
    pub(super) table: [Card; SEATS],
    /// `taken[seat]`: tricks won in this round.
    pub(super) taken: [u8; SEATS],
    /// `scores[seat]`: tricks won in the finished rounds.
    pub(super) scores: [u8; SEATS],
    /// Tricks in the pot.
    pub(super) pot: u8,
    /// The trump value, counted from 0.
    pub(super) trump: u8,
    /// The side of the UP&DOWN card: 0 for UP, 1 for DOWN.
    pub(super) down: u8,
    /// The orientation of the UP&DOWN card: the suit pointed at table side 0.
    pub(super) orientation: u8,
    /// The seat that changes the rules of the current trick.
    pub(super) boss: u8,
    /// The player to act or, during the deal, the player who receives the card.
    pub(super) mover: u8,
    /// The next kind of event.
    pub(super) phase: Phase,
    /// The number of finished rounds.
    pub(super) round: u8,
}

const _: () = assert!(size_of::<State>() <= 64, "a state must fit into a cache line");

impl State {
    /// Creates a round before its first card is dealt.
    pub(super) fn new(deck: u64, round: u8, scores: [u8; SEATS]) -> Self {
        Self {
            hands: [0; SEATS],
            pool: deck,
            table: [NO_CARD; SEATS],
            taken: [0; SEATS],
            scores,
            pot: 0,
            trump: 0,
            down: 0,
            orientation: 0,
            boss: 0,
            mover: 0,
            phase: Phase::Deal,
            round,
        }
    }

    /// True for each of the dice, the side and the orientation that has been determined; this happens in that order.
    pub(super) fn is_set(&self) -> [bool; 3] {
        let played = matches!(self.phase, Phase::Change | Phase::Choose | Phase::Over | Phase::Roll);
        let orientation = self.phase == Phase::Orientation;
        [played || orientation || self.phase == Phase::Side, played || orientation, played]
    }

    /// Removes the cards that `seat` does not see. The opponents' hands go to the pool, and the cards they have
    /// chosen lie face down.
    pub(super) fn seen_by(&self, seat: Seat) -> Self {
        let mut seen = *self;
        for other in (0..SEATS).filter(|&other| other != seat.index()) {
            seen.pool |= seen.hands[other];
            seen.hands[other] = 0;
            if seen.phase == Phase::Choose && seen.table[other] != NO_CARD {
                seen.pool |= 1 << seen.table[other];
                seen.table[other] = FACE_DOWN;
            }
        }
        seen
    }
}
