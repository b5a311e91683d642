//! Seeded chance: the same seed gives the same deals in every layer.

use crate::game::history::History;
use crate::game::{Game, Turn};
use crate::rng::Rng;

/// Draws the random events of one game from streams hashed from (seed, game index, deal number).
///
/// The seed thus fixes the order of a face-down pile, no matter which player draws from it. Two games with the same
/// dealer have the same deals, even after rounds that were played differently.
#[derive(Clone, Debug)]
pub struct Dealer {
    seed: u64,
    index: u64,
    deal: u32,
    rng: Rng,
}

impl Dealer {
    /// Creates the dealer of the `index`-th game under a seed.
    pub fn new(seed: u64, index: u64) -> Self {
        Self { seed, index, deal: 0, rng: stream(seed, index, 0) }
    }

    /// The stream for random events in this state.
    #[inline]
    pub fn rng<G: Game>(&mut self, game: &G, state: &G::State) -> &mut Rng {
        let deal = game.deal_number(state);
        if deal != self.deal {
            self.deal = deal;
            self.rng = stream(self.seed, self.index, deal);
        }
        &mut self.rng
    }

    /// Draws random events until a player must act or the game is over.
    #[inline]
    pub fn settle<G: Game>(&mut self, game: &G, history: &mut History<G>) {
        while game.turn(history.state()) == Turn::Chance {
            let outcome = game.sample_chance(history.state(), self.rng(game, history.state()));
            history.push(game, outcome);
        }
    }
}

fn stream(seed: u64, index: u64, deal: u32) -> Rng {
    let game = Rng::stream(seed, "deal", index).bits();
    Rng::stream(game, "deal of a game", u64::from(deal))
}
