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

/// Writes planes of zeros and ones, one field after the other.
#[derive(Debug)]
pub struct Pen<'a> {
    out: &'a mut [f32],
    at: usize,
}

impl<'a> Pen<'a> {
    /// Starts at the beginning of `out`, all zeros.
    pub fn new(out: &'a mut [f32]) -> Self {
        out.fill(0.0);
        Self { out, at: 0 }
    }

    /// Leaves a field of `len` empty.
    pub fn skip(&mut self, len: usize) {
        self.at += len;
    }

    /// A set of numbers below `len`, as bits; or a number in binary, lowest digit first.
    pub fn set(&mut self, mut members: u64, len: usize) {
        debug_assert!(len >= 64 || members >> len == 0, "the field is long enough");
        while members != 0 {
            self.out[self.at + members.trailing_zeros() as usize] = 1.0;
            members &= members - 1;
        }
        self.at += len;
    }

    /// One number below `len`, or none.
    pub fn one(&mut self, index: Option<impl Into<usize>>, len: usize) {
        if let Some(index) = index.map(Into::into) {
            debug_assert!(index < len, "the field is long enough");
            self.out[self.at + index] = 1.0;
        }
        self.at += len;
    }

    /// A count up to `len`: that many ones first.
    pub fn count(&mut self, count: impl Into<usize>, len: usize) {
        let count = count.into();
        debug_assert!(count <= len, "the field is long enough");
        self.out[self.at..self.at + count].fill(1.0);
        self.at += len;
    }

    /// Everything has been written.
    pub fn finish(self) {
        debug_assert_eq!(self.at, self.out.len(), "the fields are those of the layout");
    }
}

#[cfg(test)]
mod tests {
    use super::Pen;

    #[test]
    fn fields_follow_one_another() {
        let mut out = [7.0; 14];
        let mut pen = Pen::new(&mut out);
        pen.set(0b101, 3);
        pen.one(Some(1_u8), 2);
        pen.one(None::<u8>, 2);
        pen.skip(1);
        pen.count(2_u8, 3);
        pen.set(6, 3);
        pen.finish();
        assert_eq!(out, [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0]);
    }
}
