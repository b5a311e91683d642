//! `stier.Agent`.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, TryLockError};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use stier_agents::AgentSpec;
use stier_agents::agent::DecideError;
use stier_agents::agent::Decision;
use stier_agents::erased::{DynAgent, DynState};

use crate::errors;
use crate::game::{AnyGame, Game, option_value};
use crate::run::{guarded, watched};
use crate::search::search_of;
use crate::state::{State, beliefs_of};
use crate::values::{Number, Seed, name_and_options};

/// An agent for one game; made by `load_agent`.
///
/// Its decisions are a function of its seed and of the decisions since the last `restart`, unless its budget is time.
/// It uses only what the player to move knows. The exception is `oracle`, which sees the whole state and, with
/// `future=known`, the cards that the state's seed will deal.
///
/// An agent makes one decision at a time: give each thread an agent of its own. Unpickling an agent loads it anew.
#[pyclass(frozen, module = "stier")]
pub(crate) struct Agent {
    /// The game of the agent.
    #[pyo3(get)]
    game: Game,
    spec: AgentSpec,
    /// True if decisions are too short to be worth interrupting.
    quick: bool,
    interrupt: Arc<AtomicBool>,
    player: Mutex<Box<dyn DynAgent>>,
}

impl Agent {
    /// The specification, to make copies of the agent for `game`. Fails if the agent was loaded for another game.
    pub(crate) fn spec_for(&self, game: &Game) -> PyResult<&AgentSpec> {
        if self.game.is(game) {
            return Ok(&self.spec);
        }
        let (own, here) = (self.game.text(), game.text());
        Err(errors::agent(format!("the agent {} was made for {own}, not for {here}", self.spec)))
    }

    fn with_player<T>(&self, body: impl FnOnce(&mut dyn DynAgent) -> PyResult<T>) -> PyResult<T> {
        match self.player.try_lock() {
            Ok(mut player) => body(&mut **player),
            // A panic in an earlier decision leaves the agent intact: every decision starts afresh.
            Err(TryLockError::Poisoned(poisoned)) => body(&mut **poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(errors::agent("the agent is deciding in another thread; give each thread an agent of its own"))
            }
        }
    }

    fn decide(&self, py: Python<'_>, state: &State) -> PyResult<Decision> {
        self.ask(py, state, |player, state| player.decide(state))
    }

    /// Lets the agent answer a question about a state, without the GIL.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        state: &State,
        question: impl FnOnce(&mut dyn DynAgent, &dyn DynState) -> Result<T, DecideError> + Send,
    ) -> PyResult<T> {
        self.with_player(|player| {
            let state = state.inner();
            let answer = if self.quick {
                py.detach(|| guarded(|| question(player, state)))?
            } else {
                self.interrupt.store(false, Ordering::Relaxed);
                watched(py, &self.interrupt, || question(player, state))?
            };
            answer.map_err(errors::agent)
        })
    }
}

/// Parses an agent from text, as on the command line: `ismcts:iterations=100`.
pub(crate) fn parse_spec(text: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<AgentSpec> {
    let (name, options) = name_and_options(text, options, errors::agent)?;
    AgentSpec::new(name, &options).map_err(errors::agent)
}

/// An argument that is an agent of the engine: an `Agent` of this game, its text, or whatever names one in Python.
///
/// Raises what `stier.playing.of_engine` raises, and `AgentError` for text that neither the engine nor Python knows.
pub(crate) fn agent_of(game: &Game, value: &Bound<'_, PyAny>) -> PyResult<AgentSpec> {
    if let Ok(agent) = value.cast::<Agent>() {
        return agent.get().spec_for(game).cloned();
    }
    if let Some(Ok(spec)) = value.cast::<PyString>().ok().map(spec_of) {
        return Ok(spec);
    }
    let is_list = value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
    let find = || value.py().import("stier.playing")?.getattr("of_engine")?.call1((value, game.clone()));
    let found = if is_list { value.clone() } else { find()? };
    match found.cast::<PyString>() {
        Ok(text) => spec_of(text),
        Err(_) => Err(PyTypeError::new_err(format!(
            "an agent must be an Agent or its text such as 'ismcts:iterations=100', got {}",
            found.get_type().name()?
        ))),
    }
}

/// Parses an agent from a text of Python.
pub(crate) fn spec_of(text: &Bound<'_, PyString>) -> PyResult<AgentSpec> {
    parse_spec(&text.to_cow()?, None)
}

/// Loads an agent for a game by name. Options are keywords or part of the text (`"ismcts:iterations=10000,threads=2"`),
/// or some of each. Every agent has the option `seed`.
///
/// `describe_agents()` lists the options. Values are strings, numbers, bools or paths. Raises `AgentError`, which lists
/// what is allowed, for an unknown name, option or value, for an option given twice, and for a network that cannot be
/// read or was trained for another game.
#[pyfunction]
#[pyo3(signature = (name, game, /, **options))]
pub(crate) fn load_agent(name: &str, game: AnyGame, options: Option<&Bound<'_, PyDict>>) -> PyResult<Agent> {
    let AnyGame(game) = game;
    let spec = parse_spec(name, options).map_err(|error| match Path::new(name).is_file() {
        true => errors::agent(format!(
            "{name} is a file: read a solution by stier.solving.load_solution, and a network by network:path={name}"
        )),
        false => error,
    })?;
    let mut player = guarded(|| game.face().agent(&spec))?.map_err(errors::agent)?;
    let interrupt = Arc::<AtomicBool>::default();
    player.interrupt_with(interrupt.clone());
    Ok(Agent { game, quick: spec.is_quick(), spec, interrupt, player: Mutex::new(player) })
}

/// The paths of the networks that an agent in text form uses, those of the agents in its options included; empty for the
/// game's own network. None if the text is not an agent.
#[pyfunction]
pub(crate) fn networks_of(text: &str) -> Option<Vec<String>> {
    parse_spec(text, None).ok().map(|spec| spec.networks())
}

#[pymethods]
impl Agent {
    /// The agent's name, without options.
    #[getter]
    fn name(&self) -> &'static str {
        self.spec.name()
    }

    /// The agent as text, for `load_agent`: the name and the options that differ from their defaults.
    #[getter]
    fn spec(&self) -> String {
        self.spec.to_string()
    }

    /// The seed that `restart` begins with by default: 0 unless it was given.
    #[getter]
    fn seed(&self) -> u64 {
        self.spec.seed().unwrap_or(0)
    }

    /// Every option with its value, except the seed, as a new dict: numbers as numbers, all others by name.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, value) in self.spec.options() {
            dict.set_item(name, option_value(py, value)?)?;
        }
        Ok(dict)
    }

    /// Returns `False` if the agent, or one among its options, has a budget of time: its decisions then differ from run
    /// to run.
    #[getter]
    fn is_reproducible(&self) -> bool {
        !self.spec.is_timed()
    }

    /// Chooses a legal action for the player to move.
    ///
    /// Other threads run meanwhile, and Ctrl-C interrupts. Raises `AgentError` if no player is to move, or if the state
    /// belongs to another game.
    fn step(&self, py: Python<'_>, state: PyRef<'_, State>) -> PyResult<u8> {
        Ok(self.decide(py, &state)?.action.0)
    }

    /// Like `step`, but also returns the probability of each legal action: `([(action, probability), …], action)`.
    fn step_with_policy(&self, py: Python<'_>, state: PyRef<'_, State>) -> PyResult<(Vec<(u8, f64)>, u8)> {
        let Decision { action, policy, .. } = self.decide(py, &state)?;
        Ok((policy.into_iter().map(|(action, probability)| (action.0, probability)).collect(), action.0))
    }

    /// Like `step`, but returns the statistics of the search. Raises `AgentError` for an agent that does not search.
    ///
    /// With a `tree_depth`, the search also records the lines of play that it followed, up to that many actions
    /// (`Search.lines`). For ISMCTS they are the top of its tree. Recording takes a little time and does not change the
    /// choice.
    #[pyo3(signature = (state, tree_depth=0))]
    fn search(&self, py: Python<'_>, state: PyRef<'_, State>, tree_depth: u8) -> PyResult<Py<PyAny>> {
        let (decision, lines) = match tree_depth {
            0 => (self.decide(py, &state)?, Vec::new()),
            depth => self.ask(py, &state, |player, state| player.decide_with_lines(state, depth.into()))?,
        };
        search_of(py, self.spec.name(), decision, lines, &state)
    }

    /// The beliefs of the agent about the cards, as the given player or by default the player to move. They use what
    /// that player knows and, with `beliefs=policy` or `beliefs=exact`, the actions of the other players.
    ///
    /// Raises `SeatError` if the player is left out and no player is to move, and `AgentError` for a state of another
    /// game.
    #[pyo3(signature = (state, player=None))]
    fn beliefs(&self, py: Python<'_>, state: PyRef<'_, State>, player: Option<Number>) -> PyResult<Py<PyAny>> {
        let seat = state.seat(player.as_ref())?;
        let found = self.ask(py, &state, |agent, state| agent.beliefs(state, seat))?;
        beliefs_of(py, &self.game, seat, found)
    }

    /// Starts a new game: forgets the last one and draws from the streams of `seed`, by default the agent's own seed.
    #[pyo3(signature = (seed=None))]
    fn restart(&self, seed: Option<Seed>) -> PyResult<()> {
        let seed = seed.map_or(self.seed(), |Seed(seed)| seed);
        self.with_player(|player| {
            player.restart(seed);
            Ok(())
        })
    }

    fn __str__(&self) -> String {
        self.spec.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<stier.Agent '{}' for {}>", self.spec, self.game.text())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let load = py.import("stier")?.getattr("load_agent")?;
        Ok((load, (self.spec.to_string(), self.game.clone()).into_pyobject(py)?))
    }
}
