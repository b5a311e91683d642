//! A Python game made from its sheet: what `stier/games/_sheet.py` found out about the class.

use std::sync::OnceLock;

use pyo3::prelude::*;
use rustc_hash::FxHashMap;
use stier_core::GameInfo;

use super::nodes::Nodes;
use super::options::{Row, Rules, text_for_ever};
use super::position::Path;
use super::source::Source;
use crate::errors;
use crate::run::guarded;

/// The memory of a node, without the Python objects.
const NODE_BYTES: usize = 700;

/// The attributes of a sheet.
#[derive(FromPyObject)]
struct Sheet<'py> {
    name: String,
    class_number: usize,
    options: Vec<Row<'py>>,
    num_players: usize,
    num_actions: usize,
    num_outcomes: usize,
    max_decisions: usize,
    max_chance_events: usize,
    utility_range: (f64, f64),
    utility_sum: Option<f64>,
    simultaneous: bool,
    hidden_moves: bool,
    memory_mb: usize,
    trusted: Trusted,
    state_bytes: usize,
    methods: FxHashMap<String, Py<PyAny>>,
    actions: Vec<String>,
    outcomes: Vec<String>,
    cards: Vec<String>,
    num_features: Option<usize>,
    exact_features: bool,
}

/// The part of a sheet that only adapters fill in.
#[derive(FromPyObject)]
struct Trusted {
    states_are_histories: bool,
    observations_recall: bool,
}

/// Reads the sheet of a game. Asks about the first state.
pub(super) fn read(sheet: &Bound<'_, PyAny>) -> PyResult<Source> {
    let py = sheet.py();
    let sheet: Sheet<'_> = sheet.extract()?;
    let info = GameInfo {
        num_seats: sheet.num_players,
        num_actions: sheet.num_actions,
        num_outcomes: sheet.num_outcomes,
        max_decisions: sheet.max_decisions,
        max_chance_events: sheet.max_chance_events,
        utility_range: sheet.utility_range,
        utility_sum: sheet.utility_sum,
        simultaneous: sheet.simultaneous,
        hidden_moves: sheet.hidden_moves,
    };
    let name = text_for_ever(&sheet.name);
    if info.max_decisions + info.max_chance_events > Path::MAX_EVENTS {
        let (most, decisions, chance) = (Path::MAX_EVENTS, info.max_decisions, info.max_chance_events);
        return Err(errors::rules(format!(
            "{name}: a game may have at most {most} events, got max_decisions {decisions} and max_chance_events {chance}"
        )));
    }
    let options = sheet.options.into_iter().map(Row::read).collect::<PyResult<_>>()?;
    let own = Source {
        rules: Rules { owner: name, class: sheet.class_number, options },
        info,
        methods: sheet.methods,
        actions: sheet.actions,
        outcomes: sheet.outcomes,
        cards: sheet.cards,
        states_are_histories: sheet.trusted.states_are_histories,
        observations_recall: sheet.trusted.observations_recall,
        features: sheet.num_features,
        exact_features: sheet.exact_features,
        root: OnceLock::new(),
        nodes: Nodes::new((sheet.memory_mb << 20) / (NODE_BYTES + sheet.state_bytes)),
    };
    let first = own.methods["initial_state"].bind(py).call0()?;
    let root = guarded(|| own.node_of(&first, &Path::new()))?;
    own.root.get_or_init(|| root);
    Ok(own)
}
