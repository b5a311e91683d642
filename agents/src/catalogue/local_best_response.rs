//! Local best response: one-step lookahead against an agent whose policy is known.
//!
//! V. Lisý and M. Bowling, *Equilibrium Approximation Quality of Current No-Limit Poker Bots*, AAAI Workshop on
//! Computer Poker and Imperfect Information Games, 2017. The responder keeps the distribution over the others' cards
//! that follows from their policy and their actions ([`target_policy`](crate::catalogue::target_policy)). It takes the
//! action with the best return if the others play on by their policy and the responder by a simple one. In the paper
//! the simple policy checks and calls to the end; here it is the option `continuation`. Returns are means over
//! simulations, with the same worlds and futures for every action.
//!
//! The responder's mean return against an agent is always a lower bound on the return of a best response. It bounds the
//! agent's exploitability from below in games far too large for exact [best responses](crate::solve::best_response).
//!
//! Known weaknesses: the bound can be far below the truth, or below the agent's return against itself. The responder
//! does not plan a second move and does not take a step that only a later one rewards. With few simulations it
//! chooses between close actions by chance. It exploits only that one agent and is exploitable itself.
//!
//! Cost in queries: `particles` times the past decisions of the others, plus `worlds` times the legal actions times
//! the number of replies. If the agent searches, these dominate the time.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stier_core::{Hints, options};

use crate::agent::Decision;
use crate::belief::Kept;
use crate::belief::policy_model::PolicyModel;
use crate::catalogue::target_policy::{ResponderSettings, Simulator, TargetPolicy};
use crate::search::algorithm::{Algorithm, SearchAgent, Task};
use crate::search::determinized::tally_histories;

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
        let simulator = Simulator::new(task, &self.options.responder, &self.target);
        let mut queries = 0;
        let tally = tally_histories(task, self.options.worlds, "lbr", |history, action, mut future, mut rng| {
            let mut history = history.clone();
            future.push(task.game, &mut history, action);
            let (returns, replies) = simulator.play_on(history, future, 0, &mut rng);
            queries += replies;
            returns
        });
        tally.decide(queries)
    }

    fn restart(&mut self, seed: u64) {
        self.target.restart(seed);
    }

    fn interrupt_with(&mut self, flag: &Arc<AtomicBool>) {
        self.target.interrupt_with(flag.clone());
    }
}
