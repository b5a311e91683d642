//! Many searches in one call.
//!
//! The decision in state `i` is that of the agent, newly made with the seed hashed from (seed, "search", i): the same whichever other
//! states are searched beside it, and on any number of threads, unless the budget is time.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::{IntoParallelIterator as _, ParallelIterator as _};
use stier_core::{Dealer, Hints, History, Rng};
use thiserror::Error;

use crate::agent::player::Player;
use crate::agent::threads::{self, ThreadsError};
use crate::agent::{DecideError, Decision};
use crate::catalogue::spec::AgentSpec;
use crate::network::file::NetworkError;

/// Why there are no decisions.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SearchManyError {
    /// A state in which the agent cannot decide.
    #[error("state {index}: {source}")]
    State {
        /// Which.
        index: usize,
        /// Why not.
        source: DecideError,
    },
    /// The agent asks a network that was trained for something else.
    #[error(transparent)]
    Unsuited(#[from] NetworkError),
    /// The flag was set, or the watcher asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The threads could not be started.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
}

/// How to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// From which the seeds of the searches are hashed.
    pub seed: u64,
    /// States searched at once; 0 for all cores. No influence on the results.
    pub threads: usize,
}

/// The seed of the agent that searches a state.
pub fn seed_of(seed: u64, state: usize) -> u64 {
    Rng::stream(seed, "search", state as u64).bits()
}

/// A state in which a player is to act, and who brings its random events, if that is known.
pub(crate) type Source<'a, G> = (&'a History<G>, Option<&'a Dealer>);

/// Has an agent decide in every state. `watch` is called after every decision, from any thread, and may break off.
pub(crate) fn search<G: Hints>(
    game: &G,
    spec: &AgentSpec,
    sources: &[Source<'_, G>],
    settings: &Settings,
    interrupt: &Arc<AtomicBool>,
    watch: &(dyn Fn() -> ControlFlow<()> + Sync),
) -> Result<Vec<Decision>, SearchManyError> {
    spec.check(game)?;
    let player = || {
        let mut player = spec.player::<G>(0);
        player.interrupt_with(interrupt.clone());
        player
    };
    let stopped = AtomicBool::new(false);
    let search = |player: &mut Player<G>, index: usize| {
        if stopped.load(Ordering::Relaxed) || interrupt.load(Ordering::Relaxed) {
            return None;
        }
        let (history, dealer) = sources[index];
        player.restart(seed_of(settings.seed, index));
        let decision = player.act(game, history, dealer, game.legal(history.state()));
        if watch().is_break() {
            stopped.store(true, Ordering::Relaxed);
        }
        Some(decision)
    };
    let threads = threads::resolve(settings.threads).min(sources.len());
    let all = 0..sources.len();
    let decisions: Option<Vec<Decision>> = if threads <= 1 {
        let mut player = player();
        all.map(|index| search(&mut player, index)).collect()
    } else {
        threads::pool(threads)?.install(|| all.into_par_iter().map_init(player, search).collect())
    };
    let broken = stopped.load(Ordering::Relaxed) || interrupt.load(Ordering::Relaxed);
    decisions.filter(|_| !broken).ok_or(SearchManyError::Interrupted)
}
