//! A searched best response: tree search against an agent whose policy is known.
//!
//! This is the search of ISMCTS-BR without its learned networks: F. Timbers, N. Bard, E. Lockhart, M. Lanctot, M.
//! Schmid, N. Burch, J. Schrittwieser, T. Hubert and M. Bowling, *Approximate Exploitability: Learning a Best
//! Response*, IJCAI 2022. Every iteration draws a history, weighted by the other players' policy
//! ([`target_policy`](crate::catalogue::target_policy)). It descends a tree of the responder's own decisions by UCB1
//! and plays on to the end. The others follow their policy in the tree and below it. The responder's nodes are
//! distinguished by its observations of actions. With `draws=branch` they are also distinguished by the cards it sees,
//! and are then its information sets.
//!
//! Against a fixed policy this is a single-player search. With many particles and iterations and `draws=branch` it
//! finds a best response. Like [`lbr`](crate::catalogue::local_best_response), it computes lower bounds on
//! exploitability: its mean return is one at any budget.
//!
//! Known weaknesses: against an agent that searches, an iteration costs as many searches as there are queries, so
//! trees stay small and the bound is loose. With fewer `replies` the others follow the continuation later on, in the
//! tree too; it is then larger but represents their policy less well.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use stier_core::key::Chain;
use stier_core::{ActionSet as _, Hints, History, Rng, SeatView as _, Turn, options};

use crate::agent::choice::Choose;
use crate::agent::memory::{DEFAULT_MEMORY_MB, MEMORY_MB, Memory};
use crate::agent::streams::AgentStreams;
use crate::agent::worlds::Worlds;
use crate::agent::{ActionStats, Agent, Decision, Search};
use crate::catalogue::target_policy::{ResponderSettings, Simulator, TargetPolicy};
use crate::search::ismcts::Draws;
use crate::search::open_cards::Future;
use crate::search::spread::ReturnSpread;
use crate::search::ucb::{ActionRecord, NodeId, UcbTree};

options! {
    /// The options of [`IsmctsBr`].
    pub(crate) struct IsmctsBrOptions for "ismcts_br" {
        /// Iterations per decision.
        iterations: u64 = 1000, 1..=1_000_000_000;
        /// Exploration in UCB1, for returns scaled so that twice their standard deviation in this search is 1.
        c: f64 = 1.4, 0.0..=100.0;
        /// The treatment of cards that the responder draws after the root.
        draws: Draws = Draws::Merge, ();
        /// The rule by which an action is chosen after the search.
        choose: Choose = Choose::Visits, ();
        /// The agent to respond to, and the method.
        ..responder: ResponderSettings = ResponderSettings::default();
        /// Mebibytes that the tree may take. Once it is full, the search continues with the existing nodes.
        memory_mb: u64 = DEFAULT_MEMORY_MB, MEMORY_MB;
    }
}

/// The player: see the [module](self) documentation.
pub(crate) struct IsmctsBr<G: Hints> {
    options: IsmctsBrOptions,
    streams: AgentStreams,
    target: TargetPolicy<G>,
}

impl<G: Hints> IsmctsBr<G> {
    /// Creates a player with the streams of `seed`.
    pub(crate) fn new(options: IsmctsBrOptions, seed: u64) -> Self {
        let target = TargetPolicy::new(&options.responder, seed);
        Self { options, streams: AgentStreams::new(seed), target }
    }
}

impl<G: Hints> Agent<G> for IsmctsBr<G> {
    /// Searches, unless only one action is legal.
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let start = Instant::now();
        let (mut done, mut nodes) = (0, 0);
        let mut actions: Vec<ActionStats> = legal.iter().map(|action| ActionRecord::new(action).stats(0.0)).collect();
        if legal.len() > 1 {
            let stop = self.streams.stop(start, 0);
            let IsmctsBrOptions { iterations, c, draws, responder, .. } = &self.options;
            let worlds = responder.worlds(game, view, &self.target, &stop, &mut self.streams.rng("beliefs"));
            let (low, high) = game.rounded_range();
            let mut search = Searcher {
                simulator: responder.simulator(game, view.seat(), &self.target, stop),
                branches: *draws == Draws::Branch,
                width: *c,
                low: f64::from(low),
                range: f64::from(high - low).max(f64::MIN_POSITIVE),
                tree: UcbTree::new(Memory::share(self.options.memory_mb, 1)),
                spread: ReturnSpread::default(),
                rng: self.streams.rng("ismcts_br"),
            };
            while done < *iterations && (done == 0 || !stop.is_due()) {
                let history = worlds.draw_history(game, &mut search.rng);
                search.iterate(history, legal);
                done += 1;
            }
            nodes = search.tree.len() as u64;
            let records = legal.iter().map(|action| search.tree.find(ROOT, action));
            actions = records.map(|record| record.stats(record.mean())).collect();
        }
        let found = Search { actions, iterations: done, nodes, seconds: start.elapsed().as_secs_f64() };
        let decision = self.options.choose.decide(found, &[], &mut self.streams.rng("ismcts_br choice"));
        self.streams.advance();
        decision
    }

    fn restart(&mut self, seed: u64) {
        self.streams.restart(seed);
        self.target.restart(seed);
    }

    fn beliefs(&mut self, game: &G, view: &G::View) -> Worlds<G> {
        let stop = self.streams.stop(Instant::now(), 0);
        self.options.responder.worlds(game, view, &self.target, &stop, &mut self.streams.rng("beliefs"))
    }

    fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.target.interrupt_with(flag.clone());
        self.streams.interrupt_with(flag);
    }
}

/// The key of the root.
const ROOT: u64 = 0;

/// One search.
struct Searcher<'a, G: Hints> {
    simulator: Simulator<'a, G>,
    /// True if nodes are distinguished by the cards that the responder draws.
    branches: bool,
    width: f64,
    low: f64,
    range: f64,
    /// Nodes by the responder's observations since the root.
    tree: UcbTree,
    spread: ReturnSpread,
    rng: Rng,
}

impl<G: Hints> Searcher<'_, G> {
    /// Runs one simulation from the root to the end of the game. `allowed` restricts the responder's actions at the
    /// root.
    fn iterate(&mut self, mut history: History<G>, allowed: G::Actions) {
        let Simulator { game, seat, .. } = self.simulator;
        let mut future = Future::drawn(self.rng.bits());
        let (mut chain, mut queries) = (Chain::new(ROOT), 0);
        let mut path: Vec<(NodeId, usize)> = Vec::new();
        let mut leaf = false;
        while !leaf && let Turn::Seat(mover) = game.turn(history.state()) {
            if self.branches && !path.is_empty() {
                chain.look(game.sight(history.state(), seat));
            }
            let key = chain.key();
            let legal = if key == ROOT { allowed } else { game.legal(history.state()) };
            let action = if mover != seat {
                self.simulator.act(&history, mover, &mut queries, &mut self.rng)
            } else if legal.len() == 1 {
                legal.nth(0)
            } else {
                let width = self.width * f64::from(self.spread.scale()) * self.range;
                let Some(node) = self.tree.node(key) else { break };
                let Some((place, untried)) = self.tree.select(node, legal, width, &mut self.rng) else { break };
                path.push((node, place));
                leaf = untried;
                self.tree.record(node, place).action
            };
            chain.notice(game.observed(history.state(), action, seat));
            future.push(game, &mut history, action);
        }
        let (returns, _) = self.simulator.play_on(history, future, queries, &mut self.rng);
        let value = f64::from(returns[seat]);
        for (node, place) in path {
            self.tree.record(node, place).add(value);
        }
        self.spread.add((value - self.low) / self.range);
    }
}
