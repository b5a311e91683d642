//! `stier.pit`.

use std::sync::mpsc::channel;

use pyo3::prelude::*;
use stier_agents::arena::{self, PitError, number_of_games};
use stier_agents::erased::DynEntrant;
use stier_core::GameInfo;

use crate::entrants::entrant;
use crate::errors;
use crate::game::AnyGame;
use crate::pit_result::PitResult;
use crate::run::Progress;
use crate::values::{Number, Seed};

/// A larger number is a typing mistake: a run can be interrupted, but not continued.
const MAX_DEALS: i64 = 1_000_000_000_000;
/// The largest result: all games are kept in memory.
const MAX_BYTES: f64 = 4e9;

/// The most memory that a game can take: its record, twice while the games are collected, and the events of the longest
/// game, one byte each, with what the allocator adds to them.
fn bytes_per_game(info: &GameInfo) -> f64 {
    (2 * size_of::<arena::Played>() + info.max_decisions + info.max_chance_events + 32) as f64
}

/// The number of games per deal for agents with these identities, at least one.
#[pyfunction]
pub(crate) fn games_per_deal(agents: Vec<String>) -> PyResult<u64> {
    if agents.is_empty() {
        return Err(errors::argument("there are no agents"));
    }
    Ok(number_of_games(agents.len(), &agents, 1))
}

/// `on_progress(done, total)` is called before the first game, then about ten times a second, and after the last. See
/// `stier.pit` for the other arguments.
#[pyfunction]
#[pyo3(signature = (game, agents, deals, seed, paired, threads, on_progress=None))]
pub(crate) fn pit(
    py: Python<'_>,
    game: AnyGame,
    agents: Vec<Bound<'_, PyAny>>,
    deals: Number,
    seed: Seed,
    paired: bool,
    threads: Number,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<PitResult> {
    let AnyGame(game) = &game;
    let (sender, receiver) = channel();
    let entrants = agents.iter().map(|agent| entrant(game, agent, &sender)).collect::<PyResult<Vec<_>>>()?;
    let mut settings = arena::Settings {
        deals: deals.between("deals", 1, MAX_DEALS)?,
        seed: seed.0,
        paired,
        threads: threads.cores()?,
    };
    if entrants.iter().any(|entrant| matches!(entrant, DynEntrant::Callback(..))) {
        // With one thread, games are played in order, and an agent with a memory is reproducible.
        settings.threads = 1;
    }
    let info = game.face().info();
    let seats = info.num_seats;
    let identities: Vec<String> = entrants.iter().map(DynEntrant::identity).collect();
    let total = if entrants.len() < seats { 0 } else { number_of_games(seats, &identities, settings.deals) };
    let bytes = total as f64 * bytes_per_game(info);
    if bytes > MAX_BYTES {
        return Err(errors::argument(format!(
            "{} deals would take {:.1} GB of memory for {total} games, and at most {:.1} GB are allowed: use fewer deals, \
             or `stier run`, which keeps its games in files",
            settings.deals,
            bytes / 1e9,
            MAX_BYTES / 1e9
        )));
    }

    let progress = Progress::new(total, on_progress, None);
    let (face, settings, now) = (game.face(), &settings, &progress);
    // The agents end with the work: they hold senders.
    let work = move || face.pit(&entrants, settings, &now.interrupt, &|| now.advance());
    let refused = |error| match error {
        PitError::TooFew { .. } | PitError::Unsuited { .. } => errors::agent(error),
        PitError::NoDeals | PitError::TooManyDeals { .. } => errors::argument(error),
        PitError::Halted(_) => errors::halted(error),
    };
    let result = progress.converse(py, (sender, receiver), work, refused)?;
    Ok(PitResult::new(game.clone(), result))
}
