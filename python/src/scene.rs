//! Conversion of scenes and facts to Python containers.

use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use stier_core::scene::{Group, Place};
use stier_core::{Fact, Scene, Value};

/// Converts facts to a dict of plain values.
pub(crate) fn facts_to_dict(py: Python<'_>, facts: Vec<Fact>) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    facts.into_iter().try_for_each(|fact| dict.set_item(fact.name, value_to_py(py, fact.value)?))?;
    Ok(dict)
}

fn value_to_py(py: Python<'_>, value: Value) -> PyResult<Bound<'_, PyAny>> {
    match value {
        Value::Absent => Ok(py.None().into_bound(py)),
        Value::Flag(value) => value.into_bound_py_any(py),
        Value::Int(value) => value.into_bound_py_any(py),
        Value::Float(value) => value.into_bound_py_any(py),
        Value::Name(value) => value.into_bound_py_any(py),
        Value::List(values) => {
            let values: Vec<_> = values.into_iter().map(|value| value_to_py(py, value)).collect::<PyResult<_>>()?;
            values.into_bound_py_any(py)
        }
    }
}

/// A plain value from Python.
pub(crate) struct PlainValue(pub(crate) Value);

impl<'py> FromPyObject<'_, 'py> for PlainValue {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(if object.is_none() {
            Value::Absent
        } else if object.is_instance_of::<PyBool>() {
            Value::Flag(object.extract()?)
        } else if object.is_instance_of::<PyInt>() {
            Value::Int(object.extract()?)
        } else if object.is_instance_of::<PyFloat>() {
            Value::Float(object.extract()?)
        } else if object.is_instance_of::<PyString>() {
            Value::Name(object.extract()?)
        } else {
            Value::List(object.extract::<Vec<Self>>()?.into_iter().map(|Self(value)| value).collect())
        }))
    }
}

/// Converts a scene to the dict that `State.scene` documents.
pub(crate) fn to_dict(py: Python<'_>, scene: Scene) -> PyResult<Bound<'_, PyDict>> {
    let facts = scene.told().collect::<Vec<_>>().into_bound_py_any(py)?;
    let track = scene.track.into_iter().map(|space| dict(py, (("piece", space.piece), ("food", space.food))));
    let track: Vec<_> = track.collect::<PyResult<_>>()?;
    let group = |Group { name, cards, layout, held, .. }| {
        dict(py, (("name", name), ("cards", cards), ("layout", layout.name()), ("held", held)))
    };
    let place = |Place { seat, suit, groups, remarks, .. }: Place| {
        let groups: Vec<_> = groups.into_iter().map(group).collect::<PyResult<_>>()?;
        dict(py, (("seat", seat.map(|seat| seat.0)), ("suit", suit), ("groups", groups), ("remarks", remarks)))
    };
    let places: Vec<_> = scene.places.into_iter().map(place).collect::<PyResult<_>>()?;
    let (title, next, tells_returns) =
        (("title", scene.title), ("next", scene.next), ("tells_returns", scene.tells_returns));
    dict(py, (title, ("facts", facts), ("track", track), ("places", places), next, tells_returns))
}

/// A dict of pairs.
pub(crate) fn dict<'py>(py: Python<'py>, pairs: impl IntoPyObject<'py>) -> PyResult<Bound<'py, PyDict>> {
    PyDict::from_sequence(&pairs.into_bound_py_any(py)?)
}
