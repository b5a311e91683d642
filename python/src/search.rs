//! `stier.Search` and `stier.ActionStats`.

use std::fmt::Write as _;

use pyo3::prelude::*;
use pyo3::types::PyType;
use stier_agents::Decision;
use stier_agents::agent::{ActionStats as Statistics, Line as SearchedLine};
use stier_core::Action;

use crate::game::Game;
use crate::state::State;

/// The arguments that make an `ActionStats` again.
type ActionParts = (u8, String, u64, f64, u64, f64);

/// The arguments that make a `Line` again.
type LineParts = (Vec<u16>, Vec<u16>, Vec<String>, u64, f64);

/// The statistics of a search for one action at the root; see `Search.actions`.
#[pyclass(frozen, eq, get_all, module = "stier.playing", from_py_object)]
#[derive(Clone)]
pub(crate) struct ActionStats {
    /// The number of the action.
    action: u8,
    /// The name of the action.
    name: String,
    /// The number of iterations of a tree search, or worlds of PIMC, that tried the action.
    visits: u64,
    /// The mean return of the searching player, in the units of the game: between `Game.min_utility` and
    /// `Game.max_utility`. 0 if never tried. For `network`, the value of the position, the same for every action.
    value: f64,
    /// The number of iterations in which the action was available: at least `visits`.
    availability: u64,
    /// The probability of the action under the policy of the agent. For `network`, the probability from the network,
    /// even if the agent plays the best action. The probabilities of a decision sum to 1.
    probability: f64,
}

/// Returns true if both are the same number or both none.
fn same(one: f64, other: f64) -> bool {
    one == other || one.is_nan() && other.is_nan()
}

impl PartialEq for ActionStats {
    fn eq(&self, other: &Self) -> bool {
        let Self { action, name, visits, value, availability, probability } = self;
        (action, name, visits, availability) == (&other.action, &other.name, &other.visits, &other.availability)
            && same(*value, other.value)
            && same(*probability, other.probability)
    }
}

#[pymethods]
impl ActionStats {
    #[new]
    fn new(action: u8, name: String, visits: u64, value: f64, availability: u64, probability: f64) -> Self {
        Self { action, name, visits, value, availability, probability }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, ActionParts) {
        let Self { action, name, visits, value, availability, probability } = slf.get().clone();
        (slf.get_type(), (action, name, visits, value, availability, probability))
    }

    fn __repr__(&self) -> String {
        format!(
            "ActionStats(action={}, name='{}', visits={}, value={}, availability={}, probability={})",
            self.action, self.name, self.visits, self.value, self.availability, self.probability
        )
    }
}

/// A line of play that a search followed: the actions of the players from the state on, without the chance outcomes in
/// between.
#[pyclass(frozen, eq, get_all, module = "stier.playing", from_py_object)]
#[derive(Clone)]
pub(crate) struct Line {
    /// The players who acted, in order.
    players: Vec<u16>,
    /// Their actions.
    actions: Vec<u16>,
    /// The names of the actions.
    names: Vec<String>,
    /// The number of iterations that began with this line.
    visits: u64,
    /// The mean return of these iterations for the searching player.
    value: f64,
}

impl PartialEq for Line {
    fn eq(&self, other: &Self) -> bool {
        let Self { players, actions, names, visits, value } = self;
        (players, actions, names, visits) == (&other.players, &other.actions, &other.names, &other.visits)
            && same(*value, other.value)
    }
}

#[pymethods]
impl Line {
    #[new]
    fn new(players: Vec<u16>, actions: Vec<u16>, names: Vec<String>, visits: u64, value: f64) -> Self {
        Self { players, actions, names, visits, value }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, LineParts) {
        let Self { players, actions, names, visits, value } = slf.get().clone();
        (slf.get_type(), (players, actions, names, visits, value))
    }

    fn __repr__(&self) -> String {
        let steps: Vec<String> =
            self.players.iter().zip(&self.names).map(|(player, name)| format!("{player}:{name}")).collect();
        format!("Line('{}', visits={}, value={})", steps.join(" "), self.visits, self.value)
    }
}

/// The result of a search; made by `Agent.search` and `search_many`. Printed, it is a table.
///
/// Two are equal if everything but the duration is equal.
#[pyclass(frozen, get_all, module = "stier")]
pub(crate) struct Search {
    /// The game that was searched.
    game: Game,
    /// The player who searched.
    player: u8,
    /// The action chosen.
    action: u8,
    /// One `ActionStats` per legal action, ascending by action.
    actions: Vec<ActionStats>,
    /// The number of determinizations searched: 0 if only one action was legal. Iterations kept from an earlier
    /// decision by `reuse=on` count as visits, but not here.
    iterations: u64,
    /// The number of nodes of the trees, including the roots.
    nodes: u64,
    /// The duration in seconds of wall time: the only number here that differs between runs.
    seconds: f64,
    /// The lines of play that were recorded with `tree_depth`. Each comes before its continuations.
    lines: Vec<Line>,
}

impl Search {
    /// The choice, and the statistics at the root.
    pub(crate) fn choice(&self) -> (Action, Vec<Statistics>) {
        let statistics = |one: &ActionStats| Statistics {
            action: one.action,
            visits: one.visits,
            value: one.value,
            availability: one.availability,
            probability: one.probability,
        };
        (Action(self.action), self.actions.iter().map(statistics).collect())
    }

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

/// The content of a pickle of a search: its fields in order.
type Parts = (Game, u8, u8, Vec<ActionStats>, u64, u64, f64, Vec<Line>);

#[pymethods]
impl Search {
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| {
            let other = other.get();
            let numbers = |search: &Self| (search.player, search.action, search.iterations, search.nodes);
            self.game.is(&other.game)
                && numbers(self) == numbers(other)
                && self.actions == other.actions
                && self.lines == other.lines
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Parts)> {
        let Self { player, action, iterations, nodes, seconds, .. } = *self;
        let (game, actions, lines) = (self.game.clone(), self.actions.clone(), self.lines.clone());
        let restore = py.import("stier._native")?.getattr("_restore_search")?;
        Ok((restore, (game, player, action, actions, iterations, nodes, seconds, lines)))
    }

    /// A table, the action most visited first.
    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let time = py.import("stier._output")?.getattr("duration")?.call1((self.seconds,))?;
        let width = self.actions.iter().map(|stats| stats.name.len()).max().unwrap_or(0).max(6);
        let mut sorted: Vec<_> = self.actions.iter().collect();
        sorted.sort_by_key(|stats| std::cmp::Reverse(stats.visits));
        let mut out = format!("{} iterations, {} nodes, {time}\n", self.iterations, self.nodes);
        let _ = write!(out, "{:<width$}  {:>10}  {:>8}  {:>11}", "action", "visits", "value", "probability");
        for stats in sorted {
            let _ = write!(
                out,
                "\n{:<width$}  {:>10}  {:>+8.3}  {:>11.3}",
                stats.name, stats.visits, stats.value, stats.probability
            );
        }
        Ok(out)
    }

    /// A self-contained SVG: bars for each action, and the top of the tree if `tree_depth` was given. See
    /// `stier.draw.search`.
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

/// Restores a pickled search.
#[pyfunction(name = "_restore_search", signature = (*parts))]
pub(crate) fn restore_search(parts: Parts) -> Search {
    let (game, player, action, actions, iterations, nodes, seconds, lines) = parts;
    Search { game, player, action, actions, iterations, nodes, seconds, lines }
}
