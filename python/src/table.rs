//! Policies in tables as agents, shared by `stier.Solution`, `stier.BestResponse` and `stier.TabularPolicy`.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use stier_agents::agent::sampling::draw;
use stier_agents::erased::DynPolicy;
use stier_core::{Action, Rng};

use crate::entrants::other_game;
use crate::errors;
use crate::game::Game;
use crate::python_game::guarded;
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

    pub(crate) fn restart(&self, seed: Option<Seed>) {
        let seed = seed.map_or(self.seed, |Seed(seed)| seed);
        *self.rng.lock().unwrap_or_else(PoisonError::into_inner) = stream(seed);
    }
}

/// Converts actions with probabilities for Python.
pub(crate) fn pairs(row: &[(Action, f64)]) -> Vec<(u8, f64)> {
    row.iter().map(|&(action, share)| (action.0, share)).collect()
}
