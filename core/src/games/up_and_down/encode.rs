//! Tensors of zeros and ones. The seat itself always comes first, then the others clockwise.

use crate::actions::{ActionSet as _, Actions64};
use crate::encode::{Cell, Field, Pen, size};
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
}

impl UpAndDown {
    /// The parts of the observation.
    pub(super) fn observation_layout(&self) -> Vec<Field> {
        let (cards, seats) = (usize::from(self.deck.size), usize::from(self.players));
        let (tricks, rounds) = (usize::from(self.tricks), usize::from(self.rules.most_rounds()));
        let mut layout = vec![
            Field::new("seat", [seats]),
            Field::new("phase", [8]),
            Field::new("hand", [cards]),
            // Cards of this round from all seats, without the current trick.
            Field::new("played", [cards]),
            Field::new("trump", [usize::from(self.deck.values)]),
            Field::new("side", [2]),
            Field::new("own_suit", [4]),
            Field::new("boss", [seats]),
            Field::new("to_move", [seats]),
            Field::new("chosen", [seats]),
            // The chosen card, and the cards of the last trick until the rules are changed again.
            Field::new("table", [seats, cards]),
            Field::new("tricks", [seats, tricks]),
            Field::new("pot", [tricks]),
        ];
        if rounds > 1 {
            layout.push(Field::new("round", [rounds]));
            layout.push(Field::new("score", [seats, SCORE_BITS]));
        }
        layout
    }

    /// Writes what the observer sees: a spectator everything but hands, seats counted from the first.
    pub(super) fn write_observation<T: Cell>(&self, state: &State, observer: Observer, pen: &mut Pen<'_, T>) {
        let (cards, seats) = (usize::from(self.deck.size), usize::from(self.players));
        let (tricks, rounds) = (usize::from(self.tricks), usize::from(self.rules.most_rounds()));
        let own = observer.seat();
        let seat = own.unwrap_or(Seat(0));
        let clockwise = || (0..seats).map(|steps| seat.after(steps, seats).index());
        let [dice, side, orientation] = state.is_set();
        let hidden = state.phase == Phase::Choose;
        let chosen = clockwise().zip(0..).filter(|&(other, _)| state.table[other] != NO_CARD);
        let kept = chosen.clone().filter(|&(other, _)| hidden && state.table[other] != FACE_DOWN);
        let kept = kept.fold(0, |set, (other, _)| set | 1 << state.table[other]);
        let held = state.hands.iter().fold(0, |all, hand| all | hand);
        let playing = state.phase != Phase::Over;
        pen.one(own.map(Seat::index), seats);
        pen.one(Some(state.phase as u8), 8);
        pen.set(own.map_or(0, |seat| state.hands[seat.index()]), cards);
        pen.set(self.deck.all & !(state.pool | held | kept), cards);
        pen.one(dice.then_some(state.trump), usize::from(self.deck.values));
        pen.one(side.then_some(state.down), 2);
        pen.one(orientation.then(|| self.suit_at(state.orientation, seat.0)), 4);
        pen.one((orientation && playing).then(|| self.clockwise(seat, state.boss)), seats);
        pen.one(self.turn(state).seat().map(|mover| self.clockwise(seat, mover.0)), seats);
        pen.set(if hidden { chosen.fold(0, |set, (_, steps)| set | 1 << steps) } else { 0 }, seats);
        for other in clockwise() {
            let card = state.table[other];
            let open = card != NO_CARD && (!hidden || own.is_some_and(|seat| other == seat.index()));
            pen.one(open.then_some(card), cards);
        }
        clockwise().for_each(|other| pen.count(state.taken[other], tricks));
        pen.count(state.pot, tricks);
        if rounds > 1 {
            pen.count(state.round, rounds);
            clockwise().for_each(|other| pen.set(u64::from(state.scores[other]), SCORE_BITS));
        }
    }

    /// The parts of the information-state tensor.
    pub(super) fn tensor_layout(&self) -> Vec<Field> {
        let (cards, seats, values) =
            (usize::from(self.deck.size), usize::from(self.players), usize::from(self.deck.values));
        let (tricks, rounds) = (usize::from(self.tricks), usize::from(self.rules.most_rounds()));
        let dealt = tricks * seats;
        vec![
            Field::new("seat", [seats]),
            // For each round one block: the deal, the first rules, then the tricks.
            Field::new("dealt", [rounds, dealt]),
            Field::new("first_hand", [rounds, cards]),
            Field::new("first_trump", [rounds, values]),
            Field::new("first_side", [rounds, 2]),
            Field::new("first_orientation", [rounds, 4]),
            Field::new("change", [rounds, tricks, usize::from(CHANGES)]),
            Field::new("rolled", [rounds, tricks, values]),
            // Seats that have chosen a card, face down or not; by seat number.
            Field::new("chosen", [rounds, tricks, seats]),
            // Each card is played at most once in a round: the seat, and the trick.
            Field::new("played_by", [rounds, seats, cards]),
            Field::new("played_in", [rounds, tricks, cards]),
        ]
    }

    /// All that the seat of a view knows, as a tensor.
    pub(super) fn write_tensor(&self, view: &View, out: &mut [f32]) {
        let layout = self.tensor_layout();
        debug_assert_eq!(out.len(), size(&layout));
        out.fill(0.0);
        let (cards, seats, values) =
            (usize::from(self.deck.size), usize::from(self.players), usize::from(self.deck.values));
        let rounds = usize::from(self.rules.most_rounds());
        // The start of each field, and the size of its part for one round.
        let parts: Vec<(usize, usize)> = layout
            .iter()
            .scan(0, |start, field| {
                let part = (*start, field.size() / rounds);
                *start += field.size();
                Some(part)
            })
            .collect();
        let [_, dealt, hand, dice, side, orientation, change, rolled, chosen, by, within] = parts[..] else {
            unreachable!("the layout has eleven fields");
        };
        out[view.seat().index()] = 1.0;
        for (number, round) in view.rounds().iter().enumerate() {
            let mut mark = |(start, per_round): (usize, usize), index: usize| {
                out[start + number * per_round + index] = 1.0;
            };
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
                        mark(by, seat * cards + usize::from(card));
                        mark(within, index * cards + usize::from(card));
                    }
                }
            }
        }
    }
}
