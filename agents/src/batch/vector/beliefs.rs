//! Beliefs as inputs: after the observation, the places of the cards as an agent sees them.
//!
//! An agent that knows the policy of the opponents, such as `lbr` with `against` and `epsilon=0`, infers from their
//! actions: where the worlds can be enumerated, it believes in the posterior. Its beliefs use the view of the player
//! who is shown them, and nothing else.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stier_core::{FullGame, Game, Rng};

use super::lane::{Lane, Stage};
use crate::agent::Agent;
use crate::belief::marginals;
use crate::catalogue::AgentSpec;

/// An agent whose beliefs are shown. It remembers nothing between decisions: its seed is hashed from (seed of the game,
/// "beliefs", events so far).
pub(super) struct Believer<G: Game> {
    agent: Box<dyn Agent<G>>,
}

impl<G: FullGame> Believer<G> {
    /// The agent; once the flag is set, its inference stops early.
    pub(super) fn new(game: &G, spec: &AgentSpec, interrupt: &Arc<AtomicBool>) -> Self {
        let mut agent = spec.build(game, 0);
        agent.interrupt_with(interrupt.clone());
        Self { agent }
    }

    /// Writes the beliefs of the player who is to act, for the other seats clockwise. Nothing is written once the game
    /// is over.
    pub(super) fn write(&mut self, game: &G, lane: &Lane<G>, row: &mut [f32]) {
        if lane.stage != Stage::Running {
            return;
        }
        self.agent.restart(Rng::stream(lane.seed, "beliefs", lane.history.events().len() as u64).bits());
        let worlds = self.agent.beliefs(game, &game.view(&lane.history, lane.viewer));
        row.iter_mut().zip(marginals(game, &worlds).of_others(lane.viewer)).for_each(|(value, found)| *value = found);
    }
}
