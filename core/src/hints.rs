//! What a game knows about playing itself well, cheaply.

use crate::actions::{Action, ActionSet as _};
use crate::encode::Encode;
use crate::game::Turn;
use crate::rng::Rng;
use crate::seats::BySeat;

/// Advice on one action, for a player who may take it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleOfThumb {
    /// The action, the same in every view.
    pub action: Action,
    /// Takes it now.
    pub takes: bool,
}

/// Advice for search and for the greedy player. The empty impl is valid. Whoever searches may ask a trained network, too, which reads
/// what [`Encode`] writes.
pub trait Hints: Encode {
    /// The agent that has done best in this game at equal thinking time, as its text, without the budget: one that takes
    /// `iterations` and `time_ms`.
    const BEST_AGENT: &'static str = "ismcts";

    /// How much the seat of the view likes a legal action: higher is better, any scale. Ties are broken at random.
    fn appeal(&self, _view: &Self::View, _action: Action) -> f32 {
        0.0
    }

    /// A rule of thumb about one action of the game, where people have one: a function of the view alone.
    fn rule_of_thumb(&self, _view: &Self::View) -> Option<RuleOfThumb> {
        None
    }

    /// The actions among which a rollout by hints chooses uniformly: a subset of `legal`, not empty. Reads nothing that is
    /// hidden from the player to act.
    fn rollout(&self, _state: &Self::State, legal: Self::Actions) -> Self::Actions {
        legal
    }

    /// Describes a legal action to the game's policy: calls `add(feature, value)` for what is not 0, each feature at most once.
    /// Reads nothing that is hidden from the player to act.
    fn features(&self, _state: &Self::State, _action: Action, _add: &mut impl FnMut(usize, f32)) {}

    /// The weight of each feature in the game's policy: the probability of an action is proportional to e to the power of its
    /// weighted features. Without features the policy is uniform.
    fn weights(&self) -> &[f32] {
        &[]
    }

    /// The weighted features of a legal action: the logarithm of its probability in the game's policy, up to a constant.
    #[inline]
    fn logit(&self, state: &Self::State, action: Action) -> f32 {
        let weights = self.weights();
        let mut sum = 0.0;
        self.features(state, action, &mut |feature, value| sum += weights[feature] * value);
        sum
    }

    /// Calls `each` with the [logit](Hints::logit) of every legal action, ascending by action: for games that have them faster all
    /// at once. The same numbers, up to rounding.
    #[inline]
    fn logits(&self, state: &Self::State, legal: Self::Actions, each: &mut impl FnMut(f32)) {
        legal.iter().for_each(|action| each(self.logit(state, action)));
    }

    /// The returns that the state promises with all cards open: an estimate, cheap, between the bounds of the returns. Before
    /// the end only.
    fn evaluate(&self, _state: &Self::State) -> BySeat<f32> {
        let (low, high) = self.info().utility_range;
        let seats = self.num_seats();
        BySeat::filled(seats, self.info().utility_sum.map_or((low + high) / 2.0, |sum| sum / seats as f64) as f32)
    }

    /// The returns of best play by everybody with all cards open, where chance plays no part any more and the game has them
    /// within microseconds. Before the end only.
    fn ending(&self, _state: &Self::State) -> Option<BySeat<f32>> {
        None
    }

    /// The returns of best play by everybody with all cards open when everybody knows beforehand what chance will bring, where the
    /// game has them: `next` brings it, event by event, in states in which chance is to act. A player is to act.
    fn known_future(
        &self,
        _state: &Self::State,
        _next: &mut impl FnMut(&Self::State) -> Action,
    ) -> Option<BySeat<f32>> {
        None
    }

    /// Plays to the end, each action uniformly random among those of [`rollout`](Hints::rollout): the same bits as step after
    /// step. Returns the number of decisions.
    #[inline]
    fn hinted_playout(&self, state: &mut Self::State, rng: &mut Rng) -> u32 {
        let mut decisions = 0;
        while let Turn::Seat(_) = self.turn(state) {
            let action = self.rollout(state, self.legal(state)).pick(rng);
            self.step(state, action, rng);
            decisions += 1;
        }
        decisions
    }
}
