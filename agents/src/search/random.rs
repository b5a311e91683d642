//! Uniformly random play.

use stier_core::{ActionSet, Game, Rng, options};

use crate::agent::{Agent, Decision};

options! {
    /// The random player does not have options.
    pub(crate) struct RandomOptions for "random" {}
}

/// Chooses uniformly among the legal actions.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    rng: Rng,
}

/// The stream of a random player.
pub(crate) fn stream(seed: u64) -> Rng {
    Rng::stream(seed, "random", 0)
}

impl Random {
    /// Creates a random player with the streams of `seed`.
    pub(crate) fn new(_options: RandomOptions, seed: u64) -> Self {
        Self { rng: stream(seed) }
    }
}

impl<G: Game> Agent<G> for Random {
    fn act(&mut self, _game: &G, _view: &G::View, legal: G::Actions) -> Decision {
        let share = 1.0 / legal.len() as f64;
        Decision {
            action: legal.pick(&mut self.rng),
            policy: legal.iter().map(|action| (action, share)).collect(),
            search: None,
        }
    }

    fn restart(&mut self, seed: u64) {
        *self = Self::new(RandomOptions {}, seed);
    }
}
