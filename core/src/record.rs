//! Games as text: versioned, replayable, checked while reading.
//!
//! ```text
//! stier-record 1
//! game: schwinget
//! rules: scoring=schwinger
//! events: G1 R4 B2 …
//! result: 1 -1
//! ```
//!
//! Events are listed in the order in which they happened, chance included. `result` holds the returns by seat, or
//! `open` while the game is not over. It detects records that were truncated or changed.

use crate::error::RecordError;
use crate::game::history::History;
use crate::game::notation::{Notation, numbers};
use crate::game::{FromRules, Game, Turn};

/// The first line of a record in this version of the format.
pub const HEADER: &str = "stier-record 1";

/// Writes a game as text.
pub fn write<G: Notation>(game: &G, history: &History<G>) -> String {
    let events: Vec<String> = history.steps(game).map(|(state, event)| game.event_name(&state, event.action)).collect();
    lines(game.name(), &game.rules().to_text(), &events, &result(game, history.state()))
}

fn lines(game: &str, rules: &str, events: &[String], result: &str) -> String {
    [
        HEADER.to_string(),
        format!("game: {game}"),
        format!("rules: {rules}"),
        format!("events: {}", events.join(" ")),
        format!("result: {result}\n"),
    ]
    .map(|line| line.trim_end_matches(' ').to_string())
    .join("\n")
}

/// The name and the rules of the game that a record belongs to.
pub fn game(text: &str) -> Result<(&str, &str), RecordError> {
    let [name, rules, ..] = fields(text)?;
    Ok((name, rules))
}

/// Reads a record of `G`: its rules and its history. Checks every event.
pub fn read<G: FromRules + Notation>(text: &str) -> Result<(G, History<G>), RecordError> {
    let (name, rules) = game(text)?;
    if name != G::NAME {
        return Err(RecordError::OtherGame { expected: G::NAME.to_string(), found: name.to_string() });
    }
    let game = G::from_text(rules)?;
    let history = replay(&game, text)?;
    Ok((game, history))
}

/// Reads the history of a record of this [game](game()). Checks every event.
pub fn replay<G: Notation>(game: &G, text: &str) -> Result<History<G>, RecordError> {
    let [.., events, stated] = fields(text)?;
    let mut history = History::new(game);
    for (event, index) in events.split_whitespace().zip(1..) {
        if game.turn(history.state()) == Turn::Over {
            return Err(RecordError::AfterTheEnd { index, after: index - 1 });
        }
        let action = game.parse_event(history.state(), event).map_err(|source| RecordError::Event { index, source })?;
        game.check(history.state(), action).map_err(|source| RecordError::Illegal { index, source })?;
        history.push(game, action);
    }
    let actual = result(game, history.state());
    if !agree(&actual, stated) {
        return Err(RecordError::Result { actual, stated: stated.to_string() });
    }
    Ok(history)
}

/// The values of the four lines after the header.
fn fields(text: &str) -> Result<[&str; 4], RecordError> {
    let mut lines = text.lines();
    let error = |line: usize, expected: &str, found: Option<&str>| RecordError::Header {
        line,
        expected: expected.to_string(),
        found: found.unwrap_or("the end of the text").to_string(),
    };
    match lines.next() {
        Some(HEADER) => {}
        found => return Err(error(1, HEADER, found)),
    }
    let mut values = [""; 4];
    let keys = ["game:", "rules:", "events:", "result:"];
    for ((value, key), number) in values.iter_mut().zip(keys).zip(2..) {
        let line = lines.next();
        *value = line.and_then(|line| line.strip_prefix(key)).ok_or_else(|| error(number, key, line))?.trim();
    }
    match lines.next() {
        None => Ok(values),
        found => Err(error(6, "the end of the text", found)),
    }
}

/// True if two results are equal. Earlier versions wrote returns in single precision.
fn agree(one: &str, other: &str) -> bool {
    let returns = |text: &str| text.split(' ').map(|value| value.parse::<f64>().ok()).collect::<Option<Vec<f64>>>();
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-6 * a.abs().max(1.0);
    one == other
        || returns(one).zip(returns(other)).is_some_and(|(a, b)| a.len() == b.len() && a.iter().zip(&b).all(close))
}

fn result<G: Game>(game: &G, state: &G::State) -> String {
    if game.turn(state) == Turn::Over { numbers(game.returns(state).as_slice()) } else { "open".to_string() }
}
