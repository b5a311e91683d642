//! Figures about the games as the tables of benches/GAMES.md: `cargo run --release --bin survey`.

use std::process::ExitCode;

use clap::Parser;
use stier_agents::arena::Estimate;
use stier_benches::survey::survey;
use stier_core::{FromRules, Game, Options as _, for_each_game};

/// Plays random games of every game with every number of players and prints a Markdown table.
#[derive(Parser)]
#[command(name = "survey")]
struct Arguments {
    /// Games per line.
    #[arg(long, default_value_t = 10_000)]
    games: u64,
    /// The seed of the games.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    println!(
        "| game | players | decisions (max) | forced | actions if not forced (max) | random events | worlds: median (max) \
         | mean return by seat | wins by seat, % |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    macro_rules! lines {
        ($name:ident, $game:ty) => {
            every_player_count::<$game>(&arguments);
        };
    }
    for_each_game!(lines);
    ExitCode::SUCCESS
}

/// Returns one line for each number of players that the rules allow.
fn every_player_count<G: FromRules>(arguments: &Arguments) {
    let mut lines = Vec::new();
    for players in 2..=stier_core::seats::MAX_SEATS {
        let mut rules = G::Rules::default();
        // A game without the option has one line.
        let _ = rules.set("players", &players.to_string());
        if let Ok(game) = G::new(rules)
            && game.num_seats() == players
        {
            lines.push(line(&game, arguments));
        }
    }
    lines.iter().for_each(|line| println!("{line}"));
}

fn line<G: Game>(game: &G, arguments: &Arguments) -> String {
    let found = survey(game, arguments.games, arguments.seed);
    let by_seat = |estimates: &[Estimate], scale: f64, digits: usize| {
        let widest = estimates.iter().map(|estimate| Estimate { ci95: scale * estimate.ci95, ..*estimate });
        let widest = widest.max_by(|a, b| a.ci95.total_cmp(&b.ci95)).expect("a seat");
        let means: Vec<String> =
            estimates.iter().map(|estimate| format!("{:.digits$}", scale * estimate.mean)).collect();
        format!("{}{}", means.join(" / "), widest.plus_minus(digits))
    };
    format!(
        "| `{}` | {} | {:.1} ({}) | {:.0} % | {:.2} ({}) | {:.1} | {} ({}) | {} | {} |",
        game.name(),
        game.num_seats(),
        found.decisions.mean,
        found.most_decisions,
        100.0 * found.forced,
        found.branching,
        found.most_actions,
        found.chance_events,
        count(found.median_worlds),
        count(found.most_worlds),
        by_seat(&found.returns, 1.0, 2),
        by_seat(&found.wins, 100.0, 1)
    )
}

/// Formats a count: digits if it is small, a power of ten otherwise.
fn count(number: u128) -> String {
    if number < 1_000_000 { number.to_string() } else { format!("{:.1e}", number as f64) }
}
