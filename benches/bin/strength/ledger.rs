//! The matches played so far: a few sums per match.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stier_agents::arena::{Estimate, PitResult, Share, ShareSums, win_share};
use stier_benches::files::{self, FileError};
use stier_core::Seat;

/// One agent against copies of another, at equal time.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Match {
    pub(super) game: String,
    pub(super) time_ms: u64,
    pub(super) agent: String,
    pub(super) opponent: String,
}

impl fmt::Display for Match {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} ms: {} against {}", self.game, self.time_ms, self.agent, self.opponent)
    }
}

/// Sums over deals of the agent's mean return per game, its wins and the games with a winner.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Sums {
    pub(super) deals: u64,
    returns: f64,
    returns_squared: f64,
    won: f64,
    decided: f64,
    won_squared: f64,
    won_decided: f64,
    decided_squared: f64,
}

impl Sums {
    /// The sums for the first entrant.
    pub(super) fn of(result: &PitResult) -> Self {
        let mut deals: BTreeMap<u64, (f64, f64, f64, f64)> = BTreeMap::new();
        for played in &result.games {
            let seat = played.agents.iter().position(|&entrant| entrant == 0).expect("the agent sits everywhere");
            let seat = Seat(seat as u8);
            let deal = deals.entry(played.deal).or_default();
            let first = (0..played.returns.len()).filter(|&s| win_share(&played.returns, Seat(s as u8)) == 1.0);
            deal.0 += 1.0;
            deal.1 += played.returns[seat];
            deal.2 += f64::from(win_share(&played.returns, seat) == 1.0);
            deal.3 += first.count() as f64;
        }
        let mut sums = Self { deals: deals.len() as u64, ..Self::default() };
        for (games, returns, won, decided) in deals.into_values() {
            let mean = returns / games;
            sums.returns += mean;
            sums.returns_squared += mean * mean;
            sums.won += won;
            sums.decided += decided;
            sums.won_squared += won * won;
            sums.won_decided += won * decided;
            sums.decided_squared += decided * decided;
        }
        sums
    }

    fn add(&mut self, other: &Self) {
        self.deals += other.deals;
        self.returns += other.returns;
        self.returns_squared += other.returns_squared;
        self.won += other.won;
        self.decided += other.decided;
        self.won_squared += other.won_squared;
        self.won_decided += other.won_decided;
        self.decided_squared += other.decided_squared;
    }

    /// The mean return of the agent per game. The units are deals.
    pub(super) fn mean(&self) -> Estimate {
        let n = self.deals as f64;
        let mean = self.returns / n;
        Estimate::of_squares(mean, self.returns_squared - n * mean * mean, self.deals)
    }

    /// The agent's share of the decided games, those with one winner; `None` if there are none.
    pub(super) fn decided_wins(&self) -> Option<Share> {
        Share::of_sums(&ShareSums {
            units: self.deals,
            part: self.won,
            whole: self.decided,
            part_squared: self.won_squared,
            product: self.won_decided,
            whole_squared: self.decided_squared,
        })
    }

    /// The same for the opponents at a table for two, with returns that sum to `sum`.
    pub(super) fn turned(&self, sum: f64) -> Self {
        let n = self.deals as f64;
        Self {
            deals: self.deals,
            returns: n * sum - self.returns,
            returns_squared: n * sum * sum - 2.0 * sum * self.returns + self.returns_squared,
            won: self.decided - self.won,
            decided: self.decided,
            won_squared: self.decided_squared - 2.0 * self.won_decided + self.won_squared,
            won_decided: self.decided_squared - self.won_decided,
            decided_squared: self.decided_squared,
        }
    }
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    game: String,
    time_ms: u64,
    agent: String,
    opponent: String,
    deals: u64,
    returns: f64,
    returns_squared: f64,
    won: f64,
    decided: f64,
    won_squared: f64,
    won_decided: f64,
    decided_squared: f64,
}

/// The sums of every match, in a file.
#[derive(Debug)]
pub(super) struct Ledger {
    path: PathBuf,
    matches: BTreeMap<Match, Sums>,
}

impl Ledger {
    /// Reads the file; empty if it does not exist.
    pub(super) fn read(path: &Path) -> Result<Self, FileError> {
        let matches = files::read_lines::<Line>(path)?.into_iter().map(|line| {
            let meeting = Match { game: line.game, time_ms: line.time_ms, agent: line.agent, opponent: line.opponent };
            let sums = Sums {
                deals: line.deals,
                returns: line.returns,
                returns_squared: line.returns_squared,
                won: line.won,
                decided: line.decided,
                won_squared: line.won_squared,
                won_decided: line.won_decided,
                decided_squared: line.decided_squared,
            };
            (meeting, sums)
        });
        Ok(Self { path: path.to_path_buf(), matches: matches.collect() })
    }

    /// Writes all matches to the file.
    pub(super) fn write(&self) -> Result<(), FileError> {
        let lines = self.matches.iter().map(|(meeting, sums)| {
            let Match { game, time_ms, agent, opponent } = meeting.clone();
            let Sums { deals, returns, returns_squared, won, decided, won_squared, won_decided, decided_squared } =
                *sums;
            Line {
                game,
                time_ms,
                agent,
                opponent,
                deals,
                returns,
                returns_squared,
                won,
                decided,
                won_squared,
                won_decided,
                decided_squared,
            }
        });
        files::write_lines(&self.path, lines)
    }

    /// The number of deals played in a match.
    pub(super) fn deals(&self, meeting: &Match) -> u64 {
        self.sums(meeting).map_or(0, |sums| sums.deals)
    }

    /// The sums of a match, if it has begun.
    pub(super) fn sums(&self, meeting: &Match) -> Option<&Sums> {
        self.matches.get(meeting)
    }

    /// Adds a piece of a match.
    pub(super) fn add(&mut self, meeting: &Match, piece: &Sums) {
        self.matches.entry(meeting.clone()).or_default().add(piece);
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use stier_agents::AgentSpec;
    use stier_agents::arena::{self, Entrant, PitResult, Settings};
    use stier_core::Game as _;
    use stier_core::games::schwinget::{Rules, Schwinget};

    use super::{Ledger, Match, Sums};

    fn played(agents: [&str; 2], deals: u64, seed: u64) -> PitResult {
        let game = Schwinget::new(Rules::default()).unwrap();
        let specs = agents.map(|text| text.parse::<AgentSpec>().unwrap());
        let entrants = [&specs[0] as &dyn Entrant<_>, &specs[1]];
        arena::pit(&game, &entrants, &Settings { deals, seed, ..Settings::default() }, &|| ControlFlow::Continue(()))
            .unwrap()
    }

    #[test]
    fn sums_give_the_estimates_of_the_arena() {
        let result = played(["greedy", "random"], 400, 1);
        let sums = Sums::of(&result);
        let (mean, expected) = (sums.mean(), result.standing(0).mean);
        assert!((mean.mean - expected.mean).abs() < 1e-9 && (mean.ci95 / expected.ci95 - 1.0).abs() < 1e-6);
        let decided: Vec<f64> = result
            .games
            .iter()
            .filter(|game| game.returns[stier_core::Seat(0)] != 0.0)
            .map(|game| f64::from(game.returns.iter().zip(game.agents.iter()).any(|(&r, &a)| a == 0 && r > 0.0)))
            .collect();
        let wins = sums.decided_wins().unwrap();
        assert!((wins.mean - decided.iter().sum::<f64>() / decided.len() as f64).abs() < 1e-12);
        assert!((0.02..0.12).contains(&(wins.high - wins.low)), "{wins:?}");
        // For the opponent.
        let turned = sums.turned(0.0);
        assert!((turned.mean().mean + mean.mean).abs() < 1e-9 && (turned.mean().ci95 - mean.ci95).abs() < 1e-9);
        let theirs = turned.decided_wins().unwrap();
        assert!((theirs.mean + wins.mean - 1.0).abs() < 1e-12);
        assert!((theirs.low + wins.high - 1.0).abs() < 1e-9 && (theirs.high + wins.low - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_ledger_reads_back_what_it_wrote() {
        let path = std::env::temp_dir().join(format!("stier-ledger-{}.csv", std::process::id()));
        let meeting = Match {
            game: "schwinget:bouts=4,utility=win".to_string(),
            time_ms: 1,
            agent: "ismcts:c=0.5,rollout=hints".to_string(),
            opponent: "random".to_string(),
        };
        let mut ledger = Ledger::read(&path).unwrap();
        for seed in 0..2 {
            ledger.add(&meeting, &Sums::of(&played(["greedy", "random"], 7, seed)));
        }
        ledger.write().unwrap();
        let again = Ledger::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(again.deals(&meeting), 14);
        assert_eq!(again.sums(&meeting), ledger.sums(&meeting));
    }
}
