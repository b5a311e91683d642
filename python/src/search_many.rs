//! `stier.search_many`.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use stier_agents::AgentSpec;
use stier_agents::batch::search_many::{SearchManyError, Settings};

use crate::agent::{Agent, no_search, parse_spec};
use crate::errors;
use crate::game::Game;
use crate::python_game::guarded;
use crate::run::{Ticker, watched};
use crate::search::Search;
use crate::values::{Number, Seed};
use crate::worlds::one_or_many;

/// The agent that a caller gave as text or as an `Agent`.
pub(crate) fn spec_of(game: &Game, agent: &Bound<'_, PyAny>) -> PyResult<AgentSpec> {
    if let Ok(text) = agent.cast::<PyString>() {
        return parse_spec(&text.to_cow()?, None);
    }
    let Ok(agent) = agent.cast::<Agent>() else {
        let kind = agent.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "agent must be an Agent or text such as 'ismcts:iterations=100', got {kind}"
        )));
    };
    agent.get().spec_for(game).cloned()
}

/// `on_progress(done, total)` is called before the first search, then about ten times a second, and after the last. See
/// `stier.search_many` for the other arguments.
#[pyfunction]
#[pyo3(signature = (agent, states, seed, threads, on_progress=None))]
pub(crate) fn search_many(
    py: Python<'_>,
    agent: &Bound<'_, PyAny>,
    states: &Bound<'_, PyAny>,
    seed: Option<Seed>,
    threads: Number,
    on_progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Vec<Search>> {
    let (game, states) = one_or_many(states)?;
    let spec = spec_of(&game, agent)?;
    let settings =
        Settings { seed: seed.map_or(spec.seed().unwrap_or(0), |Seed(seed)| seed), threads: threads.threads()? };
    let total = states.len() as u64;
    let tell = |done: u64| match &on_progress {
        Some(callback) => callback.call1((done, total)).map(|_| ()),
        None => Ok(()),
    };
    tell(0)?;
    let inner: Vec<_> = states.iter().map(|state| state.inner()).collect();
    let interrupt = Arc::<AtomicBool>::default();
    let done = AtomicU64::new(0);
    let watch = || {
        done.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    let face = game.face();
    let work = |_| face.search_many(&spec, &inner, &settings, &interrupt, &watch);
    let mut ticker = Ticker::start();
    let attend = |_: Option<()>| {
        if !ticker.is_due() {
            return Ok(());
        }
        tell(done.load(Ordering::Relaxed))
    };
    let decisions = watched(py, &interrupt, work, attend)?.map_err(|error| match error {
        SearchManyError::State { .. } | SearchManyError::Unsuited(_) => errors::agent(error),
        SearchManyError::Halted(_) => PyRuntimeError::new_err(error.to_string()),
    })?;
    tell(total)?;
    let found = decisions.into_iter().zip(&states).map(|(decision, state)| Search::of(decision, Vec::new(), state));
    guarded(|| found.collect::<Option<Vec<Search>>>())?.ok_or_else(|| no_search(spec.name()))
}
