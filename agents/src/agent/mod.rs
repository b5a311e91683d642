//! What an agent is.

pub(crate) mod budget;
pub(crate) mod checkpoint;
pub(crate) mod choice;
pub(crate) mod course;
pub(crate) mod crowd;
pub(crate) mod lines;
pub(crate) mod memory;
pub(crate) mod player;
pub mod sampling;
pub(crate) mod stop;
pub mod threads;
pub(crate) mod worlds;

pub use checkpoint::CheckpointError;
pub use course::Streams;
pub use crowd::{Crowd, Position};
pub use lines::Line;
pub use player::{OracleAgent, Player};
pub use stop::Stop;
pub use worlds::{Belief, NoBelief, Weighing, Worlds};

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use stier_core::{Action, ActionSet, Game};
use thiserror::Error;

/// A player. It sees what its seat knows and nothing else.
///
/// With one seed an agent decides alike wherever it runs: its decisions are a function of the seed, of the views it has been
/// shown since the last [`restart`](Agent::restart), and, under a time budget only, of the clock.
pub trait Agent<G: Game>: Send {
    /// Chooses an action for the seat of the view, which is to act.
    ///
    /// `legal` contains some or all of the actions that the rules allow, at least one: the caller may withhold the others. The
    /// agent chooses one of `legal`, searches no others at this decision, and its [`Decision`] lists exactly these. Later decisions
    /// are planned as if nothing were withheld.
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision;

    /// Begins a new game: forgets the last one and draws from the streams of `seed` from now on.
    fn restart(&mut self, seed: u64);

    /// What the agent takes for possible when its seat, to move or not, knows this: the worlds from which its next decision would
    /// draw if it were now, before any [self-determination](crate::agent::worlds). By default every history of the information set by its
    /// chance reach probability.
    fn beliefs(&mut self, game: &G, view: &G::View) -> Worlds<G> {
        Worlds::uniform(game, view)
    }

    /// From now on decisions note the lines of up to `depth` actions that they search, which takes a little time; 0 ends it. It has
    /// no influence on what is chosen. Agents without a tree have nothing to note.
    fn note_lines(&mut self, _depth: usize) {}

    /// The lines noted in the last decision, which are forgotten then; see [`note_lines`](Agent::note_lines).
    fn lines(&mut self) -> Vec<Line> {
        Vec::new()
    }

    /// Once the flag is set, a decision in progress ends early with what it has. Agents that decide at once ignore it.
    fn interrupt_with(&mut self, _flag: Arc<AtomicBool>) {}
}

/// Why an agent did not decide.
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
    /// Chance is to act, or nobody.
    #[error("no player is to act in this state: {0}")]
    NoDecision(&'static str),
}

/// What an agent chose and why.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// The action.
    pub action: Action,
    /// The probability with which each action of `legal` was to be chosen, ascending by action; sums to 1.
    pub policy: Vec<(Action, f64)>,
    /// What a search saw; `None` from agents that do not search.
    pub search: Option<Search>,
}

impl Decision {
    /// A choice made without randomness.
    pub fn certain(action: Action, legal: impl Iterator<Item = Action>) -> Self {
        let policy = legal.map(|a| (a, f64::from(u8::from(a == action)))).collect();
        Self { action, policy, search: None }
    }
}

/// The statistics of a search at its root.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Search {
    /// One entry for each action that could be chosen, ascending.
    pub actions: Vec<ActionStats>,
    /// Determinizations searched.
    pub iterations: u64,
    /// Nodes in the tree, the root included; of all trees if there were several.
    pub nodes: u64,
    /// Time taken, in seconds.
    pub seconds: f64,
}

/// What a search found about one action at the root.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ActionStats {
    /// The action's id.
    pub action: u8,
    /// How often it was tried.
    pub visits: u64,
    /// Mean return for the searching seat, in the game's utility; 0 if never tried.
    pub value: f64,
    /// In how many iterations it could have been tried.
    pub availability: u64,
    /// The probability with which the agent chooses it; from a network that plays the best, the one that it gives.
    pub probability: f64,
}

/// The actions to search at the root of a world in which these are legal, where the caller of [`Agent::act`] has `allowed` these. In
/// a world that only another player imagines, none of the allowed actions may be legal: nothing is withheld there.
#[inline]
pub(crate) fn permitted<A: ActionSet>(legal: A, allowed: A) -> A {
    let both = legal.and(allowed);
    if both.is_empty() { legal } else { both }
}
