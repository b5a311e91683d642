//! The events of a history that a seat sees for what they are.

use stier_core::list::Listing as _;
use stier_core::{Action, ActionSet as _, Event, Game, History, Seat, Turn};

/// The most positions that are tried for an event that is chosen in secret.
const MAX_TRIED: u32 = 10_000;

/// For each event, true if every other event in its place would look different to the seat: at once, or when the actions
/// that all players choose in secret are laid open together.
pub(super) fn seen<G: Game>(game: &G, events: &[Event], seat: Seat) -> Vec<bool> {
    let mut state = *History::new(game).state();
    let mut states = Vec::with_capacity(events.len());
    for event in events {
        states.push(state);
        game.apply(&mut state, event.action);
    }
    let is_seen = |place: usize| {
        let Event { turn, action } = events[place];
        let before = &states[place];
        match turn {
            Turn::Seat(mover) if mover == seat => true,
            Turn::Chance => {
                let sight = |outcome: Action| {
                    let mut after = *before;
                    game.apply(&mut after, outcome);
                    game.sight(&after, seat)
                };
                game.chance(before).iter().all(|other| other.action == action || sight(other.action) != sight(action))
            }
            _ => (1..=game.num_seats()).any(|length| {
                let Some(chosen) = events.get(place..place + length) else { return false };
                let mut search = Lookalikes { game, states: &states[place..], chosen, seat, tried: 0 };
                chosen.iter().all(|event| event.turn != Turn::Chance) && !search.is_ambiguous(before, 0)
            }),
        }
    };
    (0..events.len()).map(is_seen).list()
}

/// A search for other actions that look the same.
struct Lookalikes<'a, G: Game> {
    game: &'a G,
    /// The true states before the actions.
    states: &'a [G::State],
    /// The true actions.
    chosen: &'a [Event],
    seat: Seat,
    tried: u32,
}

impl<G: Game> Lookalikes<'_, G> {
    /// Returns true if the actions from `depth` on can be continued from this state so that all look the same and the
    /// first is another, or if that takes too long to find out.
    fn is_ambiguous(&mut self, state: &G::State, depth: usize) -> bool {
        let Some(&Event { turn, action }) = self.chosen.get(depth) else { return true };
        if self.game.turn(state) != turn {
            return false;
        }
        let token = self.game.observed(&self.states[depth], action, self.seat);
        self.game.legal(state).iter().any(|other| {
            let is_candidate = match depth {
                0 => other != action,
                _ => turn != Turn::Seat(self.seat) || other == action,
            };
            if !is_candidate || self.game.observed(state, other, self.seat) != token {
                return false;
            }
            self.tried += 1;
            let mut after = *state;
            self.game.apply(&mut after, other);
            self.tried > MAX_TRIED || self.is_ambiguous(&after, depth + 1)
        })
    }
}
