//! Trees of whole games, and the errors of games that are too large for one.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use pyo3::prelude::*;
use stier_agents::erased::DynTree;
use stier_agents::solve::{BuildError, TooLarge};

use crate::errors;
use crate::game::Game;
use crate::run::{Progress, goes_on};
use crate::values::Number;

/// The tree numbers histories with fewer than 31 bits.
pub(crate) const MAX_HISTORIES: usize = (1 << 30) - 1;
/// The least memory per history, in bytes, while a game is solved.
const BYTES_PER_HISTORY: f64 = 20.0;

/// The limit on the number of histories.
pub(crate) fn most_histories(number: &Number) -> PyResult<usize> {
    Ok(number.between("max_histories", 1, MAX_HISTORIES as i64)? as usize)
}

/// The exception for a tree that could not be built. `hint` is added to its text.
fn tree_error(game: &Game, error: BuildError, hint: &str) -> PyErr {
    let error = match error {
        BuildError::TooLarge(error) => error,
        BuildError::HiddenMoves { .. } | BuildError::ImperfectRecall { .. } => {
            return errors::argument(format!("{error}{hint}"));
        }
        _ => return errors::halted(error),
    };
    let hopeless = match error {
        TooLarge::Estimated { estimate, .. } => estimate.histories > MAX_HISTORIES as f64,
        TooLarge::Counted { most } => most == MAX_HISTORIES,
    };
    let remedy = match error {
        _ if hopeless => format!("more than {MAX_HISTORIES} cannot be enumerated: use smaller rules"),
        TooLarge::Estimated { most, estimate } => {
            let megabytes = (estimate.histories * BYTES_PER_HISTORY / 1e6).ceil();
            format!(
                "max_histories is {most}: use smaller rules, or raise it, which takes at least {megabytes} MB of memory"
            )
        }
        TooLarge::Counted { most } => format!("max_histories is {most}: use smaller rules, or raise it"),
    };
    let size = match error {
        TooLarge::Counted { most } => format!("more than {most}"),
        TooLarge::Estimated { estimate, .. } => format!("an estimated {:.1e}", estimate.histories),
    };
    errors::argument(format!("{} is too large: it has {size} histories, and {remedy}{hint}", game.text()))
}

/// Builds the tree of a game. Stops once the call is to end. `hint` is added to the text of errors.
pub(crate) fn enumerate(
    game: &Game,
    most_histories: usize,
    threads: usize,
    progress: &Progress,
    hint: &str,
) -> PyResult<Arc<dyn DynTree>> {
    if game.is_native() {
        progress.estimate.store(game.face().estimate_histories().histories as u64, Ordering::Relaxed);
    }
    progress.is_counting.store(true, Ordering::Relaxed);
    let tree = game.face().enumerate(most_histories, threads, &|histories| {
        progress.histories.store(histories as u64, Ordering::Relaxed);
        goes_on(&progress.interrupt)
    });
    progress.is_counting.store(false, Ordering::Relaxed);
    tree.map_err(|error| tree_error(game, error, hint))
}
