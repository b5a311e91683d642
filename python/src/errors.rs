//! Conversion of the engine's errors to Python exceptions. Their types live in `stier/errors.py`, where a type can have
//! several bases.

use pyo3::exceptions::PyRuntimeError;
use pyo3::{PyErr, Python};

/// The Python exception types.
mod types {
    pyo3::import_exception!(stier.errors, AgentError);
    pyo3::import_exception!(stier.errors, ArgumentError);
    pyo3::import_exception!(stier.errors, FileError);
    pyo3::import_exception!(stier.errors, GameError);
    pyo3::import_exception!(stier.errors, IllegalActionError);
    pyo3::import_exception!(stier.errors, MissingExtraError);
    pyo3::import_exception!(stier.errors, RecordError);
    pyo3::import_exception!(stier.errors, RulesError);
    pyo3::import_exception!(stier.errors, SeatError);
}

/// An agent that is unknown, does not fit the game, or cannot do what was asked.
pub(crate) fn agent(error: impl ToString) -> PyErr {
    types::AgentError::new_err(error.to_string())
}

/// An argument with a value that is not allowed.
pub(crate) fn argument(error: impl ToString) -> PyErr {
    types::ArgumentError::new_err(error.to_string())
}

/// A file that cannot be read or written.
pub(crate) fn file(error: impl ToString) -> PyErr {
    types::FileError::new_err(error.to_string())
}

/// A game that raises or contradicts itself.
pub(crate) fn game(error: impl ToString) -> PyErr {
    types::GameError::new_err(error.to_string())
}

/// Returns true for an error by `game`.
pub(crate) fn is_of_game(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<types::GameError>(py)
}

/// A calculation that was stopped, or could not be carried out.
pub(crate) fn halted(error: impl ToString) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// An action that is not legal, or that the game does not have.
pub(crate) fn illegal(error: impl ToString) -> PyErr {
    types::IllegalActionError::new_err(error.to_string())
}

/// An optional package that is not installed.
pub(crate) fn missing_extra(error: impl ToString) -> PyErr {
    types::MissingExtraError::new_err(error.to_string())
}

/// A record or a serialized state that cannot be read.
pub(crate) fn record(error: impl ToString) -> PyErr {
    types::RecordError::new_err(error.to_string())
}

/// An unknown game, or invalid rules.
pub(crate) fn rules(error: impl ToString) -> PyErr {
    types::RulesError::new_err(error.to_string())
}

/// A seat that the game does not have, or that the caller must name.
pub(crate) fn seat(error: impl ToString) -> PyErr {
    types::SeatError::new_err(error.to_string())
}
