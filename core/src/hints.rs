//! What a game knows about playing itself well, cheaply.

use crate::actions::Action;
use crate::game::Game;

/// Advice for search and for the greedy player. The empty impl is valid.
pub trait Hints: Game {
    /// How much the seat of the view likes a legal action: higher is better, any scale. Ties are broken at random.
    fn appeal(&self, _view: &Self::View, _action: Action) -> f32 {
        0.0
    }

    /// The actions among which a rollout by hints chooses uniformly: a subset of `legal`, not empty. Reads nothing that is
    /// hidden from the player to act.
    fn rollout(&self, _state: &Self::State, legal: Self::Actions) -> Self::Actions {
        legal
    }
}
