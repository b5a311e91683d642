//! The results so far: a line for each policy.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stier_benches::files::{self, FileError};

/// One policy in one game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Line {
    /// The game, with options.
    pub(super) game: String,
    /// Its histories.
    pub(super) histories: u64,
    /// Its information sets.
    pub(super) information_sets: u64,
    /// The agent, or the algorithm that solved the game.
    pub(super) policy: String,
    /// The budget of a search per decision, or the iterations of a solver; `None` for agents that do not search.
    pub(super) iterations: Option<u64>,
    /// The expected return of seat 0 if all follow the policy.
    pub(super) value: f64,
    /// The average gain of a player from a best response.
    pub(super) exploitability: f64,
    /// The probability of an attack if all follow the policy and the game has attacks.
    pub(super) attack: Option<f64>,
    /// The seconds it took to find the policy.
    pub(super) seconds: f64,
}

/// All lines, in a file.
#[derive(Debug)]
pub(super) struct Ledger {
    path: PathBuf,
    lines: Vec<Line>,
}

impl Ledger {
    /// Reads the file; empty if it does not exist.
    pub(super) fn read(path: &Path) -> Result<Self, FileError> {
        Ok(Self { path: path.to_path_buf(), lines: files::read_lines(path)? })
    }

    /// Writes all lines to the file.
    pub(super) fn write(&self) -> Result<(), FileError> {
        files::write_lines(&self.path, &self.lines)
    }

    /// The line of a policy with this budget.
    pub(super) fn line(&self, game: &str, policy: &str, iterations: Option<u64>) -> Option<&Line> {
        self.lines.iter().find(|line| line.game == game && line.policy == policy && line.iterations == iterations)
    }

    /// The line of the algorithm that solved a game, for any number of iterations.
    pub(super) fn solution(&self, game: &str, algorithm: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.game == game && line.policy == algorithm)
    }

    /// Adds a line. It replaces the line of the same policy and budget.
    pub(super) fn put(&mut self, line: Line) {
        let same = |other: &Line| {
            (&other.game, &other.policy, other.iterations) == (&line.game, &line.policy, line.iterations)
        };
        self.lines.retain(|other| !same(other));
        self.lines.push(line);
        self.lines.sort_by(|a, b| (&a.game, &a.policy, a.iterations).cmp(&(&b.game, &b.policy, b.iterations)));
    }

    /// Removes the lines of an algorithm in a game.
    pub(super) fn forget(&mut self, game: &str, algorithm: &str) {
        self.lines.retain(|line| line.game != game || line.policy != algorithm);
    }
}

#[cfg(test)]
mod tests {
    use super::{Ledger, Line};

    #[test]
    fn a_ledger_reads_back_what_it_wrote() {
        let path = std::env::temp_dir().join(format!("stier-ladder-{}.csv", std::process::id()));
        let line = |policy: &str, iterations, value| Line {
            game: "schwinget:suits=2,values=2".to_string(),
            histories: 10,
            information_sets: 4,
            policy: policy.to_string(),
            iterations,
            value,
            exploitability: 0.25,
            attack: iterations.map(|_| 0.5),
            seconds: 1.5,
        };
        let mut ledger = Ledger::read(&path).unwrap();
        for new in [line("ismcts:c=0.5,rollout=hints", Some(100), 0.1), line("random", None, 0.2)] {
            ledger.put(new);
        }
        ledger.put(line("random", None, 0.3));
        ledger.put(line("cfr+", Some(70), 0.4));
        ledger.write().unwrap();
        let again = Ledger::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(again.lines, ledger.lines);
        assert_eq!(again.lines.len(), 3);
        let game = "schwinget:suits=2,values=2";
        assert_eq!(again.line(game, "random", None).unwrap().value, 0.3);
        assert_eq!(again.solution(game, "cfr+").unwrap().iterations, Some(70));
        ledger.forget(game, "cfr+");
        assert_eq!(ledger.solution(game, "cfr+"), None);
    }
}
