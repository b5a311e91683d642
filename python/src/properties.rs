//! `stier.playing.properties`.

use pyo3::prelude::*;
use stier_agents::arena::Estimate;
use stier_agents::arena::properties::{MeasureError, Settings};

use crate::errors;
use crate::game::AnyGame;
use crate::run::Progress;
use crate::values::{Number, Seed, choice};

/// A larger number is a typing mistake: a run can be interrupted, but not continued.
const MAX_DEALS: i64 = 100_000_000;
/// More games per deal would add nothing.
const MAX_GAMES: i64 = 1_000_000;

fn pair(estimate: Estimate) -> (f64, f64) {
    (estimate.mean, estimate.ci95)
}

/// `on_progress(done, total)` is called before the first game, then about ten times a second, and after the last. See
/// `stier.playing.properties` for the other arguments.
#[pyfunction]
#[pyo3(signature = (game, deals, games, seed, play, threads, on_progress=None))]
pub(crate) fn properties(
    py: Python<'_>,
    game: AnyGame,
    deals: Number,
    games: Number,
    seed: Seed,
    play: &str,
    threads: Number,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    let AnyGame(game) = &game;
    let settings = Settings {
        deals: deals.between("deals", 1, MAX_DEALS)?,
        games: games.between("games", 2, MAX_GAMES)?,
        seed: seed.0,
        play: choice("play", play)?,
        threads: threads.cores()?,
    };
    let progress = Progress::new(settings.deals * settings.games, on_progress, None);
    let work = || game.face().properties(&settings, &|| progress.advance());
    let found = progress.run(py, work, |error| match error {
        MeasureError::TooFew => errors::argument(error),
        MeasureError::Halted(_) => errors::halted(error),
    })?;
    let Settings { deals, games, seed, play, .. } = found.settings;
    let parts = (
        game.clone(),
        deals,
        games,
        seed,
        play.name(),
        pair(found.leaves),
        found.leaf_correlation.map(pair),
        found.return_correlation.map(pair),
        pair(found.bias),
        found.disambiguation.map(pair),
        found.net_disambiguation.map(pair),
        found.to_string(),
    );
    py.import("stier._results")?.getattr("Properties")?.call1(parts).map(Bound::unbind)
}
