//! Many determinizations in one call, of one or several states.
//!
//! World `k` of state `s` has its own seed. The seed is hashed from (seed, "resample many", s) and then from (that,
//! "world", k), so it does not depend on the other worlds or on the number of threads. Without histories, a world is
//! a position drawn by [`Sampler::sample`](stier_core::Sampler::sample), for arrays. With them, it is the result of
//! `DynState::resample` for its seed, a state to play on from. Both are drawn by chance reach probability, or from the
//! beliefs of an agent.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stier_core::list::Listing as _;
use stier_core::{Game, Hints, History, Notation, Rng, Seat};

use crate::agent::threads::{Halted, each};
use crate::agent::worlds::Worlds;
use crate::batch::ManyError;
use crate::batch::vector::Cells;
use crate::catalogue::AgentSpec;

/// The settings of a call.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings<'a> {
    /// The agent whose beliefs the worlds are drawn from; by default chance alone counts.
    pub agent: Option<&'a AgentSpec>,
    /// The number of worlds of each state, at least 1.
    pub worlds: usize,
    /// The seed from which the worlds' seeds are hashed.
    pub seed: u64,
    /// True if worlds have histories.
    pub histories: bool,
    /// The number of threads; 0 uses all cores. It does not change the worlds.
    pub threads: usize,
}

/// Worlds of a game whose type is not known, ordered by state.
pub trait DrawnWorlds: Send + Sync {
    /// The number of worlds.
    fn count(&self) -> usize;
    /// The seat from whose knowledge a world was drawn.
    fn seat(&self, world: usize) -> Seat;
    /// The names of the cards: [`Notation::cards`].
    fn cards(&self) -> Vec<String>;
    /// Overwrites `out`, worlds x seats x cards, with the number of copies of each card that each seat holds.
    fn holdings(&self, out: &mut [u8]);
    /// Overwrites `out`, worlds x observation, with the observations of `seat`, or by default of the seat for which
    /// each world was drawn.
    fn observations(&self, seat: Option<Seat>, out: Cells<'_>);
}

impl<G: Notation> DrawnWorlds for Resampled<G> {
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
        let shown = |(world, &state)| (state, seat.unwrap_or(self.seat(world)));
        out.observe(&*self.game, self.positions.iter().enumerate().map(shown));
    }
}

/// A state, and the seat whose knowledge of it is used.
pub(crate) struct Source<'a, G: Game> {
    pub(crate) history: &'a History<G>,
    pub(crate) seat: Seat,
    /// True if the state draws its own random events. Its worlds then do so too.
    pub(crate) dealt: bool,
}

/// The worlds of a call.
pub struct Resampled<G: Game> {
    game: Arc<G>,
    seats: Vec<Seat>,
    of_each: usize,
    positions: Vec<G::State>,
    /// As many histories as positions, each with the seed of its future random events, or none at all.
    histories: Vec<(History<G>, Option<u64>)>,
}

impl<G: Game> Resampled<G> {
    /// The game.
    pub fn game(&self) -> &Arc<G> {
        &self.game
    }

    /// The history of a world, with the seed of its future events if it draws its own; `None` if worlds have no
    /// histories.
    pub fn history(&self, world: usize) -> Option<&(History<G>, Option<u64>)> {
        self.histories.get(world)
    }
}

/// The number of worlds that one thread draws from one sampler: enough that making the sampler is cheap in
/// comparison.
const PART: usize = 4096;

/// The worlds of a part.
struct Drawn<G: Game> {
    positions: Vec<G::State>,
    histories: Vec<(History<G>, Option<u64>)>,
}

fn part<G: Hints>(game: &G, source: &Source<'_, G>, state: usize, first: usize, settings: &Settings<'_>) -> Drawn<G> {
    let view = game.view(source.history, source.seat);
    let seed = Rng::stream(settings.seed, "resample many", state as u64).bits();
    let seed_of = |purpose, index| Rng::stream(seed, purpose, index as u64).bits();
    let believed = |spec: &AgentSpec| spec.player(game, seed_of("beliefs", 0)).agent().beliefs(game, &view);
    let worlds = settings.agent.map_or_else(|| Worlds::uniform(game, &view), believed);
    let last = settings.worlds.min(first + PART);
    let seeded = |world: usize| Rng::stream(seed_of("world", world), "resample", 0);
    if !settings.histories {
        let positions = (first..last).map(|world| worlds.draw(&mut seeded(world))).list();
        return Drawn { positions, histories: Vec::new() };
    }
    let drawn = |world| {
        let mut rng = seeded(world);
        let history = worlds.draw_history(game, &mut rng);
        (history, source.dealt.then(|| rng.bits()))
    };
    let histories: Vec<_> = (first..last).map(drawn).list();
    Drawn { positions: histories.iter().map(|(history, _)| *history.state()).list(), histories }
}

/// Draws the worlds of every state.
pub(crate) fn draw<G: Hints>(
    game: &Arc<G>,
    sources: &[Source<'_, G>],
    settings: &Settings<'_>,
    interrupt: &AtomicBool,
) -> Result<Resampled<G>, ManyError> {
    settings.agent.map_or(Ok(()), |agent| agent.check(&**game))?;
    let firsts = |state| (0..settings.worlds).step_by(PART).map(move |first| (state, first));
    let parts: Vec<(usize, usize)> = (0..sources.len()).flat_map(firsts).list();
    let drawn = each(
        settings.threads,
        parts.len() as u64,
        || (),
        |(), index| {
            if interrupt.load(Ordering::Relaxed) {
                return Err(Halted::Interrupted);
            }
            let (state, first) = parts[index as usize];
            Ok(part(&**game, &sources[state], state, first, settings))
        },
    )?;
    let (mut positions, mut histories) = (Vec::new(), Vec::new());
    for mut drawn in drawn {
        positions.append(&mut drawn.positions);
        histories.append(&mut drawn.histories);
    }
    let seats = sources.iter().map(|source| source.seat).list();
    Ok(Resampled { game: game.clone(), seats, of_each: settings.worlds, positions, histories })
}
