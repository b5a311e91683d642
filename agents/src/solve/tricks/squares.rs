//! Squares of numbers, row by row, in whole vectors.

use stier_core::processor::{Transposer, Vector};

/// A number for each card, in so many vectors.
pub(super) type Row<const V: usize> = [Vector<f32, 8>; V];

/// A row for each card; `W` is eight times `V`.
pub(super) type Square<const V: usize, const W: usize> = [Row<V>; W];

#[inline(always)]
pub(super) fn filled<const V: usize>(number: f32) -> Row<V> {
    [Vector([number; 8]); V]
}

/// The number at a place.
#[inline(always)]
pub(super) fn at(numbers: &[Vector<f32, 8>], place: usize) -> f32 {
    numbers[place / 8].0[place % 8]
}

#[inline(always)]
pub(super) fn set(numbers: &mut [Vector<f32, 8>], place: usize, number: f32) {
    numbers[place / 8].0[place % 8] = number;
}

/// The larger number; unlike `f32::max`, in one instruction.
#[inline(always)]
pub(super) fn larger(one: f32, other: f32) -> f32 {
    if one > other { one } else { other }
}

/// Calculates with rows, number by number.
#[inline(always)]
pub(super) fn each<const V: usize, const N: usize>(rows: [&Row<V>; N], number: impl Fn([f32; N]) -> f32) -> Row<V> {
    let mut found = filled(0.0);
    for vector in 0..V {
        for lane in 0..8 {
            let mut numbers = [0.0; N];
            for row in 0..N {
                numbers[row] = rows[row][vector].0[lane];
            }
            found[vector].0[lane] = number(numbers);
        }
    }
    found
}

/// One number for the cards of a set, and another for the others.
#[inline(always)]
pub(super) fn chosen<const V: usize>(set: u32, yes: f32, no: f32) -> Row<V> {
    let mut found = filled(0.0);
    for (vector, found) in found.iter_mut().enumerate() {
        for (lane, number) in found.0.iter_mut().enumerate() {
            *number = if set >> (8 * vector + lane) & 1 == 1 { yes } else { no };
        }
    }
    found
}

#[inline(always)]
pub(super) fn add<const V: usize>(sum: &mut Row<V>, more: &Row<V>) {
    *sum = each([sum, more], |[sum, more]| sum + more);
}

#[inline(always)]
pub(super) fn add_scaled<const V: usize>(sum: &mut Row<V>, factor: f32, more: &Row<V>) {
    *sum = each([sum, more], |[sum, more]| sum + factor * more);
}

/// The sum of a row, whose order does not depend on the processor.
#[inline(always)]
pub(super) fn total<const V: usize>(row: &Row<V>) -> f32 {
    let mut sums = filled::<1>(0.0);
    for vector in row {
        add(&mut sums, &[*vector]);
    }
    let [a, b, c, d, e, f, g, h] = sums[0].0;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// Makes rows columns.
#[inline(always)]
pub(super) fn transpose<const V: usize, const W: usize>(
    transposer: Transposer,
    square: &Square<V, W>,
    transposed: &mut Square<V, W>,
) {
    for up in 0..V {
        for left in 0..V {
            let mut rows = [Vector([0.0; 8]); 8];
            for (to, from) in rows.iter_mut().zip(&square[8 * up..8 * up + 8]) {
                *to = from[left];
            }
            let columns = transposer.transpose(&rows);
            for (to, from) in transposed[8 * left..8 * left + 8].iter_mut().zip(columns) {
                to[up] = from;
            }
        }
    }
}

/// The hands of two cards, each in both places.
#[inline(always)]
pub(super) fn spread<const V: usize, const W: usize>(hands: &[f32], cards: usize) -> Square<V, W> {
    let mut square = [filled(0.0); W];
    let mut hands = hands.iter();
    for high in 1..cards {
        for (low, &number) in (0..high).zip(&mut hands) {
            set(&mut square[high], low, number);
            set(&mut square[low], high, number);
        }
    }
    square
}

#[cfg(test)]
mod tests {
    use stier_core::processor::{Any, Processor as _};

    use super::{Square, at, filled, set, transpose};

    #[test]
    fn rows_become_columns() {
        let mut square: Square<3, 24> = [filled(0.0); 24];
        for (number, row) in square.iter_mut().enumerate() {
            (0..24).for_each(|column| set(row, column, (100 * number + column) as f32));
        }
        let mut found = square;
        transpose(Any.transposer(), &square, &mut found);
        for (number, row) in found.iter().enumerate() {
            (0..24).for_each(|column| assert_eq!(at(row, column), (100 * column + number) as f32));
        }
    }
}
