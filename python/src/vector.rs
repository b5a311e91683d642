//! `stier.VectorEnv`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use numpy::{IntoPyArray as _, PyArray1, PyArray3, PyArrayMethods as _, PyReadonlyArray1};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyString, PyTuple};
use stier_agents::AgentSpec;
use stier_agents::batch::vector::{
    Autoreset, LearnerSeat, Opponents, Rows, Seeds, Settings, Shape, Tensor, VectorError,
};
use stier_agents::erased::DynVector;
use stier_core::OptionValue;
use stier_core::options::OptionType;

use crate::agent::{Agent, parse_spec};
use crate::batch::{Arrays, Batch, Borrowed, Format, is_unshared};
use crate::errors;
use crate::game::Game;
use crate::run::watched;
use crate::state::State;
use crate::values::{Number, Seed};

/// More would be a mistake.
const MOST_LANES: i64 = 1 << 24;
/// More would exhaust the machine before they helped.
const MOST_THREADS: i64 = 1024;

/// Many games at once, stepped together: n lanes, each one game after another.
///
/// One step is one decision in each lane, by the lane's current player; simultaneous choices are made one after another, as in a
/// `State`. Lane `i` is the state `game.new_initial_state(seed=envs.seeds[i])`, bit by bit, on any number of threads.
///
/// Seeds, 0..=2**64-1: the first game of lane `i` has the seed s = `derive_seed(seed, "lane", i)`, or the one given to `reset`; the
/// k-th after it has `derive_seed(s, "episode", k)`.
///
/// Autoreset: `True` or `"same_step"`: the step that ends a game deals the next one, which is what `observation`, masks and
/// `current_player` show; `rewards` and `terminated` are of the old one, its last tensor is `final_observation`. `"next_step"`: the
/// lane stays over for one step, which ignores its action and deals. `False` or `"disabled"`: it stays over, and steps do nothing to
/// it. A game that is over before its first decision (31 is dealt in Schwimmen) is told of by the next step, which ignores the
/// lane's action.
///
/// Opponents: agents that play the other seats inside the step, so that the caller decides for one learner in each lane. They are
/// given as text or as `Agent` (of which the text form enters): one for all other seats, or one for each, clockwise from the
/// learner. Each sees what its seat knows. It remembers nothing from one decision to the next: the seed of each is
/// `derive_seed(s ^ rotl(its own seed, 32), "opponent", e)` with the seed s of the game and e events before the decision. `seat` is
/// where the learner sits: a number, `"rotate"` (lane + games before, modulo the seats) or `"random"` (drawn from the game's seed).
///
/// Args:
///     game: The game.
///     num_envs: Lanes, 1 to 2**24.
///     seed: From which the lanes' seeds are hashed.
///     threads: Threads; 0 for all cores. No influence on what happens.
///     autoreset: What becomes of a lane whose game has ended: see above.
///     observation: `"float32"`, `"uint8"` (the same zeros and ones in bytes) or `None` for no tensors.
///     tensor: `"observation"`, or `"information_state"` for tensors with perfect recall; they need `"float32"`.
///     opponents: Who plays the other seats; `None` if the caller decides for everybody.
///     seat: Where the learner sits; 0 if left out. Only with opponents.
///     copy: Whether each batch has arrays of its own, as long as anybody holds it, an array or a view. If not, two sets of arrays
///         take turns: a batch is overwritten by the second step or reset after it.
///
/// One call at a time. `pickle` keeps everything that the future depends on.
///
/// Raises:
///     ValueError: A number that is out of range, or a choice that there is not.
///     AgentError: An opponent that does not exist, is for another game, or too many or too few of them.
///     SeatError: A seat that the game does not have.
#[pyclass(frozen, module = "stier")]
pub(crate) struct VectorEnv {
    game: Game,
    shape: Shape,
    format: Format,
    copy: bool,
    settings: Settings,
    interrupt: Arc<AtomicBool>,
    inner: Mutex<Inner>,
}

struct Inner {
    lanes: Box<dyn DynVector>,
    /// Whether the first games have been dealt and nothing else has happened.
    fresh: bool,
    /// Batches given out, the latest last: their arrays are written again once nobody holds them, or when it is their turn.
    batches: Vec<Py<Batch>>,
}

/// Batches that are kept if nobody holds them: while the caller has one in hand, another is written.
const KEPT: usize = 3;
/// Batches that take turns, with `copy=False`.
const TURNS: usize = 2;

fn refused(error: VectorError) -> PyErr {
    match error {
        VectorError::Illegal { .. } => errors::illegal(error),
        VectorError::Seat { .. } => errors::seat(error),
        VectorError::Opponents { .. } | VectorError::Unsuited(_) => errors::agent(error),
        VectorError::Checkpoint(_) => errors::record(error),
        VectorError::Threads(_) | VectorError::Interrupted => PyRuntimeError::new_err(error.to_string()),
        VectorError::NoLanes | VectorError::Size { .. } | VectorError::Bytes | VectorError::Lane { .. } => {
            errors::argument(error.to_string())
        }
    }
}

/// The choice of that name.
fn choice<T: OptionType<Limits = ()>>(name: &str, text: &str) -> PyResult<T> {
    T::parse(text, &()).map_err(|allowed| errors::argument(format!("{name} must be {allowed}, not '{text}'")))
}

/// The name of a choice.
fn named(choice: &impl OptionType) -> String {
    match choice.value() {
        OptionValue::Name(name) => name,
        other => other.to_string(),
    }
}

fn autoreset(value: &Bound<'_, PyAny>) -> PyResult<Autoreset> {
    if let Ok(switch) = value.cast::<PyBool>() {
        return Ok(if switch.is_true() { Autoreset::SameStep } else { Autoreset::Disabled });
    }
    match value.cast::<PyString>() {
        Ok(text) => choice("autoreset", &text.to_cow()?),
        Err(_) => Err(PyTypeError::new_err(format!(
            "autoreset must be True, False or one of {}, not {}",
            Autoreset::allowed(&()),
            value.get_type().name()?
        ))),
    }
}

/// One agent for all seats, or several.
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
            "an opponent is an Agent or text such as 'ismcts:iterations=100', not {kind}"
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
                let message = format!("seat must be a player's number, 'rotate' or 'random', not '{other}'");
                Err(errors::argument(message))
            }
        };
    }
    value.extract::<Number>()?.seat_of(game.face()).map(LearnerSeat::Fixed)
}

/// Seeds as somebody gave them.
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

/// Whole numbers as int64, one for each lane.
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
        let message = format!("{name} must be whole numbers, one for each lane, not {dtype} of shape {shape}");
        return Err(if dimensions == 1 { PyTypeError::new_err(message) } else { errors::argument(message) });
    }
    let array = numpy.call_method1("ascontiguousarray", (array, "int64"))?;
    ready(&array).ok_or_else(|| PyTypeError::new_err(format!("{name} must be whole numbers")))
}

/// Which lanes, if not all.
fn lanes_of<'py>(value: Option<&Bound<'py, PyAny>>) -> PyResult<Option<Vec<bool>>> {
    let Some(value) = value else { return Ok(None) };
    let array = value.py().import("numpy")?.call_method1("asarray", (value,))?;
    match array.cast::<PyArray1<bool>>() {
        Ok(mask) => Ok(Some(mask.try_readonly()?.as_array().to_vec())),
        Err(_) => {
            let (dtype, shape) = (array.getattr("dtype")?, array.getattr("shape")?);
            Err(PyTypeError::new_err(format!("mask must be bool, one for each lane, not {dtype} of shape {shape}")))
        }
    }
}

impl VectorEnv {
    fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        match self.inner.try_lock() {
            Ok(inner) => Ok(inner),
            // A panic leaves the lanes in the middle of a step.
            Err(TryLockError::Poisoned(_)) => Err(PyRuntimeError::new_err("an earlier call has failed half way")),
            Err(TryLockError::WouldBlock) => {
                Err(PyRuntimeError::new_err("the lanes are being stepped in another thread: one call at a time"))
            }
        }
    }

    /// Has the lanes do something, without the interpreter.
    fn run(
        &self,
        py: Python<'_>,
        inner: &mut Inner,
        arrays: &mut Borrowed<'_>,
        work: impl FnOnce(&mut dyn DynVector, Rows<'_>) -> Result<(), VectorError> + Send,
    ) -> PyResult<()> {
        let (lanes, rows) = (&mut *inner.lanes, arrays.rows()?);
        let done = if lanes.is_instant() {
            py.detach(|| work(lanes, rows))
        } else {
            self.interrupt.store(false, Ordering::Relaxed);
            watched::<_, ()>(py, &self.interrupt, |_| work(lanes, rows), |_| Ok(()))?
        };
        done.map_err(refused)?;
        inner.fresh = false;
        Ok(())
    }

    /// The same, into a batch.
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
        // After an error, the next turn is still this one's.
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
        tensor="observation", opponents=None, seat=None, copy=true),
        text_signature = "(game, num_envs, *, seed=0, threads=0, autoreset=True, observation='float32', \
        tensor='observation', opponents=None, seat=None, copy=True)")]
    #[expect(clippy::too_many_arguments, reason = "the settings, one by one")]
    fn new(
        py: Python<'_>,
        game: &Game,
        num_envs: Number,
        seed: Seed,
        threads: Number,
        autoreset: Option<&Bound<'_, PyAny>>,
        observation: Option<&str>,
        tensor: &str,
        opponents: Option<&Bound<'_, PyAny>>,
        seat: Option<&Bound<'_, PyAny>>,
        copy: bool,
    ) -> PyResult<Self> {
        if seat.is_some() && opponents.is_none() {
            return Err(errors::argument("seat is the learner's among opponents: there are none"));
        }
        let opponents = opponents.map(|agents| {
            Ok::<_, PyErr>(Opponents { agents: self::opponents(game, agents)?, learner: learner(game, seat)? })
        });
        let settings = Settings {
            lanes: num_envs.between("num_envs", 1, MOST_LANES)? as usize,
            seed: seed.0,
            threads: threads.between("threads", 0, MOST_THREADS)? as usize,
            autoreset: autoreset.map_or(Ok(Autoreset::SameStep), self::autoreset)?,
            tensor: choice("tensor", tensor)?,
            opponents: opponents.transpose()?,
        };
        let format = Format::of(observation)?;
        if settings.tensor == Tensor::InformationState && format == Format::Uint8 {
            return Err(refused(VectorError::Bytes));
        }
        let interrupt = Arc::<AtomicBool>::default();
        let make = || game.face().vector(settings.clone(), interrupt.clone());
        let lanes = watched::<_, ()>(py, &interrupt, |_| make(), |_| Ok(()))?.map_err(refused)?;
        let shape = lanes.shape();
        let inner = Mutex::new(Inner { lanes, fresh: true, batches: Vec::new() });
        Ok(Self { game: game.clone(), shape, format, copy, settings, interrupt, inner })
    }

    /// The game.
    #[getter]
    fn game(&self) -> Game {
        self.game.clone()
    }

    /// The number of lanes.
    #[getter]
    fn num_envs(&self) -> usize {
        self.settings.lanes
    }

    /// What becomes of a lane whose game has ended: `"same_step"`, `"next_step"` or `"disabled"`.
    #[getter]
    fn autoreset(&self) -> String {
        named(&self.settings.autoreset)
    }

    /// The shape of one lane's tensor, whether it is shown or not.
    #[getter]
    fn observation_shape(&self) -> (usize,) {
        (self.shape.tensor,)
    }

    /// The seeds of the lanes' present games, as a new uint64 array (n,).
    #[getter]
    fn seeds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        Ok(self.lock()?.lanes.seeds().into_pyarray(py))
    }

    /// Deals a new game in every lane, or in the lanes of `mask`, a bool array (n,). The batch shows all lanes.
    ///
    /// A `seed` begins anew: a number from which the lanes' seeds are hashed, or one seed for each lane. Without one, every lane goes on
    /// to its next game; but the first call shows the first games. Raises `ValueError` for seeds or a mask of another length.
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

    /// Plays one action in each lane: whole numbers (n,). What it ends or leads to, the batch shows.
    ///
    /// Raises `IllegalActionError`, which names the first lane with an illegal action, `ValueError` for another shape, `TypeError` for
    /// what are no whole numbers; no lane moves then.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<Py<Batch>> {
        let actions = numbers("actions", actions)?;
        let actions = actions.as_slice()?;
        self.batch(py, |lanes, rows| lanes.step(actions, rows))
    }

    /// The lanes as they are, with no rewards.
    fn observe(&self, py: Python<'_>) -> PyResult<Py<Batch>> {
        let fresh = self.lock()?.fresh;
        let batch = self.batch(py, |lanes, rows| lanes.observe(rows))?;
        self.lock()?.fresh = fresh;
        Ok(batch)
    }

    /// `step` into the caller's own C-contiguous arrays, named as in `Batch`; those that are not given are not written.
    /// Observations may be float32 or uint8, masks int8, bool or uint8.
    ///
    /// Raises what `step` raises, and for an array of another shape, kind or order `ValueError` or `TypeError`, before anything moves.
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

    /// `reset` into the caller's own arrays: see `step_into`.
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

    /// A legal action for each lane, uniformly, as a new int64 array (n,); any action where it makes no difference.
    ///
    /// The k-th call, counted from 0, since the lanes were given seeds draws from the stream of (seed, "actions", k), lane after lane;
    /// after seeds for each lane it is the seed of the constructor.
    fn sample_actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let mut actions = vec![0; self.settings.lanes];
        self.lock()?.lanes.sample_actions(&mut actions).map_err(refused)?;
        Ok(actions.into_pyarray(py))
    }

    /// What all players together see in each lane, hidden hands included, as a new uint8 array (n, players, D): the observation of the
    /// current player first, then of those after it in turn. For critics while training; nothing else gives away what is hidden.
    fn perfect_information_observation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let shape = [self.settings.lanes, self.shape.seats, self.game.observation_size()];
        let mut bytes = vec![0; shape.iter().product()];
        self.lock()?.lanes.perfect_information(&mut bytes).map_err(refused)?;
        bytes.into_pyarray(py).reshape(shape)
    }

    /// A copy of one lane, 0 to n - 1, as a state, history included. It deals itself and goes on as the lane would.
    fn state(&self, lane: Number) -> PyResult<State> {
        let lane = lane.between("lane", 0, self.settings.lanes as i64 - 1)? as usize;
        Ok(State::new(self.game.clone(), self.lock()?.lanes.state(lane).map_err(refused)?))
    }

    /// Everything that the future depends on, as bytes: seeds, decisions, calls of `sample_actions`.
    fn get_state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.lock()?.lanes.save()))
    }

    /// Goes on where `get_state` was called, on lanes of the same game, number and opponents; `observe` shows where that is.
    ///
    /// Raises `RecordError` for other bytes; nothing changes then.
    fn set_state(&self, state: &[u8]) -> PyResult<()> {
        let mut inner = self.lock()?;
        inner.lanes.load(state).map_err(refused)?;
        inner.fresh = false;
        Ok(())
    }

    fn __len__(&self) -> usize {
        self.settings.lanes
    }

    fn __repr__(&self) -> String {
        let opponents = self.settings.opponents.as_ref().map_or(String::new(), |opponents| {
            let agents: Vec<String> = opponents.agents.iter().map(|spec| format!("'{spec}'")).collect();
            format!(", against {}", agents.join(", "))
        });
        format!("<stier.VectorEnv of {} lanes of {}{opponents}>", self.settings.lanes, self.game.text())
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let named_arguments = PyDict::new(py);
        named_arguments.set_item("seed", self.settings.seed)?;
        named_arguments.set_item("threads", self.settings.threads)?;
        named_arguments.set_item("autoreset", named(&self.settings.autoreset))?;
        named_arguments.set_item("observation", self.format.name())?;
        named_arguments.set_item("tensor", named(&self.settings.tensor))?;
        named_arguments.set_item("copy", self.copy)?;
        if let Some(opponents) = &self.settings.opponents {
            let agents: Vec<String> = opponents.agents.iter().map(ToString::to_string).collect();
            named_arguments.set_item("opponents", agents)?;
            match opponents.learner {
                LearnerSeat::Fixed(seat) => named_arguments.set_item("seat", seat.0)?,
                LearnerSeat::Rotate => named_arguments.set_item("seat", "rotate")?,
                LearnerSeat::Random => named_arguments.set_item("seat", "random")?,
            }
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
