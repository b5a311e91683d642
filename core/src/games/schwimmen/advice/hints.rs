//! Hints for Schwimmen: sensible moves judged by one's own cards, and an estimate of a position's value.
//!
//! The estimate compares hands. Its features are the value of each hand now, the gain from the best exchange with the
//! table, and the variety of suits, because of two hands with equal value the one with more suits can improve more.
//! It is a multinomial logit for the loser of the deal, fitted to the mean results of hinted playouts. The remaining
//! stakes are valued as if every player were equally likely to lose each deal (D. A. Harville, *Assigning
//! Probabilities to the Outcomes of Multi-Entry Competitions*, Journal of the American Statistical Association 68,
//! 1973, for the order of places).

use crate::actions::{Action, Actions128};
use crate::bits;
use crate::float;
use crate::game::hints::Hints;
use crate::games::schwimmen::cards;
use crate::games::schwimmen::rules::{DealerSwap, Payoff, Play};
use crate::games::schwimmen::state::{NOBODY, PLAYERS, Phase, State, after};
use crate::games::schwimmen::{GIVE, KNOCK, PUSH, SWAP, SWAP_ALL, Schwimmen, View};
use crate::options::Switch;
use crate::seats::{BySeat, Seat};
use crate::utility;

use super::policy;

/// Knock with at least this many half points. Knocking with fewer loses against players of this kind, at every table
/// size.
const KNOCK_FROM: u8 = 56;
/// As the dealer, keep at least this many half points rather than swap for three face-down cards.
const KEEP_FROM: u8 = 38;

/// Decrease of a hand's logit of losing: per half point, per half point that an exchange would add, and per card
/// outside its longest suit. The second number of each is divided by the number of players in the deal.
const BY_SCORE: (f32, f32) = (0.21, 0.0);
const BY_GAIN: (f32, f32) = (0.055, 0.0);
const BY_OTHER_SUITS: (f32, f32) = (1.0, 3.2);
/// The same after a knock.
const BY_SCORE_AT_LAST: (f32, f32) = (0.2, 0.3);
const BY_GAIN_AT_LAST: (f32, f32) = (0.03, 0.6);

/// The ratio of the logits of losing to those of winning.
const LUCK: f32 = 1.5;
/// Lower bound on the lives left of a player who is still in.
const MIN_LIFE: f32 = 0.01;

impl Schwimmen {
    /// The possible hands after taking `card`, each with the card given for it.
    fn hands_with(hand: u32, card: u8) -> impl Iterator<Item = (u8, u32)> {
        bits::members(hand).map(move |given| (given, hand ^ 1 << given | 1 << card))
    }

    /// The value of the best possible hand after taking `card`.
    fn best_with(&self, hand: u32, card: u8) -> u8 {
        Self::hands_with(hand, card).map(|(_, hand)| self.score(hand)).max().unwrap_or(0)
    }

    /// True if every hand among these cards is worth its best suit.
    #[inline(always)]
    fn counts_by_suits(&self, cards: u32) -> bool {
        self.rules.three_of_a_kind == Switch::Off && cards::aces(cards) < 3
    }

    fn is_due_to_knock(&self, hand: u32) -> bool {
        self.score(hand) >= KNOCK_FROM
    }

    /// The chance of each seat to lose the current deal, with all cards open. The chances add up to 1.
    #[inline]
    fn chances_to_lose(&self, state: &State) -> [f32; PLAYERS] {
        let mut chances = [0.0; PLAYERS];
        let players = f32::from(state.players);
        match state.phase {
            Phase::Turn | Phase::Give | Phase::Swap | Phase::Refresh => {}
            Phase::Cut => {
                let share = 1.0 / state.cutters.count_ones() as f32;
                bits::members(u32::from(state.cutters)).for_each(|seat| chances[usize::from(seat)] = share);
                return chances;
            }
            Phase::Deal | Phase::Table | Phase::Over => {
                state.seats_in().for_each(|seat| chances[seat] = 1.0 / players);
                return chances;
            }
        }
        let of = |worth: (f32, f32)| worth.0 + worth.1 / players;
        let at_last = state.knocker != NOBODY;
        let (by_score, by_gain) = if at_last { (BY_SCORE_AT_LAST, BY_GAIN_AT_LAST) } else { (BY_SCORE, BY_GAIN) };
        let (by_score, by_gain) = (of(by_score), of(by_gain));
        let by_other_suits = if at_last { 0.0 } else { of(BY_OTHER_SUITS) };
        let mut seat = usize::from(state.mover);
        let mut turns = state.end - state.turns;
        let mut lowest = f32::INFINITY;
        for _ in 0..state.players {
            let giving = state.phase == Phase::Give && seat == usize::from(state.mover);
            let (hand, now) = if giving {
                // The exchange is completed in the best way.
                let hands = Self::hands_with(state.hands[seat], state.taken).map(|(_, hand)| (hand, self.score(hand)));
                hands.max_by_key(|&(_, score)| score).expect("there are three cards to give")
            } else {
                (state.hands[seat], self.score(state.hands[seat]))
            };
            let gain = if turns == 0 || giving {
                0
            } else {
                let best = cards::best_exchange(hand, state.table).max(self.score(state.table));
                best.saturating_sub(now)
            };
            let longest = hand.to_le_bytes().map(u8::count_ones).into_iter().max().unwrap_or(0);
            let safety = by_score * f32::from(now) + by_gain * f32::from(gain) - by_other_suits * longest as f32;
            chances[seat] = safety;
            lowest = lowest.min(safety);
            turns = turns.saturating_sub(1);
            seat = usize::from(after(state.active, seat as u8));
        }
        let mut sum = 0.0;
        for seat in state.seats_in() {
            chances[seat] = float::expf(lowest - chances[seat]);
            sum += chances[seat];
        }
        state.seats_in().for_each(|seat| chances[seat] /= sum);
        chances
    }

    /// The expected net stakes, or shares of the win, in a match with these lives left. The chance to be the last
    /// player in is proportional to the lives, and so is the chance of the others to be second.
    #[inline]
    fn match_prospects(&self, lives: [f32; PLAYERS]) -> BySeat<f32> {
        let count = usize::from(self.rules.players);
        let all: f32 = lives.iter().sum();
        let win = self.rules.utility == Payoff::Win;
        let players = f32::from(self.rules.players);
        BySeat::from_fn(count, |Seat(seat)| {
            let own = lives[usize::from(seat)];
            let first = own / all;
            if win {
                return first - (1.0 - first) / (players - 1.0);
            }
            let second = if count == 2 {
                0.0
            } else {
                let others = (0..count).filter(|&other| other != usize::from(seat));
                others.map(|other| lives[other] / all * own / (all - lives[other]).max(f32::MIN_POSITIVE)).sum()
            };
            // The winner gets all stakes; the last player to sink gets back their own.
            let pot = if count == 2 { 6.0 } else { 3.0 * (players - 1.0) };
            pot * first + 3.0 * second - 3.0
        })
    }
}

impl Hints for Schwimmen {
    #[cfg(feature = "networks")]
    fn network(&self) -> Option<&'static [u8]> {
        Some(include_bytes!("network.safetensors"))
    }

    fn best_agent(&self) -> &'static str {
        "ismcts:rollout=hints,selection=puct,opponents=fitted,\
        beliefs=policy,model=fitted,model_temperature=1,model_epsilon=0.05"
    }

    fn appeal(&self, view: &View, action: Action) -> f32 {
        self.logit(&view.seen, action)
    }

    /// Knocks with a high enough hand. Otherwise makes the exchange that scores most, or pushes if no exchange scores
    /// more.
    #[inline]
    fn rollout(&self, state: &State, legal: Actions128) -> Actions128 {
        let hand = state.hands[usize::from(state.mover)];
        match state.phase {
            Phase::Turn => {
                let knock = 1_u128 << KNOCK;
                if legal.0 & knock != 0 && self.is_due_to_knock(hand) {
                    return Actions128(knock);
                }
                let (mut best, mut actions) = (self.score(hand), 1_u128 << PUSH);
                let mut offer = |score, action: u128| {
                    if score > best {
                        (best, actions) = (score, action);
                    } else if score == best && actions != 1 << PUSH {
                        actions |= action;
                    }
                };
                offer(self.score(state.table), 1 << SWAP_ALL);
                let by_suits = self.counts_by_suits(hand | state.table);
                for card in bits::members(state.table) {
                    let score = if by_suits { cards::best_with(hand, card) } else { self.best_with(hand, card) };
                    offer(score, 1 << card);
                }
                Actions128(actions)
            }
            Phase::Give => {
                let (mut best, mut actions) = (0, 0);
                for (given, hand) in Self::hands_with(hand, state.taken) {
                    let score = self.score(hand);
                    if score > best {
                        (best, actions) = (score, 0);
                    }
                    if score == best {
                        actions |= 1_u128 << (GIVE + given);
                    }
                }
                Actions128(actions)
            }
            Phase::Swap if self.rules.dealer_swap == DealerSwap::Blind => {
                let keep = self.score(hand) >= KEEP_FROM;
                Actions128(legal.0 & if keep { !(1 << SWAP) } else { 1 << SWAP })
            }
            _ => legal,
        }
    }

    fn evaluate(&self, state: &State) -> BySeat<f32> {
        let chances = self.chances_to_lose(state);
        let count = usize::from(self.rules.players);
        let others = f32::from(self.rules.players) - 1.0;
        match (self.rules.play, self.rules.utility) {
            (Play::Deal, Payoff::Stakes) => {
                BySeat::from_fn(count, |seat| ((1.0 - chances[seat.index()]) - others * chances[seat.index()]) / others)
            }
            // The player least likely to lose is the most likely to win.
            (Play::Deal, Payoff::Win) => {
                let safety = BySeat::from_fn(count, |seat| -float::logf(chances[seat.index()].max(1e-9)));
                utility::Utility::Win.expected(&safety, LUCK)
            }
            (Play::Match, _) => {
                let mut lives = state.lives.map(f32::from);
                let those_in = lives.iter_mut().zip(chances).filter(|(lives, _)| **lives > 0.0);
                those_in.for_each(|(lives, chance)| *lives = (*lives - chance).max(MIN_LIFE));
                self.match_prospects(lives)
            }
        }
    }

    #[inline]
    fn features(&self, state: &State, action: Action, add: &mut impl FnMut(usize, f32)) {
        self.policy_features(state, action, add);
    }

    fn weights(&self) -> &[f32] {
        &policy::WEIGHTS
    }
}

#[cfg(test)]
mod tests {
    use crate::FromRules as _;
    use crate::bits;
    use crate::games::schwimmen::{Rules, Schwimmen, cards};
    use crate::rng::Rng;

    #[test]
    fn searching_suit_by_suit_finds_better_exchanges() {
        let game = Schwimmen::new(Rules::default()).unwrap();
        let mut rng = Rng::stream(1, "exchanges", 0);
        let mut more = 0;
        for _ in 0..20_000 {
            let cards = bits::random_subset(u32::MAX, 4, &mut rng);
            let card = bits::nth_bit(u64::from(cards), rng.below(4)) as u8;
            let hand = cards ^ 1 << card;
            if game.counts_by_suits(cards) {
                let (fast, slow) = (cards::best_with(hand, card), game.best_with(hand, card));
                let score = game.score(hand);
                assert_eq!(fast.max(score), slow.max(score), "{hand:x} {card}");
                more += u32::from(slow > score);
            }
        }
        assert!(more > 5000);
    }
}
