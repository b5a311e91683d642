//! Random play to the end, one race at a time, and the random events before it.
//!
//! Plays exactly the same game as repeated calls of `step`, with the race in local variables. Hands and distances are
//! words of five bytes, so that drawing a card, moving a pig and finding its space are shifts, without branches on
//! the hand.

use std::hint::select_unpredictable;

use crate::actions::ActionSet as _;
use crate::bits::Cumulated;
use crate::game::hints::Hints as _;
use crate::game::{Game as _, Turn};
use crate::playout::Playout;
use crate::processor::{Processor, Work};
use crate::rng::Rng;

use super::SchweinsGalopp;
use super::counts::{Counts, MAX_COLOURS};
use super::state::{MAX_PLAYERS, Phase, State};

/// One in each of five bytes.
const ONES: u64 = 0x01_0101_0101;
/// The top bit of each of five bytes.
const TOPS: u64 = 0x80_8080_8080;

impl<const HINTS: bool> Work for Playout<'_, SchweinsGalopp, HINTS> {
    type Output = u32;

    #[inline(always)]
    fn work<P: Processor>(self, processor: P) -> u32 {
        let Self { game, state, rng } = self;
        let mut decisions = 0;
        loop {
            match game.turn(state) {
                Turn::Over => return decisions,
                Turn::Chance => settle(game, state, rng, processor),
                Turn::Seat(_) if state.phase == Phase::Play => decisions += race::<HINTS>(game, state, rng, processor),
                Turn::Seat(_) => {
                    let legal = game.legal(state);
                    let options = if HINTS { game.rollout(state, legal) } else { legal };
                    game.apply(state, options.pick(rng));
                    decisions += 1;
                }
            }
        }
    }
}

/// Plays the rest of a round, card by card.
#[inline(always)]
fn race<const HINTS: bool>(game: &SchweinsGalopp, state: &mut State, rng: &mut Rng, processor: impl Processor) -> u32 {
    let mut hands: [u64; MAX_PLAYERS] = state.hands.map(Counts::bytes);
    let mut distances =
        (0..MAX_COLOURS).fold(0, |word, colour| word | u64::from(state.distance[colour]) << (8 * colour));
    let track = u32::from(game.rules.track);
    let mut occupied = u64::from(state.occupied);
    let mut track_food = state.track_food;
    let mut front = state.front;
    let mut supply = state.supply;
    let mut risk = state.risk;
    let mut banked = state.banked;
    let mut mover = state.mover;
    let plays = game.rules.plays() - state.count;
    for _ in 0..plays {
        let seat = usize::from(mover) % MAX_PLAYERS;
        let hand = hands[seat];
        let twice = occupied | occupied << track;
        // Counts are small: adding 127 carries into the top bit of each non-zero byte.
        let mut held = (hand + (TOPS - ONES)) & TOPS;
        if HINTS {
            let top = u32::from(game.space(front)) + track;
            let row = (twice << (63 - top)).leading_ones() as u8;
            let leading = held & ((distances | TOPS) - u64::from(front + 1 - row) * ONES);
            let ones = leading >> 7;
            let several = (hand & (ones * 255) > ones) | (ones & ones.wrapping_sub(1) != 0);
            let preferred = select_unpredictable(several, leading, held ^ leading);
            held = select_unpredictable(preferred != 0, preferred, held);
        }
        let card = processor.nth_byte(held >> 7, rng.below(held.count_ones()));
        hands[seat] = hand - card;

        let shift = card.trailing_zeros();
        let from = game.space((distances >> shift) as u8);
        let stride = (twice >> (from + 1)).trailing_ones() as u8 + 1;
        let reached = (distances >> shift) as u8 + stride;
        let to = game.space(reached);
        distances += u64::from(stride) << shift;
        occupied ^= 1 << from | 1 << to;
        let leads = reached > front;
        front = front.max(reached);

        let found = (track_food >> to & 1) as u8;
        track_food &= !(1 << to);
        let taken = u8::from(leads & (supply > 0));
        supply -= taken;
        let at_risk = risk[seat] + taken + found;
        let last = hand == card;
        risk[seat] = if last { 0 } else { at_risk };
        if last {
            banked[seat] += select_unpredictable(leads, at_risk, 0);
            supply += select_unpredictable(leads, 0, at_risk);
        }
        mover = game.left_of(mover);
    }
    for seat in 0..MAX_PLAYERS {
        state.played[seat] += state.hands[seat];
        state.hands[seat] = Counts::NONE;
    }
    for colour in 0..MAX_COLOURS {
        state.distance[colour] = (distances >> (8 * colour)) as u8;
    }
    state.occupied = occupied as u32;
    state.track_food = track_food;
    state.front = front;
    state.supply = supply;
    state.risk = risk;
    state.banked = banked;
    state.mover = mover;
    state.count += plays;
    game.finish_round(state);
    u32::from(plays)
}

/// The random events until a player must act or the game is over. There must be one.
pub(super) struct Events<'a> {
    pub(super) game: &'a SchweinsGalopp,
    pub(super) state: &'a mut State,
    pub(super) rng: &'a mut Rng,
}

impl Work for Events<'_> {
    type Output = ();

    #[inline(always)]
    fn work<P: Processor>(self, processor: P) {
        settle(self.game, self.state, self.rng, processor);
    }
}

/// Draws random events until a player must act or the game is over. There must be one.
#[inline(always)]
fn settle(game: &SchweinsGalopp, state: &mut State, rng: &mut Rng, processor: impl Processor) {
    if state.phase == Phase::Place {
        let mut unplaced = game.unplaced(state);
        for left in (1..=unplaced.count_ones()).rev() {
            let pig = processor.nth_bit(unplaced, rng.below(left)) as u8;
            unplaced ^= 1 << pig;
            game.place(state, pig);
        }
    }
    if state.phase != Phase::Deal {
        return;
    }
    let mut pool = Cumulated::<u64>::new(game.pool(state));
    let left = pool.total();
    let cards = u32::from(game.rules.plays() - state.count);
    let mut hands = state.hands;
    let mut mover = state.mover;
    for left in (left - cards + 1..=left).rev() {
        let place = pool.place_of(rng.below(left));
        pool.remove(place);
        hands[usize::from(mover) % MAX_PLAYERS] += Counts::one((place / 8) as u8);
        mover = game.left_of(mover);
    }
    state.hands = hands;
    game.begin_race(state);
}
