//! How to play Schwimmen passably by looking at one's own cards.

use crate::actions::{Action, Actions128};
use crate::bits;
use crate::hints::Hints;

use super::rules::DealerSwap;
use super::state::{Phase, State};
use super::{GIVE, KNOCK, PUSH, SWAP, SWAP_ALL, Schwimmen, View, policy, policy_weights};

/// Knock with this many half points. Against players of this kind, knocking with less loses, however many they are.
const KNOCK_FROM: u8 = 56;
/// The dealer keeps this many half points rather than three cards face down.
const KEEP_FROM: u8 = 38;

impl Schwimmen {
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
        self.logit(view.seen(), action)
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
