//! Conversion of the engine's errors to Python exceptions. Their types live in `stier/errors.py`, where a type can have
//! several bases.

use pyo3::exceptions::{PyException, PyRuntimeError, PySystemExit};
use pyo3::prelude::*;

/// Makes a function for each type, which turns an error into an exception of this type.
macro_rules! exceptions {
    ($($(#[$about:meta])* $name:ident: $kind:ident,)*) => { $(
        pyo3::import_exception!(stier.errors, $kind);

        $(#[$about])*
        pub(crate) fn $name(error: impl ToString) -> PyErr {
            $kind::new_err(error.to_string())
        }
    )* };
}

exceptions! {
    /// An agent that is unknown, does not fit the game, or cannot do what was asked.
    agent: AgentError,
    /// An argument with a value that is not allowed.
    argument: ArgumentError,
    /// A file that cannot be read or written.
    file: FileError,
    /// A game that raises or contradicts itself.
    game: GameError,
    /// An action that is not legal, or that the game does not have.
    illegal: IllegalActionError,
    /// A record or a serialized state that cannot be read.
    record: RecordError,
    /// An unknown game, or invalid rules.
    rules: RulesError,
    /// A seat that the game does not have, or that the caller must name.
    seat: SeatError,
}

/// The kind of an exception, and its text with the last line of Python that it went through.
pub(crate) fn told(py: Python<'_>, error: &PyErr) -> (String, String) {
    let kind = error.get_type(py).name().map_or_else(|_| "an exception".to_string(), |name| name.to_string());
    let line = || -> PyResult<String> {
        let frame = py.import("traceback")?.call_method1("extract_tb", (error.traceback(py),))?.get_item(-1)?;
        let file = py.import("os.path")?.call_method1("basename", (frame.getattr("filename")?,))?;
        Ok(format!(" ({file}, line {})", frame.getattr("lineno")?))
    };
    (kind, format!("{}{}", error.value(py), line().unwrap_or_default()))
}

/// Returns true for an error by `game`.
pub(crate) fn is_of_game(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<GameError>(py)
}

/// Returns true for an exception that blames the code that raised it. An exit does, an interrupt does not.
pub(crate) fn is_fault(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyException>(py) || error.is_instance_of::<PySystemExit>(py)
}

/// A calculation that was stopped, or could not be carried out.
pub(crate) fn halted(error: impl ToString) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
