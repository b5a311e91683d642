//! One seat's knowledge, with perfect recall.

use smallvec::SmallVec;

use crate::encode::{Cell, Tensor};
use crate::game::{Game as _, SeatView};
use crate::history::History;
use crate::key::Past;
use crate::seats::Seat;

use super::SchweinsGalopp;
use super::counts::Counts;
use super::state::{MAX_PLAYERS, Phase, State};

/// `known[seat]`: the cards dealt to the seat in one round that the viewer knows. These are all of its own cards and
/// the cards that opponents have played.
pub(super) type Known = [Counts; MAX_PLAYERS];

/// Everything a seat knows: the cards it was dealt, as a set, and all public events in order. In a round, public
/// events come before the deal or after it, never in between.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct View {
    seat: Seat,
    /// The state without the others' cards.
    seen: State,
    /// The public events of all rounds: pigs placed, food laid, cards played. Dealt cards are not included.
    public: SmallVec<[u8; 112]>,
    /// The known cards of each round so far, ending with the current one. The viewer's own cards are private
    /// knowledge; the opponents' follow from the public events.
    rounds: SmallVec<[Known; 3]>,
    past: Past,
}

impl View {
    /// The state without the others' cards: their hands are empty.
    pub(super) fn seen(&self) -> &State {
        &self.seen
    }

    /// The public events of all rounds.
    pub(super) fn public(&self) -> &[u8] {
        &self.public
    }

    /// For each round so far, the last being the present one, the cards known.
    pub(super) fn rounds(&self) -> &[Known] {
        &self.rounds
    }
}

impl SeatView<SchweinsGalopp> for View {
    fn new(game: &SchweinsGalopp, history: &History<SchweinsGalopp>, seat: Seat) -> Self {
        let mut public = SmallVec::new();
        let mut rounds: SmallVec<[Known; 3]> = SmallVec::new();
        let past = Past::replay(game, history, seat, |state, event| {
            if rounds.len() == usize::from(state.round) {
                rounds.push(Known::default());
            }
            let known = rounds.last_mut().expect("a view starts with a round");
            let own = state.mover == seat.0;
            match state.phase {
                Phase::Deal if own => known[seat.index()] += Counts::one(event.action.0),
                Phase::Deal => {}
                Phase::Play if !own => {
                    known[usize::from(state.mover)] += Counts::one(event.action.0);
                    public.push(event.action.0);
                }
                Phase::Play | Phase::Place | Phase::Food | Phase::Over => public.push(event.action.0),
            }
        });
        let state = history.state();
        if rounds.len() == usize::from(state.round) && state.phase != Phase::Over {
            rounds.push(Known::default());
        }
        Self { seat, seen: state.seen_by(seat), public, rounds, past }
    }

    fn seat(&self) -> Seat {
        self.seat
    }

    fn past(&self) -> &Past {
        &self.past
    }

    fn observation<T: Cell>(&self, game: &SchweinsGalopp, out: &mut [T]) {
        game.observation(&self.seen, self.seat, out);
    }

    fn tensor(&self, game: &SchweinsGalopp) -> Tensor {
        game.tensor(self)
    }

    fn knowledge(&self, game: &SchweinsGalopp) -> String {
        game.tell(self)
    }
}

/// The number of cards that a seat has been dealt in the current round.
pub(super) fn dealt(game: &SchweinsGalopp, state: &State, seat: u8) -> u8 {
    let players = game.rules.players;
    match state.phase {
        Phase::Place | Phase::Food => 0,
        Phase::Play | Phase::Over => game.rules.hand_size,
        Phase::Deal => {
            let place = (seat + players - state.first) % players;
            state.count / players + u8::from(place < state.count % players)
        }
    }
}
