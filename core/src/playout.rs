//! Random play to the end, for games that have it by hand.

use crate::game::Game;
use crate::processor::{self, Work};
use crate::rng::Rng;

/// A random playout.
///
/// Every action is uniformly random among the legal ones or, with `HINTS`, among those kept by
/// [`Hints::rollout`](crate::Hints::rollout).
pub(crate) struct Playout<'a, G: Game, const HINTS: bool> {
    pub(crate) game: &'a G,
    pub(crate) state: &'a mut G::State,
    pub(crate) rng: &'a mut Rng,
}

impl<'a, G: Game, const HINTS: bool> Playout<'a, G, HINTS>
where
    Self: Work<Output = u32>,
{
    /// Plays to the end. Returns the number of decisions.
    #[inline]
    pub(crate) fn run(game: &'a G, state: &'a mut G::State, rng: &'a mut Rng) -> u32 {
        processor::run(Self { game, state, rng })
    }
}
