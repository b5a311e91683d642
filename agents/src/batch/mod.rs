//! Many at once: vector environments, searches and worlds for many positions.

use thiserror::Error;

use crate::agent::DecideError;
use crate::agent::threads::Halted;
use crate::catalogue::Unsuited;

pub mod resample_many;
pub mod search_many;
pub mod vector;

/// The reason why no decisions were made, or no worlds drawn, for many states.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ManyError {
    /// A state of another game, or one in which the agent cannot decide.
    #[error("state {index}: {source}")]
    State {
        /// The index of the state.
        index: usize,
        /// The error.
        source: DecideError,
    },
    /// The agent cannot play this game.
    #[error(transparent)]
    Unsuited(#[from] Unsuited),
    /// Interrupted, or the threads could not be started.
    #[error(transparent)]
    Halted(#[from] Halted),
}
