//! Tensors of zeros and ones. The seat itself always comes first, then the others clockwise.

use crate::actions::{ActionSet as _, Actions64};
use crate::encode::{BlockPen, Pen};
use crate::game::{Game as _, Observer, SeatView as _};
use crate::seats::Seat;

use super::state::{FACE_DOWN, NO_CARD, Phase, State};
use super::view::View;
use super::{CHANGES, UpAndDown};

/// Bits of a score: at most 16 rounds of 15 tricks, 240.
const SCORE_BITS: usize = 8;

impl UpAndDown {
    /// The number of seats clockwise from one seat to another.
    fn clockwise(&self, from: Seat, to: u8) -> u8 {
        (to + self.players - from.0) % self.players
    }

    /// The cards of this round from all seats, without the current trick.
    pub(super) fn played(&self, state: &State) -> u64 {
        let chosen = state.table.iter().filter(|&&card| state.phase == Phase::Choose && card < FACE_DOWN);
        let chosen = chosen.fold(0, |set, card| set | 1 << card);
        self.deck.all & !state.hands.iter().fold(state.pool | chosen, |all, hand| all | hand)
    }

    /// Writes what the observer sees: a spectator everything but hands, seats counted from the first.
    pub(super) fn write_observation<P: Pen>(&self, state: &State, observer: Observer, pen: &mut P) {
        let (cards, seats) = (usize::from(self.deck.size), usize::from(self.players));
        let (tricks, rounds) = (usize::from(self.tricks), usize::from(self.rules.most_rounds()));
        let own = observer.seat();
        let seat = own.unwrap_or(Seat(0));
        let clockwise = || (0..seats).map(|steps| seat.after(steps, seats).index());
        let [dice, side, orientation] = state.is_set();
        let hidden = state.phase == Phase::Choose;
        let chosen = clockwise().zip(0..).filter(|&(other, _)| state.table[other] != NO_CARD);
        let boss = orientation && state.phase != Phase::Over;
        let open_card = |other: usize| {
            let card = state.table[other];
            let open = card != NO_CARD && (!hidden || own.is_some_and(|seat| other == seat.index()));
            open.then_some(card)
        };
        pen.field("seat", [seats]).one(own.map(Seat::index));
        pen.field("phase", [8]).one(Some(state.phase as u8));
        pen.hand("hand", cards).set(own.map_or(0, |seat| state.hands[seat.index()]));
        pen.field("played", [cards]).set(self.played(state));
        pen.field("trump", [usize::from(self.deck.values)]).one(dice.then_some(state.trump));
        pen.field("side", [2]).one(side.then_some(state.down));
        pen.field("own_suit", [4]).one(orientation.then(|| self.suit_at(state.orientation, seat.0)));
        pen.field("boss", [seats]).one(boss.then(|| self.clockwise(seat, state.boss)));
        pen.field("to_move", [seats]).one(self.turn(state).seat().map(|mover| self.clockwise(seat, mover.0)));
        let chosen = if hidden { chosen.fold(0, |set, (_, steps)| set | 1 << steps) } else { 0_u64 };
        pen.field("chosen", [seats]).set(chosen);
        // The chosen card, and the cards of the last trick until the rules are changed again.
        pen.field("table", [seats, cards]).ones(clockwise().map(open_card));
        pen.counted("tricks", [seats, tricks]).counts(clockwise().map(|other| state.taken[other]));
        pen.counted("pot", [tricks]).count(state.pot);
        if rounds > 1 {
            pen.counted("round", [rounds]).count(state.round);
            pen.field("score", [seats, SCORE_BITS]).sets(clockwise().map(|other| state.scores[other]));
        }
    }

    /// Writes all that the seat of a view knows.
    pub(super) fn write_view<P: BlockPen>(&self, view: &View, pen: &mut P) {
        let (cards, seats, values) =
            (usize::from(self.deck.size), usize::from(self.players), usize::from(self.deck.values));
        let (tricks, rounds) = (usize::from(self.tricks), usize::from(self.rules.most_rounds()));
        pen.field("seat", [seats]).one(Some(view.seat().index()));
        // For each round one block: the deal, the first rules, then the tricks.
        let dealt = pen.zeros("dealt", [rounds, tricks * seats]);
        let hand = pen.zeros("first_hand", [rounds, cards]);
        let dice = pen.zeros("first_trump", [rounds, values]);
        let side = pen.zeros("first_side", [rounds, 2]);
        let orientation = pen.zeros("first_orientation", [rounds, 4]);
        let change = pen.zeros("change", [rounds, tricks, usize::from(CHANGES)]);
        let rolled = pen.zeros("rolled", [rounds, tricks, values]);
        // Seats that have chosen a card, face down or not; by seat number.
        let chosen = pen.zeros("chosen", [rounds, tricks, seats]);
        // Each card is played at most once in a round: the seat, and the trick.
        let played_by = pen.zeros("played_by", [rounds, seats, cards]);
        let played_in = pen.zeros("played_in", [rounds, tricks, cards]);
        for (number, round) in view.rounds.iter().enumerate() {
            let mut mark = |field, index: usize| pen.block(field, number)[index] = 1.0;
            (0..usize::from(round.dealt)).for_each(|card| mark(dealt, card));
            Actions64(round.hand).iter().for_each(|card| mark(hand, card.index()));
            for (field, came) in [(dice, round.dice), (side, round.side), (orientation, round.orientation)] {
                came.into_iter().for_each(|came| mark(field, usize::from(came)));
            }
            for (index, trick) in round.tricks.iter().enumerate() {
                mark(change, index * usize::from(CHANGES) + usize::from(trick.change.0 - self.deck.size));
                trick.rolled.into_iter().for_each(|sum| mark(rolled, index * values + usize::from(sum)));
                for (seat, &card) in trick.cards.iter().enumerate().filter(|&(_, &card)| card != NO_CARD) {
                    mark(chosen, index * seats + seat);
                    if card != FACE_DOWN {
                        mark(played_by, seat * cards + usize::from(card));
                        mark(played_in, index * cards + usize::from(card));
                    }
                }
            }
        }
    }
}
