//! Errors of lanes.

use stier_core::IllegalAction;
use thiserror::Error;

use crate::agent::threads::Halted;
use crate::catalogue::Unsuited;

/// The reason why a call was refused. Every lane is as it was.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum VectorError {
    /// No lane.
    #[error("there must be at least 1 environment")]
    NoLanes,
    /// An array of the wrong length.
    #[error("{what} must have {expected} values, got {found}")]
    Size {
        /// The name of the array.
        what: &'static str,
        /// The right length.
        expected: usize,
        /// The given length.
        found: usize,
    },
    /// Information states in bytes.
    #[error("information-state tensors do not consist of zeros and ones: they need floats")]
    Bytes,
    /// Beliefs in bytes, or after information states.
    #[error("beliefs follow observations as floats: they need tensor=observation and observation=float32")]
    Beliefs,
    /// Beliefs about cards in a game without cards.
    #[error("'{0}' has no cards, so there are no beliefs about them")]
    NoCards(&'static str),
    /// An action that the rules do not allow.
    #[error("environment {lane}: {source}")]
    Illegal {
        /// The lane of the action.
        lane: usize,
        /// The action, and those that are allowed.
        source: IllegalAction,
    },
    /// The wrong number of opponents.
    #[error("the number of opponents must be 1, for all seats, or {expected}, clockwise from the learner, got {found}")]
    Opponents {
        /// The number of other seats.
        expected: usize,
        /// The given number.
        found: usize,
    },
    /// Opponents cannot be replaced, because the lanes have none.
    #[error("the environments were made without opponents, so they cannot be replaced")]
    NoOpponents,
    /// An opponent that cannot play this game.
    #[error(transparent)]
    Unsuited(#[from] Unsuited),
    /// A share below 0 or above 1.
    #[error("{name}_share must be between 0 and 1, got {found}")]
    Share {
        /// The setting.
        name: &'static str,
        /// The given share.
        found: f64,
    },
    /// Beginnings without a decision.
    #[error("{name}_decisions must be at least 1, got 0")]
    NoDecisions {
        /// The setting.
        name: &'static str,
    },
    /// A barred action that the game does not have.
    #[error("barred must be an action between 0 and {}, got {action}", .actions - 1)]
    Action {
        /// The given action.
        action: u8,
        /// The number of actions.
        actions: usize,
    },
    /// A learner on a seat that the game does not have.
    #[error("the learner's seat must be between 0 and {}, got {seat}", .seats - 1)]
    Seat {
        /// The given seat.
        seat: u8,
        /// The number of seats.
        seats: usize,
    },
    /// No such lane.
    #[error("environment must be between 0 and {}, got {lane}", .lanes - 1)]
    Lane {
        /// The given lane.
        lane: usize,
        /// The number of lanes.
        lanes: usize,
    },
    /// Bytes that are not a checkpoint of such lanes.
    #[error("not a checkpoint of these environments: {0}")]
    Checkpoint(String),
    /// Interrupted, or the threads could not be started.
    #[error(transparent)]
    Halted(#[from] Halted),
}

/// Refuses an array of the wrong length.
pub(super) fn check_size(what: &'static str, expected: usize, found: usize) -> Result<(), VectorError> {
    if found == expected { Ok(()) } else { Err(VectorError::Size { what, expected, found }) }
}
