//! Plain Monte Carlo tree search with all cards open.
//!
//! L. Kocsis and C. Szepesvári, *Bandit Based Monte-Carlo Planning*, ECML 2006. The determinized searches run one
//! such tree per world. With more than two players every seat maximises its own return. Nodes are sequences of
//! actions, and random events do not branch. With a given future they are the same in every iteration. Otherwise they
//! are drawn each time, and exploration uses the availability of actions.
//!
//! Known weaknesses: the search converges to the play of a game without hidden information.

use stier_core::list::Listing as _;
use stier_core::{Action, ActionSet, BySeat, Hints, Rng, Seat, Turn, float};

use crate::agent::memory::{Memory, listed};
use crate::agent::stop::Stop;
use crate::rollout::Roller;
use crate::search::future::{Future, OpenPosition, WorldValues};
use crate::search::spread::{ReturnScale, ReturnSpread};

/// Marks the absence of an edge or node.
const NONE: u32 = u32::MAX;
/// The smallest limit on nodes and edges, however little memory there is: enough for the root.
const MIN_EDGES: usize = 256;
/// The number of iterations between two checks of the clock.
const BETWEEN_LOOKS: u64 = 16;
/// The largest number of iterations of a search: its edges are counted and numbered in 32 bits.
const MAX_ITERATIONS: u64 = NONE as u64;

#[derive(Clone, Debug)]
struct Node<A> {
    tried: A,
    first: u32,
}

/// An action at a node. The edges of a node form a list, newest first.
#[derive(Clone, Debug)]
struct Edge {
    action: Action,
    next: u32,
    child: u32,
    visits: u32,
    available: u32,
    /// The sum of the returns of the node's mover.
    value: f64,
}

/// The length and the exploration of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UctSettings<'a> {
    /// The number of iterations, unless the search must stop earlier.
    pub iterations: u64,
    /// Exploration, for returns scaled so that twice their standard deviation at the root is 1.
    pub c: f64,
    /// Ends the search early.
    pub stop: Stop<'a>,
}

/// A search tree that keeps its memory from one search to the next.
#[derive(Clone, Debug)]
pub(crate) struct Uct<A> {
    nodes: Vec<Node<A>>,
    edges: Vec<Edge>,
    path: Vec<(u32, Seat)>,
    /// The number of nodes or edges at which the tree is full.
    limit: usize,
}

impl<A: ActionSet> Uct<A> {
    /// Creates a tree that takes at most this memory. Once it is full, searches continue with the existing nodes and
    /// edges.
    pub(crate) fn new(memory: Memory) -> Self {
        let limit = memory.left / (listed::<Node<A>>() + listed::<Edge>());
        Self {
            nodes: Vec::new(),
            edges: Vec::new(),
            path: Vec::new(),
            limit: limit.clamp(MIN_EDGES, NONE as usize - MIN_EDGES),
        }
    }

    /// Searches a state in which the player to act chooses one of the `legal` actions. The search runs for
    /// `iterations`, or fewer if it must stop, but tries each of these actions at least once. Without a future every
    /// iteration draws its own. Exploration is `c` times twice the standard deviation of the mover's returns at the
    /// root.
    pub(crate) fn search<G: Hints<Actions = A>>(
        &mut self,
        game: &G,
        position: OpenPosition<'_, G::State, A>,
        future: Option<&Future>,
        roller: &mut Roller,
        settings: &UctSettings<'_>,
        rng: &mut Rng,
    ) -> Vec<WorldValues> {
        let OpenPosition { state, legal } = position;
        let UctSettings { iterations, c, stop } = *settings;
        self.nodes.clear();
        self.edges.clear();
        self.node();
        let seats = game.num_seats();
        let mut sums: Vec<(Action, BySeat<f64>)> =
            legal.iter().map(|action| (action, BySeat::filled(seats, 0.0))).list();
        let mut spread = ReturnSpread::new(ReturnScale::new(game).range);
        let least = legal.len() as u64;
        for done in 0..iterations.clamp(least, MAX_ITERATIONS) {
            if done >= least && done % BETWEEN_LOOKS == 0 && stop.is_due() {
                break;
            }
            let returns = self.iterate(game, (*state, legal), future.cloned(), roller, (c * spread.width) as f32, rng);
            for &(edge, seat) in &self.path {
                let edge = &mut self.edges[edge as usize];
                edge.visits += 1;
                edge.value += f64::from(returns[seat]);
            }
            let (first, mover) = self.path[0];
            let action = self.edges[first as usize].action;
            let sums = &mut sums.iter_mut().find(|(other, _)| *other == action).expect("a legal action").1;
            sums.iter_mut().zip(returns.iter()).for_each(|(sum, &value)| *sum += f64::from(value));
            spread.add(f64::from(returns[mover]));
        }
        let edge = |at: u32| self.edges.get(at as usize);
        let root: Vec<&Edge> = std::iter::successors(edge(self.nodes[0].first), |before| edge(before.next)).list();
        let found = |(action, sums): (Action, BySeat<f64>)| {
            let tried = root.iter().find(|edge| edge.action == action);
            let (visits, available) = tried.map_or((0, 0), |edge| (edge.visits, edge.available));
            let values = BySeat::from_fn(seats, |seat| (sums[seat] / f64::from(visits.max(1))) as f32);
            WorldValues { action, values, visits: u64::from(visits), available: u64::from(available) }
        };
        sums.into_iter().map(found).list()
    }

    /// The number of nodes in the tree.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    fn node(&mut self) -> u32 {
        self.nodes.push(Node { tried: A::default(), first: NONE });
        self.nodes.len() as u32 - 1
    }

    /// Runs one iteration from a state with these allowed actions. Leaves the visited edges, with their movers, in
    /// `path`.
    #[inline]
    fn iterate<G: Hints<Actions = A>>(
        &mut self,
        game: &G,
        (mut state, allowed): (G::State, A),
        mut future: Option<Future>,
        roller: &mut Roller,
        c: f32,
        rng: &mut Rng,
    ) -> BySeat<f32> {
        self.path.clear();
        let mut node = 0;
        while let Turn::Seat(seat) = game.turn(&state) {
            let legal = if node == 0 { allowed } else { game.legal(&state) };
            let untried = legal.without(self.nodes[node as usize].tried);
            let new = !untried.is_empty() && self.edges.len() < self.limit;
            let edge = if new { self.expand(node, untried.pick(rng)) } else { NONE };
            let edge = self.select(node, legal, c, edge);
            if edge == NONE {
                return roller.returns(game, &mut state, rng);
            }
            self.path.push((edge, seat));
            let action = self.edges[edge as usize].action;
            match &mut future {
                Some(future) => {
                    game.apply(&mut state, action);
                    future.settle(game, &mut state);
                }
                None => game.step(&mut state, action, rng),
            }
            if new {
                return roller.returns(game, &mut state, rng);
            }
            node = match self.edges[edge as usize].child {
                // There are fewer nodes than edges, so checking the edges is enough.
                NONE if self.edges.len() >= self.limit => return roller.returns(game, &mut state, rng),
                NONE => {
                    let child = self.node();
                    self.edges[edge as usize].child = child;
                    child
                }
                child => child,
            };
        }
        game.rounded_returns(&state)
    }

    fn expand(&mut self, node: u32, action: Action) -> u32 {
        let edge = self.edges.len() as u32;
        let node = &mut self.nodes[node as usize];
        node.tried = node.tried.with(action);
        let next = std::mem::replace(&mut node.first, edge);
        self.edges.push(Edge { action, next, child: NONE, visits: 0, available: 0, value: 0.0 });
        edge
    }

    /// Returns `chosen`, or without it the legal edge with the highest mean + c sqrt(ln(availability) / visits).
    /// Counts availability.
    #[inline]
    fn select(&mut self, node: u32, legal: A, c: f32, chosen: u32) -> u32 {
        let mut best = (f32::NEG_INFINITY, chosen);
        let mut at = self.nodes[node as usize].first;
        // Actions that have always been available share one logarithm.
        let mut log = (0, 0.0);
        while at != NONE {
            let edge = &mut self.edges[at as usize];
            if legal.contains(edge.action) {
                edge.available += 1;
                if chosen == NONE {
                    if edge.available != log.0 {
                        log = (edge.available, float::logf(edge.available as f32));
                    }
                    let share = 1.0 / edge.visits as f32;
                    let bound = edge.value as f32 * share + c * (log.1 * share).sqrt();
                    if bound > best.0 {
                        best = (bound, at);
                    }
                }
            }
            at = edge.next;
        }
        best.1
    }
}
