//! `stier.solve` and `stier.Solution`.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use stier_agents::atomic_file;
use stier_agents::best_response::NashConv;
use stier_agents::erased::{self, DynPolicy, DynTree, TreeError};
use stier_agents::game_tree::{BuildError, TooLarge};
use stier_agents::solution_file::{self, Label};
use stier_agents::solve::{Algorithm, Progress, Settings, SolveError};
use stier_agents::threads::{self, ThreadsError};
use stier_core::options::OptionType as _;

use crate::beliefs::Beliefs;
use crate::errors;
use crate::game::Game;
use crate::run::{Ticker, watched};
use crate::state::State;
use crate::table::{Table, pairs};
use crate::values::{Number, Seed};

/// More would be a mistake; a run can be stopped, and continued from a checkpoint.
const MOST_ITERATIONS: i64 = 1_000_000_000;
/// The numbers of histories are no larger.
const MOST_HISTORIES: i64 = (1 << 30) - 1;
/// The least memory that a history takes while a game is solved.
const BYTES: f64 = 20.0;
/// More would exhaust the machine before they helped.
const MOST_THREADS: i64 = 1024;

/// A policy for every information set of a game, as near to an equilibrium as was asked for; made by `solve` and
/// `load_solution`.
///
/// It is an agent: it draws its actions with the probabilities of its policy and uses nothing that the player to move cannot
/// know.
#[pyclass(frozen, module = "stier")]
pub(crate) struct Solution {
    table: Table,
    origin: Label,
    found: NashConv,
}

impl Solution {
    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// With its figures; they take about as long as two iterations.
    fn new(
        game: Game,
        origin: Label,
        policy: Arc<dyn DynPolicy>,
        seed: u64,
        threads: usize,
    ) -> Result<Self, ThreadsError> {
        let found = policy.nash_conv(threads)?;
        Ok(Self { table: Table::new(game, origin.source.clone(), policy, seed), origin, found })
    }
}

#[pymethods]
impl Solution {
    /// The game.
    #[getter(game)]
    fn get_game(&self) -> Game {
        self.table.game().clone()
    }

    /// What tables call it: the algorithm.
    #[getter]
    fn name(&self) -> &str {
        self.table.label()
    }

    /// What found it, as `solve` calls it.
    #[getter]
    fn algorithm(&self) -> &str {
        &self.origin.source
    }

    /// Iterations after which it was taken.
    #[getter]
    fn iterations(&self) -> u64 {
        self.origin.iterations
    }

    /// Information sets of the game, those with one legal action included.
    #[getter]
    fn information_sets(&self) -> usize {
        self.table.inner().tree().information_sets()
    }

    /// Histories of the game that differ for somebody: random events in a row count as one, orders in which a hand was dealt do not
    /// count.
    #[getter]
    fn histories(&self) -> usize {
        self.table.inner().tree().histories()
    }

    /// The expected return of player 0 when all follow the policy. In a zero-sum game for two the value of the game is no further from it
    /// than `nash_conv`.
    #[getter]
    fn value(&self) -> f64 {
        self.found.values.as_slice()[0]
    }

    /// The expected returns of all players when all follow the policy.
    #[getter]
    fn values(&self) -> Vec<f64> {
        self.found.values.as_slice().to_vec()
    }

    /// What all players together gain if each alone changes to a best response: 0 at an equilibrium and only there.
    #[getter]
    fn nash_conv(&self) -> f64 {
        self.found.total()
    }

    /// The mean gain of a player: `nash_conv` by the number of players.
    #[getter]
    fn exploitability(&self) -> f64 {
        self.found.exploitability()
    }

    /// The probabilities of the legal actions of the player to move: `[(action, probability), …]`, ascending by action.
    ///
    /// The first call makes an index of the information sets, some microseconds for each. Raises `AgentError` where no player is to
    /// act, and for a state of another game.
    fn policy(&self, py: Python<'_>, state: PyRef<'_, State>) -> PyResult<Vec<(u8, f64)>> {
        Ok(pairs(&self.table.probabilities(py, &state)?))
    }

    /// Draws an action for the player to move.
    fn step(&self, py: Python<'_>, state: PyRef<'_, State>) -> PyResult<u8> {
        Ok(self.table.decide(py, &state)?.1)
    }

    /// As `step`, with the probabilities it was drawn with: `([(action, probability), …], action)`.
    fn step_with_policy(&self, py: Python<'_>, state: PyRef<'_, State>) -> PyResult<(Vec<(u8, f64)>, u8)> {
        self.table.decide(py, &state)
    }

    /// Where the cards are as far as the player, or the player to move if left out, knows, if nothing but chance is weighed.
    #[pyo3(signature = (state, player=None))]
    fn beliefs(&self, py: Python<'_>, state: PyRef<'_, State>, player: Option<Number>) -> PyResult<Beliefs> {
        let seat = state.seat(player.as_ref())?;
        let inner = state.inner();
        Ok(Beliefs::new(state.game().clone(), seat, py.detach(|| inner.beliefs(seat))))
    }

    /// Draws from the streams of `seed`, or of the first seed again.
    #[pyo3(signature = (seed=None))]
    fn restart(&self, seed: Option<Seed>) {
        self.table.restart(seed);
    }

    /// How often the action is expected to be chosen in a game, by any player, if all follow the policy: a probability, if a game has
    /// no more than one choice of it. Raises `IllegalActionError` for an action that the game does not have.
    fn frequency(&self, py: Python<'_>, action: Number) -> PyResult<f64> {
        let face = self.table.game().face();
        let action = action.id_below(face.num_actions(), "action", face)?;
        let policy = self.table.inner();
        Ok(py.detach(|| policy.frequency(action)))
    }

    /// Writes the policy to a file, for `load_solution`: eight bytes for each action of each information set. A file that was there
    /// stays whole until the new one is.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let policy = self.table.inner();
        py.detach(|| atomic_file::write(&path, |out| std::io::Write::write_all(out, &policy.to_bytes(&self.origin))))
            .map_err(|error| errors::file(format!("{}: {error}", path.display())))
    }

    fn __str__(&self) -> String {
        self.table.label().to_string()
    }

    fn __repr__(&self) -> String {
        format!(
            "<stier.Solution of {} by {}: value {:.6}, exploitability {:.2e} after {} iterations>",
            self.table.game().text(),
            self.origin.source,
            self.value(),
            self.exploitability(),
            self.origin.iterations
        )
    }
}

/// The number of histories that is allowed.
pub(crate) fn most_histories(number: &Number) -> PyResult<usize> {
    Ok(number.between("max_histories", 1, MOST_HISTORIES)? as usize)
}

/// The number of threads that is asked for, all cores if 0.
pub(crate) fn threads_of(number: &Number) -> PyResult<usize> {
    Ok(threads::resolve(number.between("threads", 0, MOST_THREADS)? as usize))
}

/// A tree that could not be made, as an exception.
pub(crate) fn tree_error(game: &Game, error: TreeError) -> PyErr {
    let error = match error {
        TreeError::Build(BuildError::TooLarge(error)) => error,
        TreeError::Build(BuildError::HiddenMoves { .. }) => return PyValueError::new_err(error.to_string()),
        _ => return PyRuntimeError::new_err(error.to_string()),
    };
    let advice = match error {
        TooLarge::Counted { .. } => "use smaller rules, or allow more with max_histories".to_owned(),
        TooLarge::Estimated { estimate, .. } => {
            let megabytes = estimate.histories * BYTES / 1e6;
            let memory = match megabytes {
                ..1e3 => format!("{megabytes:.1} MB"),
                ..1e7 => format!("{:.1} GB", megabytes / 1e3),
                _ => format!("{:.1e} GB", megabytes / 1e3),
            };
            let remedy = if estimate.histories < MOST_HISTORIES as f64 {
                "use smaller rules, or allow more with max_histories".to_owned()
            } else {
                format!("use smaller rules: at most {MOST_HISTORIES} are possible")
            };
            format!("it would need at least {memory} of memory; {remedy}")
        }
    };
    errors::argument(format!("{}: {error}; {advice}", game.text()))
}

/// Progress of the enumeration of a tree.
#[derive(Default)]
pub(crate) struct Count {
    histories: AtomicU64,
    estimate: AtomicU64,
    running: AtomicBool,
}

impl Count {
    /// Tells `on_count(histories, estimate)` while histories are being counted; returns whether they still are.
    pub(crate) fn tell(&self, on_count: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
        if !self.running.load(Ordering::Relaxed) {
            return Ok(false);
        }
        if let Some(callback) = on_count {
            let [histories, estimate] = [&self.histories, &self.estimate].map(|number| number.load(Ordering::Relaxed));
            callback.call1((histories, estimate))?;
        }
        Ok(true)
    }
}

/// The tree of a game. Once the flag is set, breaks off.
pub(crate) fn enumerate(
    game: &Game,
    most_histories: usize,
    threads: usize,
    interrupt: &AtomicBool,
    count: &Count,
) -> Result<Arc<dyn DynTree>, TreeError> {
    count.estimate.store(game.face().estimate_histories().histories as u64, Ordering::Relaxed);
    count.running.store(true, Ordering::Relaxed);
    let tree = game.face().enumerate(most_histories, threads, &|histories| {
        count.histories.store(histories as u64, Ordering::Relaxed);
        match interrupt.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    count.running.store(false, Ordering::Relaxed);
    tree
}

/// Why nothing was solved.
enum Failure {
    Tree(TreeError),
    Solve(SolveError),
    Threads(ThreadsError),
}

/// `on_progress(iterations, total, nash_conv)` is called before the first iteration, then about ten times a second, and after the last.
/// While the histories of the game are being counted, `on_count(histories, estimate)` is called instead, about ten times a second. See
/// `stier.solve` for the rest.
#[pyfunction]
#[pyo3(signature = (
    game, algorithm, iterations, target, seed, checkpoint, max_histories, threads, on_progress=None, on_count=None
))]
#[expect(clippy::too_many_arguments, reason = "the settings, one by one")]
pub(crate) fn solve(
    py: Python<'_>,
    game: &Game,
    algorithm: &str,
    iterations: Number,
    target: f64,
    seed: Seed,
    checkpoint: Option<PathBuf>,
    max_histories: Number,
    threads: Number,
    on_progress: Option<Bound<'_, PyAny>>,
    on_count: Option<Bound<'_, PyAny>>,
) -> PyResult<Solution> {
    let unknown = |allowed| errors::argument(format!("algorithm must be {allowed}, not '{algorithm}'"));
    if !(target >= 0.0 && target.is_finite()) {
        return Err(errors::argument(format!("target must be a NashConv of 0 or more, not {target}")));
    }
    let settings = Settings {
        algorithm: Algorithm::parse(algorithm, &()).map_err(unknown)?,
        iterations: iterations.between("iterations", 1, MOST_ITERATIONS)?,
        target,
        seed: seed.0,
        checkpoint,
        threads: threads_of(&threads)?,
    };
    let most = most_histories(&max_histories)?;
    let interrupt = Arc::<AtomicBool>::default();
    let progress = Mutex::new(Progress { iterations: 0, nash_conv: None });
    let watch = |now: Progress| {
        *progress.lock().expect("nobody panics with it") = now;
        ControlFlow::Continue(())
    };
    let total = settings.iterations;
    let tell = |iterations: u64, nash_conv: Option<f64>| match &on_progress {
        Some(callback) => callback.call1((iterations, total, nash_conv)).map(|_| ()),
        None => Ok(()),
    };
    tell(0, None)?;
    let count = Count::default();
    let mut ticker = Ticker::start();
    let attend = |_: Option<()>| {
        if !ticker.is_due() || count.tell(on_count.as_ref())? {
            return Ok(());
        }
        let Progress { iterations, nash_conv } = *progress.lock().expect("nobody panics with it");
        tell(iterations, nash_conv)
    };
    // The sender is kept until the work has ended: that is how the other side learns of it.
    let work = |sender: Sender<()>| {
        let tree = enumerate(game, most, settings.threads, &interrupt, &count).map_err(Failure::Tree)?;
        let (policy, iterations) = tree.solve(&settings, &interrupt, &watch).map_err(Failure::Solve)?;
        let source = settings.algorithm.value().to_string();
        let label = Label { source, iterations };
        let solution = Solution::new(game.clone(), label, policy, seed.0, settings.threads).map_err(Failure::Threads);
        drop(sender);
        solution
    };
    let solution = watched(py, &interrupt, work, attend)?.map_err(|error| match error {
        Failure::Tree(error) => tree_error(game, error),
        Failure::Solve(
            error @ (SolveError::Checkpoint { .. } | SolveError::NoCheckpoint(_) | SolveError::Program(_)),
        ) => errors::argument(error.to_string()),
        Failure::Solve(error @ SolveError::Write { .. }) => errors::file(error.to_string()),
        Failure::Solve(error) => PyRuntimeError::new_err(error.to_string()),
        Failure::Threads(error) => PyRuntimeError::new_err(error.to_string()),
    })?;
    tell(solution.iterations(), Some(solution.nash_conv()))?;
    Ok(solution)
}

/// The solution that `Solution.save` wrote. Enumerates its game again; the seed is that of the draws of `step`.
///
/// Raises `OSError` for a file that cannot be read, and `RecordError` for one that is no solution or is damaged.
#[pyfunction]
#[pyo3(signature = (path, seed=Seed(0)), text_signature = "(path, seed=0)")]
pub(crate) fn load_solution(py: Python<'_>, path: PathBuf, seed: Seed) -> PyResult<Solution> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let bytes = fs::read(&path).map_err(|error| errors::file(failed(&error)))?;
    let (name, rules) = solution_file::game_of(&bytes).map_err(|error| errors::record(failed(&error)))?;
    let game = Game::new(erased::load(name, rules).map_err(|error| errors::record(failed(&error)))?);
    let interrupt = AtomicBool::new(false);
    let work = |sender: Sender<()>| {
        let tree = enumerate(&game, MOST_HISTORIES as usize, threads::resolve(0), &interrupt, &Count::default())
            .map_err(|error| tree_error(&game, error))?;
        let (policy, label) = tree.read(&bytes).map_err(|error| errors::record(failed(&error)))?;
        let solution = Solution::new(game.clone(), label, policy, seed.0, 0);
        drop(sender);
        solution.map_err(|error| PyRuntimeError::new_err(error.to_string()))
    };
    watched(py, &interrupt, work, |_| Ok(()))?
}
