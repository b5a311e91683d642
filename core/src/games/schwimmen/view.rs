//! One seat's knowledge, with perfect recall.

use smallvec::SmallVec;

use crate::actions::Action;
use crate::bits;
use crate::encode::{BlockPen, Cell, Values};
use crate::game::history::{Event, History};
use crate::game::key::Past;
use crate::game::log::sort_last;
use crate::game::{Game as _, Observer, SeatView};
use crate::seats::Seat;

use super::cards::Card;
use super::state::{PLAYERS, Phase, State};
use super::{DealerSwap, GIVE, SWAP, SWAP_ALL, Schwimmen, THREE};

/// One event, or a part of one, as the seat saw it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum SeenEvent {
    /// A player's action.
    Did(Action),
    /// A card dealt to the seat, or an unseen card dealt to another one.
    Dealt(Option<Card>),
    /// A card that chance dealt to the table, face up or (unseen) face down.
    Table(Option<Card>),
    /// A card that the seat sees for the first time because of the previous action: turned up, laid open, or taken
    /// face down.
    Turned(Card),
    /// A card of an opponent's hand that only its holder had seen, shown at the end of a deal; by seat, each set
    /// ascending.
    Shown(Card),
    /// A card drawn in a cut.
    Cut(Card),
}

/// A hand, or the face-down table, with cards that the seat does not know.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Hidden {
    /// The number of unknown cards.
    pub(super) size: u8,
    /// For each time at which the hand did not end the deal, its other cards: a set of sets, ascending.
    pub(super) beside: SmallVec<[u32; 3]>,
}

impl Hidden {
    /// Marks these cards of the hand as seen.
    fn reveal(&mut self, cards: u32) {
        self.size -= cards.count_ones() as u8;
        if self.size == 0 {
            self.beside.clear();
        }
        for beside in &mut self.beside {
            *beside |= cards;
        }
        self.beside.sort_unstable();
        self.beside.dedup();
    }

    /// Records that the hand does not end the deal now, with these cards besides the hidden ones.
    fn survives(&mut self, beside: u32) {
        if self.size > 0
            && let Err(place) = self.beside.binary_search(&beside)
        {
            self.beside.insert(place, beside);
        }
    }
}

/// Knowledge of the cards of one deal as chance dealt them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Dealt {
    pub(super) hands: [u32; PLAYERS],
    pub(super) table: u32,
    /// True if the dealer's hidden cards were first on the table and swapped for while face down.
    pub(super) swapped: bool,
}

impl Dealt {
    /// The place from which the hidden cards of `seat` came.
    pub(super) fn source(&mut self, seat: usize, dealer: u8) -> &mut u32 {
        if self.swapped && seat == usize::from(dealer) { &mut self.table } else { &mut self.hands[seat] }
    }
}

/// Everything a seat knows: its own cards and all public events, in order. Cards that came at the same time are known
/// as a set.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct View {
    /// The state without the hidden cards. Hands hold the cards that the seat knows, and the pool all cards whose
    /// place it does not know.
    pub(super) seen: State,
    /// The events. Cards that came at the same time are in ascending order.
    log: SmallVec<[SeenEvent; 64]>,
    /// The start of each deal in the log.
    starts: SmallVec<[u32; 1]>,
    /// The deals so far, ending with the current one. Cards of the current deal that are not known are hidden now.
    pub(super) deals: SmallVec<[Dealt; 1]>,
    /// The hidden cards of each seat's hand.
    pub(super) hidden: [Hidden; PLAYERS],
    /// The number of face-down cards on the table.
    pub(super) face_down: u8,
    /// The cards of the deck that the seat has not seen in this deal: the only ones that can be hidden in hands.
    pub(super) unseen: u32,
    past: Past,
}

impl View {
    /// The logs of the deals, in the order of `deals`.
    pub(super) fn logs(&self) -> impl Iterator<Item = impl Iterator<Item = SeenEvent>> {
        let ends = self.starts[1..].iter().copied().chain([self.log.len() as u32]);
        self.starts.iter().zip(ends).map(|(&start, end)| self.log[start as usize..end as usize].iter().copied())
    }
}

impl SeatView<Schwimmen> for View {
    fn new(game: &Schwimmen, history: &History<Schwimmen>, seat: Seat) -> Self {
        let mut watch = Watch::new(game, Past::with_capacity(seat, history.events().len()));
        for &event in history.events() {
            watch.event(event);
        }
        watch.finish()
    }

    fn past(&self) -> &Past {
        &self.past
    }

    fn observation<T: Cell>(&self, game: &Schwimmen, out: &mut [T]) {
        let hidden: u8 = self.face_down + self.hidden.iter().map(|hidden| hidden.size).sum::<u8>();
        let pile = self.seen.pool.count_ones() - u32::from(hidden);
        let mut pen = Values::new(out);
        game.write_observation(&self.seen, Observer::Seat(self.seat()), pile, &mut pen);
        pen.finish();
    }

    fn write<P: BlockPen>(&self, game: &Schwimmen, pen: &mut P) {
        game.write_view(self, pen);
    }

    fn knowledge(&self, game: &Schwimmen) -> String {
        game.tell(self)
    }
}

/// Follows a game from the perspective of one seat.
struct Watch<'a> {
    game: &'a Schwimmen,
    seat: usize,
    state: State,
    view: View,
    /// The start of the current deal in the log.
    deal_start: usize,
    /// The start of the current or latest table cards in the log.
    table_start: usize,
}

impl<'a> Watch<'a> {
    fn new(game: &'a Schwimmen, past: Past) -> Self {
        let (state, seat) = (game.root(), past.seat().index());
        let view = View {
            seen: state,
            log: SmallVec::new(),
            starts: SmallVec::from_elem(0, 1),
            deals: SmallVec::from_elem(Dealt::default(), 1),
            hidden: Default::default(),
            face_down: 0,
            unseen: game.deck,
            past,
        };
        Self { game, seat, state, view, deal_start: 0, table_start: 0 }
    }

    fn log(&mut self, seen: SeenEvent) {
        self.view.log.push(seen);
    }

    fn dealt(&mut self) -> &mut Dealt {
        self.view.deals.last_mut().expect("a view starts with a deal")
    }

    /// Records face-up cards, or cards taken up by the observer, that it may not have seen before.
    fn turn_up(&mut self, cards: u32) {
        for card in bits::members(cards & self.view.unseen) {
            self.log(SeenEvent::Turned(card));
        }
        self.view.unseen &= !cards;
    }

    /// Records hidden cards of a hand as seen, and hence as dealt.
    fn reveal(&mut self, seat: usize, cards: u32) {
        self.view.hidden[seat].reveal(cards);
        let dealer = self.state.dealer;
        *self.dealt().source(seat, dealer) |= cards;
    }

    /// The cards in the seat's hand that the observer knows.
    fn known(&self, state: &State, seat: usize) -> u32 {
        let hand = state.hands[seat];
        if seat == self.seat || state.is_shown() { hand } else { hand & state.open }
    }

    fn survives(&mut self, seat: usize) {
        let known = self.known(&self.state, seat);
        self.view.hidden[seat].survives(known);
    }

    fn event(&mut self, event @ Event { action, .. }: Event) {
        let before = self.state;
        self.view.past.note(self.game, &before, event);
        let mover = usize::from(before.mover);
        let card = action.0;
        match before.phase {
            Phase::Deal => self.deal(mover, card),
            Phase::Table if self.game.table_is_hidden(&before) => {
                self.log(SeenEvent::Table(None));
                self.view.face_down += 1;
            }
            Phase::Table => {
                self.table_card(card, before.table == 0);
                self.dealt().table |= 1 << card;
            }
            Phase::Refresh => self.table_card(card, before.table == 0),
            Phase::Swap => self.swap(action),
            Phase::Turn => {
                self.log(SeenEvent::Did(action));
                if card == SWAP_ALL {
                    self.swap_all(mover);
                }
            }
            Phase::Give => self.give(mover, action),
            Phase::Cut => self.log(SeenEvent::Cut(card)),
            Phase::Over => unreachable!("nothing happens after the end"),
        }
        self.game.apply(&mut self.state, action);

        let in_play = |phase| matches!(phase, Phase::Turn | Phase::Give | Phase::Refresh);
        let goes_on = self.state.deals == before.deals && in_play(self.state.phase);
        if goes_on {
            match before.phase {
                Phase::Swap | Phase::Table => before.seats_in().for_each(|seat| self.survives(seat)),
                Phase::Give => self.survives(mover),
                Phase::Turn if card == SWAP_ALL => self.survives(mover),
                _ => {}
            }
        } else if self.state.deals != before.deals || self.state.is_shown() && !before.is_shown() {
            self.show(&before, action);
        }
        if self.state.deals != before.deals && self.state.phase == Phase::Deal {
            self.next_deal();
        }
    }

    fn deal(&mut self, mover: usize, card: Card) {
        if mover != self.seat {
            self.log(SeenEvent::Dealt(None));
            self.view.hidden[mover].size += 1;
            return;
        }
        self.log(SeenEvent::Dealt(Some(card)));
        sort_last(&mut self.view.log[self.deal_start..], |seen| matches!(seen, SeenEvent::Dealt(Some(_))));
        self.view.unseen &= !(1 << card);
        self.dealt().hands[mover] |= 1 << card;
    }

    /// Records a card that comes to the table face up.
    fn table_card(&mut self, card: Card, is_first: bool) {
        if is_first {
            self.table_start = self.view.log.len();
        }
        self.log(SeenEvent::Table(Some(card)));
        sort_last(&mut self.view.log[self.table_start..], |_| true);
        self.view.unseen &= !(1 << card);
    }

    /// Records the dealer's decision, after which the cards on the table lie face up.
    fn swap(&mut self, action: Action) {
        let state = self.state;
        let dealer = usize::from(state.dealer);
        let blind = self.game.rules.dealer_swap == DealerSwap::Blind;
        self.log(SeenEvent::Did(action));
        self.view.face_down = 0;
        if action.0 != SWAP {
            self.turn_up(state.table);
            self.dealt().table = state.table;
            return;
        }
        let (hand, table) = (state.hands[dealer], state.table);
        self.dealt().hands[dealer] = hand;
        if self.seat == dealer || !blind {
            // The dealer's new hand is known to the dealer or to everyone.
            self.turn_up(hand | table);
            self.view.hidden[dealer].size = 0;
            self.dealt().table = table;
        } else {
            self.turn_up(hand);
            self.dealt().swapped = true;
        }
    }

    fn swap_all(&mut self, mover: usize) {
        let hidden = self.state.hands[mover] & !self.known(&self.state, mover);
        self.turn_up(hidden);
        self.reveal(mover, hidden);
    }

    fn give(&mut self, mover: usize, action: Action) {
        self.log(SeenEvent::Did(action));
        let given = 1 << (action.0 - GIVE);
        if self.known(&self.state, mover) & given == 0 {
            self.view.unseen &= !given;
            self.reveal(mover, given);
        }
    }

    /// Shows all hands after the action that ended the deal.
    fn show(&mut self, before: &State, action: Action) {
        // A cut moves no cards: it ends a deal whose hands have been shown before.
        let end = if before.is_shown() { *before } else { self.game.with_cards_moved(before, action) };
        for seat in before.seats_in() {
            let hidden = end.hands[seat] & !self.known(&end, seat);
            for card in bits::members(hidden) {
                self.log(SeenEvent::Shown(card));
            }
            self.view.unseen &= !hidden;
            let dealer = before.dealer;
            self.view.hidden[seat].reveal(hidden);
            *self.dealt().source(seat, dealer) |= hidden;
        }
    }

    fn next_deal(&mut self) {
        self.view.deals.push(Dealt::default());
        self.view.unseen = self.game.deck;
        self.view.hidden = Default::default();
        self.deal_start = self.view.log.len();
        self.view.starts.push(self.deal_start as u32);
    }

    fn finish(self) -> View {
        let mut seen = self.state;
        for seat in self.state.seats_in() {
            seen.hands[seat] = self.known(&self.state, seat);
            seen.pool |= self.state.hands[seat] ^ seen.hands[seat];
        }
        let Self { game, state, mut view, .. } = self;
        view.past.now(game, &state);
        if game.table_is_hidden(&state) {
            seen.pool |= state.table;
            seen.table = 0;
        }
        debug_assert!(u32::from(view.face_down) <= THREE);
        view.seen = seen;
        view
    }
}
