//! Many determinizations in one call: of one state, or of many.
//!
//! World `k` of state `s` comes from a seed of its own, hashed from (seed, "resample many", s) and from (that, "world", k): it is the
//! same whichever other worlds are drawn beside it, and on any number of threads. Without histories, a world is a position drawn by
//! [`Sampler::sample`](stier_core::Sampler::sample), for arrays; with them, it is what [`DynState::resample`] gives for its seed, a
//! state to play on from.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::{IntoParallelIterator as _, ParallelIterator as _};
use stier_core::{Game, History, Rng, Sampler as _, Seat, encode};
use thiserror::Error;

use crate::erased::{DecideError, DynState, FullGame, resampled_state};
use crate::threads::{self, ThreadsError};
use crate::vector::Cells;

/// What to draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Worlds of each state, at least 1.
    pub worlds: usize,
    /// From which the worlds' seeds are hashed.
    pub seed: u64,
    /// Whether worlds have histories.
    pub histories: bool,
    /// Threads; 0 for all cores. No influence on the worlds.
    pub threads: usize,
}

/// Why there are no worlds.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ResampleError {
    /// A state of another game.
    #[error("state {index}: {source}")]
    State {
        /// Which.
        index: usize,
        /// What is wrong with it.
        source: DecideError,
    },
    /// The flag was set.
    #[error("interrupted")]
    Interrupted,
    /// The threads could not be started.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
}

/// Worlds of which the game's type is not known, those of the first state first.
pub trait DynWorlds: Send + Sync {
    /// How many there are.
    fn count(&self) -> usize;
    /// Whose knowledge a world was drawn from.
    fn seat(&self, world: usize) -> Seat;
    /// The names of the cards: [`Notation::cards`](stier_core::Notation::cards).
    fn cards(&self) -> Vec<String>;
    /// Overwrites `out`, worlds x seats x cards: how many copies of each card each seat holds.
    fn holdings(&self, out: &mut [u8]);
    /// Overwrites `out`, worlds x observation: what `seat` sees, or whoever the world was drawn for.
    fn observations(&self, seat: Option<Seat>, out: Cells<'_>);
    /// The world as a state; `None` if worlds have no histories.
    fn state(&self, world: usize) -> Option<Box<dyn DynState>>;
}

/// A state, and whose knowledge of it counts.
pub(crate) struct Source<'a, G: Game> {
    pub(crate) history: &'a History<G>,
    pub(crate) seat: Seat,
    /// Whether its random events draw themselves; those of the worlds do so, too.
    pub(crate) dealt: bool,
}

/// Worlds drawn.
struct Worlds<G: Game> {
    game: Arc<G>,
    seats: Vec<Seat>,
    of_each: usize,
    positions: Vec<G::State>,
    /// As many histories as positions, each with the seed of the dealing to come; or none.
    histories: Vec<(History<G>, Option<u64>)>,
}

/// Worlds that are drawn by one thread from one sampler: enough that making the sampler does not matter.
const PART: usize = 4096;

/// The seed of a world.
fn seed_of(seed: u64, state: usize, world: usize) -> u64 {
    let state = Rng::stream(seed, "resample many", state as u64).bits();
    Rng::stream(state, "world", world as u64).bits()
}

/// What a part drew.
struct Drawn<G: Game> {
    positions: Vec<G::State>,
    histories: Vec<(History<G>, Option<u64>)>,
}

fn part<G: Game>(game: &G, source: &Source<'_, G>, state: usize, first: usize, settings: &Settings) -> Drawn<G> {
    let sampler = game.sampler(&game.view(source.history, source.seat));
    let last = settings.worlds.min(first + PART);
    let seeded = |world| Rng::stream(seed_of(settings.seed, state, world), "resample", 0);
    if !settings.histories {
        let positions = (first..last).map(|world| sampler.sample(&mut seeded(world))).collect();
        return Drawn { positions, histories: Vec::new() };
    }
    let drawn = |world| {
        let mut rng = seeded(world);
        let history = sampler.sample_history(game, &mut rng);
        (history, source.dealt.then(|| rng.bits()))
    };
    let histories: Vec<_> = (first..last).map(drawn).collect();
    Drawn { positions: histories.iter().map(|(history, _)| *history.state()).collect(), histories }
}

/// Draws worlds of every state.
pub(crate) fn draw<G: FullGame>(
    game: &Arc<G>,
    sources: &[Source<'_, G>],
    settings: &Settings,
    interrupt: &AtomicBool,
) -> Result<Box<dyn DynWorlds>, ResampleError> {
    let firsts = |state| (0..settings.worlds).step_by(PART).map(move |first| (state, first));
    let parts: Vec<(usize, usize)> = (0..sources.len()).flat_map(firsts).collect();
    let one = |(state, first): (usize, usize)| {
        let stopped = interrupt.load(Ordering::Relaxed);
        (!stopped).then(|| part(&**game, &sources[state], state, first, settings))
    };
    let threads = threads::resolve(settings.threads).min(parts.len());
    let drawn: Option<Vec<Drawn<G>>> = if threads <= 1 {
        parts.into_iter().map(one).collect()
    } else {
        threads::pool(threads)?.install(|| parts.into_par_iter().map(one).collect())
    };
    let (mut positions, mut histories) = (Vec::new(), Vec::new());
    for mut drawn in drawn.ok_or(ResampleError::Interrupted)? {
        positions.append(&mut drawn.positions);
        histories.append(&mut drawn.histories);
    }
    let seats = sources.iter().map(|source| source.seat).collect();
    Ok(Box::new(Worlds { game: game.clone(), seats, of_each: settings.worlds, positions, histories }))
}

impl<G: FullGame> DynWorlds for Worlds<G> {
    fn count(&self) -> usize {
        self.positions.len()
    }

    fn seat(&self, world: usize) -> Seat {
        self.seats[world / self.of_each]
    }

    fn cards(&self) -> Vec<String> {
        self.game.cards()
    }

    fn holdings(&self, out: &mut [u8]) {
        let seats = self.game.num_seats();
        let cards = self.game.cards().len();
        if cards == 0 {
            return;
        }
        for (position, row) in self.positions.iter().zip(out.chunks_exact_mut(seats * cards)) {
            for (seat, counts) in Seat::all(seats).zip(row.chunks_exact_mut(cards)) {
                self.game.holdings(position, seat, counts);
            }
        }
    }

    fn observations(&self, seat: Option<Seat>, out: Cells<'_>) {
        let width = encode::size(&self.game.info().observation);
        let rows = self.positions.iter().enumerate().map(|(world, state)| (state, seat.unwrap_or(self.seat(world))));
        match out {
            Cells::Floats(out) => rows
                .zip(out.chunks_exact_mut(width))
                .for_each(|((state, seat), row)| self.game.observation(state, seat, row)),
            Cells::Bytes(out) => rows
                .zip(out.chunks_exact_mut(width))
                .for_each(|((state, seat), row)| self.game.observation(state, seat, row)),
        }
    }

    fn state(&self, world: usize) -> Option<Box<dyn DynState>> {
        let (history, dealing) = self.histories.get(world)?;
        Some(resampled_state(self.game.clone(), history.clone(), *dealing))
    }
}
