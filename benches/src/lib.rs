//! Code shared by the programs in this crate: games, exit codes, files, surveys of games, the information in beliefs.

pub mod files;
pub mod survey;
pub mod tssr;

use std::fmt::Display;
use std::process::ExitCode;
use std::sync::Arc;

use stier_agents::erased::DynGame;
use stier_core::RulesError;

/// Loads a game from text with options, such as `schwinget:scoring=schwinger`.
pub fn load(text: &str) -> Result<Arc<dyn DynGame>, RulesError> {
    let (name, rules) = text.split_once(':').unwrap_or((text, ""));
    stier_games::load(name, rules)
}

/// The exit code of a program. Prints its failure, if any, to standard error.
pub fn exit_code<E: Display>(program: &str, done: Result<(), E>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{program}: {failure}");
            ExitCode::from(2)
        }
    }
}
