//! `stier.Worlds`, `stier.resample_many` and `stier.search_many`.

use std::sync::atomic::AtomicBool;

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use stier_agents::batch::ManyError;
use stier_agents::batch::resample_many::Settings;
use stier_agents::batch::search_many::Settings as SearchSettings;
use stier_agents::erased::DynWorlds;
use stier_core::Seat;

use crate::agent::agent_of;
use crate::arrays::{Array, tensors};
use crate::errors;
use crate::game::Game;
use crate::run::{Progress, watched};
use crate::search::search_of;
use crate::state::State;
use crate::values::{Number, Seed};

/// More worlds would not fit into memory.
const MAX_WORLDS: i64 = 100_000_000;

/// Determinizations drawn by `resample_many`: first the n worlds of the first state, then those of the second, and so
/// on.
///
/// `holdings()` and `observation_tensors()` return arrays. If the worlds have histories, `worlds[i]` is a `State`.
#[pyclass(frozen, module = "stier.playing")]
pub(crate) struct Worlds {
    /// The game.
    #[pyo3(get)]
    game: Game,
    drawn: Box<dyn DynWorlds>,
}

#[pymethods]
impl Worlds {
    /// The names of the cards, in the order of `holdings`.
    #[getter]
    fn cards(&self) -> Vec<String> {
        self.drawn.cards()
    }

    /// The player from whose knowledge each world was drawn, as a new int32 array (worlds,).
    #[getter]
    fn players(&self) -> Array<i32> {
        Array::row((0..self.drawn.count()).map(|world| self.drawn.seat(world).0.into()))
    }

    /// The number of copies of each card that each seat holds, as a new uint8 array (worlds, players, cards): in hand,
    /// laid face down, or taken but not yet paid for.
    fn holdings(&self, py: Python<'_>) -> PyResult<Array<u8>> {
        let shape = [self.drawn.count(), self.game.face().info().num_seats, self.drawn.cards().len()];
        py.detach(|| Array::filled(&shape, |counts| self.drawn.holdings(counts)))
    }

    /// The observations of a player in each world, by default the player it was drawn for, as a new array (worlds, D)
    /// of type `"float32"` or `"uint8"`. The tensors of other players show hands that the player cannot know.
    #[pyo3(signature = (player=None, dtype="float32"))]
    fn observation_tensors(&self, py: Python<'_>, player: Option<Number>, dtype: &str) -> PyResult<Py<PyAny>> {
        let seat = player.map(|player| player.seat_of(self.game.face())).transpose()?;
        let shape = [self.drawn.count(), self.game.observation_size()];
        tensors(py, dtype, shape, |cells| self.drawn.observations(seat, cells))
    }

    fn __len__(&self) -> usize {
        self.drawn.count()
    }

    /// The world as a state with a complete and legal history. Raises `ValueError` if the worlds were drawn without
    /// histories.
    fn __getitem__(&self, index: isize) -> PyResult<State> {
        let count = self.drawn.count();
        let world = if index < 0 { index.checked_add_unsigned(count) } else { Some(index) };
        let world = world.and_then(|world| usize::try_from(world).ok()).filter(|&world| world < count);
        let world = world.ok_or_else(|| PyIndexError::new_err(format!("no world {index}: there are {count}")))?;
        let state = self
            .drawn
            .state(world)
            .ok_or_else(|| errors::argument("these worlds have no histories; draw them with histories=True"))?;
        Ok(State::new(self.game.clone(), state))
    }

    fn __repr__(&self) -> String {
        format!("<stier.Worlds: {} of {}>", self.drawn.count(), self.game.text())
    }
}

/// The states of an argument that is one state or several states of the same game.
pub(crate) fn one_or_many<'py>(value: &Bound<'py, PyAny>) -> PyResult<(Game, Vec<PyRef<'py, State>>)> {
    let states: Vec<PyRef<'py, State>> = match value.cast::<State>() {
        Ok(state) => vec![state.try_borrow()?],
        Err(_) => {
            let each = |state: PyResult<Bound<'py, PyAny>>| Ok(state?.cast::<State>()?.try_borrow()?);
            value.try_iter()?.map(each).collect::<PyResult<_>>()?
        }
    };
    let Some(first) = states.first() else { return Err(errors::argument("states must not be empty")) };
    let game = first.game().clone();
    for (index, state) in states.iter().enumerate() {
        if !game.is(state.game()) {
            let (own, found) = (game.text(), state.game().text());
            return Err(errors::argument(format!(
                "states must be of the same game: state {index} is of {found}, state 0 of {own}"
            )));
        }
    }
    Ok((game, states))
}

/// Draws many determinizations of a state, or n of each of several states of the same game. These are states that the
/// player cannot tell apart from the true one, drawn by chance reach probability or from an agent's beliefs.
///
/// World `k` of state `s` has the seed `derive_seed(derive_seed(seed, "resample many", s), "world", k)`, independently
/// of the other worlds and the number of threads. With histories it is `state.resample_from_infostate(player, that
/// seed)`. Without, it is a position from the same distribution and much faster to draw.
///
/// Args:
///     states: A state, or several states of the same game.
///     n: The number of worlds per state; at most 10**8 in total.
///     seed: The seed.
///     player: The player whose knowledge counts; by default the player to move in each state.
///     histories: Draw worlds with histories, which makes them states.
///     agent: The agent whose beliefs the worlds are drawn from, as text or as an `Agent`, such as
///         `"ismcts:beliefs=policy"`; `None` for chance alone. Its seed is `derive_seed(derive_seed(seed, "resample many",
///         s), "beliefs", 0)`. A belief weighs positions: among the histories of one, chance alone decides. An agent
///         without a model of the other players, such as `"greedy"`, believes what chance alone says.
///     threads: The number of threads; 0 for all cores.
///
/// Raises:
///     AgentError: An agent that does not exist or is for another game.
///     SeatError: An unknown player, or no player named where no player is to move.
///     ValueError: No states, states of different games, or a number out of range.
#[pyfunction]
#[pyo3(signature = (states, n, seed=Seed(0), *, player=None, histories=false, agent=None, threads=Number::new(0)),
    text_signature = "(states, n, seed=0, *, player=None, histories=False, agent=None, threads=0)")]
pub(crate) fn resample_many(
    py: Python<'_>,
    states: &Bound<'_, PyAny>,
    n: Number,
    seed: Seed,
    player: Option<Number>,
    histories: bool,
    agent: Option<&Bound<'_, PyAny>>,
    threads: Number,
) -> PyResult<Worlds> {
    let (game, states) = one_or_many(states)?;
    let agent = agent.map(|agent| agent_of(&game, agent)).transpose()?;
    let settings = Settings {
        agent: agent.as_ref(),
        worlds: n.between("n", 1, MAX_WORLDS / states.len() as i64)? as usize,
        seed: seed.0,
        histories,
        threads: threads.threads()?,
    };
    let seats = states.iter().map(|state| state.seat(player.as_ref())).collect::<PyResult<Vec<Seat>>>()?;
    let sources: Vec<_> = states.iter().map(|state| state.inner()).zip(seats).collect();
    let interrupt = AtomicBool::new(false);
    let face = game.face();
    let work = || face.resample_many(&sources, &settings, &interrupt);
    let drawn = watched(py, &interrupt, work)?.map_err(refused)?;
    Ok(Worlds { game: game.clone(), drawn })
}

fn refused(error: ManyError) -> PyErr {
    match error {
        ManyError::State { .. } | ManyError::Unsuited(_) => errors::agent(error),
        ManyError::Halted(_) => errors::halted(error),
    }
}

/// `on_progress(done, total)` is called before the first search, then about ten times a second, and after the last. See
/// `stier.search_many` for the other arguments.
#[pyfunction]
#[pyo3(signature = (agent, states, seed, threads, on_progress=None))]
pub(crate) fn search_many(
    py: Python<'_>,
    agent: &Bound<'_, PyAny>,
    states: &Bound<'_, PyAny>,
    seed: Option<Seed>,
    threads: Number,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Vec<Py<PyAny>>> {
    let (game, states) = one_or_many(states)?;
    let spec = agent_of(&game, agent)?;
    let settings =
        SearchSettings { seed: seed.map_or(spec.seed().unwrap_or(0), |Seed(seed)| seed), threads: threads.threads()? };
    let progress = Progress::new(states.len() as u64, on_progress, None);
    let inner: Vec<_> = states.iter().map(|state| state.inner()).collect();
    let face = game.face();
    let work = || face.search_many(&spec, &inner, &settings, &progress.interrupt, &|| progress.advance());
    let decisions = progress.run(py, work, refused)?;
    let found = decisions.into_iter().zip(&states);
    found.map(|(decision, state)| search_of(py, spec.name(), decision, Vec::new(), state)).collect()
}
