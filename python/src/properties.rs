//! `stier.playing.properties`.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::thread;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use stier_agents::arena::Estimate;
use stier_agents::arena::properties::{MeasureError, Play, Properties as Found, Settings};
use stier_core::options::OptionType as _;

use crate::errors;
use crate::game::{AnyGame, Game};
use crate::run::{Ticker, watched};
use crate::values::{Number, Seed};

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
    game: Game,
    found: Found,
}

fn pair(estimate: Estimate) -> MeanAndInterval {
    (estimate.mean, estimate.ci95)
}

#[pymethods]
impl Properties {
    /// The game.
    #[getter]
    fn game(&self) -> Game {
        self.game.clone()
    }

    /// The number of deals played.
    #[getter]
    fn deals(&self) -> u64 {
        self.found.settings.deals
    }

    /// The number of games per deal.
    #[getter]
    fn games(&self) -> u64 {
        self.found.settings.games
    }

    /// The seed.
    #[getter]
    fn seed(&self) -> u64 {
        self.found.settings.seed
    }

    /// The play of all seats: `"random"` or `"hints"`.
    #[getter]
    fn play(&self) -> &'static str {
        self.found.settings.play.name()
    }

    /// The share of games that end with a last choice: each of its actions leads to the end without another choice.
    #[getter]
    fn leaves(&self) -> MeanAndInterval {
        pair(self.found.leaves)
    }

    /// The share of last choices that do not change whether the player who chooses wins.
    #[getter]
    fn leaf_correlation(&self) -> Option<MeanAndInterval> {
        self.found.leaf_correlation.map(pair)
    }

    /// The share of last choices that do not change the return of the player who chooses.
    #[getter]
    fn return_correlation(&self) -> Option<MeanAndInterval> {
        self.found.return_correlation.map(pair)
    }

    /// The excess of the favourite's share of wins over an even share, from about 0 to 1.
    #[getter]
    fn bias(&self) -> MeanAndInterval {
        pair(self.found.bias)
    }

    /// The share by which information sets shrink from one decision of a player to the next. Growth counts as 0.
    #[getter]
    fn disambiguation(&self) -> Option<MeanAndInterval> {
        self.found.disambiguation.map(pair)
    }

    /// The same as a constant rate, growth included. Negative if sets grow.
    #[getter]
    fn net_disambiguation(&self) -> Option<MeanAndInterval> {
        self.found.net_disambiguation.map(pair)
    }

    fn __str__(&self) -> String {
        self.found.to_string()
    }

    fn __repr__(&self) -> String {
        let Settings { deals, games, .. } = self.found.settings;
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
    let unknown = |problem| errors::argument(format!("play {problem}"));
    let mut settings = Settings {
        deals: deals.between("deals", 1, MAX_DEALS)?,
        games: games.between("games", 2, MAX_GAMES)?,
        seed: seed.0,
        play: Play::parse(play, &()).map_err(unknown)?,
        threads: threads.threads()?,
    };
    if settings.threads == 0 {
        // The global thread pool would not survive a fork, as in `multiprocessing`.
        settings.threads = thread::available_parallelism().map_or(1, NonZero::get);
    }
    let interrupt = AtomicBool::new(false);
    let done = AtomicU64::new(0);
    let watch = || {
        done.fetch_add(1, Ordering::Relaxed);
        if interrupt.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let total = settings.deals * settings.games;
    let tell = |done: u64| match &on_progress {
        Some(callback) => callback.call1((done, total)).map(|_| ()),
        None => Ok(()),
    };
    tell(0)?;
    let mut ticker = Ticker::start();
    let attend = |_: Option<()>| {
        if !ticker.is_due() {
            return Ok(());
        }
        tell(done.load(Ordering::Relaxed))
    };
    // Dropping the sender tells the waiting thread that the work has ended.
    let work = |sender: Sender<()>| {
        let found = game.face().properties(&settings, &watch);
        drop(sender);
        found
    };
    let found = watched(py, &interrupt, work, attend)?.map_err(|error| match error {
        MeasureError::TooFew => errors::argument(error.to_string()),
        MeasureError::Halted(_) => PyRuntimeError::new_err(error.to_string()),
    })?;
    tell(total)?;
    Ok(Properties { game: game.clone(), found })
}
