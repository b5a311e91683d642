//! Random play to the end, one trick at a time.
//!
//! Plays exactly the same game as repeated calls of `step`. It is faster because the compiler knows the number of
//! players and the rules of the trick are in local variables.

use std::hint::select_unpredictable;

use crate::actions::ActionSet as _;
use crate::game::Game as _;
use crate::game::hints::Hints as _;
use crate::playout::Playout;
use crate::processor::{Processor, Work};
use crate::rng::Rng;

use super::cards::Trick;
use super::state::{Phase, SEATS, State};
use super::{CHANGES, UpAndDown};

impl<const HINTS: bool> Work for Playout<'_, UpAndDown, HINTS> {
    type Output = u32;

    #[inline(always)]
    fn work<P: Processor>(self, processor: P) -> u32 {
        let Self { game, state, rng } = self;
        let mut decisions = 0;
        loop {
            match state.phase {
                Phase::Over => return decisions,
                Phase::Change => {
                    decisions += match game.players {
                        2 => round::<2, HINTS>(game, state, rng, processor),
                        3 => round::<3, HINTS>(game, state, rng, processor),
                        _ => round::<4, HINTS>(game, state, rng, processor),
                    }
                }
                Phase::Choose => {
                    let legal = game.legal(state);
                    let options = if HINTS { game.rollout(state, legal) } else { legal };
                    game.step(state, options.pick(rng), rng);
                    decisions += 1;
                }
                _ => game.settle(state, rng),
            }
        }
    }
}

/// Plays from the boss's change of the rules to the end of the round. Returns the number of decisions.
#[inline(always)]
fn round<const N: usize, const HINTS: bool>(
    game: &UpAndDown,
    state: &mut State,
    shared: &mut Rng,
    processor: impl Processor,
) -> u32 {
    // As a local variable, the stream stays in registers.
    let mut rng = shared.clone();
    let deck = &game.deck;
    let mut hands = state.hands;
    let mut boss = usize::from(state.boss);
    let (mut trump, mut down, mut orientation) = (state.trump, state.down, state.orientation);
    // One byte per seat.
    let mut taken = u32::from_le_bytes(state.taken);
    let mut pot = u32::from(state.pot);
    let cards = hands[0].count_ones();
    for left in (1..=cards).rev() {
        let change = rng.below(u32::from(CHANGES)) as u8;
        down ^= u8::from(change == 0);
        orientation = (orientation + select_unpredictable(change < CHANGES - 1, change, 0)) & 3;
        if change == CHANGES - 1 {
            trump = deck.roll_again(trump, &mut rng);
        }
        let mut trick = Trick::default();
        let mut table = [0; SEATS];
        let mut seat = boss;
        for _ in 0..N {
            let hand = hands[seat & 3];
            let able = deck.able(game.suit_at(orientation, seat as u8), trump);
            let card = if HINTS {
                let good = hand & able;
                let options = select_unpredictable(good != 0, good, hand);
                processor.nth_member(options, rng.below(options.count_ones()))
            } else {
                processor.nth_member(hand, rng.below(left))
            };
            hands[seat & 3] = hand ^ card;
            let id = card.trailing_zeros() as u8;
            table[seat & 3] = id;
            trick.add(seat as u8, deck.value_of(id), able & card != 0);
            seat = if seat + 1 == N { 0 } else { seat + 1 };
        }
        if left == 1 {
            state.table[..N].copy_from_slice(&table[..N]);
        }
        let (won, winner) = trick.winner(trump, down == 1);
        let gain = select_unpredictable(won, pot + 1, 0);
        pot = select_unpredictable(won, 0, pot + 1);
        taken += gain << (8 * winner);
        boss = if boss + 1 == N { 0 } else { boss + 1 };
    }
    *shared = rng;
    state.hands = hands;
    state.taken = taken.to_le_bytes();
    state.pot = pot as u8;
    (state.trump, state.down, state.orientation) = (trump, down, orientation);
    state.boss = boss as u8;
    state.mover = state.boss;
    game.finish_round(state);
    cards * (N as u32 + 1)
}
