//! `stier.playing.properties`.

use std::sync::mpsc::Sender;

use pyo3::prelude::*;
use stier_agents::arena::Estimate;
use stier_agents::arena::properties::{MeasureError, Settings};

use crate::errors;
use crate::game::{AnyGame, Game};
use crate::run::{Progress, ticking};
use crate::values::{Number, Seed, choice};

/// A larger number is a typing mistake: a run can be interrupted, but not continued.
const MAX_DEALS: i64 = 100_000_000;
/// More games per deal would add nothing.
const MAX_GAMES: i64 = 1_000_000;

/// A mean and half the width of its 95 % interval.
type MeanAndInterval = (f64, f64);

/// Properties of a game that matter to search, measured by `stier.playing.properties`. Each is a pair: the mean and half the
/// width of its 95 % interval over deals. `None` if nothing could be measured.
#[pyclass(frozen, module = "stier.playing")]
pub(crate) struct Properties {
    /// The game.
    #[pyo3(get)]
    game: Game,
    /// The number of deals played.
    #[pyo3(get)]
    deals: u64,
    /// The number of games per deal.
    #[pyo3(get)]
    games: u64,
    /// The seed.
    #[pyo3(get)]
    seed: u64,
    /// The play of all seats: `"random"` or `"hints"`.
    #[pyo3(get)]
    play: &'static str,
    /// The share of games that end with a last choice: each of its actions leads to the end without another choice.
    #[pyo3(get)]
    leaves: MeanAndInterval,
    /// The share of last choices that do not change whether the player who chooses wins.
    #[pyo3(get)]
    leaf_correlation: Option<MeanAndInterval>,
    /// The share of last choices that do not change the return of the player who chooses.
    #[pyo3(get)]
    return_correlation: Option<MeanAndInterval>,
    /// The excess of the favourite's share of wins over an even share, from about 0 to 1.
    #[pyo3(get)]
    bias: MeanAndInterval,
    /// The share by which information sets shrink from one decision of a player to the next. Growth counts as 0.
    #[pyo3(get)]
    disambiguation: Option<MeanAndInterval>,
    /// The same as a constant rate, growth included. Negative if sets grow.
    #[pyo3(get)]
    net_disambiguation: Option<MeanAndInterval>,
    text: String,
}

fn pair(estimate: Estimate) -> MeanAndInterval {
    (estimate.mean, estimate.ci95)
}

#[pymethods]
impl Properties {
    fn __str__(&self) -> String {
        self.text.clone()
    }

    fn __repr__(&self) -> String {
        let Self { deals, games, .. } = self;
        format!("<stier.Properties of {}: {deals} deals, {games} games of each>", self.game.text())
    }
}

/// `on_progress(done, total)` is called before the first game, then about ten times a second, and after the last. See
/// `stier.playing.properties` for the other arguments.
#[pyfunction]
#[pyo3(signature = (game, deals, games, seed, play, threads, on_progress=None))]
#[expect(clippy::too_many_arguments, reason = "the settings, one by one")]
pub(crate) fn properties(
    py: Python<'_>,
    game: AnyGame,
    deals: Number,
    games: Number,
    seed: Seed,
    play: &str,
    threads: Number,
    on_progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Properties> {
    let AnyGame(game) = &game;
    let settings = Settings {
        deals: deals.between("deals", 1, MAX_DEALS)?,
        games: games.between("games", 2, MAX_GAMES)?,
        seed: seed.0,
        play: choice("play", play)?,
        threads: threads.cores()?,
    };
    let progress = Progress::default();
    progress.expect(settings.deals * settings.games);
    let report = || progress.tell(on_progress.as_ref());
    report()?;
    let work = |_sender: Sender<()>| game.face().properties(&settings, &|| progress.advance());
    let found = ticking(py, &progress.interrupt, work, |()| Ok(()), report)?.map_err(|error| match error {
        MeasureError::TooFew => errors::argument(error),
        MeasureError::Halted(_) => errors::halted(error),
    })?;
    progress.tell_end(on_progress.as_ref())?;
    let Settings { deals, games, seed, play, .. } = found.settings;
    Ok(Properties {
        game: game.clone(),
        deals,
        games,
        seed,
        play: play.name(),
        leaves: pair(found.leaves),
        leaf_correlation: found.leaf_correlation.map(pair),
        return_correlation: found.return_correlation.map(pair),
        bias: pair(found.bias),
        disambiguation: found.disambiguation.map(pair),
        net_disambiguation: found.net_disambiguation.map(pair),
        text: found.to_string(),
    })
}
