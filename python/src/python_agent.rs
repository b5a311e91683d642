//! `stier.PythonAgent`.

use std::sync::Mutex;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use stier_agents::agent::DecideError;
use stier_agents::erased::DynState;
use stier_core::{Action, Rng};

use crate::agent::Agent;
use crate::errors;
use crate::game::Game;
use crate::policy::TabularPolicy;
use crate::run::{guarded, locked};
use crate::search::no_search;
use crate::state::{State, by_chance};
use crate::values::{Number, Seed};

/// Anything that chooses actions, as an agent: a callable `f(state) -> action`, or an object with such a method `step`,
/// as OpenSpiel's bots have it.
///
/// The callable gets a state drawn from what the player to move knows, with explicit chance nodes. It cannot find
/// anything there that the player does not know. It is a `stier.State`, also for OpenSpiel's bots, whose own states it
/// resembles. The seed determines these draws. In a match it is derived from the name and the seed. An object with a
/// method `restart()` is restarted before its first decision in each game. The agent can be pickled if the callable can,
/// and begins anew then.
#[pyclass(frozen, module = "stier")]
pub(crate) struct PythonAgent {
    agent: Py<PyAny>,
    function: Py<PyAny>,
    name: String,
    seed: u64,
    rng: Mutex<Rng>,
}

/// The callable that decides for an object: its method `step`, or itself if it is a callable without one.
pub(crate) fn function_of<'py>(agent: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let step = agent.getattr_opt("step")?.filter(Bound::is_callable);
    Ok(step.or_else(|| agent.is_callable().then(|| agent.clone())))
}

fn stream(seed: u64) -> Rng {
    Rng::stream(seed, "python agent", 0)
}

impl PythonAgent {
    /// The agent's name for tables.
    pub(crate) fn label(&self) -> &str {
        &self.name
    }

    /// The seed of the states that the callable gets.
    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// Restarts the object, if it can be: a new game begins. Agents of this package draw on instead, since a restart would
    /// repeat their random numbers.
    pub(crate) fn begin(&self, py: Python<'_>) -> PyResult<()> {
        let agent = self.agent.bind(py);
        let is_own = [agent.is_instance_of::<TabularPolicy>(), agent.is_instance_of::<Agent>()];
        if is_own.contains(&true) || agent.is_instance_of::<Self>() {
            return Ok(());
        }
        match agent.getattr_opt("restart")?.filter(Bound::is_callable) {
            Some(restart) => restart.call0().map(|_| ()),
            None => Ok(()),
        }
    }

    /// The error for an exception of the agent, or of what it returned, in the state that it was shown.
    pub(crate) fn raised(&self, py: Python<'_>, game: &Game, shown: Option<&dyn DynState>, error: PyErr) -> PyErr {
        if !errors::is_fault(py, &error) || errors::is_of_game(py, &error) {
            return error;
        }
        let (kind, said) = errors::told(py, &error);
        let record = shown.and_then(|shown| guarded(|| shown.record()).ok()).unwrap_or_default();
        let events = record.lines().find_map(|line| line.strip_prefix("events: "));
        let place = events.map_or_else(|| "at the beginning".to_string(), |events| format!("after {events}"));
        let text = format!("agent {} in {} raised {kind}, {place}: {said}", self.name, game.text());
        let own = errors::agent(text);
        own.set_cause(py, Some(error));
        own
    }

    /// Lets the callable decide in a state that the player to move may see.
    pub(crate) fn ask(&self, py: Python<'_>, game: &Game, shown: &dyn DynState) -> PyResult<Action> {
        let raised = |error| self.raised(py, game, Some(shown), error);
        let answer = self.function.call1(py, (State::new(game.clone(), shown.duplicate()),)).map_err(raised)?;
        let named = |error: PyErr| {
            let text = format!("{} chose an {}", self.name, error.value(py));
            if error.is_instance_of::<PyTypeError>(py) { raised(error) } else { errors::illegal(text) }
        };
        let number: Number = answer.extract(py).map_err(|_: PyErr| {
            let kind = answer.bind(py).get_type().name().map_or("?".to_string(), |name| name.to_string());
            raised(PyTypeError::new_err(format!("it must return the number of an action, got {kind}")))
        })?;
        let action = number.action_in(shown).map_err(named)?;
        if guarded(|| shown.possible())?.contains(&action) {
            return Ok(action);
        }
        Err(named(errors::illegal(guarded(|| shown.refusal(action.0.into()))?)))
    }
}

#[pymethods]
impl PythonAgent {
    #[new]
    #[pyo3(signature = (function, name=None, seed=Seed(0)), text_signature = "(function, name=None, seed=0)")]
    pub(crate) fn new(function: &Bound<'_, PyAny>, name: Option<String>, seed: Seed) -> PyResult<Self> {
        let Some(decides) = function_of(function)? else {
            let kind = function.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "a Python agent must be a callable f(state) -> action or an object with step(state), got {kind}"
            )));
        };
        let own_name = || -> PyResult<String> {
            let name = function.getattr("__name__").or_else(|_| function.get_type().getattr("__name__"))?;
            Ok(name.str()?.to_string())
        };
        let name = name.map_or_else(own_name, Ok)?;
        let agent = function.clone().unbind();
        Ok(Self { agent, function: decides.unbind(), name, seed: seed.0, rng: Mutex::new(stream(seed.0)) })
    }

    /// The name in tables: the given name, or the name of the callable.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Lets the callable choose for the player to move.
    ///
    /// Raises `IllegalActionError` if it chooses an illegal action, and `AgentError` if it raises an exception, which is
    /// the cause, or no player is to move.
    fn step(&self, py: Python<'_>, state: PyRef<'_, State>) -> PyResult<u8> {
        let seat = DecideError::seat(guarded(|| state.inner().turn())?).map_err(errors::agent)?;
        let seed = locked(&self.rng).bits();
        let mut shown = guarded(|| state.inner().resample(seat, seed))?;
        shown.set_dealing(None);
        Ok(self.ask(py, state.game(), &*shown)?.0)
    }

    /// Like `step`, but also returns the probability of each legal action: 1 for the chosen one.
    fn step_with_policy(&self, py: Python<'_>, state: PyRef<'_, State>) -> PyResult<(Vec<(u8, f64)>, u8)> {
        let legal = guarded(|| state.inner().possible())?;
        let chosen = self.step(py, state)?;
        Ok((legal.into_iter().map(|action| (action.0, f64::from(action.0 == chosen))).collect(), chosen))
    }

    /// Raises `AgentError`: a callable does not search.
    #[expect(unused_variables, reason = "named as in Agent")]
    fn search(&self, state: PyRef<'_, State>) -> PyResult<()> {
        Err(no_search(&self.name))
    }

    /// The beliefs of the given player, or by default the player to move, from chance alone. The callable is not
    /// called.
    #[pyo3(signature = (state, player=None))]
    fn beliefs(&self, py: Python<'_>, state: PyRef<'_, State>, player: Option<Number>) -> PyResult<Py<PyAny>> {
        by_chance(py, &state, player.as_ref())
    }

    /// Starts a new game: draws from the streams of `seed`, by default the agent's own seed, and calls the object's
    /// method `restart()` if it has one.
    #[pyo3(signature = (seed=None))]
    fn restart(&self, py: Python<'_>, seed: Option<Seed>) -> PyResult<()> {
        let seed = seed.map_or(self.seed, |Seed(seed)| seed);
        *locked(&self.rng) = stream(seed);
        self.begin(py)
    }

    fn __str__(&self) -> &str {
        &self.name
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let Self { agent, name, seed, .. } = slf.get();
        Ok((slf.get_type().into_any(), (agent.bind(slf.py()), name, *seed).into_pyobject(slf.py())?))
    }

    fn __repr__(&self) -> String {
        format!("<stier.PythonAgent '{}'>", self.name)
    }
}
