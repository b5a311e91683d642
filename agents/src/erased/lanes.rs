//! Lanes and worlds whose states can be taken out.

use stier_core::FullGame;

use super::{Dealing, Dealt, DynState, ErasedGame, ErasedState};
use crate::batch::resample_many::{DrawnWorlds, Resampled};
use crate::batch::vector::{Lanes, Vector, VectorError};

/// Lanes of a game whose type is not known.
pub trait DynVector: Lanes {
    /// The state of a lane, history included; it goes on as the lane would.
    fn state(&self, lane: usize) -> Result<Box<dyn DynState>, VectorError>;
}

impl<G: FullGame> DynVector for Vector<G> {
    fn state(&self, lane: usize) -> Result<Box<dyn DynState>, VectorError> {
        let (history, dealer, seed) = self.position(lane)?;
        let dealing = Some(Dealt { begun: Dealing { seed, since: 0 }, dealer: dealer.clone() });
        Ok(Box::new(ErasedState { game: ErasedGame::new(self.game().clone()), history: history.clone(), dealing }))
    }
}

/// Worlds of a game whose type is not known.
pub trait DynWorlds: DrawnWorlds {
    /// The world as a state; `None` if worlds have no histories.
    fn state(&self, world: usize) -> Option<Box<dyn DynState>>;
}

impl<G: FullGame> DynWorlds for Resampled<G> {
    fn state(&self, world: usize) -> Option<Box<dyn DynState>> {
        let (history, seed) = self.history(world)?;
        let since = history.events().len();
        let dealing = seed.map(|seed| Dealt::new(Dealing { seed, since }));
        let game = ErasedGame::new(self.game().clone());
        Some(Box::new(ErasedState { game, history: history.clone(), dealing }))
    }
}
