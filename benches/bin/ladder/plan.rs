//! The games to solve and the agents to query.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use stier_agents::AgentSpec;
use stier_agents::catalogue::SpecError;
use stier_agents::solve::Algorithm;
use stier_benches::files::{self, FileError};
use stier_benches::with_option;
use stier_core::options::OptionType as _;
use thiserror::Error;

/// The games and agents of `benches/ladder.toml`.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Plan {
    /// The algorithm that solves the games.
    pub(super) algorithm: String,
    /// The seed of the agents' decisions.
    pub(super) seed: u64,
    /// Iterations, or worlds, for each decision, ascending.
    pub(super) budgets: Vec<u64>,
    /// Searching agents are queried if information sets times budget are at most this.
    pub(super) most_iterations: u64,
    /// Agents whose iterations count more than once.
    #[serde(default)]
    pub(super) slow: BTreeMap<String, u64>,
    /// The agents, without their budgets.
    pub(super) agents: Vec<String>,
    /// A summary of the figures for the page.
    #[serde(default)]
    pub(super) findings: String,
    /// The games, in the order of the page.
    pub(super) rung: Vec<Rung>,
}

/// One game.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Rung {
    /// The game, with options.
    pub(super) game: String,
    /// A description for the page.
    pub(super) about: String,
    /// The NashConv at which its solution is good enough.
    pub(super) target: f64,
    /// The maximum number of iterations.
    pub(super) iterations: u64,
}

/// An invalid plan.
#[derive(Debug, Error)]
pub(super) enum PlanError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] FileError),
    /// The algorithm is unknown.
    #[error("unknown algorithm '{found}'; algorithms: {known}")]
    Algorithm {
        /// The name in the plan.
        found: String,
        /// The known algorithms.
        known: String,
    },
    /// An agent is unknown.
    #[error(transparent)]
    Agent(#[from] SpecError),
}

impl Plan {
    /// Reads a plan from a file.
    pub(super) fn read(path: &Path) -> Result<Self, PlanError> {
        let plan: Self = files::read_toml(path)?;
        plan.algorithm()?;
        for agent in &plan.agents {
            with_budget(agent, 1)?;
        }
        Ok(plan)
    }

    /// The algorithm that solves the games.
    pub(super) fn algorithm(&self) -> Result<Algorithm, PlanError> {
        Algorithm::parse(&self.algorithm, &())
            .map_err(|known| PlanError::Algorithm { found: self.algorithm.clone(), known })
    }

    /// Returns true if the agent is queried with this budget in a game with this many information sets.
    pub(super) fn is_bearable(&self, agent: &str, budget: u64, sets: u64) -> bool {
        let times = self.slow.get(agent).copied().unwrap_or(1);
        sets.saturating_mul(budget).saturating_mul(times) <= self.most_iterations
    }

    /// The budgets to query an agent with: `None` for one that does not search.
    pub(super) fn budgets_of(&self, agent: &str) -> Result<Vec<Option<u64>>, SpecError> {
        let searches = budget_name(&agent.parse()?).is_some();
        Ok(if searches { self.budgets.iter().copied().map(Some).collect() } else { vec![None] })
    }
}

/// The option for the budget of an agent, if it searches.
fn budget_name(spec: &AgentSpec) -> Option<&'static str> {
    let options = spec.options();
    ["worlds", "iterations"].into_iter().find(|wanted| options.iter().any(|(name, _)| name == wanted))
}

/// The agent with this budget, if it searches.
pub(super) fn with_budget(text: &str, budget: u64) -> Result<AgentSpec, SpecError> {
    let spec: AgentSpec = text.parse()?;
    let Some(name) = budget_name(&spec) else { return Ok(spec) };
    with_option(text, name, budget)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Plan, with_budget};

    #[test]
    fn agents_that_search_are_given_a_budget() {
        assert_eq!(with_budget("ismcts", 5).unwrap().to_string(), "ismcts:iterations=5");
        assert_eq!(with_budget("pimc:solver=rollouts", 5).unwrap().to_string(), "pimc:worlds=5,solver=rollouts");
        assert_eq!(with_budget("greedy", 5).unwrap().to_string(), "greedy");
        assert!(with_budget("ismcts:iterations=1", 5).is_err());
    }

    #[test]
    fn the_plan_of_the_project_can_be_followed() {
        let plan = Plan::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("ladder.toml")).unwrap();
        for rung in &plan.rung {
            stier_benches::load(&rung.game).unwrap();
        }
        assert!(plan.budgets.is_sorted());
        assert_eq!(plan.budgets_of("greedy").unwrap(), [None]);
        assert_eq!(plan.budgets_of("ismcts").unwrap().len(), plan.budgets.len());
        assert!(plan.slow.keys().all(|agent| plan.agents.contains(agent)));
        assert!(plan.is_bearable("ismcts", 100, 1000) && !plan.is_bearable("ismcts", u64::MAX, 1000));
    }
}
