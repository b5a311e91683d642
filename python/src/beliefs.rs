//! `stier.Beliefs`.

use std::fmt::Write as _;

use numpy::{IntoPyArray as _, PyArray2, PyArrayMethods as _};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use stier_agents::belief::Marginals;
use stier_core::Seat;

use crate::game::Game;
use crate::values::Number;

/// Where somebody believes the cards to be; made by `Agent.beliefs`.
///
/// For each card and seat, how many copies of the card the seat is expected to hold. Where there is one copy of each card, that
/// is the probability that the seat holds it; in Schweins-Galopp, where all cards of a colour are alike, it is an expected count.
#[pyclass(frozen, module = "stier")]
pub(crate) struct Beliefs {
    game: Game,
    player: Seat,
    found: Marginals,
}

impl Beliefs {
    pub(crate) fn new(game: Game, player: Seat, found: Marginals) -> Self {
        Self { game, player, found }
    }
}

#[pymethods]
impl Beliefs {
    /// The game that it is about.
    #[getter(game)]
    fn get_game(&self) -> Game {
        self.game.clone()
    }

    /// Whose knowledge it is.
    #[getter]
    fn player(&self) -> u8 {
        self.player.0
    }

    /// The names of the cards: of actions and chance outcomes where these name nothing but a card.
    #[getter]
    fn cards(&self) -> Vec<String> {
        self.found.cards.clone()
    }

    /// The expected numbers as a new float64 array, cards x seats. A column adds up to the cards that the seat holds.
    #[getter]
    fn expected<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.found.expected.clone().into_pyarray(py).reshape([self.found.cards.len(), self.found.seats])
    }

    /// The method by which the numbers were found:
    ///
    /// - `"enumerated"`: every world was counted with its exact probability, under the agent's model of the others if it has one;
    /// - `"estimated"`: every world was counted, but how likely the model makes each was estimated from some of its histories;
    /// - `"sampled"`: `worlds` worlds were drawn by chance alone;
    /// - `"particles"`: `worlds` histories were drawn and weighted by the model;
    /// - `"chance"`: the model could not be applied, for it excludes all histories or fewer than 64 were weighed: `worlds` worlds were
    ///   counted or drawn by chance alone.
    #[getter]
    fn basis(&self) -> &'static str {
        self.found.basis.name()
    }

    /// How many worlds were counted.
    #[getter]
    fn worlds(&self) -> u64 {
        self.found.worlds
    }

    /// That many worlds with equal weights would tell as much; the fewer, the surer the belief, or the worse its particles.
    #[getter]
    fn effective(&self) -> f64 {
        self.found.effective
    }

    /// The expected number for one card, by name, and one seat.
    ///
    /// Raises `KeyError`, which lists the cards, if there is none of that name, and `SeatError` for a seat that the game does not
    /// have.
    fn of(&self, card: &str, seat: Number) -> PyResult<f64> {
        let seat = seat.seat_of(self.game.face())?;
        let cards = &self.found.cards;
        let place = cards
            .iter()
            .position(|name| name == card)
            .ok_or_else(|| PyKeyError::new_err(format!("no card '{card}'; there are {}", cards.join(" "))))?;
        Ok(self.found.expected[place * self.found.seats + seat.index()])
    }

    /// A table, cards by seats; cards that nobody can hold are left out.
    fn __str__(&self) -> String {
        let found = &self.found;
        let mut out = format!("player {} believes ({}, {} worlds)\ncard  ", self.player, self.basis(), found.worlds);
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

    /// A heat map, cards by seats: SVG that stands for itself. See `stier.draw.beliefs`.
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
