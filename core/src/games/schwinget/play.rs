//! A bout as everybody knows it, and as one seat does.

use crate::actions::Action;
use crate::game::endings::{PublicAction, PublicPlay};
use crate::game::{Game as _, SeatView as _};
use crate::seats::Seat;

use super::Schwinget;
use super::state::{Phase, State};
use super::view::{SeenEvent, View};

impl Schwinget {
    /// The present bout up to its ending: the first trick that begins with at most so many left, without an attack and after
    /// one, when nobody draws any more. If no numbers are given, up to now, and without the cards that the seat of the view
    /// knows to be its own.
    pub(super) fn play_of(&self, view: &View, most: Option<[u8; 2]>) -> Option<PublicPlay<State>> {
        let (all, seen) = (self.deck.all, &view.seen);
        if matches!(seen.phase, Phase::Deal | Phase::TurnUp) || most.is_none() && seen.phase == Phase::Over {
            return None;
        }
        let dealt = view.log.iter().rposition(|event| matches!(event, SeenEvent::TurnedUp(_)))?;
        let mut events = view.log[dealt + 1..].iter();
        let mut state = self.public_start(seen);
        let mut actions: Vec<PublicAction<State>> = Vec::new();
        let mut before = vec![Action(seen.turned)];
        let is_ending = |state: &State| {
            let begins = state.phase == Phase::Lead && (state.attacked() || state.pile == 0);
            let most = most.filter(|_| begins);
            most.is_some_and(|most| self.tricks_to_play(state) <= most[usize::from(state.attacked())])
        };
        while !is_ending(&state) {
            let action = match events.next() {
                Some(SeenEvent::Did(action)) => *action,
                Some(_) => {
                    actions.last_mut().expect("draws follow plays").drawn = 1;
                    self.draw_any(&mut state);
                    continue;
                }
                None if most.is_some() => return None,
                None => break,
            };
            let (seat, played) = (Seat(state.mover), if action.0 < self.deck.size { 1 << action.0 } else { 0 });
            let lacking = match state.phase {
                Phase::Follow => self.deck.suit[usize::from(self.deck.void_shown(state.trump, state.led, action.0))],
                _ => 0,
            };
            before.push(action);
            actions.push(PublicAction { seat, state, action, played, lacking: lacking.into(), drawn: 0 });
            self.apply(&mut state, action);
        }
        let known = if most.is_none() { seen.hands[view.seat().index()] } else { 0 };
        let unseen = all & !(1 << seen.turned | state.played[0] | state.played[1] | known);
        let mut own = [0, 1].map(|seat: usize| unseen | state.played[seat]);
        let (cards, hand_size) = (own.map(u64::from), self.rules.hand_size.into());
        for action in &mut actions {
            let own = &mut own[action.seat.index()];
            *own &= !(action.played as u32);
            action.drawn *= u64::from(*own);
        }
        let did = |event: &SeenEvent| if let SeenEvent::Did(action) = event { Some(*action) } else { None };
        Some(PublicPlay { cards, hand_size, actions, root: state, before, since: events.filter_map(did).collect() })
    }

    /// The first lead of a bout with this card turned up, as if each player held every card: for public events alone.
    pub(super) fn public_start(&self, &State { turned, trump, scores, bout, opener, .. }: &State) -> State {
        let (hands, phase) = ([self.deck.all; 2], Phase::Lead);
        let start = State::new(self.deck.all, self.pile);
        State { hands, turned, trump, phase, scores, bout, opener, leader: opener, mover: opener, ..start }
    }

    /// Draws any card, where all that counts is that one is drawn.
    pub(super) fn draw_any(&self, state: &mut State) {
        let drawn = Action(state.pool.trailing_zeros() as u8);
        self.apply(state, drawn);
    }

    /// The number of tricks left at the beginning of one, if nobody draws any more.
    pub(super) fn tricks_to_play(&self, state: &State) -> u8 {
        self.rules.hand_size + (self.pile - state.pile) / 2 - state.tricks
    }
}
