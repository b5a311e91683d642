//! The chains of everything that the seats learn, by which searches and solvers tell information sets apart.

use stier_core::key::{Chain, mix};
use stier_core::{Action, BySeat, Game, Seat};

/// The start of all chains: unlike any number that a seat sees.
const START: u64 = 0x243f_6a88_85a3_08d3;

/// The chain of a seat that has not learned anything.
pub(crate) fn new_chain(seat: Seat) -> Chain {
    Chain::new(mix(START, u64::from(seat.0)))
}

/// The chains of all seats.
pub(crate) fn seat_chains(seats: usize) -> BySeat<Chain> {
    BySeat::from_fn(seats, new_chain)
}

/// All seats look at the state of a decision.
pub(crate) fn look<G: Game>(chains: &mut BySeat<Chain>, game: &G, state: &G::State) {
    for (chain, seat) in chains.iter_mut().zip((0..).map(Seat)) {
        chain.look(game.sight(state, seat));
    }
}

/// All seats observe an action, before it is done.
pub(crate) fn notice<G: Game>(chains: &mut BySeat<Chain>, game: &G, before: &G::State, action: Action) {
    for (chain, seat) in chains.iter_mut().zip((0..).map(Seat)) {
        chain.notice(game.observed(before, action, seat));
    }
}
