//! Cheap knowledge of a game about playing it well.

use crate::actions::{Action, ActionSet as _};
use crate::game::{Game, Turn};
use crate::rng::Rng;
use crate::seats::BySeat;

/// Declares tables of features, one after another: the name of each is its first feature. The name before them is their
/// total size.
#[cfg(feature = "games")]
macro_rules! tables {
    ($total:ident; $($tables:tt)+) => { $crate::game::hints::tables!(@ $total, 0; $($tables)+); };
    (@ $total:ident, $start:expr; $(#[$doc:meta])* $name:ident: $size:expr, $($rest:tt)*) => {
        $(#[$doc])*
        pub(super) const $name: usize = $start;
        $crate::game::hints::tables!(@ $total, $name + $size; $($rest)*);
    };
    (@ $total:ident, $start:expr;) => {
        /// The number of features.
        pub(super) const $total: usize = $start;
    };
}
#[cfg(feature = "games")]
pub(crate) use tables;

/// Advice on one action, for a player who may take it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleOfThumb {
    /// The action, the same in every view.
    pub action: Action,
    /// Takes it now.
    pub takes: bool,
}

/// Advice for search and for the greedy agent. The empty impl is valid. Searches may also evaluate states with a
/// trained network, which reads the [observation](Game::observation).
pub trait Hints: Game {
    /// The agent with the best results in this game at equal thinking time among those without a network, as text
    /// without its budget. It takes `iterations` and `time_ms`, and plays all rules.
    fn best_agent(&self) -> &'static str {
        "ismcts"
    }

    /// True if the game has a policy of its own: [appeal](Hints::appeal) and, unless rules are unusual,
    /// [weights](Hints::weights). Agents that only follow it refuse games without one.
    fn has_policy(&self) -> bool {
        !self.weights().is_empty()
    }

    /// The file of a network that was trained for the default rules, for agents that are given no other. The crate
    /// `stier-agents` has the format.
    fn network(&self) -> Option<&'static [u8]> {
        None
    }

    /// The appeal of a legal action to the seat of the view, on any scale: higher is better. Ties are broken at random.
    fn appeal(&self, _view: &Self::View, _action: Action) -> f32 {
        0.0
    }

    /// The rule of thumb about one action of the game, if there is one: a function of the view alone.
    fn rule_of_thumb(&self, _view: &Self::View) -> Option<RuleOfThumb> {
        None
    }

    /// The actions from which a rollout by hints chooses uniformly: a nonempty subset of `legal`. Uses nothing that is
    /// hidden from the player to act.
    fn rollout(&self, _state: &Self::State, legal: Self::Actions) -> Self::Actions {
        legal
    }

    /// Describes a legal action to the game's policy. Calls `add(feature, value)` for every nonzero feature, each at
    /// most once. Uses nothing that is hidden from the player to act.
    fn features(&self, _state: &Self::State, _action: Action, _add: &mut impl FnMut(usize, f32)) {}

    /// The weight of each feature in the game's policy. The probability of an action is proportional to e to the power
    /// of its weighted features. Without features the policy is uniform.
    fn weights(&self) -> &[f32] {
        &[]
    }

    /// The weighted features of a legal action: the logarithm of its probability in the game's policy, up to a
    /// constant.
    #[inline]
    fn logit(&self, state: &Self::State, action: Action) -> f32 {
        let weights = self.weights();
        let mut sum = 0.0;
        self.features(state, action, &mut |feature, value| sum += weights[feature] * value);
        sum
    }

    /// Calls `each` with the [logit](Hints::logit) of every legal action, ascending by action. Override it if all
    /// logits together are faster; they must be equal up to rounding.
    #[inline]
    fn logits(&self, state: &Self::State, legal: Self::Actions, each: &mut impl FnMut(f32)) {
        legal.iter().for_each(|action| each(self.logit(state, action)));
    }

    /// A cheap estimate of the returns from a state with all cards open, within the range of the returns. Only before
    /// the end.
    fn evaluate(&self, _state: &Self::State) -> BySeat<f32> {
        BySeat::filled(self.num_seats(), self.info().middle_return() as f32)
    }

    /// The returns if all players play their best with all cards open. `None` unless no random events are left and the
    /// game computes them quickly, since rollouts ask for them. Only before the end.
    fn ending(&self, _state: &Self::State) -> Option<BySeat<f32>> {
        None
    }

    /// Plays to the end, with each action uniformly random from [`rollout`](Hints::rollout). Gives the same bits as
    /// single steps. Returns the number of decisions.
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
