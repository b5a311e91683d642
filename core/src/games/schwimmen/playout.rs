//! Random play to the end, one turn at a time.
//!
//! Plays exactly the same game as repeated calls of `step`: choices are drawn from the same sets in the same order.
//! However, a turn's options are counted instead of collected, and the two decisions of an exchange are one move.

use crate::actions::ActionSet as _;
use crate::game::{Game as _, Turn};
use crate::playout::Playout;
use crate::processor::{Processor, Work};
use crate::rng::Rng;

use super::Schwimmen;
use super::cards::Card;
use super::state::{NOBODY, Phase, State};

/// The number of table cards, which come first among the options of a turn.
const TAKES: u32 = 3;

impl Work for Playout<'_, Schwimmen, false> {
    type Output = u32;

    #[inline(always)]
    fn work<P: Processor>(self, processor: P) -> u32 {
        let Self { game, state, rng } = self;
        let mut decisions = 0;
        loop {
            if state.phase == Phase::Turn {
                decisions += turn(game, state, rng, processor);
                continue;
            }
            match game.turn(state) {
                Turn::Over => return decisions,
                Turn::Chance => game.settle(state, rng),
                Turn::Seat(_) => {
                    let action = game.legal(state).pick(rng);
                    game.apply(state, action);
                    decisions += 1;
                }
            }
        }
    }
}

/// Plays one turn. Returns its number of decisions.
#[inline(always)]
fn turn(game: &Schwimmen, state: &mut State, rng: &mut Rng, processor: impl Processor) -> u32 {
    let may_knock = state.turns >= state.players && state.knocker == NOBODY;
    let choice = rng.below(TAKES + 2 + u32::from(may_knock));
    if choice < TAKES {
        let taken = processor.nth_bit(state.table, choice) as Card;
        let hand = state.hands[usize::from(state.mover)];
        let given = processor.nth_bit(hand, rng.below(3)) as Card;
        state.table ^= 1 << taken;
        state.taken = taken;
        Schwimmen::give(state, given);
        game.finish_turn(state, true);
        return 2;
    }
    match choice - TAKES {
        0 => game.swap_hand(state),
        2 => game.knock(state),
        _ => {}
    }
    game.finish_turn(state, choice == TAKES);
    1
}
