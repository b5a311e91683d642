//! Players that see everything, as a measure of the value of hidden information.
//!
//! An oracle is given the true state, including hidden cards, and decides as [`pimc`](crate::search::pimc) does in a
//! single world. It knows the results of chance only with `future=known`, and only if the cards come from a dealer that
//! can be queried in advance. It then plays with a known pile. Otherwise it averages over `worlds` futures, or searches
//! one tree in which every iteration draws its own (*cheating UCT* in P. I. Cowling, E. J. Powley and D. Whitehouse,
//! *Information Set Monte Carlo Tree Search*, 2012).
//!
//! Oracles are an upper bound on the gain from inference. Only a [`Player`](crate::agent::Player) that is an oracle
//! gets a state; fair agents never do.
//!
//! Known weaknesses: an oracle assumes that its opponents see everything too, so it does not exploit what they do not
//! know. If it does not know the future, it averages over solved futures (strategy fusion again).

use stier_core::{ActionSet as _, Dealer, Game, Hints, History, Rng, choice, options};

use crate::agent::Decision;
use crate::agent::player::OracleAgent;
use crate::agent::stop::{Stop, TimeLimit};
use crate::belief::BeliefSettings;
use crate::network::option::Guide;
use crate::search::algorithm::{Algorithm, SearchAgent, Task};
use crate::search::determinized::{ValuationSettings, WorldEvaluator, WorldTally};
use crate::search::future::{Future, OpenPosition};

choice! {
    /// An oracle's knowledge of the random events to come.
    pub(crate) enum FutureKnowledge {
        /// Their probabilities.
        Hidden = "hidden",
        /// The events themselves: it has looked into the pile.
        Known = "known",
    }
}

options! {
    /// The options of [`Oracle`].
    pub(crate) struct OracleOptions for "oracle" {
        /// The number of futures per decision over which a solved position is averaged (future=hidden).
        worlds: u64 = 20, 1..=100_000_000, "solver!=search";
        /// Milliseconds per decision. If given, time ends the search instead of `worlds` and `iterations`, and
        /// results depend on the clock.
        time_ms: TimeLimit = TimeLimit::NONE, ();
        /// The oracle's knowledge of the random events to come.
        future: FutureKnowledge = FutureKnowledge::Hidden, ();
        /// The valuation of the position in each future.
        ..valuation: ValuationSettings = ValuationSettings { nodes: 20_000, iterations: 2000, ..ValuationSettings::default() };
        /// A trained network.
        ..guide: Guide = Guide::default();
    }
}

/// The algorithm: see the [module](self) documentation.
pub(crate) struct Oracle<G: Game> {
    options: OracleOptions,
    evaluator: WorldEvaluator<G>,
}

impl<G: Hints> Oracle<G> {
    /// Creates a player with the streams of `seed`.
    pub(crate) fn new(options: OracleOptions, seed: u64) -> SearchAgent<Self> {
        let evaluator = WorldEvaluator::new(options.valuation, &options.guide);
        SearchAgent::new(options.time_ms, BeliefSettings::default(), seed, Self { options, evaluator })
    }

    fn search(
        &mut self,
        game: &G,
        position: OpenPosition<'_, G::State, G::Actions>,
        dealer: Option<&Dealer>,
        mut rng: Rng,
        stop: Stop<'_>,
    ) -> Decision {
        self.evaluator.begin();
        let seat = game.turn(position.state).seat().expect("a player must be to act");
        let mut tally = WorldTally::new(seat, position.legal.iter());
        let known = dealer.filter(|_| self.options.future == FutureKnowledge::Known).cloned().map(Future::Dealt);
        // With a time limit a single tree gets all of it.
        let iterations = if stop.is_timed { u64::MAX } else { self.options.valuation.iterations };
        while tally.worlds < self.options.worlds || stop.is_timed {
            let future = known.clone().unwrap_or_else(|| Future::drawn(rng.bits()));
            let valued = self.evaluator.solve(game, position, &future, &mut rng, &stop);
            let first = tally.worlds == 0;
            match valued {
                // An interrupted future counts only if it is the first.
                _ if !first && stop.is_due() => break,
                Some(valued) => tally.add(1.0, &valued),
                None if first => {
                    tally.add(1.0, &self.evaluator.search(game, position, known.as_ref(), iterations, &mut rng, &stop));
                    break;
                }
                None => break,
            }
            if !self.evaluator.is_noisy(known.is_some()) || stop.is_due() {
                break;
            }
        }
        tally.decide(self.evaluator.nodes)
    }
}

impl<G: Hints> OracleAgent<G> for SearchAgent<Oracle<G>> {
    /// Searches, unless only one action is legal.
    fn act_openly(&mut self, game: &G, history: &History<G>, dealer: Option<&Dealer>, legal: G::Actions) -> Decision {
        let position = OpenPosition { state: history.state(), legal };
        let Self { algorithm, frame } = self;
        frame.decide(legal, None, &mut |frame, stop| {
            algorithm.search(game, position, dealer, frame.streams.rng("oracle"), stop)
        })
    }
}

/// A blindfolded oracle: given only a view, it treats one world drawn from it as the true one.
impl<G: Hints> Algorithm<G> for Oracle<G> {
    fn decide(&mut self, task: &Task<'_, G>) -> Decision {
        let state = task.worlds.draw(&mut task.streams.rng("blindfold"));
        let position = OpenPosition { state: &state, legal: task.legal };
        self.search(task.game, position, None, task.streams.rng("oracle"), task.stop)
    }

    fn restart(&mut self, _seed: u64) {
        self.evaluator.restart();
    }
}
