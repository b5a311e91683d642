//! The settings of lanes.

use stier_core::choice;

use super::opening::{Barred, Opening};
use super::opponents::Opponents;
use crate::catalogue::AgentSpec;

choice! {
    /// The treatment of a lane whose game has ended.
    pub enum Autoreset {
        /// The step that ends a game deals the next one. It shows the new game, except for rewards and `terminated`.
        /// The last tensor of the old game is [`Rows::final_observation`](super::Rows::final_observation).
        SameStep = "same_step",
        /// The next step ignores the lane's action and deals the next game.
        NextStep = "next_step",
        /// The lane stays as it is; steps do nothing to it. [`Lanes::reset`](super::Lanes::reset) deals the next game.
        Disabled = "disabled",
    }
}

choice! {
    /// The tensor that a player is shown.
    pub enum TensorKind {
        /// The table and the player's hand: [`Game::observation`](stier_core::Game::observation).
        Observation = "observation",
        /// All that the player knows: [`Game::information_state`](stier_core::Game::information_state).
        InformationState = "information_state",
    }
}

/// The settings of lanes.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The number of lanes, at least 1.
    pub lanes: usize,
    /// The seed from which those of the lanes are hashed.
    pub seed: u64,
    /// The number of threads; 0 for all cores. Results do not depend on it.
    pub threads: usize,
    /// The treatment of a lane whose game has ended.
    pub autoreset: Autoreset,
    /// The tensor that players are shown.
    pub tensor: TensorKind,
    /// The agents on the other seats; `None` if the caller decides for every seat.
    pub opponents: Option<Opponents>,
    /// The beginning of some of the games; `None` if all begin with the deal.
    pub opening: Option<Opening>,
    /// An action that may not be chosen at the beginning of some of the games; `None` if all legal ones may.
    pub barred: Option<Barred>,
    /// The agent whose beliefs about the cards follow the observation; `None` if nothing does. For each other seat,
    /// clockwise from the player's, and each card, this is the expected number of copies that the seat holds.
    pub beliefs: Option<AgentSpec>,
}

impl Settings {
    /// The agents that decide inside a step.
    pub(super) fn agents(&self) -> impl Iterator<Item = &AgentSpec> {
        let opponents = self.opponents.iter().flat_map(|all| &all.agents);
        opponents.chain(self.opening.iter().map(|opening| &opening.agent))
    }

    /// Returns true if all agents decide so fast in this number of lanes that interrupts are not needed.
    pub(super) fn is_instant(&self) -> bool {
        self.beliefs.is_none()
            && self.agents().all(|spec| spec.facts().is_instant && (self.lanes <= FEW_LANES || !spec.has_network()))
    }
}

/// In more lanes than this, agents that ask networks take long enough to be interrupted.
const FEW_LANES: usize = 256;
