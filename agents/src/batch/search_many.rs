//! Many searches in one call.
//!
//! Each state is searched by a new agent, with a seed hashed from (seed, "search", index of the state). The decision
//! does not depend on the other states or on the number of threads, unless the budget is time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stier_core::{Dealer, Hints, History, Rng};

use crate::agent::Decision;
use crate::agent::threads::{Halted, Watch, each, goes_on};
use crate::batch::ManyError;
use crate::catalogue::AgentSpec;

/// The settings of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The seed from which the seeds of the searches are hashed.
    pub seed: u64,
    /// The number of states searched at once; 0 uses all cores. It does not change the results.
    pub threads: usize,
}

/// The seed of the agent that searches a state.
pub fn seed_of(seed: u64, state: usize) -> u64 {
    Rng::stream(seed, "search", state as u64).bits()
}

/// A state in which a player is to act, and its dealer, if that is known.
pub(crate) type Source<'a, G> = (&'a History<G>, Option<&'a Dealer>);

/// Has an agent decide in every state. `watch` is called after every decision, from any thread, and may stop the
/// search.
pub(crate) fn search<G: Hints>(
    game: &G,
    spec: &AgentSpec,
    sources: &[Source<'_, G>],
    settings: &Settings,
    interrupt: &Arc<AtomicBool>,
    watch: Watch<'_>,
) -> Result<Vec<Decision>, ManyError> {
    spec.check(game)?;
    let player = || {
        let mut player = spec.player(game, 0);
        player.interrupt_with(interrupt.clone());
        player
    };
    each(settings.threads, sources.len() as u64, player, |player, index| {
        let (history, dealer) = sources[index as usize];
        player.restart(seed_of(settings.seed, index as usize));
        let decision = player.act(game, history, dealer, game.legal(history.state()));
        goes_on(watch())?;
        if interrupt.load(Ordering::Relaxed) { Err(Halted::Interrupted.into()) } else { Ok(decision) }
    })
}
