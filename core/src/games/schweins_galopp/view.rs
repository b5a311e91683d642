//! One seat's knowledge, with perfect recall.

use smallvec::SmallVec;

use crate::encode::{BlockPen, Cell};
use crate::game::history::History;
use crate::game::key::Past;
use crate::game::{Game as _, SeatView};
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
    /// The state without the others' cards: their hands are empty.
    pub(super) seen: State,
    /// The public events of all rounds: pigs placed, food laid, cards played. Dealt cards are not included.
    pub(super) public: SmallVec<[u8; 112]>,
    /// The known cards of each round so far, ending with the current one. The viewer's own cards are private
    /// knowledge; the opponents' follow from the public events.
    pub(super) rounds: SmallVec<[Known; 3]>,
    past: Past,
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
        Self { seen: state.seen_by(seat), public, rounds, past }
    }

    fn past(&self) -> &Past {
        &self.past
    }

    fn observation<T: Cell>(&self, game: &SchweinsGalopp, out: &mut [T]) {
        game.observation(&self.seen, self.seat(), out);
    }

    fn write<P: BlockPen>(&self, game: &SchweinsGalopp, pen: &mut P) {
        game.write_view(self, pen);
    }

    fn knowledge(&self, game: &SchweinsGalopp) -> String {
        game.tell(self)
    }
}
