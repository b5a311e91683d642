//! Arrays of the caller, and tensors in new ones.

use numpy::ndarray::Dimension;
use numpy::{
    Element, IntoPyArray as _, PyArray, PyArray1, PyArray2, PyArrayMethods as _, PyReadonlyArray1, PyReadwriteArray,
    PyReadwriteArray1, PyReadwriteArray2, PyUntypedArrayMethods as _,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use stier_agents::batch::vector::{Cells, Rows, Shape};

use crate::errors;
use crate::run::guarded;

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

impl<'py> Arrays<'py> {
    /// Checks and borrows the arrays.
    pub(crate) fn borrow(self, lanes: usize, shape: &Shape) -> PyResult<Borrowed<'py>> {
        let tensors = |name, array: Option<_>| array.map(|array| numbers(name, &array, &[lanes, shape.tensor]));
        let rewards = |array| writable("rewards", "float32", &array, &[lanes, shape.seats]);
        let terminated = |array| writable("terminated", "bool", &array, &[lanes]);
        let current_player = |array| writable("current_player", "int32", &array, &[lanes]);
        Ok(Borrowed {
            observation: tensors("observation", self.observation).transpose()?,
            final_observation: tensors("final_observation", self.final_observation).transpose()?,
            action_mask: self.action_mask.map(|array| mask(&array, &[lanes, shape.actions])).transpose()?,
            rewards: self.rewards.map(rewards).transpose()?,
            terminated: self.terminated.map(terminated).transpose()?,
            current_player: self.current_player.map(current_player).transpose()?,
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

/// New tensors of type `"float32"` or `"uint8"`, which `write` fills without the GIL.
pub(crate) fn tensors<'py>(
    py: Python<'py>,
    dtype: &str,
    shape: [usize; 2],
    write: impl FnOnce(Cells<'_>) + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let size = shape.iter().product();
    if Format::of(Some(dtype))? == Format::Uint8 {
        let mut bytes = vec![0_u8; size];
        py.detach(|| guarded(|| write(Cells::Bytes(&mut bytes))))?;
        return Ok(bytes.into_pyarray(py).reshape(shape)?.into_any());
    }
    let mut floats = vec![0.0_f32; size];
    py.detach(|| guarded(|| write(Cells::Floats(&mut floats))))?;
    Ok(floats.into_pyarray(py).reshape(shape)?.into_any())
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
