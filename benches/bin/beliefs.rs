//! The information in the play of other players, as a table: `cargo run --release --bin beliefs`.

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use stier_agents::AgentSpec;
use stier_agents::belief::policy_model::{GreedyModel, PolicyModel, RolloutModel};
use stier_agents::belief::{BeliefSettings, Beliefs};
use stier_benches::tssr::tssr;
use stier_core::{Hints, for_each_default_game};

/// Plays every game with each of the players in all seats and prints the true state sampling ratio of policy inference
/// under each model as a Markdown table. A ratio of 1 is as good as chance.
#[derive(Parser)]
#[command(name = "beliefs")]
struct Arguments {
    /// The agents to play.
    #[arg(default_values_t = ["greedy".to_string(), "ismcts:iterations=300".to_string(), "random".to_string()])]
    players: Vec<String>,
    /// Deals per figure.
    #[arg(long, default_value_t = 100)]
    deals: u64,
    /// Histories to compare with the true one.
    #[arg(long, default_value_t = 200)]
    particles: u64,
    /// The share of decisions that the models consider random.
    #[arg(long, default_value_t = 0.1)]
    epsilon: f64,
    /// The temperature: the divisor of the models' scores.
    #[arg(long, default_value_t = 0.1)]
    temperature: f64,
    /// The seed of deals and players.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut specs: Vec<AgentSpec> = Vec::new();
    for text in &arguments.players {
        match text.parse() {
            Ok(spec) => specs.push(spec),
            Err(error) => {
                eprintln!("beliefs: {error}");
                return ExitCode::from(2);
            }
        }
    }
    println!("| game | players | model=rollout | model=greedy | seconds |");
    println!("| --- | --- | --- | --- | --- |");
    macro_rules! lines {
        ($name:ident, $game:expr) => {
            let game = $game;
            // A network fits only one game.
            let playing = specs.iter().filter(|spec| spec.check(&game).is_ok());
            playing.for_each(|spec| line(&game, spec, &arguments));
        };
    }
    for_each_default_game!(lines);
    ExitCode::SUCCESS
}

fn line<G: Hints>(game: &G, player: &AgentSpec, arguments: &Arguments) {
    let settings = BeliefSettings {
        beliefs: Beliefs::Policy,
        model_epsilon: arguments.epsilon,
        model_temperature: arguments.temperature,
        particles: arguments.particles,
        ..BeliefSettings::default()
    };
    let figure = |model: &dyn PolicyModel<G>| {
        tssr(game, player, &settings, model, arguments.deals, arguments.seed)
            .map_or_else(|| "-".to_string(), |found| format!("{:.3}{}", found.mean, found.plus_minus(3)))
    };
    let start = Instant::now();
    let (rollout, greedy) = (figure(&RolloutModel), figure(&GreedyModel));
    println!("| `{}` | `{player}` | {rollout} | {greedy} | {:.1} |", game.name(), start.elapsed().as_secs_f64());
}
