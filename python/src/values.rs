//! Checks and conversions of Python arguments.

use std::path::PathBuf;

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyString};
use stier_agents::agent::threads;
use stier_agents::erased::{DynGame, DynState, check_seat};
use stier_agents::network::quoted;
use stier_core::options::{self, OptionType};
use stier_core::{Action, IllegalAction, Rng, Seat};

use crate::errors;

/// The player number of chance.
pub(crate) const CHANCE: i64 = -1;
/// The player number when the game is over.
pub(crate) const TERMINAL: i64 = -4;

/// An integer of any size: anything with `__index__`. One that does not fit into 64 bits is kept as its digits, and its
/// value is one that every range refuses.
pub(crate) struct Number(i64, Option<String>);

impl<'py> FromPyObject<'_, 'py> for Number {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        object.extract::<i64>().map(Self::new).or_else(|error| {
            match error.is_instance_of::<PyOverflowError>(object.py()) {
                true => Ok(Self(i64::MIN, Some(object.str()?.to_string()))),
                false => Err(not_whole(object)),
            }
        })
    }
}

/// The error for something that is not a whole number.
fn not_whole(object: Borrowed<'_, '_, PyAny>) -> PyErr {
    object
        .repr()
        .map_or_else(|error| error, |text| PyTypeError::new_err(format!("it must be a whole number, got {text}")))
}

/// True if public states are demanded, false if histories are.
pub(crate) struct Ranges(pub(crate) Option<bool>);

impl<'py> FromPyObject<'_, 'py> for Ranges {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let refused = |_| match object.repr() {
            Ok(text) => PyTypeError::new_err(format!("it must be True, False or None, got {text}")),
            Err(error) => error,
        };
        object.extract().map(Self).map_err(refused)
    }
}

/// The number of an event. The error for a name says how to get the number.
pub(crate) struct EventNumber(pub(crate) Number);

impl<'py> FromPyObject<'_, 'py> for EventNumber {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<String>() {
            Ok(name) => Err(PyTypeError::new_err(format!(
                "an action is given by its number, got '{name}'; state.string_to_action('{name}') returns it"
            ))),
            Err(_) => object.extract().map(Self),
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(digits) = &self.1 { digits.fmt(f) } else { self.0.fmt(f) }
    }
}

impl Number {
    /// A number that fits into 64 bits.
    pub(crate) fn new(value: i64) -> Self {
        Self(value, None)
    }

    /// Returns true if the number has this value.
    pub(crate) fn is(&self, value: i64) -> bool {
        self.0 == value
    }

    /// The action with this id, which must be below `count`. `what` is the word for it in messages.
    pub(crate) fn id_below(&self, count: usize, what: &str, game: &dyn DynGame) -> PyResult<Action> {
        if (0..count as i64).contains(&self.0) {
            return Ok(Action(self.0 as u8));
        }
        Err(errors::illegal(format!("no {what} {self}: {} has {what}s 0 to {}", game.facts().name, count - 1)))
    }

    /// An event of a state, legal or not. Only ids that no game can have are refused here.
    pub(crate) fn action_in(&self, state: &dyn DynState) -> PyResult<Action> {
        let refused = || errors::illegal(IllegalAction { action: self.to_string(), ..state.refusal(self.0) });
        u8::try_from(self.0).map(Action).map_err(|_| refused())
    }

    /// A seat of the game.
    pub(crate) fn seat_of(&self, game: &dyn DynGame) -> PyResult<Seat> {
        let (name, seats) = (game.facts().name, game.info().num_seats);
        let refused = |_| errors::seat(format!("{name} has no seat {self}; seats: 0 to {}", seats - 1));
        check_seat(game, self.0).map_err(refused)
    }

    /// The number, if it is between `low` and `high`.
    pub(crate) fn between(&self, name: &str, low: i64, high: i64) -> PyResult<u64> {
        if (low..=high).contains(&self.0) {
            return Ok(self.0.unsigned_abs());
        }
        Err(errors::argument(format!("{name} must be between {low} and {high}, got {self}")))
    }

    /// A number of threads; 0 stands for all cores.
    pub(crate) fn threads(&self) -> PyResult<usize> {
        Ok(self.between("threads", 0, MAX_THREADS)? as usize)
    }

    /// The same, with all cores for 0: the global thread pool would not survive a fork, as in `multiprocessing`.
    pub(crate) fn cores(&self) -> PyResult<usize> {
        Ok(threads::resolve(self.threads()?))
    }
}

/// More threads would exhaust the machine before they helped.
const MAX_THREADS: i64 = 1024;

/// A seed: a whole number of 64 bits.
#[derive(Clone, Copy)]
pub(crate) struct Seed(pub(crate) u64);

impl<'py> FromPyObject<'_, 'py> for Seed {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        object.extract::<u64>().map(Self).map_err(|error| {
            if error.is_instance_of::<PyOverflowError>(object.py()) {
                errors::argument(format!("seed must be between 0 and {}, got {}", u64::MAX, *object))
            } else {
                not_whole(object)
            }
        })
    }
}

/// The seed hashed from (seed, purpose, index): the first 64 bits of the engine's stream of that name.
///
/// Seed, index and result are 0 to 2**64-1. The purpose is any text. Different purposes or indices give independent
/// seeds, so one seed is enough for a whole experiment.
#[pyfunction]
pub(crate) fn derive_seed(seed: Seed, purpose: &str, index: Seed) -> u64 {
    Rng::stream(seed.0, purpose, index.0).bits()
}

/// Splits a text in either notation: `name:a=1,b=2` or `name(a=1,b=2)`.
pub(crate) fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    match (text.split_once(':'), text.strip_suffix(')').and_then(|text| text.split_once('('))) {
        (_, Some((name, inner))) if !name.contains(':') => (name, inner),
        (Some((name, inner)), _) => (name, inner),
        (None, _) => (text, ""),
    }
}

/// [Splits](split) a text and adds the keywords: (name, `a=1,b=2`). Unknown
/// and repeated options are left to the parser of the result. `bad` makes the error for keywords that the parser would
/// misread.
pub(crate) fn name_and_options<'a>(
    text: &'a str,
    keywords: Option<&Bound<'_, PyDict>>,
    bad: fn(String) -> PyErr,
) -> PyResult<(&'a str, String)> {
    let (name, inner) = split(text);
    let mut parts: Vec<String> = if inner.trim().is_empty() { Vec::new() } else { vec![inner.to_string()] };
    for (key, value) in keywords.into_iter().flatten() {
        let (key, value) = (key.to_string(), option_text(&key.to_string(), &value)?);
        if key.contains([',', '=']) || options::parts(&value).nth(1).is_some() {
            return Err(bad(format!("{name}: option '{key}' must not contain ',' or '=', got '{value}'")));
        }
        parts.push(format!("{key}={value}"));
    }
    Ok((name.trim(), parts.join(",")))
}

/// A path, given as text or as `os.PathLike`; `~` at its beginning is the user's folder.
fn file_path(object: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    let path: PathBuf = object.extract()?;
    object.py().import("os.path")?.call_method1("expanduser", (path,))?.extract()
}

/// The value of an option as text. `True` and `False` turn a switch on and off.
fn option_text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(switch) = value.cast::<PyBool>() {
        return Ok(if switch.is_true() { "on" } else { "off" }.to_string());
    }
    if let Ok(text) = value.extract::<String>()
        && text.contains([',', '(', ')'])
        && file_path(value)?.is_file()
    {
        return Ok(quoted(&text));
    }
    let is_number = || value.is_instance_of::<PyFloat>() || value.hasattr("__index__").unwrap_or(false);
    if value.is_instance_of::<PyString>() || is_number() {
        return Ok(value.str()?.to_string());
    }
    if value.hasattr("__fspath__")? {
        return Ok(quoted(&file_path(value)?.to_string_lossy()));
    }
    let kind = value.get_type().name()?;
    Err(PyTypeError::new_err(format!("option '{name}' must be a string, a number, a bool or a path, got {kind}")))
}

/// Parses the choice of an argument with this name.
pub(crate) fn choice<T: OptionType<Limits = ()>>(name: &str, text: &str) -> PyResult<T> {
    T::parse(text, &()).map_err(|problem| errors::argument(format!("{name} {problem}")))
}
