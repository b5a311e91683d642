//! Counts the information sets of a game, by seat:
//! `cargo run -p stier-core --release --example information_sets -- dark_hex obstruction=abrupt`.

use std::env;
use std::process::ExitCode;
use std::time::Instant;

use stier_core::filter::information_sets;
use stier_core::games::NAMES;
use stier_core::{FromRules, RulesError, Seat, with_game};

fn count<G: FromRules>(rules: &str) -> Result<(), RulesError> {
    let game = G::from_text(rules)?;
    for seat in Seat::all(game.num_seats()) {
        let start = Instant::now();
        let sets = information_sets(&game, seat);
        println!("{} {rules}, {seat:?}: {sets} information sets in {:.1} s", G::NAME, start.elapsed().as_secs_f64());
    }
    Ok(())
}

fn main() -> ExitCode {
    let done = match env::args().nth(1) {
        None => Err("give a game and, if you like, its rules: dark_hex obstruction=abrupt".to_string()),
        Some(name) => {
            let rules = env::args().nth(2).unwrap_or_default();
            match with_game!(name.as_str(), G => count::<G>(&rules)) {
                None => Err(format!("unknown game '{name}'; games: {}", NAMES.join(", "))),
                Some(counted) => counted.map_err(|error| error.to_string()),
            }
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
