//! `stier.Game`, and games as arguments; its methods for Python are in `game_methods`.

use std::sync::Arc;

use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use stier_agents::erased::DynGame;
use stier_core::{OptionValue, encode, games};

use crate::errors;
use crate::python_game::PythonGame;
use crate::run::guarded;
use crate::values::{name_and_options, split};

/// A game under fixed rules. `load_game` makes it, and it never changes.
///
/// Two games are equal if their names and rules are equal.
#[pyclass(frozen, module = "stier", from_py_object)]
#[derive(Clone)]
pub(crate) struct Game {
    face: Arc<dyn DynGame>,
    observation_size: usize,
    information_state_size: usize,
    /// A number for the class of a Python game: a class of the same name is another. 0 for games without a class.
    class: usize,
}

impl Game {
    pub(crate) fn new(face: Arc<dyn DynGame>) -> PyResult<Self> {
        let facts = guarded(|| face.facts())?;
        let observation_size = encode::size(&facts.observation_layout);
        let information_state_size = encode::size(&facts.information_state_layout);
        Ok(Self { face, observation_size, information_state_size, class: 0 })
    }

    pub(crate) fn face(&self) -> &dyn DynGame {
        &*self.face
    }

    pub(crate) fn observation_size(&self) -> usize {
        self.observation_size
    }

    pub(crate) fn information_state_size(&self) -> usize {
        self.information_state_size
    }

    /// True unless the rules run in Python.
    pub(crate) fn is_native(&self) -> bool {
        games::NAMES.contains(&self.face.facts().name)
    }

    /// True if a user wrote its class in Python.
    pub(crate) fn has_class(&self) -> bool {
        self.class != 0
    }

    /// The name, followed by the rules that differ from the defaults: `schwinget:bouts=4`.
    pub(crate) fn text(&self) -> String {
        self.face.identity()
    }

    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.face, &other.face) || self.class == other.class && self.text() == other.text()
    }
}

/// A game as an argument: loaded, or by name, as for `load_game`.
pub(crate) struct AnyGame(pub(crate) Game);

impl<'py> FromPyObject<'_, 'py> for AnyGame {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.cast::<Game>() {
            Ok(game) => Ok(Self(game.get().clone())),
            Err(_) => load_game(&object, None).map(Self),
        }
    }
}

/// Loads a game by name, with its rules given as keywords.
///
/// Values are strings, numbers or bools: `True` and `False` turn a switch on and off. Options left out have their
/// defaults. `load_game(name, **game.rules())` loads the same game again. Options may also be part of the text:
/// `"schwinget:scoring=schwinger,bouts=4"` or `"schwinget(scoring=schwinger,bouts=4)"`.
///
/// Games written in Python are loaded by the name under which they were registered (`stier.register_game`), by the
/// place of the class, as `"my_games:Trumps"` or `"my_games:Trumps(players=3)"`, or by the class itself. OpenSpiel's
/// games are loaded as `"openspiel:leduc_poker(players=2)"`, or as `pyspiel.Game`.
///
/// Raises `RulesError`, which lists what is allowed, for an unknown name, option or value, for an option given twice,
/// and for options that contradict each other; `GameError` for a Python game that cannot be played.
#[pyfunction]
#[pyo3(signature = (name, /, **options))]
pub(crate) fn load_game(name: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Game> {
    if let Ok(game) = name.cast::<Game>()
        && options.is_none_or(|options| options.is_empty())
    {
        return Ok(game.get().clone());
    }
    let Ok(text) = name.cast::<PyString>() else { return python_game(name, "", options) };
    let text = text.to_cow()?;
    let (place, rules) = split_game(&text);
    if !games::NAMES.contains(&place) {
        return python_game(PyString::new(name.py(), place).as_any(), rules, options);
    }
    let (known, rules) = name_and_options(&text, options, errors::rules)?;
    stier_games::load(known, &rules).map_err(errors::rules).and_then(Game::new)
}

/// The game of this name with rules given as text, however it is written.
pub(crate) fn load_by_name(py: Python<'_>, name: &str, rules: &str) -> PyResult<Game> {
    if games::NAMES.contains(&name) {
        return stier_games::load(name, rules).map_err(errors::rules).and_then(Game::new);
    }
    python_game(PyString::new(py, name).as_any(), rules, None)
}

/// Splits the text of a game into what it names and the options in it. It names a game, or the place of a class such as
/// `my_games:Trumps`. A text of OpenSpiel's stays whole.
#[pyfunction(name = "_split_game")]
pub(crate) fn split_game(text: &str) -> (&str, &str) {
    let text = text.trim();
    let (name, options) = match text.split_once(':') {
        Some(("openspiel", _)) => (text, ""),
        Some((module, rest)) if !games::NAMES.contains(&module) => match split(rest) {
            (class, _) if class.trim().is_empty() || class.contains(['=', ',']) => split(text),
            (class, options) => (&text[..=module.len() + class.len()], options),
        },
        _ => split(text),
    };
    (name.trim(), options)
}

/// Loads a game that is not written in Rust.
fn python_game(game: &Bound<'_, PyAny>, rules: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<Game> {
    let load = game.py().import("stier.games")?.getattr("load_foreign")?;
    Ok(load.call1((game, rules, options))?.cast_into::<Game>()?.get().clone())
}

/// Makes a game from the sheet of its class: see `stier/games/_sheet.py`.
#[pyfunction(name = "_python_game")]
pub(crate) fn make_python_game(sheet: &Bound<'_, PyAny>) -> PyResult<Game> {
    let game = Game::new(stier_games::custom(PythonGame::new(sheet)?))?;
    Ok(Game { class: sheet.getattr("class_number")?.extract()?, ..game })
}

/// Converts the value of an option to a Python object.
pub(crate) fn option_value(py: Python<'_>, value: OptionValue) -> PyResult<Bound<'_, PyAny>> {
    match value {
        OptionValue::Int(value) => value.into_bound_py_any(py),
        OptionValue::Float(value) => value.into_bound_py_any(py),
        OptionValue::Name(value) => value.into_bound_py_any(py),
    }
}
