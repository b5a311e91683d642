//! Error types, one per operation. Each names the valid choices.

use thiserror::Error;

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

/// The name that is most like a text, ignoring case: the first with the fewest insertions, deletions, replacements and
/// exchanges of neighbours. If even this takes more than a third of the letters, the first name that begins with the
/// text, which must have three letters or more.
pub fn closest<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let text = text.trim().to_lowercase();
    let letters = text.chars().count();
    let names: Vec<&str> = names.into_iter().collect();
    let distance = |name: &'a str| {
        let most = letters.max(name.chars().count()) / 3;
        let near = letters.abs_diff(name.chars().count()) <= most;
        let distance = near.then(|| strsim::osa_distance(&text, &name.to_lowercase()))?;
        (distance <= most).then_some((distance, name))
    };
    let near = names.iter().copied().filter_map(distance).min_by_key(|&(distance, _)| distance).map(|(_, name)| name);
    near.or_else(|| names.into_iter().find(|name| letters >= 3 && name.to_lowercase().starts_with(&text)))
}

/// The end of an error about a text that may be one of these names, misspelt: `; did you mean 'deal'?`, or nothing.
pub fn meant<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    closest(text, names).map_or(String::new(), |name| format!("; did you mean '{name}'?"))
}

/// The end of an error about an unknown name, from the names that are known, separated by commas.
///
/// ```
/// # use stier_core::error::alternatives;
/// assert_eq!(alternatives("greedi", "agents", "greedy, random"), "; did you mean 'greedy'? Agents: greedy, random");
/// assert_eq!(alternatives("rand", "agents", "greedy, random"), "; did you mean 'random'? Agents: greedy, random");
/// assert_eq!(alternatives("best", "agents", "greedy, random"), "; agents: greedy, random");
/// ```
pub fn alternatives(text: &str, kind: &str, known: &str) -> String {
    match closest(text, known.split(", ")) {
        Some(name) => format!("; did you mean '{name}'? {}{}: {known}", kind[..1].to_uppercase(), &kind[1..]),
        None => format!("; {kind}: {known}"),
    }
}

/// The end of an error about text that is not a name, from the names that are known, separated by blanks.
fn expected(text: &str, known: &str) -> String {
    match closest(text, known.split(' ')) {
        Some(name) => format!("; did you mean '{name}'? Expected one of {known}"),
        None => format!("; expected one of {known}"),
    }
}

fn none_if_empty(names: &[String]) -> String {
    if names.is_empty() { "none".to_string() } else { names.join(", ") }
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
