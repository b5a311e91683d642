//! The search that did best in each game, without a network.
//!
//! Every game names its agent ([`Hints::best_agent`]), by the cross-tables at equal thinking time in
//! `benches/STRENGTH.md`. Networks are trained for some rules only, and have no budget; this agent plays all rules.

use stier_core::{Hints, Options as _, options};

use crate::agent::Agent;
use crate::agent::memory::{DEFAULT_MEMORY_MB, MEMORY_MB};
use crate::catalogue::spec::AgentSpec;

options! {
    /// The budget of the agent.
    pub(crate) struct BestOptions for "best" {
        /// Iterations per decision, as the agent counts them.
        iterations: u64 = 1000, 1..=1_000_000_000, "time_ms=0";
        /// Milliseconds per decision. If given, time ends the search instead of `iterations`, and results depend on
        /// the clock.
        time_ms: u64 = 0, 0..=3_600_000;
        /// Mebibytes that the agent's trees may take, if it has any.
        memory_mb: u64 = DEFAULT_MEMORY_MB, MEMORY_MB;
    }
}

impl BestOptions {
    /// Builds the agent that the game names, with this budget and the streams of `seed`.
    pub(crate) fn build<G: Hints>(&self, game: &G, seed: u64) -> Box<dyn Agent<G>> {
        let mut spec: AgentSpec = game.best_agent().parse().expect("every game names an agent");
        for (option, value) in self.values() {
            // Agents without a tree do not have `memory_mb`.
            spec = spec.with(option, &value.to_string()).unwrap_or(spec);
        }
        spec.build(game, seed)
    }
}
