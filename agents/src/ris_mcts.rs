//! Monte Carlo tree search over every player's own information sets, with re-determinization and self-determination.
//!
//! The tree has a node for each information set of each mover (multi-observer: P. I. Cowling, E. J. Powley and D. Whitehouse, IEEE
//! TCIAIG 4(2), 2012; with the sets as keys, as OpenSpiel's), so nobody chooses by cards that it does not see. But the *values* in
//! the others' nodes would still come from worlds that all agree with the searcher's cards. Two options see to that:
//!
//! - *Re-determinization* (J. Goodman, *Re-determinizing MCTS in Hanabi*, IEEE Conference on Games 2019: RIS-MCTS): where another
//!   player is to act, a whole history is redrawn from what that player knows there, the searcher's cards with it, and that player's
//!   choice is made and judged in the redrawn world. The searcher's world is restored then and goes on with the action chosen. Goodman
//!   restores the cards and backs up one return to all; here the redrawn world is played to its own end, and its return, not that
//!   of the searcher's world, counts in the other's node.
//! - *Self-determination* (P. I. Cowling, D. Whitehouse and E. J. Powley, *Emergent Bluffing and Inference with Monte Carlo Tree Search*,
//!   CIG 2015): see [`worlds`](crate::worlds).
//!
//! Information sets are told apart by what their mover sees and observes from the root on ([`Game::sight`], [`Game::observed`]); pasts
//! that differ only before the root share a node.
//!
//! Known weaknesses: re-determinization costs a view, a sampler and a history for each node of another player that an iteration
//! passes, so there are several times fewer iterations in a given time; the redrawn worlds are uniform, as if the searcher's past
//! actions told the others nothing, whatever `beliefs` the searcher has itself; keyed by information sets the tree is wide, so that
//! with few iterations most choices of the others are first tries; like all of its family it has no guarantee to approach an
//! equilibrium. Once its memory is spent, the search goes on in the nodes and edges that there are.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use stier_core::key::{Chain, mix};
use stier_core::options::Switch;
use stier_core::{Action, ActionSet as _, BySeat, Event, Game, Hints, History, Rng, Sampler as _, Seat, SeatView as _};
use stier_core::{Turn, float, options};

use crate::agent::{ActionStats, Agent, Decision, Search, permitted};
use crate::belief::BeliefSettings;
use crate::budget::Budget;
use crate::choice::Choose;
use crate::course::Course;
use crate::memory::{DEFAULT_MEMORY_MB, MEMORY_MB, Memory, growth, listed, mapped};
use crate::rollout::{Roller, Rollout};
use crate::spread::Spread;
use crate::stop::Stop;
use crate::worlds::Worlds;

options! {
    /// The options of [`RisMcts`].
    pub struct RisMctsOptions for "ris_mcts" {
        /// Iterations per decision.
        iterations: u64 = 1000, 1..=1_000_000_000;
        /// Milliseconds per decision; if given, time ends the search instead of `iterations`, and results depend on the clock.
        time_ms: u64 = 0, 0..=3_600_000;
        /// Exploration in UCB1, for returns scaled so that twice their standard deviation in this search is 1.
        c: f64 = 0.7, 0.0..=100.0;
        /// How iterations play on from a leaf.
        rollout: Rollout = Rollout::Random, ();
        /// Whether the others choose in worlds redrawn from what they know.
        redeterminization: Switch = Switch::On, ();
        /// The share of iterations whose world is drawn from what another player could believe.
        self_determination: f64 = 0.0, 0.0..=1.0;
        /// Which worlds are likely.
        ..belief: BeliefSettings = BeliefSettings::default();
        /// Mebibytes that the tree may take. Once it is full, the search goes on in the nodes that there are.
        memory_mb: u64 = DEFAULT_MEMORY_MB, MEMORY_MB;
    }
}

/// No tree has more nodes than this: their numbers fit 32 bits.
const MOST_NODES: u64 = u32::MAX as u64;
/// No search does more iterations than this: the counts of its edges fit 32 bits.
const MOST_ITERATIONS: u64 = u32::MAX as u64;

/// The player: see the [module](self) documentation.
#[derive(Debug)]
pub struct RisMcts {
    options: RisMctsOptions,
    course: Course,
}

impl RisMcts {
    /// A player with the streams of `seed`.
    pub fn new(options: RisMctsOptions, seed: u64) -> Self {
        Self { options, course: Course::new(seed) }
    }

    /// The worlds of the next decision.
    fn worlds<G: Hints>(&self, game: &G, view: &G::View, stop: &Stop<'_>) -> Worlds<G> {
        let belief = &self.options.belief;
        match self.options.redeterminization {
            Switch::On => self.course.histories(game, view, belief, stop),
            Switch::Off => self.course.worlds(game, view, belief, stop),
        }
    }
}

impl<G: Hints> Agent<G> for RisMcts {
    /// Searches, unless only one action is legal.
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let start = Instant::now();
        let mut rng = self.course.rng("ris_mcts");
        let stop = self.course.stop(start, self.options.time_ms);
        let mut search = Search { actions: Vec::new(), iterations: 0, nodes: 0, seconds: 0.0 };
        let mut root = Node::default();
        if legal.len() > 1 {
            let RisMctsOptions { iterations, self_determination, belief, .. } = &self.options;
            let draws = if stop.is_timed() { u64::MAX } else { *iterations };
            let worlds = self.worlds(game, view, &stop).self_determined(
                game,
                view,
                (*self_determination, draws),
                &stop.sooner(belief.belief_share),
                &mut rng,
            );
            let mut searcher = Searcher::new(game, (view, legal), &worlds, &self.options, rng.clone());
            search.iterations = searcher.run(Budget::part(*iterations, stop, 0, 1).at_most(MOST_ITERATIONS));
            search.nodes = searcher.tree.nodes.len() as u64;
            root = searcher.root();
        }
        self.course.advance();
        let (low, high) = game.rounded_range();
        search.actions = legal.iter().map(|action| root.stats(action, low, high)).collect();
        search.seconds = start.elapsed().as_secs_f64();
        Choose::Visits.decide(search, &[], &mut rng)
    }

    fn restart(&mut self, seed: u64) {
        self.course.restart(seed);
    }

    fn beliefs(&mut self, game: &G, view: &G::View) -> Worlds<G> {
        self.worlds(game, view, &self.course.stop(Instant::now(), self.options.time_ms))
    }

    fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.course.interrupt_with(flag);
    }
}

/// An action that was tried at a node.
#[derive(Clone, Copy, Debug)]
struct Edge {
    action: Action,
    visits: u32,
    available: u32,
    /// The sum of the mover's returns, each between 0 and 1.
    value: f64,
}

/// An information set of its mover.
#[derive(Clone, Debug, Default)]
struct Node {
    edges: Vec<Edge>,
}

impl Node {
    fn stats(&self, action: Action, low: f32, high: f32) -> ActionStats {
        let edge = self.edges.iter().find(|edge| edge.action == action);
        let visits = edge.map_or(0, |edge| edge.visits);
        let mean = edge.filter(|_| visits > 0).map(|edge| edge.value / f64::from(visits));
        ActionStats {
            action: action.0,
            visits: u64::from(visits),
            value: mean.map_or(0.0, |mean| f64::from(low) + mean * f64::from(high - low)),
            availability: edge.map_or(0, |edge| u64::from(edge.available)),
            probability: 0.0,
        }
    }
}

/// The nodes, found by what their movers know.
#[derive(Debug)]
struct Tree {
    index: HashMap<u64, u32>,
    nodes: Vec<Node>,
    memory: Memory,
}

impl Tree {
    fn new(memory: Memory) -> Self {
        Self { index: HashMap::new(), nodes: Vec::new(), memory }
    }

    /// The node with this key, made now if there is none and the tree is not full.
    fn node(&mut self, key: u64) -> Option<usize> {
        if let Some(&node) = self.index.get(&key) {
            return Some(node as usize);
        }
        let next = self.nodes.len();
        // The first node is always there.
        if !self.memory.take(listed::<Node>() + mapped::<u64, u32>()) && next > 0 || next as u64 >= MOST_NODES {
            return None;
        }
        self.index.insert(key, next as u32);
        self.nodes.push(Node::default());
        Some(next)
    }

    /// An untried legal action if there is one and room for it (and true), else the one with the highest upper confidence bound; `None`
    /// if there is neither. Counts availability.
    fn select<G: Game>(&mut self, node: usize, legal: G::Actions, c: f64, rng: &mut Rng) -> Option<(usize, bool)> {
        let edges = &mut self.nodes[node].edges;
        let mut untried = legal;
        let (mut best, mut bound) = (None, f64::NEG_INFINITY);
        // Where every action has always been available, they share one logarithm.
        let mut log = (0, 0.0);
        for (place, edge) in edges.iter_mut().enumerate().filter(|(_, edge)| legal.contains(edge.action)) {
            untried = untried.without(G::Actions::default().with(edge.action));
            edge.available += 1;
            let visits = f64::from(edge.visits.max(1));
            if edge.available != log.0 {
                log = (edge.available, float::log(f64::from(edge.available)));
            }
            let score = edge.value / visits + c * (log.1 / visits).sqrt();
            if score > bound {
                (best, bound) = (Some(place), score);
            }
        }
        // The first node is the root, or one of few like it: it gets all its edges.
        if untried.is_empty() || !self.memory.take(growth(edges)) && node > 0 {
            return best.map(|best| (best, false));
        }
        edges.push(Edge { action: untried.pick(rng), visits: 0, available: 1, value: 0.0 });
        Some((edges.len() - 1, true))
    }
}

/// Where the keys of all seats begin: far from any number that a seat sees.
const START: u64 = 0x243f_6a88_85a3_08d3;

/// What each seat has seen and observed since the root.
#[derive(Clone)]
struct Keys(BySeat<Chain>);

impl Keys {
    fn new(seats: usize) -> Self {
        Self(BySeat::from_fn(seats, |seat| Chain::new(mix(START, u64::from(seat.0)))))
    }

    /// A decision is reached: each seat sees the state. Returns the mover's key.
    fn see<G: Game>(&mut self, game: &G, state: &G::State, mover: Seat) -> u64 {
        for (key, seat) in self.0.iter_mut().zip((0..).map(Seat)) {
            key.look(game.sight(state, seat));
        }
        self.0[mover].key()
    }

    /// The mover acts.
    fn observe<G: Game>(&mut self, game: &G, before: &G::State, action: Action) {
        for (key, seat) in self.0.iter_mut().zip((0..).map(Seat)) {
            key.notice(game.observed(before, action, seat));
        }
    }
}

/// An edge that was passed, and by whom.
type Step = (usize, usize, Seat);

/// One search.
struct Searcher<'a, G: Game> {
    game: &'a G,
    seat: Seat,
    /// The key of the searcher's true information set.
    root: u64,
    /// The actions that it may choose there.
    allowed: G::Actions,
    worlds: &'a Worlds<G>,
    options: &'a RisMctsOptions,
    roller: Roller,
    rng: Rng,
    tree: Tree,
    /// Of each seat's returns, in all worlds.
    spreads: BySeat<Spread>,
    low: f64,
    scale: f64,
}

impl<'a, G: Hints> Searcher<'a, G> {
    fn new(
        game: &'a G,
        (view, allowed): (&G::View, G::Actions),
        worlds: &'a Worlds<G>,
        options: &'a RisMctsOptions,
        rng: Rng,
    ) -> Self {
        let (low, high) = game.rounded_range();
        let seat = view.seat();
        let mut root = Keys::new(game.num_seats()).0[seat];
        root.look(view.past().sight());
        Self {
            game,
            seat,
            root: root.key(),
            allowed,
            worlds,
            options,
            roller: Roller::of(game, options.rollout).guided_by(&options.belief.guide),
            rng,
            tree: Tree::new(Memory::share(options.memory_mb, 1)),
            spreads: BySeat::filled(game.num_seats(), Spread::default()),
            low: f64::from(low),
            scale: f64::from(high - low).max(f64::MIN_POSITIVE).recip(),
        }
    }

    /// Searches until the budget is spent; returns the number of iterations.
    fn run(&mut self, mut budget: Budget<'_>) -> u64 {
        let mut done = 0;
        let mut path = Vec::new();
        loop {
            let chunk = budget.next(done);
            if chunk == 0 {
                return done;
            }
            (0..chunk).for_each(|_| self.iterate(&mut path));
            done += chunk;
        }
    }

    /// The node of the searcher's true information set.
    fn root(&mut self) -> Node {
        self.tree.node(self.root).map_or_else(Node::default, |root| self.tree.nodes[root].clone())
    }

    /// The actions to choose among in a state whose mover has this key.
    fn choices(&self, key: u64, state: &G::State) -> G::Actions {
        let legal = self.game.legal(state);
        if key == self.root { permitted(legal, self.allowed) } else { legal }
    }

    /// One world, and those that branch off from it.
    fn iterate(&mut self, path: &mut Vec<Step>) {
        let keys = Keys::new(self.game.num_seats());
        let imagined = self.worlds.imagined(&mut self.rng);
        if imagined.is_none() && self.options.redeterminization == Switch::On {
            let history = self.worlds.draw_history(self.game, &mut self.rng);
            return self.iterate_redetermined(history, keys, path);
        }
        let mut state = imagined.unwrap_or_else(|| self.worlds.draw_own(&mut self.rng));
        let returns = self.play(&mut state, keys, path);
        self.update(path, &returns);
    }

    /// Down the tree in one world and on to the end; leaves the edges passed in `path`.
    fn play(&mut self, state: &mut G::State, mut keys: Keys, path: &mut Vec<Step>) -> BySeat<f32> {
        let game = self.game;
        path.clear();
        while let Turn::Seat(mover) = game.turn(state) {
            let key = keys.see(game, state, mover);
            let Some(node) = self.tree.node(key) else { break };
            let c = self.options.c * f64::from(self.spreads[mover].scale());
            let selected = self.tree.select::<G>(node, self.choices(key, state), c, &mut self.rng);
            let Some((edge, is_new)) = selected else { break };
            path.push((node, edge, mover));
            let action = self.tree.nodes[node].edges[edge].action;
            keys.observe(game, state, action);
            game.step(state, action, &mut self.rng);
            if is_new {
                break;
            }
        }
        self.roller.returns(game, state, &mut self.rng)
    }

    /// The searcher's world, in which the others do what they choose in worlds redrawn from what they know.
    fn iterate_redetermined(&mut self, mut history: History<G>, mut keys: Keys, path: &mut Vec<Step>) {
        let game = self.game;
        let root = history.events().len();
        let mut own = Vec::new();
        while let Turn::Seat(mover) = game.turn(history.state()) {
            let key = keys.see(game, history.state(), mover);
            let (node, edge, is_new);
            if mover == self.seat {
                let Some(known) = self.tree.node(key) else { break };
                let c = self.options.c * f64::from(self.spreads[mover].scale());
                let selected = self.tree.select::<G>(known, self.choices(key, history.state()), c, &mut self.rng);
                let Some(selected) = selected else { break };
                (node, (edge, is_new)) = (known, selected);
                own.push((node, edge, mover));
            } else {
                let sampler = game.sampler(&game.view(&history, mover));
                let redrawn = sampler.sample_history(game, &mut self.rng);
                let (mut state, keys) = self.keys_since(root, &redrawn);
                let returns = self.play(&mut state, keys, path);
                self.update(path, &returns);
                // Its information set is that of the searcher's world, so its action is legal there, too.
                let Some(&(first, taken, _)) = path.first() else { break };
                (node, edge, is_new) = (first, taken, self.tree.nodes[first].edges[taken].visits == 1);
            }
            let action = self.tree.nodes[node].edges[edge].action;
            keys.observe(game, history.state(), action);
            history.push(game, action);
            history.settle(game, &mut self.rng);
            if is_new {
                break;
            }
        }
        let mut state = *history.state();
        let returns = self.roller.returns(game, &mut state, &mut self.rng);
        self.update(&own, &returns);
    }

    /// The state at the end of a history, and what has been seen and observed in it since its first `root` events.
    fn keys_since(&self, root: usize, history: &History<G>) -> (G::State, Keys) {
        let game = self.game;
        let mut keys = Keys::new(game.num_seats());
        let mut state = game.root();
        for (place, &Event { turn, action }) in history.events().iter().enumerate() {
            if let Turn::Seat(mover) = turn
                && place >= root
            {
                keys.see(game, &state, mover);
                keys.observe(game, &state, action);
            }
            game.apply(&mut state, action);
        }
        (state, keys)
    }

    /// Counts what one world brought: for the edges passed, for how far returns lie apart, and for the rollouts.
    fn update(&mut self, path: &[Step], returns: &BySeat<f32>) {
        let scaled = |value: f32| (f64::from(value) - self.low) * self.scale;
        for (spread, &value) in self.spreads.iter_mut().zip(returns.iter()) {
            spread.add(scaled(value));
        }
        for &(node, edge, mover) in path {
            let edge = &mut self.tree.nodes[node].edges[edge];
            edge.visits += 1;
            edge.value += scaled(returns[mover]);
            self.roller.note(mover, edge.action);
        }
        self.roller.learn(returns);
    }
}
