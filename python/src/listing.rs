//! The games and agents by name, with their options.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use stier_agents::catalogue::{self, AgentInfo};
use stier_agents::erased;
use stier_core::options::Allowed;
use stier_core::{OptionInfo, games, with_game};

use crate::game::{AnyGame, option_value};
use crate::python_game;

/// (name, default, minimum, maximum, choices, allowed values in words, meaning).
type OptionRow<'py> = (
    &'static str,
    Bound<'py, PyAny>,
    Option<Bound<'py, PyAny>>,
    Option<Bound<'py, PyAny>>,
    Option<Vec<&'static str>>,
    String,
    String,
);

fn rows(py: Python<'_>, options: Vec<OptionInfo>) -> PyResult<Vec<OptionRow<'_>>> {
    let row = |info: OptionInfo| {
        // The text comes from doc comments: one line per source line.
        let about = info.about.split_whitespace().collect::<Vec<_>>().join(" ");
        let allowed = info.allowed.to_string();
        let (minimum, maximum, choices) = match info.allowed {
            Allowed::Range(low, high) => (Some(option_value(py, low)?), Some(option_value(py, high)?), None),
            Allowed::Names(names) => (None, None, Some(names)),
            Allowed::Other(_) => (None, None, None),
        };
        Ok((info.name, option_value(py, info.default)?, minimum, maximum, choices, allowed, about))
    };
    options.into_iter().map(row).collect()
}

/// The names of all games, ascending: those of the package and those registered from Python.
#[pyfunction]
pub(crate) fn registered_names(py: Python<'_>) -> PyResult<Vec<String>> {
    let mut names: Vec<String> = games::NAMES.iter().map(ToString::to_string).collect();
    if let Some(module) = py.import("sys")?.getattr("modules")?.cast::<PyDict>()?.get_item("stier.games")? {
        names.extend(module.call_method0("own_names")?.extract::<Vec<String>>()?);
    }
    names.sort_unstable();
    Ok(names)
}

/// The names of all agents, ascending, or of those that can play `game` with their default options. All but `oracle` use
/// only what the player to move knows. `oracle` sees everything.
#[pyfunction]
#[pyo3(signature = (game=None))]
pub(crate) fn registered_agents(game: Option<AnyGame>) -> Vec<&'static str> {
    game.map_or_else(|| catalogue::NAMES.to_vec(), |AnyGame(game)| game.face().agents())
}

/// The options of a game.
#[pyfunction]
pub(crate) fn game_options<'py>(py: Python<'py>, name: &str) -> PyResult<Vec<OptionRow<'py>>> {
    match with_game!(name, G => erased::options::<G>()) {
        Some(options) => rows(py, options),
        None => rows(py, python_game::options(&py.import("stier.games")?.call_method1("_options", (name,))?)?),
    }
}

/// Every agent: (name, description, options other than the seed).
#[pyfunction]
pub(crate) fn agent_options(py: Python<'_>) -> PyResult<Vec<(&'static str, String, Vec<OptionRow<'_>>)>> {
    let row = |agent: AgentInfo| {
        let about = agent.about.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok((agent.name, about, rows(py, agent.options)?))
    };
    catalogue::describe().into_iter().map(row).collect()
}

/// The end of an error about an unknown name: the known name that is most like it, and all of them.
#[pyfunction]
pub(crate) fn alternatives(text: &str, kind: &str, known: Vec<String>) -> String {
    stier_core::names::alternatives(text, kind, &known.join(", "))
}
