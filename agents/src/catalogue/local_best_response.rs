//! Local best response: one-step lookahead against an agent whose policy is known.
//!
//! V. Lisý and M. Bowling, *Equilibrium Approximation Quality of Current No-Limit Poker Bots*, AAAI Workshop on
//! Computer Poker and Imperfect Information Games, 2017. The responder keeps the distribution over the others' cards
//! that follows from their policy and their actions ([`target_policy`](crate::catalogue::target_policy)). It takes the
//! action with the best return if the others play on by their policy and the responder by a simple one. In the paper
//! the simple policy checks and calls to the end; here it is the option `continuation`. Returns are means over
//! simulations, with the same worlds and futures for every action. With `continuation=network` and the network of a
//! learned responder, the result is one step of policy improvement over that responder, with the exact beliefs.
//!
//! The responder's mean return against an agent is always a lower bound on the return of a best response. It bounds the
//! agent's exploitability from below in games far too large for exact [best responses](crate::solve::best_response).
//!
//! Known weaknesses: the bound can be far below the truth, or below the agent's return against itself. The responder
//! does not plan a second move and does not take a step that only a later one rewards. With few simulations it
//! chooses between close actions by chance. It exploits only that one agent and is exploitable itself.
//!
//! Cost in queries: `particles` times the past decisions of the others, plus `worlds` times the legal actions times
//! the number of replies. If the agent searches, these dominate the time. If it is a network, particles and simulations
//! are evaluated side by side.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stier_core::{ActionSet as _, Hints, Rng, SeatView as _, options};

use crate::agent::Decision;
use crate::belief::Kept;
use crate::belief::policy_model::PolicyModel;
use crate::catalogue::target_policy::{ResponderSettings, Simulation, Simulator, TargetPolicy};
use crate::search::algorithm::{Algorithm, SearchAgent, Task};
use crate::search::determinized::WorldTally;
use crate::search::open_cards::{Future, WorldValues};

options! {
    /// The options of [`LocalBestResponse`].
    pub(crate) struct LbrOptions for "lbr" {
        /// Simulations per legal action in each decision.
        worlds: u64 = 200, 1..=100_000_000;
        /// The agent to respond to, and the method.
        ..responder: ResponderSettings = ResponderSettings::default();
    }
}

/// The algorithm: see the [module](self) documentation.
pub(crate) struct LocalBestResponse<G: Hints> {
    options: LbrOptions,
    target: TargetPolicy<G>,
}

impl<G: Hints> LocalBestResponse<G> {
    /// Creates a player with the streams of `seed`.
    pub(crate) fn new(options: LbrOptions, seed: u64) -> SearchAgent<Self> {
        let target = TargetPolicy::new(&options.responder, seed);
        SearchAgent::new(0, options.responder.belief(), seed, Self { options, target }).keeping(Kept::Histories)
    }
}

impl<G: Hints> Algorithm<G> for LocalBestResponse<G> {
    fn model(&self) -> Option<&dyn PolicyModel<G>> {
        Some(&self.target)
    }

    fn decide(&mut self, task: &Task<'_, G>) -> Decision {
        let Task { game, ref worlds, legal, stop, .. } = *task;
        let simulator = Simulator::new(task, &self.options.responder, &self.target);
        let seed = task.streams.rng("lbr").bits();
        let (mut tally, mut queries) = (WorldTally::new(task.view.seat(), legal.iter()), 0);
        let most = self.options.worlds;
        while tally.worlds() == 0 || tally.worlds() < most && !stop.is_due() {
            let mut simulations = Vec::new();
            for world in tally.worlds()..most.min(tally.worlds() + self.target.batch_size() as u64) {
                let mut rng = Rng::stream(seed, "world", world);
                let history = worlds.draw_history(game, &mut rng);
                let future = Future::drawn(rng.bits());
                for action in legal.iter() {
                    let mut simulation = Simulation::new(game, history.clone(), future.clone(), rng.clone());
                    simulation.push(game, action);
                    simulations.push(simulation);
                }
            }
            simulator.play_on(&mut simulations);
            // Interrupted simulations count only if they are the first.
            if tally.worlds() > 0 && stop.is_due() {
                break;
            }
            for world in simulations.chunks(legal.len()) {
                let valued = legal
                    .iter()
                    .zip(world)
                    .map(|(action, simulation)| WorldValues::once(action, simulation.returns.clone()));
                tally.add(1.0, &valued.collect::<Vec<_>>());
            }
            queries += simulations.iter().map(|simulation| simulation.queries).sum::<u64>();
        }
        tally.decide(queries)
    }

    fn restart(&mut self, seed: u64) {
        self.target.restart(seed);
    }

    fn interrupt_with(&mut self, flag: &Arc<AtomicBool>) {
        self.target.interrupt_with(flag.clone());
    }
}
