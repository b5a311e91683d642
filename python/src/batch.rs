//! `stier.Batch` and the arrays that a step writes to.

use numpy::{
    Element, PyArray1, PyArray2, PyArrayMethods as _, PyReadwriteArray1, PyReadwriteArray2, PyUntypedArrayMethods as _,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use stier_agents::batch::vector::{Cells, Rows, Shape};

use crate::errors;

/// The number format of tensors.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// float32.
    Float32,
    /// uint8.
    Uint8,
    /// No tensors.
    Nothing,
}

impl Format {
    /// Parses a format.
    pub(crate) fn of(text: Option<&str>) -> PyResult<Self> {
        match text {
            Some("float32") => Ok(Self::Float32),
            Some("uint8") => Ok(Self::Uint8),
            None => Ok(Self::Nothing),
            Some(other) => {
                let message = format!("observation must be 'float32', 'uint8' or None, got '{other}'");
                Err(errors::argument(message))
            }
        }
    }

    /// The name of the format.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Self::Float32 => Some("float32"),
            Self::Uint8 => Some("uint8"),
            Self::Nothing => None,
        }
    }
}

/// The state of all environments of a `VectorEnv` as arrays. The first axis is the environment.
///
/// Shapes: n environments, D numbers per tensor (`VectorEnv.observation_shape`), A actions
/// (`Game.num_distinct_actions`). Every row is from the view of the environment's current player. Rewards are by seat.
#[pyclass(frozen, module = "stier")]
pub(crate) struct Batch {
    observation: Option<Py<PyAny>>,
    final_observation: Option<Py<PyAny>>,
    /// uint8.
    mask: Py<PyAny>,
    rewards: Py<PyAny>,
    terminated: Py<PyAny>,
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
    /// The observations of the current players, float32 or uint8 (n, D). In an environment whose game is over, the
    /// observation of the player who acted last. `None` without tensors.
    #[getter]
    fn observation<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.observation.as_ref().map(|array| array.bind(py).clone())
    }

    /// The last observation of each game that the step ended, as seen by the player who acted, with
    /// `autoreset="same_step"`. Rows where `terminated` is false have no meaning. `None` in other modes.
    #[getter]
    fn final_observation<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.final_observation.as_ref().map(|array| array.bind(py).clone())
    }

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

    /// The rewards of the step, float32 (n, players): the returns where the step ended a game, and zeros elsewhere.
    #[getter]
    fn rewards<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.rewards.bind(py).clone()
    }

    /// True where the game of the environment is over, bool (n,): after the step that ended it, and in environments
    /// that stay over.
    #[getter]
    fn terminated<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.terminated.bind(py).clone()
    }

    /// The player to move, int32 (n,). `stier.TERMINAL` in environments whose game is over. Always the learner if there
    /// are opponents.
    #[getter]
    fn current_player<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.current_player.bind(py).clone()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let shape: (usize, usize) = self.mask.bind(py).getattr("shape")?.extract()?;
        Ok(format!("<stier.Batch of {} environments, {} actions>", shape.0, shape.1))
    }
}

/// Arrays given by the caller.
#[derive(Default)]
pub(crate) struct Arrays<'py> {
    pub(crate) observation: Option<Bound<'py, PyAny>>,
    pub(crate) final_observation: Option<Bound<'py, PyAny>>,
    pub(crate) action_mask: Option<Bound<'py, PyAny>>,
    pub(crate) rewards: Option<Bound<'py, PyAny>>,
    pub(crate) terminated: Option<Bound<'py, PyAny>>,
    pub(crate) current_player: Option<Bound<'py, PyAny>>,
}

/// Tensors borrowed for writing.
enum Table<'py> {
    Floats(PyReadwriteArray2<'py, f32>),
    Bytes(PyReadwriteArray2<'py, u8>),
}

/// Arrays borrowed for writing.
pub(crate) struct Borrowed<'py> {
    observation: Option<Table<'py>>,
    final_observation: Option<Table<'py>>,
    action_mask: Option<PyReadwriteArray2<'py, u8>>,
    rewards: Option<PyReadwriteArray2<'py, f32>>,
    terminated: Option<PyReadwriteArray1<'py, bool>>,
    current_player: Option<PyReadwriteArray1<'py, i32>>,
}

impl<'py> Arrays<'py> {
    /// Checks and borrows the arrays.
    pub(crate) fn borrow(self, lanes: usize, shape: &Shape) -> PyResult<Borrowed<'py>> {
        let tensors = |name: &str, array: Option<Bound<'py, PyAny>>| {
            array.map(|array| tensors(name, &array, [lanes, shape.tensor])).transpose()
        };
        Ok(Borrowed {
            observation: tensors("observation", self.observation)?,
            final_observation: tensors("final_observation", self.final_observation)?,
            action_mask: self.action_mask.map(|array| mask(&array, [lanes, shape.actions])).transpose()?,
            rewards: self
                .rewards
                .map(|array| table::<f32>("rewards", "float32", &array, [lanes, shape.seats]))
                .transpose()?,
            terminated: self.terminated.map(|array| row::<bool>("terminated", "bool", &array, lanes)).transpose()?,
            current_player: self
                .current_player
                .map(|array| row::<i32>("current_player", "int32", &array, lanes))
                .transpose()?,
        })
    }
}

/// The error for an array of the wrong type or shape.
fn other_kind(name: &str, kinds: &str, dimensions: &[usize], found: &Bound<'_, PyAny>) -> PyErr {
    let dimensions: Vec<String> = dimensions.iter().map(ToString::to_string).collect();
    let wanted = format!("{name} must be a C-contiguous {kinds} array of shape ({})", dimensions.join(", "));
    let (kind, shape) = (found.getattr("dtype"), found.getattr("shape"));
    match (kind, shape) {
        (Ok(kind), Ok(shape)) => errors::argument(format!("{wanted}, got {kind} of shape {shape}")),
        _ => {
            let kind = found.get_type().name().map_or("?".to_string(), |name| name.to_string());
            PyTypeError::new_err(format!("{wanted}, got {kind}"))
        }
    }
}

/// The error for an array of the right type and shape that cannot be written to.
fn unfit(name: &str, why: impl std::fmt::Display) -> PyErr {
    errors::argument(format!("{name} must be C-contiguous, writable and apart from the other arrays: {why}"))
}

fn table<'py, T: Element>(
    name: &str,
    kind: &str,
    array: &Bound<'py, PyAny>,
    dimensions: [usize; 2],
) -> PyResult<PyReadwriteArray2<'py, T>> {
    let fits = |array: &&Bound<'py, PyArray2<T>>| array.getattr("shape").is_ok_and(|shape| is(&shape, &dimensions));
    let found = array.cast::<PyArray2<T>>().ok().filter(fits);
    let found = found.ok_or_else(|| other_kind(name, kind, &dimensions, array))?;
    if !found.is_c_contiguous() {
        return Err(unfit(name, "the rows do not follow one another"));
    }
    found.try_readwrite().map_err(|why| unfit(name, why))
}

/// Checks and borrows an array of one dimension.
pub(crate) fn row<'py, T: Element>(
    name: &str,
    kind: &str,
    array: &Bound<'py, PyAny>,
    lanes: usize,
) -> PyResult<PyReadwriteArray1<'py, T>> {
    let fits = |array: &&Bound<'py, PyArray1<T>>| array.getattr("shape").is_ok_and(|shape| is(&shape, &[lanes]));
    let found = array.cast::<PyArray1<T>>().ok().filter(fits);
    let found = found.ok_or_else(|| other_kind(name, kind, &[lanes], array))?;
    if !found.is_c_contiguous() {
        return Err(unfit(name, "the values do not follow one another"));
    }
    found.try_readwrite().map_err(|why| unfit(name, why))
}

/// Returns true if a shape has these dimensions.
fn is(shape: &Bound<'_, PyAny>, dimensions: &[usize]) -> bool {
    shape.cast::<PyTuple>().is_ok_and(|shape| {
        shape.len() == dimensions.len()
            && shape
                .iter()
                .zip(dimensions)
                .all(|(found, &wanted)| found.extract().is_ok_and(|found: usize| found == wanted))
    })
}

/// Borrows tensors in the format of the array.
fn tensors<'py>(name: &str, array: &Bound<'py, PyAny>, dimensions: [usize; 2]) -> PyResult<Table<'py>> {
    if array.cast::<PyArray2<u8>>().is_ok() {
        return table(name, "uint8", array, dimensions).map(Table::Bytes);
    }
    table(name, "float32 or uint8", array, dimensions).map(Table::Floats)
}

/// Borrows a mask of 0 and 1, of any type with one byte per entry.
fn mask<'py>(array: &Bound<'py, PyAny>, dimensions: [usize; 2]) -> PyResult<PyReadwriteArray2<'py, u8>> {
    let byte = array.cast::<PyArray2<i8>>().is_ok() || array.cast::<PyArray2<bool>>().is_ok();
    let bytes = if byte { array.call_method1("view", ("uint8",))? } else { array.clone() };
    table("action_mask", "int8, bool or uint8", &bytes, dimensions)
}

impl Table<'_> {
    fn cells(&mut self) -> PyResult<Cells<'_>> {
        Ok(match self {
            Self::Floats(array) => Cells::Floats(array.as_slice_mut()?),
            Self::Bytes(array) => Cells::Bytes(array.as_slice_mut()?),
        })
    }
}

impl Borrowed<'_> {
    /// The arrays as slices for the engine.
    pub(crate) fn rows(&mut self) -> PyResult<Rows<'_>> {
        Ok(Rows {
            observation: self.observation.as_mut().map(Table::cells).transpose()?,
            final_observation: self.final_observation.as_mut().map(Table::cells).transpose()?,
            action_mask: self.action_mask.as_mut().map(|array| array.as_slice_mut()).transpose()?,
            rewards: self.rewards.as_mut().map(|array| array.as_slice_mut()).transpose()?,
            terminated: self.terminated.as_mut().map(|array| array.as_slice_mut()).transpose()?,
            current_player: self.current_player.as_mut().map(|array| array.as_slice_mut()).transpose()?,
        })
    }
}
