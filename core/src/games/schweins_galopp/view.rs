//! What one seat knows, with perfect recall.

use smallvec::SmallVec;

use crate::encode::{Cell, Field, Pen};
use crate::game::{Game as _, Observer, SeatView};
use crate::history::History;
use crate::key::Past;
use crate::seats::Seat;

use super::SchweinsGalopp;
use super::counts::Counts;
use super::state::{MAX_PLAYERS, Phase, State};

/// `known[seat]`: of the cards that the seat was dealt in one round, those that the viewer knows: all of its own, and what
/// the others have played.
pub(super) type Known = [Counts; MAX_PLAYERS];

/// All that a seat knows: the cards it was dealt, as a set, and every public event in order. In a round, what is public comes
/// before the deal or after it, never between.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct View {
    seat: Seat,
    /// The state without the others' cards.
    seen: State,
    /// The public events of all rounds: pigs placed, food laid, cards played; without the cards dealt.
    public: SmallVec<[u8; 112]>,
    /// For each round so far, the last being the present one, the cards known. The viewer's own are knowledge of its own,
    /// the others' follow from the public events.
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
        let mut state = game.root();
        let mut past = Past::with_capacity(history.events().len());
        for event in history.events() {
            past.note(game, &state, *event, seat);
            if rounds.len() == usize::from(state.round) {
                rounds.push(Known::default());
            }
            let known = rounds.last_mut().expect("a round has begun");
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
            game.apply(&mut state, event.action);
        }
        if rounds.len() == usize::from(state.round) && state.phase != Phase::Over {
            rounds.push(Known::default());
        }
        past.now(game, &state, seat);
        Self { seat, seen: state.seen_by(seat), public, rounds, past }
    }

    fn seat(&self) -> Seat {
        self.seat
    }

    fn past(&self) -> &Past {
        &self.past
    }

    fn observation<T: Cell>(&self, game: &SchweinsGalopp, out: &mut [T]) {
        let held = |seat: u8| {
            let own = seat == self.seat.0;
            let hand = usize::from(seat);
            if own { self.seen.hands[hand].sum() } else { dealt(game, &self.seen, seat) - self.seen.played[hand].sum() }
        };
        let held = std::array::from_fn(|seat| if seat < game.num_seats() { held(seat as u8) } else { 0 });
        let mut pen = Pen::new(out);
        game.write_observation(&self.seen, Observer::Seat(self.seat), held, &mut pen);
        pen.finish();
    }

    fn tensor_layout(game: &SchweinsGalopp) -> Vec<Field> {
        game.tensor_layout()
    }

    fn tensor(&self, game: &SchweinsGalopp, out: &mut [f32]) {
        game.write_tensor(self, out);
    }

    fn knowledge(&self, game: &SchweinsGalopp) -> String {
        game.tell(self)
    }
}

/// How many cards a seat has been dealt in the present round.
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
