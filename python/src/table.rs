//! Policies in tables as agents, shared by `stier.Solution`, `stier.BestResponse` and `stier.TabularPolicy`.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use numpy::IntoPyArray as _;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use stier_agents::agent::sampling::draw;
use stier_agents::agent::threads;
use stier_agents::belief::Beliefs;
use stier_agents::erased::{DynPolicy, DynTree};
use stier_agents::solve::known_values;
use stier_core::{Action, Rng};

use crate::entrants::other_game;
use crate::errors;
use crate::game::Game;
use crate::python_game::guarded;
use crate::result::pandas;
use crate::state::State;
use crate::values::Seed;

/// A policy for every information set of a game, and the random numbers to draw from it.
pub(crate) struct Table {
    game: Game,
    label: String,
    policy: Arc<dyn DynPolicy>,
    seed: u64,
    rng: Mutex<Rng>,
}

fn stream(seed: u64) -> Rng {
    Rng::stream(seed, "table", 0)
}

impl Table {
    pub(crate) fn new(game: Game, label: String, policy: Arc<dyn DynPolicy>, seed: u64) -> Self {
        Self { game, label, policy, seed, rng: Mutex::new(stream(seed)) }
    }

    pub(crate) fn game(&self) -> &Game {
        &self.game
    }

    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    pub(crate) fn inner(&self) -> &Arc<dyn DynPolicy> {
        &self.policy
    }

    /// The label and the policy. Fails if the policy belongs to another game.
    pub(crate) fn policy_for(&self, game: &Game) -> PyResult<(&str, &Arc<dyn DynPolicy>)> {
        if self.game.is(game) {
            Ok((&self.label, &self.policy))
        } else {
            Err(other_game(&self.label, &self.game, game))
        }
    }

    /// The probabilities of the legal actions of the player to move. The first call builds an index.
    pub(crate) fn probabilities(&self, py: Python<'_>, state: &State) -> PyResult<Vec<(Action, f64)>> {
        let (policy, state) = (&*self.policy, state.inner());
        py.detach(|| guarded(|| policy.probabilities(state)))?.map_err(errors::agent)
    }

    /// The same, with an action drawn from them.
    pub(crate) fn decide(&self, py: Python<'_>, state: &State) -> PyResult<(Vec<(u8, f64)>, u8)> {
        let row = self.probabilities(py, state)?;
        let shares: Vec<f64> = row.iter().map(|&(_, share)| share).collect();
        let drawn = draw(&shares, &mut self.rng.lock().unwrap_or_else(PoisonError::into_inner));
        Ok((pairs(&row), row[drawn].0.0))
    }

    /// A `pandas.DataFrame` with one row for each action of each information set.
    pub(crate) fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let pandas = pandas(py)?;
        let (owner, face) = (self.policy.tree(), self.game.face());
        let (tree, policy) = (owner.shape(), self.policy.shares());
        let values = py.detach(|| threads::install(0, || known_values(tree, policy, Beliefs::Policy)));
        let values = values.map_err(|error| PyRuntimeError::new_err(error.to_string()))?.concat();
        let reach_of_sets = py.detach(|| self.policy.reach());
        let knowledge_of_sets = knowledge(py, &*owner, 0..tree.num_sets())?;
        let name = |action: usize| PyString::new(py, &face.action_name(Action(action as u8)));
        let names: Vec<_> = (0..face.info().num_actions).map(name).collect();
        let (mut texts, mut players, mut actions, mut reach) = (Vec::new(), Vec::<i32>::new(), Vec::new(), Vec::new());
        for ((set, text), probability) in tree.set_numbers().zip(knowledge_of_sets).zip(reach_of_sets) {
            let width = tree.width(set) as usize;
            texts.extend(vec![text; width]);
            players.extend(vec![i32::from(tree.mover(set).0); width]);
            reach.extend(vec![probability; width]);
            actions.extend(tree.actions(set).iter().map(|action| &names[action.index()]));
        }
        let columns = PyDict::new(py);
        columns.set_item("information_set", texts)?;
        columns.set_item("player", players.into_pyarray(py))?;
        columns.set_item("action", actions)?;
        columns.set_item("probability", policy.rows().to_vec().into_pyarray(py))?;
        columns.set_item("value", values.into_pyarray(py))?;
        columns.set_item("reach", reach.into_pyarray(py))?;
        pandas.call_method1("DataFrame", (columns,))
    }

    pub(crate) fn restart(&self, seed: Option<Seed>) {
        let seed = seed.map_or(self.seed, |Seed(seed)| seed);
        *self.rng.lock().unwrap_or_else(PoisonError::into_inner) = stream(seed);
    }
}

/// The number of information sets that are put into words between checks for signals.
const CHUNK: usize = 1 << 12;

/// The knowledge of the players at some information sets, in words.
pub(crate) fn knowledge<'py>(
    py: Python<'py>,
    tree: &dyn DynTree,
    sets: Range<usize>,
) -> PyResult<Vec<Bound<'py, PyString>>> {
    let mut texts = Vec::with_capacity(sets.len());
    for start in sets.clone().step_by(CHUNK) {
        let chunk = py.detach(|| guarded(|| tree.knowledge(start..sets.end.min(start + CHUNK))))?;
        texts.extend(chunk.iter().map(|text| PyString::new(py, text)));
        py.check_signals()?;
    }
    Ok(texts)
}

/// Converts actions with probabilities for Python.
pub(crate) fn pairs(row: &[(Action, f64)]) -> Vec<(u8, f64)> {
    row.iter().map(|&(action, share)| (action.0, share)).collect()
}
