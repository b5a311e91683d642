//! Tensors for learning.

use crate::bits::deposit;

/// A named part of a tensor: a C-ordered block of `shape` values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The name.
    pub name: &'static str,
    /// The shape, in C order.
    pub shape: Vec<usize>,
    /// The meaning of places on the last axis, for texts.
    pub places: Places,
}

/// The meaning of the places on the last axis of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Places {
    /// Numbers from 0 on.
    Numbers,
    /// Actions.
    Actions,
    /// Outcomes of chance.
    Outcomes,
    /// Cards in the observer's hand, numbered like outcomes of chance.
    Hand,
    /// Places to count with: a count is as many ones.
    Counts,
}

impl Field {
    /// A field of one dimension or more.
    pub fn new(name: &'static str, shape: impl Into<Vec<usize>>) -> Self {
        Self { name, shape: shape.into(), places: Places::Numbers }
    }

    /// A field whose last axis stands for actions.
    pub fn actions(name: &'static str, shape: impl Into<Vec<usize>>) -> Self {
        Self { places: Places::Actions, ..Self::new(name, shape) }
    }

    /// A field whose last axis stands for outcomes of chance.
    pub fn outcomes(name: &'static str, shape: impl Into<Vec<usize>>) -> Self {
        Self { places: Places::Outcomes, ..Self::new(name, shape) }
    }

    /// A field of the cards in the observer's hand, numbered like outcomes of chance.
    pub fn hand(name: &'static str, shape: impl Into<Vec<usize>>) -> Self {
        Self { places: Places::Hand, ..Self::new(name, shape) }
    }

    /// A field of counts.
    pub fn counts(name: &'static str, shape: impl Into<Vec<usize>>) -> Self {
        Self { places: Places::Counts, ..Self::new(name, shape) }
    }

    /// The number of values of the field.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }
}

/// The number of values of a tensor with these fields.
pub fn size(fields: &[Field]) -> usize {
    fields.iter().map(Field::size).sum()
}

/// A value of a tensor of zeros and ones.
pub trait Cell: Copy + PartialEq + Send + Sync + 'static {
    /// The bits of a byte as values, lowest first.
    fn spread(byte: u8) -> [Self; 8];
}

/// The bits of every byte as floats.
static FLOATS: [[f32; 8]; 256] = {
    let mut all = [[0.0; 8]; 256];
    let mut entry = 0;
    while entry < 8 * 256 {
        let (byte, bit) = (entry / 8, entry % 8);
        all[byte][bit] = (byte >> bit & 1) as f32;
        entry += 1;
    }
    all
};

impl Cell for f32 {
    #[inline(always)]
    fn spread(byte: u8) -> [Self; 8] {
        FLOATS[usize::from(byte)]
    }
}

impl Cell for u8 {
    #[inline(always)]
    fn spread(byte: u8) -> [Self; 8] {
        deposit(byte.into(), 0x0101_0101_0101_0101).to_le_bytes()
    }
}

/// Writes planes of zeros and ones, one field after another.
///
/// Bits gather in a word and are written 64 values at a time, so that no branch depends on the bits.
#[derive(Debug)]
pub struct Pen<'a, T> {
    /// The part that has not been written.
    out: &'a mut [T],
    /// The bits not written yet, lowest first; zeros above.
    word: u64,
    /// The number of these bits: fewer than 64.
    waiting: usize,
}

impl<'a, T: Cell> Pen<'a, T> {
    /// Starts at the beginning of `out`.
    pub fn new(out: &'a mut [T]) -> Self {
        Self { out, word: 0, waiting: 0 }
    }

    /// Leaves a field of `len` empty.
    #[inline]
    pub fn skip(&mut self, len: usize) {
        self.put(0, len);
    }

    /// Writes a set of numbers below `len` as bits, or a number in binary, lowest digit first.
    #[inline]
    pub fn set(&mut self, members: u64, len: usize) {
        debug_assert!(len >= 64 || members >> len == 0, "the field is long enough");
        self.put(members, len);
    }

    /// Writes one number below `len`, or none.
    #[inline]
    pub fn one(&mut self, index: Option<impl Into<usize>>, len: usize) {
        let Some(index) = index.map(Into::into) else { return self.put(0, len) };
        debug_assert!(index < len, "the field is long enough");
        if len <= 64 {
            self.put(1 << index, len);
        } else {
            self.put(0, index);
            self.put(1, len - index);
        }
    }

    /// Writes a count up to `len` as that many ones followed by zeros.
    #[inline]
    pub fn count(&mut self, count: impl Into<usize>, len: usize) {
        let count = count.into();
        debug_assert!(count <= len, "the field is long enough");
        if len < 64 {
            self.put((1 << count) - 1, len);
        } else {
            (0..count).step_by(32).for_each(|done| self.count((count - done).min(32), (count - done).min(32)));
            self.put(0, len - count);
        }
    }

    /// Writes the lowest bits of `bits`, as many as fit, then zeros: `len` values.
    #[inline]
    fn put(&mut self, bits: u64, len: usize) {
        self.word |= bits << self.waiting;
        let waiting = self.waiting + len;
        if waiting < 64 {
            self.waiting = waiting;
            return;
        }
        // The bits that did not fit into the word. The shift by 64 takes two steps.
        let rest = bits >> 1 >> (63 - self.waiting);
        self.waiting = waiting - 64;
        self.flush();
        self.word = rest;
        while self.waiting >= 64 {
            self.waiting -= 64;
            self.flush();
            self.word = 0;
        }
    }

    /// Writes 64 values. It is not inlined, to keep branches out of the long callers.
    #[inline(never)]
    fn flush(&mut self) {
        let out = std::mem::take(&mut self.out);
        let (full, rest) = out.split_first_chunk_mut::<64>().expect("the fields are those of the layout");
        for (eight, byte) in full.as_chunks_mut::<8>().0.iter_mut().zip(self.word.to_le_bytes()) {
            *eight = T::spread(byte);
        }
        self.out = rest;
    }

    /// Writes the rest.
    pub fn finish(self) {
        debug_assert_eq!(self.waiting, self.out.len(), "the fields are those of the layout");
        spread(self.word, self.out);
    }
}

/// Overwrites up to 64 values with the lowest bits of a word.
#[inline(always)]
pub fn spread<T: Cell>(word: u64, out: &mut [T]) {
    let (eights, rest) = out.as_chunks_mut::<8>();
    let mut bytes = word.to_le_bytes().into_iter();
    for (eight, byte) in eights.iter_mut().zip(bytes.by_ref()) {
        *eight = T::spread(byte);
    }
    if let Some(byte) = bytes.next() {
        rest.copy_from_slice(&T::spread(byte)[..rest.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::{Cell, Pen};

    /// Fields of several lengths, short and long, with their expected values.
    fn written<T: Cell>(zero: T, one: T) -> (Vec<T>, Vec<T>) {
        let mut expected = Vec::new();
        let mut expect = |ones: &[usize], len: usize| {
            expected.extend((0..len).map(|index| if ones.contains(&index) { one } else { zero }));
        };
        expect(&[0, 2], 3);
        expect(&[1], 2);
        expect(&[], 2);
        expect(&[], 130);
        expect(&[0, 1], 3);
        expect(&[1, 2], 3);
        expect(&[0, 63], 64);
        expect(&[99], 100);
        expect(&(0..70).collect::<Vec<_>>(), 200);
        expect(&(0..64).collect::<Vec<_>>(), 64);
        expect(&[4], 5);
        let mut out = vec![one; expected.len()];
        let mut pen = Pen::new(&mut out);
        pen.set(0b101, 3);
        pen.one(Some(1_u8), 2);
        pen.one(None::<u8>, 2);
        pen.skip(130);
        pen.count(2_u8, 3);
        pen.set(6, 3);
        pen.set(1 << 63 | 1, 64);
        pen.one(Some(99_u8), 100);
        pen.count(70_u8, 200);
        pen.count(64_u8, 64);
        pen.one(Some(4_u8), 5);
        pen.finish();
        (out, expected)
    }

    #[test]
    fn fields_follow_one_another() {
        let (out, expected) = written(0.0_f32, 1.0);
        assert_eq!(out, expected);
        let (out, expected) = written(0_u8, 1);
        assert_eq!(out, expected);
    }
}
