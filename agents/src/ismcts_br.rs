//! A searched best response: tree search against an agent whose policy is known.
//!
//! F. Timbers, N. Bard, E. Lockhart, M. Lanctot, M. Schmid, N. Burch, J. Schrittwieser, T. Hubert and M. Bowling, *Approximate
//! Exploitability: Learning a Best Response*, IJCAI 2022: of their ISMCTS-BR the search, without the learned networks. Every
//! iteration draws a history by what the others would have done ([`victim`](crate::victim)), descends a tree of the responder's own
//! decisions by UCB1 and plays on; the others act by their policy in the tree and behind it. The responder's nodes are told apart by
//! what it observes of the actions, with `draws=branch` also by what it sees: by its information sets then.
//!
//! Against a fixed policy this is a search for one player: with many particles and iterations and `draws=branch` it finds a best
//! response. Like [`lbr`](crate::local_best_response), it is there for lower bounds on exploitability, which its mean return gives
//! whatever its budget.
//!
//! Known weaknesses: against an agent that searches, an iteration costs as many searches as decisions are asked for, so that trees
//! stay small and the bound loose. With fewer `replies` the others follow the continuation later on, in the tree, too: it is larger
//! then and says less about them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use stier_core::key::Chain;
use stier_core::{Action, ActionSet as _, Hints, History, Rng, SeatView as _, Turn, float, options};

use crate::agent::{ActionStats, Agent, Decision, Search};
use crate::choice::Choose;
use crate::course::Course;
use crate::ismcts::Draws;
use crate::memory::{DEFAULT_MEMORY_MB, MEMORY_MB, Memory, growth, mapped};
use crate::open_cards::Future;
use crate::spread::Spread;
use crate::victim::{ResponderSettings, Simulator, Victim};
use crate::worlds::Worlds;

options! {
    /// The options of [`IsmctsBr`].
    pub struct IsmctsBrOptions for "ismcts_br" {
        /// Iterations per decision.
        iterations: u64 = 1000, 1..=1_000_000_000;
        /// Exploration in UCB1, for returns scaled so that twice their standard deviation in this search is 1.
        c: f64 = 1.4, 0.0..=100.0;
        /// What the cards do that the responder draws after the root.
        draws: Draws = Draws::Merge, ();
        /// Which action is played after the search.
        choose: Choose = Choose::Visits, ();
        /// Whom it responds to, and how.
        ..responder: ResponderSettings = ResponderSettings::default();
        /// Mebibytes that the tree may take. Once it is full, the search goes on in the nodes that there are.
        memory_mb: u64 = DEFAULT_MEMORY_MB, MEMORY_MB;
    }
}

/// The player: see the [module](self) documentation.
pub struct IsmctsBr<G: Hints> {
    options: IsmctsBrOptions,
    course: Course,
    victim: Victim<G>,
}

impl<G: Hints> IsmctsBr<G> {
    /// A player with the streams of `seed`.
    pub fn new(options: IsmctsBrOptions, seed: u64) -> Self {
        let victim = Victim::new(&options.responder, seed);
        Self { options, course: Course::new(seed), victim }
    }
}

impl<G: Hints> Agent<G> for IsmctsBr<G> {
    /// Searches, unless only one action is legal.
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let start = Instant::now();
        let (mut arms, mut done, mut nodes) = (Vec::new(), 0, 0);
        if legal.len() > 1 {
            let stop = self.course.stop(start, 0);
            let IsmctsBrOptions { iterations, c, draws, responder, .. } = &self.options;
            let worlds = responder.worlds(game, view, &self.victim, &stop, &mut self.course.rng("beliefs"));
            let (low, high) = game.rounded_range();
            let mut search = Tree {
                simulator: Simulator {
                    game,
                    seat: view.seat(),
                    victim: &self.victim,
                    continuation: responder.continuation,
                    replies: responder.replies,
                    stop,
                },
                branches: *draws == Draws::Branch,
                width: *c,
                low: f64::from(low),
                range: f64::from(high - low).max(f64::MIN_POSITIVE),
                nodes: HashMap::new(),
                memory: Memory::share(self.options.memory_mb, 1),
                spread: Spread::default(),
                rng: self.course.rng("ismcts_br"),
            };
            while done < *iterations && (done == 0 || !stop.is_due()) {
                let history = worlds.draw_history(game, &mut search.rng);
                search.iterate(history, legal);
                done += 1;
            }
            nodes = search.nodes.len() as u64;
            arms = search.nodes.remove(&ROOT).unwrap_or_default();
        }
        let stats = |action: Action| {
            let arm = arms.iter().find(|arm| arm.action == action).copied().unwrap_or(Arm::new(action));
            ActionStats {
                action: action.0,
                visits: arm.visits,
                value: arm.mean(),
                availability: arm.available,
                probability: 0.0,
            }
        };
        let actions = legal.iter().map(stats).collect();
        let found = Search { actions, iterations: done, nodes, seconds: start.elapsed().as_secs_f64() };
        let decision = self.options.choose.decide(found, &[], &mut self.course.rng("ismcts_br choice"));
        self.course.advance();
        decision
    }

    fn restart(&mut self, seed: u64) {
        self.course.restart(seed);
        self.victim.restart(seed);
    }

    fn beliefs(&mut self, game: &G, view: &G::View) -> Worlds<G> {
        let stop = self.course.stop(Instant::now(), 0);
        self.options.responder.worlds(game, view, &self.victim, &stop, &mut self.course.rng("beliefs"))
    }

    fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.victim.interrupt_with(flag.clone());
        self.course.interrupt_with(flag);
    }
}

/// An action of the responder at one of its nodes.
#[derive(Clone, Copy, Debug)]
struct Arm {
    action: Action,
    visits: u64,
    available: u64,
    /// The sum of the returns, in the game's utility.
    sum: f64,
}

impl Arm {
    fn new(action: Action) -> Self {
        Self { action, visits: 0, available: 0, sum: 0.0 }
    }

    /// The mean return; 0 if it was never tried.
    fn mean(&self) -> f64 {
        self.sum / self.visits.max(1) as f64
    }
}

/// The key of the root.
const ROOT: u64 = 0;

/// The tree of one search.
struct Tree<'a, G: Hints> {
    simulator: Simulator<'a, G>,
    /// Whether nodes are told apart by what the responder draws.
    branches: bool,
    width: f64,
    low: f64,
    range: f64,
    /// By what the responder has seen since the root.
    nodes: HashMap<u64, Vec<Arm>>,
    memory: Memory,
    spread: Spread,
    rng: Rng,
}

impl<G: Hints> Tree<'_, G> {
    /// One simulation from the root of the search, at which the responder may choose among these actions, to the end of the game.
    fn iterate(&mut self, mut history: History<G>, allowed: G::Actions) {
        let Simulator { game, seat, .. } = self.simulator;
        let mut future = Future::drawn(self.rng.bits());
        let (mut chain, mut asked) = (Chain::new(ROOT), 0);
        let mut path: Vec<(u64, Action)> = Vec::new();
        let mut leaf = false;
        while !leaf && let Turn::Seat(mover) = game.turn(history.state()) {
            if self.branches && !path.is_empty() {
                chain.look(game.sight(history.state(), seat));
            }
            let key = chain.key();
            let legal = if key == ROOT { allowed } else { game.legal(history.state()) };
            let action = if mover != seat {
                self.simulator.act(&history, mover, &mut asked, &mut self.rng)
            } else if legal.len() == 1 {
                legal.nth(0)
            } else {
                let Some((action, untried)) = self.select(key, legal) else { break };
                path.push((key, action));
                leaf = untried;
                action
            };
            chain.notice(game.observed(history.state(), action, seat));
            future.push(game, &mut history, action);
        }
        let (returns, _) = self.simulator.play_on(history, future, asked, &mut self.rng);
        let value = f64::from(returns[seat]);
        for (key, action) in path {
            let arms = self.nodes.get_mut(&key).expect("a node that was passed");
            let arm = arms.iter_mut().find(|arm| arm.action == action).expect("an action that was tried");
            arm.visits += 1;
            arm.sum += value;
        }
        self.spread.add((value - self.low) / self.range);
    }

    /// An action that was not tried yet here, at random, or the one with the highest mean + c x spread x sqrt(ln(available) /
    /// visits); and whether it is new. `None` where a full tree has neither.
    fn select(&mut self, key: u64, legal: G::Actions) -> Option<(Action, bool)> {
        // The root gets all its actions.
        let is_root = key == ROOT;
        if !self.nodes.contains_key(&key) && !self.memory.take(mapped::<u64, Vec<Arm>>()) && !is_root {
            return None;
        }
        let arms = self.nodes.entry(key).or_default();
        let tried = arms.iter().fold(G::Actions::default(), |tried, arm| tried.with(arm.action));
        let untried = legal.without(tried);
        let new = !untried.is_empty() && (self.memory.take(growth(arms)) || is_root);
        if new {
            arms.push(Arm::new(untried.pick(&mut self.rng)));
        }
        let width = self.width * f64::from(self.spread.scale()) * self.range;
        let mut best = (f64::NEG_INFINITY, None);
        for arm in arms.iter_mut().filter(|arm| legal.contains(arm.action)) {
            arm.available += 1;
            let bound = match arm.visits {
                0 => f64::INFINITY,
                visits => arm.mean() + width * (float::log(arm.available as f64) / visits as f64).sqrt(),
            };
            if bound > best.0 {
                best = (bound, Some(arm.action));
            }
        }
        best.1.map(|action| (action, new))
    }
}
