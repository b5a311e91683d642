//! How to play Up & Down passably by looking at one's own cards, and what a position is worth.
//!
//! The estimate is linear in what counts, fitted by least squares to the mean results of 32 hinted playouts from each of 12,000 positions
//! for each number of players (from hinted play with one action in five random): a trick that somebody will win for sure, trumps, cards
//! of the suit pointed at, high cards while high cards win. High and low cards as such are worth nothing in that kind of play.

use crate::actions::{Action, Actions64};
use crate::game::Game as _;
use crate::games::up_and_down::state::{NO_CARD, Phase, SEATS, State};
use crate::games::up_and_down::{UpAndDown, View, playout};
use crate::hints::Hints;
use crate::rng::Rng;
use crate::seats::{BySeat, Seat};

use super::{policy, policy_weights};

/// Of what a trick brings its winner, how much is gained on those who would win a later one in its place.
const TRICK_GAIN: f32 = 0.85;
/// What a trump is worth in tricks, at a table of one player: this, and the second number shared by all.
const TRUMP_WORTH: (f32, f32) = (0.35, 0.6);
/// What a card of the suit pointed at is worth in tricks.
const SUIT_WORTH: f32 = 0.09;
/// What a card is worth in tricks that is among the highest while the highest wins, or among the lowest.
const HIGH_WORTH: f32 = 0.08;
/// Tricks that end in the pot, the more the fewer play: with this many more tricks, all would be won.
const POT_LOSS: (f32, f32) = (0.4, 2.2);
/// How far apart scores are expected to end that are equal now, for each square root of a trick left.
const LUCK: f32 = 0.6;

impl UpAndDown {
    /// The chance of each seat to win the trick that is being played, with all cards open: by the card chosen, or by the best one that can
    /// win, against any card of those who have not chosen, one that can win if they have any.
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

    /// The tricks that each seat is expected to have won at the end of the game, with all cards open.
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
            // The dice are rolling: no telling which value is the next.
            let trumps = if state.phase == Phase::Roll { 0 } else { deck.value[usize::from(state.trump & 15)] };
            // The upper third of the values where the highest wins.
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

/// Shares `sum` out by merit: everybody has the same, more by as much as the merit is above the average, but nothing below zero.
#[inline]
fn share(merits: &mut [f32], sum: f32) {
    let count = merits.len() as f32;
    let even = (sum - merits.iter().sum::<f32>()) / count;
    let mut all = 0.0;
    for merit in merits.iter_mut() {
        *merit = (*merit + even).max(0.0);
        all += *merit;
    }
    // What was lifted to zero is taken from the others.
    let scale = if all > 0.0 { sum / all } else { 0.0 };
    merits.iter_mut().for_each(|merit| *merit *= scale);
}

impl Hints for UpAndDown {
    const BEST_AGENT: &'static str = "flat_mc:allocation=ucb1,rollout=fitted,cutoff=3";

    fn appeal(&self, view: &View, action: Action) -> f32 {
        self.logit(view.seen(), action)
    }

    /// Cards that can win, if there are any.
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

    fn num_features(&self) -> usize {
        policy::FEATURES
    }

    #[inline]
    fn features(&self, state: &State, action: Action, add: &mut impl FnMut(usize, f32)) {
        self.policy_features(state, action, add);
    }

    fn weights(&self) -> &[f32] {
        &policy_weights::WEIGHTS
    }

    #[inline]
    fn hinted_playout(&self, state: &mut State, rng: &mut Rng) -> u32 {
        playout::to_the_end::<true>(self, state, rng)
    }
}
