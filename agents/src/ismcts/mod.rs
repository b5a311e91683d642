//! Single-observer information set Monte Carlo tree search.
//!
//! P. I. Cowling, E. J. Powley and D. Whitehouse, *Information Set Monte Carlo Tree Search*, IEEE Transactions on Computational
//! Intelligence and AI in Games 4(2), 2012. Every iteration draws a state from the view (exactly: see
//! [`Sampler`](stier_core::Sampler)), descends one tree shared by all of them, expands one edge, plays on at random and
//! updates the path. Exploration counts for an action how often it was *available*, not how often its node was passed.
//!
//! Edges are the players' actions, nodes what the searcher observed of them: a choice hidden from it leads to one node, whatever was
//! chosen. What chance brings, the searcher's own draws included, branches nothing.
//!
//! Known weaknesses: the searcher's own cards are not redrawn, so the opponents are modelled as if they knew them; in simultaneous
//! choices those who come later in the order are modelled as if they saw the searcher's; play is
//! nearly deterministic and can be exploited; more iterations sharpen the answer to that model of the game, which is not the
//! equilibrium.

mod tree;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use arrayvec::ArrayVec;
use stier_core::{Action, ActionSet, BySeat, Game, Hints, Rng, Seat, SeatView as _, Turn, choice, options};

use crate::agent::{ActionStats, Agent, Decision, Search};
use crate::belief::{BeliefSettings, Beliefs, Effort, belief_settings};
use crate::policy_model::Model;
use crate::rollout::{Roller, Rollout};
use crate::worlds::Worlds;
use tree::{Edge, RootEdge, Tree};

choice! {
    /// Which action is played after the search.
    pub enum Choose {
        /// The one visited most often.
        Visits = "visits",
        /// The one with the highest mean return.
        Value = "value",
        /// One drawn in proportion to the visits.
        Sample = "sample",
    }
}

options! {
    /// The options of [`Ismcts`].
    pub struct IsmctsOptions for "ismcts" {
        /// Iterations per decision, over all threads.
        iterations: u64 = 1000, 1..=1_000_000_000;
        /// Milliseconds per decision; if given, time ends the search instead of `iterations`, and results depend on the clock.
        time_ms: u64 = 0, 0..=3_600_000;
        /// Exploration in UCB1, for returns scaled so that twice their standard deviation in this search is 1: 0.7 is the value
        /// of the literature for games won or lost.
        c: f64 = 0.7, 0.0..=100.0;
        /// How iterations play on from a leaf.
        rollout: Rollout = Rollout::Random, ();
        /// Which action is played after the search.
        choose: Choose = Choose::Visits, ();
        /// How the worlds are weighed.
        beliefs: Beliefs = Beliefs::Uniform, ();
        /// With beliefs=policy, who the others are taken for.
        model: Model = Model::Rollout, ();
        /// The share of their decisions that are taken to be uniformly random.
        model_epsilon: f64 = 0.1, 0.0..=1.0;
        /// Below 1 the others are taken to follow the model more strictly than it says, above 1 less.
        model_temperature: f64 = 0.1, 0.000001..=1000000.0;
        /// The most histories that are weighed for a decision.
        particles: u64 = 1000, 1..=10_000_000;
        /// The share of time_ms that may go into weighing them.
        belief_share: f64 = 0.25, 0.0..=1.0;
        /// Threads: a tree each, statistics added at the root; deterministic for a given number.
        threads: u64 = 1, 1..=256;
    }
}

/// Paths longer than this are not followed by the tree.
const MAX_DEPTH: usize = 256;
/// A tree has no more nodes than this; beyond it, iterations roll out from the leaf that they reach.
const MAX_NODES: usize = 1 << 23;
/// No tree is searched for more iterations than this: the counts of its edges fit 31 bits.
const MAX_ITERATIONS: u64 = 1 << 30;
/// Iterations between two looks at clock and flag.
const CHUNK: u64 = 256;

/// The player: see the [module](self) documentation.
#[derive(Debug)]
pub struct Ismcts<A> {
    options: IsmctsOptions,
    seed: u64,
    decisions: u64,
    trees: Vec<Tree<A>>,
    interrupt: Arc<AtomicBool>,
}

impl<A: ActionSet> Ismcts<A> {
    /// A player with the streams of `seed`.
    pub fn new(options: IsmctsOptions, seed: u64) -> Self {
        let trees = (0..options.threads).map(|_| Tree::new()).collect();
        Self { options, seed, decisions: 0, trees, interrupt: Arc::default() }
    }
}

impl<G: Hints> Agent<G> for Ismcts<G::Actions> {
    /// Searches, unless only one action is legal.
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let start = Instant::now();
        let first_stream = self.decisions * self.trees.len() as u64;
        let mut iterations = 0;
        if legal.len() > 1 {
            let worlds = self.worlds(game, view, start);
            let count = self.trees.len() as u64;
            let budget = |index: u64| match self.options.time_ms {
                0 => Budget::Iterations(
                    self.options.iterations / count + u64::from(index < self.options.iterations % count),
                ),
                ms => Budget::Until(start + Duration::from_millis(ms)),
            };
            let searches = self.trees.iter_mut().zip(0..).map(|(tree, index)| Searcher {
                game,
                seat: view.seat(),
                worlds: &worlds,
                roller: Roller::new(self.options.rollout),
                options: &self.options,
                interrupt: &self.interrupt,
                budget: budget(index),
                rng: Rng::stream(self.seed, "ismcts", first_stream + index),
                tree,
            });
            iterations = run_all(searches.collect());
        }
        self.decisions += 1;
        self.decide(game, legal, iterations, start.elapsed())
    }

    fn restart(&mut self, seed: u64) {
        self.seed = seed;
        self.decisions = 0;
    }

    fn beliefs(&mut self, game: &G, view: &G::View) -> Worlds<G> {
        self.worlds(game, view, Instant::now())
    }

    fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.interrupt = flag;
    }
}

impl<A: ActionSet> Ismcts<A> {
    /// The worlds of the next decision, which begins at `start`.
    fn worlds<G: Hints<Actions = A>>(&self, game: &G, view: &G::View, start: Instant) -> Worlds<G> {
        let IsmctsOptions { iterations, time_ms, .. } = self.options;
        let settings = belief_settings!(self.options, self_determination: 0.0);
        let effort = Effort::new(&settings, start, iterations, time_ms, &self.interrupt);
        Worlds::new(game, view, &settings, &effort, &mut Rng::stream(self.seed, "beliefs", self.decisions))
    }

    /// Adds the roots up and chooses.
    fn decide<G: Game<Actions = A>>(&self, game: &G, legal: A, iterations: u64, time: Duration) -> Decision {
        let (low, high) = game.utility_range();
        let roots: Vec<RootEdge> =
            if iterations == 0 { Vec::new() } else { self.trees.iter().flat_map(Tree::root_edges).collect() };
        let mut actions: Vec<ActionStats> = legal
            .iter()
            .map(|action| {
                let edges = roots.iter().filter(|edge| edge.action == action);
                let visits: u64 = edges.clone().map(|edge| u64::from(edge.visits)).sum();
                let scaled = edges.clone().map(|edge| edge.value).sum::<f64>() / visits.max(1) as f64;
                let value = if visits == 0 { 0.0 } else { f64::from(low) + scaled * f64::from(high - low) };
                let availability = edges.map(|edge| u64::from(edge.available)).sum();
                ActionStats { action: action.0, visits, value, availability, probability: 0.0 }
            })
            .collect();
        let action = self.choose(&mut actions);
        let nodes = if iterations == 0 { 0 } else { self.trees.iter().map(|tree| tree.len() as u64).sum() };
        Decision {
            action,
            policy: actions.iter().map(|stats| (Action(stats.action), stats.probability)).collect(),
            search: Some(Search { actions, iterations, nodes, seconds: time.as_secs_f64() }),
        }
    }

    /// Fills in the probabilities and draws the action.
    fn choose(&self, actions: &mut [ActionStats]) -> Action {
        let total: u64 = actions.iter().map(|stats| stats.visits).sum();
        let by_visits = |a: &ActionStats, b: &ActionStats| a.visits.cmp(&b.visits).then(a.value.total_cmp(&b.value));
        let by_value =
            |a: &ActionStats, b: &ActionStats| (a.visits > 0).cmp(&(b.visits > 0)).then(a.value.total_cmp(&b.value));
        // Of equals the first.
        let best = |order: &dyn Fn(&ActionStats, &ActionStats) -> std::cmp::Ordering| {
            (0..actions.len())
                .reduce(|best, next| if order(&actions[next], &actions[best]).is_gt() { next } else { best })
        };
        let chosen = match self.options.choose {
            Choose::Visits => best(&by_visits),
            Choose::Value => best(&by_value),
            Choose::Sample if total == 0 => Some(0),
            Choose::Sample => {
                let mut rng = Rng::stream(self.seed, "ismcts choice", self.decisions);
                let mut drawn = rng.below_wide(total);
                actions.iter().position(|stats| {
                    let here = drawn < stats.visits;
                    drawn = drawn.wrapping_sub(if here { 0 } else { stats.visits });
                    here
                })
            }
        }
        .expect("at least one action is legal");
        let spread = self.options.choose == Choose::Sample && total > 0;
        for (index, stats) in actions.iter_mut().enumerate() {
            stats.probability =
                if spread { stats.visits as f64 / total as f64 } else { f64::from(u8::from(index == chosen)) };
        }
        Action(actions[chosen].action)
    }
}

/// Runs every searcher, each on a thread of its own; returns the iterations of all.
fn run_all<G: Hints>(mut searchers: Vec<Searcher<'_, G>>) -> u64 {
    if let [only] = searchers.as_mut_slice() {
        return only.run();
    }
    thread::scope(|scope| {
        let running: Vec<_> = searchers.iter_mut().map(|searcher| scope.spawn(|| searcher.run())).collect();
        running.into_iter().map(|thread| thread.join().expect("a search does not panic")).sum()
    })
}

/// When a search ends.
#[derive(Clone, Copy, Debug)]
enum Budget {
    Iterations(u64),
    Until(Instant),
}

/// One tree being searched.
struct Searcher<'a, G: Game> {
    game: &'a G,
    seat: Seat,
    worlds: &'a Worlds<G>,
    roller: Roller,
    options: &'a IsmctsOptions,
    interrupt: &'a AtomicBool,
    budget: Budget,
    rng: Rng,
    tree: &'a mut Tree<G::Actions>,
}

impl<G: Hints> Searcher<'_, G> {
    fn run(&mut self) -> u64 {
        self.tree.clear();
        let (low, high) = self.game.utility_range();
        let mut spread = Spread::default();
        let scale = f64::from(high - low).max(f64::MIN_POSITIVE).recip();
        let mut path = ArrayVec::new();
        let mut done = 0;
        loop {
            let chunk = match self.budget {
                Budget::Iterations(total) => CHUNK.min(total - done),
                // However late it is when the worlds are ready, something is searched.
                Budget::Until(end) if done >= MAX_ITERATIONS || done > 0 && Instant::now() >= end => 0,
                Budget::Until(_) => CHUNK,
            };
            if chunk == 0 || self.interrupt.load(Ordering::Relaxed) && done > 0 {
                return done;
            }
            for _ in 0..chunk {
                let c = self.options.c as f32 * spread.scale;
                let returns = self.iterate(c, &mut path);
                for &(edge, seat) in &path {
                    self.tree.update(edge, (f64::from(returns[seat]) - f64::from(low)) * scale);
                }
                spread.add((f64::from(returns[self.seat]) - f64::from(low)) * scale);
                path.clear();
            }
            done += chunk;
        }
    }

    /// One determinization from the root to the end of the game; leaves the edges passed, with their movers, in `path`.
    #[inline]
    fn iterate(&mut self, c: f32, path: &mut ArrayVec<(Edge, Seat), MAX_DEPTH>) -> BySeat<f32> {
        let game = self.game;
        let mut state = self.worlds.draw(&mut self.rng);
        let mut node = Tree::<G::Actions>::ROOT;
        while let Turn::Seat(seat) = game.turn(&state) {
            let legal = game.legal(&state);
            let untried = legal.without(self.tree.tried(node));
            if !untried.is_empty() {
                let action = untried.pick(&mut self.rng);
                self.tree.count_available(node, legal);
                path.push((self.tree.add_edge(node, action), seat));
                game.step(&mut state, action, &mut self.rng);
                return self.roller.returns(game, &mut state, &mut self.rng);
            }
            let (edge, action) = self.tree.select(node, legal, c);
            path.push((edge, seat));
            let observed = game.observed(&state, action, self.seat);
            game.step(&mut state, action, &mut self.rng);
            if path.len() == MAX_DEPTH || self.tree.len() >= MAX_NODES {
                return self.roller.returns(game, &mut state, &mut self.rng);
            }
            node = self.tree.child(node, edge, action, observed);
        }
        game.returns(&state)
    }
}

/// How far the searcher's returns lie apart: twice their standard deviation, the most that it has been at any power of two of
/// iterations. It does not shrink as the search settles on a line, or there would be no leaving a bad one.
#[derive(Clone, Debug)]
struct Spread {
    count: u64,
    sum: f64,
    squares: f64,
    scale: f32,
}

/// Iterations before the spread is first measured.
const FIRST_LOOK: u64 = 16;
/// The least spread that is assumed, as a share of the range of returns.
const LEAST_SPREAD: f32 = 0.05;

impl Default for Spread {
    fn default() -> Self {
        Self { count: 0, sum: 0.0, squares: 0.0, scale: 1.0 }
    }
}

impl Spread {
    /// Counts a return, scaled to 0..=1.
    #[inline(always)]
    fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        self.squares += value * value;
        if self.count.is_power_of_two() && self.count >= FIRST_LOOK {
            let mean = self.sum / self.count as f64;
            let variance = (self.squares / self.count as f64 - mean * mean).max(0.0);
            let before = if self.count == FIRST_LOOK { LEAST_SPREAD } else { self.scale };
            self.scale = before.max(2.0 * variance.sqrt() as f32);
        }
    }
}
