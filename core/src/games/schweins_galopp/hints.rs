//! How to play Schweins-Galopp passably by looking at one's own cards and the pigs.

use crate::actions::{Action, Actions64};
use crate::game::SeatView as _;
use crate::hints::Hints;
use crate::rng::Rng;

use super::counts::{Colour, Counts};
use super::state::{Phase, State};
use super::{SchweinsGalopp, View, playout, policy, policy_weights};

/// What food taken now weighs against the chance to bank all that is at risk.
const FOOD_NOW: f32 = 0.5;

/// The chance, as a rule of thumb, that the gap before a pig is closed by the time its card is the last.
const CLOSES_A_GAP: f32 = 0.75;

impl SchweinsGalopp {
    /// Free spaces between a pig and the leader.
    fn gaps_before(&self, state: &State, pig: Colour) -> i32 {
        let between = state.distance[usize::from(pig)] + 1..state.front;
        between.filter(|&distance| state.occupied >> self.space(distance) & 1 == 0).count() as i32
    }
}

impl Hints for SchweinsGalopp {
    fn appeal(&self, view: &View, action: Action) -> f32 {
        let seen = view.seen();
        if seen.phase != Phase::Play {
            return 0.0;
        }
        let seat = view.seat().index();
        let mut next = *seen;
        self.run(&mut next, action.0);
        let hand = next.hands[seat] - Counts::one(action.0);
        let food = f32::from(next.risk[seat] - seen.risk[seat]);
        let left = hand.sum();
        if left == 0 {
            return food;
        }
        // What is at risk is safe if the last card leads: keep cards of pigs at the front, or with few gaps before it.
        let chances: f32 = hand.iter().map(|colour| CLOSES_A_GAP.powi(self.gaps_before(&next, colour))).sum();
        let stake = f32::from(next.risk[seat] + 1);
        FOOD_NOW * food + stake * chances / f32::from(left)
    }

    /// Eat, but keep one card that would lead as long as there are others: the last card is the one that counts.
    #[inline(always)]
    fn rollout(&self, state: &State, legal: Actions64) -> Actions64 {
        if state.phase != Phase::Play {
            return legal;
        }
        let hand = state.hands[usize::from(state.mover)];
        let leading = legal.0 & self.would_lead(state);
        let others = legal.0 & !leading;
        let several = match leading.count_ones() {
            0 => false,
            1 => hand.get(leading.trailing_zeros() as usize) > 1,
            _ => true,
        };
        match if several { leading } else { others } {
            0 => legal,
            preferred => Actions64(preferred),
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

    #[inline]
    fn hinted_playout(&self, state: &mut State, rng: &mut Rng) -> u32 {
        playout::to_the_end::<true>(self, state, rng)
    }
}
