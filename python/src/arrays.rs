//! Arrays of the caller, new ones, and `stier.Batch`.

use std::borrow::Cow;

use numpy::ndarray::Dimension;
use numpy::{
    Element, IntoPyArray as _, Ix1, PyArray, PyArray1, PyArray2, PyArrayDescrMethods as _, PyArrayDyn,
    PyArrayMethods as _, PyReadonlyArray, PyReadonlyArray1, PyReadwriteArray, PyReadwriteArray1, PyReadwriteArray2,
    PyUntypedArray, PyUntypedArrayMethods as _,
};
use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use stier_agents::batch::vector::{Cells, Rows, Shape};
use stier_agents::solve::RowPass;
use stier_core::choice;

use crate::errors;
use crate::run::guarded;
use crate::values::choice;

choice! {
    /// The type of the numbers of tensors.
    pub(crate) enum Dtype { Float32 = "float32", Uint8 = "uint8" }
}

/// Tensors borrowed for writing.
enum Numbers<'py> {
    Floats(PyReadwriteArray2<'py, f32>),
    Bytes(PyReadwriteArray2<'py, u8>),
}

/// Arrays borrowed for writing.
pub(crate) struct Borrowed<'py> {
    observation: Option<Numbers<'py>>,
    final_observation: Option<Numbers<'py>>,
    action_mask: Option<PyReadwriteArray2<'py, u8>>,
    rewards: Option<PyReadwriteArray2<'py, f32>>,
    terminated: Option<PyReadwriteArray1<'py, bool>>,
    current_player: Option<PyReadwriteArray1<'py, i32>>,
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

/// Checks and borrows an array with these dimensions.
pub(crate) fn writable<'py, T: Element, D: Dimension>(
    name: &str,
    kind: &str,
    array: &Bound<'py, PyAny>,
    dimensions: &[usize],
) -> PyResult<PyReadwriteArray<'py, T, D>> {
    let found = array.cast::<PyArray<T, D>>().ok().filter(|array| array.shape() == dimensions);
    let found = found.ok_or_else(|| other_kind(name, kind, dimensions, array))?;
    if !found.is_c_contiguous() {
        return Err(unfit(name, "the values do not follow one another"));
    }
    found.try_readwrite().map_err(|why| unfit(name, why))
}

/// Does a pass that writes its results into these arrays of the caller: `regrets` and `reach` have so many rows, `values` and
/// `others` so many sets.
pub(crate) fn pass_into<T: Element, R>(
    [regrets, reach, values, others]: [&Bound<'_, PyAny>; 4],
    [rows, sets]: [usize; 2],
    pass: impl FnOnce(RowPass<'_, T>) -> PyResult<R>,
) -> PyResult<R> {
    let kind = T::get_dtype(regrets.py()).to_string();
    let array = |name, array, length| writable::<T, Ix1>(name, &kind, array, &[length]);
    let mut regrets = array("regrets", regrets, rows)?;
    let mut reach = array("reach", reach, rows)?;
    let mut values = array("values", values, sets)?;
    let mut others = array("others", others, sets)?;
    pass(RowPass {
        regrets: regrets.as_slice_mut()?,
        reach: reach.as_slice_mut()?,
        values: values.as_slice_mut()?,
        others: others.as_slice_mut()?,
    })
}

/// Borrows tensors in the format of the array.
fn numbers<'py>(name: &str, array: &Bound<'py, PyAny>, dimensions: &[usize]) -> PyResult<Numbers<'py>> {
    if array.cast::<PyArray2<u8>>().is_ok() {
        return writable(name, "uint8", array, dimensions).map(Numbers::Bytes);
    }
    writable(name, "float32 or uint8", array, dimensions).map(Numbers::Floats)
}

/// Borrows a mask of 0 and 1, of any type with one byte per entry.
fn mask<'py>(array: &Bound<'py, PyAny>, dimensions: &[usize]) -> PyResult<PyReadwriteArray2<'py, u8>> {
    let byte = array.cast::<PyArray2<i8>>().is_ok() || array.cast::<PyArray2<bool>>().is_ok();
    let bytes = if byte { array.call_method1("view", ("uint8",))? } else { array.clone() };
    writable("action_mask", "int8, bool or uint8", &bytes, dimensions)
}

impl Numbers<'_> {
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
            observation: self.observation.as_mut().map(Numbers::cells).transpose()?,
            final_observation: self.final_observation.as_mut().map(Numbers::cells).transpose()?,
            action_mask: self.action_mask.as_mut().map(|array| array.as_slice_mut()).transpose()?,
            rewards: self.rewards.as_mut().map(|array| array.as_slice_mut()).transpose()?,
            terminated: self.terminated.as_mut().map(|array| array.as_slice_mut()).transpose()?,
            current_player: self.current_player.as_mut().map(|array| array.as_slice_mut()).transpose()?,
        })
    }
}

/// Numbers that become a new array with this shape.
pub(crate) struct Array<T>(Vec<T>, Vec<usize>);

impl<T> Array<T> {
    /// A row of numbers.
    pub(crate) fn row(cells: impl IntoIterator<Item = T>) -> Self {
        let cells: Vec<T> = cells.into_iter().collect();
        let shape = vec![cells.len()];
        Self(cells, shape)
    }

    /// Numbers of this shape, in C order.
    pub(crate) fn of(cells: Vec<T>, shape: &[usize]) -> Self {
        Self(cells, shape.to_vec())
    }
}

impl<T: Default + Clone> Array<T> {
    /// Numbers that `write` fills in. A game may fail meanwhile.
    pub(crate) fn filled(shape: &[usize], write: impl FnOnce(&mut [T])) -> PyResult<Self> {
        let mut cells = vec![T::default(); shape.iter().product()];
        guarded(|| write(&mut cells)).map(|()| Self::of(cells, shape))
    }
}

impl<'py, T: Element> IntoPyObject<'py> for Array<T> {
    type Target = PyArrayDyn<T>;
    type Output = Bound<'py, Self::Target>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        let row = self.0.into_pyarray(py);
        if self.1.len() == 1 { Ok(row.to_dyn().clone()) } else { row.reshape(self.1) }
    }
}

/// New tensors of type `"float32"` or `"uint8"`, which `write` fills without the GIL.
pub(crate) fn tensors(
    py: Python<'_>,
    dtype: &str,
    shape: [usize; 2],
    write: impl FnOnce(Cells<'_>) + Send,
) -> PyResult<Py<PyAny>> {
    match choice("dtype", dtype)? {
        Dtype::Uint8 => py.detach(|| Array::filled(&shape, |bytes| write(Cells::Bytes(bytes))))?.into_py_any(py),
        Dtype::Float32 => py.detach(|| Array::filled(&shape, |floats| write(Cells::Floats(floats))))?.into_py_any(py),
    }
}

/// Real numbers of the caller: an array, or what `numpy.asarray` makes one of, in `D` dimensions and converted to `T`.
pub(crate) struct Reals<'py, T: Element, D: Dimension>(PyReadonlyArray<'py, T, D>);

impl<'py, T: Element, D: Dimension> std::ops::Deref for Reals<'py, T, D> {
    type Target = PyReadonlyArray<'py, T, D>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<'py, T: Element, D: Dimension> FromPyObject<'_, 'py> for Reals<'py, T, D> {
    type Error = PyErr;

    fn extract(object: pyo3::Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        if let Ok(array) = object.cast::<PyArray<T, D>>() {
            return Ok(Self(array.try_readonly()?));
        }
        let array = py.import("numpy")?.call_method1("asarray", (object,))?.cast_into::<PyUntypedArray>()?;
        let (dtype, shape) = (array.dtype(), array.shape());
        // Complex numbers, objects, texts and times.
        if b"cOSUmM".contains(&dtype.kind()) || D::NDIM.is_some_and(|dimensions| dimensions != shape.len()) {
            let dimensions = D::NDIM.unwrap_or_default();
            return Err(PyTypeError::new_err(format!(
                "it must be a {dimensions}-dimensional array of real numbers, got {dtype} of shape {shape:?}"
            )));
        }
        let array = array.call_method1("astype", (T::get_dtype(py),))?.cast_into::<PyArray<T, D>>()?;
        Ok(Self(array.try_readonly()?))
    }
}

/// An array of real numbers for each player.
pub(crate) struct PerPlayer<'py, T: Element>(Vec<Reals<'py, T, Ix1>>);

impl<'py, T: Element> FromPyObject<'_, 'py> for PerPlayer<'py, T> {
    type Error = PyErr;

    fn extract(object: pyo3::Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let arrays: PyResult<_> = object
            .extract::<Vec<Bound<'py, PyAny>>>()
            .and_then(|arrays| arrays.iter().map(|array| array.extract()).collect());
        let refused = |error: PyErr| match error.is_instance_of::<PyTypeError>(object.py()) {
            true => PyTypeError::new_err("it must be one array of real numbers with one dimension for each player"),
            false => error,
        };
        arrays.map(Self).map_err(refused)
    }
}

impl<T: Element + Clone> PerPlayer<'_, T> {
    /// The numbers, if there is one array for each player with as many as expected. `name` is that of the argument.
    pub(crate) fn slices(&self, name: &str, expected: &[usize]) -> PyResult<Vec<Cow<'_, [T]>>> {
        let found: Vec<usize> = self.0.iter().map(|array| array.len()).collect();
        if found != expected {
            return Err(errors::argument(format!(
                "{name} must be one array per player, of {expected:?} numbers, got {found:?}"
            )));
        }
        Ok(self.0.iter().map(Reals::numbers).collect())
    }
}

impl<T: Element + Clone> Reals<'_, T, Ix1> {
    /// The numbers.
    pub(crate) fn numbers(&self) -> Cow<'_, [T]> {
        match self.as_slice() {
            Ok(slice) => Cow::Borrowed(slice),
            Err(_) => Cow::Owned(self.as_array().to_vec()),
        }
    }
}

/// Reads whole numbers as int64, one for each environment.
pub(crate) fn whole_numbers<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray1<'py, i64>> {
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
pub(crate) fn mask_of<'py>(value: Option<&Bound<'py, PyAny>>) -> PyResult<Option<Vec<bool>>> {
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
        format: Option<Dtype>,
        with_final: bool,
    ) -> PyResult<Self> {
        let empty = py.import("numpy")?.getattr("empty")?;
        let table = |width: usize, kind: &str| PyResult::Ok(Some(empty.call1(((lanes, width), kind))?.unbind()));
        let tensors = |kind: Option<Dtype>| kind.map_or(Ok(None), |kind| table(shape.tensor, kind.name()));
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
