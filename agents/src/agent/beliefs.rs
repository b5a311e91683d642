//! Worlds with probabilities.

use stier_core::list::Listing as _;
use stier_core::{Game, History, Rng};

use crate::agent::sampling::Alias;

/// The method by which a belief's probabilities were found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Weighing {
    /// Every world of the information set has its exact probability under the model.
    Exact,
    /// Every world was weighted by the mean likelihood of some of its histories.
    Estimated,
    /// A sample of histories was drawn and weighted.
    Particles,
}

/// Reasons for having no belief. The search then draws worlds by chance alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoBelief {
    /// The others have not acted in this deal.
    NothingToInfer,
    /// Fewer than 64 histories were weighed, or the model excludes all of them.
    Failed,
}

/// Worlds with probabilities.
#[derive(Clone)]
pub struct Belief<G: Game> {
    states: Vec<G::State>,
    /// One history per state, if histories were requested.
    histories: Vec<History<G>>,
    shares: Vec<f64>,
    alias: Alias,
    weighing: Weighing,
    drawn: u64,
}

impl<G: Game> Belief<G> {
    /// Builds the distribution over `states` proportional to `weights`.
    pub fn new(states: Vec<G::State>, weights: Vec<f64>, weighing: Weighing, drawn: u64) -> Result<Self, NoBelief> {
        let alias = Alias::new(&weights).ok_or(NoBelief::Failed)?;
        let total: f64 = weights.iter().sum();
        let shares = weights.into_iter().map(|weight| weight / total).list();
        Ok(Self { states, histories: Vec::new(), shares, alias, weighing, drawn })
    }

    /// Draws a world.
    #[inline]
    pub fn draw(&self, rng: &mut Rng) -> G::State {
        self.states[self.alias.draw(rng)]
    }

    /// Adds the history that led to each world; none if only states were kept.
    pub(crate) fn with_histories(self, histories: Vec<History<G>>) -> Self {
        debug_assert!(histories.is_empty() || histories.len() == self.states.len());
        Self { histories, ..self }
    }

    /// Draws a world with its history, if the belief has histories.
    pub fn draw_history(&self, rng: &mut Rng) -> Option<&History<G>> {
        if self.histories.is_empty() { None } else { Some(&self.histories[self.alias.draw(rng)]) }
    }

    /// The worlds with their probabilities, which sum to 1. A world may occur in several particles.
    pub fn worlds(&self) -> impl Iterator<Item = (&G::State, f64)> {
        self.states.iter().zip(self.shares.iter().copied())
    }

    /// Returns true if these are all worlds of the information set, each once, rather than particles.
    pub fn covers_all_worlds(&self) -> bool {
        self.weighing != Weighing::Particles
    }

    /// The method by which the probabilities were found.
    pub fn weighing(&self) -> Weighing {
        self.weighing
    }

    /// The number of histories that were drawn and weighed.
    pub fn histories(&self) -> u64 {
        self.drawn
    }

    /// The effective sample size: the number of equally weighted worlds with the same information (Kong 1992). It
    /// lies between 1 and the number of worlds.
    pub fn effective(&self) -> f64 {
        self.shares.iter().map(|share| share * share).sum::<f64>().recip()
    }
}
