//! States as text: a record, and below pickles the same with the dealer in front.
//!
//! ```text
//! stier-state 1
//! dealing: seed 7 since 0
//! stier-record 1
//! …
//! ```
//!
//! `dealing` is `explicit` for states with explicit chance nodes.

use pyo3::prelude::*;
use stier_agents::erased::{self, Dealing, DynState};

use crate::errors;
use crate::game::Game;
use crate::state::State;

const HEADER: &str = "stier-state 1";
const EXPLICIT: &str = "explicit";

/// The state as text, its future included if it deals itself.
pub(crate) fn write(state: &dyn DynState) -> String {
    let dealing =
        state.dealing().map_or(EXPLICIT.to_string(), |Dealing { seed, since }| format!("seed {seed} since {since}"));
    format!("{HEADER}\ndealing: {dealing}\n{}", state.record())
}

fn read(text: &str) -> PyResult<State> {
    let expected = |line: usize, expected: &str, found: Option<&str>| {
        let found = found.unwrap_or("the end of the text");
        errors::record(format!("line {line}: expected {expected}, found '{found}'"))
    };
    let mut lines = text.splitn(3, '\n');
    match lines.next().map(str::trim_end) {
        Some(HEADER) => {}
        found => return Err(expected(1, HEADER, found)),
    }
    let line = lines.next();
    let dealing = line
        .and_then(|line| parse_dealing(line.trim_end()))
        .ok_or_else(|| expected(2, "'dealing: explicit' or 'dealing: seed … since …'", line))?;
    let mut state = from_record(lines.next().unwrap_or_default())?;
    if !state.set_dealing(dealing) {
        return Err(errors::record("the seed does not lead to the events of the record"));
    }
    Ok(State::new(Game::new(state.game()), state))
}

fn parse_dealing(line: &str) -> Option<Option<Dealing>> {
    let dealing = line.strip_prefix("dealing: ")?;
    if dealing == EXPLICIT {
        return Some(None);
    }
    let (seed, since) = dealing.strip_prefix("seed ")?.split_once(" since ")?;
    Some(Some(Dealing { seed: seed.parse().ok()?, since: since.parse().ok()? }))
}

fn from_record(text: &str) -> PyResult<Box<dyn DynState>> {
    erased::read_record(text).map_err(errors::record)
}

/// The state that a record ends with, with explicit chance nodes; see `State.record`.
///
/// Every event is checked. Raises `RecordError`, which names the line or event, for text that is no record.
#[pyfunction]
pub(crate) fn read_record(text: &str) -> PyResult<State> {
    let state = from_record(text)?;
    Ok(State::new(Game::new(state.game()), state))
}

/// Game and state as versioned text; what a state that deals itself will draw is included.
///
/// Raises `ValueError` if the state is not of this game.
#[pyfunction]
pub(crate) fn serialize_game_and_state(game: &Game, state: PyRef<'_, State>) -> PyResult<String> {
    if !game.is(state.game()) {
        let found = state.game().text();
        return Err(errors::argument(format!("the state is of {found}, not of {}", game.text())));
    }
    Ok(write(state.inner()))
}

/// Game and state from the text of `serialize_game_and_state`. Raises `RecordError`, which names the line or event, for any
/// other text.
#[pyfunction]
pub(crate) fn deserialize_game_and_state(text: &str) -> PyResult<(Game, State)> {
    let state = read(text)?;
    Ok((state.game().clone(), state))
}

/// For pickles.
#[pyfunction(name = "_restore_state")]
pub(crate) fn restore_state(text: &str) -> PyResult<State> {
    read(text)
}
