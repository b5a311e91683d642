//! A match between agents: `cargo run --release --bin pit -- schwinget random greedy ismcts`.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use stier_agents::AgentSpec;
use stier_agents::arena::{PitError, Settings, number_of_games};
use stier_agents::catalogue::SpecError;
use stier_agents::erased::DynEntrant;
use stier_core::RulesError;
use thiserror::Error;

/// Plays agents against each other on paired deals and prints means with 95 % intervals.
#[derive(Parser)]
#[command(name = "pit")]
struct Arguments {
    /// The game, with options: `schwinget` or `schwinget:scoring=schwinger,bouts=4`.
    game: String,
    /// Two agents or more, such as `ismcts:iterations=1000`.
    #[arg(required = true)]
    agents: Vec<String>,
    /// Deals per table. Each is played in every order of the agents and every rotation of the seats.
    #[arg(long, default_value_t = 1000)]
    deals: u64,
    /// The seed of deals and agents.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Deal new cards for every game, as in a tournament.
    #[arg(long)]
    unpaired: bool,
    /// The number of threads; 0 for all cores.
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

#[derive(Debug, Error)]
enum Failure {
    #[error(transparent)]
    Rules(#[from] RulesError),
    #[error(transparent)]
    Agent(#[from] SpecError),
    #[error(transparent)]
    Pit(#[from] PitError),
}

fn main() -> ExitCode {
    stier_benches::exit_code("pit", run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let game = stier_benches::load(&arguments.game)?;
    let specs = arguments.agents.iter().map(|text| text.parse()).collect::<Result<Vec<AgentSpec>, _>>()?;
    let entrants: Vec<DynEntrant> = specs.into_iter().map(DynEntrant::Spec).collect();
    let settings = Settings {
        deals: arguments.deals,
        seed: arguments.seed,
        paired: !arguments.unpaired,
        threads: arguments.threads,
    };
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} games, {eta} left").expect("a template");
    let bar = if entrants.len() < game.info().num_seats {
        ProgressBar::hidden()
    } else {
        let identities: Vec<String> = entrants.iter().map(DynEntrant::identity).collect();
        ProgressBar::new(number_of_games(game.info().num_seats, &identities, settings.deals)).with_style(style)
    };
    let result = game.pit(&entrants, &settings, &Arc::default(), &|| {
        bar.inc(1);
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    print!("{}", result?);
    Ok(())
}
