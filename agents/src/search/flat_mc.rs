//! Flat Monte Carlo: worlds and rollouts without a tree.
//!
//! Every iteration draws a world from the view, plays a legal action in it and rolls out. The action with the best
//! mean return is played. Searching dealt-out worlds as if they were open began with M. L. Ginsberg, *GIB: Imperfect
//! Information in a Computationally Challenging Game*, Journal of Artificial Intelligence Research 14, 2001.
//! Rolled-out worlds under UCB1 at the root are the *flat UCB* of C. B. Browne et al., *A Survey of Monte Carlo Tree
//! Search Methods*, IEEE Transactions on Computational Intelligence and AI in Games 4(1), 2012.
//!
//! Known weaknesses: this is a single step of policy improvement over the rollout policy, however many iterations are
//! spent. It does not plan a second move, expects only the rollout policy's replies, and does not hide its
//! intentions. In simultaneous choices, later players reply by the rollout policy, which does not know the searcher's
//! choice. Play is deterministic and can be exploited.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use stier_core::{ActionSet, Game, Hints, Rng, Seat, SeatView as _, choice, float, options};

use crate::agent::budget::Budget;
use crate::agent::choice::{Choose, without_noise};
use crate::agent::streams::AgentStreams;
use crate::agent::threads::Workers;
use crate::agent::worlds::Worlds;
use crate::agent::{Agent, Decision, Search};
use crate::belief::BeliefSettings;
use crate::rollout::{Roller, RolloutSettings};
use crate::search::spread::ReturnSpread;
use crate::search::ucb::{ActionRecord, highest};

choice! {
    /// The rule by which an iteration chooses its action.
    pub(crate) enum Allocation {
        /// Each action in turn, in the same world before the next one is drawn. This cancels the luck of the cards.
        Uniform = "uniform",
        /// The action with the highest upper confidence bound.
        Ucb1 = "ucb1",
    }
}

options! {
    /// The options of [`FlatMc`].
    pub(crate) struct FlatMcOptions for "flat_mc" {
        /// Iterations per decision, over all threads.
        iterations: u64 = 1000, 1..=1_000_000_000;
        /// Milliseconds per decision. If given, time ends the search instead of `iterations`, and results depend on
        /// the clock.
        time_ms: u64 = 0, 0..=3_600_000;
        /// The rule by which an iteration chooses its action.
        allocation: Allocation = Allocation::Uniform, ();
        /// Exploration in UCB1, for returns scaled so that twice their standard deviation in this search is 1.
        c: f64 = 0.7, 0.0..=100.0;
        /// The policy that plays iterations to the end.
        ..rollouts: RolloutSettings = RolloutSettings::default();
        /// The rule by which an action is chosen after the search.
        choose: Choose = Choose::Value, ();
        /// The weights of the worlds.
        ..belief: BeliefSettings = BeliefSettings::default();
        /// The number of threads. Their statistics are added; results are deterministic for a given number.
        threads: u64 = 1, 1..=256;
    }
}

/// The player: see the [module](self) documentation.
#[derive(Debug)]
pub(crate) struct FlatMc {
    options: FlatMcOptions,
    streams: AgentStreams,
    workers: Workers,
}

impl FlatMc {
    /// Creates a player with the streams of `seed`.
    pub(crate) fn new(options: FlatMcOptions, seed: u64) -> Self {
        Self { options, streams: AgentStreams::new(seed), workers: Workers::default() }
    }
}

impl<G: Hints> Agent<G> for FlatMc {
    /// Searches, unless only one action is legal.
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let start = Instant::now();
        let count = self.options.threads;
        let stop = self.streams.stop(start, self.options.time_ms);
        let mut worlds = None;
        let mut searches = Vec::new();
        let mut iterations = 0;
        if legal.len() > 1 {
            let worlds = worlds.insert(self.options.belief.worlds(game, view, &stop, &mut self.streams.rng("beliefs")));
            searches = (0..count)
                .map(|index| Flat {
                    game,
                    seat: view.seat(),
                    worlds,
                    roller: Roller::new(game, self.options.rollouts).guided_by(&self.options.belief.guide),
                    budget: Budget::part(self.options.iterations, stop, index, count),
                    rng: self.streams.rng_of_many("flat_mc", index, count),
                    actions: legal.iter().map(ActionRecord::new).collect(),
                    spread: ReturnSpread::default(),
                })
                .collect();
            iterations = self.workers.run_all(&mut searches, |search| search.run(&self.options));
        }
        let found = report(legal, &searches, iterations, start.elapsed());
        let (low, high) = game.rounded_range();
        let scales = searches.iter().map(|search| f64::from(search.spread.scale()));
        let mixture = without_noise(&found.actions, scales.fold(0.0, f64::max) * f64::from(high - low));
        self.streams.advance();
        self.options.choose.decide(found, &mixture, &mut self.streams.rng("flat_mc choice"))
    }

    fn restart(&mut self, seed: u64) {
        self.streams.restart(seed);
    }

    fn beliefs(&mut self, game: &G, view: &G::View) -> Worlds<G> {
        let stop = self.streams.stop(Instant::now(), self.options.time_ms);
        self.options.belief.worlds(game, view, &stop, &mut self.streams.rng("beliefs"))
    }

    fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.streams.interrupt_with(flag);
    }
}

/// Adds up the results of the threads.
fn report<G: Game>(legal: G::Actions, searches: &[Flat<'_, G>], iterations: u64, time: Duration) -> Search {
    let actions = legal.iter().enumerate().map(|(index, action)| {
        let records = || searches.iter().map(|search| &search.actions[index]);
        let (visits, sum) = (records().map(|record| record.visits).sum(), records().map(|record| record.sum).sum());
        let all = ActionRecord { action, visits, available: iterations, sum };
        all.stats(all.mean())
    });
    Search { actions: actions.collect(), iterations, nodes: u64::from(iterations > 0), seconds: time.as_secs_f64() }
}

/// The search of one thread.
struct Flat<'a, G: Game> {
    game: &'a G,
    seat: Seat,
    worlds: &'a Worlds<G>,
    roller: Roller,
    budget: Budget<'a>,
    rng: Rng,
    /// One for each legal action, ascending.
    actions: Vec<ActionRecord>,
    spread: ReturnSpread,
}

impl<G: Hints> Flat<'_, G> {
    /// Runs the search and returns the number of iterations.
    fn run(&mut self, options: &FlatMcOptions) -> u64 {
        let (low, high) = self.game.rounded_range();
        let range = f64::from(high - low).max(f64::MIN_POSITIVE);
        let mut done = 0;
        let mut world = None;
        loop {
            let chunk = self.budget.next(done);
            if chunk == 0 {
                return done;
            }
            for iteration in done..done + chunk {
                let round = (iteration % self.actions.len() as u64) as usize;
                let (place, state) = match options.allocation {
                    Allocation::Uniform if round == 0 => (0, *world.insert(self.worlds.draw(&mut self.rng))),
                    Allocation::Uniform => (round, world.expect("drawn at the start of the round")),
                    Allocation::Ucb1 => {
                        (self.highest_bound(options.c, iteration, range), self.worlds.draw(&mut self.rng))
                    }
                };
                let value = self.iterate(place, state);
                self.spread.add((value - f64::from(low)) / range);
            }
            done += chunk;
        }
    }

    /// Tries an action in this world and returns the searcher's return.
    #[inline]
    fn iterate(&mut self, place: usize, mut state: G::State) -> f64 {
        let action = self.actions[place].action;
        self.roller.note(self.seat, action);
        self.game.step(&mut state, action, &mut self.rng);
        let returns = self.roller.returns(self.game, &mut state, &mut self.rng);
        self.roller.learn(&returns);
        let value = f64::from(returns[self.seat]);
        self.actions[place].add(value);
        value
    }

    /// The action with the highest mean + c x spread x sqrt(ln(iterations) / visits), or one that was not tried yet.
    fn highest_bound(&self, c: f64, iterations: u64, range: f64) -> usize {
        let width = c * f64::from(self.spread.scale()) * range;
        let log = float::log(iterations.max(1) as f64);
        highest(self.actions.iter().map(|record| record.bound(width, log)).enumerate()).expect("an action")
    }
}
