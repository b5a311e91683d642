//! Hints for Schwinget: sensible moves judged by one's own cards.

use crate::actions::{Action, Actions64};
use crate::game::hints::{Hints, RuleOfThumb};
use crate::games::schwinget::state::{Phase, State};
use crate::games::schwinget::{Schwinget, View};
use crate::playout::Playout;
use crate::rng::Rng;
use crate::seats::BySeat;

use super::policy;

impl Hints for Schwinget {
    #[cfg(feature = "networks")]
    fn network(&self) -> Option<&'static [u8]> {
        Some(include_bytes!("network.safetensors"))
    }

    fn best_agent(&self) -> &'static str {
        "ismcts:selection=puct,prior=fitted,c=1.4,rollout=fitted,endings=on,\
        opponents=fitted,beliefs=policy,model=fitted,model_temperature=1.3,model_epsilon=0.05"
    }

    fn appeal(&self, view: &View, action: Action) -> f32 {
        self.logit(&view.seen, action)
    }

    /// When to attack: see `thumb`.
    fn rule_of_thumb(&self, view: &View) -> Option<RuleOfThumb> {
        Some(RuleOfThumb { action: self.attack(), takes: self.should_attack(view) })
    }

    /// Wins the trick if possible. Leaves attacks to the search tree.
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

    #[inline]
    fn features(&self, state: &State, action: Action, add: &mut impl FnMut(usize, f32)) {
        self.policy_features(state, action, add);
    }

    fn weights(&self) -> &[f32] {
        &policy::WEIGHTS
    }

    #[inline]
    fn logits(&self, state: &State, legal: Actions64, each: &mut impl FnMut(f32)) {
        self.policy_logits(state, legal, each);
    }

    /// Estimates the result of hinted play, in which nobody attacks any more.
    fn evaluate(&self, state: &State) -> BySeat<f32> {
        self.estimate(state)
    }

    #[inline]
    fn ending(&self, state: &State) -> Option<BySeat<f32>> {
        self.open_ending(state)
    }

    #[inline]
    fn hinted_playout(&self, state: &mut State, rng: &mut Rng) -> u32 {
        Playout::<Self, true>::run(self, state, rng)
    }
}
