//! `stier.Search` and `stier.ActionStats`.

use std::fmt::Write as _;

use pyo3::prelude::*;
use stier_agents::Decision;
use stier_agents::agent::Line as SearchedLine;
use stier_core::Action;

use crate::game::Game;
use crate::state::State;

/// What a search found about one action at the root; see `Search.actions`.
#[pyclass(frozen, get_all, module = "stier")]
#[derive(Clone)]
pub(crate) struct ActionStats {
    /// The action's number.
    action: u8,
    /// The action's name.
    name: String,
    /// How often it was tried: in how many iterations of a tree search, worlds of a PIMC.
    visits: u64,
    /// The mean return of the searching player, whoever that is, in the game's utility and thus between `Game.min_utility` and
    /// `Game.max_utility`; 0 if never tried. From `network` the value of the position, whatever the action.
    value: f64,
    /// In how many iterations it could have been tried; at least `visits`.
    availability: u64,
    /// The probability with which the agent chooses it, or from `network` the one that it gives, also where the best is played; those
    /// of a decision sum to 1.
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

/// A line of play that a search followed: what the players did from the state on, without what chance brought in between.
#[pyclass(frozen, get_all, module = "stier")]
#[derive(Clone)]
pub(crate) struct Line {
    /// Who acted, one after the other.
    players: Vec<u16>,
    /// What they did.
    actions: Vec<u16>,
    /// The names of the actions.
    names: Vec<String>,
    /// How many iterations began like this.
    visits: u64,
    /// Their mean return for the searching player, in the game's utility.
    value: f64,
}

#[pymethods]
impl Line {
    fn __repr__(&self) -> String {
        let steps: Vec<String> =
            self.players.iter().zip(&self.names).map(|(player, name)| format!("{player}:{name}")).collect();
        format!("Line('{}', visits={}, value={})", steps.join(" "), self.visits, self.value)
    }
}

/// What a search saw; made by `Agent.search` and `search_many`. Printed, it is a table.
#[pyclass(frozen, get_all, module = "stier")]
pub(crate) struct Search {
    /// The game that was searched.
    game: Game,
    /// Who searched.
    player: u8,
    /// The action chosen.
    action: u8,
    /// One `ActionStats` per legal action, ascending by action.
    actions: Vec<ActionStats>,
    /// How many determinizations were searched; 0 where only one action was legal. What `reuse=on` keeps from the decision
    /// before is not in it, but in the visits.
    iterations: u64,
    /// How many nodes the trees have, roots included.
    nodes: u64,
    /// How long it took, in seconds of wall time: the only number here that differs from run to run.
    seconds: f64,
    /// With `tree_depth`, the lines of play that were searched, each before those that continue it.
    lines: Vec<Line>,
}

impl Search {
    /// The statistics of a decision; `None` if the agent did not search.
    pub(crate) fn of(decision: Decision, lines: Vec<SearchedLine>, state: &State) -> Option<Self> {
        let search = decision.search?;
        let actions = search.actions.into_iter().map(|stats| ActionStats {
            action: stats.action,
            name: state.inner().event_name(Action(stats.action)),
            visits: stats.visits,
            value: stats.value,
            availability: stats.availability,
            probability: stats.probability,
        });
        let face = state.game().face();
        let lines = lines.into_iter().map(|line| Line {
            players: line.path.iter().map(|(seat, _)| seat.0.into()).collect(),
            actions: line.path.iter().map(|(_, action)| action.0.into()).collect(),
            names: (line.path.iter().enumerate())
                .map(|(depth, &(_, action))| match depth {
                    0 => state.inner().event_name(action),
                    _ => face.action_name(action),
                })
                .collect(),
            visits: line.visits,
            value: line.value,
        });
        Some(Self {
            game: state.game().clone(),
            player: state.inner().turn().seat()?.0,
            lines: lines.collect(),
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

    /// A picture: bars of what was found about each action, and the top of the tree if `tree_depth` was given. SVG that stands
    /// for itself. See `stier.draw.search`.
    fn to_svg<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("stier.draw")?.getattr("search")?.call1((slf,))
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::to_svg(slf)
    }

    fn __repr__(&self) -> String {
        format!("<stier.Search of {} actions, {} iterations>", self.actions.len(), self.iterations)
    }
}
