//! Tensors, for learning.

use crate::game::Game;
use crate::seats::Seat;

/// A named part of a tensor: a C-ordered block of `shape` values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its shape; the last index runs fastest.
    pub shape: Vec<usize>,
}

impl Field {
    /// A field of one dimension or more.
    pub fn new(name: &'static str, shape: impl Into<Vec<usize>>) -> Self {
        Self { name, shape: shape.into() }
    }

    /// How many values the field has.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }
}

/// How many values a tensor of these fields has.
pub fn size(fields: &[Field]) -> usize {
    fields.iter().map(Field::size).sum()
}

/// Tensors of what a seat knows. Both are the fields of their layout, one after the other.
pub trait Encode: Game {
    /// The parts of the observation tensor.
    fn observation_layout(&self) -> Vec<Field>;
    /// What `seat` sees on the table and in its hand now, without the past that the table no longer shows. Every value is
    /// between 0 and 1. Overwrites `out`, which has exactly the layout's size; reads nothing of the state that is hidden
    /// from the seat.
    fn observation(&self, state: &Self::State, seat: Seat, out: &mut [f32]);

    /// The parts of the information-state tensor.
    fn information_state_layout(&self) -> Vec<Field>;
    /// All that the seat of the view knows, with perfect recall: equal tensors, equal views. Every value is between 0 and 1.
    /// Overwrites `out`, which has exactly the layout's size.
    fn information_state(&self, view: &Self::View, out: &mut [f32]);
}
