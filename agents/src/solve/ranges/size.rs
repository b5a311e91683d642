//! The size of a game on public states.

use std::mem::size_of;

use stier_core::Turn;
use thiserror::Error;

use super::parts::HANDS;
use super::shapes::{Lists, Move, Shape, Shapes};
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
            let add = |sum: &mut u64, each: usize| *sum = sum.saturating_add(here.saturating_mul(each as u64));
            add(&mut size.states, 1);
            add(&mut size.hands, shape.hands().iter().sum());
            add(&mut size.actions, shape.num_cells());
            for branch in shape.branches() {
                add(&mut lanes[branch.shape as usize], 1);
            }
            if let Some(choice) = shape.choice() {
                let [moves, kept] = choice.num_moves();
                size.shape_bytes += (moves * size_of::<Move>() + kept * size_of::<u16>()) as u64;
            }
            match shape {
                Shape::Choice(choice) if choice.turn != Turn::Chance => {
                    add(&mut size.information_sets, choice.num_own());
                }
                Shape::Ending(pairs) => {
                    add(&mut size.outcomes, pairs.effects.len());
                    let bytes = |lists: &Lists| (size_of_val(&lists.ends[..]) + size_of_val(&lists.hands[..])) as u64;
                    size.shape_bytes += pairs.partners.iter().map(bytes).sum::<u64>();
                }
                _ => {}
            }
        }
        size
    }

    /// About the bytes that solving takes, by cause: two or three numbers for each action, which are padded; the returns of
    /// both seats; in double precision the ranges and values of the hands of two parts; how hands move in each shape, and the
    /// lists of hands, with what finding them takes.
    pub fn by_cause(&self) -> [(&'static str, u64); 5] {
        [
            ("regrets and sums", self.actions, 14.0),
            ("returns", self.outcomes, 20.0),
            ("ranges and values", (self.hands / 4).min(2 * HANDS), 16.0),
            ("moves of hands", self.shape_bytes, 4.0),
            ("lists of hands", self.hands, 4.0),
        ]
        .map(|(cause, count, each)| (cause, (each * count as f64) as u64))
    }

    /// About the bytes that solving takes.
    pub fn bytes(&self) -> u64 {
        self.by_cause().iter().fold(0, |sum: u64, (_, bytes)| sum.saturating_add(*bytes))
    }
}

/// The reason why a game cannot be solved on public states.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum RangesTooLarge {
    /// A player may hold too many hands.
    #[error("a player may hold {0} hands, and at most {max} are possible: use smaller rules", max = u16::MAX)]
    Hands(usize),
    /// The hands of a public state have too many actions.
    #[error("the hands of a public state have more than {max} actions: use smaller rules, such as those in the guide on large games", max = u16::MAX)]
    Actions,
    /// There are too many different public states.
    #[error(
        "after {states} different public states it takes too much memory; max_memory_mb is {}: use smaller rules, or raise it",
        most / 1_000_000
    )]
    Moves {
        /// The public states so far.
        states: usize,
        /// The most bytes that they may take.
        most: u64,
    },
    /// It takes too much memory.
    #[error(
        "solving it takes about {} MB, and max_memory_mb is {}: use smaller rules, or raise it",
        size.bytes() / 1_000_000,
        most / 1_000_000
    )]
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
