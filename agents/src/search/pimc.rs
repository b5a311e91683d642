//! Perfect information Monte Carlo search.
//!
//! The search deals out the hidden cards in many ways, searches each world as if it were open, and plays the action
//! that is best on average: D. N. L. Levy, *The Million Pound Bridge Program*, Heuristic Programming in Artificial
//! Intelligence, 1989; M. L. Ginsberg, *GIB: Imperfect Information in a Computationally Challenging Game*, Journal of
//! Artificial Intelligence Research 14, 2001. For the reasons why it works see J. R. Long, N. R. Sturtevant, M. Buro
//! and T. Furtak, *Understanding the Success of Perfect Information Monte Carlo Sampling in Game Tree Search*, AAAI
//! 2010. A world includes the results of chance. If there are at most as many worlds as would be sampled, each is
//! searched once, with its weight.
//!
//! A world is solved exactly ([`open_cards`](crate::search::open_cards)) if that takes at most `nodes`. Once a world of
//! a decision takes more, the others are assumed to do so too, and each is searched by its own tree
//! ([`uct`](crate::search::uct)).
//!
//! Known weaknesses (I. Frank and D. Basin, *Search in Games with Incomplete Information*, Artificial Intelligence
//! 100, 1998). *Strategy fusion*: the search plans to play differently in worlds that it will not be able to
//! distinguish. It therefore postpones decisions until it knows more, and never pays for information or hides any.
//! *Non-locality*: worlds that are unlikely given the others' play count in full, unless `beliefs=policy` weights
//! them. The others are assumed to see all cards and, in simultaneous choices, the cards chosen before theirs. More
//! than a few hundred worlds do not help.

use stier_core::{Game, Hints, SeatView as _, options};

use crate::agent::Decision;
use crate::agent::stop::TimeLimit;
use crate::belief::BeliefSettings;
use crate::search::algorithm::{Algorithm, SearchAgent, Task};
use crate::search::determinized::{ValuationSettings, WorldDraws, WorldEvaluator};

options! {
    /// The options of [`Pimc`].
    pub(crate) struct PimcOptions for "pimc" {
        /// Worlds per decision.
        worlds: u64 = 50, 1..=100_000_000;
        /// Milliseconds per decision. If given, time ends the search instead of `worlds`, and results depend on the
        /// clock. If there are at most `worlds` worlds in all, they are searched in turn.
        time_ms: TimeLimit = TimeLimit::NONE, ();
        /// The valuation of the worlds.
        ..valuation: ValuationSettings = ValuationSettings::default();
        /// The weights of the worlds.
        ..belief: BeliefSettings = BeliefSettings::default();
    }
}

/// The algorithm: see the [module](self) documentation.
pub(crate) struct Pimc<G: Game> {
    options: PimcOptions,
    evaluator: WorldEvaluator<G>,
}

impl<G: Hints> Pimc<G> {
    /// Creates a player with the streams of `seed`.
    pub(crate) fn new(options: PimcOptions, seed: u64) -> SearchAgent<Self> {
        let evaluator = WorldEvaluator::new(options.valuation, &options.belief.guide);
        SearchAgent::new(options.time_ms, options.belief.clone(), seed, Self { options, evaluator })
    }
}

impl<G: Hints> Algorithm<G> for Pimc<G> {
    fn decide(&mut self, task: &Task<'_, G>) -> Decision {
        self.evaluator.begin();
        let draws = WorldDraws::new(&task.worlds, self.options.worlds, &mut task.streams.rng("determinized"));
        let tally = self.evaluator.tally(task.game, &draws, task.view.seat(), task.legal, &task.stop);
        tally.decide(self.evaluator.nodes)
    }

    fn restart(&mut self, _seed: u64) {
        self.evaluator.restart();
    }
}
