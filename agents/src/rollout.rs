//! How a search plays on from a leaf to the end.

use stier_core::{BySeat, Hints, Rng, choice};

choice! {
    /// Who plays in a rollout.
    pub enum Rollout {
        /// Uniformly random legal actions.
        Random = "random",
        /// Uniformly among those that the game's hints leave.
        Hints = "hints",
    }
}

/// Plays on from leaves.
#[derive(Clone, Debug)]
pub struct Roller {
    rollout: Rollout,
}

impl Roller {
    /// Rollouts of this kind.
    pub fn new(rollout: Rollout) -> Self {
        Self { rollout }
    }

    /// The returns of one rollout from this state, which need not be a decision; leaves the state where it ended.
    #[inline]
    pub fn returns<G: Hints>(&mut self, game: &G, state: &mut G::State, rng: &mut Rng) -> BySeat<f32> {
        match self.rollout {
            Rollout::Random => game.playout(state, rng),
            Rollout::Hints => game.hinted_playout(state, rng),
        };
        game.returns(state)
    }
}
