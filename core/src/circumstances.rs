//! When is an action right that binds its player for the rest of a deal? What there is to consider, and what it leads to.
//!
//! For studies of the timing of such an action, in numbers with names, as people at the table would speak of them. The empty
//! impl is valid; [`Hints::commitment`] says which action it is.

use crate::hints::Hints;
use crate::seats::Seat;

/// What a study of timing asks a game.
pub trait Circumstances: Hints {
    /// The names of what a player has to consider, in a fixed order.
    fn circumstances() -> &'static [&'static str] {
        &[]
    }

    /// Their values, in that order, for the seat of the view, which may commit itself now: a function of the view alone.
    fn circumstances_of(&self, _view: &Self::View) -> Vec<f32> {
        Vec::new()
    }

    /// The names of the parts that a return is made of, in a fixed order.
    fn parts() -> &'static [&'static str] {
        &["result"]
    }

    /// The parts of the seat's return at the end of a game, in that order: they sum to it.
    fn parts_of(&self, end: &Self::State, seat: Seat) -> Vec<f32> {
        vec![self.rounded_returns(end)[seat]]
    }
}
