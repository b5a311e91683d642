//! Agents: one decision, or several searches of one position.

use serde::Serialize;
use stier_agents::agent::{ActionStats, DecideError};
use stier_agents::arena::Estimate;
use stier_agents::erased::{DynAgent, DynState};
use stier_agents::tell::Move;
use stier_agents::{AgentSpec, Search};
use stier_core::{Action, Rng};

use crate::engine::Problem;
use crate::position::{self, Position};

/// The most mebibytes for the trees of an agent. A page has four gibibytes at most; two agents and a solution fit in.
const MAX_MEMORY: u64 = 1024;

/// An agent as text, such as `ismcts:iterations=1000`.
fn read(text: &str) -> Result<AgentSpec, Problem> {
    const OPTION: &str = "memory_mb=";
    let spec: AgentSpec = text.parse()?;
    // The canonical text has the agents among the options too.
    for after in spec.to_string().split(OPTION).skip(1) {
        let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
        match digits.parse() {
            Ok(given) if given > MAX_MEMORY => return Err(Problem::Memory { most: MAX_MEMORY, given }),
            _ => {}
        }
    }
    Ok(spec)
}

/// Returns true if the agent, or one that it uses, plays by a network. A text that is not an agent does not.
pub(crate) fn has_network(text: &str) -> bool {
    text.parse().is_ok_and(|spec: AgentSpec| spec.has_network())
}

/// An agent for the game of this state.
pub(crate) fn agent(state: &dyn DynState, text: &str) -> Result<Box<dyn DynAgent>, Problem> {
    Ok(state.game().agent(&read(text)?)?)
}

/// An agent that searches from views.
pub(crate) fn searcher(state: &dyn DynState, text: &str) -> Result<Box<dyn DynAgent>, Problem> {
    let spec = read(text)?;
    if spec.facts().is_oracle {
        return Err(Problem::Oracle);
    }
    if spec.facts().is_instant {
        return Err(Problem::NoSearch { agent: text.to_string() });
    }
    Ok(state.game().agent(&spec)?)
}

/// The decision of an agent that begins here, with streams hashed from the seed and the number of events.
pub(crate) fn decide(position: &Position, text: &str, seed: &str) -> Result<Move, Problem> {
    let state = position.state()?;
    let mut agent = agent(&*state, text)?;
    agent.restart(Rng::stream(position::seed(seed)?, "page", state.events().len() as u64).bits());
    Ok(Move::of(&*state, agent.decide(&*state)?.action))
}

/// One action over several searches.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct Bar {
    #[serde(flatten)]
    action: Move,
    /// The mean value for the player to act, in the game's utility; `None` if some search never tried the action.
    value: Option<f64>,
    /// Half the width of its 95 % interval over the searches; `None` for fewer than three.
    ci95: Option<f64>,
    /// The share of the searches that choose this action.
    chosen: f64,
}

/// The results of several searches.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Analysis {
    searches: usize,
    bars: Vec<Bar>,
}

impl Analysis {
    /// The summary of searches of a state: their choices and statistics.
    pub(crate) fn of(state: &dyn DynState, found: &[(Action, Search)]) -> Self {
        let actions = found.first().map_or(&[][..], |(_, search)| &search.actions);
        Self { searches: found.len(), bars: actions.iter().map(|one| bar(state, found, Action(one.action))).collect() }
    }
}

fn bar(state: &dyn DynState, found: &[(Action, Search)], action: Action) -> Bar {
    let of_action =
        |search: &Search| *search.actions.iter().find(|one| one.action == action.0).expect("as in the first");
    let stats: Vec<ActionStats> = found.iter().map(|(_, search)| of_action(search)).collect();
    let values: Vec<f64> = stats.iter().filter(|one| one.visits > 0).map(|one| one.value).collect();
    let estimate = if values.len() == found.len() { Estimate::of(&values) } else { None };
    let count = found.len() as f64;
    Bar {
        action: Move::of(state, action),
        value: estimate.map(|estimate| estimate.mean),
        ci95: estimate.filter(|estimate| estimate.units >= 3).map(|estimate| estimate.ci95),
        chosen: found.iter().filter(|(choice, _)| *choice == action).count() as f64 / count,
    }
}

/// An agent that searches one position again and again.
pub(crate) struct Analyst {
    state: Box<dyn DynState>,
    agent: Box<dyn DynAgent>,
    name: String,
    found: Vec<(Action, Search)>,
}

impl Analyst {
    /// Begins with a position. It sees a state drawn from what the player to act knows.
    pub(crate) fn new(position: &Position, text: &str) -> Result<Self, Problem> {
        let state = position.state()?;
        let seat = DecideError::seat(state.turn())?;
        let agent = searcher(&*state, text)?;
        Ok(Self { state: state.resample(seat, 0), agent, name: text.to_string(), found: Vec::new() })
    }

    /// One more search.
    pub(crate) fn search(&mut self) -> Result<Analysis, Problem> {
        self.agent.restart(Rng::stream(self.found.len() as u64, "analysis", self.state.events().len() as u64).bits());
        let decision = self.agent.decide(&*self.state)?;
        let search = decision.search.ok_or_else(|| Problem::NoSearch { agent: self.name.clone() })?;
        self.found.push((decision.action, search));
        Ok(Analysis::of(&*self.state, &self.found))
    }
}
