//! `stier.solve`, `stier.solving.load_solution` and pickled policies, and `stier.solving.best_response`, through which
//! `stier.solving.nash_conv` and `stier.exploitability` work.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyCFunction;
use stier_agents::agent::CheckpointError;
use stier_agents::agent::threads::{self, Halted};
use stier_agents::erased::{AskError, AskSettings, DynEntrant, DynTree};
use stier_agents::solve::solution_file::{self, Label, SolutionFileError};
use stier_agents::solve::{
    Algorithm, BuildError, Progress as Reached, RangePolicy, RangeTree, RangesTooLarge, RunLog, SeatRows, SequenceForm,
    Settings, SolveError, Solved, TooLarge, game_of_ranges, policy_of_rows, read_ranges, solve_ranges,
};
use stier_core::public::{NoPublicForm, PublicForm};

use crate::arrays::Array;
use crate::entrants::entrant;
use crate::errors;
use crate::game::{AnyGame, Game, load_by_name};
use crate::policy::{Kept, Measured, TabularPolicy, origin};
use crate::run::{Progress, goes_on, locked, ticking};
use crate::values::{Number, Ranges, Seed, choice};

/// The tree numbers histories with fewer than 31 bits.
pub(crate) const MAX_HISTORIES: usize = (1 << 30) - 1;
/// The least memory per history, in bytes, while a game is solved.
const BYTES_PER_HISTORY: f64 = 20.0;

/// The limit on the number of histories.
pub(crate) fn most_histories(number: &Number) -> PyResult<usize> {
    Ok(number.between("max_histories", 1, MAX_HISTORIES as i64)? as usize)
}

/// The exception for a tree that could not be built. `hint` is added to its text.
fn tree_error(game: &Game, error: BuildError, hint: &str) -> PyErr {
    let error = match error {
        BuildError::TooLarge(error) => error,
        BuildError::HiddenMoves { .. } => {
            let remedy = if game.has_class() { "; remove hidden_moves if players always notice a turn" } else { "" };
            return errors::argument(format!("{error}{remedy}{hint}"));
        }
        BuildError::UnnoticedMoves { .. } => {
            let remedy = if game.has_class() { ", and must say hidden_moves = True" } else { "" };
            return errors::game(format!("{error}{remedy}{hint}"));
        }
        BuildError::OtherActions { .. } => {
            return errors::game(format!("{error}; stier.check_game shows them{hint}"));
        }
        BuildError::ImperfectRecall { .. } => return errors::game(format!("{error}{hint}")),
        _ => return errors::halted(error),
    };
    let hopeless = match error {
        TooLarge::Estimated { estimate, .. } => estimate.histories > MAX_HISTORIES as f64,
        TooLarge::Counted { most } => most == MAX_HISTORIES,
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

/// Builds the tree of a game. Stops once the call is to end. `hint` is added to the text of errors.
pub(crate) fn enumerate(
    game: &Game,
    most_histories: usize,
    threads: usize,
    progress: &Progress,
    hint: &str,
) -> PyResult<Arc<dyn DynTree>> {
    if game.is_native() {
        progress.estimate.store(game.face().estimate_histories().histories as u64, Ordering::Relaxed);
    }
    progress.is_counting.store(true, Ordering::Relaxed);
    let tree = game.face().enumerate(most_histories, threads, &|histories| {
        progress.histories.store(histories as u64, Ordering::Relaxed);
        goes_on(&progress.interrupt)
    });
    progress.is_counting.store(false, Ordering::Relaxed);
    tree.map_err(|error| tree_error(game, error, hint))
}

/// The memory that solving on public states may take by default.
const MEMORY_MB: i64 = 4096;
/// The most memory that a caller can allow.
const MAX_MEMORY_MB: i64 = 1_000_000;

/// The estimated number of histories, if a game has too many and its own form as public states.
fn needs_ranges(game: &Game, most_histories: usize) -> Option<f64> {
    let estimate = || game.face().estimate_histories().histories;
    let has_form = game.is_native() && game.face().public_form(0, true, &|| true).is_ok();
    has_form.then(estimate).filter(|&histories| histories > most_histories as f64)
}

/// The form of a game as public states, folded or not.
pub(crate) fn form_of(
    game: &Game,
    most_histories: usize,
    fold: bool,
    interrupt: &AtomicBool,
) -> PyResult<Box<dyn PublicForm>> {
    let form = game.face().public_form(most_histories, fold, &|| goes_on(interrupt).is_continue());
    form.map_err(|error| match error {
        NoPublicForm::Stopped => errors::halted(Halted::Interrupted),
        error => errors::argument(format!("{} cannot be solved on public states: {error}", game.text())),
    })
}

/// The exception for public states that take too much memory.
pub(crate) fn too_large(game: &Game, error: RangesTooLarge, found: &str, hint: &str) -> PyErr {
    match error {
        RangesTooLarge::Halted(halted) => errors::halted(halted),
        error => errors::argument(format!("{} is too large: {found}{error}{hint}", game.text())),
    }
}

/// The public states of a game. In errors, `found` says how large the tree of histories would be, and `hint`
/// is added to their text.
fn public_tree(
    game: &Game,
    (most_histories, most_bytes): (usize, u64),
    fold: bool,
    (found, hint): (&str, &str),
    interrupt: &AtomicBool,
) -> PyResult<Arc<RangeTree>> {
    let form = form_of(game, most_histories, fold, interrupt)?;
    let tree = RangeTree::new(form, &game.face().identity(), most_bytes, &|| goes_on(interrupt));
    tree.map(Arc::new).map_err(|error| too_large(game, error, found, hint))
}

/// The same if the caller demands it, or if it is not to be by the tree of histories and the game has too many.
fn public_tree_if(
    demanded: Option<bool>,
    is_possible: bool,
    game: &Game,
    limits: (usize, u64),
    fold: bool,
    hint: &str,
    interrupt: &AtomicBool,
) -> PyResult<Option<Arc<RangeTree>>> {
    let most = limits.0;
    let large = |histories: f64| {
        format!("it has an estimated {histories:.1e} histories, and max_histories is {most}; on public states ")
    };
    let found = match demanded {
        Some(true) => Some(String::new()),
        None if is_possible => needs_ranges(game, most).map(large),
        _ => None,
    };
    found.map(|found| public_tree(game, limits, fold, (&found, hint), interrupt)).transpose()
}

/// The limit on memory, in bytes.
pub(crate) fn most_bytes(max_memory_mb: Option<Number>) -> PyResult<u64> {
    let megabytes = max_memory_mb.unwrap_or(Number::new(MEMORY_MB));
    Ok(megabytes.between("max_memory_mb", 1, MAX_MEMORY_MB)? * 1_000_000)
}

/// A larger number is a typing mistake: a run can be interrupted, and continued from a checkpoint.
const MAX_ITERATIONS: i64 = 1_000_000_000;

/// `on_progress(iterations, total, nash_conv)` is called before the first iteration, then about ten times a second, and
/// after the last. While the histories of the game are counted, `on_count(histories, estimate)` is called instead. See
/// `stier.solve` for the other arguments.
#[pyfunction]
#[pyo3(signature = (
    game, algorithm, iterations, target, seed, checkpoint, max_histories, threads, on_progress=None, on_count=None, *,
    ranges=Ranges(None), max_memory_mb=None
), text_signature = "(game, algorithm, iterations, target, seed, checkpoint, max_histories, threads, on_progress=None, on_count=None, *, ranges=None, max_memory_mb=None)")]
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
    ranges: Ranges,
    max_memory_mb: Option<Number>,
) -> PyResult<TabularPolicy> {
    let (AnyGame(game), Ranges(ranges)) = (&game, ranges);
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
    let most_bytes = most_bytes(max_memory_mb)?;
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
    let failed = |error| match error {
        SolveError::Checkpoint { .. }
        | SolveError::NoCheckpoint(_)
        | SolveError::NoRanges(_)
        | SolveError::NotZeroSum { .. } => errors::argument(error),
        SolveError::Write { .. } => errors::file(error),
        _ => errors::halted(error),
    };
    let find = || {
        let interrupt = &counting.interrupt;
        let is_possible = settings.algorithm.has_ranges();
        if ranges == Some(true) && !is_possible {
            return Err(failed(SolveError::NoRanges(settings.algorithm.name().to_string())));
        }
        if let Some(tree) = public_tree_if(ranges, is_possible, game, (most, most_bytes), true, "", interrupt)? {
            let solved = solve_ranges(&tree, &settings, interrupt, &watch);
            let Solved { policy, iterations, log } = solved.map_err(failed)?;
            return Ok((Kept::Ranges(Arc::new(policy)), iterations, log));
        }
        let tree = enumerate(game, most, settings.threads, &counting, "")?;
        if settings.algorithm == Algorithm::SequenceForm && settings.checkpoint.is_none() {
            return solve_program(&*tree, interrupt, failed);
        }
        let Solved { policy, iterations, log } = tree.solve(&settings, interrupt, &watch).map_err(failed)?;
        Ok((Kept::Tree(policy), iterations, log))
    };
    let work = || {
        let (policy, iterations, log) = find()?;
        let origin = Label { source: settings.algorithm.name().to_string(), iterations, history: log.looks };
        let found = TabularPolicy::measure(game.clone(), origin, policy, seed.0, settings.threads)?;
        Ok::<_, PyErr>(found.ended_after(log.seconds))
    };
    // Ctrl-C says how far it came.
    let stopped = |error: PyErr| {
        let (iterations, _) = *locked(&reached);
        match iterations > 0 && error.is_instance_of::<PyKeyboardInterrupt>(py) {
            true => PyKeyboardInterrupt::new_err(format!("stopped after iteration {iterations}")),
            false => error,
        }
    };
    let found = ticking(py, &counting.interrupt, channel(), work, &report).map_err(stopped)??;
    tell((found.iterations(), found.nash_conv()))?;
    Ok(found)
}

/// The solution of the linear program of a tree in sequence form, by SciPy.
fn solve_program(
    tree: &dyn DynTree,
    interrupt: &Arc<AtomicBool>,
    failed: impl Fn(SolveError) -> PyErr,
) -> PyResult<(Kept, u64, RunLog)> {
    let start = Instant::now();
    let shape = tree.shape();
    let rows = SeatRows::of(shape);
    let SequenceForm { before, payoffs } = SequenceForm::new(shape, &rows).map_err(failed)?;
    let numbers = |numbers: &[u32]| Array::row(numbers.iter().map(|&number| i64::from(number)));
    let players: Vec<(Array<i64>, Array<i64>)> =
        rows.iter().zip(&before).map(|(own, before)| (numbers(own.starts()), numbers(before))).collect();
    let sequences = [0, 1].map(|seat| Array::row(payoffs.iter().map(|(pair, _)| i64::from(pair[seat]))));
    let payoffs = Array::row(payoffs.iter().map(|&(_, payoff)| payoff));
    let policies: Option<Vec<Vec<f64>>> = Python::attach(|py| {
        let interrupt = interrupt.clone();
        let goes_on = PyCFunction::new_closure(py, None, None, move |_, _| goes_on(&interrupt).is_continue())?;
        let solver = py.import("stier._sequence_form")?.getattr("solve")?;
        solver.call1((players, sequences, payoffs, goes_on))?.extract()
    })?;
    let policies = policies.ok_or_else(|| errors::halted(Halted::Interrupted))?;
    let policies: Vec<&[f64]> = policies.iter().map(|policy| &policy[..]).collect();
    let policy = policy_of_rows(shape, &rows, &policies).map_err(errors::argument)?;
    let log = RunLog { seconds: start.elapsed().as_secs_f64(), looks: Vec::new() };
    Ok((Kept::Tree(tree.of_policy(policy)), 1, log))
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
    let made = |game, origin, table| match measured {
        Some(measured) => Ok(TabularPolicy::new(game, origin, table, seed.0, measured)),
        None => TabularPolicy::measure(game, origin, table, seed.0, threads),
    };
    if let Some(text) = game_of_ranges(bytes) {
        let (name, rules) = text.split_once(':').unwrap_or((text, ""));
        let game = load_by_name(py, name, rules).map_err(|error| failed(error.value(py)))?;
        let progress = Progress::new(0, None, None);
        let work = || {
            let open = |fold| {
                let tree = public_tree(&game, (most, u64::MAX), fold, ("", ""), &progress.interrupt)?;
                Ok::<_, PyErr>(read_ranges(tree, bytes))
            };
            // Policies of solvers are on the folded form, those of agents are not.
            let found = match open(true)? {
                Err(SolutionFileError::Frame(CheckpointError::Other { .. })) => open(false)?,
                found => found,
            };
            let (policy, origin) = found.map_err(|error| failed(&error))?;
            made(game.clone(), origin, Kept::Ranges(Arc::new(policy)))
        };
        return progress.run(py, work, |error| error);
    }
    let (name, rules) = solution_file::game_of(bytes).map_err(|error| failed(&error))?;
    let game = load_by_name(py, name, rules).map_err(|error| failed(error.value(py)))?;
    let progress = Progress::new(0, None, on_count);
    let work = || {
        let tree = enumerate(&game, most, threads, &progress, "")?;
        let (policy, origin) = tree.read(bytes).map_err(|error| failed(&error))?;
        made(game.clone(), origin, Kept::Tree(policy))
    };
    progress.run(py, work, |error| error)
}

/// `on_progress(done, total)` is called about ten times a second while the agent is queried at the information sets,
/// and after the last. While the histories of the game are counted, `on_count(histories, estimate)` is called instead.
/// See `stier.solving.best_response` for the other arguments.
#[pyfunction]
#[pyo3(signature = (
    game, agent, seed, seeds, max_histories, threads, on_progress=None, on_count=None, *, ranges=Ranges(None),
    max_memory_mb=None
), text_signature = "(game, agent, seed, seeds, max_histories, threads, on_progress=None, on_count=None, *, ranges=None, max_memory_mb=None)")]
pub(crate) fn best_response(
    py: Python<'_>,
    game: AnyGame,
    agent: &Bound<'_, PyAny>,
    seed: Seed,
    seeds: Number,
    max_histories: Number,
    threads: Number,
    on_progress: Option<Py<PyAny>>,
    on_count: Option<Py<PyAny>>,
    ranges: Ranges,
    max_memory_mb: Option<Number>,
) -> PyResult<TabularPolicy> {
    let (AnyGame(game), Ranges(ranges)) = (&game, ranges);
    let settings = settings_of(seed, &seeds, threads.cores()?)?;
    let limits = (most_histories(&max_histories)?, most_bytes(max_memory_mb)?);
    let progress = Progress::new(0, on_progress, on_count);
    let (asked, values) = ask(py, game, agent, &settings, Trees::Grow { ranges, limits }, &progress)?;
    let response = py.detach(|| asked.best_response(settings.threads)).map_err(errors::halted)?;
    let origin = origin(format!("best response to {}", asked.name()));
    let measured = Measured { values, nash_conv: None, seeds: 0, against: Some(Py::new(py, asked)?) };
    Ok(TabularPolicy::new(game.clone(), origin, response, settings.seed, measured))
}

/// More seeds than this are a mistake.
const MAX_SEEDS: i64 = 1_000_000;

/// The settings of a query.
pub(crate) fn settings_of(seed: Seed, seeds: &Number, threads: usize) -> PyResult<AskSettings> {
    Ok(AskSettings { seed: seed.0, seeds: seeds.between("seeds", 1, MAX_SEEDS)?, threads })
}

/// Asks an agent on public states.
pub(crate) fn ask_on_ranges(
    py: Python<'_>,
    game: &Game,
    agent: &Bound<'_, PyAny>,
    settings: &AskSettings,
    tree: Arc<RangeTree>,
) -> PyResult<RangePolicy> {
    let (sender, receiver) = channel();
    let (entrant, progress) = (entrant(game, agent, &sender)?, Progress::default());
    let (interrupt, watch) = (&progress.interrupt, || progress.advance());
    // The agent ends with the work: it holds a sender.
    let work = move || {
        let entrant = entrant;
        game.face().policy_on_ranges(tree, &entrant, settings, interrupt, &watch).map_err(unanswered)
    };
    progress.converse(py, (sender, receiver), work, |error| error)
}

/// The exception for an agent that could not be asked.
fn unanswered(error: AskError) -> PyErr {
    match error {
        AskError::Oracle(_) | AskError::OtherGame(_) | AskError::Unsuited(_) => errors::agent(error),
        _ => errors::halted(error),
    }
}

/// The information sets that an agent is asked about.
pub(crate) enum Trees {
    Given(Arc<dyn DynTree>),
    /// Those of a policy, or of a new tree of at most so many histories, or on public states that take at most so many bytes
    /// to solve.
    Grow {
        ranges: Option<bool>,
        limits: (usize, u64),
    },
}

/// Queries an agent at every information set of a tree, or on public states. Returns its policy, with its distance from
/// equilibrium, and the values of best responses of all players to it.
pub(crate) fn ask(
    py: Python<'_>,
    game: &Game,
    agent: &Bound<'_, PyAny>,
    settings: &AskSettings,
    trees: Trees,
    progress: &Progress,
) -> PyResult<(TabularPolicy, Vec<f64>)> {
    let (sender, receiver) = channel();
    let entrant = entrant(game, agent, &sender)?;
    // The agent ends with the work: it holds a sender.
    let work = move || {
        let seeds = entrant.num_seeds(settings);
        let (interrupt, watch) = (&progress.interrupt, || progress.advance());
        let policy_of = |tree: Arc<dyn DynTree>| {
            progress.expect(tree.information_sets() as u64 * seeds.max(1));
            Ok::<_, PyErr>(Kept::Tree(tree.policy_of(&entrant, settings, interrupt, &watch).map_err(unanswered)?))
        };
        let grow = |ranges: Option<bool>, limits: (usize, u64)| {
            match (&entrant, ranges) {
                (DynEntrant::Ranges(_, policy), None | Some(true)) => return Ok(Kept::Ranges(policy.clone())),
                (DynEntrant::Table(_, policy), None | Some(false)) => return policy_of(policy.tree()),
                _ => {}
            }
            let hint = "; `stier exploit` gives a lower bound without a tree";
            if let Some(tree) = public_tree_if(ranges, true, game, limits, false, hint, interrupt)? {
                progress.expect(tree.num_choices() * seeds.max(1));
                let policy = game.face().policy_on_ranges(tree, &entrant, settings, interrupt, &watch);
                return Ok(Kept::Ranges(Arc::new(policy.map_err(unanswered)?)));
            }
            policy_of(enumerate(game, limits.0, settings.threads, progress, hint)?)
        };
        let table = match trees {
            Trees::Given(tree) => policy_of(tree)?,
            Trees::Grow { ranges, limits } => grow(ranges, limits)?,
        };
        let found = table.measure(settings.threads)?;
        let measured = Measured { seeds, ..Measured::of(&found) };
        let policy = TabularPolicy::new(game.clone(), origin(entrant.label()), table, settings.seed, measured);
        Ok((policy, found.responses.as_slice().to_vec()))
    };
    progress.converse(py, (sender, receiver), work, |error| error)
}
