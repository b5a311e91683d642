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

use stier_core::list::Listing as _;
use stier_core::{ActionSet as _, Game, Hints, Rng, SeatView as _, choice, float, options};

use crate::agent::budget::Budget;
use crate::agent::choice::Choose;
use crate::agent::stop::TimeLimit;
use crate::agent::threads::Workers;
use crate::agent::{Decision, Search};
use crate::belief::{BeliefSettings, Beliefs};
use crate::rollout::{Roller, RolloutSettings};
use crate::search::algorithm::{Algorithm, SearchAgent, Task};
use crate::search::spread::{ReturnScale, ReturnSpread};
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
        iterations: u64 = 1000, 1..=1_000_000_000, "time_ms=0";
        /// Milliseconds per decision. If given, time ends the search instead of `iterations`, and results depend on
        /// the clock.
        time_ms: TimeLimit = TimeLimit::NONE, ();
        /// The rule by which an iteration chooses its action.
        allocation: Allocation = Allocation::Uniform, ();
        /// Exploration in UCB1, for returns scaled so that twice their standard deviation in this search is 1.
        c: f64 = 0.7, 0.0..=100.0, "allocation=ucb1";
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

/// The algorithm: see the [module](self) documentation.
pub(crate) struct FlatMc {
    options: FlatMcOptions,
    workers: Workers,
}

impl FlatMcOptions {
    /// The most rollouts of a decision; `None` if more than rollouts takes time.
    pub(crate) fn only_rollouts(&self) -> Option<u64> {
        let rollouts = self.iterations.saturating_mul(self.rollouts.rollouts.into());
        (self.belief.beliefs == Beliefs::Uniform).then_some(rollouts)
    }
}

impl FlatMc {
    /// Creates a player with the streams of `seed`.
    pub(crate) fn new(options: FlatMcOptions, seed: u64) -> SearchAgent<Self> {
        SearchAgent::new(options.time_ms, options.belief.clone(), seed, Self { options, workers: Workers::default() })
    }
}

impl<G: Hints> Algorithm<G> for FlatMc {
    fn decide(&mut self, task: &Task<'_, G>) -> Decision {
        let (options, count) = (&self.options, self.options.threads);
        let search = |index| Flat {
            task,
            options,
            roller: Roller::new(options.rollouts).guided_by(&options.belief.guide),
            budget: Budget::part(options.iterations, task.stop, index, count),
            rng: task.streams.rng_of_many("flat_mc", index, count),
            actions: task.legal.iter().map(ActionRecord::new).list(),
            scale: ReturnScale::new(task.game),
            spread: ReturnSpread::new(1.0),
        };
        let mut searches: Vec<Flat<'_, G>> = (0..count).map(search).list();
        let iterations = self.workers.run_all(&mut searches, Flat::run);
        let total = |(index, action)| {
            let records = searches.iter().map(|search: &Flat<'_, G>| search.actions[index]);
            let sum = records.fold(ActionRecord::new(action), ActionRecord::plus);
            let all = ActionRecord { available: iterations, ..sum };
            all.stats(all.mean())
        };
        let actions = task.legal.iter().enumerate().map(total).list();
        let found = Search { actions, iterations, nodes: 1, seconds: 0.0 };
        let spread = searches.iter().map(|search| f64::from(search.spread.scale())).fold(0.0, f64::max);
        let rng = &mut task.streams.advanced().rng("flat_mc choice");
        options.choose.decide(found, spread * searches[0].scale.range, None, rng)
    }
}

/// The search of one thread.
struct Flat<'a, G: Game> {
    task: &'a Task<'a, G>,
    options: &'a FlatMcOptions,
    roller: Roller,
    budget: Budget<'a>,
    rng: Rng,
    /// One for each legal action, ascending.
    actions: Vec<ActionRecord>,
    scale: ReturnScale,
    spread: ReturnSpread,
}

impl<G: Hints> Flat<'_, G> {
    /// Runs the search and returns the number of iterations.
    fn run(&mut self) -> u64 {
        let worlds = &self.task.worlds;
        let mut world = None;
        while let Some(iteration) = self.budget.next() {
            let round = (iteration % self.actions.len() as u64) as usize;
            let (place, state) = match self.options.allocation {
                Allocation::Uniform if round == 0 => (0, *world.insert(worlds.draw(&mut self.rng))),
                Allocation::Uniform => (round, world.expect("drawn at the start of the round")),
                Allocation::Ucb1 => (self.highest_bound(iteration), worlds.draw(&mut self.rng)),
            };
            let value = self.iterate(place, state);
            self.spread.add(self.scale.unit(value));
        }
        self.budget.begun
    }

    /// Tries an action in this world and returns the searcher's return.
    #[inline]
    fn iterate(&mut self, place: usize, mut state: G::State) -> f64 {
        let (game, seat) = (self.task.game, self.task.view.seat());
        let action = self.actions[place].action;
        game.step(&mut state, action, &mut self.rng);
        let returns = self.roller.returns(game, &mut state, &mut self.rng);
        let value = f64::from(returns[seat]);
        self.actions[place].add(value);
        value
    }

    /// The action with the highest mean + c x spread x sqrt(ln(iterations) / visits), or one that was not tried yet.
    fn highest_bound(&self, iterations: u64) -> usize {
        let width = self.options.c * f64::from(self.spread.scale()) * self.scale.range;
        let log = float::log(iterations.max(1) as f64);
        highest(self.actions.iter().map(|record| record.bound(width, log)).enumerate()).expect("an action")
    }
}
