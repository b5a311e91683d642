//! Extended perfect information Monte Carlo search: the cards are opened a few decisions later.
//!
//! J. Arjonilla, A. Saffidine and T. Cazenave, *Perfect Information Monte Carlo with Postponing Reasoning*, IEEE
//! Conference on Games, 2024. The first `depth` decisions form a game of incomplete information over the sampled
//! worlds. At each of them the mover chooses the same way in all worlds that look alike to it, by its observations
//! since the root ([`Game::sight`], [`Game::observed`]). After them every action has its open-card value in each
//! world ([`determinized`](crate::search::determinized)). With `depth=1` this is [`pimc`](crate::search::pimc).
//!
//! This small game is built in full and solved by regret matching (CFR+ with simultaneous updates: O. Tammelin,
//! *Solving Large Imperfect Information Games Using CFR+*, 2014). Each seat maximizes its own return. The policies
//! are the averages over all `sweeps`, with more weight on later ones. Each seat's value of a decision accounts for
//! the probability of each world under the others' policies. The root action with the best mean return is played;
//! with `mixed=on`, an action drawn from the average policy.
//!
//! Known weaknesses: strategy fusion returns after `depth` decisions. It is reduced only if the searcher's second
//! decision is included, which takes `depth=3` when two players alternate. The others' hands differ between worlds
//! but the searcher's does not, so the others are assumed to know it. Knowledge from before the root that a seat can
//! no longer see there is ignored. The cost is that of PIMC times the number of action sequences of `depth - 1`
//! decisions. Half of `memory_mb` is for the small game; once that is used, no more worlds are added.

use std::collections::HashMap;

use stier_core::key::{Chain, mix};
use stier_core::list::Listing as _;
use stier_core::options::Switch;
use stier_core::{Action, ActionSet as _, BySeat, Game, Hints, Rng, Seat, SeatView as _, Turn, options};

use crate::agent::Decision;
use crate::agent::chains::{look, notice, seat_chains};
use crate::agent::memory::{Memory, listed, mapped};
use crate::agent::sampling;
use crate::agent::stop::{Stop, TimeLimit};
use crate::belief::BeliefSettings;
use crate::search::algorithm::{Algorithm, SearchAgent, Task};
use crate::search::determinized::{Drawn, Fallback, ValuationSettings, WorldDraws, WorldEvaluator, WorldTally};
use crate::search::future::{Future, OpenPosition, WorldValues};
use crate::solve::cfr::match_row;

options! {
    /// The options of [`Epimc`].
    pub(crate) struct EpimcOptions for "epimc" {
        /// Worlds per decision.
        worlds: u64 = 30, 1..=1_000_000;
        /// Milliseconds per decision. If given, time ends the search instead of `worlds`, and results depend on the
        /// clock. If there are at most `worlds` worlds in all, they are searched in turn.
        time_ms: TimeLimit = TimeLimit::NONE, ();
        /// The number of decisions, forced ones not counted, at which the mover must choose the same way in all
        /// worlds that look alike to it.
        depth: u32 = 3, 1..=8;
        /// The valuation of the worlds after these decisions.
        ..valuation: ValuationSettings = ValuationSettings { fallback: Fallback::Rollouts, iterations: 20, ..ValuationSettings::default() };
        /// The number of regret matching sweeps over the worlds.
        sweeps: u32 = 50, 1..=100_000, "depth!=1 or mixed=on";
        /// Draws the action from the policy found by regret matching, instead of playing the one with the best mean
        /// return.
        mixed: Switch = Switch::Off, ();
        /// The weights of the worlds.
        ..belief: BeliefSettings = BeliefSettings::default();
    }
}

/// The share of the time spent on building the small game; the rest is for solving it.
const BUILDING_SHARE: f64 = 0.7;

/// The algorithm: see the [module](self) documentation.
pub(crate) struct Epimc<G: Game> {
    options: EpimcOptions,
    evaluator: WorldEvaluator<G>,
}

impl<G: Hints> Epimc<G> {
    /// Creates a player with the streams of `seed`.
    pub(crate) fn new(options: EpimcOptions, seed: u64) -> SearchAgent<Self> {
        // One half is for the tree search, the other for the small game.
        let half = ValuationSettings { memory_mb: (options.valuation.memory_mb / 2).max(1), ..options.valuation };
        let evaluator = WorldEvaluator::new(half, &options.belief.guide);
        SearchAgent::new(options.time_ms, options.belief.clone(), seed, Self { options, evaluator })
    }
}

impl<G: Hints> Algorithm<G> for Epimc<G> {
    fn decide(&mut self, task: &Task<'_, G>) -> Decision {
        let Task { game, legal, stop, .. } = *task;
        // Uses the same worlds as PIMC.
        let mut rng = task.streams.rng("determinized");
        self.evaluator.begin();
        let draws = WorldDraws::new(&task.worlds, self.options.worlds, &mut rng);
        let mut subgame = Subgame::new(game.num_seats(), Memory::share(self.options.valuation.memory_mb, 2));
        let building = stop.within_share(BUILDING_SHARE);
        let mut worlds = 0;
        while !draws.is_done(worlds, self.evaluator.is_noisy(false), &building) && !subgame.is_full {
            let world = draws.nth(worlds);
            let (state, weight) = (world.state, world.weight);
            let mut keys = seat_chains(game.num_seats());
            look(&mut keys, game, &state);
            let before = subgame.nodes.len();
            let mut builder =
                SubgameBuilder { game, evaluator: &mut self.evaluator, subgame: &mut subgame, stop: &building, worlds };
            let Some(root) = builder.build(world, keys, self.options.depth, Some(legal)) else {
                subgame.nodes.truncate(before);
                break;
            };
            subgame.roots.push((root, weight));
            worlds += 1;
        }
        if self.options.depth > 1 || self.options.mixed == Switch::On {
            subgame.solve(self.options.sweeps, &stop);
        }
        let mut tally = WorldTally::new(task.view.seat(), legal.iter());
        for (weight, values) in subgame.root_values() {
            let valued = |(action, values)| WorldValues::once(action, values);
            tally.add(weight, &legal.iter().zip(values).map(valued).list());
        }
        let mut decision = tally.decide(self.evaluator.nodes + subgame.nodes.len() as u64);
        if self.options.mixed == Switch::On {
            decision.draw(subgame.root_policy(), &mut rng);
        }
        decision
    }

    fn restart(&mut self, _seed: u64) {
        self.evaluator.restart();
    }
}

impl Decision {
    /// Draws the action from this policy instead. The policy is ascending by action, like the previous one.
    fn draw(&mut self, shares: &[f64], rng: &mut Rng) {
        let total: f64 = shares.iter().sum();
        let chosen = sampling::place(shares.iter().copied(), rng.unit() * total);
        for (index, &share) in shares.iter().enumerate() {
            self.policy[index].1 = share / total;
            if let Some(search) = &mut self.search {
                search.actions[index].probability = share / total;
            }
        }
        self.action = self.policy[chosen].0;
    }
}

/// A position in one of the worlds.
#[derive(Clone, Debug)]
enum Node {
    /// The end of the small game, with its value to every seat.
    Leaf(BySeat<f32>),
    /// A decision at this information set, with its children in the order of the set's actions.
    Decision(u32, Vec<u32>),
}

/// The regrets and policies of a seat in all positions that look alike to it.
#[derive(Clone, Debug)]
struct InfoSet {
    seat: Seat,
    /// The current policy.
    policy: Vec<f64>,
    /// The regret so far, never below 0.
    regret: Vec<f64>,
    /// The regret found in this sweep.
    found: Vec<f64>,
    /// The sum of the policies, weighted by reach and sweep.
    sum: Vec<f64>,
}

/// The game over the first decisions.
#[derive(Clone, Debug)]
struct Subgame {
    seats: usize,
    memory: Memory,
    /// True if the memory is used up. Only what is unavoidable is added then.
    is_full: bool,
    nodes: Vec<Node>,
    roots: Vec<(u32, f64)>,
    sets: Vec<InfoSet>,
    numbers: HashMap<(Seat, u64), u32>,
}

/// Adds worlds to the small game.
struct SubgameBuilder<'a, G: Game> {
    game: &'a G,
    evaluator: &'a mut WorldEvaluator<G>,
    subgame: &'a mut Subgame,
    stop: &'a Stop<'a>,
    /// The number of worlds added before this one.
    worlds: u64,
}

impl<G: Hints> SubgameBuilder<'_, G> {
    /// Adds a position with `depth` decisions left before the cards are opened, and returns its node. If time or
    /// memory is used up, the first world opens its cards at once, and later worlds return `None`. `allowed`
    /// restricts the actions of this decision.
    fn build(
        &mut self,
        mut at: Drawn<G::State>,
        mut keys: BySeat<Chain>,
        depth: u32,
        allowed: Option<G::Actions>,
    ) -> Option<u32> {
        let due = self.stop.is_due() || self.subgame.is_full;
        if due && self.worlds > 0 {
            return None;
        }
        let game = self.game;
        let (seat, legal) = loop {
            let Turn::Seat(seat) = game.turn(&at.state) else {
                return Some(self.subgame.add(Node::Leaf(game.rounded_returns(&at.state))));
            };
            let legal = allowed.unwrap_or_else(|| game.legal(&at.state));
            if legal.len() > 1 {
                break (seat, legal);
            }
            (at.state, keys) = play(game, &at.state, &mut at.future, legal.nth(0), &keys);
        };
        // The seat to act knows its legal actions.
        let key = legal.iter().fold(keys[seat].key(), |key, action| mix(key, u64::from(action.0)));
        let set = self.subgame.set(seat, key, legal.len());
        let mut children = Vec::with_capacity(legal.len());
        if depth == 1 || due {
            let position = OpenPosition { state: &at.state, legal };
            for valued in self.evaluator.value(game, position, &at.future, &mut at.rng, self.stop) {
                children.push(self.subgame.add(Node::Leaf(valued.values)));
            }
        } else {
            for action in legal.iter() {
                let mut future = at.future.clone();
                let (state, keys) = play(game, &at.state, &mut future, action, &keys);
                let rng = Rng::stream(at.rng.bits(), "action", u64::from(action.0));
                children.push(self.build(Drawn { state, future, rng, ..at }, keys, depth - 1, None)?);
            }
        }
        Some(self.subgame.add(Node::Decision(set, children)))
    }
}

/// The state after an action and the random events that follow, and each seat's observations until then.
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
    let mut keys = keys.clone();
    notice(&mut keys, game, state, action);
    look(&mut keys, game, &next);
    (next, keys)
}

impl Subgame {
    fn new(seats: usize, memory: Memory) -> Self {
        let (nodes, roots, sets, numbers) = Default::default();
        Self { seats, memory, is_full: false, nodes, roots, sets, numbers }
    }

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

    /// Runs regret matching and leaves the average policies in place.
    fn solve(&mut self, sweeps: u32, stop: &Stop<'_>) {
        for sweep in 1..=sweeps {
            for &(root, weight) in &self.roots {
                let reach = BySeat::filled(self.seats, 1.0);
                regret(&self.nodes, &mut self.sets, root, &reach, weight, f64::from(sweep));
            }
            for set in &mut self.sets {
                for (regret, found) in set.regret.iter_mut().zip(&mut set.found) {
                    *regret = (*regret + *found).max(0.0);
                    *found = 0.0;
                }
                match_row(&set.regret, &mut set.policy);
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

    /// The set and the children of a root. There are several actions to choose from.
    fn root(&self, node: u32) -> (u32, &[u32]) {
        match &self.nodes[node as usize] {
            Node::Decision(set, children) => (*set, children),
            Node::Leaf(_) => unreachable!("a decision"),
        }
    }

    /// The weight of each world and the values of its root actions, if all players follow their policies from there.
    fn root_values(&self) -> impl Iterator<Item = (f64, Vec<BySeat<f32>>)> {
        let values = |node| self.root(node).1.iter().map(|&child| self.value(child)).list();
        self.roots.iter().map(move |&(node, weight)| (weight, values(node)))
    }

    /// The policy at the root.
    fn root_policy(&self) -> &[f64] {
        self.roots.first().map_or(&[], |&(node, _)| &self.sets[self.root(node).0 as usize].policy)
    }

    /// The value of a position under the policies.
    fn value(&self, node: u32) -> BySeat<f32> {
        match &self.nodes[node as usize] {
            Node::Leaf(values) => values.clone(),
            Node::Decision(set, children) => {
                let policy = &self.sets[*set as usize].policy;
                let mut sum = BySeat::filled(self.seats, 0.0);
                for (&child, &share) in children.iter().zip(policy) {
                    let values = self.value(child);
                    sum.iter_mut().zip(values.iter()).for_each(|(sum, value)| *sum += share as f32 * value);
                }
                sum
            }
        }
    }
}

/// The value of a position under the current policies. Adds up regrets, and policies weighted by `sweep`, on the way.
/// `reach` is each seat's probability of playing to the position; `weight` is that of the world.
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
