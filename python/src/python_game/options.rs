//! The options of a Python game.

use std::any::Any;
use std::collections::HashSet;
use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt};
use stier_core::options::{Allowed, parts};
use stier_core::{DynOptions, OptionInfo, OptionValue};

use crate::run::locked;

/// A text that is kept as long as the program runs: each once.
pub(super) fn text_for_ever(text: &str) -> &'static str {
    static ALL: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut all = locked(&ALL);
    let all = all.get_or_insert_default();
    if let Some(known) = all.get(text) {
        return known;
    }
    let kept: &'static str = Box::leak(text.to_string().into_boxed_str());
    all.insert(kept);
    kept
}

/// A value of an option.
fn value(object: &Bound<'_, PyAny>) -> PyResult<OptionValue> {
    if object.is_instance_of::<PyBool>() {
        return Ok(OptionValue::Name(if object.is_truthy()? { "on" } else { "off" }.to_string()));
    }
    if object.is_instance_of::<PyInt>() {
        return Ok(OptionValue::Int(object.extract()?));
    }
    if object.is_instance_of::<PyFloat>() {
        return Ok(OptionValue::Float(object.extract()?));
    }
    Ok(OptionValue::Name(object.str()?.to_string()))
}

/// An option of a class with its value: a row of the sheet.
#[derive(FromPyObject)]
pub(super) struct Row<'py> {
    name: String,
    value: Bound<'py, PyAny>,
    default: Bound<'py, PyAny>,
    choices: Option<Vec<String>>,
    allowed: String,
    about: String,
}

impl Row<'_> {
    /// The option and its value.
    pub(super) fn read(self) -> PyResult<(OptionInfo, OptionValue)> {
        let allowed = match self.choices {
            Some(names) => Allowed::Names(names.iter().map(|name| text_for_ever(name)).collect()),
            None => Allowed::Other(self.allowed),
        };
        let info = OptionInfo {
            name: text_for_ever(&self.name),
            allowed,
            default: value(&self.default)?,
            about: text_for_ever(&self.about),
            needs: "",
            has_commas: false,
        };
        Ok((info, value(&self.value)?))
    }
}

/// The options of a class, from their rows.
pub(crate) fn options(rows: &Bound<'_, PyAny>) -> PyResult<Vec<OptionInfo>> {
    let rows: Vec<Row<'_>> = rows.extract()?;
    rows.into_iter().map(|row| Ok(row.read()?.0)).collect()
}

/// The values of a Python game's options.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// The name of the game.
    pub(super) owner: &'static str,
    /// A number for the class.
    pub(super) class: usize,
    /// Every option with its value.
    pub(super) options: Vec<(OptionInfo, OptionValue)>,
}

impl DynOptions for Rules {
    fn owner(&self) -> &'static str {
        self.owner
    }

    fn values(&self) -> Vec<(&'static str, OptionValue)> {
        self.options.iter().map(|(info, value)| (info.name, value.clone())).collect()
    }

    fn to_text(&self) -> String {
        let changed = self.options.iter().filter(|(info, value)| info.default != *value);
        changed.map(|(info, value)| format!("{}={value}", info.name)).collect::<Vec<_>>().join(",")
    }

    fn matches(&self, text: &str) -> bool {
        let given: Vec<_> = parts(text).map(|part| part.split_once('=').unwrap_or((part, ""))).collect();
        let value = |name: &str| self.options.iter().find(|(info, _)| info.name == name).map(|(_, value)| value);
        let holds = |&(name, text): &(&str, &str)| value(name.trim()).is_some_and(|own| own.to_string() == text.trim());
        let is_given = |name: &str| given.iter().any(|(other, _)| other.trim() == name);
        given.iter().all(holds) && self.options.iter().all(|(info, own)| info.default == *own || is_given(info.name))
    }

    fn equals(&self, other: &dyn DynOptions) -> bool {
        let class = (other as &dyn Any).downcast_ref::<Self>().map(|other| other.class);
        class == Some(self.class) && self.owner == other.owner() && self.values() == other.values()
    }
}
