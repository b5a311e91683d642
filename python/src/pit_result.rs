//! `stier.PitResult` and its games.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use stier_agents::arena::{self, Standing};
use stier_core::{Action, BySeat};

use crate::arrays::Array;
use crate::errors;
use crate::game::Game;
use crate::run::guarded;
use crate::serial;
use crate::state::State;
use crate::values::Number;

/// Mean and half width, wins and the ends of their interval.
type Figures = (f64, f64, f64, f64, f64);

/// All games of a `pit` and their statistics. Agents are numbered in order of entry.
#[pyclass(frozen, module = "stier")]
pub(crate) struct PitResult {
    /// The game that was played.
    #[pyo3(get)]
    game: Game,
    result: Arc<arena::PitResult>,
    standings: Vec<Standing>,
}

impl PitResult {
    pub(crate) fn new(game: Game, result: arena::PitResult) -> Self {
        let standings = (0..result.agents.len()).map(|entrant| result.standing(entrant)).collect();
        Self { game, result: Arc::new(result), standings }
    }

    fn column(&self, value: fn(&Standing) -> f64) -> Array<f64> {
        Array::row(self.standings.iter().map(value))
    }

    fn entrant(&self, number: &Number) -> PyResult<usize> {
        Ok(number.between("the number of an agent", 0, self.result.agents.len() as i64 - 1)? as usize)
    }
}

/// A game of a match in a pickle: agents by seat, deal, returns, events.
type PlayedParts = (Vec<usize>, u64, Vec<f64>, Vec<u8>);

fn played_parts(played: &arena::Played) -> PlayedParts {
    let events = played.events.iter().map(|event| event.0).collect();
    (played.agents.as_slice().to_vec(), played.deal, played.returns.as_slice().to_vec(), events)
}

/// The content of a pickle of a match: game, agents, deals, seed, pairing, games.
type Parts = (Game, Vec<String>, u64, u64, bool, Vec<PlayedParts>);

#[pymethods]
impl PitResult {
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| {
            let (other, own) = (other.get(), &self.result.settings);
            let settings = &other.result.settings;
            self.game.is(&other.game)
                && (own.deals, own.seed, own.paired) == (settings.deals, settings.seed, settings.paired)
                && self.result.agents == other.result.agents
                && self.result.games == other.result.games
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Parts)> {
        let restore = py.import("stier._native")?.getattr("_restore_pit_result")?;
        let arena::Settings { deals, seed, paired, .. } = self.result.settings;
        let games = self.result.games.iter().map(played_parts).collect();
        Ok((restore, (self.game.clone(), self.agents(), deals, seed, paired, games)))
    }

    /// The agents' labels, in order of entry; the n-th of equal ones ends with "#n". A label is for tables: it need not
    /// be the text of an agent that `pit` takes.
    #[getter]
    fn agents(&self) -> Vec<String> {
        self.result.agents.clone()
    }

    /// The number of deals per table of agents.
    #[getter]
    fn deals(&self) -> u64 {
        self.result.settings.deals
    }

    /// The seed of deals and agents.
    #[getter]
    fn seed(&self) -> u64 {
        self.result.settings.seed
    }

    /// True if all games of a deal have the same cards.
    #[getter]
    fn paired(&self) -> bool {
        self.result.settings.paired
    }

    /// Mean return per game of each agent, in the game's utility: float64 (agents,).
    #[getter]
    fn mean(&self) -> Array<f64> {
        self.column(|standing| standing.mean.mean)
    }

    /// Half the width of the 95 % interval around `mean`: float64 (agents,). The units are deals, not games. NaN for a
    /// single deal. Returns between the game's least and greatest that did not occur are allowed for.
    #[getter]
    fn ci95(&self) -> Array<f64> {
        self.column(|standing| standing.mean.ci95)
    }

    /// Share of games won by each agent: float64 (agents,). Players tied for first place share the win.
    #[getter]
    fn wins(&self) -> Array<f64> {
        self.column(|standing| standing.wins.mean)
    }

    /// The lower ends of the 95 % intervals of `wins`: float64 (agents,). The units are deals. NaN for a single deal.
    ///
    /// The interval is the Clopper-Pearson interval for the effective number of games. It is not symmetric: it reaches
    /// below 1 even for an agent that won every game.
    #[getter]
    fn wins_low(&self) -> Array<f64> {
        self.column(|standing| standing.wins.low)
    }

    /// The upper ends of the 95 % intervals of `wins`: float64 (agents,).
    #[getter]
    fn wins_high(&self) -> Array<f64> {
        self.column(|standing| standing.wins.high)
    }

    /// Every game, ordered by table, deal, order of the agents and rotation of the seats. Each call makes a new list
    /// with new items, so store it instead of calling again.
    #[getter]
    fn games(&self) -> Vec<Played> {
        let played = |index| Played { game: self.game.clone(), result: self.result.clone(), index };
        (0..self.result.games.len()).map(played).collect()
    }

    /// The results of agent `i` in games with agent `j`: (mean, ci95, wins, wins_low, wins_high), or `None` if they
    /// never met.
    fn meeting(&self, i: Number, j: Number) -> PyResult<Option<Figures>> {
        let meeting = self.result.meeting(self.entrant(&i)?, self.entrant(&j)?);
        Ok(meeting.map(|Standing { mean, wins }| (mean.mean, mean.ci95, wins.mean, wins.low, wins.high)))
    }

    /// Mean returns of row against column and half the widths of their 95 % intervals: two float64 arrays (agents,
    /// agents), NaN for agents that never met.
    fn cross_table(&self) -> (Array<f64>, Array<f64>) {
        let count = self.result.agents.len();
        let pairs = (0..count).flat_map(|row| (0..count).map(move |column| (row, column)));
        let meetings: Vec<_> = pairs.map(|(row, column)| self.result.meeting(row, column)).collect();
        let table = |value: fn(&Standing) -> f64| {
            let cells = meetings.iter().map(|cell| cell.as_ref().map_or(f64::NAN, value));
            Array::of(cells.collect(), &[count, count])
        };
        (table(|standing| standing.mean.mean), table(|standing| standing.mean.ci95))
    }

    /// The sum of each agent's returns, best first: `[(agent, total), …]`.
    fn totals(&self) -> Vec<(usize, f64)> {
        self.result.totals()
    }

    /// A `pandas.DataFrame` with one row per game and seat: `game` (counted from 0), `deal`, `seat`, `entrant` (the
    /// number of the agent), `agent` (as text), `return`. Requires pandas.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("stier._results")?.getattr("to_pandas")?.call1((slf,))
    }

    fn __str__(&self) -> String {
        self.result.to_string()
    }

    fn __repr__(&self) -> String {
        let agents = self.result.agents.join("', '");
        format!("<stier.PitResult of {} games of {}: '{agents}'>", self.result.games.len(), self.game.text())
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("stier._results")?.getattr("to_html")?.call1((slf, slf.get().result.games.len()))
    }
}

/// Restores a pickled match.
#[pyfunction(name = "_restore_pit_result", signature = (*parts))]
pub(crate) fn restore_pit_result(parts: Parts) -> PyResult<PitResult> {
    let (game, agents, deals, seed, paired, games) = parts;
    let seats = game.face().info().num_seats;
    let fits = |(sitting, _, returns, _): &PlayedParts| {
        sitting.len() == seats && returns.len() == seats && sitting.iter().all(|&agent| agent < agents.len())
    };
    if !games.iter().all(fits) {
        return Err(errors::argument("these are not games of this game by these agents"));
    }
    let games = games.into_iter().map(|(sitting, deal, returns, events)| arena::Played {
        agents: BySeat::from_fn(seats, |seat| sitting[seat.index()]),
        deal,
        returns: BySeat::from_fn(seats, |seat| returns[seat.index()]),
        events: events.into_iter().map(Action).collect(),
    });
    let settings = arena::Settings { deals, seed, paired, threads: 0 };
    let facts = game.face().facts();
    let result = arena::PitResult {
        game: facts.name.to_string(),
        rules: facts.rules_text.clone(),
        range: game.face().info().utility_range,
        settings,
        agents,
        games: games.collect(),
    };
    Ok(PitResult::new(game, result))
}

/// One finished game of a `pit`.
#[pyclass(frozen, module = "stier.playing")]
pub(crate) struct Played {
    game: Game,
    result: Arc<arena::PitResult>,
    index: usize,
}

impl Played {
    fn played(&self) -> &arena::Played {
        &self.result.games[self.index]
    }
}

#[pymethods]
impl Played {
    /// The number of the agent at each seat.
    #[getter]
    fn agents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.played().agents.as_slice())
    }

    /// The number of the deal. In a paired match, games of the same deal have the same cards.
    #[getter]
    fn deal(&self) -> u64 {
        self.played().deal
    }

    /// The return of each seat.
    #[getter]
    fn returns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.played().returns.iter())
    }

    /// The game as text for `stier.read_record`.
    fn record(&self, py: Python<'_>) -> PyResult<String> {
        let record = guarded(|| self.game.face().record_of(&self.played().events))?;
        serial::with_place(py, &self.game, &record)
    }

    /// The game as a terminal state, history included.
    fn state(&self, py: Python<'_>) -> PyResult<State> {
        serial::read_record(py, &self.record(py)?)
    }

    fn __repr__(&self) -> String {
        let Self { index, .. } = self;
        let arena::Played { agents, deal, returns, .. } = self.played();
        format!("<stier.Played game {index}, deal {deal}: agents {agents:?}, returns {returns:?}>")
    }
}
