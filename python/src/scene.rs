//! Conversion of scenes and facts to Python containers.

use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};
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
    let facts: Vec<_> = scene.told().collect();
    let dict = PyDict::new(py);
    dict.set_item("title", scene.title)?;
    dict.set_item("facts", facts)?;
    let track = scene.track.into_iter().map(|space| {
        let dict = PyDict::new(py);
        dict.set_item("piece", space.piece)?;
        dict.set_item("food", space.food)?;
        Ok(dict)
    });
    let track: Vec<_> = track.collect::<PyResult<_>>()?;
    let places: Vec<_> = scene.places.into_iter().map(|place| place_to_dict(py, place)).collect::<PyResult<_>>()?;
    dict.set_item("track", PyList::new(py, track)?)?;
    dict.set_item("places", PyList::new(py, places)?)?;
    dict.set_item("next", scene.next)?;
    dict.set_item("tells_returns", scene.tells_returns)?;
    Ok(dict)
}

fn place_to_dict(py: Python<'_>, place: Place) -> PyResult<Bound<'_, PyDict>> {
    let groups: Vec<_> = place.groups.into_iter().map(|group| group_to_dict(py, group)).collect::<PyResult<_>>()?;
    let dict = PyDict::new(py);
    dict.set_item("seat", place.seat.map(|seat| seat.0))?;
    dict.set_item("suit", place.suit)?;
    dict.set_item("groups", PyList::new(py, groups)?)?;
    dict.set_item("remarks", place.remarks)?;
    Ok(dict)
}

fn group_to_dict(py: Python<'_>, group: Group) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("name", group.name)?;
    dict.set_item("cards", group.cards)?;
    dict.set_item("layout", group.layout.name())?;
    dict.set_item("held", group.held)?;
    Ok(dict)
}
