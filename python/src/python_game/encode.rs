//! Observations of Python games as numbers.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyFrozenSet, PyInt, PyString, PyTuple, PyType};
use stier_core::key::mix;

/// The number of places among which the parts of an observation are spread.
pub(super) const PLACES: usize = 128;

/// An observation as numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Code {
    /// A number that two different observations share only by accident, with a probability of 2^-64.
    pub(super) digest: u64,
    /// A one for each part, in a place hashed from the part and where it stands: for networks.
    pub(super) places: [u64; PLACES / 64],
}

impl Code {
    /// The code of an observation. Equal values have equal codes, in every run.
    pub(super) fn of(observation: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut code = Self::default();
        let mut bytes = Vec::with_capacity(64);
        code.read(observation, 1, &mut bytes)?;
        code.digest = digest(&bytes);
        Ok(code)
    }

    /// Appends a value in a form from which it can be told apart from all others, and notes its parts. `place` is a
    /// number for where it stands.
    fn read(&mut self, value: &Bound<'_, PyAny>, place: u64, bytes: &mut Vec<u8>) -> PyResult<()> {
        let start = bytes.len();
        if let Some(items) = tuple(value)? {
            bytes.push(b'(');
            for (index, item) in items.iter().enumerate() {
                self.read(&item, mix(place, index as u64 + 1), bytes)?;
            }
            bytes.push(b')');
            return Ok(());
        }
        if let Ok(items) = value.cast_exact::<PyFrozenSet>() {
            let mut parts = Vec::with_capacity(items.len());
            for item in items.iter() {
                let mut part = Vec::new();
                self.read(&item, mix(place, 0), &mut part)?;
                parts.push(part);
            }
            parts.sort_unstable();
            bytes.push(b'{');
            bytes.extend(parts.concat());
            bytes.push(b'}');
            return Ok(());
        }
        if let Some(fields) = fields_of(value)? {
            bytes.push(b'<');
            self.read(fields.0.as_any(), mix(place, 0), bytes)?;
            for (index, field) in fields.1.iter().enumerate() {
                self.read(field, mix(place, index as u64 + 1), bytes)?;
            }
            bytes.push(b'>');
            return Ok(());
        }
        simple(value, bytes)?;
        let bit = mix(place, digest(&bytes[start..])) as usize % PLACES;
        self.places[bit / 64] |= 1 << (bit % 64);
        Ok(())
    }
}

/// A tuple, or a named one: other subclasses may be more than their items.
fn tuple<'a, 'py>(value: &'a Bound<'py, PyAny>) -> PyResult<Option<&'a Bound<'py, PyTuple>>> {
    let Ok(items) = value.cast::<PyTuple>() else { return Ok(None) };
    let is_plain = value.is_exact_instance_of::<PyTuple>() || value.hasattr("_fields")?;
    Ok(is_plain.then_some(items))
}

/// A hash of bytes.
fn digest(bytes: &[u8]) -> u64 {
    let word = |eight: &[u8]| eight.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    bytes.chunks(8).fold(bytes.len() as u64, |key, eight| mix(key, word(eight)))
}

/// The name of a type, and the parts of a value of this type.
type Fields<'py> = (Bound<'py, PyString>, Vec<Bound<'py, PyAny>>);

/// The type and the parts of a member of an enum or of a dataclass.
fn fields_of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Fields<'py>>> {
    if is_plain(value) {
        return Ok(None);
    }
    let (py, kind) = (value.py(), value.get_type());
    let name = || kind.qualname();
    if let Some(fields) = value.getattr_opt("__dataclass_fields__")? {
        let fields = fields.try_iter()?.map(|field| value.getattr(field?.cast::<PyString>()?));
        return Ok(Some((name()?, fields.collect::<PyResult<_>>()?)));
    }
    static ENUM: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    if value.is_instance(ENUM.import(py, "enum", "Enum")?)? {
        return Ok(Some((name()?, vec![value.getattr("name")?])));
    }
    Ok(None)
}

/// True for the simple values of Python, which have no parts. Subclasses may be more than the value.
fn is_plain(value: &Bound<'_, PyAny>) -> bool {
    value.is_none()
        || value.is_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyBytes>()
}

/// Appends a value without parts. Numbers that Python takes for equal have the same bytes.
fn simple(value: &Bound<'_, PyAny>, bytes: &mut Vec<u8>) -> PyResult<()> {
    let mut text = |kind: u8, text: &[u8]| {
        bytes.push(kind);
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text);
    };
    let kind = value.get_type();
    if !is_plain(value) {
        // A number of numpy is one of Python.
        if kind.module()?.to_cow()? == "numpy" && value.hasattr("item")? {
            let number = value.call_method0("item")?;
            if is_plain(&number) {
                return simple(&number, bytes);
            }
        }
        return Err(PyTypeError::new_err(format!(
            "it must be made of None, numbers, str, bytes, tuples, frozensets, enums and frozen dataclasses, and it has a \
             part of type {}",
            kind.qualname()?
        )));
    }
    if value.is_none() {
        text(b'n', &[]);
    } else if let Ok(string) = value.cast::<PyString>() {
        text(b's', string.to_cow()?.as_bytes());
    } else if let Ok(data) = value.cast::<PyBytes>() {
        text(b'b', data.as_bytes());
    } else if value.is_instance_of::<PyInt>() {
        match value.extract::<i64>() {
            Ok(small) => text(b'i', &small.to_le_bytes()),
            Err(_) => text(b'I', value.str()?.to_cow()?.as_bytes()),
        }
    } else {
        let number: f64 = value.extract()?;
        if number.is_nan() {
            return Err(PyValueError::new_err("nan is not equal to itself"));
        }
        if number.fract() != 0.0 || number.is_infinite() {
            text(b'f', &number.to_bits().to_le_bytes());
        } else {
            return simple(&value.call_method0("__int__")?, bytes);
        }
    }
    Ok(())
}
