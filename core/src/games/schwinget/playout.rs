//! Random play to the end, one trick at a time.
//!
//! Plays exactly the same game as repeated calls of `step`, with the bout in local variables. Leader and follower
//! swap their data when the lead changes, so that nothing is looked up by seat. Tricks with and without draws have
//! separate loops.

use std::hint::select_unpredictable;

use crate::actions::ActionSet as _;
use crate::game::Game as _;
use crate::game::hints::Hints as _;
use crate::playout::Playout;
use crate::processor::{Processor, Work};
use crate::rng::Rng;

use super::Schwinget;
use super::cards::Deck;
use super::state::{Neutral, Phase, State};

impl<const HINTS: bool> Work for Playout<'_, Schwinget, HINTS> {
    type Output = u32;

    #[inline(always)]
    fn work<P: Processor>(self, processor: P) -> u32 {
        let Self { game, state, rng } = self;
        let mut decisions = 0;
        loop {
            match state.phase {
                Phase::Over => return decisions,
                Phase::Lead => decisions += bout::<HINTS>(game, state, rng, processor),
                Phase::Follow | Phase::Decide => {
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

/// One trick, in the units of [`Side::record`].
const TRICK: u64 = 1 << 32;
/// One trick that counts towards a flat throw.
const AFTER_ATTACK: u64 = 1 << 40;
/// Set for seat 1.
const SECOND: u64 = 1 << 63;

/// A player's cards and tricks in this bout.
#[derive(Clone, Copy)]
struct Side {
    hand: u32,
    /// Cards played in the low half, tricks taken and tricks taken after the attack in the bytes above, the seat in
    /// the top bit.
    record: u64,
}

impl Side {
    #[inline(always)]
    fn of(state: &State, seat: u8) -> Self {
        let seat = usize::from(seat & 1);
        Self {
            hand: state.hands[seat],
            record: u64::from(state.played[seat])
                | (u64::from(state.taken[seat]) * TRICK)
                | (u64::from(state.after_attack[seat]) * AFTER_ATTACK)
                | (seat as u64 * SECOND),
        }
    }

    #[inline(always)]
    fn seat(self) -> u8 {
        (self.record / SECOND) as u8
    }

    #[inline(always)]
    fn store(self, state: &mut State) {
        let seat = usize::from(self.seat() & 1);
        state.hands[seat] = self.hand;
        state.played[seat] = self.record as u32;
        state.taken[seat] = (self.record / TRICK) as u8;
        state.after_attack[seat] = (self.record / AFTER_ATTACK) as u8;
    }

    #[inline(always)]
    fn play(&mut self, card: u32) {
        self.hand ^= card;
        self.record |= u64::from(card);
    }
}

/// A bout between two tricks.
struct Bout<'a, P> {
    processor: P,
    deck: &'a Deck,
    trump: u8,
    lead: Side,
    follow: Side,
    pool: u32,
    /// The record of the next trick.
    worth: u64,
    /// The record of the neutral trick; 0 if there is none.
    waiting: u64,
    /// The number of decisions after a referee.
    verdicts: u32,
}

/// Draws a random card, as a bit, from a non-empty set with `count` members.
#[inline(always)]
fn any(cards: u32, count: u32, rng: &mut Rng, processor: impl Processor) -> u32 {
    debug_assert_eq!(count, cards.count_ones());
    processor.nth_member(cards, rng.below(count))
}

impl<P: Processor> Bout<'_, P> {
    /// Plays one trick after `led` is led. Draws follow if `unseen`, the size of the pool, is given.
    #[inline(always)]
    fn trick<const HINTS: bool>(&mut self, led: u32, unseen: Option<u32>, last: bool, rng: &mut Rng) {
        self.lead.play(led);
        if let Some(unseen) = unseen {
            let card = any(self.pool, unseen, rng, self.processor);
            self.pool ^= card;
            self.lead.hand |= card;
        }
        let led_card = led.trailing_zeros() as u8;
        let winners = self.deck.winners(self.trump, led_card);
        let mut replies = self.deck.replies(self.trump, led_card, self.follow.hand);
        if HINTS {
            replies = select_unpredictable(replies & winners != 0, replies & winners, replies);
        }
        let reply = any(replies, replies.count_ones(), rng, self.processor);
        self.follow.play(reply);
        if let Some(unseen) = unseen {
            let card = any(self.pool, unseen - 1, rng, self.processor);
            self.pool ^= card;
            self.follow.hand |= card;
        }
        if (led | reply) & self.deck.referee != 0 && !last {
            self.waiting = self.worth;
            self.verdicts += 1;
            // Two decisions; the second concerns the opponent of the player of the referee.
            self.change_places((reply & self.deck.referee != 0) ^ (rng.below(2) == 1));
        } else {
            // The winner leads next.
            self.change_places(winners & reply != 0);
            self.lead.record += self.worth + self.waiting;
            self.waiting = 0;
        }
    }

    /// Swaps leader and follower or not. Branch-free, because the outcome is unpredictable.
    #[inline(always)]
    fn change_places(&mut self, change: bool) {
        let (lead, follow) = (self.lead, self.follow);
        self.lead.hand = select_unpredictable(change, follow.hand, lead.hand);
        self.follow.hand = select_unpredictable(change, lead.hand, follow.hand);
        self.lead.record = select_unpredictable(change, follow.record, lead.record);
        self.follow.record = select_unpredictable(change, lead.record, follow.record);
    }
}

/// Plays from a lead to the end of the bout, and deals the next one if there is one. Returns the number of decisions.
#[inline(always)]
fn bout<const HINTS: bool>(game: &Schwinget, state: &mut State, rng: &mut Rng, processor: impl Processor) -> u32 {
    let leader = state.leader;
    let mut bout = Bout {
        processor,
        deck: &game.deck,
        trump: state.trump,
        lead: Side::of(state, leader),
        follow: Side::of(state, leader ^ 1),
        pool: state.pool,
        worth: if state.attacked() { TRICK + AFTER_ATTACK } else { TRICK },
        waiting: match state.neutral {
            Neutral::None => 0,
            Neutral::BeforeAttack => TRICK,
            Neutral::AfterAttack => TRICK + AFTER_ATTACK,
        },
        verdicts: 0,
    };
    // At every lead both hands have equally many cards. Counting them along is faster than waiting for the cards
    // themselves.
    let cards = bout.lead.hand.count_ones();
    let mut unseen = bout.pool.count_ones();
    let mut decisions = 2 * cards;
    if !state.attacked() {
        while state.pile > 0 {
            let choice = rng.below(cards + u32::from(!HINTS));
            if choice == cards {
                state.attacker = bout.lead.seat();
                bout.worth = TRICK + AFTER_ATTACK;
                decisions += 1;
                break;
            }
            let led = processor.nth_member(bout.lead.hand, choice);
            bout.trick::<HINTS>(led, Some(unseen), false, rng);
            unseen -= 2;
            state.pile -= 2;
            state.tricks += 1;
            decisions += 2;
        }
    }
    for left in (1..=cards).rev() {
        let led = any(bout.lead.hand, left, rng, processor);
        bout.trick::<HINTS>(led, None, left == 1, rng);
    }
    state.tricks += cards as u8;
    bout.lead.store(state);
    bout.follow.store(state);
    state.pool = bout.pool;
    state.leader = bout.lead.seat();
    state.mover = state.leader;
    state.neutral = Neutral::None;
    game.finish_bout(state);
    if state.phase == Phase::Deal {
        game.settle(state, rng);
    }
    decisions + bout.verdicts
}
