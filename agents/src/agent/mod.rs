//! The interface of agents: decisions, and the statistics of a search.

pub(crate) mod batch_agent;
pub(crate) mod beliefs;
pub(crate) mod budget;
pub(crate) mod chains;
pub(crate) mod checkpoint;
pub(crate) mod choice;
pub mod endings;
pub(crate) mod lines;
pub(crate) mod memory;
pub(crate) mod order;
pub(crate) mod player;
pub mod sampling;
pub(crate) mod stop;
pub(crate) mod streams;
pub mod threads;
pub(crate) mod worlds;

pub use batch_agent::{BatchAgent, Query};
pub use beliefs::{Belief, NoBelief, Weighing};
pub use checkpoint::CheckpointError;
pub use lines::Line;
pub use player::{OracleAgent, Player};
pub use stop::Stop;
pub use streams::Streams;
pub use worlds::Worlds;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use stier_core::list::Listing as _;
use stier_core::{Action, ActionSet, Game, Rng, Seat, Turn};
use thiserror::Error;

/// A player. It sees what its seat knows and nothing else.
///
/// An agent with a given seed decides the same way wherever it runs. Its decisions depend on the seed and on the
/// views shown since the last [`restart`](Agent::restart). Under a time budget they also depend on the clock.
pub trait Agent<G: Game>: Send {
    /// Chooses an action for the seat of the view, which must be the seat to act.
    ///
    /// `legal` contains some or all of the legal actions, and at least one: the caller may withhold the others. The
    /// agent chooses from `legal`, searches no other actions at this decision, and lists exactly these in its
    /// [`Decision`]. It plans later decisions as if nothing were withheld.
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision;

    /// Begins a new game: forgets the last one and draws from the streams of `seed` from now on.
    fn restart(&mut self, seed: u64);

    /// The worlds that the agent considers possible, given what its seat knows; the seat need not be the one to act.
    /// These are the worlds that its next search would sample from, before self-determination is applied. By default this
    /// is every history of the information set, weighted by its chance reach probability.
    fn beliefs(&mut self, game: &G, view: &G::View) -> Worlds<G> {
        Worlds::uniform(game, view)
    }

    /// Records up to `depth` actions of each line searched, in every decision from now on; 0 turns it off. This takes
    /// a little time and does not change the choice. Agents without a tree record nothing.
    fn note_lines(&mut self, _depth: usize) {}

    /// Takes the lines recorded in the last decision; see [`note_lines`](Agent::note_lines).
    fn lines(&mut self) -> Vec<Line> {
        Vec::new()
    }

    /// Sets a flag that ends a decision early. The agent then chooses by the search so far. Agents that do not search
    /// ignore it.
    fn interrupt_with(&mut self, _flag: Arc<AtomicBool>) {}
}

/// The reason why an agent did not decide.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DecideError {
    /// The state is of another game or has other rules.
    #[error("the agent was made for {expected}, the state is of {found}")]
    OtherGame {
        /// Game and rules of the agent.
        expected: String,
        /// Game and rules of the state.
        found: String,
    },
    /// Chance is to act, or the game is over.
    #[error("no player can act: {0}")]
    NoDecision(&'static str),
}

impl DecideError {
    /// The seat to act, or the error if there is none.
    pub fn seat(turn: Turn) -> Result<Seat, Self> {
        match turn {
            Turn::Seat(seat) => Ok(seat),
            Turn::Chance => Err(Self::NoDecision(
                "a random event comes next; apply one of its outcomes first, or begin with a seed, so that random events \
                 happen by themselves",
            )),
            Turn::Over => Err(Self::NoDecision("the game is over; begin a new one")),
        }
    }
}

/// An agent's choice and the reasons for it.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// The action.
    pub action: Action,
    /// The probability of each action of `legal` under the agent's policy, ascending by action. The probabilities sum
    /// to 1.
    pub policy: Vec<(Action, f64)>,
    /// The statistics of the search; `None` for agents that do not search.
    pub search: Option<Search>,
}

impl Decision {
    /// Returns a choice made without randomness.
    pub fn certain(action: Action, legal: impl Iterator<Item = Action>) -> Self {
        let policy = legal.map(|a| (a, f64::from(a == action))).collect();
        Self { action, policy, search: None }
    }

    /// Returns a choice drawn with these probabilities, ascending by action.
    pub(crate) fn drawn(legal: impl ActionSet, row: Vec<f64>, rng: &mut Rng) -> Self {
        let action = legal.nth(sampling::draw(&row, rng));
        Self { action, policy: legal.iter().zip(row).collect(), search: None }
    }

    /// Returns a choice by a search, with the policy of its statistics.
    pub(crate) fn searched(action: Action, search: Search) -> Self {
        let policy = search.actions.iter().map(|stats| (Action(stats.action), stats.probability)).list();
        Self { action, policy, search: Some(search) }
    }
}

/// The statistics of a search at its root.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Search {
    /// One entry for each action that could be chosen, ascending.
    pub actions: Vec<ActionStats>,
    /// The number of determinizations searched.
    pub iterations: u64,
    /// The number of nodes in all trees, roots included.
    pub nodes: u64,
    /// Time taken, in seconds.
    pub seconds: f64,
}

/// The statistics of one action at the root.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ActionStats {
    /// The action's id.
    pub action: u8,
    /// The number of iterations that tried the action.
    pub visits: u64,
    /// The mean return of the searching seat, in the game's utility; 0 if the action was never tried, and NaN in a
    /// solved ending, which has values of whole ranges alone.
    pub value: f64,
    /// The number of iterations that could have tried the action.
    pub availability: u64,
    /// The probability with which the agent chooses the action. For a network that always plays its best action, this
    /// is still the network's own probability.
    pub probability: f64,
}

/// Returns the actions to search at the root of a world, given the legal actions there and the actions that the
/// caller of [`Agent::act`] has `allowed`. If none of the allowed actions is legal, the world is one that only
/// another player imagines. Nothing is withheld there.
#[inline]
pub(crate) fn permitted<A: ActionSet>(legal: A, allowed: A) -> A {
    let both = legal.and(allowed);
    if both.is_empty() { legal } else { both }
}
