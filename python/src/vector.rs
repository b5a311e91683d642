//! `stier.VectorEnv`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use stier_agents::batch::vector::{Autoreset, Opponents, Rows, Seeds, Shape, VectorError};
use stier_agents::erased::DynVector;

use crate::arrays::{Array, Batch, Borrowed, is_unshared, mask_of, whole_numbers};
use crate::errors;
use crate::game::{AnyGame, Game};
use crate::run::{guarded, watched};
use crate::state::State;
use crate::values::{Number, Seed};
use crate::vector_settings::{VectorSettings, agents_of, texts};

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
/// environment. They are agents of the engine, whose options are copied: text, `Agent` objects, or `module:name` of one
/// or of what makes one; a single agent for all other seats, or a list, clockwise from the learner. Each uses only what its
/// seat knows. It remembers nothing between decisions: its seed is
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
///         from 1 is equally likely, so to keep the action barred for a whole game, set this above the last decision at
///         which it is legal. Only with a barred action.
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
    /// The game.
    #[pyo3(get)]
    game: Game,
    shape: Shape,
    /// As given to the constructor; `Inner::lanes` has the present opponents.
    given: VectorSettings,
    interrupt: Arc<AtomicBool>,
    inner: Mutex<Inner>,
}

struct Inner {
    lanes: Box<dyn DynVector>,
    /// True until the first step or reset: the first games have been dealt.
    fresh: bool,
    /// True if a game failed in the middle of a step.
    failed: bool,
    /// Batches handed to the caller, oldest first. A batch is used again when the caller has dropped it, or in rotation
    /// with `copy=False`.
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
        VectorError::Halted(_) => errors::halted(error),
        _ => errors::argument(error),
    }
}

/// Reads the seeds given by the caller, with a place for more than one.
fn seeds_of<'a>(value: Option<&Bound<'_, PyAny>>, each: &'a mut Vec<u64>) -> PyResult<Seeds<'a>> {
    let Some(value) = value else { return Ok(Seeds::Next) };
    let Ok(seeds) = value.try_iter() else { return Ok(Seeds::One(value.extract::<Seed>()?.0)) };
    *each = seeds.map(|seed| Ok(seed?.extract::<Seed>()?.0)).collect::<PyResult<_>>()?;
    Ok(Seeds::Each(each))
}

impl VectorEnv {
    fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        match self.inner.try_lock() {
            Ok(inner) if !inner.failed => Ok(inner),
            // So does a panic.
            Ok(_) | Err(TryLockError::Poisoned(_)) => {
                Err(errors::halted("an earlier call failed in the middle of a step; make new environments"))
            }
            Err(TryLockError::WouldBlock) => {
                Err(errors::halted("the environments are in use by another thread; make one call at a time"))
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
            watched(py, &self.interrupt, || work(lanes, rows))
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
        let count = self.given.engine.lanes;
        let new = || {
            let with_final = self.given.engine.autoreset == Autoreset::SameStep;
            Py::new(py, Batch::empty(py, count, &self.shape, self.given.format, with_final)?)
        };
        let idle = |batch: &Py<Batch>| is_unshared(py, batch) && batch.get().is_idle(py);
        let again = match self.given.copy {
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
        seeds: Seeds<'a>,
        mask: Option<&'a [bool]>,
    ) -> impl FnOnce(&mut dyn DynVector, Rows<'_>) -> Result<(), VectorError> + Send {
        move |lanes, rows| match seeds {
            // The first games have been dealt already.
            Seeds::Next if fresh => lanes.observe(rows),
            seeds => lanes.reset(seeds, mask, rows),
        }
    }
}

#[pymethods]
impl VectorEnv {
    #[new]
    #[pyo3(signature = (game, num_envs, **keywords),
        text_signature = "(game, num_envs, *, seed=0, threads=0, autoreset=True, observation='float32', \
        tensor='observation', opponents=None, seat=None, opening=None, opening_share=None, \
        opening_decisions=None, barred=None, barred_share=None, barred_decisions=None, beliefs=None, copy=True)")]
    fn new(py: Python<'_>, game: AnyGame, num_envs: Number, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let AnyGame(game) = game;
        let given = VectorSettings::of(py, &game, &num_envs, keywords)?;
        let interrupt = Arc::<AtomicBool>::default();
        let make = || game.face().vector(given.engine.clone(), interrupt.clone());
        let lanes = watched(py, &interrupt, make)?.map_err(refused)?;
        let shape = lanes.shape();
        let inner = Mutex::new(Inner { lanes, fresh: true, failed: false, batches: Vec::new() });
        Ok(Self { game, shape, given, interrupt, inner })
    }

    /// The number of environments.
    #[getter]
    fn num_envs(&self) -> usize {
        self.given.engine.lanes
    }

    /// The treatment of an environment whose game has ended: `"same_step"`, `"next_step"` or `"disabled"`.
    #[getter]
    fn autoreset(&self) -> &'static str {
        self.given.engine.autoreset.name()
    }

    /// The shape of the tensor of one environment, even if no tensors are shown.
    #[getter]
    fn observation_shape(&self) -> (usize,) {
        (self.shape.tensor,)
    }

    /// The seeds of the current games, as a new uint64 array (n,).
    #[getter]
    fn seeds(&self) -> PyResult<Array<u64>> {
        Ok(Array::row(self.lock()?.lanes.seeds()))
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
        let mut each = Vec::new();
        let (seeds, mask, fresh) = (seeds_of(seed, &mut each)?, mask_of(mask)?, self.lock()?.fresh);
        self.batch(py, Self::reset_work(fresh, seeds, mask.as_deref()))
    }

    /// Plays one action in each environment: whole numbers (n,). The batch shows the result.
    ///
    /// Raises `IllegalActionError`, which names the first environment with an illegal action, `ValueError` for the
    /// wrong shape, and `TypeError` unless the actions are whole numbers. Invalid actions raise before any environment
    /// is stepped.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<Py<Batch>> {
        let actions = whole_numbers("actions", actions)?;
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
    fn step_into(
        &self,
        py: Python<'_>,
        actions: &Bound<'_, PyAny>,
        observation: Option<Py<PyAny>>,
        action_mask: Option<Py<PyAny>>,
        rewards: Option<Py<PyAny>>,
        terminated: Option<Py<PyAny>>,
        current_player: Option<Py<PyAny>>,
        final_observation: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let actions = whole_numbers("actions", actions)?;
        let actions = actions.as_slice()?;
        let arrays = Batch { observation, final_observation, mask: action_mask, rewards, terminated, current_player };
        let mut arrays = arrays.borrow(py, self.given.engine.lanes, &self.shape)?;
        self.run(py, &mut *self.lock()?, &mut arrays, |lanes, rows| lanes.step(actions, rows))
    }

    /// Resets into arrays of the caller; see `step_into`.
    #[pyo3(signature = (seed=None, mask=None, *, observation=None, action_mask=None, rewards=None, terminated=None,
        current_player=None))]
    fn reset_into(
        &self,
        py: Python<'_>,
        seed: Option<&Bound<'_, PyAny>>,
        mask: Option<&Bound<'_, PyAny>>,
        observation: Option<Py<PyAny>>,
        action_mask: Option<Py<PyAny>>,
        rewards: Option<Py<PyAny>>,
        terminated: Option<Py<PyAny>>,
        current_player: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let mut each = Vec::new();
        let (seeds, mask) = (seeds_of(seed, &mut each)?, mask_of(mask)?);
        let (final_observation, mask_to) = (None, action_mask);
        let arrays = Batch { observation, final_observation, mask: mask_to, rewards, terminated, current_player };
        let mut arrays = arrays.borrow(py, self.given.engine.lanes, &self.shape)?;
        let mut inner = self.lock()?;
        let work = Self::reset_work(inner.fresh, seeds, mask.as_deref());
        self.run(py, &mut inner, &mut arrays, work)
    }

    /// Draws a legal action for each environment, uniformly, as a new int64 array (n,). Environments that ignore their
    /// action get an arbitrary one.
    ///
    /// Call k, counted from 0 since the environments were seeded, draws from the stream of (seed, "actions", k),
    /// environment after environment. If `reset` was given one seed per environment, this is the seed of the
    /// constructor.
    fn sample_actions(&self) -> PyResult<Array<i64>> {
        let mut actions = vec![0; self.given.engine.lanes];
        let mut inner = self.lock()?;
        guarded(|| inner.lanes.sample_actions(&mut actions))?.map_err(refused)?;
        Ok(Array::row(actions))
    }

    /// The observations of all players in each environment, hidden hands included, as a new uint8 array (n, players,
    /// D): the current player first, then the other players in turn. For critics during training. No other method
    /// reveals hidden information.
    fn perfect_information_observation(&self) -> PyResult<Array<u8>> {
        let shape = [self.given.engine.lanes, self.shape.seats, self.game.observation_size()];
        let mut bytes = vec![0; shape.iter().product()];
        let inner = self.lock()?;
        guarded(|| inner.lanes.perfect_information(&mut bytes))?.map_err(refused)?;
        Ok(Array::of(bytes, &shape))
    }

    /// The number of decisions, from the present one on, at which the barred action may not be chosen in each environment,
    /// as a new uint32 array (n,); 0 where it may, and in environments that are finished. For critics during training, like
    /// `perfect_information_observation`.
    fn barred_left(&self) -> PyResult<Array<u32>> {
        Ok(Array::row(self.lock()?.lanes.barred_left()))
    }

    /// Returns a copy of one environment, 0 to n - 1, as a state with its history. It deals itself and continues as the
    /// environment would.
    fn state(&self, index: Number) -> PyResult<State> {
        let index = index.between("index", 0, self.given.engine.lanes as i64 - 1)? as usize;
        let inner = self.lock()?;
        Ok(State::new(self.game.clone(), guarded(|| inner.lanes.state(index))?.map_err(refused)?))
    }

    /// Replaces the opponents, also in games that have begun, with agents as in the constructor. Seats, seeds and games
    /// stay as they are. The first games begin with the environments, so the first opponents may have acted in them.
    ///
    /// Raises `AgentError` as the constructor does, and `ValueError` if the environments were made without opponents.
    fn set_opponents(&self, opponents: &Bound<'_, PyAny>) -> PyResult<()> {
        let agents = agents_of(&self.game, opponents)?;
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
        self.given.engine.lanes
    }

    fn __repr__(&self) -> String {
        // While another thread steps them, the opponents are left out.
        let opponents = self.lock().ok().and_then(|inner| inner.lanes.settings().opponents.clone());
        let opponents = opponents
            .map_or(String::new(), |opponents| format!(", against '{}'", texts(&opponents.agents).join("', '")));
        format!("<stier.VectorEnv of {} environments of {}{opponents}>", self.given.engine.lanes, self.game.text())
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let keywords = self.given.keywords.bind(py).copy()?;
        if let Some(Opponents { agents, .. }) = &self.lock()?.lanes.settings().opponents {
            keywords.set_item("opponents", texts(agents))?;
        }
        Ok(((self.game.clone(), self.given.engine.lanes).into_pyobject(py)?, keywords))
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
