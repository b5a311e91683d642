//! Matches of every agent against every other at equal thinking time: `make strength`.
//!
//! The [plan] lists the matches. The [ledger] holds the results in a small table of sums, which is rewritten after
//! every piece. An interrupted run resumes where it stopped. The [page] with the cross-tables is made from the ledger
//! alone.

mod ledger;
mod page;
mod plan;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use stier_agents::AgentSpec;
use stier_agents::arena::{PitError, Settings};
use stier_agents::catalogue::SpecError;
use stier_agents::erased::DynEntrant;
use stier_benches::files::{self, FileError};
use stier_core::{Rng, RulesError};
use thiserror::Error;

use ledger::{Ledger, Match, Sums};
use plan::{Plan, PlanError};

/// Plays the matches of a plan in pieces, least finished first, and writes the cross-tables.
#[derive(Parser)]
#[command(name = "strength")]
struct Arguments {
    /// The plan.
    #[arg(long, default_value = "benches/strength.toml")]
    plan: PathBuf,
    /// The results: the sums of each match.
    #[arg(long, default_value = "benches/strength.csv")]
    ledger: PathBuf,
    /// The cross-tables.
    #[arg(long, default_value = "benches/STRENGTH.md")]
    page: PathBuf,
    /// Stop after this many minutes; the next run resumes.
    #[arg(long)]
    minutes: Option<f64>,
    /// The number of threads; 0 for all cores. Each thread plays its own game.
    #[arg(long, default_value_t = 0)]
    threads: usize,
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
    Pit(#[from] PitError),
}

fn main() -> ExitCode {
    stier_benches::exit_code("strength", run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let plan = Plan::read(&arguments.plan)?;
    let mut ledger = Ledger::read(&arguments.ledger)?;
    let matches = plan.matches()?;
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} deals, {eta} left: {msg}").expect("a template");
    let deals = matches.iter().map(|(_, deals)| deals).sum();
    let bar = ProgressBar::new(deals).with_style(style);
    let end = arguments.minutes.map(|minutes| Instant::now() + Duration::from_secs_f64(60.0 * minutes));
    let done = |ledger: &Ledger, meeting: &Match| ledger.deals(meeting);
    bar.set_position(matches.iter().map(|(meeting, deals)| done(&ledger, meeting).min(*deals)).sum());
    bar.reset_eta();
    while end.is_none_or(|end| Instant::now() < end) {
        let open = matches.iter().filter(|(meeting, deals)| done(&ledger, meeting) < *deals);
        let share = |(meeting, deals): &(Match, u64)| done(&ledger, meeting) as f64 / *deals as f64;
        let Some((meeting, deals)) = open.min_by(|a, b| share(a).total_cmp(&share(b))) else { break };
        let piece = plan.piece.min(deals - done(&ledger, meeting));
        bar.set_message(meeting.to_string());
        let sums = play(meeting, &plan, &ledger, piece, arguments.threads)?;
        ledger.add(meeting, &sums);
        ledger.write()?;
        bar.inc(piece);
    }
    bar.finish_and_clear();
    let text = page::page(&plan, &ledger);
    files::write(&arguments.page, &text)?;
    print!("{text}");
    Ok(())
}

/// Plays a piece of a match: its next deals. The agent plays every seat in turn, against copies of its opponent.
fn play(meeting: &Match, plan: &Plan, ledger: &Ledger, deals: u64, threads: usize) -> Result<Sums, Failure> {
    let game = stier_benches::load(&meeting.game)?;
    let [agent, opponent]: [AgentSpec; 2] =
        [plan::with_time(&meeting.agent, meeting.time_ms)?, plan::with_time(&meeting.opponent, meeting.time_ms)?];
    let mut entrants = vec![DynEntrant::Spec(agent)];
    entrants.resize(game.info().num_seats, DynEntrant::Spec(opponent));
    // Matches of a game share their cards. Later pieces have new cards.
    let seed = Rng::stream(plan.seed, "strength", ledger.deals(meeting)).bits();
    let settings = Settings { deals, seed, paired: true, threads };
    let result = game.pit(&entrants, &settings, &Arc::default(), &|| ControlFlow::Continue(()))?;
    Ok(Sums::of(&result))
}
