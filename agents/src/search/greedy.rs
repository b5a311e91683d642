//! One-step lookahead by the game's own hints.

use stier_core::{Action, ActionSet, Hints, Rng, options};

use crate::agent::{Agent, Decision};

options! {
    /// The greedy player does not have options.
    pub(crate) struct GreedyOptions for "greedy" {}
}

/// Chooses the action with the most [appeal](Hints::appeal), with ties broken at random.
#[derive(Clone, Debug)]
pub(crate) struct Greedy {
    rng: Rng,
}

impl Greedy {
    /// Creates a greedy player with the streams of `seed`.
    pub(crate) fn new(_options: GreedyOptions, seed: u64) -> Self {
        Self { rng: Rng::stream(seed, "greedy", 0) }
    }
}

/// The legal actions with the most appeal.
fn favourites<G: Hints>(game: &G, view: &G::View, legal: G::Actions) -> G::Actions {
    let mut best = (f32::NEG_INFINITY, G::Actions::default());
    for action in legal.iter() {
        let appeal = game.appeal(view, action);
        if appeal > best.0 {
            best = (appeal, G::Actions::default());
        }
        if appeal == best.0 {
            best.1 = best.1.with(action);
        }
    }
    best.1
}

/// Chooses an action as the greedy player does, with these random numbers.
pub(crate) fn choose<G: Hints>(game: &G, view: &G::View, legal: G::Actions, rng: &mut Rng) -> Action {
    favourites(game, view, legal).pick(rng)
}

impl<G: Hints> Agent<G> for Greedy {
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let ties = favourites(game, view, legal);
        let share = 1.0 / ties.len() as f64;
        let policy = legal.iter().map(|action| (action, if ties.contains(action) { share } else { 0.0 })).collect();
        Decision { action: ties.pick(&mut self.rng), policy, search: None }
    }

    fn restart(&mut self, seed: u64) {
        *self = Self::new(GreedyOptions {}, seed);
    }
}
