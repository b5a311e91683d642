//! Error types, one per operation. Each names the valid choices.

use thiserror::Error;

use crate::names::{alternatives, expected, none_if_empty};
use crate::options::OptionError;

/// Invalid rules.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RulesError {
    /// An unknown option, an invalid value, or text that is not a list of options.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// Options that are valid separately but not together.
    #[error("{0}")]
    Misfit(String),
    /// An unknown game.
    #[error("unknown game '{name}'{}", alternatives(.name, "games", .known))]
    UnknownGame {
        /// The unknown name.
        name: String,
        /// The names of all games.
        known: String,
    },
}

/// An action that the rules do not allow. The state is unchanged.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("illegal action {action}: {rule}; legal here: {}", none_if_empty(.legal))]
pub struct IllegalAction {
    /// The action, by name if it has one.
    pub action: String,
    /// The rule that it breaks.
    pub rule: String,
    /// The names of the legal actions.
    pub legal: Vec<String>,
}

/// Text that does not name an action or an outcome.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{text}' is not a valid {kind}{}", expected(.text, .known))]
pub struct ParseError {
    /// The text.
    pub text: String,
    /// The kind of name expected, such as "action of schwinget".
    pub kind: String,
    /// The valid names.
    pub known: String,
}

/// A record that cannot be replayed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RecordError {
    /// A header line is missing, out of order or malformed.
    #[error("line {line}: expected {expected}, found '{found}'")]
    Header {
        /// The line number, from 1.
        line: usize,
        /// The expected line.
        expected: String,
        /// The line found.
        found: String,
    },
    /// A record of another game.
    #[error("the record belongs to the game '{found}', not '{expected}'")]
    OtherGame {
        /// The game that reads the record.
        expected: String,
        /// The game that wrote the record.
        found: String,
    },
    /// A rules line that cannot be used.
    #[error("invalid rules in the record: {0}")]
    Rules(#[from] RulesError),
    /// Text that does not name an event of this game.
    #[error("event {index}: {source}")]
    Event {
        /// The number of the event, from 1.
        index: usize,
        /// The cause.
        source: ParseError,
    },
    /// An event that was not possible at that point.
    #[error("event {index}: {source}")]
    Illegal {
        /// The number of the event, from 1.
        index: usize,
        /// The cause.
        source: IllegalAction,
    },
    /// An event after the end of the game.
    #[error("event {index}: the game is over after {after} events")]
    AfterTheEnd {
        /// The number of the event, from 1.
        index: usize,
        /// The number of events until the end of the game.
        after: usize,
    },
    /// A result line that does not match the events.
    #[error("the events lead to '{actual}', but the record states '{stated}'")]
    Result {
        /// The result of replaying the events.
        actual: String,
        /// The result stated in the record.
        stated: String,
    },
}
