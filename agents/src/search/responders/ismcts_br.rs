//! A searched best response: tree search against an agent whose policy is known.
//!
//! This is the search of ISMCTS-BR without its learned networks: F. Timbers, N. Bard, E. Lockhart, M. Lanctot, M.
//! Schmid, N. Burch, J. Schrittwieser, T. Hubert and M. Bowling, *Approximate Exploitability: Learning a Best
//! Response*, IJCAI 2022. Every iteration draws a history, weighted by the other players' policy
//! ([`target_policy`](crate::search::responders::target_policy)). It descends a tree of the responder's own decisions by UCB1
//! and plays on to the end; with `continuation=network` a trained network, such as that of a learned responder, plays
//! for the responder below the tree. The others follow their policy in the tree and below it. The responder's nodes are
//! distinguished by its observations of actions. With `draws=branch` they are also distinguished by the cards it sees,
//! and are then its information sets.
//!
//! Against a fixed policy this is a single-player search. With many particles and iterations and `draws=branch` it
//! finds a best response. With a `cutoff` and `evaluation=network` it is a depth-limited best response whose leaves a
//! network values: D. Milec, O. Kubíček and V. Lisý, *Continual Depth-limited Responses for Computing
//! Counter-strategies in Sequential Games*, 2024 (arXiv:2112.12594). Like
//! [`lbr`](crate::search::responders::local_best_response), it computes lower bounds on exploitability: its mean return is one at
//! any budget.
//!
//! Known weaknesses: against an agent that searches, an iteration costs as many searches as there are queries, so
//! trees stay small and the bound is loose. With fewer `replies` the others follow the continuation later on, in the
//! tree too; it is then larger but represents their policy less well.

use stier_core::key::Chain;
use stier_core::list::Listing as _;
use stier_core::{ActionSet as _, Hints, History, Rng, Turn, options};

use crate::agent::choice::Choose;
use crate::agent::memory::Memory;
use crate::agent::{Decision, Search};
use crate::search::algorithm::Task;
use crate::search::future::Future;
use crate::search::ismcts::Draws;
use crate::search::responders::Respond;
use crate::search::responders::target_policy::{Simulation, Simulator, TargetPolicy};
use crate::search::spread::{ReturnScale, ReturnSpread};
use crate::search::ucb::{NodeId, UcbTree};

options! {
    /// The options of [`IsmctsBr`].
    pub(crate) struct IsmctsBrSettings for "ismcts_br" {
        /// Iterations per decision.
        iterations: u64 = 1000, 1..=1_000_000_000;
        /// Exploration in UCB1, for returns scaled so that twice their standard deviation in this search is 1.
        c: f64 = 1.4, 0.0..=100.0;
        /// The treatment of cards that the responder draws after the root.
        draws: Draws = Draws::Merge, ();
        /// The rule by which an action is chosen after the search.
        choose: Choose = Choose::Visits, ();
    }
}

/// The algorithm: see the [module](self) documentation.
pub(crate) struct IsmctsBr {
    /// The options.
    pub options: IsmctsBrSettings,
    /// Mebibytes of each tree.
    pub memory_mb: u64,
}

impl<G: Hints> Respond<G> for IsmctsBr {
    fn respond(&self, task: &Task<'_, G>, target: &TargetPolicy<G>) -> Decision {
        let options = &self.options;
        let mut search = Searcher {
            simulator: Simulator::new(task, target),
            branches: options.draws == Draws::Branch,
            width: options.c,
            scale: ReturnScale::new(task.game),
            tree: UcbTree::new(Memory::share(self.memory_mb, 1)),
            spread: ReturnSpread::new(1.0),
            rng: task.streams.rng("ismcts_br"),
        };
        let mut done = 0;
        while done < options.iterations && (done == 0 || !task.stop.is_due()) {
            let history = task.worlds.draw_history(task.game, &mut search.rng);
            search.iterate(history, task.legal);
            done += 1;
        }
        let records = task.legal.iter().map(|action| search.tree.find(ROOT, action));
        let actions = records.map(|record| record.stats(record.mean())).list();
        let found = Search { actions, iterations: done, nodes: search.tree.len() as u64, seconds: 0.0 };
        let spread = f64::from(search.spread.scale()) * search.scale.range;
        options.choose.decide(found, spread, None, &mut task.streams.rng("ismcts_br choice"))
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
    scale: ReturnScale,
    /// Nodes by the responder's observations since the root.
    tree: UcbTree,
    spread: ReturnSpread,
    rng: Rng,
}

impl<G: Hints> Searcher<'_, G> {
    /// Runs one simulation from the root to the end of the game. `allowed` restricts the responder's actions at the
    /// root.
    fn iterate(&mut self, history: History<G>, allowed: G::Actions) {
        let Simulator { game, seat, .. } = self.simulator;
        let future = Future::drawn(self.rng.bits());
        let mut simulation = Simulation::new(game, history, future, self.rng.clone());
        let mut chain = Chain::new(ROOT);
        let mut path: Vec<(NodeId, usize)> = Vec::new();
        let mut leaf = false;
        while !leaf
            && let Turn::Seat(mover) = game.turn(simulation.history.state())
            && !self.simulator.is_leaf(&simulation, mover)
        {
            let state = *simulation.history.state();
            if self.branches && !path.is_empty() {
                chain.look(game.sight(&state, seat));
            }
            let key = chain.key();
            let legal = if key == ROOT { allowed } else { game.legal(&state) };
            let action = if mover != seat {
                self.simulator.act(&mut simulation, mover)
            } else if legal.len() == 1 {
                legal.nth(0)
            } else {
                let width = self.width * f64::from(self.spread.scale()) * self.scale.range;
                let Some(node) = self.tree.node(key) else { break };
                let Some((place, untried)) = self.tree.select(node, legal, width, &mut simulation.rng) else { break };
                path.push((node, place));
                leaf = untried;
                self.tree.record(node, place).action
            };
            chain.notice(game.observed(&state, action, seat));
            simulation.push(game, action);
        }
        self.simulator.play_on(std::slice::from_mut(&mut simulation));
        self.rng = simulation.rng;
        let value = f64::from(simulation.returns[seat]);
        for (node, place) in path {
            self.tree.record(node, place).add(value);
        }
        self.spread.add(self.scale.unit(value));
    }
}
