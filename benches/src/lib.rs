//! Code shared by the programs in this crate: games, facts about the machine, exit codes, files, surveys of games, the information
//! in beliefs.

pub mod files;
pub mod survey;
pub mod tssr;

use std::fmt::Display;
use std::fs;
use std::process::{Command, ExitCode};
use std::sync::Arc;

use stier_agents::erased::DynGame;
use stier_core::RulesError;

/// Loads a game from text with options, such as `schwinget:scoring=schwinger`.
pub fn load(text: &str) -> Result<Arc<dyn DynGame>, RulesError> {
    let (name, rules) = text.split_once(':').unwrap_or((text, ""));
    stier_games::load(name, rules)
}

/// The machine, compiler and commit as a Markdown list.
pub fn circumstances() -> String {
    let output = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?.trim().to_string();
        (output.status.success() && !text.is_empty()).then_some(text)
    };
    let unknown = || "unknown".to_string();
    let cpu = fs::read_to_string("/proc/cpuinfo").ok().and_then(|info| {
        let field = |name: &str| {
            info.lines()
                .find(|line| line.starts_with(name))
                .and_then(|line| Some(line.split_once(':')?.1.trim().to_string()))
        };
        Some(format!("{} (family {}, model {})", field("model name")?, field("cpu family")?, field("model")?))
    });
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let commit = output("git", &["rev-parse", "--short", "HEAD"]).unwrap_or_else(unknown);
    let dirty = output("git", &["status", "--porcelain", "--untracked-files=no"]).map_or("", |_| " with changes");
    format!(
        "- machine: {}, {cores} cores, shared\n- compiler: {}\n- stier: {}, commit {commit}{dirty}\n",
        cpu.unwrap_or_else(unknown),
        output("rustc", &["--version"]).unwrap_or_else(unknown),
        env!("CARGO_PKG_VERSION")
    )
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
