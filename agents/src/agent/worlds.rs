//! Where a search gets its worlds from.
//!
//! By default every history of the information set counts by its chance reach probability, drawn exactly. Two options change that:
//!
//! - policy inference weighs them by what the other players did: see [`belief`](crate::belief).
//! - *self-determination* (P. I. Cowling, D. Whitehouse and E. J. Powley, *Emergent Bluffing and Inference with Monte Carlo Tree
//!   Search*, CIG 2015) draws some worlds from what another player could believe: a history from the searcher's view, that player's
//!   view of it, a state from that view. The searcher's own cards are redrawn, too, so such a world need not be one that the
//!   searcher takes for possible. It teaches a search what the others make of the public events without having seen its hand, where
//!   the tree keeps apart what the searcher holds: nodes keyed by each mover's own information set, the root included
//!   ([`Game::sight`] of the state drawn tells the searcher's true root from others). In a single-observer tree it has no meaning
//!   and only adds noise.

use stier_core::{Game, Hints, History, Rng, Sampler as _, Seat, SeatView as _};

use crate::agent::stop::Stop;
use crate::belief::policy_model::{self, PolicyModel};
use crate::belief::{Belief, BeliefSettings, Beliefs, NoBelief, infer, infer_histories};

/// The states that a search takes for possible, with the probabilities that it gives them.
#[derive(Clone)]
pub struct Worlds<G: Game> {
    sampler: G::Sampler,
    more: Option<Box<More<G>>>,
    /// Whether policy inference was asked for and failed.
    failed: bool,
}

/// What is not the exact sampler.
#[derive(Clone)]
struct More<G: Game> {
    belief: Option<Belief<G>>,
    /// The samplers of what others could believe.
    minds: Vec<G::Sampler>,
    /// How often one of them is asked: with this probability, in units of 2^-32.
    self_determined: u64,
}

/// The most samplers of other players for a decision.
const MOST_MINDS: u64 = 128;
/// Draws for which one of them serves, if there are not too many draws.
const DRAWS_PER_MIND: f64 = 16.0;

impl<G: Game> Worlds<G> {
    /// Every history of the information set by its chance reach probability.
    pub fn uniform(game: &G, view: &G::View) -> Self {
        Self { sampler: game.sampler(view), more: None, failed: false }
    }

    /// What the settings say, within their share of the time that a decision has. Where they ask for nothing but chance, `rng` is not
    /// touched and draws are those of [`uniform`](Worlds::uniform), bit for bit.
    pub fn new(game: &G, view: &G::View, settings: &BeliefSettings, stop: &Stop<'_>, rng: &mut Rng) -> Self
    where
        G: Hints,
    {
        Self::inferred(game, view, settings, |sampler, model| infer(game, view, sampler, settings, model, stop, rng))
    }

    /// As [`new`](Worlds::new), for a search that draws [histories](Worlds::draw_history).
    pub fn of_histories(game: &G, view: &G::View, settings: &BeliefSettings, stop: &Stop<'_>, rng: &mut Rng) -> Self
    where
        G: Hints,
    {
        Self::inferred(game, view, settings, |sampler, model| {
            infer_histories(game, view, sampler, settings, model, stop, rng)
        })
    }

    /// As [`of_histories`](Worlds::of_histories), with a model of its own instead of the one that the settings name.
    pub fn of_model(
        game: &G,
        view: &G::View,
        settings: &BeliefSettings,
        model: &dyn PolicyModel<G>,
        stop: &Stop<'_>,
        rng: &mut Rng,
    ) -> Self
    where
        G: Hints,
    {
        Self::inferred(game, view, settings, |sampler, _| {
            infer_histories(game, view, sampler, settings, model, stop, rng)
        })
    }

    fn inferred(
        game: &G,
        view: &G::View,
        settings: &BeliefSettings,
        infer: impl FnOnce(&G::Sampler, &dyn PolicyModel<G>) -> Result<Belief<G>, NoBelief>,
    ) -> Self
    where
        G: Hints,
    {
        let sampler = game.sampler(view);
        let belief = match settings.beliefs {
            Beliefs::Uniform => Err(NoBelief::NothingToInfer),
            Beliefs::Policy => infer(&sampler, &*policy_model::by_name(settings.model, &settings.guide)),
        };
        let failed = matches!(belief, Err(NoBelief::Failed));
        let belief = belief.ok();
        let more = belief.map(|belief| Box::new(More { belief: Some(belief), minds: Vec::new(), self_determined: 0 }));
        Self { sampler, more, failed }
    }

    /// The same with a share, 0 to 1, of self-determined worlds, for about so many draws.
    pub fn self_determined(
        mut self,
        game: &G,
        view: &G::View,
        (share, draws): (f64, u64),
        stop: &Stop<'_>,
        rng: &mut Rng,
    ) -> Self {
        let minds = minds(game, view.seat(), &self.sampler, (share, draws), stop, rng);
        if !minds.is_empty() {
            let belief = self.more.and_then(|more| more.belief);
            let self_determined = (share.clamp(0.0, 1.0) * (1_u64 << 32) as f64) as u64;
            self.more = Some(Box::new(More { belief, minds, self_determined }));
        }
        self
    }

    /// A world. With self-determination it may be one that only another player takes for possible; who is to act and what is
    /// public is the same.
    #[inline(always)]
    pub fn draw(&self, rng: &mut Rng) -> G::State {
        match &self.more {
            None => self.sampler.sample(rng),
            Some(more) => more.imagined(rng).unwrap_or_else(|| more.draw_own(&self.sampler, rng)),
        }
    }

    /// With the probability of self-determination, a world that another player could take for possible. The first half of
    /// [`draw`](Worlds::draw), for searches that treat such worlds differently.
    #[inline]
    pub fn imagined(&self, rng: &mut Rng) -> Option<G::State> {
        self.more.as_ref()?.imagined(rng)
    }

    /// A world that the searcher takes for possible: the second half of [`draw`](Worlds::draw).
    #[inline]
    pub fn draw_own(&self, rng: &mut Rng) -> G::State {
        match &self.more {
            None => self.sampler.sample(rng),
            Some(more) => more.draw_own(&self.sampler, rng),
        }
    }

    /// A history that the searcher takes for possible. Those of a belief are inferred only if it was
    /// [made for them](Worlds::of_histories).
    pub fn draw_history(&self, game: &G, rng: &mut Rng) -> History<G> {
        match self.belief() {
            None => self.sampler.sample_history(game, rng),
            Some(belief) => {
                let inferred = belief.draw_history(rng).cloned();
                debug_assert!(inferred.is_some(), "the belief has histories");
                inferred.unwrap_or_else(|| self.sampler.sample_history(game, rng))
            }
        }
    }

    /// The exact sampler of the view.
    pub fn sampler(&self) -> &G::Sampler {
        &self.sampler
    }

    /// Whether policy inference was asked for and failed ([`NoBelief::Failed`]): draws are by chance alone then.
    pub fn inference_failed(&self) -> bool {
        self.failed
    }

    /// What was inferred from the others' actions; `None` where chance alone counts.
    pub fn belief(&self) -> Option<&Belief<G>> {
        self.more.as_ref()?.belief.as_ref()
    }

    /// Every world that the searcher takes for possible, once, with its weight, if they can be listed and there are no more than
    /// `most`.
    pub fn all(&self, most: u64) -> Option<Vec<(G::State, f64)>> {
        if self.sampler.count() > u128::from(most) {
            return None;
        }
        match self.belief() {
            None => Some(self.sampler.worlds().map(|world| (world.state, world.weight as f64)).collect()),
            Some(belief) if belief.covers_all_worlds() => {
                Some(belief.worlds().map(|(&state, share)| (state, share)).filter(|&(_, share)| share > 0.0).collect())
            }
            Some(_) => None,
        }
    }
}

impl<G: Game> More<G> {
    #[inline]
    fn imagined(&self, rng: &mut Rng) -> Option<G::State> {
        let asked = !self.minds.is_empty() && rng.bits() >> 32 < self.self_determined;
        asked.then(|| self.minds[rng.below(self.minds.len() as u32) as usize].sample(rng))
    }

    #[inline]
    fn draw_own(&self, sampler: &G::Sampler, rng: &mut Rng) -> G::State {
        match &self.belief {
            None => sampler.sample(rng),
            Some(belief) => belief.draw(rng),
        }
    }
}

/// Samplers of what the other players could believe, in turn: as many as the draws are worth and time allows.
fn minds<G: Game>(
    game: &G,
    searcher: Seat,
    sampler: &G::Sampler,
    (share, draws): (f64, u64),
    stop: &Stop<'_>,
    rng: &mut Rng,
) -> Vec<G::Sampler> {
    if share <= 0.0 {
        return Vec::new();
    }
    let count = game.num_seats();
    let worth = (share * draws as f64 / DRAWS_PER_MIND).ceil() as u64;
    let wanted = worth.clamp(count as u64 - 1, MOST_MINDS);
    let mut minds = Vec::new();
    for index in 0..wanted as usize {
        if index > 0 && stop.is_due() {
            break;
        }
        let other = searcher.after(1 + index % (count - 1), count);
        minds.push(mind(game, &sampler.sample_history(game, rng), other));
    }
    minds
}

/// What the seat could believe after this history.
fn mind<G: Game>(game: &G, history: &History<G>, seat: Seat) -> G::Sampler {
    game.sampler(&game.view(history, seat))
}
