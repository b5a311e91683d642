//! Tensors of zeros and ones. The seat itself always comes first.
//!
//! Observation: seats are relative (own seat, left neighbour, ...), rows of cards have 32 values, and a count of n is
//! written as n ones. `open` has the cards of each hand, the own one included, that were taken from the table face up.
//!
//! Information state: the fields of current knowledge, then `deal`, with a row of kind, suit and rank for each log
//! entry of the current deal. In a match there is also `earlier`, with one value per log entry of the previous deals.
//! An entry is an event or a card that it showed; [`SeenEvent`] lists the kinds.

use crate::actions::Action;
use crate::encode::{BlockPen, Pen};
use crate::game::{Game as _, Observer, SeatView as _};
use crate::list::Listing as _;
use crate::seats::Seat;
use crate::symmetry::{ClassField, Symmetry};

use super::cards::{CARDS, Card, NO_CARD, RANKS, SUITS};
use super::rules::Play;
use super::state::{LIVES, NOBODY, State};
use super::view::{SeenEvent, View};
use super::{GIVE, KEEP, KNOCK, PUSH, SWAP, SWAP_ALL, Schwimmen};

/// The number of phases; see [`Phase`].
const PHASES: usize = 8;
/// Kinds of log entries: take, give, five other actions, six kinds of cards seen, two of cards not seen.
const KINDS: usize = 14;
/// The number that stands for each kind in the log of an earlier deal. The card is added to it.
const CODES: [u8; KINDS] = [0, GIVE, SWAP_ALL, PUSH, KNOCK, KEEP, SWAP, 0x80, 0xa0, 0xc0, 0xe0, 0x60, 0x50, 0x51];
/// The size of an entry: a kind, a suit, a rank.
const ENTRY: usize = KINDS + 4 + 8;

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

    /// Writes what the observer sees: a spectator everything but hidden cards, seats counted from the first. The number
    /// of cards in the pile is read from `pile`.
    pub(super) fn write_observation<P: Pen>(&self, state: &State, observer: Observer, pile: u32, pen: &mut P) {
        let players = usize::from(self.rules.players);
        let turns = usize::from(self.rules.max_turns);
        let seat = observer.seat().unwrap_or(Seat(0));
        let all = || self.seats_from(seat);
        let shown = |other: usize| if state.is_shown() { state.hands[other] } else { 0 };
        pen.field("seat", [players]).one(observer.seat().map(Seat::index));
        pen.field("phase", [PHASES]).one(Some(state.phase as usize));
        pen.field("mover", [players]).one(self.relative(seat, state.mover));
        pen.field("dealer", [players]).one(self.relative(seat, state.dealer));
        pen.field("hand", [CARDS]).set(observer.seat().map_or(0, |seat| state.hands[seat.index()]));
        pen.field("taken", [CARDS]).set(only(state.taken));
        pen.field("table", [CARDS]).set(if self.table_is_hidden(state) { 0 } else { state.table });
        pen.field("laid_away", [CARDS]).set(state.away);
        pen.field("open", [players, CARDS]).sets(all().map(|other| state.hands[other] & state.open));
        pen.field("shown", [players - 1, CARDS]).sets(all().skip(1).map(shown));
        pen.field("cut", [players, CARDS]).sets(all().map(|other| only(state.cut[other])));
        pen.counted("pile", [CARDS]).count(pile as u8);
        pen.field("knocker", [players]).one(self.relative(seat, state.knocker));
        pen.counted("turns", [turns]).count(state.turns);
        pen.counted("turns_left", [turns]).count(state.end - state.turns);
        pen.counted("quiet", [players]).count(state.quiet);
        if self.rules.play == Play::Match {
            pen.counted("lives", [players, usize::from(LIVES)]).counts(all().map(|other| state.lives[other]));
            pen.counted("deals", [self.rules.most_deals()]).count(state.deals);
        }
    }

    /// The suits, by the cards in hand. In a smaller deck the cards can run out in a cut, and then the suit decides;
    /// with all cards this practically never happens.
    pub(super) fn suits(&self) -> Option<Symmetry> {
        if usize::from(self.rules.deck_size()) < CARDS {
            return None;
        }
        let (suits, ranks) = (SUITS.len(), RANKS.len());
        let fields = ["hand", "taken", "table", "open", "laid_away", "shown", "cut"];
        let fields = fields.map(|name| ClassField { name, row: CARDS, block: ranks });
        Symmetry::new(&self.observation_layout(), &fields, suits, &|suit| {
            let cards = suit * ranks..(suit + 1) * ranks;
            let gives = cards.start + usize::from(GIVE)..cards.end + usize::from(GIVE);
            cards.chain(gives).map(|id| Action(id as u8)).list()
        })
    }

    /// Writes all that the seat of a view knows.
    pub(super) fn write_view<P: BlockPen>(&self, view: &View, pen: &mut P) {
        let (seen, seat) = (&view.seen, view.seat());
        let (players, entries, deals) = (usize::from(self.rules.players), self.max_entries(), self.rules.most_deals());
        pen.field("seat", [players]).one(Some(seat.index()));
        pen.field("phase", [PHASES]).one(Some(seen.phase as usize));
        pen.field("known_hands", [players, CARDS]).sets(self.seats_from(seat).map(|other| seen.hands[other]));
        pen.field("taken", [CARDS]).set(only(seen.taken));
        pen.field("table", [CARDS]).set(seen.table);
        pen.field("unseen", [CARDS]).set(view.unseen);
        let present = pen.zeros("deal", [entries, ENTRY]);
        let earlier = (deals > 1).then(|| pen.zeros("earlier", [deals - 1, entries]));
        let last = view.deals.len() - 1;
        for (deal, log) in view.logs().enumerate() {
            for (index, seen) in log.enumerate() {
                let (kind, card) = entry(seen);
                if let Some(earlier) = earlier.filter(|_| deal < last) {
                    // Halfway between multiples of 1/256, so that no entry is 0.
                    let code = CODES[kind] + card.unwrap_or(0);
                    pen.block(earlier, deal)[index] = f32::from(code) / 256.0 + 1.0 / 512.0;
                    continue;
                }
                let row = pen.block(present, index);
                row[kind] = 1.0;
                if let Some(card) = card.map(usize::from) {
                    row[KINDS + card / 8] = 1.0;
                    row[KINDS + 4 + card % 8] = 1.0;
                }
            }
        }
    }
}

/// The kind and the card of an entry.
fn entry(seen: SeenEvent) -> (usize, Option<u8>) {
    match seen {
        SeenEvent::Did(action) if action.0 < GIVE => (0, Some(action.0)),
        SeenEvent::Did(action) if action.0 < SWAP_ALL => (1, Some(action.0 - GIVE)),
        SeenEvent::Did(action) => (2 + usize::from(action.0 - SWAP_ALL), None),
        SeenEvent::Dealt(Some(card)) => (7, Some(card)),
        SeenEvent::Table(Some(card)) => (8, Some(card)),
        SeenEvent::Turned(card) => (9, Some(card)),
        SeenEvent::Shown(card) => (10, Some(card)),
        SeenEvent::Cut(card) => (11, Some(card)),
        SeenEvent::Dealt(None) => (12, None),
        SeenEvent::Table(None) => (13, None),
    }
}
