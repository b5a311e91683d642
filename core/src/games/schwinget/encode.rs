//! Tensors of zeros and ones. The seat itself always comes first.

use crate::actions::Action;
use crate::encode::{BlockPen, Pen};
use crate::game::{Game as _, Observer, SeatView as _};
use crate::list::Listing as _;
use crate::seats::Seat;
use crate::symmetry::{ClassField, Symmetry};

use super::Schwinget;
use super::cards::NO_CARD;
use super::state::{NOBODY, Neutral, State};
use super::view::{SeenEvent, View};

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

    /// Writes what the observer sees: a spectator everything but hands, seats counted from the first.
    pub(super) fn write_observation<P: Pen>(&self, state: &State, observer: Observer, pen: &mut P) {
        let (cards, hand_size) = (usize::from(self.deck.size), usize::from(self.rules.hand_size));
        let (tricks, bouts) = (self.max_tricks(), usize::from(self.rules.bouts));
        let seat = observer.seat().unwrap_or(Seat(0));
        let (own, other) = (seat.index(), seat.index() ^ 1);
        let card = |card: u8| (card != NO_CARD).then_some(usize::from(card));
        let relative = |index: u8| (index != NOBODY).then_some(usize::from(index != seat.0));
        let neutral = match state.neutral {
            Neutral::None => None,
            Neutral::BeforeAttack => Some(0_u8),
            Neutral::AfterAttack => Some(1),
        };
        pen.field("seat", [2]).one(observer.seat().map(Seat::index));
        pen.field("phase", [8]).one(Some(state.phase as usize));
        pen.hand("hand", cards).set(observer.seat().map_or(0, |seat| state.hands[seat.index()]));
        pen.field("played", [2, cards]).set(state.played[own]).set(state.played[other]);
        pen.field("turned_up", [cards]).one(card(state.turned));
        pen.field("trump", [5]).one(card(state.turned).map(|_| usize::from(state.trump)));
        pen.field("led", [cards]).one(card(state.led));
        pen.field("reply", [cards]).one(card(state.reply));
        pen.field("leader", [2]).one(relative(state.leader));
        pen.field("to_move", [2]).one(relative(state.mover));
        pen.counted("pile", [usize::from(self.pile)]).count(state.pile);
        pen.counted("tricks", [tricks]).count(state.tricks);
        pen.counted("taken", [2, tricks]).count(state.taken[own]).count(state.taken[other]);
        pen.field("attacker", [2]).one(relative(state.attacker));
        let after_attack = pen.counted("taken_after_attack", [2, hand_size]);
        after_attack.count(state.after_attack[own]).count(state.after_attack[other]);
        pen.field("neutral_trick", [2]).one(neutral);
        if bouts > 1 {
            pen.counted("bout", [bouts]).count(state.bout);
            pen.field("score", [2, SCORE_BITS]).set(state.scores[own] / 25).set(state.scores[other] / 25);
            pen.field("opener", [2]).one(relative(state.opener));
        }
    }

    /// The suits: the trump suit, then by the cards in hand.
    pub(super) fn suits(&self) -> Option<Symmetry> {
        let (suits, values) = (usize::from(self.rules.suits), usize::from(self.rules.values));
        let cards = |name| ClassField { name, row: usize::from(self.deck.size), block: values };
        let trump = ClassField { name: "trump", row: 5, block: 1 };
        let fields = [trump, cards("hand"), cards("played"), cards("turned_up"), cards("led"), cards("reply")];
        Symmetry::new(&self.observation_layout(), &fields, suits, &|suit| {
            (suit * values..(suit + 1) * values).map(|card| Action(card as u8)).list()
        })
    }

    /// Writes all that the seat of a view knows.
    pub(super) fn write_view<P: BlockPen>(&self, view: &View, pen: &mut P) {
        let cards = usize::from(self.deck.size);
        let (tricks, draws) = (self.max_tricks(), self.max_draws());
        let bouts = usize::from(self.rules.bouts);
        pen.field("seat", [2]).one(Some(view.seat().index()));
        let dealt = pen.zeros("dealt", [bouts, 2 * usize::from(self.rules.hand_size)]);
        let hand = pen.zeros("first_hand", [bouts, cards]);
        let turned = pen.zeros("turned_up", [bouts, cards]);
        let plays = pen.zeros("plays", [bouts, 2 * tricks, cards]);
        let own_draws = pen.zeros("own_draws", [bouts, draws, cards]);
        let their_draws = pen.zeros("opponent_draws", [bouts, draws]);
        let attack = pen.zeros("attack_after_tricks", [bouts, tricks]);
        let decision = pen.zeros("referee_decision", [bouts, 2]);
        let (mut bout, mut counts) = (0, Counts::default());
        for &seen in &view.log {
            if matches!(seen, SeenEvent::Dealt(_)) && counts.plays > 0 {
                bout += 1;
                counts = Counts::default();
            }
            let mut mark = |field, index: usize| pen.block(field, bout)[index] = 1.0;
            match seen {
                SeenEvent::Dealt(card) => {
                    mark(dealt, counts.dealt);
                    counts.dealt += 1;
                    if let Some(card) = card {
                        mark(hand, usize::from(card));
                    }
                }
                SeenEvent::TurnedUp(card) => mark(turned, usize::from(card)),
                SeenEvent::Drawn(Some(card)) => {
                    mark(own_draws, counts.own_draws * cards + usize::from(card));
                    counts.own_draws += 1;
                }
                SeenEvent::Drawn(None) => {
                    mark(their_draws, counts.their_draws);
                    counts.their_draws += 1;
                }
                SeenEvent::Did(action) if action.index() < cards => {
                    mark(plays, counts.plays * cards + action.index());
                    counts.plays += 1;
                }
                SeenEvent::Did(action) if action == self.deck.attack() => mark(attack, counts.plays / 2),
                SeenEvent::Did(action) => mark(decision, action.index() - cards - 1),
            }
        }
    }
}
