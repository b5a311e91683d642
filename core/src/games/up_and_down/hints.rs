//! How to play Up & Down passably by looking at one's own cards, and what a position is worth.
//!
//! The estimate is linear in what counts, fitted by least squares to the mean results of 32 hinted playouts from each of 12,000 positions
//! for each number of players (from hinted play with one action in five random): a trick that somebody will win for sure, trumps, cards
//! of the suit pointed at, high cards while high cards win. High and low cards as such are worth nothing in that kind of play.

use crate::actions::{Action, ActionSet as _, Actions64};
use crate::game::{Game as _, SeatView as _};
use crate::hints::Hints;
use crate::rng::Rng;
use crate::seats::{BySeat, Seat};

use super::cards::Card;
use super::state::{NO_CARD, Phase, SEATS, State};
use super::{Change, UpAndDown, View, playout, policy, policy_weights};

/// How often a player is expected to choose a card that can win, if it may hold one.
const ABLE_CARD: f32 = 0.7;
/// What keeping the best cards for later is worth, in tricks.
const KEEP: f32 = 0.2;

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

/// The rules of one trick.
#[derive(Clone, Copy)]
struct TrickRules {
    trump: u8,
    down: u8,
    orientation: u8,
}

impl UpAndDown {
    /// The chance that `card` wins for `seat`, when the others choose among `unseen`.
    fn chance_to_win(&self, rules: TrickRules, seat: u8, card: Card, unseen: u64) -> f32 {
        let deck = &self.deck;
        let able = |seat: u8| deck.able(self.suit_at(rules.orientation, seat), rules.trump);
        if able(seat) >> card & 1 == 0 {
            return 0.0;
        }
        let value = deck.value_of(card);
        let equal = deck.value[usize::from(value)];
        let better = deck.better(value, rules.trump, rules.down == 1);
        let share = |part: u64, whole: u64| match (whole & unseen).count_ones() {
            0 => 0.0,
            count => (part & whole & unseen).count_ones() as f32 / count as f32,
        };
        (0..self.players)
            .filter(|&other| other != seat)
            .map(|other| {
                let theirs = able(other);
                let aimed = share(better | equal, theirs);
                let any = share(better & theirs | equal, unseen);
                let aims = if theirs & unseen == 0 { 0.0 } else { ABLE_CARD };
                1.0 - aims * aimed - (1.0 - aims) * any
            })
            .product()
    }

    /// The best chance of any card in hand.
    fn best_chance(&self, rules: TrickRules, seat: u8, hand: u64, unseen: u64) -> f32 {
        let suit = self.suit_at(rules.orientation, seat);
        Actions64(hand & self.deck.able(suit, rules.trump))
            .iter()
            .map(|card| self.chance_to_win(rules, seat, card.0, unseen))
            .fold(0.0, f32::max)
    }

    /// What a card is worth in later tricks, from 0 for the middle values to 1 for the highest and lowest.
    fn worth(&self, card: Card) -> f32 {
        let middle = f32::from(self.deck.values - 1) / 2.0;
        (f32::from(self.deck.value_of(card)) - middle).abs() / middle
    }
}

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
    fn appeal(&self, view: &View, action: Action) -> f32 {
        let (seen, seat) = (view.seen(), view.seat().0);
        let hand = seen.hands[usize::from(seat)];
        let now = TrickRules { trump: seen.trump, down: seen.down, orientation: seen.orientation };
        let best = |rules| self.best_chance(rules, seat, hand, seen.pool);
        match self.change_of(action) {
            Some(Change::Flip) => best(TrickRules { down: now.down ^ 1, ..now }),
            Some(Change::Rotate(quarters)) => best(TrickRules { orientation: (now.orientation + quarters) & 3, ..now }),
            Some(Change::Roll) => {
                let sums = self.deck.sums(Some(now.trump), 0);
                sums.iter().map(|sum| sum.probability as f32 * best(TrickRules { trump: sum.action.0, ..now })).sum()
            }
            None => {
                let stake = f32::from(1 + seen.pot);
                stake * self.chance_to_win(now, seat, action.0, seen.pool) - KEEP * self.worth(action.0)
            }
        }
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
