//! What the searches have in common that deal the hidden cards out and look at each world as if it were open: which worlds, what a
//! world says about the actions, and how that is added up.

use std::time::Instant;

use stier_core::{Action, ActionSet as _, BySeat, Game, Hints, History, Rng, Seat, Turn, choice, options};

use crate::agent::memory::{DEFAULT_MEMORY_MB, MEMORY_MB, Memory};
use crate::agent::stop::Stop;
use crate::agent::worlds::Worlds;
use crate::agent::{ActionStats, Decision, Search};
use crate::network::option::Guide;
use crate::rollout::{Roller, Rollout};
use crate::search::open_cards::{ActionValues, Future, Leaf, Limits, OpenCards, OpenPosition, Solution, known_future};
use crate::search::ucb::ActionRecord;
use crate::search::uct::{Uct, UctSettings};

choice! {
    /// How an open world is valued.
    pub enum Solver {
        /// Best play to the end by everybody, all cards open and chance known, if that is found within `nodes`; `fallback` otherwise.
        Exact = "exact",
        /// The same by the game's own solver, however many nodes that takes, where it has one ([`known_future`]); `exact` elsewhere.
        Game = "game",
        /// Tree search with `iterations`, all cards open and chance known.
        Search = "search",
        /// The mean of `iterations` rollouts, shared among the actions.
        Rollouts = "rollouts",
    }
}

choice! {
    /// How a world is valued that cannot be solved.
    pub enum Fallback {
        /// By tree search.
        Search = "search",
        /// By rollouts.
        Rollouts = "rollouts",
        /// By looking as deep as `nodes` allow, to the game's own evaluation.
        Evaluate = "evaluate",
    }
}

options! {
    /// How positions in open worlds are valued.
    #[derive(Copy)]
    pub struct Means for "valuations" {
        /// How a world is valued.
        solver: Solver = Solver::Exact, ();
        /// How worlds are valued that exact solving does not finish.
        fallback: Fallback = Fallback::Search, ();
        /// Nodes that exact solving may take, each time.
        nodes: u64 = 2000, 1..=1_000_000_000;
        /// Iterations of the tree search, each time; rollouts, shared among the actions.
        iterations: u64 = 200, 1..=1_000_000_000;
        /// Exploration in the tree search, for returns scaled so that twice their standard deviation in the world is 1.
        c: f64 = 0.7, 0.0..=100.0;
        /// How the tree search plays on from a leaf, and rollouts from the action.
        rollout: Rollout = Rollout::Hints, ();
        /// Mebibytes that the tree search may take. Once its tree is full, it goes on in the nodes that there are.
        memory_mb: u64 = DEFAULT_MEMORY_MB, MEMORY_MB;
    }
}

/// Values worlds; keeps its memory.
#[derive(Clone, Debug)]
pub(crate) struct Valuer<G: Game> {
    means: Means,
    guide: Guide,
    open: OpenCards,
    tree: Uct<G::Actions>,
    /// Statistics of rollouts in this decision, in all of its worlds.
    roller: Option<Roller>,
    /// A world of this decision could not be solved: the others are not tried.
    too_large: bool,
    /// Nodes searched.
    nodes: u64,
    /// Whether another future could have made a difference.
    chance: bool,
    /// Whether other random numbers could have.
    random: bool,
}

impl<G: Hints> Valuer<G> {
    /// A valuer by these means, with the network that they may refer to.
    pub(crate) fn new(means: Means, guide: &Guide) -> Self {
        Self {
            means,
            guide: guide.clone(),
            open: OpenCards::default(),
            tree: Uct::new(Memory::share(means.memory_mb, 1)),
            roller: None,
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
        self.roller = None;
    }

    /// Nodes searched since [`begin`](Self::begin).
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Whether the values since [`begin`](Self::begin) depend on more than the states: on the futures, unless those are `known`, or on
    /// random numbers.
    pub(crate) fn is_noisy(&self, known: bool) -> bool {
        self.random || self.chance && !known
    }

    /// Values actions of a player in the state in which it is to act: some or all of those that the rules allow, in ascending order.
    /// If it has to stop meanwhile, the values are poorer than they should be.
    pub(crate) fn value(
        &mut self,
        game: &G,
        position: OpenPosition<'_, G::State, G::Actions>,
        future: &Future,
        rng: &mut Rng,
        stop: &Stop<'_>,
    ) -> Vec<ActionValues> {
        match self.solve(game, position, future, rng, stop) {
            Some(valued) => valued,
            None => self.search(game, position, Some(future), self.means.iterations, rng, stop),
        }
    }

    /// As [`value`](Self::value), but `None` where that takes a tree search.
    pub(crate) fn solve(
        &mut self,
        game: &G,
        position: OpenPosition<'_, G::State, G::Actions>,
        future: &Future,
        rng: &mut Rng,
        stop: &Stop<'_>,
    ) -> Option<Vec<ActionValues>> {
        let Means { solver, fallback, nodes, .. } = self.means;
        let solves = matches!(solver, Solver::Exact | Solver::Game);
        if solver == Solver::Game
            && let Some(solution) = known_future(game, position, future)
        {
            return Some(self.solved(solution));
        }
        if solves && (!self.too_large || fallback == Fallback::Evaluate) {
            let limits = Limits { nodes, depth: u32::MAX, stop: *stop };
            let solution = self.open.solve(game, position, future, &Leaf::Evaluate, &limits);
            if solution.exact || fallback == Fallback::Evaluate {
                return Some(self.solved(solution));
            }
            self.nodes += solution.nodes;
            self.chance |= solution.chance;
            self.too_large = true;
        }
        let rolls_out = match solver {
            Solver::Exact | Solver::Game => fallback == Fallback::Rollouts,
            Solver::Search => false,
            Solver::Rollouts => true,
        };
        rolls_out.then(|| self.roll_out(game, position, future, rng))
    }

    /// Counts what a solution took.
    fn solved(&mut self, solution: Solution) -> Vec<ActionValues> {
        self.nodes += solution.nodes;
        self.chance |= solution.chance;
        solution.actions.into_iter().map(|(action, values)| ActionValues::once(action, values)).collect()
    }

    /// As [`value`](Self::value), by a tree search with so many iterations; without a future each of them draws its own.
    pub(crate) fn search(
        &mut self,
        game: &G,
        position: OpenPosition<'_, G::State, G::Actions>,
        future: Option<&Future>,
        iterations: u64,
        rng: &mut Rng,
        stop: &Stop<'_>,
    ) -> Vec<ActionValues> {
        (self.chance, self.random) = (true, true);
        let roller = roller(&mut self.roller, game, &self.means, &self.guide);
        let settings = UctSettings { iterations, c: self.means.c, stop: *stop };
        let found = self.tree.search(game, position, future, roller, &settings, rng);
        self.nodes += self.tree.len() as u64;
        found
    }

    /// Every action gets the same random numbers. The actions take turns, so that all of them meet rollouts that have learned as much.
    fn roll_out(
        &mut self,
        game: &G,
        OpenPosition { state, legal }: OpenPosition<'_, G::State, G::Actions>,
        future: &Future,
        rng: &Rng,
    ) -> Vec<ActionValues> {
        let each = (self.means.iterations / legal.len() as u64).max(1);
        (self.chance, self.random) = (true, true);
        let roller = roller(&mut self.roller, game, &self.means, &self.guide);
        self.nodes += 1;
        let start = |action| {
            let (mut start, mut coming) = (*state, future.clone());
            game.apply(&mut start, action);
            coming.settle(game, &mut start);
            (action, start, rng.clone(), BySeat::filled(game.num_seats(), 0.0))
        };
        let mut tried: Vec<_> = legal.iter().map(start).collect();
        for _ in 0..each {
            for (action, start, rng, sums) in &mut tried {
                if let Turn::Seat(mover) = game.turn(state) {
                    roller.note(mover, *action);
                }
                let returns = roller.returns(game, &mut start.clone(), rng);
                roller.learn(&returns);
                sums.iter_mut().zip(returns.iter()).for_each(|(sum, &value)| *sum += f64::from(value));
            }
        }
        let valued = |(action, _, _, sums): (Action, G::State, Rng, BySeat<f64>)| {
            let values = BySeat::from_fn(sums.len(), |seat| (sums[seat] / each as f64) as f32);
            ActionValues { action, values, visits: each, available: each }
        };
        tried.into_iter().map(valued).collect()
    }
}

/// The roller of this decision, made when it is first needed.
fn roller<'a, G: Game>(kept: &'a mut Option<Roller>, game: &G, means: &Means, guide: &Guide) -> &'a mut Roller {
    kept.get_or_insert_with(|| Roller::of(game, means.rollout).guided_by(guide))
}

/// What the mover of a valued world would do there, and what that brings every seat: the action most visited, of those the best for
/// it. `None` if there is no action.
pub(crate) fn best_of(valued: &[ActionValues], mover: Seat) -> Option<&ActionValues> {
    let better = |a: &ActionValues, b: &ActionValues| {
        a.visits > b.visits || a.visits == b.visits && a.values[mover] > b.values[mover]
    };
    valued.iter().reduce(|best, next| if better(next, best) { next } else { best })
}

/// A world to look at.
#[derive(Clone, Debug)]
pub(crate) struct Drawn<S> {
    /// The state.
    pub state: S,
    /// How much it counts.
    pub weight: f64,
    /// What chance will bring in it.
    pub future: Future,
    /// For whatever else is random in looking at it.
    pub rng: Rng,
}

/// The worlds of one decision, by number.
pub(crate) struct Draws<G: Game> {
    base: u64,
    worlds: Worlds<G>,
    /// All of them, in random order, if they are few.
    all: Option<Vec<(G::State, f64)>>,
    most: u64,
}

impl<G: Game> Draws<G> {
    /// At most `most` worlds, or if there are no more than that, each of them once. `rng` decides which.
    pub(crate) fn new(worlds: Worlds<G>, most: u64, rng: &mut Rng) -> Self {
        let mut all = worlds.all(most);
        if let Some(all) = &mut all {
            rng.shuffle(all);
        }
        Self { base: rng.bits(), worlds, all, most }
    }

    /// Whether there is nothing more to learn after `done` worlds: the budget is spent, or all worlds were seen and are not `noisy`.
    pub(crate) fn is_done(&self, done: u64, noisy: bool, stop: &Stop<'_>) -> bool {
        let round = self.all.as_ref().map_or(self.most, |all| all.len() as u64);
        let spent = match &self.all {
            // Only whole rounds: every world as often as every other.
            Some(_) if !noisy => done >= round,
            Some(_) => !stop.is_timed() && done >= self.most / round * round,
            None => !stop.is_timed() && done >= self.most,
        };
        spent || done > 0 && stop.is_due()
    }

    /// The world of this number. All worlds come round again after the last one, with other futures.
    pub(crate) fn nth(&self, index: u64) -> Drawn<G::State> {
        let mut rng = Rng::stream(self.base, "world", index);
        let (state, weight) = match &self.all {
            Some(all) => all[(index % all.len() as u64) as usize],
            None => (self.worlds.draw(&mut rng), 1.0),
        };
        Drawn { state, weight, future: Future::drawn(rng.bits()), rng }
    }
}

/// What worlds have said about the actions so far.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    seat: Seat,
    /// Sums over worlds of the values, by weight.
    rows: Vec<ActionRecord>,
    worlds: u64,
    weight: f64,
}

impl Tally {
    /// Nothing yet, for these actions of this seat.
    pub(crate) fn new(seat: Seat, actions: impl Iterator<Item = Action>) -> Self {
        Self { seat, rows: actions.map(ActionRecord::new).collect(), worlds: 0, weight: 0.0 }
    }

    /// Adds a world.
    pub(crate) fn add(&mut self, weight: f64, valued: &[ActionValues]) {
        self.worlds += 1;
        for (row, valued) in self.rows.iter_mut().zip(valued) {
            assert_eq!(row.action, valued.action, "a value for each action");
            row.visits += valued.visits;
            row.available += valued.available;
            row.sum += weight * f64::from(valued.values[self.seat]);
        }
        self.weight += weight;
    }

    /// How many worlds were added.
    pub(crate) fn worlds(&self) -> u64 {
        self.worlds
    }

    /// The action with the highest mean value, the first of equals.
    pub(crate) fn best(&self) -> Action {
        let best = self.rows.iter().reduce(|best, next| if next.sum > best.sum { next } else { best });
        best.expect("there is an action").action
    }

    /// All actions whose mean value is the highest, but for rounding.
    pub(crate) fn equally_good(&self) -> Vec<Action> {
        let best = self.rows.iter().map(|row| row.sum).fold(f64::NEG_INFINITY, f64::max);
        let close = 1e-6 * self.weight;
        self.rows.iter().filter(|row| row.sum >= best - close).map(|row| row.action).collect()
    }

    /// The decision for the best action; `nodes` were searched since `start`.
    pub(crate) fn decide(&self, nodes: u64, start: Instant) -> Decision {
        let action = self.best();
        let stats = |row: &ActionRecord| ActionStats {
            probability: f64::from(u8::from(row.action == action)),
            ..row.stats(if self.weight > 0.0 { row.sum / self.weight } else { 0.0 })
        };
        let actions: Vec<ActionStats> = self.rows.iter().map(stats).collect();
        Decision {
            action,
            policy: actions.iter().map(|stats| (Action(stats.action), stats.probability)).collect(),
            search: Some(Search { actions, iterations: self.worlds, nodes, seconds: start.elapsed().as_secs_f64() }),
        }
    }
}

/// Looks at worlds until the budget is spent and adds up what they say.
pub(crate) fn tally<G: Hints>(
    game: &G,
    draws: &Draws<G>,
    seat: Seat,
    legal: G::Actions,
    valuer: &mut Valuer<G>,
    stop: &Stop<'_>,
) -> Tally {
    let mut tally = Tally::new(seat, legal.iter());
    while !draws.is_done(tally.worlds(), valuer.is_noisy(false), stop) {
        let mut world = draws.nth(tally.worlds());
        debug_assert_eq!(game.turn(&world.state), Turn::Seat(seat));
        let valued =
            valuer.value(game, OpenPosition { state: &world.state, legal }, &world.future, &mut world.rng, stop);
        // What was broken off counts only if there is nothing else.
        if tally.worlds() > 0 && stop.is_due() {
            break;
        }
        tally.add(world.weight, &valued);
    }
    tally
}

/// The histories of one decision, by number.
pub(crate) struct HistoryDraws<'a, G: Game> {
    /// The distribution that they are drawn from.
    pub worlds: &'a Worlds<G>,
    /// The number of histories, unless time ends the search.
    pub most: u64,
    /// The seed of their random numbers.
    pub seed: u64,
}

/// Adds up what whole histories say: so many of them, each after each of the actions of the player to act. All actions meet the same
/// future and the same random numbers.
pub(crate) fn tally_histories<G: Hints>(
    game: &G,
    draws: &HistoryDraws<'_, G>,
    seat: Seat,
    legal: G::Actions,
    stop: &Stop<'_>,
    mut value: impl FnMut(&History<G>, Action, Future, Rng) -> BySeat<f32>,
) -> Tally {
    let mut tally = Tally::new(seat, legal.iter());
    for index in 0.. {
        let enough = !stop.is_timed() && index >= draws.most;
        if index > 0 && (enough || stop.is_due()) {
            break;
        }
        let mut rng = Rng::stream(draws.seed, "world", index);
        let history = draws.worlds.draw_history(game, &mut rng);
        let future = Future::drawn(rng.bits());
        let valued = |action| {
            let values = value(&history, action, future.clone(), rng.clone());
            ActionValues::once(action, values)
        };
        let valued: Vec<ActionValues> = legal.iter().map(valued).collect();
        // What was broken off counts only if there is nothing else.
        if index > 0 && stop.is_due() {
            break;
        }
        tally.add(1.0, &valued);
    }
    tally
}
