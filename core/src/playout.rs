//! Random play to the end, for games that have it by hand.

use crate::game::Game;
use crate::processor::{self, Work};
use crate::rng::Rng;

/// A random playout. Its work returns the number of decisions.
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
    Self: Work,
{
    /// Plays to the end.
    #[inline]
    pub(crate) fn run(game: &'a G, state: &'a mut G::State, rng: &'a mut Rng) -> <Self as Work>::Output {
        processor::run(Self { game, state, rng })
    }
}
