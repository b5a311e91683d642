//! Extended perfect information Monte Carlo search: the cards are laid open some decisions later.
//!
//! J. Arjonilla, A. Saffidine and T. Cazenave, *Perfect Information Monte Carlo with Postponing Reasoning*, IEEE Conference on Games,
//! 2024. The first `depth` decisions are a game of incomplete information over the sampled worlds:
//! at each of them the mover chooses alike in all worlds that it cannot tell apart, by what it has seen since the root
//! ([`Game::sight`], [`Game::observed`]). Behind them every action has its open-card value in each world
//! ([`determinized`](crate::determinized)). With `depth=1` this is [`pimc`](crate::pimc).
//!
//! This small game is laid out in full and solved by regret matching (CFR+: O. Tammelin, *Solving Large Imperfect Information Games
//! Using CFR+*, 2014, with simultaneous updates), each seat for its own return; the averages of all `sweeps`, the later ones counting
//! more, are taken as policies. Each seat's value of a decision takes into account how likely the others' policies make each world.
//! The root action with the best mean return is played, or with `mixed=on` one drawn from its average policy.
//!
//! Known weaknesses: strategy fusion begins again after `depth` decisions. It takes the searcher's second decision to see any of it
//! removed: `depth=3` where two players alternate. The others' hands differ from world to world, the searcher's does not: they are
//! taken to know it. What seats knew before the root and do not see there any more is not counted as knowledge. The cost is that of
//! PIMC times the number of action sequences of `depth - 1` decisions. Half of `memory_mb` is for the small game: once that is spent, no
//! more worlds are laid out.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use stier_core::key::{Chain, mix};
use stier_core::options::Switch;
use stier_core::{Action, ActionSet as _, BySeat, Game, Hints, Rng, Seat, SeatView as _, Turn, options};

use crate::agent::{Agent, Decision};
use crate::belief::BeliefSettings;
use crate::course::Course;
use crate::determinized::{Drawn, Draws, Fallback, Means, Tally, Valued, Valuer};
use crate::memory::{Memory, listed, mapped};
use crate::open_cards::Future;
use crate::stop::Stop;
use crate::worlds::Worlds;

options! {
    /// The options of [`Epimc`].
    pub struct EpimcOptions for "epimc" {
        /// Worlds per decision.
        worlds: u64 = 30, 1..=1_000_000;
        /// Milliseconds per decision; if given, time ends the search instead of `worlds`, and results depend on the clock. `worlds`
        /// then only says up to how many all are looked at in turn.
        time_ms: u64 = 0, 0..=3_600_000;
        /// Decisions, forced ones not counted, that are taken alike in worlds that their mover cannot tell apart.
        depth: u32 = 3, 1..=8;
        /// How the worlds are valued behind them.
        ..means: Means = Means { fallback: Fallback::Rollouts, iterations: 20, ..Means::default() };
        /// Sweeps of regret matching over the worlds.
        sweeps: u32 = 50, 1..=100_000;
        /// Whether the action is drawn from the policy that regret matching found, instead of the one with the best mean return.
        mixed: Switch = Switch::Off, ();
        /// Which worlds are likely.
        ..belief: BeliefSettings = BeliefSettings::default();
    }
}

/// The share of the time in which worlds are laid out; the rest is for solving.
const LAYING_OUT: f64 = 0.7;

/// The player: see the [module](self) documentation.
#[derive(Clone, Debug)]
pub struct Epimc<G: Game> {
    options: EpimcOptions,
    course: Course,
    valuer: Valuer<G>,
}

impl<G: Hints> Epimc<G> {
    /// A player with the streams of `seed`.
    pub fn new(options: EpimcOptions, seed: u64) -> Self {
        // One half for the tree search, the other for what is laid out.
        let half = Means { memory_mb: (options.means.memory_mb / 2).max(1), ..options.means };
        let valuer = Valuer::new(half, &options.belief.guide);
        Self { options, course: Course::new(seed), valuer }
    }
}

impl<G: Hints> Agent<G> for Epimc<G> {
    /// Searches, unless only one action is legal.
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let start = Instant::now();
        let stop = self.course.stop(start, self.options.time_ms);
        // The same worlds as PIMC.
        let mut rng = self.course.rng("determinized");
        self.valuer.begin();
        let mut tally = Tally::new(view.seat(), legal.iter());
        if legal.len() == 1 {
            self.course.advance();
            return tally.decide(0, start);
        }
        let worlds = self.course.worlds(game, view, &self.options.belief, &stop);
        let draws = Draws::new(worlds, self.options.worlds, &mut rng);
        let mut small = Small::new(Memory::share(self.options.means.memory_mb, 2));
        let laying_out = stop.sooner(LAYING_OUT);
        let mut worlds = 0;
        while !draws.is_done(worlds, self.valuer.is_noisy(false), &laying_out) && !small.is_full {
            let world = draws.nth(worlds);
            let (state, weight) = (world.state, world.weight);
            let keys = BySeat::from_fn(game.num_seats(), |seat| {
                let mut key = Chain::default();
                key.look(game.sight(&state, seat));
                key
            });
            let before = small.nodes.len();
            let mut layer = Layer { game, valuer: &mut self.valuer, small: &mut small, stop: &laying_out, worlds };
            let Some(root) = layer.lay_out(world, keys, self.options.depth, Some(legal)) else {
                small.nodes.truncate(before);
                break;
            };
            small.roots.push((root, weight));
            worlds += 1;
        }
        if self.options.depth > 1 {
            small.solve(self.options.sweeps, &stop);
        }
        for (weight, values) in small.root_values() {
            let valued = |(action, values)| Valued { action, values, visits: 1, available: 1 };
            tally.add(weight, &legal.iter().zip(values).map(valued).collect::<Vec<_>>());
        }
        let mut decision = tally.decide(self.valuer.nodes() + small.nodes.len() as u64, start);
        self.course.advance();
        if self.options.mixed == Switch::On {
            decision.draw(&small.root_policy(), &mut rng);
        }
        decision
    }

    fn restart(&mut self, seed: u64) {
        self.course.restart(seed);
        self.valuer.restart();
    }

    fn beliefs(&mut self, game: &G, view: &G::View) -> Worlds<G> {
        let stop = self.course.stop(Instant::now(), self.options.time_ms);
        self.course.worlds(game, view, &self.options.belief, &stop)
    }

    fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.course.interrupt_with(flag);
    }
}

impl Decision {
    /// Draws the action from this policy instead; ascending by action, as the policy so far.
    fn draw(&mut self, shares: &[f64], rng: &mut Rng) {
        let mut left = rng.unit() * shares.iter().sum::<f64>();
        let total: f64 = shares.iter().sum();
        let mut chosen = None;
        for (index, &share) in shares.iter().enumerate() {
            self.policy[index].1 = share / total;
            if let Some(search) = &mut self.search {
                search.actions[index].probability = share / total;
            }
            if share > 0.0 && (chosen.is_none() || left >= 0.0) {
                chosen = Some(self.policy[index].0);
            }
            left -= share;
        }
        self.action = chosen.unwrap_or(self.action);
    }
}

/// A position in one of the worlds.
#[derive(Clone, Debug)]
enum Node {
    /// What it is worth to every seat.
    Leaf(BySeat<f32>),
    /// A decision at this information set, and what its actions lead to, in the order of the set's actions.
    Decision(u32, Vec<u32>),
}

/// What a seat does in all positions that it cannot tell apart.
#[derive(Clone, Debug)]
struct InfoSet {
    seat: Seat,
    /// The policy now.
    policy: Vec<f64>,
    /// Regret so far, none below 0.
    regret: Vec<f64>,
    /// Regret found in this sweep.
    found: Vec<f64>,
    /// Sum of the policies, by reach and sweep.
    sum: Vec<f64>,
}

/// The game over the first decisions.
#[derive(Clone, Debug)]
struct Small {
    memory: Memory,
    /// Whether the memory is spent: no more is laid out then than must be.
    is_full: bool,
    nodes: Vec<Node>,
    roots: Vec<(u32, f64)>,
    sets: Vec<InfoSet>,
    numbers: HashMap<(Seat, u64), u32>,
}

impl Small {
    fn new(memory: Memory) -> Self {
        let (nodes, roots, sets, numbers) = Default::default();
        Self { memory, is_full: false, nodes, roots, sets, numbers }
    }
}

/// Lays worlds out.
struct Layer<'a, G: Game> {
    game: &'a G,
    valuer: &'a mut Valuer<G>,
    small: &'a mut Small,
    stop: &'a Stop<'a>,
    /// Worlds laid out before this one.
    worlds: u64,
}

impl<G: Hints> Layer<'_, G> {
    /// The node of a position with so many decisions left before cards are laid open; `None` if time was up or memory spent, which the
    /// first world heeds by laying them open at once. `allowed` restricts the actions of this decision.
    fn lay_out(
        &mut self,
        mut at: Drawn<G::State>,
        mut keys: BySeat<Chain>,
        depth: u32,
        allowed: Option<G::Actions>,
    ) -> Option<u32> {
        let due = self.stop.is_due() || self.small.is_full;
        if due && self.worlds > 0 {
            return None;
        }
        let game = self.game;
        let (seat, legal) = loop {
            let Turn::Seat(seat) = game.turn(&at.state) else {
                return Some(self.small.add(Node::Leaf(game.rounded_returns(&at.state))));
            };
            let legal = allowed.unwrap_or_else(|| game.legal(&at.state));
            if legal.len() > 1 {
                break (seat, legal);
            }
            (at.state, keys) = play(game, &at.state, &mut at.future, legal.nth(0), &keys);
        };
        // Whoever is to act knows its options.
        let key = legal.iter().fold(keys[seat].key(), |key, action| mix(key, u64::from(action.0)));
        let set = self.small.set(seat, key, legal.len());
        let mut children = Vec::with_capacity(legal.len());
        if depth == 1 || due {
            for valued in self.valuer.value(game, (&at.state, legal), &at.future, &mut at.rng, self.stop) {
                children.push(self.small.add(Node::Leaf(valued.values)));
            }
        } else {
            for action in legal.iter() {
                let mut future = at.future.clone();
                let (state, keys) = play(game, &at.state, &mut future, action, &keys);
                let rng = Rng::stream(at.rng.bits(), "action", u64::from(action.0));
                children.push(self.lay_out(Drawn { state, future, rng, ..at }, keys, depth - 1, None)?);
            }
        }
        Some(self.small.add(Node::Decision(set, children)))
    }
}

/// The state after an action and the random events that follow, and what every seat has seen until then.
fn play<G: Game>(
    game: &G,
    state: &G::State,
    future: &mut Future,
    action: Action,
    keys: &BySeat<Chain>,
) -> (G::State, BySeat<Chain>) {
    let mut next = *state;
    game.apply(&mut next, action);
    future.settle(game, &mut next);
    let seen = |seat: Seat| {
        let mut key = keys[seat];
        key.notice(game.observed(state, action, seat));
        key.look(game.sight(&next, seat));
        key
    };
    (next, BySeat::from_fn(keys.len(), seen))
}

impl Small {
    fn add(&mut self, node: Node) -> u32 {
        let children = if let Node::Decision(_, children) = &node { children.capacity() * size_of::<u32>() } else { 0 };
        self.is_full |= !self.memory.take(listed::<Node>() + children);
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// The number of an information set.
    fn set(&mut self, seat: Seat, key: u64, actions: usize) -> u32 {
        let Self { sets, memory, is_full, .. } = self;
        *self.numbers.entry((seat, key)).or_insert_with(|| {
            let lists = 4 * actions * size_of::<f64>();
            *is_full |= !memory.take(listed::<InfoSet>() + lists + mapped::<(Seat, u64), u32>());
            let zeros = vec![0.0; actions];
            let policy = vec![1.0 / actions as f64; actions];
            sets.push(InfoSet { seat, policy, regret: zeros.clone(), found: zeros.clone(), sum: zeros });
            sets.len() as u32 - 1
        })
    }

    /// Regret matching; leaves the average policies.
    fn solve(&mut self, sweeps: u32, stop: &Stop<'_>) {
        for sweep in 1..=sweeps {
            for &(root, weight) in &self.roots {
                let seats = self.seats(root);
                regret(&self.nodes, &mut self.sets, root, &BySeat::filled(seats, 1.0), weight, f64::from(sweep));
            }
            for set in &mut self.sets {
                for (regret, found) in set.regret.iter_mut().zip(&mut set.found) {
                    *regret = (*regret + *found).max(0.0);
                    *found = 0.0;
                }
                let total: f64 = set.regret.iter().sum();
                let even = 1.0 / set.policy.len() as f64;
                for (share, regret) in set.policy.iter_mut().zip(&set.regret) {
                    *share = if total > 0.0 { regret / total } else { even };
                }
            }
            if stop.is_due() {
                break;
            }
        }
        for set in &mut self.sets {
            let total: f64 = set.sum.iter().sum();
            if total > 0.0 {
                set.policy.iter_mut().zip(&set.sum).for_each(|(share, sum)| *share = sum / total);
            }
        }
    }

    /// How many seats the values below a node are for.
    fn seats(&self, mut node: u32) -> usize {
        loop {
            match &self.nodes[node as usize] {
                Node::Leaf(values) => return values.len(),
                Node::Decision(_, children) => node = children[0],
            }
        }
    }

    /// What the root actions are worth in each world, which has this weight, if everybody plays by its policy from there on.
    fn root_values(&self) -> Vec<(f64, Vec<BySeat<f32>>)> {
        let values = |&(root, weight): &(u32, f64)| match &self.nodes[root as usize] {
            Node::Leaf(_) => (weight, Vec::new()),
            Node::Decision(_, children) => (weight, children.iter().map(|&child| self.value(child)).collect()),
        };
        self.roots.iter().map(values).collect()
    }

    /// The policy at the root.
    fn root_policy(&self) -> Vec<f64> {
        match self.roots.first().map(|&(root, _)| &self.nodes[root as usize]) {
            Some(Node::Decision(set, _)) => self.sets[*set as usize].policy.clone(),
            Some(Node::Leaf(_)) | None => Vec::new(),
        }
    }

    /// What a position is worth by the policies.
    fn value(&self, node: u32) -> BySeat<f32> {
        match &self.nodes[node as usize] {
            Node::Leaf(values) => values.clone(),
            Node::Decision(set, children) => {
                let policy = &self.sets[*set as usize].policy;
                let mut sum = BySeat::filled(self.seats(node), 0.0);
                for (&child, &share) in children.iter().zip(policy) {
                    let values = self.value(child);
                    sum.iter_mut().zip(values.iter()).for_each(|(sum, value)| *sum += share as f32 * value);
                }
                sum
            }
        }
    }
}

/// What a position is worth by the policies now. Counts regret, and the policies by `sweep`, on the way; `reach` is the probability
/// with which each seat plays to the position in a world of this weight.
fn regret(
    nodes: &[Node],
    sets: &mut [InfoSet],
    node: u32,
    reach: &BySeat<f64>,
    weight: f64,
    sweep: f64,
) -> BySeat<f64> {
    let (set, children) = match &nodes[node as usize] {
        Node::Leaf(values) => return BySeat::from_fn(values.len(), |seat| f64::from(values[seat])),
        Node::Decision(set, children) => (*set as usize, children),
    };
    let seat = sets[set].seat;
    let mut sum = BySeat::filled(reach.len(), 0.0);
    let mut own = Vec::with_capacity(children.len());
    for (index, &child) in children.iter().enumerate() {
        let share = sets[set].policy[index];
        let mut reach = reach.clone();
        reach[seat] *= share;
        let values = regret(nodes, sets, child, &reach, weight, sweep);
        sum.iter_mut().zip(values.iter()).for_each(|(sum, value)| *sum += share * value);
        own.push(values[seat]);
    }
    let others: f64 = Seat::all(reach.len()).filter(|&other| other != seat).map(|other| reach[other]).product();
    let set = &mut sets[set];
    for (index, value) in own.into_iter().enumerate() {
        set.found[index] += weight * others * (value - sum[seat]);
        set.sum[index] += weight * sweep * reach[seat] * set.policy[index];
    }
    sum
}
