//! Searches as `stier.Search`.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};
use stier_agents::agent::{ActionStats, Decision, Line, Search};
use stier_agents::catalogue::{self, AgentFacts};
use stier_core::Action;

use crate::errors;
use crate::run::attempt;
use crate::state::State;

/// The error for requesting the search of an agent that does not search.
pub(crate) fn no_search(name: &str) -> PyErr {
    let searches = |facts: AgentFacts| !facts.is_instant && !facts.is_combined;
    let names = catalogue::describe().into_iter().filter(|info| searches(info.facts)).map(|info| info.name);
    let names = names.collect::<Vec<_>>().join(", ");
    errors::agent(format!("{name} does not search; agents that search: {names}"))
}

/// Makes instances of a frozen dataclass of `stier._results` from their values. Its constructor, which calls
/// `object.__setattr__` for each of them, takes three times as long.
fn maker<'py, T>(
    py: Python<'py>,
    kind: &'static PyOnceLock<Py<PyType>>,
    name: &str,
) -> PyResult<impl Fn(T) -> PyResult<Bound<'py, PyAny>>>
where
    T: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
{
    let kind = kind.import(py, "stier._results", name)?;
    let fields = kind.getattr(intern!(py, "__match_args__"))?.cast_into::<PyTuple>()?;
    let new = kind.getattr(intern!(py, "__new__"))?;
    Ok(move |values: T| {
        let made = new.call1((kind,))?;
        let own = made.getattr(intern!(py, "__dict__"))?.cast_into::<PyDict>()?;
        fields.iter().zip(values.into_pyobject(py)?).try_for_each(|(name, value)| own.set_item(name, value))?;
        Ok(made)
    })
}

/// The statistics of a decision by the agent of this name, as a `stier.Search`.
pub(crate) fn search_of(
    py: Python<'_>,
    name: &str,
    decision: Decision,
    lines: Vec<Line>,
    state: &State,
) -> PyResult<Py<PyAny>> {
    let Some(search) = decision.search else { return Err(no_search(name)) };
    static KINDS: [PyOnceLock<Py<PyType>>; 3] = [const { PyOnceLock::new() }; 3];
    let of_action = maker(py, &KINDS[0], "ActionStats")?;
    let of_line = maker(py, &KINDS[1], "Line")?;
    let of_search = maker(py, &KINDS[2], "Search")?;
    let (game, state) = (state.game(), state.inner());
    let action = |one: ActionStats| {
        let name = state.event_name(Action(one.action));
        of_action((one.action, name, one.visits, one.value, one.availability, one.probability))
    };
    let line = |line: Line| {
        let name = |(depth, &(_, action)): (usize, &(_, Action))| match depth {
            0 => state.event_name(action),
            _ => game.face().action_name(action),
        };
        let names: Vec<String> = line.path.iter().enumerate().map(name).collect();
        let (players, actions): (Vec<u16>, Vec<u16>) =
            line.path.iter().map(|(seat, action)| (u16::from(seat.0), u16::from(action.0))).unzip();
        of_line((players, actions, names, line.visits, line.value))
    };
    attempt(|| {
        let player = state.turn().seat().map(|seat| seat.0);
        let actions: Vec<_> = search.actions.into_iter().map(action).collect::<PyResult<_>>()?;
        let lines: Vec<_> = lines.into_iter().map(line).collect::<PyResult<_>>()?;
        let Search { iterations, nodes, seconds, .. } = search;
        let parts = (game.clone(), player, decision.action.0, actions, iterations, nodes, seconds, lines);
        of_search(parts).map(Bound::unbind)
    })
}
