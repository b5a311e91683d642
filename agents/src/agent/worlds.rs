//! The worlds of a search.
//!
//! By default every history of the information set is weighted by its chance reach probability, and drawn exactly.
//! Two options change that:
//!
//! - Policy inference weights histories by the other players' actions: see [`Belief`].
//! - *Self-determination* (P. I. Cowling, D. Whitehouse and E. J. Powley, *Emergent Bluffing and Inference with Monte
//!   Carlo Tree Search*, CIG 2015) draws some worlds from another player's possible beliefs: a history from the
//!   searcher's view, that player's view of it, and a state from that view. The searcher's own cards are redrawn too,
//!   so the searcher need not consider such a world possible. It teaches a search what others infer from the public
//!   events without seeing the searcher's hand. This works if nodes are keyed by each mover's own information set,
//!   including the root ([`Game::sight`] of the drawn state distinguishes the searcher's true root from others). In a
//!   single-observer tree it only adds noise.

use stier_core::list::Listing as _;
use stier_core::{Game, History, Rng, Sampler as _, Seat, SeatView as _};

use crate::agent::beliefs::{Belief, NoBelief};
use crate::agent::stop::Stop;

/// The states that a search considers possible, with their probabilities.
#[derive(Clone)]
pub struct Worlds<G: Game> {
    /// The exact sampler of the view.
    pub(crate) sampler: G::Sampler,
    refinement: Option<Box<Refinement<G>>>,
    /// True if policy inference was requested and failed.
    failed: bool,
}

/// The parts besides the exact sampler.
#[derive(Clone)]
struct Refinement<G: Game> {
    belief: Option<Belief<G>>,
    /// Samplers of other players' possible beliefs.
    others: Vec<G::Sampler>,
    /// The probability of drawing from one of them, in units of 2^-32.
    self_determined: u64,
}

/// The largest number of samplers of other players for a decision.
const MAX_OTHER_SAMPLERS: u64 = 128;
/// The number of draws per sampler, if there are not too many draws.
const DRAWS_PER_OTHER_SAMPLER: f64 = 16.0;

impl<G: Game> Worlds<G> {
    /// Every history of the information set, weighted by its chance reach probability.
    pub fn uniform(game: &G, view: &G::View) -> Self {
        Self { sampler: game.sampler(view), refinement: None, failed: false }
    }

    /// The worlds of a belief; those of the sampler alone if inference failed or there was nothing to infer.
    pub fn weighted(sampler: G::Sampler, belief: Result<Belief<G>, NoBelief>) -> Self {
        let failed = matches!(belief, Err(NoBelief::Failed));
        let belief = belief.ok();
        let refinement =
            belief.map(|belief| Box::new(Refinement { belief: Some(belief), others: Vec::new(), self_determined: 0 }));
        Self { sampler, refinement, failed }
    }

    /// Adds a share, from 0 to 1, of self-determined worlds, for about this many draws.
    pub fn self_determined(
        mut self,
        game: &G,
        view: &G::View,
        share: f64,
        draws: u64,
        stop: &Stop<'_>,
        rng: &mut Rng,
    ) -> Self {
        let others = other_samplers(game, view.seat(), &self.sampler, share, draws, stop, rng);
        if !others.is_empty() {
            let belief = self.refinement.and_then(|refinement| refinement.belief);
            let self_determined = (share.clamp(0.0, 1.0) * (1_u64 << 32) as f64) as u64;
            self.refinement = Some(Box::new(Refinement { belief, others, self_determined }));
        }
        self
    }

    /// Draws a world. With self-determination it may be one that only another player considers possible; the seat to
    /// act and the public information are the same.
    #[inline(always)]
    pub fn draw(&self, rng: &mut Rng) -> G::State {
        match &self.refinement {
            None => self.sampler.sample(rng),
            Some(refinement) => refinement.imagined(rng).unwrap_or_else(|| refinement.draw_own(&self.sampler, rng)),
        }
    }

    /// Draws a world that another player could consider possible, with the probability of self-determination. This is
    /// the first half of [`draw`](Worlds::draw), for searches that treat such worlds differently.
    #[inline]
    pub(crate) fn imagined(&self, rng: &mut Rng) -> Option<G::State> {
        self.refinement.as_ref()?.imagined(rng)
    }

    /// Draws a world that the searcher considers possible: the second half of [`draw`](Worlds::draw).
    #[inline]
    pub(crate) fn draw_own(&self, rng: &mut Rng) -> G::State {
        match &self.refinement {
            None => self.sampler.sample(rng),
            Some(refinement) => refinement.draw_own(&self.sampler, rng),
        }
    }

    /// Draws a history that the searcher considers possible. If the belief has states alone, it is one of a drawn state,
    /// by chance.
    pub fn draw_history(&self, game: &G, rng: &mut Rng) -> History<G> {
        match self.belief() {
            None => self.sampler.sample_history(game, rng),
            Some(belief) => match belief.draw_history(rng) {
                Some(history) => history.clone(),
                None => self.sampler.sample_history_of(game, &belief.draw(rng), rng),
            },
        }
    }

    /// Returns true if policy inference was requested and failed ([`NoBelief::Failed`]). Draws are then by chance
    /// alone.
    pub fn inference_failed(&self) -> bool {
        self.failed
    }

    /// The belief inferred from the others' actions; `None` if only chance counts.
    pub fn belief(&self) -> Option<&Belief<G>> {
        self.refinement.as_ref()?.belief.as_ref()
    }

    /// Every world that the searcher considers possible, once, with its weight. `None` if they cannot be enumerated
    /// or there are more than `most`.
    pub fn all(&self, most: u64) -> Option<Vec<(G::State, f64)>> {
        if self.sampler.count() > u128::from(most) {
            return None;
        }
        match self.belief() {
            None => Some(self.sampler.worlds().map(|world| (world.state, world.weight as f64)).list()),
            Some(belief) if belief.covers_all_worlds() => {
                Some(belief.worlds().map(|(&state, share)| (state, share)).filter(|&(_, share)| share > 0.0).list())
            }
            Some(_) => None,
        }
    }
}

impl<G: Game> Refinement<G> {
    #[inline]
    fn imagined(&self, rng: &mut Rng) -> Option<G::State> {
        let imagines = !self.others.is_empty() && rng.bits() >> 32 < self.self_determined;
        imagines.then(|| self.others[rng.below(self.others.len() as u32) as usize].sample(rng))
    }

    #[inline]
    fn draw_own(&self, sampler: &G::Sampler, rng: &mut Rng) -> G::State {
        match &self.belief {
            None => sampler.sample(rng),
            Some(belief) => belief.draw(rng),
        }
    }
}

/// Samplers of other players' possible beliefs, in turn: as many as the draws justify and time allows.
fn other_samplers<G: Game>(
    game: &G,
    searcher: Seat,
    sampler: &G::Sampler,
    share: f64,
    draws: u64,
    stop: &Stop<'_>,
    rng: &mut Rng,
) -> Vec<G::Sampler> {
    if share <= 0.0 {
        return Vec::new();
    }
    let count = game.num_seats();
    let worth = (share * draws as f64 / DRAWS_PER_OTHER_SAMPLER).ceil() as u64;
    let wanted = worth.clamp(count as u64 - 1, MAX_OTHER_SAMPLERS);
    let mut others = Vec::new();
    for index in 0..wanted as usize {
        if index > 0 && stop.is_due() {
            break;
        }
        let other = searcher.after(1 + index % (count - 1), count);
        others.push(game.sampler(&game.view(&sampler.sample_history(game, rng), other)));
    }
    others
}
