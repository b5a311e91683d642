//! The agent that did best in each game.
//!
//! Every game names its agent ([`Hints::BEST_AGENT`]), by the cross-tables at equal thinking time in
//! `benches/STRENGTH.md`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stier_core::{Hints, options};

use crate::agent::lines::Line;
use crate::agent::memory::{DEFAULT_MEMORY_MB, MEMORY_MB};
use crate::agent::worlds::Worlds;
use crate::agent::{Agent, Decision};
use crate::catalogue::spec::{AgentSpec, describe};

options! {
    /// The options of [`Best`].
    pub(crate) struct BestOptions for "best" {
        /// Iterations per decision, as the agent counts them.
        iterations: u64 = 1000, 1..=1_000_000_000;
        /// Milliseconds per decision. If given, time ends the search instead of `iterations`, and results depend on
        /// the clock.
        time_ms: u64 = 0, 0..=3_600_000;
        /// Mebibytes that the agent's trees may take, if it has any.
        memory_mb: u64 = DEFAULT_MEMORY_MB, MEMORY_MB;
    }
}

/// The player: see the [module](self) documentation.
pub(crate) struct Best<G: Hints> {
    agent: Box<dyn Agent<G>>,
}

impl<G: Hints> Best<G> {
    /// Creates a player with the streams of `seed`.
    pub(crate) fn new(options: BestOptions, seed: u64) -> Self {
        Self { agent: spec::<G>(&options).build(seed) }
    }
}

/// The agent that the game names, with this budget.
fn spec<G: Hints>(options: &BestOptions) -> AgentSpec {
    let BestOptions { iterations, time_ms, memory_mb } = options;
    let comma = if G::BEST_AGENT.contains(':') { ',' } else { ':' };
    let text = format!("{}{comma}iterations={iterations},time_ms={time_ms}", G::BEST_AGENT);
    let has_tree = |name: &str| {
        let agents = describe();
        agents
            .iter()
            .any(|(agent, _, options)| *agent == name && options.iter().any(|option| option.name == "memory_mb"))
    };
    let name = text.split(':').next().unwrap_or_default();
    let text = if has_tree(name) { format!("{text},memory_mb={memory_mb}") } else { text };
    text.parse().expect("every game names an agent that searches")
}

impl<G: Hints> Agent<G> for Best<G> {
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        self.agent.act(game, view, legal)
    }

    fn restart(&mut self, seed: u64) {
        self.agent.restart(seed);
    }

    fn beliefs(&mut self, game: &G, view: &G::View) -> Worlds<G> {
        self.agent.beliefs(game, view)
    }

    fn note_lines(&mut self, depth: usize) {
        self.agent.note_lines(depth);
    }

    fn lines(&mut self) -> Vec<Line> {
        self.agent.lines()
    }

    fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.agent.interrupt_with(flag);
    }
}
