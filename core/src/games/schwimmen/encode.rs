//! Tensors of zeros and ones. The seat itself always comes first.
//!
//! Observation: seats are relative (own seat, left neighbour, ...), card planes have 32 cells, and a count of n is
//! written as n ones.
//!
//! Information state: the planes of current knowledge, then `deal`, with a row of kind, suit and rank for each log
//! entry of the current deal. In a match there is also `earlier`, with one value per log entry of the previous deals.
//! An entry is an event or a card that it showed; [`Seen`] lists the kinds.

use crate::encode::{Cell, Field, Pen, size};
use crate::game::{Observer, SeatView as _};
use crate::seats::Seat;

use super::cards::{CARDS, Card, NO_CARD};
use super::rules::Play;
use super::state::{LIVES, NOBODY, State};
use super::view::{Seen, View};
use super::{GIVE, SWAP_ALL, Schwimmen};

/// The number of phases; see [`Phase`].
const PHASES: usize = 8;
/// Kinds of log entries: take, give, five other actions, six kinds of cards seen, two of cards not seen.
const KINDS: usize = 14;
/// The size of an entry: a kind, a suit, a rank.
const ENTRY: usize = KINDS + 4 + 8;

/// Writes a set of cards.
fn cards<T: Cell>(pen: &mut Pen<'_, T>, cards: u32) {
    pen.set(u64::from(cards), CARDS);
}

/// The set with one card, or the empty set for [`NO_CARD`].
fn only(card: Card) -> u32 {
    if card == NO_CARD { 0 } else { 1 << card }
}

impl Schwimmen {
    /// The largest number of log entries in one deal.
    fn max_entries(&self) -> usize {
        let players = usize::from(self.rules.players);
        let turns = usize::from(self.rules.max_turns);
        // Each card of the deck appears at most once in hands, table and cut. Add the swap and the cards it turns up,
        // then two decisions in each turn, or one and three new cards for every other turn. Each hidden card of a
        // hand is seen at most once.
        usize::from(self.rules.deck_size()) + 4 + 2 * turns + turns.div_ceil(2) + 3 * players
    }

    /// The seats from `seat`'s point of view: itself first, then clockwise.
    fn seats_from(&self, seat: Seat) -> impl Iterator<Item = usize> + use<> {
        let count = usize::from(self.rules.players);
        (0..count).map(move |steps| seat.after(steps, count).index())
    }

    /// The number of seats clockwise from `seat` to another one.
    fn relative(&self, seat: Seat, other: u8) -> Option<usize> {
        let count = usize::from(self.rules.players);
        (other != NOBODY).then(|| (usize::from(other) + count - seat.index()) % count)
    }
}

/// The kind and the card of an entry.
fn entry(seen: Seen) -> (usize, Option<u8>) {
    match seen {
        Seen::Did(action) if action.0 < GIVE => (0, Some(action.0)),
        Seen::Did(action) if action.0 < SWAP_ALL => (1, Some(action.0 - GIVE)),
        Seen::Did(action) => (2 + usize::from(action.0 - SWAP_ALL), None),
        Seen::Dealt(Some(card)) => (7, Some(card)),
        Seen::Table(Some(card)) => (8, Some(card)),
        Seen::Turned(card) => (9, Some(card)),
        Seen::Shown(card) => (10, Some(card)),
        Seen::Cut(card) => (11, Some(card)),
        Seen::Dealt(None) => (12, None),
        Seen::Table(None) => (13, None),
    }
}

impl Schwimmen {
    /// The parts of the observation.
    pub(super) fn observation_layout(&self) -> Vec<Field> {
        let players = usize::from(self.rules.players);
        let turns = usize::from(self.rules.max_turns);
        let mut layout = vec![
            Field::new("seat", [players]),
            Field::new("phase", [PHASES]),
            Field::new("mover", [players]),
            Field::new("dealer", [players]),
            Field::new("hand", [CARDS]),
            Field::new("taken", [CARDS]),
            Field::new("table", [CARDS]),
            Field::new("shown", [players - 1, CARDS]),
            Field::new("cut", [players, CARDS]),
            Field::new("pile", [CARDS]),
            Field::new("knocker", [players]),
            Field::new("turns", [turns]),
            Field::new("turns_left", [turns]),
            Field::new("quiet", [players]),
        ];
        if self.rules.play == Play::Match {
            layout.push(Field::new("lives", [players, usize::from(LIVES)]));
            layout.push(Field::new("deals", [self.rules.most_deals()]));
        }
        layout
    }

    /// Writes what the observer sees: a spectator everything but hands, seats counted from the first. The number of
    /// cards in the pile is read from `pile`.
    pub(super) fn write_observation<T: Cell>(
        &self,
        state: &State,
        observer: Observer,
        pile: u32,
        pen: &mut Pen<'_, T>,
    ) {
        let players = usize::from(self.rules.players);
        let turns = usize::from(self.rules.max_turns);
        let seat = observer.seat().unwrap_or(Seat(0));
        let own_hand = observer.seat().map_or(0, |seat| state.hands[seat.index()]);
        pen.one(observer.seat().map(Seat::index), players);
        pen.one(Some(state.phase as usize), PHASES);
        pen.one(self.relative(seat, state.mover), players);
        pen.one(self.relative(seat, state.dealer), players);
        cards(pen, own_hand);
        cards(pen, only(state.taken));
        cards(pen, if self.table_is_hidden(state) { 0 } else { state.table });
        for other in self.seats_from(seat).skip(1) {
            cards(pen, if state.is_shown() { state.hands[other] } else { 0 });
        }
        for other in self.seats_from(seat) {
            cards(pen, only(state.cut[other]));
        }
        pen.count(pile as u8, CARDS);
        pen.one(self.relative(seat, state.knocker), players);
        pen.count(state.turns, turns);
        pen.count(state.end - state.turns, turns);
        pen.count(state.quiet, players);
        if self.rules.play == Play::Match {
            for other in self.seats_from(seat) {
                pen.count(state.lives[other], usize::from(LIVES));
            }
            pen.count(state.deals, self.rules.most_deals());
        }
    }

    /// The parts of the information-state tensor.
    pub(super) fn tensor_layout(&self) -> Vec<Field> {
        let (players, entries) = (usize::from(self.rules.players), self.max_entries());
        let mut layout = vec![
            Field::new("seat", [players]),
            Field::new("phase", [PHASES]),
            Field::new("known_hands", [players, CARDS]),
            Field::new("taken", [CARDS]),
            Field::new("table", [CARDS]),
            Field::new("unseen", [CARDS]),
            Field::new("deal", [entries, ENTRY]),
        ];
        if self.rules.most_deals() > 1 {
            layout.push(Field::new("earlier", [self.rules.most_deals() - 1, entries]));
        }
        layout
    }

    /// All that the seat of a view knows, as a tensor.
    pub(super) fn write_tensor(&self, view: &View, out: &mut [f32]) {
        debug_assert_eq!(out.len(), size(&self.tensor_layout()));
        let (seen, seat) = (view.seen(), view.seat());
        let entries = self.max_entries();
        let mut pen = Pen::new(out);
        pen.one(Some(seat.index()), usize::from(self.rules.players));
        pen.one(Some(seen.phase as usize), PHASES);
        for other in self.seats_from(seat) {
            cards(&mut pen, seen.hands[other]);
        }
        cards(&mut pen, only(seen.taken));
        cards(&mut pen, seen.table);
        cards(&mut pen, view.unseen());

        let (present, earlier) = (entries * ENTRY, entries * (self.rules.most_deals() - 1));
        pen.skip(present + earlier);
        pen.finish();
        let (before, earlier) = out.split_at_mut(out.len() - earlier);
        let start = before.len() - present;
        let present = &mut before[start..];
        let last = view.deals().len() - 1;
        for (deal, log) in view.logs().enumerate() {
            for (row, seen) in log.enumerate() {
                if deal < last {
                    // Halfway between multiples of 1/256, so that no entry is 0.
                    earlier[deal * entries + row] = f32::from(seen.to_byte()) / 256.0 + 1.0 / 512.0;
                    continue;
                }
                let row = &mut present[row * ENTRY..][..ENTRY];
                let (kind, card) = entry(seen);
                row[kind] = 1.0;
                if let Some(card) = card.map(usize::from) {
                    row[KINDS + card / 8] = 1.0;
                    row[KINDS + 4 + card % 8] = 1.0;
                }
            }
        }
    }
}
