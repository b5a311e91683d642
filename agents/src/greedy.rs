//! One look ahead, by the game's own hints.

use stier_core::{Action, ActionSet, Hints, Rng, options};

use crate::agent::{Agent, Decision};

options! {
    /// The greedy player has no options.
    pub struct GreedyOptions for "greedy" {}
}

/// Chooses the action with the most [appeal](Hints::appeal), ties at random.
#[derive(Clone, Debug)]
pub struct Greedy {
    rng: Rng,
}

impl Greedy {
    /// A greedy player with the streams of `seed`.
    pub fn new(_options: GreedyOptions, seed: u64) -> Self {
        Self { rng: Rng::stream(seed, "greedy", 0) }
    }
}

impl<G: Hints> Agent<G> for Greedy {
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let scored: Vec<(Action, f32)> = legal.iter().map(|action| (action, game.appeal(view, action))).collect();
        let best = scored.iter().map(|&(_, appeal)| appeal).fold(f32::NEG_INFINITY, f32::max);
        let ties = scored.iter().filter(|&&(_, appeal)| appeal == best);
        let share = 1.0 / ties.clone().count() as f64;
        let chosen = self.rng.below(ties.clone().count() as u32) as usize;
        let (action, _) = *ties.clone().nth(chosen).expect("one of the ties");
        let policy =
            scored.iter().map(|&(action, appeal)| (action, if appeal == best { share } else { 0.0 })).collect();
        Decision { action, policy, search: None }
    }

    fn restart(&mut self, seed: u64) {
        *self = Self::new(GreedyOptions {}, seed);
    }
}
