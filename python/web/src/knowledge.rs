//! Beliefs about the cards.

use std::num::NonZero;

use serde::Serialize;
use stier_agents::belief::{Basis, Marginals};
use stier_agents::erased::check_seat;
use stier_core::Rng;

use crate::engine::Problem;
use crate::position::Position;

/// For each card and seat, the expected number of copies in the seat's hand.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Beliefs {
    cards: Vec<String>,
    seats: usize,
    /// `expected[card * seats + seat]`.
    expected: Vec<f64>,
    basis: Basis,
    worlds: u64,
}

impl From<Marginals> for Beliefs {
    fn from(found: Marginals) -> Self {
        let Marginals { cards, seats, expected, basis, worlds, .. } = found;
        Self { cards, seats, expected, basis, worlds }
    }
}

/// The beliefs of a seat, by chance alone.
pub(crate) fn beliefs(position: &Position, seat: i64) -> Result<Beliefs, Problem> {
    let state = position.state()?;
    let seat = check_seat(&*state.game(), seat)?;
    Ok(state.beliefs(seat).into())
}

/// The beliefs of another seat, on average over worlds that `seat` cannot tell apart: as far as it can know them.
pub(crate) fn known(position: &Position, seat: i64, other: i64, worlds: NonZero<u64>) -> Result<Beliefs, Problem> {
    if seat == other {
        return Err(Problem::SameSeat(seat));
    }
    let worlds = worlds.get();
    let state = position.state()?;
    let game = state.game();
    let (seat, other) = (check_seat(&*game, seat)?, check_seat(&*game, other)?);
    let mut mean: Option<Beliefs> = None;
    for world in 0..worlds {
        let seed = Rng::stream(0, "known", world).bits();
        let found = state.resample(seat, seed).beliefs(other);
        let sum = mean.get_or_insert_with(|| Beliefs {
            cards: found.cards.clone(),
            seats: found.seats,
            expected: vec![0.0; found.expected.len()],
            basis: Basis::Sampled,
            worlds,
        });
        let share = 1.0 / worlds as f64;
        sum.expected.iter_mut().zip(&found.expected).for_each(|(sum, expected)| *sum += share * expected);
    }
    Ok(mean.expect("at least one world"))
}
