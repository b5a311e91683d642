//! One seat's knowledge, with perfect recall.

use arrayvec::ArrayVec;
use smallvec::SmallVec;

use crate::actions::Action;
use crate::encode::{BlockPen, Cell};
use crate::game::history::History;
use crate::game::key::Past;
use crate::game::{Game as _, SeatView};
use crate::seats::Seat;

use super::UpAndDown;
use super::cards::Card;
use super::state::{FACE_DOWN, NO_CARD, Phase, SEATS, State};

/// The largest number of tricks in a round.
const TRICKS: usize = 15;

/// A trick as one seat saw it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct SeenTrick {
    /// The boss's change of the rules.
    pub(super) change: Action,
    /// The new sum of the dice, counted from 0, once they have been rolled.
    pub(super) rolled: Option<u8>,
    /// `cards[seat]`: the seat's card, [`FACE_DOWN`] if it is still hidden, [`NO_CARD`] if none is chosen.
    pub(super) cards: [Card; SEATS],
}

/// A round as one seat saw it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Round {
    /// The number of cards dealt so far, to all seats together.
    pub(super) dealt: u8,
    /// The cards dealt to the seat, as a set.
    pub(super) hand: u64,
    /// The first sum of the dice, counted from 0.
    pub(super) dice: Option<u8>,
    /// The first side of the UP&DOWN card: 0 for UP, 1 for DOWN.
    pub(super) side: Option<u8>,
    /// The first orientation.
    pub(super) orientation: Option<u8>,
    /// The tricks in order; the last one may be incomplete.
    pub(super) tricks: ArrayVec<SeenTrick, TRICKS>,
}

/// Everything a seat knows: its own cards and all public events, in order. The dealt hand is known as a set, and the
/// opponents' chosen cards from the moment they are revealed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct View {
    /// The state without the opponents' cards: their hands are empty, and the pool holds every card not seen.
    pub(super) seen: State,
    /// The rounds so far; the last one may be incomplete.
    pub(super) rounds: SmallVec<[Round; 1]>,
    past: Past,
}

impl SeatView<UpAndDown> for View {
    fn new(game: &UpAndDown, history: &History<UpAndDown>, seat: Seat) -> Self {
        let [dice, side, orientation] = game.setup_ids();
        let mut rounds: SmallVec<[Round; 1]> = SmallVec::new();
        let past = Past::replay(game, history, seat, |state, event| {
            let action = event.action;
            if rounds.len() == usize::from(state.round) {
                rounds.push(Round::default());
            }
            let round = rounds.last_mut().expect("a view starts with a round");
            match state.phase {
                Phase::Deal => {
                    round.dealt += 1;
                    round.hand |= u64::from(state.mover == seat.0) << action.0;
                }
                Phase::Dice => round.dice = Some(action.0 - dice),
                Phase::Side => round.side = Some(action.0 - side),
                Phase::Orientation => round.orientation = Some(action.0 - orientation),
                Phase::Change => round.tricks.push(SeenTrick { change: action, rolled: None, cards: [NO_CARD; SEATS] }),
                Phase::Roll | Phase::Choose => {
                    let trick = round.tricks.last_mut().expect("a change of the rules starts a trick");
                    if state.phase == Phase::Roll {
                        trick.rolled = Some(action.0 - dice);
                    } else if game.left_of(state.mover) == state.boss {
                        trick.cards = state.table;
                        trick.cards[usize::from(state.mover)] = action.0;
                    } else {
                        let own = state.mover == seat.0;
                        trick.cards[usize::from(state.mover)] = if own { action.0 } else { FACE_DOWN };
                    }
                }
                Phase::Over => debug_assert!(false, "nothing happens after the end"),
            }
        });
        let state = history.state();
        if rounds.len() == usize::from(state.round) && state.phase != Phase::Over {
            rounds.push(Round::default());
        }
        Self { seen: state.seen_by(seat), rounds, past }
    }

    fn past(&self) -> &Past {
        &self.past
    }

    fn observation<T: Cell>(&self, game: &UpAndDown, out: &mut [T]) {
        game.observation(&self.seen, self.seat(), out);
    }

    fn write<P: BlockPen>(&self, game: &UpAndDown, pen: &mut P) {
        game.write_view(self, pen);
    }

    fn knowledge(&self, game: &UpAndDown) -> String {
        game.tell(self)
    }
}
