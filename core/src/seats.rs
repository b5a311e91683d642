//! Seats at the table, and a container with one value per seat.

use std::fmt;
use std::ops::{Index, IndexMut};

use arrayvec::ArrayVec;
use serde::Serialize;

/// The largest number of seats in any game.
pub const MAX_SEATS: usize = 5;

/// A place at the table, numbered clockwise from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Seat(pub u8);

impl Seat {
    /// The seat as an index.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Iterates over all seats of a table with `count` seats, in order.
    pub fn all(count: usize) -> impl ExactSizeIterator<Item = Seat> + Clone {
        (0..count as u8).map(Seat)
    }

    /// The seat `steps` places clockwise from this one at a table with `count` seats.
    pub const fn after(self, steps: usize, count: usize) -> Seat {
        Seat(((self.0 as usize + steps) % count) as u8)
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seat {}", self.0)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// One `T` for each seat, indexed by [`Seat`].
#[derive(PartialEq, Eq, Hash)]
pub struct BySeat<T> {
    items: ArrayVec<T, MAX_SEATS>,
}

impl<T: Clone> Clone for BySeat<T> {
    fn clone(&self) -> Self {
        // This compiles to less than the clone of the array.
        Self::from_fn(self.len(), |seat| self[seat].clone())
    }
}

impl<T> BySeat<T> {
    /// Creates one value per seat with `make`. Panics if `count` is more than [`MAX_SEATS`].
    pub fn from_fn(count: usize, mut make: impl FnMut(Seat) -> T) -> Self {
        // A loop by hand: `collect` compiles to far more, for each type.
        let mut items = ArrayVec::new_const();
        for seat in 0..count {
            items.push(make(Seat(seat as u8)));
        }
        Self { items }
    }

    /// The number of seats.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// True if there are no seats.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The values in seat order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// The values in seat order, mutable.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// The values in seat order.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
}

impl<T: Clone> BySeat<T> {
    /// Creates the same value for each of `count` seats.
    pub fn filled(count: usize, value: T) -> Self {
        let mut items = ArrayVec::new_const();
        for _ in 0..count {
            items.push(value.clone());
        }
        Self { items }
    }
}

impl<T> From<[T; 2]> for BySeat<T> {
    fn from(pair: [T; 2]) -> Self {
        let mut items = ArrayVec::new_const();
        for value in pair {
            items.push(value);
        }
        Self { items }
    }
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;
    fn index(&self, seat: Seat) -> &T {
        &self.items[seat.index()]
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.items[seat.index()]
    }
}

impl<T: fmt::Debug> fmt::Debug for BySeat<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::{BySeat, Seat};

    #[test]
    fn seats_wrap_around_the_table() {
        assert_eq!(Seat(2).after(1, 3), Seat(0));
        assert_eq!(Seat(1).after(4, 5), Seat(0));
        assert_eq!(Seat::all(3).map(Seat::index).collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn values_are_indexed_by_seat() {
        let mut scores = BySeat::from_fn(4, |seat| seat.0 * 10);
        scores[Seat(2)] += 1;
        assert_eq!(scores.as_slice(), [0, 10, 21, 30]);
    }
}
