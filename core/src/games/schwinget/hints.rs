//! How to play Schwinget passably by looking at one's own cards.

use crate::actions::{Action, Actions64};
use crate::bits;
use crate::game::SeatView as _;
use crate::hints::Hints;
use crate::rng::Rng;
use crate::seats::BySeat;

use super::cards::{Card, NO_TRUMP};
use super::state::{Phase, State};
use super::{Schwinget, View, batch, playout};

/// Attack when the cards in hand are expected to win this share of the tricks that follow.
const ATTACK_FROM: f32 = 0.62;

impl Schwinget {
    /// The share of the cards not seen that do not beat this one when it is led.
    fn holds_when_led(&self, seen: &State, card: Card) -> f32 {
        let unseen = seen.pool;
        let beaten = bits::members(unseen).filter(|&reply| self.deck.beats(seen.trump, card, reply)).count();
        1.0 - beaten as f32 / unseen.count_ones().max(1) as f32
    }

    /// What it costs to part with a card: from 0 for the lowest to beyond 1 for trumps and the specials.
    fn worth(&self, seen: &State, card: Card) -> f32 {
        match self.deck.suit_of[usize::from(card)] {
            NO_TRUMP if self.deck.referee >> card & 1 == 1 => 0.9,
            NO_TRUMP => 0.4,
            suit => {
                let value = f32::from(self.deck.value(card)) / 6.0;
                value + if suit == seen.trump { 1.0 } else { 0.0 }
            }
        }
    }

    /// The share of the coming tricks that the hand is expected to win.
    fn strength(&self, seen: &State, hand: u32) -> f32 {
        let cards = hand.count_ones().max(1) as f32;
        bits::members(hand).map(|card| self.holds_when_led(seen, card)).sum::<f32>() / cards
    }
}

impl Hints for Schwinget {
    fn appeal(&self, view: &View, action: Action) -> f32 {
        let seen = view.seen();
        let hand = seen.hands[view.seat().index()];
        match seen.phase {
            Phase::Lead if action == self.deck.attack() => 10.0 * (self.strength(seen, hand) - ATTACK_FROM),
            // A lead that holds, for as little as possible: but never better than an attack that is due.
            Phase::Lead => self.holds_when_led(seen, action.0) - 0.5 * self.worth(seen, action.0) - 1.0,
            // The cheapest card that wins; the cheapest of all if none does or if it is not worth it.
            Phase::Follow => {
                let wins = self.deck.beats(seen.trump, seen.led, action.0);
                (if wins { 1.2 } else { 0.0 }) - self.worth(seen, action.0)
            }
            Phase::Decide => {
                let lead_self = action == self.deck.decisions()[0];
                let strong = self.strength(seen, hand) > 0.5;
                f32::from(u8::from(lead_self == strong))
            }
            Phase::Deal | Phase::TurnUp | Phase::LeaderDraws | Phase::FollowerDraws | Phase::Over => 0.0,
        }
    }

    /// Win the trick where one can; leave attacks to the tree.
    #[inline(always)]
    fn rollout(&self, state: &State, legal: Actions64) -> Actions64 {
        match state.phase {
            Phase::Lead => Actions64(legal.0 & u64::from(self.deck.all)),
            Phase::Follow => {
                let winning = legal.0 & u64::from(self.deck.winners(state.trump, state.led));
                if winning != 0 { Actions64(winning) } else { legal }
            }
            _ => legal,
        }
    }

    /// What play by hints comes to: nobody attacks any more. About ninety nanoseconds.
    fn evaluate(&self, state: &State) -> BySeat<f32> {
        self.estimate(state)
    }

    #[inline]
    fn ending(&self, state: &State) -> Option<BySeat<f32>> {
        self.open_ending(state)
    }

    /// See [`Schwinget::known_pile`]: about 50 microseconds at the first lead, less later.
    fn known_future(&self, state: &State, rng: &mut Rng) -> Option<BySeat<f32>> {
        self.random_known_pile(state, rng)
    }

    #[inline]
    fn hinted_playout(&self, state: &mut State, rng: &mut Rng) -> u32 {
        playout::to_the_end::<true>(self, state, rng)
    }

    fn hinted_playouts(&self, states: &mut [State], rng: &mut Rng) -> u64 {
        batch::to_the_end::<true>(self, states, rng)
    }
}
