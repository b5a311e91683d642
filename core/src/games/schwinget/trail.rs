//! A bout as one seat knows it.

use crate::actions::Action;
use crate::bits;
use crate::game::history::{Event, History};
use crate::game::trail::{Step, Trail};
use crate::game::{Game as _, Turn};
use crate::seats::Seat;

use super::Schwinget;
use super::state::{Phase, State};

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
        Some(Trail { states: hands.map(world).collect(), steps: events().map(step).collect() })
    }
}
