//! A Python game made from its sheet: what `stier/games/_sheet.py` found out about the class.

use std::collections::HashSet;
use std::sync::{Mutex, OnceLock};

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt};
use stier_core::options::Allowed;
use stier_core::{GameInfo, OptionInfo, OptionValue};

use super::nodes::Nodes;
use super::position::Path;
use super::source::{Rules, Source};
use crate::errors;
use crate::run::{guarded, locked};

/// The memory of a node, without the Python objects.
const NODE_BYTES: usize = 700;

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

/// An option with its value, from its row: (name, value, default, choices, allowed values in words, meaning).
fn option(row: &Bound<'_, PyAny>) -> PyResult<(OptionInfo, OptionValue)> {
    type Row<'py> = (String, Bound<'py, PyAny>, Bound<'py, PyAny>, Option<Vec<String>>, String, String);
    let (name, own, default, choices, allowed, about): Row<'_> = row.extract()?;
    let allowed = match choices {
        Some(names) => Allowed::Names(names.iter().map(|name| text_for_ever(name)).collect()),
        None => Allowed::Other(allowed),
    };
    let info = OptionInfo {
        name: text_for_ever(&name),
        allowed,
        default: value(&default)?,
        about: text_for_ever(&about),
        needs: "",
        has_commas: false,
    };
    Ok((info, value(&own)?))
}

/// The options of a class, from their rows.
pub(crate) fn options(rows: &Bound<'_, PyAny>) -> PyResult<Vec<OptionInfo>> {
    rows.try_iter()?.map(|row| Ok(option(&row?)?.0)).collect()
}

/// Reads the sheet of a game. Asks about the first state.
pub(super) fn read(sheet: &Bound<'_, PyAny>) -> PyResult<Source> {
    let rows: Vec<Bound<'_, PyAny>> = sheet.getattr("options")?.extract()?;
    let options = rows.iter().map(option).collect::<PyResult<_>>()?;
    let name: String = sheet.getattr("name")?.extract()?;
    let info = GameInfo {
        num_seats: sheet.getattr("num_players")?.extract()?,
        num_actions: sheet.getattr("num_actions")?.extract()?,
        num_outcomes: sheet.getattr("num_outcomes")?.extract()?,
        max_decisions: sheet.getattr("max_decisions")?.extract()?,
        max_chance_events: sheet.getattr("max_chance_events")?.extract()?,
        utility_range: sheet.getattr("utility_range")?.extract()?,
        utility_sum: sheet.getattr("utility_sum")?.extract()?,
        simultaneous: sheet.getattr("simultaneous")?.extract()?,
        hidden_moves: sheet.getattr("hidden_moves")?.extract()?,
    };
    if info.max_decisions + info.max_chance_events > Path::MAX_EVENTS {
        let (most, decisions, chance) = (Path::MAX_EVENTS, info.max_decisions, info.max_chance_events);
        return Err(errors::rules(format!(
            "{name}: a game may have at most {most} events, got max_decisions {decisions} and max_chance_events {chance}"
        )));
    }
    let (memory, bytes): (usize, usize) =
        (sheet.getattr("memory_mb")?.extract()?, sheet.getattr("state_bytes")?.extract()?);
    let own = Source {
        rules: Rules { owner: text_for_ever(&name), class: sheet.getattr("class_number")?.extract()?, options },
        info,
        methods: sheet.getattr("methods")?.extract()?,
        actions: sheet.getattr("actions")?.extract()?,
        outcomes: sheet.getattr("outcomes")?.extract()?,
        cards: sheet.getattr("cards")?.extract()?,
        states_are_histories: sheet.getattr("states_are_histories")?.extract()?,
        observations_recall: sheet.getattr("observations_recall")?.extract()?,
        features: sheet.getattr("num_features")?.extract()?,
        exact_features: sheet.getattr("exact_features")?.extract()?,
        root: OnceLock::new(),
        nodes: Nodes::new((memory << 20) / (NODE_BYTES + bytes)),
    };
    let first = own.methods["initial_state"].bind(sheet.py()).call0()?;
    let root = guarded(|| own.node_of(&first, &Path::new()))?;
    own.root.get_or_init(|| root);
    Ok(own)
}
