//! How to play Schwimmen passably by looking at one's own cards.

use crate::actions::{Action, Actions128};
use crate::bits;
use crate::game::SeatView as _;
use crate::hints::Hints;

use super::rules::DealerSwap;
use super::state::{Phase, State};
use super::{GIVE, KNOCK, PUSH, SWAP, SWAP_ALL, Schwimmen, View, policy, policy_weights};

/// Knock with this many half points. Against players of this kind, knocking with less loses, however many they are.
const KNOCK_FROM: u8 = 56;
/// The dealer keeps this many half points rather than three cards face down.
const KEEP_FROM: u8 = 38;

impl Schwimmen {
    /// What a hand promises: its score, and a little for what the other cards could become.
    fn promise(&self, hand: u32) -> f32 {
        let score = self.score(hand);
        let cards = hand.to_le_bytes().map(u8::count_ones).iter().max().copied().unwrap_or(0);
        let high = (hand & 0xf8f8_f8f8).count_ones();
        f32::from(score) + cards as f32 * 0.4 + high as f32 * 0.2
    }

    /// The hands that one may have after taking `card`, each with the card given for it.
    fn hands_with(hand: u32, card: u8) -> impl Iterator<Item = (u8, u32)> {
        bits::members(hand).map(move |given| (given, hand ^ 1 << given | 1 << card))
    }

    fn is_due_to_knock(&self, hand: u32) -> bool {
        self.score(hand) >= KNOCK_FROM
    }
}

impl Hints for Schwimmen {
    fn appeal(&self, view: &View, action: Action) -> f32 {
        let seen = view.seen();
        let hand = seen.hands[view.seat().index()];
        match (seen.phase, action.0) {
            (Phase::Turn, PUSH) => self.promise(hand),
            (Phase::Turn, KNOCK) if self.is_due_to_knock(hand) => 100.0 + self.promise(hand),
            (Phase::Turn, KNOCK) => 0.0,
            (Phase::Turn, SWAP_ALL) => self.promise(seen.table),
            (Phase::Turn, card) => {
                let hands = Self::hands_with(hand, card);
                hands.map(|(_, hand)| self.promise(hand)).fold(0.0, f32::max)
            }
            (Phase::Give, id) => self.promise(hand ^ 1 << (id - GIVE) | 1 << seen.taken),
            (Phase::Swap, id) => {
                let keep = match self.rules.dealer_swap {
                    DealerSwap::Open => self.promise(hand) - self.promise(seen.table),
                    _ => f32::from(self.score(hand)) - f32::from(KEEP_FROM),
                };
                if id == SWAP { -keep } else { keep }
            }
            _ => 0.0,
        }
    }

    /// Knock with enough; otherwise the exchange that scores most, or a push where none scores more.
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
                for card in bits::members(state.table) {
                    for (_, hand) in Self::hands_with(hand, card) {
                        offer(self.score(hand), 1 << card);
                    }
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
}
