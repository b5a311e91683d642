//! The world of a game: bit sets of cards and a few counters.

use crate::seats::Seat;

use super::cards::Card;

/// Room for the seats of any table.
pub(super) const SEATS: usize = 4;
/// On the table: the seat has chosen no card.
pub(super) const NO_CARD: Card = u8::MAX;
/// On the table, in what one seat sees: a card that lies face down. No state has it.
pub(super) const FACE_DOWN: Card = u8::MAX - 1;

/// What happens next.
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
    /// The UP&DOWN card falls on one of its sides.
    Side,
    /// The UP&DOWN card is turned some way.
    Orientation,
    /// The boss rolls the dice for another trump value.
    Roll,
}

/// A game of Up & Down: the hands, the table, the rules of the trick, the score.
///
/// Cards that nobody holds and nobody has seen have no place of their own: `pool` is the set of them, and a card gets its
/// identity when it is dealt. What is in no hand, not on the table and not in the pool has been played in this round.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// `hands[seat]`: the cards it holds, without the one it has chosen.
    pub(super) hands: [u64; SEATS],
    /// Cards without an identity: not dealt.
    pub(super) pool: u64,
    /// `table[seat]`: the card it has chosen, or [`NO_CARD`]. Face down in the phase [`Phase::Choose`]; in [`Phase::Change`]
    /// and [`Phase::Over`] these are the cards of the last trick of the round, for all to see.
    pub(super) table: [Card; SEATS],
    /// `taken[seat]`: tricks in this round.
    pub(super) taken: [u8; SEATS],
    /// `scores[seat]`: tricks in the finished rounds.
    pub(super) scores: [u8; SEATS],
    /// Tricks in the pot.
    pub(super) pot: u8,
    /// The trump value, counted from 0.
    pub(super) trump: u8,
    /// The side of the UP&DOWN card: 0 for UP, 1 for DOWN.
    pub(super) down: u8,
    /// The orientation of the UP&DOWN card: the suit pointed at table side 0.
    pub(super) orientation: u8,
    /// Who changes the rules of the present trick.
    pub(super) boss: u8,
    /// Who acts in the phases of players; who receives the card in that of the deal.
    pub(super) mover: u8,
    /// What happens next.
    pub(super) phase: Phase,
    /// Finished rounds.
    pub(super) round: u8,
}

const _: () = assert!(size_of::<State>() <= 64, "a state fits a cache line");

impl State {
    /// A round before its first card is dealt.
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

    /// Whether the dice and the UP&DOWN card already say something, one after the other.
    pub(super) fn is_set(&self) -> [bool; 3] {
        let played = matches!(self.phase, Phase::Change | Phase::Choose | Phase::Over | Phase::Roll);
        let orientation = self.phase == Phase::Orientation;
        [played || orientation || self.phase == Phase::Side, played || orientation, played]
    }

    /// The state with the other players' cards taken away from it: what `seat` sees on the table and in its hand. Their cards
    /// are in the pool, those they have chosen lie face down.
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
