//! `stier.search_many`.

use std::sync::mpsc::Sender;

use pyo3::prelude::*;
use stier_agents::batch::search_many::{SearchManyError, Settings};

use crate::agent::{agent_of, no_search};
use crate::errors;
use crate::run::{Progress, guarded, ticking};
use crate::search::Search;
use crate::values::{Number, Seed};
use crate::worlds::one_or_many;

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
    let spec = agent_of(&game, agent)?;
    let settings =
        Settings { seed: seed.map_or(spec.seed().unwrap_or(0), |Seed(seed)| seed), threads: threads.threads()? };
    let progress = Progress::default();
    progress.expect(states.len() as u64);
    let report = || progress.tell(on_progress.as_ref());
    report()?;
    let inner: Vec<_> = states.iter().map(|state| state.inner()).collect();
    let face = game.face();
    let work = |_: Sender<()>| face.search_many(&spec, &inner, &settings, &progress.interrupt, &|| progress.advance());
    let decisions = ticking(py, &progress.interrupt, work, |()| Ok(()), report)?.map_err(|error| match error {
        SearchManyError::State { .. } | SearchManyError::Unsuited(_) => errors::agent(error),
        SearchManyError::Halted(_) => errors::halted(error),
    })?;
    progress.tell_end(on_progress.as_ref())?;
    let found = decisions.into_iter().zip(&states).map(|(decision, state)| Search::of(decision, Vec::new(), state));
    guarded(|| found.collect::<Option<Vec<Search>>>())?.ok_or_else(|| no_search(spec.name()))
}
