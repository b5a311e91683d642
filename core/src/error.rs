//! Errors: one small type per operation, each naming the valid choices.

use thiserror::Error;

use crate::options::OptionError;

/// Rules that make no game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RulesError {
    /// An unknown option or value, or text that is no list of options.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// Options that are fine one by one and do not fit together.
    #[error("{0}")]
    Misfit(String),
    /// No game of that name.
    #[error("unknown game '{name}'; the games are {known}")]
    UnknownGame {
        /// What was asked for.
        name: String,
        /// The games there are.
        known: String,
    },
}

/// An action that the rules do not allow here. The state is as it was.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("illegal action {action}: {rule}; legal here: {}", none_if_empty(.legal))]
pub struct IllegalAction {
    /// The action, by name where it has one.
    pub action: String,
    /// The rule that it breaks.
    pub rule: String,
    /// The names of the actions that are legal in the state.
    pub legal: Vec<String>,
}

fn none_if_empty(names: &[String]) -> String {
    if names.is_empty() { "none".to_string() } else { names.join(", ") }
}

/// Text that names no action or outcome.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{text}' is no {kind}; known are {known}")]
pub struct ParseError {
    /// The text.
    pub text: String,
    /// What it should have named, such as "action of schwinget".
    pub kind: String,
    /// The names there are.
    pub known: String,
}

/// A record that cannot be replayed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RecordError {
    /// A header line is missing, out of order or malformed.
    #[error("line {line}: expected {expected}, found '{found}'")]
    Header {
        /// Counted from 1.
        line: usize,
        /// What should stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// The record is of another game.
    #[error("the record is of the game '{found}', not '{expected}'")]
    OtherGame {
        /// The game that reads it.
        expected: String,
        /// The game that wrote it.
        found: String,
    },
    /// The rules line makes no game.
    #[error("rules of the record: {0}")]
    Rules(#[from] RulesError),
    /// An event that is no event of this game.
    #[error("event {index}: {source}")]
    Event {
        /// Counted from 1.
        index: usize,
        /// What is wrong with it.
        source: ParseError,
    },
    /// An event that could not have happened there.
    #[error("event {index}: {source}")]
    Illegal {
        /// Counted from 1.
        index: usize,
        /// What is wrong with it.
        source: IllegalAction,
    },
    /// Events after the end of the game.
    #[error("event {index}: the game is over after {after} events")]
    AfterTheEnd {
        /// Counted from 1.
        index: usize,
        /// How many events the game has.
        after: usize,
    },
    /// The closing line says something else than the events.
    #[error("the events lead to '{actual}', the record says '{stated}'")]
    Result {
        /// What the replay gives.
        actual: String,
        /// What stands in the record.
        stated: String,
    },
}
