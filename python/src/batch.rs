//! `stier.Batch`.

use pyo3::prelude::*;
use stier_agents::batch::vector::Shape;

use crate::arrays::{Borrowed, mask, numbers, writable};

/// The state of all environments of a `VectorEnv` as arrays. The first axis is the environment.
///
/// Shapes: n environments, D numbers per tensor (`VectorEnv.observation_shape`), A actions
/// (`Game.num_distinct_actions`). Every row is from the view of the environment's current player. Rewards are by seat.
#[pyclass(frozen, module = "stier")]
pub(crate) struct Batch {
    /// The observations of the current players, float32 or uint8 (n, D). In an environment whose game is over, the
    /// observation of the player who acted last. `None` without tensors.
    #[pyo3(get)]
    pub(crate) observation: Option<Py<PyAny>>,
    /// The last observation of each game that the step ended, as seen by the player who acted, with
    /// `autoreset="same_step"`. Rows where `terminated` is false have no meaning. `None` in other modes.
    #[pyo3(get)]
    pub(crate) final_observation: Option<Py<PyAny>>,
    /// uint8.
    pub(crate) mask: Option<Py<PyAny>>,
    /// The rewards of the step, float32 (n, players): the returns where the step ended a game, and zeros elsewhere.
    #[pyo3(get)]
    pub(crate) rewards: Option<Py<PyAny>>,
    /// True where the game of the environment is over, bool (n,): after the step that ended it, and in environments
    /// that stay over.
    #[pyo3(get)]
    pub(crate) terminated: Option<Py<PyAny>>,
    /// The player to move, int32 (n,). `stier.TERMINAL` in environments whose game is over. Always the learner if there
    /// are opponents.
    #[pyo3(get)]
    pub(crate) current_player: Option<Py<PyAny>>,
}

impl Batch {
    /// Makes uninitialised arrays.
    pub(crate) fn empty(
        py: Python<'_>,
        lanes: usize,
        shape: &Shape,
        format: Option<&str>,
        with_final: bool,
    ) -> PyResult<Self> {
        let empty = py.import("numpy")?.getattr("empty")?;
        let table = |width: usize, kind: &str| PyResult::Ok(Some(empty.call1(((lanes, width), kind))?.unbind()));
        let tensors = |kind: Option<&str>| kind.map_or(Ok(None), |kind| table(shape.tensor, kind));
        let row = |kind: &str| PyResult::Ok(Some(empty.call1((lanes, kind))?.unbind()));
        Ok(Self {
            observation: tensors(format)?,
            final_observation: tensors(format.filter(|_| with_final))?,
            mask: table(shape.actions, "uint8")?,
            rewards: table(shape.seats, "float32")?,
            terminated: row("bool")?,
            current_player: row("int32")?,
        })
    }

    /// Returns true if there is no other reference to any of the arrays. Only valid while the caller is the only owner
    /// of the batch.
    pub(crate) fn is_idle(&self, py: Python<'_>) -> bool {
        let Self { observation, final_observation, mask, rewards, terminated, current_player } = self;
        let arrays = [observation, final_observation, mask, rewards, terminated, current_player];
        arrays.into_iter().flatten().all(|array| is_unshared(py, array))
    }

    /// Checks and borrows the arrays for writing.
    pub(crate) fn borrow<'py>(&self, py: Python<'py>, lanes: usize, shape: &Shape) -> PyResult<Borrowed<'py>> {
        let tensors = |name, array: &Option<Py<_>>| {
            array.as_ref().map(|array| numbers(name, array.bind(py), &[lanes, shape.tensor])).transpose()
        };
        let bound = |array: &Option<Py<PyAny>>| array.as_ref().map(|array| array.bind(py).clone());
        let rewards = |array| writable("rewards", "float32", &array, &[lanes, shape.seats]);
        let terminated = |array| writable("terminated", "bool", &array, &[lanes]);
        let current_player = |array| writable("current_player", "int32", &array, &[lanes]);
        Ok(Borrowed {
            observation: tensors("observation", &self.observation)?,
            final_observation: tensors("final_observation", &self.final_observation)?,
            action_mask: bound(&self.mask).map(|array| mask(&array, &[lanes, shape.actions])).transpose()?,
            rewards: bound(&self.rewards).map(rewards).transpose()?,
            terminated: bound(&self.terminated).map(terminated).transpose()?,
            current_player: bound(&self.current_player).map(current_player).transpose()?,
        })
    }
}

/// Returns true if this reference to an object is the only one.
pub(crate) fn is_unshared<T>(_py: Python<'_>, object: &Py<T>) -> bool {
    // SAFETY: the object lives as long as the reference to it, and this thread is attached to the interpreter. The
    // count is worth an unsafe call: large new arrays at every step are slow, because the kernel hands out their pages
    // each time.
    #[allow(unsafe_code)]
    unsafe {
        pyo3::ffi::Py_REFCNT(object.as_ptr()) == 1
    }
}

#[pymethods]
impl Batch {
    /// The legal actions of the current players, int8 (n, A) of 0 and 1. All 1 in environments that ignore their next
    /// action.
    #[getter]
    fn action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.mask.as_ref().into_pyobject(py)?.call_method1("view", ("int8",))
    }

    /// The same bytes as bool (n, A).
    #[getter]
    fn legal_action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.mask.as_ref().into_pyobject(py)?.call_method1("view", ("bool",))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let shape: (usize, usize) = self.mask.as_ref().into_pyobject(py)?.getattr("shape")?.extract()?;
        Ok(format!("<stier.Batch of {} environments, {} actions>", shape.0, shape.1))
    }
}
