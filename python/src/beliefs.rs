//! `stier.Beliefs`.

use std::fmt::Write as _;

use numpy::{IntoPyArray as _, PyArray2, PyArrayMethods as _};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use stier_agents::belief::Marginals;
use stier_core::Seat;
use stier_core::names::alternatives;

use crate::errors;
use crate::game::Game;
use crate::run::guarded;
use crate::state::State;
use crate::values::{Number, choice};

/// The beliefs of a player about the cards; made by `Agent.beliefs`.
///
/// For each card and seat, the expected number of copies of the card that the seat holds. If there is one copy of each
/// card, this is the probability that the seat holds it. In Schweins-Galopp, where all cards of a colour are alike, it
/// is an expected count.
#[pyclass(frozen, module = "stier")]
pub(crate) struct Beliefs {
    /// The game.
    #[pyo3(get)]
    game: Game,
    player: Seat,
    found: Marginals,
}

impl Beliefs {
    pub(crate) fn new(game: Game, player: Seat, found: Marginals) -> Self {
        Self { game, player, found }
    }

    /// The beliefs of the given player, or by default the player to move, from chance alone.
    pub(crate) fn by_chance(py: Python<'_>, state: &State, player: Option<&Number>) -> PyResult<Self> {
        let (seat, inner) = (state.seat(player)?, state.inner());
        Ok(Self::new(state.game().clone(), seat, py.detach(|| guarded(|| inner.beliefs(seat)))?))
    }
}

/// The content of a pickle of beliefs: game, player, cards, expected numbers, basis, worlds, effective sample size.
type Parts = (Game, u8, Vec<String>, Vec<f64>, String, u64, f64);

#[pymethods]
impl Beliefs {
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| {
            let other = other.get();
            self.game.is(&other.game) && self.player == other.player && self.found == other.found
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Parts)> {
        let Marginals { cards, expected, worlds, effective, .. } = &self.found;
        let restore = py.import("stier._native")?.getattr("_restore_beliefs")?;
        let (cards, expected) = (cards.clone(), expected.clone());
        Ok((
            restore,
            (self.game.clone(), self.player.0, cards, expected, self.basis().to_string(), *worlds, *effective),
        ))
    }

    /// The player whose beliefs these are.
    #[getter]
    fn player(&self) -> u8 {
        self.player.0
    }

    /// The names of the cards. They are also the names of actions and chance outcomes that name nothing but a card.
    #[getter]
    fn cards(&self) -> Vec<String> {
        self.found.cards.clone()
    }

    /// The expected numbers as a new float64 array, cards x seats. Each column sums to the number of cards the seat
    /// holds.
    #[getter]
    fn expected<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.found.expected.clone().into_pyarray(py).reshape([self.found.cards.len(), self.found.seats])
    }

    /// The method of computation:
    ///
    /// - `"enumerated"`: every world with its exact probability, under the agent's model of the other players if it has
    ///   one;
    /// - `"estimated"`: every world, with a likelihood under the model that was estimated from some of its histories;
    /// - `"sampled"`: `worlds` worlds drawn by chance alone;
    /// - `"particles"`: `worlds` histories, weighted by the model;
    /// - `"chance"`: `worlds` worlds enumerated or drawn by chance alone, because the model excludes every history or
    ///   too few histories were weighted.
    #[getter]
    fn basis(&self) -> &'static str {
        self.found.basis.name()
    }

    /// The number of worlds.
    #[getter]
    fn worlds(&self) -> u64 {
        self.found.worlds
    }

    /// The effective sample size: this many worlds of equal weight carry the same information. A small number means a
    /// sure belief, or poor particles.
    #[getter]
    fn effective(&self) -> f64 {
        self.found.effective
    }

    /// The expected numbers in the hands of the others, clockwise from the player, as a new float32 array, seats x cards:
    /// in this order they follow the observation in `VectorEnv(beliefs=...)`.
    fn tensor<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let found: Vec<f32> = self.found.of_others(self.player).collect();
        found.into_pyarray(py).reshape([self.found.seats - 1, self.found.cards.len()])
    }

    /// The expected number for one card, by name, and one seat.
    ///
    /// Raises `KeyError`, which lists the cards, for an unknown card, and `SeatError` for an unknown seat.
    fn of(&self, card: &str, seat: Number) -> PyResult<f64> {
        let seat = seat.seat_of(self.game.face())?;
        let cards = &self.found.cards;
        let place = cards.iter().position(|name| name == card).ok_or_else(|| {
            let all = cards.join(", ");
            PyKeyError::new_err(format!("unknown card '{card}'{}", alternatives(card, "cards", &all)))
        })?;
        Ok(self.found.expected[place * self.found.seats + seat.index()])
    }

    /// A table, cards by seats, without cards that no seat can hold. Games without cards have none.
    fn __str__(&self) -> String {
        let found = &self.found;
        let mut out = format!("player {} believes ({}, {} worlds)\n", self.player, self.basis(), found.worlds);
        if found.cards.is_empty() {
            let name = self.game.face().facts().name;
            return out + &format!("{name} has no cards to show; State.resample_from_infostate draws a possible state");
        }
        out += "card  ";
        (0..found.seats).for_each(|seat| {
            let _ = write!(out, "  seat {seat}");
        });
        for (card, row) in found.cards.iter().zip(found.expected.chunks(found.seats)) {
            if row.iter().any(|&expected| expected > 0.0) {
                let _ = write!(out, "\n{card:<6}");
                row.iter().for_each(|expected| {
                    let _ = write!(out, "  {expected:>6.3}");
                });
            }
        }
        out
    }

    /// A heat map, cards by seats, as a self-contained SVG. See `stier.draw.beliefs`.
    fn to_svg<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("stier.draw")?.getattr("beliefs")?.call1((slf,))
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::to_svg(slf)
    }

    fn __repr__(&self) -> String {
        let (cards, seats) = (self.found.cards.len(), self.found.seats);
        format!("<stier.Beliefs of player {} over {cards} cards and {seats} seats, {}>", self.player, self.basis())
    }
}

/// Restores pickled beliefs.
#[pyfunction(name = "_restore_beliefs", signature = (*parts))]
pub(crate) fn restore_beliefs(parts: Parts) -> PyResult<Beliefs> {
    let (game, player, cards, expected, basis, worlds, effective) = parts;
    let seats = game.face().info().num_seats;
    if expected.len() != cards.len() * seats || usize::from(player) >= seats {
        return Err(errors::argument("these are not the beliefs of a player of this game"));
    }
    let found = Marginals { cards, seats, expected, basis: choice("basis", &basis)?, worlds, effective };
    Ok(Beliefs::new(game, Seat(player), found))
}
