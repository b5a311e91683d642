//! Tensors of zeros and ones. The seat itself always comes first.

use crate::encode::{Cell, Field, Pen, size};
use crate::game::{Observer, SeatView as _};
use crate::seats::Seat;

use super::Schwinget;
use super::cards::NO_CARD;
use super::state::{NOBODY, Neutral, State};
use super::view::{Seen, View};

/// Bits of a score in quarter points: at most 12 bouts at 10.00, 480 quarter points.
const SCORE_BITS: usize = 9;

/// Position in the log of a bout.
#[derive(Default)]
struct Counts {
    dealt: usize,
    plays: usize,
    own_draws: usize,
    their_draws: usize,
}

impl Schwinget {
    /// The number of tricks in a bout without an attack.
    fn max_tricks(&self) -> usize {
        usize::from(self.rules.hand_size) + self.max_draws()
    }

    /// The number of cards that each player draws in a bout without an attack.
    fn max_draws(&self) -> usize {
        usize::from(self.pile) / 2
    }
}

impl Schwinget {
    /// The parts of the observation.
    pub(super) fn observation_layout(&self) -> Vec<Field> {
        let cards = usize::from(self.deck.size);
        let (tricks, bouts) = (self.max_tricks(), usize::from(self.rules.bouts));
        let mut layout = vec![
            Field::new("seat", [2]),
            Field::new("phase", [8]),
            Field::new("hand", [cards]),
            Field::new("played", [2, cards]),
            Field::new("turned_up", [cards]),
            Field::new("trump", [5]),
            Field::new("led", [cards]),
            Field::new("reply", [cards]),
            Field::new("leader", [2]),
            Field::new("to_move", [2]),
            Field::new("pile", [usize::from(self.pile)]),
            Field::new("tricks", [tricks]),
            Field::new("taken", [2, tricks]),
            Field::new("attacker", [2]),
            Field::new("taken_after_attack", [2, usize::from(self.rules.hand_size)]),
            Field::new("neutral_trick", [2]),
        ];
        if bouts > 1 {
            layout.push(Field::new("bout", [bouts]));
            layout.push(Field::new("score", [2, SCORE_BITS]));
            layout.push(Field::new("opener", [2]));
        }
        layout
    }

    /// Writes what the observer sees: a spectator everything but hands, seats counted from the first.
    pub(super) fn write_observation<T: Cell>(&self, state: &State, observer: Observer, pen: &mut Pen<'_, T>) {
        let cards = usize::from(self.deck.size);
        let (tricks, bouts) = (self.max_tricks(), usize::from(self.rules.bouts));
        let seat = observer.seat().unwrap_or(Seat(0));
        let (own, other) = (seat.index(), seat.index() ^ 1);
        let hand = observer.seat().map_or(0, |seat| state.hands[seat.index()]);
        let card = |card: u8| (card != NO_CARD).then_some(usize::from(card));
        let who = |index: u8| (index != NOBODY).then_some(usize::from(index != seat.0));
        pen.one(observer.seat().map(Seat::index), 2);
        pen.one(Some(state.phase as usize), 8);
        pen.set(hand.into(), cards);
        pen.set(state.played[own].into(), cards);
        pen.set(state.played[other].into(), cards);
        pen.one(card(state.turned), cards);
        pen.one(card(state.turned).map(|_| usize::from(state.trump)), 5);
        pen.one(card(state.led), cards);
        pen.one(card(state.reply), cards);
        pen.one(who(state.leader), 2);
        pen.one(who(state.mover), 2);
        pen.count(state.pile, usize::from(self.pile));
        pen.count(state.tricks, tricks);
        pen.count(state.taken[own], tricks);
        pen.count(state.taken[other], tricks);
        pen.one(who(state.attacker), 2);
        pen.count(state.after_attack[own], usize::from(self.rules.hand_size));
        pen.count(state.after_attack[other], usize::from(self.rules.hand_size));
        let neutral = match state.neutral {
            Neutral::None => None,
            Neutral::BeforeAttack => Some(0_u8),
            Neutral::AfterAttack => Some(1),
        };
        pen.one(neutral, 2);
        if bouts > 1 {
            pen.count(state.bout, bouts);
            pen.set(u64::from(state.scores[own] / 25), SCORE_BITS);
            pen.set(u64::from(state.scores[other] / 25), SCORE_BITS);
            pen.one(who(state.opener), 2);
        }
    }

    /// The parts of the information-state tensor.
    pub(super) fn tensor_layout(&self) -> Vec<Field> {
        let cards = usize::from(self.deck.size);
        let (tricks, draws) = (self.max_tricks(), self.max_draws());
        let bouts = usize::from(self.rules.bouts);
        vec![
            Field::new("seat", [2]),
            Field::new("dealt", [bouts, 2 * usize::from(self.rules.hand_size)]),
            Field::new("first_hand", [bouts, cards]),
            Field::new("turned_up", [bouts, cards]),
            Field::new("plays", [bouts, 2 * tricks, cards]),
            Field::new("own_draws", [bouts, draws, cards]),
            Field::new("opponent_draws", [bouts, draws]),
            Field::new("attack_after_tricks", [bouts, tricks]),
            Field::new("referee_decision", [bouts, 2]),
        ]
    }

    /// All that the seat of a view knows, as a tensor.
    pub(super) fn write_tensor(&self, view: &View, out: &mut [f32]) {
        let layout = self.tensor_layout();
        debug_assert_eq!(out.len(), size(&layout));
        out.fill(0.0);
        let cards = usize::from(self.deck.size);
        let bouts = usize::from(self.rules.bouts);
        // The start of each field, and the size of its part for one bout.
        let parts: Vec<(usize, usize)> = layout
            .iter()
            .scan(0, |start, field| {
                let part = (*start, field.size() / bouts);
                *start += field.size();
                Some(part)
            })
            .collect();
        let [_, dealt, hand, turned, plays, own_draws, their_draws, attack, decision] = parts[..] else {
            unreachable!("the layout has nine fields");
        };
        out[view.seat().index()] = 1.0;

        let (mut bout, mut counts) = (0, Counts::default());
        for seen in view.log() {
            if matches!(seen, Seen::Dealt(_)) && counts.plays > 0 {
                bout += 1;
                counts = Counts::default();
            }
            let mut mark = |(start, per_bout): (usize, usize), index: usize| {
                out[start + bout * per_bout + index] = 1.0;
            };
            match seen {
                Seen::Dealt(card) => {
                    mark(dealt, counts.dealt);
                    counts.dealt += 1;
                    if let Some(card) = card {
                        mark(hand, usize::from(card));
                    }
                }
                Seen::TurnedUp(card) => mark(turned, usize::from(card)),
                Seen::Drawn(Some(card)) => {
                    mark(own_draws, counts.own_draws * cards + usize::from(card));
                    counts.own_draws += 1;
                }
                Seen::Drawn(None) => {
                    mark(their_draws, counts.their_draws);
                    counts.their_draws += 1;
                }
                Seen::Did(action) if action.index() < cards => {
                    mark(plays, counts.plays * cards + action.index());
                    counts.plays += 1;
                }
                Seen::Did(action) if action == self.deck.attack() => mark(attack, counts.plays / 2),
                Seen::Did(action) => mark(decision, action.index() - cards - 1),
            }
        }
    }
}
