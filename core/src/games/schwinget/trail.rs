//! A bout as one seat knows it, and as everybody does.

use crate::actions::Action;
use crate::bits;
use crate::game::endings::{PublicAction, PublicPlay};
use crate::game::history::{Event, History};
use crate::game::trail::{Step, Trail};
use crate::game::{Game as _, Turn};
use crate::seats::Seat;

use super::Schwinget;
use super::state::{Phase, State};
use super::view::{SeenEvent, View};

impl Schwinget {
    /// The present bout as a seat knows it after this history.
    pub(super) fn trail_of(&self, history: &History<Self>, seat: Seat) -> Option<Trail<State>> {
        let bout = history.state().bout;
        let mut states = vec![self.root()];
        for event in history.events() {
            let mut next = states[states.len() - 1];
            self.apply(&mut next, event.action);
            states.push(next);
        }
        let is_dealt = |state: &State| state.bout == bout && !matches!(state.phase, Phase::Deal | Phase::TurnUp);
        let first = states.iter().position(is_dealt)?;
        let (other, dealt) = (seat.index() ^ 1, states[first]);
        let events = || history.events()[first..].iter().zip(&states[first..]);
        let draws = |state: &State, by: usize| self.turn(state) == Turn::Chance && usize::from(state.mover) == by;
        // The cards that the other player can have been dealt, or have drawn.
        let unknown = events().fold(dealt.pool | dealt.hands[other], |cards, (&Event { action, .. }, state)| {
            if draws(state, seat.index()) { cards & !(1 << action.0) } else { cards }
        });
        let step = |(&Event { action, .. }, state): (&Event, &State)| match draws(state, other) {
            true => Step::Hidden(bits::members(unknown).map(Action).collect()),
            false => Step::Seen(action),
        };
        let world = |hand: u32| {
            let mut state = dealt;
            state.pool = (dealt.pool | dealt.hands[other]) ^ hand;
            state.hands[other] = hand;
            state
        };
        let hands = bits::subsets(unknown, u32::from(self.rules.hand_size));
        Some(Trail { start: world(0), states: hands.map(world).collect(), steps: events().map(step).collect() })
    }

    /// The bout as everybody knows it, up to the first trick that begins with at most so many left: without an attack, and
    /// after one.
    pub(super) fn public_play_of(&self, view: &View, most: [u8; 2]) -> Option<PublicPlay<State>> {
        let (all, seen) = (self.deck.all, &view.seen);
        let mut events = view.log.iter().filter_map(|event| match event {
            SeenEvent::Did(action) => Some(*action),
            _ => None,
        });
        // As if each player held every card.
        let mut state = State {
            hands: [all; 2],
            turned: seen.turned,
            trump: seen.trump,
            phase: Phase::Lead,
            ..State::new(all, self.pile)
        };
        let mut actions = Vec::new();
        let mut before = vec![Action(seen.turned)];
        while state.phase != Phase::Lead || self.tricks_to_play(&state) > most[usize::from(state.attacked())] {
            let action = events.next()?;
            let (seat, played) = (Seat(state.mover), if action.0 < self.deck.size { 1 << action.0 } else { 0 });
            let lacking = match state.phase {
                Phase::Follow => self.deck.suit[usize::from(self.deck.void_shown(state.trump, state.led, action.0))],
                _ => 0,
            };
            before.push(action);
            actions.push(PublicAction { seat, state, action, played, lacking: lacking.into(), drawn: 0 });
            self.apply(&mut state, action);
            if self.turn(&state) == Turn::Chance {
                // All that counts is that the card is drawn.
                actions.last_mut().expect("it was pushed").drawn = 1;
                let drawn = Action(state.pool.trailing_zeros() as u8);
                self.apply(&mut state, drawn);
            }
        }
        let unseen = all & !(1 << seen.turned | state.played[0] | state.played[1]);
        let mut own = [0, 1].map(|seat: usize| unseen | state.played[seat]);
        let (cards, hand_size) = (own.map(u64::from), self.rules.hand_size.into());
        for action in &mut actions {
            let own = &mut own[action.seat.index()];
            *own &= !(action.played as u32);
            action.drawn *= u64::from(*own);
        }
        Some(PublicPlay { cards, hand_size, actions, root: state, before, since: events.collect() })
    }

    /// The number of tricks left at the beginning of one.
    fn tricks_to_play(&self, state: &State) -> u8 {
        let drawn = (self.pile - state.pile) / 2;
        let held = self.rules.hand_size + drawn - state.tricks;
        held + if state.attacked() { 0 } else { state.pile / 2 }
    }
}
