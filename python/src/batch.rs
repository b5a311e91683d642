//! `stier.Batch`.

use pyo3::prelude::*;
use stier_agents::batch::vector::Shape;

use crate::arrays::{Arrays, Borrowed, Format};

/// The state of all environments of a `VectorEnv` as arrays. The first axis is the environment.
///
/// Shapes: n environments, D numbers per tensor (`VectorEnv.observation_shape`), A actions
/// (`Game.num_distinct_actions`). Every row is from the view of the environment's current player. Rewards are by seat.
#[pyclass(frozen, module = "stier")]
pub(crate) struct Batch {
    /// The observations of the current players, float32 or uint8 (n, D). In an environment whose game is over, the
    /// observation of the player who acted last. `None` without tensors.
    #[pyo3(get)]
    observation: Option<Py<PyAny>>,
    /// The last observation of each game that the step ended, as seen by the player who acted, with
    /// `autoreset="same_step"`. Rows where `terminated` is false have no meaning. `None` in other modes.
    #[pyo3(get)]
    final_observation: Option<Py<PyAny>>,
    /// uint8.
    mask: Py<PyAny>,
    /// The rewards of the step, float32 (n, players): the returns where the step ended a game, and zeros elsewhere.
    #[pyo3(get)]
    rewards: Py<PyAny>,
    /// True where the game of the environment is over, bool (n,): after the step that ended it, and in environments
    /// that stay over.
    #[pyo3(get)]
    terminated: Py<PyAny>,
    /// The player to move, int32 (n,). `stier.TERMINAL` in environments whose game is over. Always the learner if there
    /// are opponents.
    #[pyo3(get)]
    current_player: Py<PyAny>,
}

impl Batch {
    /// Makes uninitialised arrays.
    pub(crate) fn empty(
        py: Python<'_>,
        lanes: usize,
        shape: &Shape,
        format: Format,
        with_final: bool,
    ) -> PyResult<Self> {
        let empty = py.import("numpy")?.getattr("empty")?;
        let table = |width: usize, kind: &str| PyResult::Ok(empty.call1(((lanes, width), kind))?.unbind());
        let row = |kind: &str| PyResult::Ok(empty.call1((lanes, kind))?.unbind());
        Ok(Self {
            observation: format.name().map(|kind| table(shape.tensor, kind)).transpose()?,
            final_observation: format
                .name()
                .filter(|_| with_final)
                .map(|kind| table(shape.tensor, kind))
                .transpose()?,
            mask: table(shape.actions, "uint8")?,
            rewards: table(shape.seats, "float32")?,
            terminated: row("bool")?,
            current_player: row("int32")?,
        })
    }

    /// Returns true if there is no other reference to any of the arrays. Only valid while the caller is the only owner
    /// of the batch.
    pub(crate) fn is_idle(&self, py: Python<'_>) -> bool {
        let optional = self.observation.iter().chain(&self.final_observation);
        let arrays = optional.chain([&self.mask, &self.rewards, &self.terminated, &self.current_player]);
        arrays.into_iter().all(|array| is_unshared(py, array))
    }

    /// Borrows the arrays for writing.
    pub(crate) fn borrow<'py>(&self, py: Python<'py>, lanes: usize, shape: &Shape) -> PyResult<Borrowed<'py>> {
        let bound = |array: &Py<PyAny>| array.bind(py).clone();
        let arrays = Arrays {
            observation: self.observation.as_ref().map(bound),
            final_observation: self.final_observation.as_ref().map(bound),
            action_mask: Some(bound(&self.mask)),
            rewards: Some(bound(&self.rewards)),
            terminated: Some(bound(&self.terminated)),
            current_player: Some(bound(&self.current_player)),
        };
        arrays.borrow(lanes, shape)
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
        self.mask.bind(py).call_method1("view", ("int8",))
    }

    /// The same bytes as bool (n, A).
    #[getter]
    fn legal_action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.mask.bind(py).call_method1("view", ("bool",))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let shape: (usize, usize) = self.mask.bind(py).getattr("shape")?.extract()?;
        Ok(format!("<stier.Batch of {} environments, {} actions>", shape.0, shape.1))
    }
}
