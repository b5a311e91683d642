//! The common parts of searches that deal out the hidden cards and search each world with open cards: the worlds, the
//! values of actions in a world, and their sums over worlds.

use stier_core::list::Listing as _;
use stier_core::{
    Action, ActionSet as _, BySeat, Game, Hints, History, Rng, Seat, SeatView as _, Turn, choice, options,
};

use crate::agent::memory::{DEFAULT_MEMORY_MB, MEMORY_MB, Memory};
use crate::agent::stop::Stop;
use crate::agent::worlds::Worlds;
use crate::agent::{ActionStats, Decision, Search};
use crate::network::option::Guide;
use crate::rollout::{Roller, Rollout};
use crate::search::algorithm::Task;
use crate::search::future::{Future, OpenPosition, WorldValues};
use crate::search::open_cards::{OpenCards, Solution};
use crate::search::ucb::ActionRecord;
use crate::search::uct::{Uct, UctSettings};

choice! {
    /// The method by which an open world is valued.
    pub(crate) enum Solver {
        /// Best play to the end by all players, with all cards open and chance known, if it is found within `nodes`;
        /// otherwise `fallback`.
        Exact = "exact",
        /// Tree search with `iterations`, with all cards open and chance known.
        Search = "search",
        /// The mean of `iterations` rollouts, shared among the actions.
        Rollouts = "rollouts",
    }
}

choice! {
    /// The method by which a world is valued that cannot be solved.
    pub(crate) enum Fallback {
        /// By tree search.
        Search = "search",
        /// By rollouts.
        Rollouts = "rollouts",
        /// By a search as deep as `nodes` allow, down to the game's own evaluation.
        Evaluate = "evaluate",
    }
}

options! {
    /// The valuation of positions in open worlds.
    #[derive(Copy)]
    pub(crate) struct ValuationSettings for "valuations" {
        /// The method by which a world is valued.
        solver: Solver = Solver::Exact, ();
        /// The method for worlds that exact solving does not finish.
        fallback: Fallback = Fallback::Search, (), "solver=exact";
        /// The number of nodes that exact solving may take for each world.
        nodes: u64 = 2000, 1..=1_000_000_000, "solver=exact";
        /// The number of iterations per tree search, or of rollouts shared among the actions.
        iterations: u64 = 200, 1..=1_000_000_000, "solver=search|rollouts or fallback=search|rollouts";
        /// Exploration in the tree search, for returns scaled so that twice their standard deviation in the world is
        /// 1.
        c: f64 = 0.7, 0.0..=100.0, "solver=search or solver=exact and fallback=search";
        /// The policy that plays on from a leaf of the tree search, or from the action in rollouts.
        rollout: Rollout = Rollout::Hints, (), "solver=search|rollouts or fallback=search|rollouts";
        /// Mebibytes that the tree search may take. Once its tree is full, the search continues with the existing
        /// nodes.
        memory_mb: u64 = DEFAULT_MEMORY_MB, MEMORY_MB;
    }
}

/// Values worlds and keeps its memory between them.
#[derive(Clone, Debug)]
pub(crate) struct WorldEvaluator<G: Game> {
    valuation: ValuationSettings,
    roller: Roller,
    open: OpenCards,
    tree: Uct<G::Actions>,
    /// True if a world of this decision could not be solved. The others are then not tried.
    too_large: bool,
    /// The number of nodes searched since [`begin`](Self::begin).
    pub(crate) nodes: u64,
    /// True if another future could have changed the values.
    chance: bool,
    /// True if other random numbers could have changed the values.
    random: bool,
}

impl<G: Hints> WorldEvaluator<G> {
    /// Creates an evaluator with these settings and the network that they may use.
    pub(crate) fn new(valuation: ValuationSettings, guide: &Guide) -> Self {
        Self {
            valuation,
            roller: Roller::of(valuation.rollout).guided_by(guide),
            open: OpenCards::default(),
            tree: Uct::new(Memory::share(valuation.memory_mb, 1)),
            too_large: false,
            nodes: 0,
            chance: false,
            random: false,
        }
    }

    /// Begins a game: forgets the last one.
    pub(crate) fn restart(&mut self) {
        self.open.clear();
    }

    /// Begins a decision.
    pub(crate) fn begin(&mut self) {
        (self.too_large, self.nodes, self.chance, self.random) = (false, 0, false, false);
    }

    /// Returns true if the values since [`begin`](Self::begin) depend on more than the states: on random numbers, or
    /// on the futures unless those are `known`.
    pub(crate) fn is_noisy(&self, known: bool) -> bool {
        self.random || self.chance && !known
    }

    /// Values the actions of a seat in worlds until the budget is spent and sums up the results.
    pub(crate) fn tally(
        &mut self,
        game: &G,
        draws: &WorldDraws<'_, G>,
        seat: Seat,
        legal: G::Actions,
        stop: &Stop<'_>,
    ) -> WorldTally {
        let mut tally = WorldTally::new(seat, legal.iter());
        while !draws.is_done(tally.worlds, self.is_noisy(false), stop) {
            let mut world = draws.nth(tally.worlds);
            debug_assert_eq!(game.turn(&world.state), Turn::Seat(seat));
            let position = OpenPosition { state: &world.state, legal };
            let valued = self.value(game, position, &world.future, &mut world.rng, stop);
            // An interrupted world counts only if it is the first.
            if tally.worlds > 0 && stop.is_due() {
                break;
            }
            tally.add(world.weight, &valued);
        }
        tally
    }

    /// Values actions of the player to act, given in ascending order; they may be only some of the legal actions. If
    /// the search must stop early, the values are less accurate.
    pub(crate) fn value(
        &mut self,
        game: &G,
        position: OpenPosition<'_, G::State, G::Actions>,
        future: &Future,
        rng: &mut Rng,
        stop: &Stop<'_>,
    ) -> Vec<WorldValues> {
        match self.solve(game, position, future, rng, stop) {
            Some(valued) => valued,
            None => self.search(game, position, Some(future), self.valuation.iterations, rng, stop),
        }
    }

    /// The same as [`value`](Self::value), but `None` if a tree search would be needed.
    pub(crate) fn solve(
        &mut self,
        game: &G,
        position: OpenPosition<'_, G::State, G::Actions>,
        future: &Future,
        rng: &mut Rng,
        stop: &Stop<'_>,
    ) -> Option<Vec<WorldValues>> {
        let ValuationSettings { solver, fallback, nodes, .. } = self.valuation;
        if solver == Solver::Exact && (!self.too_large || fallback == Fallback::Evaluate) {
            let solution = self.open.solve(game, position, future, nodes, stop);
            if solution.exact || fallback == Fallback::Evaluate {
                return Some(self.solved(solution));
            }
            self.nodes += solution.nodes;
            self.chance |= solution.chance;
            self.too_large = true;
        }
        let rolls_out = match solver {
            Solver::Exact => fallback == Fallback::Rollouts,
            Solver::Search => false,
            Solver::Rollouts => true,
        };
        rolls_out.then(|| self.roll_out(game, position, future, rng, stop))
    }

    /// Records the cost of a solution and returns its values.
    fn solved(&mut self, solution: Solution) -> Vec<WorldValues> {
        self.nodes += solution.nodes;
        self.chance |= solution.chance;
        solution.actions
    }

    /// The same as [`value`](Self::value) by a tree search with this many iterations. Without a future, each
    /// iteration draws its own.
    pub(crate) fn search(
        &mut self,
        game: &G,
        position: OpenPosition<'_, G::State, G::Actions>,
        future: Option<&Future>,
        iterations: u64,
        rng: &mut Rng,
        stop: &Stop<'_>,
    ) -> Vec<WorldValues> {
        (self.chance, self.random) = (true, true);
        let settings = UctSettings { iterations, c: self.valuation.c, stop: *stop };
        let found = self.tree.search(game, position, future, &mut self.roller, &settings, rng);
        self.nodes += self.tree.len() as u64;
        found
    }

    /// Values the actions by rollouts with the same random numbers for each, at least one. The actions take turns, so
    /// that an early end treats all alike.
    fn roll_out(
        &mut self,
        game: &G,
        OpenPosition { state, legal }: OpenPosition<'_, G::State, G::Actions>,
        future: &Future,
        rng: &Rng,
        stop: &Stop<'_>,
    ) -> Vec<WorldValues> {
        let each = (self.valuation.iterations / legal.len() as u64).max(1);
        (self.chance, self.random) = (true, true);
        self.nodes += 1;
        let start = |action| {
            let (mut start, mut coming) = (*state, future.clone());
            game.apply(&mut start, action);
            coming.settle(game, &mut start);
            (action, start, rng.clone(), BySeat::filled(game.num_seats(), 0.0))
        };
        let mut tried: Vec<_> = legal.iter().map(start).list();
        let mut done = 0;
        while done < each && (done == 0 || !stop.is_due()) {
            for (_, start, rng, sums) in &mut tried {
                let returns = self.roller.returns(game, &mut start.clone(), rng);
                sums.iter_mut().zip(returns.iter()).for_each(|(sum, &value)| *sum += f64::from(value));
            }
            done += 1;
        }
        let valued = |(action, _, _, sums): (Action, G::State, Rng, BySeat<f64>)| {
            let values = BySeat::from_fn(sums.len(), |seat| (sums[seat] / done as f64) as f32);
            WorldValues { action, values, visits: done, available: done }
        };
        tried.into_iter().map(valued).list()
    }
}

/// The action that the mover of a valued world would choose: the one with the most visits, and among equals the best
/// for the mover. `None` if there are no actions.
pub(crate) fn best_of(valued: &[WorldValues], mover: Seat) -> Option<&WorldValues> {
    let better = |a: &WorldValues, b: &WorldValues| {
        a.visits > b.visits || a.visits == b.visits && a.values[mover] > b.values[mover]
    };
    valued.iter().reduce(|best, next| if better(next, best) { next } else { best })
}

/// A world to be valued.
#[derive(Clone, Debug)]
pub(crate) struct Drawn<S> {
    /// The state.
    pub state: S,
    /// The weight of the world.
    pub weight: f64,
    /// The results of chance in the world.
    pub future: Future,
    /// The random numbers for valuing the world.
    pub rng: Rng,
}

/// The worlds of one decision, by number.
pub(crate) struct WorldDraws<'a, G: Game> {
    base: u64,
    worlds: &'a Worlds<G>,
    /// All worlds in random order, if there are few of them.
    all: Option<Vec<(G::State, f64)>>,
    most: u64,
}

impl<'a, G: Game> WorldDraws<'a, G> {
    /// Chooses at most `most` worlds by `rng`. If there are at most that many, each is included once.
    pub(crate) fn new(worlds: &'a Worlds<G>, most: u64, rng: &mut Rng) -> Self {
        let mut all = worlds.all(most);
        if let Some(all) = &mut all {
            rng.shuffle(all);
        }
        Self { base: rng.bits(), worlds, all, most }
    }

    /// Returns true if more worlds than `done` would not help. Either the budget is spent, or all worlds were seen
    /// and their values are not `noisy`.
    pub(crate) fn is_done(&self, done: u64, noisy: bool, stop: &Stop<'_>) -> bool {
        let round = self.all.as_ref().map_or(self.most, |all| all.len() as u64);
        let spent = match &self.all {
            // Only whole rounds are finished, so that all worlds count equally.
            Some(_) if !noisy => done >= round,
            Some(_) => !stop.is_timed && done >= self.most / round * round,
            None => !stop.is_timed && done >= self.most,
        };
        spent || done > 0 && stop.is_due()
    }

    /// The world with this number. After the last world the first one follows again, with another future.
    pub(crate) fn nth(&self, index: u64) -> Drawn<G::State> {
        let mut rng = Rng::stream(self.base, "world", index);
        let (state, weight) = match &self.all {
            Some(all) => all[(index % all.len() as u64) as usize],
            None => (self.worlds.draw(&mut rng), 1.0),
        };
        Drawn { state, weight, future: Future::drawn(rng.bits()), rng }
    }
}

/// The sums over worlds of the actions' values.
#[derive(Clone, Debug)]
pub(crate) struct WorldTally {
    seat: Seat,
    /// The weighted sums of the values over worlds.
    rows: Vec<ActionRecord>,
    /// The number of worlds added.
    pub(crate) worlds: u64,
    weight: f64,
}

impl WorldTally {
    /// Starts with empty sums for these actions of this seat.
    pub(crate) fn new(seat: Seat, actions: impl Iterator<Item = Action>) -> Self {
        Self { seat, rows: actions.map(ActionRecord::new).list(), worlds: 0, weight: 0.0 }
    }

    /// Adds a world.
    pub(crate) fn add(&mut self, weight: f64, valued: &[WorldValues]) {
        self.worlds += 1;
        for (row, valued) in self.rows.iter_mut().zip(valued) {
            assert_eq!(row.action, valued.action, "a value for each action");
            row.visits += valued.visits;
            row.available += valued.available;
            row.sum += weight * f64::from(valued.values[self.seat]);
        }
        self.weight += weight;
    }

    /// All actions with the highest mean value, up to rounding.
    pub(crate) fn equally_good(&self) -> Vec<Action> {
        let best = self.rows.iter().map(|row| row.sum).fold(f64::NEG_INFINITY, f64::max);
        let close = 1e-6 * self.weight;
        self.rows.iter().filter(|row| row.sum >= best - close).map(|row| row.action).list()
    }

    /// The statistics of the actions, with their mean values.
    pub(crate) fn stats(&self) -> Vec<ActionStats> {
        let mean = |row: &ActionRecord| if self.weight > 0.0 { row.sum / self.weight } else { 0.0 };
        self.rows.iter().map(|row| row.stats(mean(row))).list()
    }

    /// The decision for the action with the highest mean value, the first of equals, after searching `nodes` nodes.
    pub(crate) fn decide(&self, nodes: u64) -> Decision {
        let best = self.rows.iter().reduce(|best, next| if next.sum > best.sum { next } else { best });
        self.decide_for(best.expect("at least one action").action, nodes)
    }

    /// The decision for this action, after searching `nodes` nodes.
    pub(crate) fn decide_for(&self, action: Action, nodes: u64) -> Decision {
        let mut actions = self.stats();
        for stats in &mut actions {
            stats.probability = f64::from(stats.action == action.0);
        }
        Decision::searched(action, Search { actions, iterations: self.worlds, nodes, seconds: 0.0 })
    }
}

/// Values the actions of the player to act in at most `most` whole histories and sums up the results. In each
/// history, all actions meet the same future and the same random numbers, from the stream for this `purpose`.
pub(crate) fn tally_histories<G: Hints>(
    task: &Task<'_, G>,
    most: u64,
    purpose: &str,
    mut value: impl FnMut(&History<G>, Action, Future, Rng) -> BySeat<f32>,
) -> WorldTally {
    let Task { game, ref worlds, legal, stop, .. } = *task;
    let seed = task.streams.rng(purpose).bits();
    let mut tally = WorldTally::new(task.view.seat(), legal.iter());
    while tally.worlds == 0 || (stop.is_timed || tally.worlds < most) && !stop.is_due() {
        let mut rng = Rng::stream(seed, "world", tally.worlds);
        let history = worlds.draw_history(game, &mut rng);
        let future = Future::drawn(rng.bits());
        let valued = |action| WorldValues::once(action, value(&history, action, future.clone(), rng.clone()));
        let valued: Vec<WorldValues> = legal.iter().map(valued).list();
        // An interrupted history counts only if it is the first.
        if tally.worlds > 0 && stop.is_due() {
            break;
        }
        tally.add(1.0, &valued);
    }
    tally
}
