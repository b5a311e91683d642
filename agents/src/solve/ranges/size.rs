//! The size of a game on public states.

use std::mem::size_of;

use stier_core::public::HandMove;
use thiserror::Error;

use super::shapes::{Shape, Shapes};
use crate::agent::threads::Halted;

/// The number of things that take memory.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct RangeSize {
    /// Public states.
    pub states: u64,
    /// Hands of the player to act, in all public states in which one acts.
    pub information_sets: u64,
    /// Different shapes of public states.
    pub shapes: u64,
    /// Hands of both players in all public states.
    pub hands: u64,
    /// Actions of hands with a choice, in all public states.
    pub actions: u64,
    /// Different outcomes in all public states in which the game ends.
    pub outcomes: u64,
    /// The bytes of the shapes.
    pub shape_bytes: u64,
}

impl RangeSize {
    pub(super) fn of(shapes: &Shapes) -> Self {
        let mut size = Self { shapes: shapes.all.len() as u64, ..Self::default() };
        let mut lanes = vec![0_u64; shapes.all.len()];
        shapes.openings.iter().for_each(|&(shape, _)| lanes[shape as usize] += 1);
        for (number, shape) in shapes.all.iter().enumerate().rev() {
            let here = lanes[number];
            size.states += here;
            size.hands += here * shape.hands().map(u64::from).iter().sum::<u64>();
            size.actions += here * shape.num_cells() as u64;
            for branch in shape.branches() {
                lanes[branch.shape as usize] = lanes[branch.shape as usize].saturating_add(here);
                let moves = branch.moves.len() * size_of::<HandMove>() + branch.kept.len() * size_of::<u16>();
                size.shape_bytes += moves as u64;
            }
            if let Shape::Choice(choice) = shape {
                size.information_sets += here * u64::from(choice.hands[choice.mover.index()]);
            }
            if let Shape::Ending(pairs) = shape {
                size.outcomes += here * pairs.effects.len() as u64;
                size.shape_bytes += pairs.partners.iter().flatten().map(|list| 24 + 2 * list.len() as u64).sum::<u64>();
            }
        }
        size
    }

    /// About the bytes that solving takes: two numbers for each action, the returns of both seats, the shapes, and the
    /// hands of the parts in work on a few threads.
    pub fn bytes(&self) -> u64 {
        8 * self.actions + 16 * self.outcomes + self.shape_bytes + self.hands
    }
}

/// The reason why a game cannot be solved on public states.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum TooManyHands {
    /// A player may hold too many hands.
    #[error("a player may hold {0} hands, and at most {max} are possible", max = u16::MAX)]
    Hands(usize),
    /// The hands of a public state have too many actions.
    #[error("the hands of a public state have more than {max} actions", max = u16::MAX)]
    Actions,
    /// There are too many different public states.
    #[error("its public states are too different from each other: their description takes more than 0.4 GB")]
    Moves,
    /// It takes too much memory.
    #[error("solving it takes about {} MB, and max_memory_mb is {}", size.bytes() / 1_000_000, most / 1_000_000)]
    Memory {
        /// The size of the game.
        size: RangeSize,
        /// The most bytes that it may take.
        most: u64,
    },
    /// Interrupted.
    #[error(transparent)]
    Halted(#[from] Halted),
}
