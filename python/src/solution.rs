//! `stier.solve` and `stier.Solution`.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use stier_agents::agent::threads::{self, Halted};
use stier_agents::erased::{DynPolicy, DynTree};
use stier_agents::solve::NashConv;
use stier_agents::solve::solution_file::{self, Label};
use stier_agents::solve::{Algorithm, Look, Progress, Settings, SolveError, Solved};
use stier_agents::solve::{BuildError, TooLarge};
use stier_core::options::OptionType as _;

use crate::beliefs::Beliefs;
use crate::errors;
use crate::game::{AnyGame, Game, load_by_name};
use crate::python_game::guarded;
use crate::run::{Ticker, watched};
use crate::state::State;
use crate::table::{Table, pairs};
use crate::values::{Number, Seed};

/// A larger number is a typing mistake: a run can be interrupted, and continued from a checkpoint.
const MAX_ITERATIONS: i64 = 1_000_000_000;
/// The tree numbers histories with fewer than 31 bits.
const MAX_HISTORIES: i64 = (1 << 30) - 1;
/// The least memory per history, in bytes, while a game is solved.
const BYTES_PER_HISTORY: f64 = 20.0;

/// The content of a pickle of a solution: the bytes of its file, and the seed of its decisions.
type Stored<'py> = (Bound<'py, PyBytes>, u64);

/// A policy for every information set of a game, close to an equilibrium; made by `solve` and `load_solution`.
///
/// It is an agent: it draws its actions from its policy and uses only what the player to move knows. It can be pickled;
/// unpickling enumerates its game again, and its draws begin anew.
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

    /// Computes the values and the NashConv of a policy, which takes about as long as two iterations.
    pub(crate) fn new(
        game: Game,
        origin: Label,
        policy: Arc<dyn DynPolicy>,
        seed: u64,
        threads: usize,
    ) -> Result<Self, Halted> {
        let found = policy.nash_conv(threads)?;
        Ok(Self { table: Table::new(game, origin.source.clone(), policy, seed), origin, found })
    }

    /// Adds the distance at the end of a run of so many seconds to the history.
    pub(crate) fn ended_after(mut self, seconds: f64) -> Self {
        let Label { iterations, history, .. } = &mut self.origin;
        if history.last().is_none_or(|look| look.iterations < *iterations) {
            history.push(Look { iterations: *iterations, seconds, nash_conv: self.found.total() });
        }
        self
    }
}

#[pymethods]
impl Solution {
    /// The game.
    #[getter(game)]
    fn get_game(&self) -> Game {
        self.table.game().clone()
    }

    /// The name in tables: the algorithm.
    #[getter]
    fn name(&self) -> &str {
        self.table.label()
    }

    /// The algorithm, by its name in `solve`, or the name of the rule that `run` was given.
    #[getter]
    fn algorithm(&self) -> &str {
        &self.origin.source
    }

    /// The number of iterations.
    #[getter]
    fn iterations(&self) -> u64 {
        self.origin.iterations
    }

    /// The number of information sets of the game, including those with one legal action.
    #[getter]
    fn information_sets(&self) -> usize {
        self.table.inner().tree().information_sets()
    }

    /// The number of distinct histories of the game. Consecutive random events count as one, and the order in which a
    /// hand is dealt does not count.
    #[getter]
    fn histories(&self) -> usize {
        self.table.inner().tree().histories()
    }

    /// The expected return of player 0 if all players follow the policy. In a two-player zero-sum game it differs from
    /// the value of the game by at most `nash_conv`.
    #[getter]
    fn value(&self) -> f64 {
        self.found.values.as_slice()[0]
    }

    /// The expected returns of all players if all follow the policy.
    #[getter]
    fn values(&self) -> Vec<f64> {
        self.found.values.as_slice().to_vec()
    }

    /// The sum over all players of the gain from switching to a best response alone: 0 exactly at an equilibrium.
    #[getter]
    fn nash_conv(&self) -> f64 {
        self.found.total()
    }

    /// The average gain of a player: `nash_conv` divided by the number of players.
    #[getter]
    fn exploitability(&self) -> f64 {
        self.found.exploitability()
    }

    /// The distance from equilibrium during the run, as a new structured array with the fields `iterations` (int64),
    /// `seconds` and `nash_conv` (float64).
    ///
    /// There is an entry for every time at which NashConv was measured, and one for the end. Seconds are those of the
    /// iterations, without building the tree, measuring and writing checkpoints. A run that was continued from a
    /// checkpoint has those of its earlier parts too. Empty for files of earlier versions.
    #[getter]
    fn history<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows: Vec<_> =
            self.origin.history.iter().map(|look| (look.iterations, look.seconds, look.nash_conv)).collect();
        let settings = PyDict::new(py);
        settings.set_item("dtype", vec![("iterations", "int64"), ("seconds", "float64"), ("nash_conv", "float64")])?;
        py.import("numpy")?.call_method("array", (rows,), Some(&settings))
    }

    /// A `pandas.DataFrame` with one row for each action of each information set, in the order of `GameTree`. Requires
    /// pandas.
    ///
    /// Columns: `information_set`, the knowledge of the player as in `State.information_state_string`; `player`; `action`,
    /// by name; `probability`; `value`, the expected return of the player if it chooses the action there and all follow
    /// the policy afterwards, as in `GameTree.action_values`; `reach`, the probability that a game reaches the information
    /// set if all follow the policy.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.table.to_pandas(py)
    }

    /// The probabilities of the legal actions of the player to move: `[(action, probability), …]`, ascending by action.
    ///
    /// The first call builds an index of the information sets. Raises `AgentError` if no player is to move, or if the
    /// state belongs to another game.
    fn policy(&self, py: Python<'_>, state: PyRef<'_, State>) -> PyResult<Vec<(u8, f64)>> {
        Ok(pairs(&self.table.probabilities(py, &state)?))
    }

    /// Draws an action for the player to move.
    fn step(&self, py: Python<'_>, state: PyRef<'_, State>) -> PyResult<u8> {
        Ok(self.table.decide(py, &state)?.1)
    }

    /// Like `step`, but also returns the policy: `([(action, probability), …], action)`.
    fn step_with_policy(&self, py: Python<'_>, state: PyRef<'_, State>) -> PyResult<(Vec<(u8, f64)>, u8)> {
        self.table.decide(py, &state)
    }

    /// The beliefs of the given player, or by default the player to move, from chance alone.
    #[pyo3(signature = (state, player=None))]
    fn beliefs(&self, py: Python<'_>, state: PyRef<'_, State>, player: Option<Number>) -> PyResult<Beliefs> {
        let seat = state.seat(player.as_ref())?;
        let inner = state.inner();
        Ok(Beliefs::new(state.game().clone(), seat, py.detach(|| guarded(|| inner.beliefs(seat)))?))
    }

    /// Draws from the streams of `seed`, by default the seed of the solution.
    #[pyo3(signature = (seed=None))]
    fn restart(&self, seed: Option<Seed>) {
        self.table.restart(seed);
    }

    /// The expected number of times per game that any player chooses the action, if all follow the policy. It is a
    /// probability if a game has at most one such choice. Raises `IllegalActionError` for an unknown action.
    fn frequency(&self, py: Python<'_>, action: Number) -> PyResult<f64> {
        let face = self.table.game().face();
        let action = action.id_below(face.info().num_actions, "action", face)?;
        let policy = self.table.inner();
        py.detach(|| guarded(|| policy.frequency(action)))
    }

    /// Writes the policy and the history to a file for `load_solution`: eight bytes per action of each information set. An existing
    /// file stays intact until the new one is complete.
    fn save(&self, py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<()> {
        let policy = self.table.inner();
        let bytes = py.detach(|| policy.to_bytes(&self.origin));
        py.import("stier._files")?.call_method1("write_bytes", (path, PyBytes::new(py, &bytes)))?;
        Ok(())
    }

    fn __str__(&self) -> String {
        self.table.label().to_string()
    }

    /// The bytes of the file, which `_restore_solution` reads.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Stored<'py>)> {
        let restore = py.import("stier._native")?.getattr("_restore_solution")?;
        let policy = self.table.inner();
        let content = py.detach(|| policy.to_bytes(&self.origin));
        Ok((restore, (PyBytes::new(py, &content), self.table.seed())))
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

/// The limit on the number of histories.
pub(crate) fn most_histories(number: &Number) -> PyResult<usize> {
    Ok(number.between("max_histories", 1, MAX_HISTORIES)? as usize)
}

/// The number of threads: all cores if 0.
pub(crate) fn threads_of(number: &Number) -> PyResult<usize> {
    Ok(threads::resolve(number.threads()?))
}

/// The exception for a tree that could not be built. `hint` is added to its text.
pub(crate) fn tree_error(game: &Game, error: BuildError, hint: &str) -> PyErr {
    let error = match error {
        BuildError::TooLarge(error) => error,
        BuildError::HiddenMoves { .. } | BuildError::ImperfectRecall { .. } => {
            return errors::argument(format!("{error}{hint}"));
        }
        _ => return PyRuntimeError::new_err(error.to_string()),
    };
    let hopeless = match error {
        TooLarge::Estimated { estimate, .. } => estimate.histories > MAX_HISTORIES as f64,
        TooLarge::Counted { most } => most == MAX_HISTORIES as usize,
    };
    let remedy = match error {
        _ if hopeless => format!("more than {MAX_HISTORIES} cannot be enumerated: use smaller rules"),
        TooLarge::Estimated { most, estimate } => {
            let megabytes = (estimate.histories * BYTES_PER_HISTORY / 1e6).ceil();
            format!(
                "max_histories is {most}: use smaller rules, or raise it, which takes at least {megabytes} MB of memory"
            )
        }
        TooLarge::Counted { most } => format!("max_histories is {most}: use smaller rules, or raise it"),
    };
    let size = match error {
        TooLarge::Counted { most } => format!("more than {most}"),
        TooLarge::Estimated { estimate, .. } => format!("an estimated {:.1e}", estimate.histories),
    };
    errors::argument(format!("{} is too large: it has {size} histories, and {remedy}{hint}", game.text()))
}

/// The progress of an enumeration.
#[derive(Default)]
pub(crate) struct Count {
    histories: AtomicU64,
    estimate: AtomicU64,
    running: AtomicBool,
}

impl Count {
    /// Calls `on_count(histories, estimate)` while histories are counted. Returns whether counting goes on.
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

/// Builds the tree of a game. Stops once the flag is set.
pub(crate) fn enumerate(
    game: &Game,
    most_histories: usize,
    threads: usize,
    interrupt: &AtomicBool,
    count: &Count,
) -> Result<Arc<dyn DynTree>, BuildError> {
    if game.is_native() {
        count.estimate.store(game.face().estimate_histories().histories as u64, Ordering::Relaxed);
    }
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

/// The reasons for which a game cannot be solved.
enum Failure {
    Tree(BuildError),
    Solve(SolveError),
    Halted(Halted),
}

/// `on_progress(iterations, total, nash_conv)` is called before the first iteration, then about ten times a second, and
/// after the last. While the histories of the game are counted, `on_count(histories, estimate)` is called instead. See
/// `stier.solve` for the other arguments.
#[pyfunction]
#[pyo3(signature = (
    game, algorithm, iterations, target, seed, checkpoint, max_histories, threads, on_progress=None, on_count=None
))]
#[expect(clippy::too_many_arguments, reason = "the settings, one by one")]
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
    on_count: Option<Bound<'_, PyAny>>,
) -> PyResult<Solution> {
    let AnyGame(game) = &game;
    let unknown = |problem| errors::argument(format!("algorithm {problem}"));
    if !(target >= 0.0 && target.is_finite()) {
        return Err(errors::argument(format!("target must be a NashConv of 0 or more, got {target}")));
    }
    let settings = Settings {
        algorithm: Algorithm::parse(algorithm, &()).map_err(unknown)?,
        iterations: iterations.between("iterations", 1, MAX_ITERATIONS)?,
        target,
        seed: seed.0,
        checkpoint,
        threads: threads_of(&threads)?,
    };
    let most = most_histories(&max_histories)?;
    let interrupt = Arc::<AtomicBool>::default();
    let progress = Mutex::new(Progress { iterations: 0, nash_conv: None });
    let watch = |now: Progress| {
        *progress.lock().expect("the lock is never held during a panic") = now;
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
        let Progress { iterations, nash_conv } = *progress.lock().expect("the lock is never held during a panic");
        tell(iterations, nash_conv)
    };
    // Dropping the sender tells the waiting thread that the work has ended.
    let work = |sender: Sender<()>| {
        let tree = enumerate(game, most, settings.threads, &interrupt, &count).map_err(Failure::Tree)?;
        let Solved { policy, iterations, log } = tree.solve(&settings, &interrupt, &watch).map_err(Failure::Solve)?;
        let source = settings.algorithm.name().to_string();
        let label = Label { source, iterations, history: log.looks };
        let solution = Solution::new(game.clone(), label, policy, seed.0, settings.threads).map_err(Failure::Halted);
        drop(sender);
        Ok(solution?.ended_after(log.seconds))
    };
    let solution = watched(py, &interrupt, work, attend)?.map_err(|error| match error {
        Failure::Tree(error) => tree_error(game, error, ""),
        Failure::Solve(
            error @ (SolveError::Checkpoint { .. }
            | SolveError::NoCheckpoint(_)
            | SolveError::NotZeroSum { .. }
            | SolveError::Program(_)),
        ) => errors::argument(error.to_string()),
        Failure::Solve(error @ SolveError::Write { .. }) => errors::file(error.to_string()),
        Failure::Solve(error) => PyRuntimeError::new_err(error.to_string()),
        Failure::Halted(error) => PyRuntimeError::new_err(error.to_string()),
    })?;
    tell(solution.iterations(), Some(solution.nash_conv()))?;
    Ok(solution)
}

/// The number of iterations after which a run measures NashConv next.
#[pyfunction]
pub(crate) fn next_look(iterations: u64, has_target: bool) -> u64 {
    stier_agents::solve::next_look(iterations, has_target)
}

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
    on_count: Option<Bound<'_, PyAny>>,
) -> PyResult<Solution> {
    let (most, threads) = (most_histories(&max_histories)?, threads_of(&threads)?);
    let bytes = fs::read(&path).map_err(|error| errors::file(format!("{}: {error}", path.display())))?;
    read_solution(py, &bytes, seed, &path.display().to_string(), (most, threads), on_count.as_ref())
}

/// A pickled solution.
#[pyfunction(name = "_restore_solution")]
pub(crate) fn restore_solution(py: Python<'_>, content: &[u8], seed: Seed) -> PyResult<Solution> {
    read_solution(py, content, seed, "a pickled solution", (MAX_HISTORIES as usize, threads::resolve(0)), None)
}

/// The solution in these bytes. `origin` names them in errors.
fn read_solution(
    py: Python<'_>,
    bytes: &[u8],
    seed: Seed,
    origin: &str,
    (most, threads): (usize, usize),
    on_count: Option<&Bound<'_, PyAny>>,
) -> PyResult<Solution> {
    let failed = |error: &dyn std::fmt::Display| format!("{origin}: {error}");
    let (name, rules) = solution_file::game_of(bytes).map_err(|error| errors::record(failed(&error)))?;
    let game = load_by_name(py, name, rules).map_err(|error| errors::record(failed(error.value(py))))?;
    let (interrupt, count) = (AtomicBool::new(false), Count::default());
    let work = |sender: Sender<()>| {
        let tree = enumerate(&game, most, threads, &interrupt, &count).map_err(|error| tree_error(&game, error, ""))?;
        let (policy, label) = tree.read(bytes).map_err(|error| errors::record(failed(&error)))?;
        let solution = Solution::new(game.clone(), label, policy, seed.0, threads);
        drop(sender);
        solution.map_err(|error| PyRuntimeError::new_err(error.to_string()))
    };
    let mut ticker = Ticker::start();
    watched(py, &interrupt, work, |_| if ticker.is_due() { count.tell(on_count).map(|_| ()) } else { Ok(()) })?
}
