//! `stier.State`; its methods for Python are in `state_methods`.

use numpy::{IntoPyArray as _, PyArrayMethods as _};
use pyo3::prelude::*;
use stier_agents::belief::Marginals;
use stier_agents::erased::DynState;
use stier_core::{Seat, Turn};

use crate::errors;
use crate::game::Game;
use crate::run::{attempt, guarded};
use crate::values::{CHANCE, Number};

/// A game from its first random event to now, all cards included. `Game.new_initial_state` makes it.
///
/// Players are numbered 0, 1, …. `stier.CHANCE` stands for chance, and `stier.TERMINAL` means that the game is over.
/// Methods with a player argument raise `SeatError` for an unknown player. Where the player is optional, the default is
/// the player to move.
///
/// States are equal if their games and histories are equal, no matter whether a seed or the caller deals. Only
/// `apply_action` changes a state. Do not apply actions to a state that is in a set or a key of a dict.
#[pyclass(module = "stier")]
pub(crate) struct State {
    game: Game,
    inner: Box<dyn DynState>,
}

impl State {
    pub(crate) fn new(game: Game, inner: Box<dyn DynState>) -> Self {
        Self { game, inner }
    }

    pub(crate) fn game(&self) -> &Game {
        &self.game
    }

    pub(crate) fn replace(&mut self, inner: Box<dyn DynState>) {
        self.inner = inner;
    }

    pub(crate) fn inner(&self) -> &dyn DynState {
        &*self.inner
    }

    /// The seat named by an optional argument; by default the player to move.
    pub(crate) fn seat(&self, player: Option<&Number>) -> PyResult<Seat> {
        match player {
            Some(player) => player.seat_of(self.game.face()),
            None => {
                let turn = guarded(|| self.inner.turn())?;
                turn.seat().ok_or_else(|| {
                    let why = if turn == Turn::Over { "the game is over" } else { "chance is to act" };
                    let players = self.game.face().info().num_seats;
                    errors::seat(format!("no player to move ({why}); name a player from 0 to {}", players - 1))
                })
            }
        }
    }

    /// Asks about a player, by default the player to move.
    pub(crate) fn of<T>(&self, player: Option<Number>, ask: impl FnOnce(&dyn DynState, Seat) -> T) -> PyResult<T> {
        attempt(|| Ok(ask(self.inner(), self.seat(player.as_ref())?)))
    }

    /// Asks about what a player sees, or about everything.
    pub(crate) fn seen<T>(
        &self,
        player: Option<Number>,
        ask: impl FnOnce(&dyn DynState, Option<Seat>) -> T,
    ) -> PyResult<T> {
        let seat = player.map(|player| player.seat_of(self.game.face())).transpose()?;
        guarded(|| ask(self.inner(), seat))
    }

    /// Returns true if it is the turn of `player`, or if `player` is left out.
    pub(crate) fn acts(&self, player: Option<&Number>) -> PyResult<bool> {
        let turn = self.inner.turn();
        match player {
            None => Ok(true),
            Some(player) if player.is(CHANCE) => Ok(turn == Turn::Chance),
            Some(player) => Ok(turn == Turn::Seat(player.seat_of(self.game.face())?)),
        }
    }

    pub(crate) fn apply(&mut self, action: &Number) -> PyResult<()> {
        let before = self.inner.events().len();
        attempt(|| {
            let action = action.action_in(self.inner())?;
            self.inner.apply(action).map_err(errors::illegal)
        })
        .inspect_err(|_| self.go_back(before))
    }

    /// Returns to the state after so many events, if the game failed while it drew random events.
    fn go_back(&mut self, count: usize) {
        if self.inner.events().len() > count {
            let events: Vec<_> = self.inner.events()[..count].iter().map(|event| event.action).collect();
            let again = guarded(|| {
                let mut before = self.game.face().new_state(None);
                let replayed = events.iter().all(|&event| before.apply(event).is_ok());
                (replayed && before.set_dealing(self.inner.dealing())).then_some(before)
            });
            self.inner = again.ok().flatten().unwrap_or_else(|| self.inner.duplicate());
        }
    }

    pub(crate) fn duplicate(&self) -> Self {
        Self { game: self.game.clone(), inner: self.inner.duplicate() }
    }

    /// The number of ids of what can happen next, and the word for them in messages.
    pub(crate) fn space(&self, chance: bool) -> (usize, &'static str) {
        match chance {
            true => (self.game.face().info().num_outcomes, "chance outcome"),
            false => (self.game.face().info().num_actions, "action"),
        }
    }
}

/// The beliefs of a player, as a `stier.Beliefs`.
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
