//! Beliefs as `stier.Beliefs`.

use numpy::{IntoPyArray as _, PyArrayMethods as _};
use pyo3::prelude::*;
use stier_agents::belief::Marginals;
use stier_core::Seat;

use crate::game::Game;
use crate::run::guarded;
use crate::state::State;
use crate::values::Number;

/// The beliefs of a player.
pub(crate) fn beliefs_of(py: Python<'_>, game: &Game, player: Seat, found: Marginals) -> PyResult<Py<PyAny>> {
    let Marginals { cards, seats, expected, basis, worlds, effective } = found;
    let expected = expected.into_pyarray(py).reshape([cards.len(), seats])?;
    let parts = (game.clone(), player.0, cards, expected, basis.name(), worlds, effective);
    py.import("stier._results")?.getattr("Beliefs")?.call1(parts).map(Bound::unbind)
}

/// The beliefs of the given player, or by default the player to move, from chance alone.
pub(crate) fn by_chance(py: Python<'_>, state: &State, player: Option<&Number>) -> PyResult<Py<PyAny>> {
    let (seat, inner) = (state.seat(player)?, state.inner());
    beliefs_of(py, state.game(), seat, py.detach(|| guarded(|| inner.beliefs(seat)))?)
}
