//! `stier.Search` and `stier.ActionStats`.

use std::fmt::Write as _;

use pyo3::prelude::*;
use stier_agents::Decision;
use stier_core::Action;

use crate::state::State;

/// What a search found about one action at the root.
#[pyclass(frozen, get_all, module = "stier")]
#[derive(Clone)]
pub(crate) struct ActionStats {
    /// The action's number.
    action: u8,
    /// The action's name.
    name: String,
    /// How often it was tried.
    visits: u64,
    /// The mean return of the searching player, in the game's utility; 0 if never tried.
    value: f64,
    /// In how many iterations it could have been tried.
    availability: u64,
    /// The probability with which the agent chooses it.
    probability: f64,
}

#[pymethods]
impl ActionStats {
    fn __repr__(&self) -> String {
        format!(
            "ActionStats(action={}, name='{}', visits={}, value={}, availability={}, probability={})",
            self.action, self.name, self.visits, self.value, self.availability, self.probability
        )
    }
}

/// What a search saw; made by `Agent.search`.
#[pyclass(frozen, get_all, module = "stier")]
pub(crate) struct Search {
    /// The action chosen.
    action: u8,
    /// One `ActionStats` per legal action, ascending by action.
    actions: Vec<ActionStats>,
    /// How many determinizations were searched; 0 where only one action was legal.
    iterations: u64,
    /// How many nodes the trees have, roots included.
    nodes: u64,
    /// How long it took.
    seconds: f64,
}

impl Search {
    /// The statistics of a decision; `None` if the agent did not search.
    pub(crate) fn of(decision: Decision, state: &State) -> Option<Self> {
        let search = decision.search?;
        let actions = search.actions.into_iter().map(|stats| ActionStats {
            action: stats.action,
            name: state.inner().event_name(Action(stats.action)),
            visits: stats.visits,
            value: stats.value,
            availability: stats.availability,
            probability: stats.probability,
        });
        Some(Self {
            action: decision.action.0,
            actions: actions.collect(),
            iterations: search.iterations,
            nodes: search.nodes,
            seconds: search.seconds,
        })
    }
}

#[pymethods]
impl Search {
    /// A table, the action most visited first.
    fn __str__(&self) -> String {
        let width = self.actions.iter().map(|stats| stats.name.len()).max().unwrap_or(0).max(6);
        let mut sorted: Vec<_> = self.actions.iter().collect();
        sorted.sort_by_key(|stats| std::cmp::Reverse(stats.visits));
        let mut out = format!("{} iterations, {} nodes, {:.3} s\n", self.iterations, self.nodes, self.seconds);
        let _ = write!(out, "{:<width$}  {:>10}  {:>8}  {:>11}", "action", "visits", "value", "probability");
        for stats in sorted {
            let _ = write!(
                out,
                "\n{:<width$}  {:>10}  {:>+8.3}  {:>11.3}",
                stats.name, stats.visits, stats.value, stats.probability
            );
        }
        out
    }

    fn __repr__(&self) -> String {
        format!("<stier.Search of {} actions, {} iterations>", self.actions.len(), self.iterations)
    }
}
