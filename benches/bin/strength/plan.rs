//! The matches to play.

use std::path::Path;

use serde::Deserialize;
use stier_agents::AgentSpec;
use stier_agents::catalogue::SpecError;
use stier_benches::files::{self, FileError};
use stier_benches::with_option;
use thiserror::Error;

use super::ledger::Match;

/// The tables of `benches/strength.toml`.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Plan {
    /// The seed of deals and agents.
    pub(super) seed: u64,
    /// The number of deals after which the ledger is written and the next match is chosen.
    pub(super) piece: u64,
    /// Cross-tables, in the order of the page.
    pub(super) table: Vec<Table>,
}

/// One cross-table: every agent against every other, two different agents at a time.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    /// The game, with options: `schwinget:scoring=schwinger`.
    pub(super) game: String,
    /// The thinking time per decision, in milliseconds.
    pub(super) time_ms: u64,
    /// The number of paired deals per match.
    pub(super) deals: u64,
    /// The agents, without their thinking time.
    pub(super) agents: Vec<String>,
    /// The only opponent, if given.
    pub(super) against: Option<String>,
}

/// An invalid plan.
#[derive(Debug, Error)]
pub(super) enum PlanError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] FileError),
    /// An agent is unknown.
    #[error(transparent)]
    Agent(#[from] SpecError),
}

impl Plan {
    /// Reads a plan from a file.
    pub(super) fn read(path: &Path) -> Result<Self, PlanError> {
        Ok(files::read_toml(path)?)
    }

    /// Every match with its deals, in the order of the tables and without duplicates.
    pub(super) fn matches(&self) -> Result<Vec<(Match, u64)>, PlanError> {
        let mut all: Vec<(Match, u64)> = Vec::new();
        for table in &self.table {
            for (agent, opponent) in table.pairs() {
                for text in [agent, opponent] {
                    with_time(text, table.time_ms)?;
                }
                let meeting = Match {
                    game: table.game.clone(),
                    time_ms: table.time_ms,
                    agent: agent.to_string(),
                    opponent: opponent.to_string(),
                };
                if all.iter().all(|(other, _)| *other != meeting) {
                    all.push((meeting, table.deals));
                }
            }
        }
        Ok(all)
    }
}

impl Table {
    /// The pairs of agents: each once, the earlier agent first.
    pub(super) fn pairs(&self) -> Vec<(&str, &str)> {
        match &self.against {
            Some(opponent) => {
                self.agents.iter().filter(|agent| *agent != opponent).map(|agent| (&**agent, &**opponent)).collect()
            }
            None => (0..self.agents.len())
                .flat_map(|i| (i + 1..self.agents.len()).map(move |j| (i, j)))
                .map(|(i, j)| (&*self.agents[i], &*self.agents[j]))
                .collect(),
        }
    }
}

/// The agent with this thinking time, if it thinks.
pub(super) fn with_time(text: &str, time_ms: u64) -> Result<AgentSpec, SpecError> {
    let spec: AgentSpec = text.parse()?;
    if !spec.options().iter().any(|(name, _)| *name == "time_ms") {
        return Ok(spec);
    }
    with_option(text, "time_ms", time_ms)
}

#[cfg(test)]
mod tests {
    use super::{Plan, with_time};

    #[test]
    fn agents_that_think_are_given_time() {
        assert_eq!(with_time("ismcts", 5).unwrap().to_string(), "ismcts:time_ms=5");
        assert_eq!(with_time("ismcts:c=0.5", 5).unwrap().to_string(), "ismcts:time_ms=5,c=0.5");
        assert_eq!(with_time("greedy", 5).unwrap().to_string(), "greedy");
        assert!(with_time("ismcts:time_ms=1", 5).is_err());
    }

    #[test]
    fn every_pair_meets_once() {
        let plan: Plan = toml::from_str(
            "seed = 1\npiece = 10\n\
             [[table]]\ngame = 'schwinget'\ntime_ms = 1\ndeals = 20\nagents = ['random', 'greedy', 'ismcts']\n\
             [[table]]\ngame = 'schwinget'\ntime_ms = 1\ndeals = 20\nagents = ['random', 'greedy']\nagainst = 'greedy'\n",
        )
        .unwrap();
        let names: Vec<_> = plan.matches().unwrap().into_iter().map(|(meeting, _)| meeting.to_string()).collect();
        assert_eq!(
            names,
            [
                "schwinget, 1 ms: random against greedy",
                "schwinget, 1 ms: random against ismcts",
                "schwinget, 1 ms: greedy against ismcts"
            ]
        );
    }
}
