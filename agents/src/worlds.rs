//! Where a search gets its worlds from.

use stier_core::{Game, Rng, Sampler as _, World};

/// The states that a view cannot tell apart, with the probabilities that the search gives them.
#[derive(Clone)]
pub struct Worlds<G: Game> {
    sampler: G::Sampler,
}

impl<G: Game> Worlds<G> {
    /// Every history of the information set by its chance reach probability.
    pub fn uniform(game: &G, view: &G::View) -> Self {
        Self { sampler: game.sampler(view) }
    }

    /// A world.
    #[inline(always)]
    pub fn draw(&self, rng: &mut Rng) -> G::State {
        self.sampler.sample(rng)
    }

    /// Every world once, with its weight, if there are no more than `most`.
    pub fn all(&self, most: u64) -> Option<Vec<World<G::State>>> {
        (self.sampler.count() <= most).then(|| self.sampler.worlds().collect())
    }
}
