//! `stier.solve`.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;

use pyo3::prelude::*;
use stier_agents::solve::solution_file::Label;
use stier_agents::solve::{Algorithm, Progress as Reached, Settings, SolveError, Solved};

use crate::enumeration::{enumerate, most_histories};
use crate::errors;
use crate::game::AnyGame;
use crate::policy::TabularPolicy;
use crate::run::{Progress, locked, ticking};
use crate::values::{Number, Seed, choice};

/// A larger number is a typing mistake: a run can be interrupted, and continued from a checkpoint.
const MAX_ITERATIONS: i64 = 1_000_000_000;

/// `on_progress(iterations, total, nash_conv)` is called before the first iteration, then about ten times a second, and
/// after the last. While the histories of the game are counted, `on_count(histories, estimate)` is called instead. See
/// `stier.solve` for the other arguments.
#[pyfunction]
#[pyo3(signature = (
    game, algorithm, iterations, target, seed, checkpoint, max_histories, threads, on_progress=None, on_count=None
))]
pub(crate) fn solve(
    py: Python<'_>,
    game: AnyGame,
    algorithm: &str,
    iterations: Number,
    target: f64,
    seed: Seed,
    checkpoint: Option<PathBuf>,
    max_histories: Number,
    threads: Number,
    on_progress: Option<Bound<'_, PyAny>>,
    on_count: Option<Py<PyAny>>,
) -> PyResult<TabularPolicy> {
    let AnyGame(game) = &game;
    if !(target >= 0.0 && target.is_finite()) {
        return Err(errors::argument(format!("target must be a NashConv of 0 or more, got {target}")));
    }
    let settings = Settings {
        algorithm: choice::<Algorithm>("algorithm", algorithm)?,
        iterations: iterations.between("iterations", 1, MAX_ITERATIONS)?,
        target,
        seed: seed.0,
        checkpoint,
        threads: threads.cores()?,
    };
    let most = most_histories(&max_histories)?;
    let counting = Progress::new(0, None, on_count);
    let reached = Mutex::new((0, None));
    let watch = |now: Reached| {
        *locked(&reached) = (now.iterations, now.nash_conv);
        ControlFlow::Continue(())
    };
    let total = settings.iterations;
    let tell = |(iterations, nash_conv): (u64, Option<f64>)| match &on_progress {
        Some(callback) => callback.call1((iterations, total, nash_conv)).map(|_| ()),
        None => Ok(()),
    };
    tell((0, None))?;
    let report = || match counting.is_counting.load(Ordering::Relaxed) {
        true => counting.tell(py),
        false => tell(*locked(&reached)),
    };
    // Dropping the sender tells the waiting thread that the work has ended.
    let work = |_sender: Sender<()>| {
        let tree = enumerate(game, most, settings.threads, &counting, "")?;
        let Solved { policy, iterations, log } =
            tree.solve(&settings, &counting.interrupt, &watch).map_err(|error| match error {
                SolveError::Checkpoint { .. }
                | SolveError::NoCheckpoint(_)
                | SolveError::NotZeroSum { .. }
                | SolveError::Program(_) => errors::argument(error),
                SolveError::Write { .. } => errors::file(error),
                _ => errors::halted(error),
            })?;
        let origin = Label { source: settings.algorithm.name().to_string(), iterations, history: log.looks };
        let found = TabularPolicy::measure(game.clone(), origin, policy, seed.0, settings.threads)?;
        Ok::<_, PyErr>(found.ended_after(log.seconds))
    };
    let found = ticking(py, &counting.interrupt, work, |()| Ok(()), report)??;
    tell((found.iterations(), found.nash_conv()))?;
    Ok(found)
}

/// The number of iterations after which a run measures NashConv next.
#[pyfunction]
pub(crate) fn next_look(iterations: u64, has_target: bool) -> u64 {
    stier_agents::solve::next_look(iterations, has_target)
}
