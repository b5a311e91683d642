//! The distance of every agent from equilibrium in scaled-down games with exact solutions: `make ladder`.
//!
//! The [plan] lists the work. The [ledger] holds the results and is rewritten after every policy; solvers leave
//! checkpoints. An interrupted run resumes where it stopped. The [page] is made from the ledger alone.

mod ledger;
mod page;
mod plan;

use std::cell::OnceCell;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use stier_agents::agent::threads::Halted;
use stier_agents::catalogue::SpecError;
use stier_agents::erased::{AskError, AskSettings, DynEntrant, DynPolicy, DynTree};
use stier_agents::solve::{BuildError, Progress, Settings, SolveError};
use stier_benches::files::{self, FileError};
use stier_core::RulesError;
use thiserror::Error;

use ledger::{Ledger, Line};
use plan::{Plan, PlanError, Rung};

/// Solves the games of a plan, queries its agents at every information set, and writes the page.
#[derive(Parser)]
#[command(name = "ladder")]
struct Arguments {
    /// The plan.
    #[arg(long, default_value = "benches/ladder.toml")]
    plan: PathBuf,
    /// The results: a line for each policy.
    #[arg(long, default_value = "benches/ladder.csv")]
    ledger: PathBuf,
    /// The page.
    #[arg(long, default_value = "benches/LADDER.md")]
    page: PathBuf,
    /// The folder for the checkpoints of the solvers.
    #[arg(long, default_value = "out/ladder")]
    checkpoints: PathBuf,
    /// Start no new work after this many minutes; the next run resumes.
    #[arg(long)]
    minutes: Option<f64>,
    /// The number of threads; 0 for all cores. It does not change the figures.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Only write the page again.
    #[arg(long)]
    page_only: bool,
}

#[derive(Debug, Error)]
enum Failure {
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Rules(#[from] RulesError),
    #[error(transparent)]
    Agent(#[from] SpecError),
    #[error(transparent)]
    Tree(#[from] BuildError),
    #[error(transparent)]
    Solve(#[from] SolveError),
    #[error(transparent)]
    Ask(#[from] AskError),
    #[error(transparent)]
    Halted(#[from] Halted),
    #[error("cannot make {path}: {reason}")]
    Folder { path: String, reason: std::io::Error },
}

fn main() -> ExitCode {
    stier_benches::exit_code("ladder", run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let plan = Plan::read(&arguments.plan)?;
    let mut ledger = Ledger::read(&arguments.ledger)?;
    let end = arguments.minutes.map(|minutes| Instant::now() + Duration::from_secs_f64(60.0 * minutes));
    let over = || arguments.page_only || end.is_some_and(|end| Instant::now() >= end);
    let folder = &arguments.checkpoints;
    fs::create_dir_all(folder).map_err(|reason| Failure::Folder { path: folder.display().to_string(), reason })?;
    // All games first, then the agents from game to game.
    for rung in &plan.rung {
        if over() || !is_unsolved(rung, &plan, &ledger) {
            continue;
        }
        let found = Climb::new(rung, &plan, arguments).solve()?;
        ledger.forget(&rung.game, &plan.algorithm);
        ledger.put(found);
        ledger.write()?;
    }
    for rung in &plan.rung {
        let climb = Climb::new(rung, &plan, arguments);
        for agent in &plan.agents {
            while !over() {
                let Some(budget) = next_budget(agent, rung, &plan, &ledger)? else { break };
                ledger.put(climb.ask(agent, budget)?);
                ledger.write()?;
            }
        }
    }
    let text = page::page(&plan, &ledger)?;
    files::write(&arguments.page, &text)?;
    print!("{text}");
    Ok(())
}

/// Returns true if the solution is not yet as good as the plan wants and iterations are left.
fn is_unsolved(rung: &Rung, plan: &Plan, ledger: &Ledger) -> bool {
    // NashConv is both players' gain.
    let done = |line: &Line| 2.0 * line.exploitability <= rung.target || line.iterations >= Some(rung.iterations);
    !ledger.solution(&rung.game, &plan.algorithm).is_some_and(done)
}

/// The next budget to query the agent with, if any. The inner `None` stands for an agent that does not search.
fn next_budget(agent: &str, rung: &Rung, plan: &Plan, ledger: &Ledger) -> Result<Option<Option<u64>>, SpecError> {
    let Some(sets) = ledger.solution(&rung.game, &plan.algorithm).map(|line| line.information_sets) else {
        return Ok(None);
    };
    let bearable = |budget: &Option<u64>| budget.is_none_or(|budget| plan.is_bearable(agent, budget, sets));
    let open = |budget: &Option<u64>| ledger.line(&rung.game, agent, *budget).is_none();
    Ok(plan.budgets_of(agent)?.into_iter().find(|budget| open(budget) && bearable(budget)))
}

/// The work on one game. Its tree is built when it is needed.
struct Climb<'a> {
    rung: &'a Rung,
    plan: &'a Plan,
    arguments: &'a Arguments,
    tree: OnceCell<Arc<dyn DynTree>>,
}

impl<'a> Climb<'a> {
    fn new(rung: &'a Rung, plan: &'a Plan, arguments: &'a Arguments) -> Self {
        Self { rung, plan, arguments, tree: OnceCell::new() }
    }

    fn tree(&self) -> Result<&Arc<dyn DynTree>, Failure> {
        if let Some(tree) = self.tree.get() {
            return Ok(tree);
        }
        let bar = ProgressBar::new_spinner().with_message(format!("{}: histories", self.rung.game));
        let watch = |histories: usize| {
            bar.set_position(histories as u64);
            ControlFlow::Continue(())
        };
        let tree = stier_benches::load(&self.rung.game)?.enumerate(usize::MAX, self.arguments.threads, &watch)?;
        bar.finish_and_clear();
        Ok(self.tree.get_or_init(|| tree))
    }

    /// Solves the game, from its checkpoint if there is one.
    fn solve(&self) -> Result<Line, Failure> {
        let Rung { game, target, iterations, .. } = self.rung;
        let tree = self.tree()?;
        let name: String = game.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let settings = Settings {
            algorithm: self.plan.algorithm()?,
            iterations: *iterations,
            target: *target,
            seed: self.plan.seed,
            checkpoint: Some(self.arguments.checkpoints.join(format!("{name}.checkpoint"))),
            threads: self.arguments.threads,
        };
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len} iterations: {msg}").expect("a template");
        let bar = ProgressBar::new(*iterations).with_style(style).with_message(game.clone());
        let first = AtomicU64::new(u64::MAX);
        let watch = |Progress { iterations, nash_conv }: Progress| {
            first.fetch_min(iterations, Ordering::Relaxed);
            bar.set_position(iterations);
            if let Some(found) = nash_conv {
                bar.set_message(format!("{game}, NashConv {found:.2e}"));
            }
            ControlFlow::Continue(())
        };
        let start = Instant::now();
        let (policy, iterations) = tree.solve(&settings, &Arc::default(), &watch)?;
        bar.finish_and_clear();
        // For a run resumed from a checkpoint, the time is extrapolated to all of its iterations.
        let here = iterations.saturating_sub(first.into_inner()).max(1);
        let seconds = start.elapsed().as_secs_f64() * iterations as f64 / here as f64;
        self.line(&self.plan.algorithm, Some(iterations), &*policy, seconds)
    }

    /// Queries an agent at every information set.
    fn ask(&self, agent: &str, budget: Option<u64>) -> Result<Line, Failure> {
        let tree = self.tree()?;
        let spec = plan::with_budget(agent, budget.unwrap_or(1))?;
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len} information sets, {eta} left: {msg}");
        let bar = ProgressBar::new(tree.information_sets() as u64).with_style(style.expect("a template"));
        let bar = bar.with_message(format!("{}: {spec}", self.rung.game));
        let watch = || {
            bar.inc(1);
            ControlFlow::Continue(())
        };
        let settings = AskSettings { seed: self.plan.seed, threads: self.arguments.threads };
        let start = Instant::now();
        let policy = tree.policy_of(&DynEntrant::Spec(spec), &settings, &Arc::default(), &watch)?;
        let seconds = start.elapsed().as_secs_f64();
        bar.finish_and_clear();
        self.line(agent, budget, &*policy, seconds)
    }

    fn line(&self, name: &str, iterations: Option<u64>, policy: &dyn DynPolicy, seconds: f64) -> Result<Line, Failure> {
        let tree = self.tree()?;
        let found = policy.nash_conv(self.arguments.threads)?;
        let attack = tree.game().parse_action("attack").ok();
        Ok(Line {
            game: self.rung.game.clone(),
            histories: tree.histories() as u64,
            information_sets: tree.information_sets() as u64,
            policy: name.to_string(),
            iterations,
            value: found.values.as_slice()[0],
            exploitability: found.exploitability(),
            attack: attack.map(|action| policy.frequency(action)),
            seconds,
        })
    }
}
