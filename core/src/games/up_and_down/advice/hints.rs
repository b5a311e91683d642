//! Hints for Up & Down: sensible moves judged by one's own cards, and an estimate of a position's value.
//!
//! The estimate is linear in its features. Its coefficients were fitted by least squares to the mean results of
//! hinted playouts. Features are tricks that a seat is certain to win, trumps, cards of the suit pointed at, and high
//! cards while high cards win. In hinted play, high and low cards have no value of their own.

use crate::actions::{Action, Actions64};
use crate::game::Game as _;
use crate::game::hints::Hints;
use crate::games::up_and_down::state::{NO_CARD, Phase, SEATS, State};
use crate::games::up_and_down::{UpAndDown, View};
use crate::playout::Playout;
use crate::rng::Rng;
use crate::seats::{BySeat, Seat};

use super::policy;

/// The share of a trick's value that its winner gains over the players who would win a later trick in its place.
const TRICK_GAIN: f32 = 0.85;
/// The value of a trump in tricks: the first number plus the second divided by the number of players.
const TRUMP_WORTH: (f32, f32) = (0.35, 0.6);
/// The value in tricks of a card of the suit pointed at.
const SUIT_WORTH: f32 = 0.09;
/// The value in tricks of a card in the upper third while the highest wins, or in the lower third while the lowest
/// wins.
const HIGH_WORTH: f32 = 0.08;
/// Correction for tricks that end in the pot: with this many more tricks left, all tricks would be won. The second
/// number is divided by the number of players.
const POT_LOSS: (f32, f32) = (0.4, 2.2);
/// Expected final difference between scores that are equal now, per square root of the tricks left.
const LUCK: f32 = 0.6;

impl UpAndDown {
    /// The chance of each seat to win the current trick, with all cards open. A seat plays the card chosen, or else
    /// its best card that can win. Opponents that have not chosen play any card that can win, or any card if they
    /// hold none.
    #[inline]
    fn chances(&self, state: &State) -> [f32; SEATS] {
        let deck = &self.deck;
        let players = usize::from(self.players);
        let down = state.down == 1;
        let (mut able, mut options) = ([0; SEATS], [0; SEATS]);
        for seat in 0..players {
            able[seat] = deck.able(self.suit_at(state.orientation, seat as u8), state.trump);
            let cards = match state.table[seat] {
                NO_CARD => state.hands[seat],
                chosen => 1 << chosen,
            };
            let good = cards & able[seat];
            options[seat] = if good != 0 { good } else { cards };
        }
        let mut chances = [0.0; SEATS];
        for seat in 0..players {
            let good = options[seat] & able[seat];
            if good == 0 {
                continue;
            }
            let plain = good & !deck.value[usize::from(state.trump & 15)];
            let cards = if plain != 0 { plain } else { good };
            let best = if down { cards.trailing_zeros() } else { 63 - cards.leading_zeros() };
            let value = deck.value_of(best as u8);
            let (better, equal) = (deck.better(value, state.trump, down), deck.value[usize::from(value & 15)]);
            chances[seat] = (0..players)
                .filter(|&other| other != seat)
                .map(|other| {
                    let beats = (better & able[other] | equal) & options[other];
                    1.0 - beats.count_ones() as f32 / options[other].count_ones().max(1) as f32
                })
                .product();
        }
        chances
    }

    /// The expected number of tricks of each seat at the end of the game, with all cards open.
    #[inline]
    fn prospects(&self, state: &State) -> BySeat<f32> {
        let deck = &self.deck;
        let count = self.num_seats();
        let players = f32::from(self.players);
        let tricks = |left: f32, pot: f32| (left + pot) * left / (left + POT_LOSS.0 + POT_LOSS.1 / players);
        let done = state.taken.iter().sum::<u8>() + state.pot;
        let mut later = [0.0; SEATS];
        let mut left = 0.0;
        if matches!(state.phase, Phase::Change | Phase::Choose | Phase::Roll) {
            left = tricks(f32::from(self.tricks - done), f32::from(state.pot));
            let trump_worth = TRUMP_WORTH.0 + TRUMP_WORTH.1 / players;
            // The next trump value is unknown until the dice are rolled.
            let trumps = if state.phase == Phase::Roll { 0 } else { deck.value[usize::from(state.trump & 15)] };
            // The upper third of the values if the highest wins, otherwise the lower third.
            let third = 2 * deck.values / 3;
            let down = state.down == 1;
            let high = deck.beyond(if down { deck.values - 1 - third } else { third }, down);
            let chances = if state.phase == Phase::Choose { self.chances(state) } else { [0.0; SEATS] };
            for seat in 0..count {
                let hand = state.hands[seat];
                let suit = deck.suit[usize::from(self.suit_at(state.orientation, seat as u8))];
                let number = |cards: u64| (hand & cards).count_ones() as f32;
                later[seat] = TRICK_GAIN * f32::from(1 + state.pot) * chances[seat]
                    + trump_worth * number(trumps)
                    + SUIT_WORTH * number(suit)
                    + HIGH_WORTH * number(high);
            }
            share(&mut later[..count], left);
        } else if state.phase != Phase::Over {
            left = tricks(f32::from(self.tricks), 0.0);
            later[..count].fill(left / players);
        }
        let rounds = f32::from(self.rules.rounds.saturating_sub(state.round + 1));
        let further = rounds * tricks(f32::from(self.tricks), 0.0) / players;
        debug_assert!(left >= 0.0);
        BySeat::from_fn(count, |Seat(seat)| {
            let seat = usize::from(seat);
            f32::from(state.scores[seat] + state.taken[seat]) + later[seat] + further
        })
    }
}

/// Distributes `sum` by merit: each seat gets an equal share plus the difference between its merit and the mean, but
/// at least 0.
#[inline]
fn share(merits: &mut [f32], sum: f32) {
    let count = merits.len() as f32;
    let even = (sum - merits.iter().sum::<f32>()) / count;
    let mut all = 0.0;
    for merit in merits.iter_mut() {
        *merit = (*merit + even).max(0.0);
        all += *merit;
    }
    // Shares raised to zero are paid for by the others.
    let scale = if all > 0.0 { sum / all } else { 0.0 };
    merits.iter_mut().for_each(|merit| *merit *= scale);
}

impl Hints for UpAndDown {
    #[cfg(feature = "networks")]
    fn network(&self) -> Option<&'static [u8]> {
        Some(include_bytes!("network.safetensors"))
    }

    fn best_agent(&self) -> &'static str {
        "flat_mc:allocation=ucb1,rollout=fitted,cutoff=3"
    }

    fn appeal(&self, view: &View, action: Action) -> f32 {
        self.logit(&view.seen, action)
    }

    /// Keeps the cards that can win, if there are any.
    #[inline(always)]
    fn rollout(&self, state: &State, legal: Actions64) -> Actions64 {
        if state.phase != Phase::Choose {
            return legal;
        }
        debug_assert_eq!(state.table[usize::from(state.mover)], NO_CARD);
        let good = legal.0 & self.deck.able(self.suit_at(state.orientation, state.mover), state.trump);
        if good != 0 { Actions64(good) } else { legal }
    }

    fn evaluate(&self, state: &State) -> BySeat<f32> {
        let done = state.taken.iter().sum::<u8>() + state.pot;
        let left = self.tricks.saturating_sub(done) + self.rules.rounds.saturating_sub(state.round + 1) * self.tricks;
        let scale = LUCK * f32::from(left.max(1)).sqrt();
        self.rules.utility.expected(&self.prospects(state), scale)
    }

    #[inline]
    fn features(&self, state: &State, action: Action, add: &mut impl FnMut(usize, f32)) {
        self.policy_features(state, action, add);
    }

    fn weights(&self) -> &[f32] {
        &policy::WEIGHTS
    }

    #[inline]
    fn hinted_playout(&self, state: &mut State, rng: &mut Rng) -> u32 {
        Playout::<Self, true>::run(self, state, rng)
    }
}
