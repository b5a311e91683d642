//! `stier.solving.load_solution`, and pickled policies.

use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::Sender;

use pyo3::prelude::*;
use stier_agents::agent::threads;
use stier_agents::solve::solution_file;

use crate::enumeration::{MAX_HISTORIES, enumerate, most_histories};
use crate::errors;
use crate::game::load_by_name;
use crate::policy::{Measured, TabularPolicy};
use crate::run::Progress;
use crate::values::{Number, Seed};

/// While the histories of the game are counted, `on_count(histories, estimate)` is called about ten times a second. See
/// `stier.solving.load_solution` for the other arguments.
#[pyfunction]
#[pyo3(signature = (path, seed, max_histories, threads, on_count=None))]
pub(crate) fn load_solution(
    py: Python<'_>,
    path: PathBuf,
    seed: Seed,
    max_histories: Number,
    threads: Number,
    on_count: Option<Py<PyAny>>,
) -> PyResult<TabularPolicy> {
    let (most, threads) = (most_histories(&max_histories)?, threads.cores()?);
    let bytes = fs::read(&path).map_err(|error| errors::file(format!("{}: {error}", path.display())))?;
    read(py, &bytes, seed, &path.display().to_string(), None, (most, threads), on_count)
}

/// Restores a pickled policy.
#[pyfunction(name = "_restore_policy")]
pub(crate) fn restore_policy(
    py: Python<'_>,
    content: &[u8],
    seed: Seed,
    measured: Measured,
) -> PyResult<TabularPolicy> {
    let limits = (MAX_HISTORIES, threads::resolve(0));
    read(py, content, seed, "a pickled policy", Some(measured), limits, None)
}

/// The policy in these bytes, which is measured unless it has been. `place` names the bytes in errors.
fn read(
    py: Python<'_>,
    bytes: &[u8],
    seed: Seed,
    place: &str,
    measured: Option<Measured>,
    (most, threads): (usize, usize),
    on_count: Option<Py<PyAny>>,
) -> PyResult<TabularPolicy> {
    let failed = |error: &dyn std::fmt::Display| errors::record(format!("{place}: {error}"));
    let (name, rules) = solution_file::game_of(bytes).map_err(|error| failed(&error))?;
    let game = load_by_name(py, name, rules).map_err(|error| failed(error.value(py)))?;
    let progress = Progress::new(0, None, on_count);
    let work = |_sender: Sender<()>| {
        let tree = enumerate(&game, most, threads, &progress, "")?;
        let (policy, origin) = tree.read(bytes).map_err(|error| failed(&error))?;
        match measured {
            Some(measured) => Ok(TabularPolicy::new(game.clone(), origin, policy, seed.0, measured)),
            None => TabularPolicy::measure(game.clone(), origin, policy, seed.0, threads),
        }
    };
    progress.run(py, work, |()| Ok(()), |error| error)
}
