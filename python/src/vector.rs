//! `stier.VectorEnv`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use numpy::{IntoPyArray as _, PyArray1, PyArray3, PyArrayMethods as _, PyReadonlyArray1};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyString, PyTuple};
use stier_agents::AgentSpec;
use stier_agents::batch::vector::{
    Autoreset, Barred, LearnerSeat, Opening, Opponents, Rows, Seeds, Settings, Shape, Span, TensorKind, VectorError,
};
use stier_agents::erased::DynVector;
use stier_core::Action;
use stier_core::options::OptionType;

use crate::agent::{Agent, parse_spec};
use crate::batch::{Arrays, Batch, Borrowed, Format, is_unshared};
use crate::errors;
use crate::game::{AnyGame, Game};
use crate::python_game::guarded;
use crate::run::watched;
use crate::state::State;
use crate::values::{Number, Seed};

/// A larger number is a typing mistake.
const MAX_LANES: i64 = 1 << 24;

/// Many games stepped together: n environments, each of which plays one game after another.
///
/// One step is one decision in each environment, by the current player of the environment. Simultaneous choices are
/// made one after another, as in a `State`. Environment `i` begins as the state
/// `game.new_initial_state(seed=envs.seeds[i])` and goes on as it does, bit for bit, on any number of threads.
///
/// Seeds (0 to 2**64-1): the first game of environment `i` has the seed s = `derive_seed(seed, "lane", i)`, or the seed
/// given to `reset`. Game k after it has the seed `derive_seed(s, "episode", k)`.
///
/// Autoreset: with `True` or `"same_step"`, the step that ends a game deals the next one. `observation`, masks and
/// `current_player` then show the new game, while `rewards`, `terminated` and `final_observation` belong to the old
/// one. With `"next_step"`, the environment stays over for one step, which ignores its action and deals. With `False`
/// or `"disabled"`, the environment stays over and further steps do not change it. A game that is over before its first
/// decision (31 dealt in Schwimmen) is reported by the next step, which ignores the action of the environment.
///
/// Opponents: agents that play the other seats inside the step, so that the caller decides for one learner in each
/// environment. They are text or `Agent` objects, whose options are copied: one for all other seats, or one for each,
/// clockwise from the learner. Each uses only what its seat knows. It remembers nothing between decisions: its seed is
/// `derive_seed(s ^ rotl(its own seed, 32), "opponent", e)`, with the seed s of the game and e events before the
/// decision. `seat` is the seat of the learner: a number, `"rotate"` (environment + games before, modulo the number of
/// seats) or `"random"` (drawn from the seed of the game).
///
/// Opening: exploring starts. In some games an agent decides for all seats at first, so that the caller meets positions
/// that it would not reach by itself. Which games, and how many decisions, is drawn from the seed of the game. A game
/// that would end in its opening is dealt again without one.
///
/// Barred: in some games the caller may not choose one action at first, so that it also meets what follows when nobody
/// chooses it. Which games, and for how many decisions of all players, is drawn from the seed of the game. The action
/// is then missing in the masks, unless it is the only legal one. No tensor shows this, nor do the states of `state`,
/// whose legal actions include it; `barred_left` tells how long it lasts. Opponents and the agent of an opening may
/// choose it.
///
/// Beliefs: expected cards follow the observation: for each other seat, clockwise from the current player, and each
/// card of `Beliefs.cards`, the expected number of copies that the seat holds, from 0 on; 0 once the game is over. They
/// use only what the current player knows. The posterior under a known policy of the opponents is the belief of
/// `"lbr:against=AGENT,epsilon=0"`. Its `particles` are the histories weighed for a decision: if there are at most that
/// many worlds, all of them are enumerated. If the policy excludes all histories, the beliefs are those of chance. The
/// seed of the agent is `derive_seed(s, "beliefs", e)`, as for opponents.
///
/// Args:
///     game: The game.
///     num_envs: The number of environments, 1 to 2**24.
///     seed: The seed from which the seeds of the environments are derived.
///     threads: The number of threads; 0 for all cores. It does not change the results.
///     autoreset: The treatment of an environment whose game has ended; see above.
///     observation: `"float32"`, `"uint8"` (the same zeros and ones in bytes) or `None` for no tensors.
///     tensor: `"observation"`, or `"information_state"` for tensors with perfect recall, which must be `"float32"`.
///     opponents: The agents at the other seats; `None` if the caller decides for all seats.
///     seat: The seat of the learner; by default 0. Only with opponents.
///     opening: The agent that begins some of the games; `None` if all begin with the deal.
///     opening_share: The share of the games that it begins, 0 to 1; by default 0.25. Only with an opening.
///     opening_decisions: The largest number of its decisions in a game, at least 1; by default 8. Each number from 1
///         is equally likely. Only with an opening.
///     barred: The name or the number of the action; `None` if all legal ones may be chosen.
///     barred_share: The share of these games, 0 to 1; by default 0.25. Only with a barred action.
///     barred_decisions: The largest number of decisions at which it is barred, at least 1; by default 8. Each number
///         from 1 is equally likely, so a whole game passes without the action only if this is more than its last
///         decision at which the action is legal. Only with a barred action.
///     beliefs: The agent whose beliefs follow the observation; `None` for observations alone. Needs
///         `observation="float32"`.
///     copy: Give each batch arrays of its own for as long as the batch, one of its arrays or a view of one is in use.
///         Otherwise two sets of arrays take turns, and the second step or reset after a batch overwrites it.
///
/// Only one thread may call at a time. `pickle` keeps everything that the future depends on.
///
/// Raises:
///     ValueError: A number out of range, or an unknown choice.
///     AgentError: An unknown opponent, an opponent for another game, or the wrong number of opponents.
///     SeatError: An unknown seat.
#[pyclass(frozen, module = "stier")]
pub(crate) struct VectorEnv {
    game: Game,
    shape: Shape,
    format: Format,
    copy: bool,
    /// As given to the constructor; `Inner::lanes` has the present opponents.
    settings: Settings,
    interrupt: Arc<AtomicBool>,
    inner: Mutex<Inner>,
}

struct Inner {
    lanes: Box<dyn DynVector>,
    /// True until the first step or reset: the first games have been dealt.
    fresh: bool,
    /// True if a game failed in the middle of a step.
    failed: bool,
    /// Batches given out, the latest last. Their arrays are written again once they are unused, or when it is their
    /// turn.
    batches: Vec<Py<Batch>>,
}

/// The number of batches kept for reuse: while the caller uses one, another is written.
const KEPT: usize = 3;
/// The number of batches that take turns with `copy=False`.
const TURNS: usize = 2;

fn refused(error: VectorError) -> PyErr {
    match error {
        VectorError::Illegal { .. } => errors::illegal(error),
        VectorError::Seat { .. } => errors::seat(error),
        VectorError::Opponents { .. } | VectorError::Unsuited(_) => errors::agent(error),
        VectorError::Checkpoint(_) => errors::record(error),
        VectorError::Halted(_) => PyRuntimeError::new_err(error.to_string()),
        VectorError::NoLanes
        | VectorError::Size { .. }
        | VectorError::Bytes
        | VectorError::Beliefs
        | VectorError::NoCards(_)
        | VectorError::NoOpponents
        | VectorError::Share { .. }
        | VectorError::NoDecisions { .. }
        | VectorError::Action { .. }
        | VectorError::Lane { .. } => errors::argument(error.to_string()),
    }
}

/// Parses a choice.
pub(crate) fn choice<T: OptionType<Limits = ()>>(name: &str, text: &str) -> PyResult<T> {
    T::parse(text, &()).map_err(|problem| errors::argument(format!("{name} {problem}")))
}

fn autoreset(value: &Bound<'_, PyAny>) -> PyResult<Autoreset> {
    if let Ok(switch) = value.cast::<PyBool>() {
        return Ok(if switch.is_true() { Autoreset::SameStep } else { Autoreset::Disabled });
    }
    match value.cast::<PyString>() {
        Ok(text) => choice("autoreset", &text.to_cow()?),
        Err(_) => Err(PyTypeError::new_err(format!(
            "autoreset must be True, False or one of {}, got {}",
            Autoreset::allowed(&()),
            value.get_type().name()?
        ))),
    }
}

/// Reads one opponent for all other seats, or several.
fn opponents(game: &Game, value: &Bound<'_, PyAny>) -> PyResult<Vec<AgentSpec>> {
    if value.is_instance_of::<PyString>() || value.is_instance_of::<Agent>() {
        return Ok(vec![opponent(game, value)?]);
    }
    match value.try_iter() {
        Ok(values) => values.map(|value| opponent(game, &value?)).collect(),
        Err(_) => opponent(game, value).map(|spec| vec![spec]),
    }
}

fn opponent(game: &Game, value: &Bound<'_, PyAny>) -> PyResult<AgentSpec> {
    if let Ok(text) = value.cast::<PyString>() {
        return parse_spec(&text.to_cow()?, None);
    }
    let Ok(agent) = value.cast::<Agent>() else {
        let kind = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "an agent must be an Agent or its text such as 'ismcts:iterations=100', got {kind}"
        )));
    };
    agent.get().spec_for(game).cloned()
}

fn learner(game: &Game, value: Option<&Bound<'_, PyAny>>) -> PyResult<LearnerSeat> {
    let Some(value) = value else { return Ok(LearnerSeat::Fixed(stier_core::Seat(0))) };
    if let Ok(text) = value.cast::<PyString>() {
        return match &*text.to_cow()? {
            "rotate" => Ok(LearnerSeat::Rotate),
            "random" => Ok(LearnerSeat::Random),
            other => {
                let message = format!("seat must be the number of a player, 'rotate' or 'random', got '{other}'");
                Err(errors::argument(message))
            }
        };
    }
    value.extract::<Number>()?.seat_of(game.face()).map(LearnerSeat::Fixed)
}

/// Reads the barred action: a name or a number.
fn barred_action(game: &Game, value: &Bound<'_, PyAny>) -> PyResult<Action> {
    if let Ok(name) = value.cast::<PyString>() {
        let found = game.face().parse_action(&name.to_cow()?);
        return found.map_err(|error| errors::illegal(format!("barred: {error}")));
    }
    let number = if value.is_instance_of::<PyBool>() { None } else { value.extract::<Number>().ok() };
    let Some(number) = number else {
        let got = value.repr()?;
        return Err(errors::argument(format!("barred must be the name or the number of an action, got {got}")));
    };
    number.id_below(game.face().info().num_actions, "action", game.face())
}

/// Reads the games and decisions of a setting.
fn span(name: &str, is_given: bool, share: Option<f64>, decisions: Option<Number>) -> PyResult<Span> {
    if !is_given && (share.is_some() || decisions.is_some()) {
        return Err(errors::argument(format!("{name}_share and {name}_decisions need {name}, and it is None")));
    }
    let decisions = decisions.unwrap_or(Number::Small(8));
    let decisions = decisions.between(&format!("{name}_decisions"), 1, u32::MAX.into())? as u32;
    Ok(Span { share: share.unwrap_or(0.25), decisions })
}

/// Seeds given by the caller.
enum GivenSeeds {
    Next,
    One(u64),
    Each(Vec<u64>),
}

impl GivenSeeds {
    fn of(value: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(value) = value else { return Ok(Self::Next) };
        match value.try_iter() {
            Ok(seeds) => seeds.map(|seed| Ok(seed?.extract::<Seed>()?.0)).collect::<PyResult<_>>().map(Self::Each),
            Err(_) => Ok(Self::One(value.extract::<Seed>()?.0)),
        }
    }

    fn seeds(&self) -> Seeds<'_> {
        match self {
            Self::Next => Seeds::Next,
            Self::One(seed) => Seeds::One(*seed),
            Self::Each(seeds) => Seeds::Each(seeds),
        }
    }
}

/// Reads whole numbers as int64, one for each environment.
fn numbers<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray1<'py, i64>> {
    let ready = |value: &Bound<'py, PyAny>| {
        let array = value.cast::<PyArray1<i64>>().ok()?.try_readonly().ok()?;
        array.as_slice().is_ok().then_some(array)
    };
    if let Some(array) = ready(value) {
        return Ok(array);
    }
    let numpy = value.py().import("numpy")?;
    let array = numpy.call_method1("asarray", (value,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let dimensions: usize = array.getattr("ndim")?.extract()?;
    let empty = array.getattr("size")?.extract::<usize>()? == 0;
    if dimensions != 1 || !(kind == "i" || kind == "u" || empty) {
        let (dtype, shape) = (array.getattr("dtype")?, array.getattr("shape")?);
        let message = format!("{name} must be whole numbers, one for each environment, got {dtype} of shape {shape}");
        return Err(if dimensions == 1 { PyTypeError::new_err(message) } else { errors::argument(message) });
    }
    let array = numpy.call_method1("ascontiguousarray", (array, "int64"))?;
    ready(&array).ok_or_else(|| PyTypeError::new_err(format!("{name} must be whole numbers")))
}

/// Reads a mask of environments; `None` means all.
fn lanes_of<'py>(value: Option<&Bound<'py, PyAny>>) -> PyResult<Option<Vec<bool>>> {
    let Some(value) = value else { return Ok(None) };
    let array = value.py().import("numpy")?.call_method1("asarray", (value,))?;
    match array.cast::<PyArray1<bool>>() {
        Ok(mask) => Ok(Some(mask.try_readonly()?.as_array().to_vec())),
        Err(_) => {
            let (dtype, shape) = (array.getattr("dtype")?, array.getattr("shape")?);
            Err(PyTypeError::new_err(format!(
                "mask must be bool, one for each environment, got {dtype} of shape {shape}"
            )))
        }
    }
}

impl VectorEnv {
    fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        match self.inner.try_lock() {
            Ok(inner) if !inner.failed => Ok(inner),
            // So does a panic.
            Ok(_) | Err(TryLockError::Poisoned(_)) => {
                let text = "an earlier call failed in the middle of a step; make new environments";
                Err(PyRuntimeError::new_err(text))
            }
            Err(TryLockError::WouldBlock) => {
                Err(PyRuntimeError::new_err("the environments are in use by another thread; make one call at a time"))
            }
        }
    }

    /// Runs `work` on the environments without the GIL.
    fn run(
        &self,
        py: Python<'_>,
        inner: &mut Inner,
        arrays: &mut Borrowed<'_>,
        work: impl FnOnce(&mut dyn DynVector, Rows<'_>) -> Result<(), VectorError> + Send,
    ) -> PyResult<()> {
        let (lanes, rows) = (&mut *inner.lanes, arrays.rows()?);
        let done = if lanes.is_instant() {
            py.detach(|| guarded(|| work(lanes, rows)))
        } else {
            self.interrupt.store(false, Ordering::Relaxed);
            watched::<_, ()>(py, &self.interrupt, |_| work(lanes, rows), |_| Ok(()))
        };
        // A game in Python that raises leaves the lanes in the middle of a step.
        inner.failed = done.is_err() && !self.game.is_native();
        done?.map_err(refused)?;
        inner.fresh = false;
        Ok(())
    }

    /// Runs `work` on the environments and returns its batch.
    fn batch(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn DynVector, Rows<'_>) -> Result<(), VectorError> + Send,
    ) -> PyResult<Py<Batch>> {
        let mut inner = self.lock()?;
        let count = self.settings.lanes;
        let new = || {
            let with_final = self.settings.autoreset == Autoreset::SameStep;
            Py::new(py, Batch::empty(py, count, &self.shape, self.format, with_final)?)
        };
        let idle = |batch: &Py<Batch>| is_unshared(py, batch) && batch.get().is_idle(py);
        let again = match self.copy {
            true => inner.batches.iter().position(idle),
            false => (inner.batches.len() == TURNS).then_some(0),
        };
        let batch = match again {
            Some(place) => inner.batches.remove(place),
            None => new()?,
        };
        let mut arrays = batch.get().borrow(py, count, &self.shape)?;
        let done = self.run(py, &mut inner, &mut arrays, work);
        // After an error, this batch is reused next.
        let place = if done.is_ok() { inner.batches.len() } else { 0 };
        inner.batches.insert(place, batch.clone_ref(py));
        if inner.batches.len() > KEPT {
            inner.batches.remove(0);
        }
        done.map(|()| batch)
    }

    fn reset_work<'a>(
        fresh: bool,
        seeds: &'a GivenSeeds,
        mask: Option<&'a [bool]>,
    ) -> impl FnOnce(&mut dyn DynVector, Rows<'_>) -> Result<(), VectorError> + Send {
        move |lanes, rows| match seeds {
            // The first games have been dealt already.
            GivenSeeds::Next if fresh => lanes.observe(rows),
            seeds => lanes.reset(seeds.seeds(), mask, rows),
        }
    }
}

#[pymethods]
impl VectorEnv {
    #[new]
    #[pyo3(signature = (game, num_envs, *, seed=Seed(0), threads=Number::Small(0), autoreset=None, observation=Some("float32"),
        tensor="observation", opponents=None, seat=None, opening=None, opening_share=None, opening_decisions=None, barred=None,
        barred_share=None, barred_decisions=None, beliefs=None, copy=true),
        text_signature = "(game, num_envs, *, seed=0, threads=0, autoreset=True, observation='float32', \
        tensor='observation', opponents=None, seat=None, opening=None, opening_share=None, \
        opening_decisions=None, barred=None, barred_share=None, barred_decisions=None, beliefs=None, copy=True)")]
    #[expect(clippy::too_many_arguments, reason = "the settings, one by one")]
    fn new(
        py: Python<'_>,
        game: AnyGame,
        num_envs: Number,
        seed: Seed,
        threads: Number,
        autoreset: Option<&Bound<'_, PyAny>>,
        observation: Option<&str>,
        tensor: &str,
        opponents: Option<&Bound<'_, PyAny>>,
        seat: Option<&Bound<'_, PyAny>>,
        opening: Option<&Bound<'_, PyAny>>,
        opening_share: Option<f64>,
        opening_decisions: Option<Number>,
        barred: Option<&Bound<'_, PyAny>>,
        barred_share: Option<f64>,
        barred_decisions: Option<Number>,
        beliefs: Option<&Bound<'_, PyAny>>,
        copy: bool,
    ) -> PyResult<Self> {
        let AnyGame(game) = &game;
        if seat.is_some() && opponents.is_none() {
            return Err(errors::argument("seat is the seat of the learner: it needs opponents, and there are none"));
        }
        let opponents = opponents.map(|agents| {
            Ok::<_, PyErr>(Opponents { agents: self::opponents(game, agents)?, learner: learner(game, seat)? })
        });
        let span_of_opening = span("opening", opening.is_some(), opening_share, opening_decisions)?;
        let opening =
            opening.map(|agent| Ok::<_, PyErr>(Opening { agent: opponent(game, agent)?, span: span_of_opening }));
        let span_of_barred = span("barred", barred.is_some(), barred_share, barred_decisions)?;
        let barred =
            barred.map(|value| Ok::<_, PyErr>(Barred { action: barred_action(game, value)?, span: span_of_barred }));
        let settings = Settings {
            lanes: num_envs.between("num_envs", 1, MAX_LANES)? as usize,
            seed: seed.0,
            threads: threads.threads()?,
            autoreset: autoreset.map_or(Ok(Autoreset::SameStep), self::autoreset)?,
            tensor: choice("tensor", tensor)?,
            opponents: opponents.transpose()?,
            opening: opening.transpose()?,
            barred: barred.transpose()?,
            beliefs: beliefs.map(|agent| opponent(game, agent)).transpose()?,
        };
        let format = Format::of(observation)?;
        if settings.beliefs.is_some() && format != Format::Float32 {
            return Err(refused(VectorError::Beliefs));
        }
        if settings.tensor == TensorKind::InformationState && format == Format::Uint8 {
            return Err(refused(VectorError::Bytes));
        }
        let interrupt = Arc::<AtomicBool>::default();
        let make = || game.face().vector(settings.clone(), interrupt.clone());
        let lanes = watched::<_, ()>(py, &interrupt, |_| make(), |_| Ok(()))?.map_err(refused)?;
        let shape = lanes.shape();
        let inner = Mutex::new(Inner { lanes, fresh: true, failed: false, batches: Vec::new() });
        Ok(Self { game: game.clone(), shape, format, copy, settings, interrupt, inner })
    }

    /// The game.
    #[getter]
    fn game(&self) -> Game {
        self.game.clone()
    }

    /// The number of environments.
    #[getter]
    fn num_envs(&self) -> usize {
        self.settings.lanes
    }

    /// The treatment of an environment whose game has ended: `"same_step"`, `"next_step"` or `"disabled"`.
    #[getter]
    fn autoreset(&self) -> &'static str {
        self.settings.autoreset.name()
    }

    /// The shape of the tensor of one environment, even if no tensors are shown.
    #[getter]
    fn observation_shape(&self) -> (usize,) {
        (self.shape.tensor,)
    }

    /// The seeds of the current games, as a new uint64 array (n,).
    #[getter]
    fn seeds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        Ok(self.lock()?.lanes.seeds().into_pyarray(py))
    }

    /// Deals a new game in every environment, or in the environments of `mask`, a bool array (n,). The batch covers all
    /// environments.
    ///
    /// A `seed` starts over: either one number, from which the seeds of the environments are derived, or one seed for
    /// each environment. Without a seed, every environment goes on to its next game; only the first call shows the
    /// first games. Raises `ValueError` for seeds or a mask of the wrong length.
    #[pyo3(signature = (seed=None, mask=None))]
    fn reset(
        &self,
        py: Python<'_>,
        seed: Option<&Bound<'_, PyAny>>,
        mask: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<Batch>> {
        let (seeds, mask, fresh) = (GivenSeeds::of(seed)?, lanes_of(mask)?, self.lock()?.fresh);
        self.batch(py, Self::reset_work(fresh, &seeds, mask.as_deref()))
    }

    /// Plays one action in each environment: whole numbers (n,). The batch shows the result.
    ///
    /// Raises `IllegalActionError`, which names the first environment with an illegal action, `ValueError` for the
    /// wrong shape, and `TypeError` unless the actions are whole numbers. Invalid actions raise before any environment
    /// is stepped.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<Py<Batch>> {
        let actions = numbers("actions", actions)?;
        let actions = actions.as_slice()?;
        self.batch(py, |lanes, rows| lanes.step(actions, rows))
    }

    /// Returns the present state of the environments, with no rewards.
    fn observe(&self, py: Python<'_>) -> PyResult<Py<Batch>> {
        let fresh = self.lock()?.fresh;
        let batch = self.batch(py, |lanes, rows| lanes.observe(rows))?;
        self.lock()?.fresh = fresh;
        Ok(batch)
    }

    /// Steps into C-contiguous arrays of the caller, named as in `Batch`. Arrays left out are not written. Observations
    /// may be float32 or uint8; masks may be int8, bool or uint8.
    ///
    /// Raises the errors of `step`. An array of the wrong shape, type or order raises `ValueError` or `TypeError`
    /// before any environment is stepped.
    #[pyo3(signature = (actions, *, observation=None, action_mask=None, rewards=None, terminated=None, current_player=None,
        final_observation=None))]
    #[expect(clippy::too_many_arguments, reason = "the arrays, one by one")]
    fn step_into<'py>(
        &self,
        py: Python<'py>,
        actions: &Bound<'py, PyAny>,
        observation: Option<Bound<'py, PyAny>>,
        action_mask: Option<Bound<'py, PyAny>>,
        rewards: Option<Bound<'py, PyAny>>,
        terminated: Option<Bound<'py, PyAny>>,
        current_player: Option<Bound<'py, PyAny>>,
        final_observation: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let actions = numbers("actions", actions)?;
        let actions = actions.as_slice()?;
        let arrays = Arrays { observation, final_observation, action_mask, rewards, terminated, current_player };
        let mut arrays = arrays.borrow(self.settings.lanes, &self.shape)?;
        self.run(py, &mut *self.lock()?, &mut arrays, |lanes, rows| lanes.step(actions, rows))
    }

    /// Resets into arrays of the caller; see `step_into`.
    #[pyo3(signature = (seed=None, mask=None, *, observation=None, action_mask=None, rewards=None, terminated=None,
        current_player=None))]
    #[expect(clippy::too_many_arguments, reason = "the arrays, one by one")]
    fn reset_into<'py>(
        &self,
        py: Python<'py>,
        seed: Option<&Bound<'py, PyAny>>,
        mask: Option<&Bound<'py, PyAny>>,
        observation: Option<Bound<'py, PyAny>>,
        action_mask: Option<Bound<'py, PyAny>>,
        rewards: Option<Bound<'py, PyAny>>,
        terminated: Option<Bound<'py, PyAny>>,
        current_player: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let (seeds, mask) = (GivenSeeds::of(seed)?, lanes_of(mask)?);
        let arrays = Arrays { observation, action_mask, rewards, terminated, current_player, ..Arrays::default() };
        let mut arrays = arrays.borrow(self.settings.lanes, &self.shape)?;
        let mut inner = self.lock()?;
        let work = Self::reset_work(inner.fresh, &seeds, mask.as_deref());
        self.run(py, &mut inner, &mut arrays, work)
    }

    /// Draws a legal action for each environment, uniformly, as a new int64 array (n,). Environments that ignore their
    /// action get an arbitrary one.
    ///
    /// Call k, counted from 0 since the environments were seeded, draws from the stream of (seed, "actions", k),
    /// environment after environment. If `reset` was given one seed per environment, this is the seed of the
    /// constructor.
    fn sample_actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let mut actions = vec![0; self.settings.lanes];
        let mut inner = self.lock()?;
        guarded(|| inner.lanes.sample_actions(&mut actions))?.map_err(refused)?;
        Ok(actions.into_pyarray(py))
    }

    /// The observations of all players in each environment, hidden hands included, as a new uint8 array (n, players,
    /// D): the current player first, then the other players in turn. For critics during training. No other method
    /// reveals hidden information.
    fn perfect_information_observation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let shape = [self.settings.lanes, self.shape.seats, self.game.observation_size()];
        let mut bytes = vec![0; shape.iter().product()];
        let inner = self.lock()?;
        guarded(|| inner.lanes.perfect_information(&mut bytes))?.map_err(refused)?;
        bytes.into_pyarray(py).reshape(shape)
    }

    /// The number of decisions, from the present one on, at which the barred action may not be chosen in each environment,
    /// as a new uint32 array (n,); 0 where it may, and in environments that are finished. For critics during training, like
    /// `perfect_information_observation`.
    fn barred_left<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        Ok(self.lock()?.lanes.barred_left().into_pyarray(py))
    }

    /// Returns a copy of one environment, 0 to n - 1, as a state with its history. It deals itself and continues as the
    /// environment would.
    fn state(&self, lane: Number) -> PyResult<State> {
        let lane = lane.between("lane", 0, self.settings.lanes as i64 - 1)? as usize;
        let inner = self.lock()?;
        Ok(State::new(self.game.clone(), guarded(|| inner.lanes.state(lane))?.map_err(refused)?))
    }

    /// Replaces the opponents, also in games that have begun, with agents as in the constructor. Seats, seeds and games
    /// stay as they are. The first games begin with the environments, so the first opponents may have acted in them.
    ///
    /// Raises `AgentError` as the constructor does, and `ValueError` if the environments were made without opponents.
    fn set_opponents(&self, opponents: &Bound<'_, PyAny>) -> PyResult<()> {
        let agents = self::opponents(&self.game, opponents)?;
        let mut inner = self.lock()?;
        guarded(|| inner.lanes.set_opponents(agents))?.map_err(refused)
    }

    /// Everything that the future depends on, as bytes: seeds, decisions, calls of `sample_actions`.
    fn get_state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let inner = self.lock()?;
        Ok(PyBytes::new(py, &guarded(|| inner.lanes.save())?))
    }

    /// Continues where `get_state` was called. The environments must have the same game, number, opponents, opening and
    /// barred action. `observe` shows the state.
    ///
    /// Raises `RecordError` for other bytes. Nothing changes then.
    fn set_state(&self, state: &[u8]) -> PyResult<()> {
        let mut inner = self.lock()?;
        guarded(|| inner.lanes.load(state))?.map_err(refused)?;
        inner.fresh = false;
        Ok(())
    }

    fn __len__(&self) -> usize {
        self.settings.lanes
    }

    fn __repr__(&self) -> String {
        // While another thread steps them, the opponents are left out.
        let opponents = self.lock().ok().and_then(|inner| inner.lanes.settings().opponents.clone());
        let opponents = opponents.map_or(String::new(), |opponents| {
            let agents: Vec<String> = opponents.agents.iter().map(|spec| format!("'{spec}'")).collect();
            format!(", against {}", agents.join(", "))
        });
        format!("<stier.VectorEnv of {} environments of {}{opponents}>", self.settings.lanes, self.game.text())
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let named_arguments = PyDict::new(py);
        named_arguments.set_item("seed", self.settings.seed)?;
        named_arguments.set_item("threads", self.settings.threads)?;
        named_arguments.set_item("autoreset", self.settings.autoreset.name())?;
        named_arguments.set_item("observation", self.format.name())?;
        named_arguments.set_item("tensor", self.settings.tensor.name())?;
        named_arguments.set_item("copy", self.copy)?;
        if let Some(opponents) = &self.lock()?.lanes.settings().opponents {
            let agents: Vec<String> = opponents.agents.iter().map(ToString::to_string).collect();
            named_arguments.set_item("opponents", agents)?;
            match opponents.learner {
                LearnerSeat::Fixed(seat) => named_arguments.set_item("seat", seat.0)?,
                LearnerSeat::Rotate => named_arguments.set_item("seat", "rotate")?,
                LearnerSeat::Random => named_arguments.set_item("seat", "random")?,
            }
        }
        if let Some(opening) = &self.settings.opening {
            named_arguments.set_item("opening", opening.agent.to_string())?;
            named_arguments.set_item("opening_share", opening.span.share)?;
            named_arguments.set_item("opening_decisions", opening.span.decisions)?;
        }
        if let Some(Barred { action, span }) = &self.settings.barred {
            named_arguments.set_item("barred", action.0)?;
            named_arguments.set_item("barred_share", span.share)?;
            named_arguments.set_item("barred_decisions", span.decisions)?;
        }
        if let Some(believer) = &self.settings.beliefs {
            named_arguments.set_item("beliefs", believer.to_string())?;
        }
        Ok(((self.game.clone(), self.settings.lanes).into_pyobject(py)?, named_arguments))
    }

    fn __getstate__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyBytes>, bool)> {
        let fresh = self.lock()?.fresh;
        Ok((self.get_state(py)?, fresh))
    }

    fn __setstate__(&self, state: (Bound<'_, PyBytes>, bool)) -> PyResult<()> {
        self.set_state(state.0.as_bytes())?;
        self.lock()?.fresh = state.1;
        Ok(())
    }
}
