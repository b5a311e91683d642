//! Agents: one decision, or several searches of one position.

use std::num::NonZero;

use serde::Serialize;
use stier_agents::agent::{ActionStats, DecideError};
use stier_agents::arena::Estimate;
use stier_agents::arena::judgement::{self, Judgement};
use stier_agents::belief::Marginals;
use stier_agents::erased::{DynAgent, DynState};
use stier_agents::tell::Move;
use stier_agents::{AgentSpec, Search};
use stier_core::{Action, Rng, Seat};

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
#[cfg_attr(test, derive(ts_rs::TS))]
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
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Analysis {
    searches: usize,
    bars: Vec<Bar>,
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

/// An agent that searches one position again and again: the searches of `stier.replay`.
pub(crate) struct Analyst {
    /// A state drawn from what the player to act knows.
    state: Box<dyn DynState>,
    seat: Seat,
    agent: Box<dyn DynAgent>,
    name: String,
    found: Vec<(Action, Search)>,
}

impl Analyst {
    /// Begins with a state. The agent sees no more than the player to act.
    pub(crate) fn new(state: &dyn DynState, text: &str) -> Result<Self, Problem> {
        let seat = DecideError::seat(state.turn())?;
        let agent = searcher(state, text)?;
        Ok(Self { state: state.resample(seat, 0), seat, agent, name: text.to_string(), found: Vec::new() })
    }

    /// The state as the agent sees it.
    pub(crate) fn view(&self) -> &dyn DynState {
        &*self.state
    }

    /// The beliefs of the agent about the cards.
    pub(crate) fn beliefs(&mut self) -> Result<Marginals, Problem> {
        self.agent.restart(0);
        Ok(self.agent.beliefs(&*self.state, self.seat)?)
    }

    /// One more search.
    pub(crate) fn search(&mut self) -> Result<Analysis, Problem> {
        self.agent.restart(judgement::seed(self.found.len(), self.state.events().len()));
        let decision = self.agent.decide(&*self.state)?;
        let search = decision.search.ok_or_else(|| Problem::NoSearch { agent: self.name.clone() })?;
        self.found.push((decision.action, search));
        Ok(self.analysis())
    }

    fn analysis(&self) -> Analysis {
        let actions = self.found.first().map_or(&[][..], |(_, search)| &search.actions);
        let bars = actions.iter().map(|one| bar(&*self.state, &self.found, Action(one.action)));
        Analysis { searches: self.found.len(), bars: bars.collect() }
    }

    /// Judges a choice by this number of searches, or by none where there is no other.
    pub(crate) fn judge(mut self, action: Action, searches: NonZero<usize>) -> Result<Judged, Problem> {
        self.state.resample(self.seat, 0).apply(action)?;
        self.search_for(searches)?;
        let judgement = self.judgement(action);
        Ok(self.judged(action, judgement.best, &judgement))
    }

    /// Judges the second best choice: the one with the highest value after the best. Without another choice it is the best.
    /// If as many searches choose it, its cost is 0.
    pub(crate) fn hint(mut self, searches: NonZero<usize>) -> Result<Judged, Problem> {
        let [first, ..] = self.state.possible()[..] else { return Err(Problem::NoChoice(self.state.events().len())) };
        self.search_for(searches)?;
        let best = self.judgement(first).best;
        let bars = self.analysis().bars;
        let others = bars.iter().filter(|bar| bar.action.id != best.0);
        let worth = |bar: &&Bar| bar.value.unwrap_or(f64::NEG_INFINITY);
        let next =
            others.max_by(|one, other| worth(one).total_cmp(&worth(other))).map_or(best, |bar| Action(bar.action.id));
        let mut judgement = self.judgement(next);
        if judgement.best == next {
            (judgement.cost, judgement.ci95) = (Some(0.0), Some(0.0));
        }
        Ok(self.judged(next, best, &judgement))
    }

    /// Searches, where there is a choice.
    fn search_for(&mut self, searches: NonZero<usize>) -> Result<(), Problem> {
        if self.state.possible().len() > 1 {
            for _ in 0..searches.get() {
                self.search()?;
            }
        }
        Ok(())
    }

    fn judgement(&self, action: Action) -> Judgement {
        let statistics: Vec<(Action, &[ActionStats])> =
            self.found.iter().map(|(choice, search)| (*choice, &search.actions[..])).collect();
        Judgement::of(&statistics, action)
    }

    fn judged(&self, action: Action, best: Action, judgement: &Judgement) -> Judged {
        let (cost, ci95) = (judgement.cost, judgement.ci95);
        let [action, best] = [action, best].map(|action| Move::of(&*self.state, action));
        Judged { action, best, cost, ci95, analysis: self.analysis() }
    }
}

/// The judgement of a choice.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Judged {
    action: Move,
    /// The action that most of the searches choose.
    best: Move,
    /// The loss of the choice against the agent's own choice; `None` if it is not known.
    cost: Option<f64>,
    ci95: Option<f64>,
    /// Without bars where there is no other choice.
    analysis: Analysis,
}
