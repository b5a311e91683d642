//! Arrays of the caller, and tensors in new ones.

use numpy::ndarray::Dimension;
use numpy::{
    Element, IntoPyArray as _, PyArray, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods as _, PyReadonlyArray1,
    PyReadwriteArray, PyReadwriteArray1, PyReadwriteArray2, PyUntypedArrayMethods as _,
};
use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use stier_agents::batch::vector::{Cells, Rows};

use crate::errors;
use crate::run::guarded;

/// The name of a number format of tensors; `None` for no tensors.
pub(crate) fn format_of(text: Option<&str>) -> PyResult<Option<&'static str>> {
    let known = |text: &str| ["float32", "uint8"].into_iter().find(|known| *known == text);
    let refused = |text| errors::argument(format!("observation must be 'float32', 'uint8' or None, got '{text}'"));
    text.map(|text| known(text).ok_or_else(|| refused(text))).transpose()
}

/// Tensors borrowed for writing.
pub(crate) enum Numbers<'py> {
    Floats(PyReadwriteArray2<'py, f32>),
    Bytes(PyReadwriteArray2<'py, u8>),
}

/// Arrays borrowed for writing.
pub(crate) struct Borrowed<'py> {
    pub(crate) observation: Option<Numbers<'py>>,
    pub(crate) final_observation: Option<Numbers<'py>>,
    pub(crate) action_mask: Option<PyReadwriteArray2<'py, u8>>,
    pub(crate) rewards: Option<PyReadwriteArray2<'py, f32>>,
    pub(crate) terminated: Option<PyReadwriteArray1<'py, bool>>,
    pub(crate) current_player: Option<PyReadwriteArray1<'py, i32>>,
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

/// Borrows tensors in the format of the array.
pub(crate) fn numbers<'py>(name: &str, array: &Bound<'py, PyAny>, dimensions: &[usize]) -> PyResult<Numbers<'py>> {
    if array.cast::<PyArray2<u8>>().is_ok() {
        return writable(name, "uint8", array, dimensions).map(Numbers::Bytes);
    }
    writable(name, "float32 or uint8", array, dimensions).map(Numbers::Floats)
}

/// Borrows a mask of 0 and 1, of any type with one byte per entry.
pub(crate) fn mask<'py>(array: &Bound<'py, PyAny>, dimensions: &[usize]) -> PyResult<PyReadwriteArray2<'py, u8>> {
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
pub(crate) fn tensors<'py>(
    py: Python<'py>,
    dtype: &str,
    shape: [usize; 2],
    write: impl FnOnce(Cells<'_>) + Send,
) -> PyResult<Bound<'py, PyAny>> {
    if format_of(Some(dtype))? == Some("uint8") {
        return py.detach(|| Array::filled(&shape, |bytes| write(Cells::Bytes(bytes))))?.into_bound_py_any(py);
    }
    py.detach(|| Array::filled(&shape, |floats| write(Cells::Floats(floats))))?.into_bound_py_any(py)
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
