//! One seat's knowledge, with perfect recall.

use arrayvec::ArrayVec;
use smallvec::SmallVec;

use crate::actions::Action;
use crate::encode::{BlockPen, Cell};
use crate::game::history::History;
use crate::game::key::Past;
use crate::game::log::sort_last;
use crate::game::{Game as _, SeatView};
use crate::seats::Seat;

use super::Schwinget;
use super::cards::{Card, Deck, NO_TRUMP};
use super::state::{Phase, State};

/// One event as the seat saw it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum SeenEvent {
    /// A card dealt to the seat, or an unseen card dealt to the opponent.
    Dealt(Option<Card>),
    /// The card turned up for trump.
    TurnedUp(Card),
    /// A card that the seat drew, or an unseen card that the opponent drew.
    Drawn(Option<Card>),
    /// A player's action.
    Did(Action),
}

/// A card that the opponent has played, and the arrivals that can have brought it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Play {
    pub(super) card: Card,
    /// The first arrival that can have brought it; later than 0 if the opponent has shown a void in its suit.
    pub(super) earliest: u8,
    /// The last arrival before it was played.
    pub(super) latest: u8,
}

/// Arrivals of the opponent's cards of one bout, as far as play reveals them.
///
/// Arrival 0 is the dealt hand; arrival `i` is the `i`-th card drawn. A shown void means that no card of the suit is
/// in hand at that time: cards of it still held or played later came with a later arrival.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Arrivals {
    /// The number of cards dealt to the opponent.
    pub(super) dealt: u8,
    /// The number of cards that the opponent has drawn.
    pub(super) draws: u8,
    /// Its cards played, in order.
    pub(super) plays: ArrayVec<Play, 13>,
    /// `earliest[suit]`: the first arrival that can have brought a card of the suit still in hand.
    pub(super) earliest: [u8; 4],
}

impl Arrivals {
    /// The number of cards that the opponent holds.
    pub(super) fn held(&self) -> u8 {
        self.dealt + self.draws - self.plays.len() as u8
    }

    /// Notes a card that is played in this state.
    pub(super) fn note(&mut self, deck: &Deck, state: &State, card: Card) {
        let earliest = self.earliest(deck.suit_of[usize::from(card)]);
        self.plays.push(Play { card, earliest, latest: self.draws });
        if state.phase == Phase::Follow {
            let void = deck.void_shown(state.trump, state.led, card);
            if void != NO_TRUMP {
                self.earliest[usize::from(void)] = self.draws + 1;
            }
        }
    }

    /// The first arrival that can have brought a card of this suit that is still in hand.
    pub(super) fn earliest(&self, suit: u8) -> u8 {
        self.earliest.get(usize::from(suit)).copied().unwrap_or(0)
    }
}

/// Everything a seat knows: its own cards and all public events, in order. The dealt hand is known as a set, and
/// drawn cards in their order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct View {
    /// The state without the opponent's cards: its hand is empty, and the pool holds every card not seen.
    pub(super) seen: State,
    /// The events. The cards dealt to the seat are in ascending order.
    pub(super) log: SmallVec<[SeenEvent; 48]>,
    /// Knowledge of the opponent's cards in each bout so far, ending with the present one.
    pub(super) bouts: SmallVec<[Arrivals; 1]>,
    past: Past,
}

impl SeatView<Schwinget> for View {
    fn new(game: &Schwinget, history: &History<Schwinget>, seat: Seat) -> Self {
        let deck = &game.deck;
        let mut log = SmallVec::new();
        let mut bouts: SmallVec<[Arrivals; 1]> = SmallVec::new();
        let mut bout_start = 0;
        let past = Past::replay(game, history, seat, |state, event| {
            let own = state.mover == seat.0;
            let card = event.action.0;
            if bouts.len() == usize::from(state.bout) {
                bouts.push(Arrivals::default());
                bout_start = log.len();
            }
            let now = bouts.last_mut().expect("a view starts with a bout");
            log.push(match state.phase {
                Phase::Deal => {
                    now.dealt += u8::from(!own);
                    SeenEvent::Dealt(own.then_some(card))
                }
                Phase::TurnUp => SeenEvent::TurnedUp(card),
                Phase::LeaderDraws | Phase::FollowerDraws => {
                    now.draws += u8::from(!own);
                    SeenEvent::Drawn(own.then_some(card))
                }
                Phase::Lead | Phase::Follow => {
                    if !own && card < deck.size {
                        now.note(deck, state, card);
                    }
                    SeenEvent::Did(event.action)
                }
                Phase::Decide | Phase::Over => SeenEvent::Did(event.action),
            });
            if state.phase == Phase::Deal && own {
                sort_last(&mut log[bout_start..], |seen| matches!(seen, SeenEvent::Dealt(Some(_))));
            }
        });
        let state = history.state();
        if bouts.len() == usize::from(state.bout) {
            bouts.push(Arrivals::default());
        }
        Self { seen: state.seen_by(seat), log, bouts, past }
    }

    fn past(&self) -> &Past {
        &self.past
    }

    fn observation<T: Cell>(&self, game: &Schwinget, out: &mut [T]) {
        game.observation(&self.seen, self.seat(), out);
    }

    fn write<P: BlockPen>(&self, game: &Schwinget, pen: &mut P) {
        game.write_view(self, pen);
    }

    fn knowledge(&self, game: &Schwinget) -> String {
        game.tell(self)
    }
}
