//! States as text: a record, or for pickles and `serialize_game_and_state` a record after two more lines.
//!
//! ```text
//! stier-state 1
//! dealing: seed 7 since 0
//! stier-record 1
//! …
//! ```
//!
//! `dealing` is `explicit` for states with explicit chance nodes.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use stier_agents::erased::{Dealing, DynState};
use stier_core::record;

use crate::errors;
use crate::game::{Game, load_by_name};
use crate::run::guarded;
use crate::state::State;

const HEADER: &str = "stier-state 1";
const EXPLICIT: &str = "explicit";

/// A record with another name for the game.
fn renamed(record: &str, from: &str, to: &str) -> String {
    record.replacen(&format!("\ngame: {from}\n"), &format!("\ngame: {to}\n"), 1)
}

/// A record of a game, in which a Python game has the place of its class, where other programs find it.
pub(crate) fn with_place(py: Python<'_>, game: &Game, record: &str) -> PyResult<String> {
    if game.is_native() {
        return Ok(record.to_string());
    }
    let place: String = py.import("stier.games")?.call_method1("place_of", (game.clone(),))?.extract()?;
    Ok(renamed(record, game.face().facts().name, &place))
}

/// Writes the state as text. If it deals itself, the text includes its future.
pub(crate) fn write(py: Python<'_>, game: &Game, state: &dyn DynState) -> PyResult<String> {
    let dealing =
        state.dealing().map_or(EXPLICIT.to_string(), |Dealing { seed, since }| format!("seed {seed} since {since}"));
    let record = with_place(py, game, &guarded(|| state.record())?)?;
    Ok(format!("{HEADER}\ndealing: {dealing}\n{record}"))
}

pub(crate) fn read(py: Python<'_>, text: &str) -> PyResult<State> {
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
    let (game, mut state) = from_record(py, lines.next().unwrap_or_default())?;
    if !guarded(|| state.set_dealing(dealing))? {
        return Err(errors::record("the seed does not lead to the events of the record"));
    }
    Ok(State::new(game, state))
}

fn parse_dealing(line: &str) -> Option<Option<Dealing>> {
    let dealing = line.strip_prefix("dealing: ")?;
    if dealing == EXPLICIT {
        return Some(None);
    }
    let (seed, since) = dealing.strip_prefix("seed ")?.split_once(" since ")?;
    Some(Some(Dealing { seed: seed.parse().ok()?, since: since.parse().ok()? }))
}

fn from_record(py: Python<'_>, text: &str) -> PyResult<(Game, Box<dyn DynState>)> {
    let (place, rules) = record::game(text).map_err(errors::record)?;
    let game = load_by_name(py, place, rules).map_err(|error| {
        let text = format!("invalid rules in the record: {}", error.value(py));
        if error.is_instance_of::<PyValueError>(py) { errors::record(text) } else { error }
    })?;
    let text = renamed(text, place, game.face().facts().name);
    let state = guarded(|| game.face().replay(&text))?.map_err(errors::record)?;
    Ok((game, state))
}

/// Reads a record and returns its last state, with explicit chance nodes; see `State.record`.
///
/// Every event is checked. Raises `RecordError`, which names the line or event, if the text is not a record.
#[pyfunction]
pub(crate) fn read_record(py: Python<'_>, text: &str) -> PyResult<State> {
    let (game, state) = from_record(py, text)?;
    Ok(State::new(game, state))
}

/// Writes game and state as versioned text. It includes the future draws of a state that deals itself.
///
/// Raises `ValueError` if the state belongs to another game.
#[pyfunction]
pub(crate) fn serialize_game_and_state(py: Python<'_>, game: &Game, state: PyRef<'_, State>) -> PyResult<String> {
    if !game.is(state.game()) {
        let found = state.game().text();
        return Err(errors::argument(format!("the state is of {found}, not of {}", game.text())));
    }
    write(py, game, state.inner())
}

/// Reads the text of `serialize_game_and_state`. Raises `RecordError`, which names the line or event, for any other
/// text.
#[pyfunction]
pub(crate) fn deserialize_game_and_state(py: Python<'_>, text: &str) -> PyResult<(Game, State)> {
    let state = read(py, text)?;
    Ok((state.game().clone(), state))
}

/// Restores a pickled state.
#[pyfunction(name = "_restore_state")]
#[pyo3(signature = (text, game=None))]
pub(crate) fn restore_state(py: Python<'_>, text: &str, game: Option<&Game>) -> PyResult<State> {
    let state = read(py, text)?;
    debug_assert!(game.is_none_or(|game| game.is(state.game())));
    Ok(state)
}
