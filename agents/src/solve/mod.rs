//! The solution of small games: iterations until the policy is close enough to an equilibrium, with checkpoints.
//!
//! The distance from equilibrium is measured after increasing numbers of iterations ([`next_look`]), because it costs
//! about as much as two iterations of CFR. An interrupted run continues from its checkpoint and ends with the same
//! bits as an uninterrupted one.

pub mod atomic_file;
pub(crate) mod best_response;
pub(crate) mod cfr;
pub(crate) mod game_tree;
pub(crate) mod log;
#[cfg(feature = "solvers")]
pub(crate) mod mccfr;
pub(crate) mod passes;
pub(crate) mod ranges;
pub(crate) mod resolve;
pub(crate) mod sequence_form;
pub mod solution_file;
pub(crate) mod tabular;
pub(crate) mod tricks;

pub use best_response::{
    ActionValues, NashConv, Response, action_values, best_response, decide_backwards, known_values, nash_conv, values,
};
pub use cfr::{Solver, Variant};
pub use game_tree::{
    BuildError, GameTree, InformationSet, Node, NodeNumbers, Policy, TooLarge, Tree, TreeSize, estimate_size,
};
pub use log::{Look, RunLog};
#[cfg(feature = "solvers")]
pub use mccfr::{BATCH, Mccfr, Sampling};
pub use passes::{NoPolicy, Passes, RowPass, SeatRows, policy_of_rows};
pub use ranges::{
    LeafValues, PassError, Play, PublicTree, RangePolicy, RangeSize, RangeSolver, RangeTree, RangesTooLarge, Route,
    TreeState, game_of_ranges, read_ranges, write_ranges,
};
pub use sequence_form::SequenceForm;
pub use tabular::{IndexedTree, StoredPolicy, TableAgent, TabularPolicy, frequency, policy_of, reach};

#[cfg(feature = "solvers")]
use std::cell::OnceCell;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use stier_core::{Game, choice};
use thiserror::Error;
use web_time::Instant;

use crate::agent::checkpoint::CheckpointError;
use crate::agent::threads::{self, Halted, WatchOf};

choice! {
    /// The algorithm that approximates an equilibrium.
    pub enum Algorithm {
        /// Counterfactual regret minimization; see [`Variant::Cfr`].
        Cfr = "cfr",
        /// CFR+; see [`Variant::CfrPlus`].
        CfrPlus = "cfr+",
        /// Linear CFR; see [`Variant::Linear`].
        LinearCfr = "linear_cfr",
        /// Discounted CFR; see [`Variant::Discounted`].
        DiscountedCfr = "discounted_cfr",
        /// Predictive CFR+; see [`Variant::Predictive`].
        PredictiveCfrPlus = "predictive_cfr+",
        /// Discounted CFR by a schedule; see [`Variant::Scheduled`].
        ScheduledCfr = "scheduled_cfr",
        /// Monte Carlo CFR that draws chance and the others in each traversal; see [`Sampling::External`].
        ExternalSampling = "external_sampling",
        /// Monte Carlo CFR that plays one game in each traversal; see [`Sampling::Outcome`].
        OutcomeSampling = "outcome_sampling",
        /// The linear program of the [sequence form](SequenceForm), which callers solve: exact, in one step.
        SequenceForm = "sequence_form",
    }
}

/// The solver of an algorithm, with its setting.
enum Kind {
    Cfr(Variant),
    #[cfg(feature = "solvers")]
    Sampled(Sampling),
    SequenceForm,
    #[cfg(not(feature = "solvers"))]
    Missing,
}

impl Algorithm {
    /// Returns true if it works on public states; see [`solve_ranges`].
    pub fn has_ranges(self) -> bool {
        matches!(self.kind(), Kind::Cfr(_))
    }

    fn kind(self) -> Kind {
        match self {
            Self::Cfr => Kind::Cfr(Variant::Cfr),
            Self::CfrPlus => Kind::Cfr(Variant::CfrPlus),
            Self::LinearCfr => Kind::Cfr(Variant::Linear),
            Self::DiscountedCfr => Kind::Cfr(Variant::Discounted),
            Self::PredictiveCfrPlus => Kind::Cfr(Variant::Predictive),
            Self::ScheduledCfr => Kind::Cfr(Variant::Scheduled),
            #[cfg(feature = "solvers")]
            Self::ExternalSampling => Kind::Sampled(Sampling::External),
            #[cfg(feature = "solvers")]
            Self::OutcomeSampling => Kind::Sampled(Sampling::Outcome),
            #[cfg(not(feature = "solvers"))]
            Self::ExternalSampling | Self::OutcomeSampling => Kind::Missing,
            Self::SequenceForm => Kind::SequenceForm,
        }
    }
}

/// The settings of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The largest number of iterations, including those of the checkpoint. It is the planned number of
    /// [`Variant::Scheduled`], which goes on from checkpoints with the same number only.
    pub iterations: u64,
    /// The NashConv at which to stop, in the game's utility; 0 for never.
    pub target: f64,
    /// The seed of sampling algorithms; the others do not draw.
    pub seed: u64,
    /// The checkpoint file, for the variants of CFR that do not sample. The run continues from this file if it exists.
    /// It is written every half minute, on interruption and at the end. Without the feature `files` it is never
    /// written.
    pub checkpoint: Option<PathBuf>,
    /// The number of threads; 0 uses all cores. It does not change the results.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { algorithm: Algorithm::CfrPlus, iterations: 1000, target: 0.0, seed: 0, checkpoint: None, threads: 0 }
    }
}

impl Settings {
    fn checkpoint(&self) -> Option<&Path> {
        self.checkpoint.as_deref().filter(|_| cfg!(feature = "files"))
    }
}

/// The progress of a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// The number of finished iterations.
    pub iterations: u64,
    /// The last computed NashConv of the average policy, if any.
    pub nash_conv: Option<f64>,
}

/// The result of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Solved<P = Policy> {
    /// The average policy.
    pub policy: P,
    /// The number of finished iterations.
    pub iterations: u64,
    /// The course of the run.
    pub log: RunLog,
}

/// The reason why there is no solution.
#[derive(Debug, Error)]
pub enum SolveError {
    /// The checkpoint belongs to another calculation or cannot be read.
    #[error("{}: the checkpoint {reason}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// The error.
        reason: CheckpointError,
    },
    /// The checkpoint cannot be written.
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error.
        reason: io::Error,
    },
    /// The algorithm does not support checkpoints.
    #[error("{0} keeps no checkpoints")]
    NoCheckpoint(String),
    /// The algorithm has not been compiled.
    #[error("{0} is not part of this program: it needs the feature 'solvers' of stier-agents")]
    NoSolver(String),
    /// The linear program is not solved here.
    #[error("the engine has no solver of linear programs, and sequence_form needs one")]
    NoProgram,
    /// The algorithm does not work on public states.
    #[error("{0} does not work on public states: only variants of CFR that do not sample do")]
    NoRanges(String),
    /// The game does not have two players, or its returns do not have a constant sum.
    #[error(
        "the sequence form solves games of two players whose returns always add up to the same; {game} has {seats} players \
         and {sums}"
    )]
    NotZeroSum {
        /// The game's name.
        game: String,
        /// The number of players.
        seats: usize,
        /// The sum of their returns.
        sums: String,
    },
    /// Interrupted, or the threads could not be started.
    #[error(transparent)]
    Halted(#[from] Halted),
}

/// The time between checkpoints.
const KEEP: Duration = Duration::from_secs(30);

/// The number of iterations after which NashConv is next measured. With a target, this is a tenth more iterations than
/// last time, at least ten. Without, it is the next power of two: ten times in 1000 iterations, 2 % of the time.
pub fn next_look(iterations: u64, has_target: bool) -> u64 {
    if !has_target {
        return (iterations + 1).next_power_of_two();
    }
    let mut look: u64 = 0;
    while look <= iterations {
        look += (look / 10).max(10);
    }
    look
}

/// Approximates an equilibrium. `watch` is called many times in each iteration, from any thread, and may stop the run;
/// setting the flag stops it too.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::sync::Arc;
///
/// use stier_agents::solve::{GameTree, Settings, nash_conv, solve};
/// use stier_core::FromRules;
/// use stier_core::games::kuhn_poker::{KuhnPoker, Rules};
///
/// let tree = GameTree::new(&KuhnPoker::new(Rules::default())?, 1000)?;
/// let settings = Settings { iterations: 100, ..Settings::default() };
/// let solved = solve(&tree, &settings, &Arc::default(), &|_| ControlFlow::Continue(()))?;
/// assert!(nash_conv(&tree, &solved.policy).exploitability() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve<G: Game>(
    tree: &GameTree<G>,
    settings: &Settings,
    interrupt: &Arc<AtomicBool>,
    watch: WatchOf<'_, Progress>,
) -> Result<Solved, SolveError> {
    let watch = |progress| if interrupt.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { watch(progress) };
    #[cfg(feature = "solvers")]
    if let (Kind::Sampled(sampling), None) = (settings.algorithm.kind(), settings.checkpoint()) {
        let solver = Mccfr::new(tree.game(), sampling, settings.seed);
        let mut solver = MccfrOnTree { solver, tree, keys: OnceCell::new() };
        return threads::install(settings.threads, || {
            let log = run(&mut solver, RunLog::default(), settings, &watch)?;
            Ok(Solved { policy: solver.policy(), iterations: solver.iterations(), log })
        })?;
    }
    threads::install(settings.threads, || solve_tree(tree, settings, &watch))?
}

/// The part of [`solve`] for which the tree is enough.
fn solve_tree(tree: &Tree, settings: &Settings, watch: WatchOf<'_, Progress>) -> Result<Solved, SolveError> {
    match (settings.algorithm.kind(), settings.checkpoint()) {
        (Kind::Cfr(variant), _) => {
            let planned = settings.iterations;
            let load = |path: &Path| Solver::load(tree, variant, planned, path);
            let (solver, log) = resumed(settings, watch, load, || Solver::new(tree, variant, planned))?;
            Ok(Solved { policy: solver.average(), iterations: solver.iterations(), log })
        }
        (_, Some(_)) => Err(SolveError::NoCheckpoint(settings.algorithm.name().to_string())),
        #[cfg(feature = "solvers")]
        (Kind::Sampled(_), None) => unreachable!("sampling asks the game"),
        (Kind::SequenceForm, None) => Err(SolveError::NoProgram),
        #[cfg(not(feature = "solvers"))]
        (Kind::Missing, None) => Err(SolveError::NoSolver(settings.algorithm.name().to_string())),
    }
}

/// Runs a solver, which goes on from its checkpoint if there is one.
fn resumed<S: Iterative>(
    settings: &Settings,
    watch: WatchOf<'_, Progress>,
    load: impl FnOnce(&Path) -> Result<(S, RunLog), CheckpointError>,
    new: impl FnOnce() -> S,
) -> Result<(S, RunLog), SolveError> {
    let unread = |path: &Path, reason| SolveError::Checkpoint { path: path.to_path_buf(), reason };
    let (mut solver, log) = match settings.checkpoint().filter(|path| path.exists()) {
        Some(path) => load(path).map_err(|reason| unread(path, reason))?,
        None => (new(), RunLog::default()),
    };
    let log = run(&mut solver, log, settings, watch)?;
    Ok((solver, log))
}

/// Approximates an equilibrium on public states, by a variant of CFR; see [`solve`].
pub fn solve_ranges(
    tree: &Arc<RangeTree>,
    settings: &Settings,
    interrupt: &Arc<AtomicBool>,
    watch: WatchOf<'_, Progress>,
) -> Result<Solved<RangePolicy>, SolveError> {
    let Kind::Cfr(variant) = settings.algorithm.kind() else {
        return Err(SolveError::NoRanges(settings.algorithm.name().to_string()));
    };
    let planned = settings.iterations;
    let watch = |progress| if interrupt.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { watch(progress) };
    threads::install(settings.threads, || {
        let load = |path: &Path| RangeSolver::load(tree.clone(), variant, planned, path);
        let (solver, log) = resumed(settings, &watch, load, || RangeSolver::new(tree.clone(), variant, planned))?;
        let iterations = solver.iterations();
        Ok(Solved { policy: solver.into_policy(), iterations, log })
    })?
}

/// Monte Carlo sampling with the tree that its policy is asked for.
#[cfg(feature = "solvers")]
struct MccfrOnTree<'a, G: Game> {
    solver: Mccfr<G>,
    tree: &'a GameTree<G>,
    /// The keys of the information sets, once the first policy is asked for.
    keys: OnceCell<Vec<u64>>,
}

#[cfg(feature = "solvers")]
impl<G: Game> MccfrOnTree<'_, G> {
    /// The average policy so far; uniform at information sets that were not met.
    fn policy(&self) -> Policy {
        self.solver.policy_by_keys(self.tree, self.keys.get_or_init(|| mccfr::keys(self.tree)))
    }
}

#[cfg(feature = "solvers")]
impl<G: Game> Iterative for MccfrOnTree<'_, G> {
    fn iterations(&self) -> u64 {
        self.solver.iterations()
    }

    fn run(&mut self, iterations: u64, watch: WatchOf<'_, u64>) -> ControlFlow<()> {
        self.solver.run(iterations, watch)
    }

    fn nash_conv(&mut self) -> f64 {
        best_response::nash_conv(self.tree, &self.policy()).total()
    }

    /// As many iterations as sample a game for each information set: a measurement takes much less time.
    fn first_look(&self) -> u64 {
        self.tree.num_sets() as u64 / (BATCH * self.tree.num_seats() as u64)
    }
}

/// An algorithm that approaches an equilibrium iteration by iteration.
pub trait Iterative {
    /// The number of finished iterations.
    fn iterations(&self) -> u64;

    /// Runs for this many more iterations. `watch` receives the number of finished iterations after each, or more
    /// often, and may stop the run.
    fn run(&mut self, iterations: u64, watch: WatchOf<'_, u64>) -> ControlFlow<()>;

    /// The NashConv of the average policy so far.
    fn nash_conv(&mut self) -> f64;

    /// NashConv is not measured before this many iterations, unless there is a target.
    fn first_look(&self) -> u64 {
        0
    }

    /// Writes a checkpoint file, [completely or not at all](atomic_file), if the algorithm keeps one.
    fn save(&self, _log: &RunLog, _path: &Path) -> io::Result<()> {
        Ok(())
    }
}

fn run(
    solver: &mut dyn Iterative,
    mut log: RunLog,
    settings: &Settings,
    watch: WatchOf<'_, Progress>,
) -> Result<RunLog, SolveError> {
    let keep = |solver: &dyn Iterative, log: &RunLog| match settings.checkpoint() {
        Some(path) => solver.save(log, path).map_err(|reason| SolveError::Write { path: path.to_path_buf(), reason }),
        None => Ok(()),
    };
    let has_target = settings.target > 0.0;
    let mut kept = Instant::now();
    loop {
        let done = solver.iterations();
        if done > 0 && next_look(done - 1, has_target) == done && (has_target || done >= solver.first_look()) {
            if log.looks.last().is_none_or(|look| look.iterations < done) {
                let nash_conv = solver.nash_conv();
                log.looks.push(Look { iterations: done, seconds: log.seconds, nash_conv });
            }
            if has_target && log.looks.last().is_some_and(|look| look.nash_conv <= settings.target) {
                break;
            }
        }
        if done >= settings.iterations {
            break;
        }
        let look = next_look(done, has_target).min(settings.iterations);
        let nash_conv = log.looks.last().map(|look| look.nash_conv);
        let tell = |iterations| watch(Progress { iterations, nash_conv });
        // Measuring and the checkpoints in between are not part of the run's time.
        let mut start = Instant::now();
        while solver.iterations() < look {
            let flow = solver.run(1, &tell);
            if flow.is_break() || kept.elapsed() > KEEP {
                log.seconds += start.elapsed().as_secs_f64();
                keep(solver, &log)?;
                if flow.is_break() {
                    return Err(Halted::Interrupted.into());
                }
                kept = Instant::now();
                start = kept;
            }
        }
        log.seconds += start.elapsed().as_secs_f64();
    }
    keep(solver, &log)?;
    Ok(log)
}

#[cfg(test)]
mod tests {
    use super::next_look;

    #[test]
    fn looks_become_rarer_and_depend_only_on_the_iterations() {
        let mut at = 0;
        let looks: Vec<u64> = std::iter::from_fn(|| {
            at = next_look(at, true);
            Some(at)
        })
        .take(14)
        .collect();
        assert_eq!(looks, [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 121, 133, 146]);
        assert_eq!((next_look(95, true), next_look(120, true), next_look(121, true)), (100, 121, 133));
        assert_eq!([0, 1, 2, 3, 4, 1000].map(|at| next_look(at, false)), [1, 2, 4, 4, 8, 1024]);
    }
}
