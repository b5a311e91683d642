//! Tensors for learning.

use std::ops::Range;

use smallvec::SmallVec;

use crate::list::Listing as _;

/// A named part of a tensor: a C-ordered block of `shape` values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The name.
    pub name: &'static str,
    /// The shape, in C order.
    pub shape: Vec<usize>,
    /// The meaning of places on the last axis, for texts.
    pub places: Places,
    /// True if a row, along the last axis, has at most one one.
    pub single: bool,
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
    /// The number of values of the field.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }
}

/// The number of values of a tensor with these fields.
pub fn size(fields: &[Field]) -> usize {
    fields.iter().map(Field::size).sum()
}

/// The version and the fields as text: `version:name:shape,name:shape`, a shape's lengths joined by `x`.
pub(crate) fn signature(version: u32, fields: &[Field]) -> String {
    let field = |field: &Field| {
        let shape = field.shape.iter().map(usize::to_string).list();
        format!("{}:{}", field.name, shape.join("x"))
    };
    format!("{version}:{}", fields.iter().map(field).list().join(","))
}

/// A value of a tensor of zeros and ones.
pub trait Cell: Copy + PartialEq + Send + Sync + 'static {
    /// The bits of a byte as values, lowest first.
    fn spread(byte: u8) -> [Self; 8];
}

/// The bits of every byte as values.
macro_rules! spread_bytes {
    ($cell:ty) => {{
        let mut all = [[0 as $cell; 8]; 256];
        let mut entry = 0;
        while entry < 8 * 256 {
            let (byte, bit) = (entry / 8, entry % 8);
            all[byte][bit] = (byte >> bit & 1) as $cell;
            entry += 1;
        }
        all
    }};
}

static FLOATS: [[f32; 8]; 256] = spread_bytes!(f32);
static BYTES: [[u8; 8]; 256] = spread_bytes!(u8);

impl Cell for f32 {
    #[inline(always)]
    fn spread(byte: u8) -> [Self; 8] {
        FLOATS[usize::from(byte)]
    }
}

impl Cell for u8 {
    #[inline(always)]
    fn spread(byte: u8) -> [Self; 8] {
        BYTES[usize::from(byte)]
    }
}

/// The part of a [`Pen`] that each writes in a way of its own.
pub trait RawPen {
    /// Begins a field. The shape is in C order.
    fn begin(&mut self, name: &'static str, shape: &[usize], places: Places);

    /// Writes the `len` lowest bits, beyond which there are only zeros.
    fn put(&mut self, bits: u64, len: usize);

    /// Notes in a layout that rows of the present field have at most one one.
    #[inline(always)]
    fn single(&mut self) {}
}

/// Writes a tensor of zeros and ones, one field after another.
pub trait Pen: RawPen + Sized {
    /// Begins a field of numbers or sets.
    #[inline(always)]
    fn field<const N: usize>(&mut self, name: &'static str, shape: [usize; N]) -> Rows<'_, Self> {
        Rows::new(self, name, shape, Places::Numbers)
    }

    /// Begins a field of [counts](Rows::count).
    #[inline(always)]
    fn counted<const N: usize>(&mut self, name: &'static str, shape: [usize; N]) -> Rows<'_, Self> {
        Rows::new(self, name, shape, Places::Counts)
    }

    /// Begins a field whose last axis stands for actions.
    #[inline(always)]
    fn actions<const N: usize>(&mut self, name: &'static str, shape: [usize; N]) -> Rows<'_, Self> {
        Rows::new(self, name, shape, Places::Actions)
    }

    /// Begins a field whose last axis stands for outcomes of chance.
    #[inline(always)]
    fn outcomes<const N: usize>(&mut self, name: &'static str, shape: [usize; N]) -> Rows<'_, Self> {
        Rows::new(self, name, shape, Places::Outcomes)
    }

    /// Begins the field of the cards in the observer's hand, numbered like outcomes of chance.
    #[inline(always)]
    fn hand(&mut self, name: &'static str, cards: usize) -> Rows<'_, Self> {
        Rows::new(self, name, [cards], Places::Hand)
    }
}

impl<P: RawPen> Pen for P {}

/// The rows of a field, along its last axis. Each method writes the next row, or the next ones.
#[derive(Debug)]
pub struct Rows<'a, P> {
    pen: &'a mut P,
    len: usize,
}

impl<'a, P: Pen> Rows<'a, P> {
    #[inline(always)]
    fn new<const N: usize>(pen: &'a mut P, name: &'static str, shape: [usize; N], places: Places) -> Self {
        pen.begin(name, &shape, places);
        Self { pen, len: shape[N - 1] }
    }

    /// Writes a set of numbers as bits, or a number in binary, lowest digit first.
    #[inline(always)]
    pub fn set(self, members: impl Into<u64>) -> Self {
        let members = members.into();
        debug_assert!(self.len >= 64 || members >> self.len == 0, "the row is long enough");
        self.pen.put(members, self.len);
        self
    }

    /// Writes one number, or none.
    #[inline(always)]
    pub fn one(self, index: Option<impl Into<usize>>) -> Self {
        let len = self.len;
        self.pen.single();
        match index.map(Into::into) {
            None => self.pen.put(0, len),
            Some(index) if len <= 64 => {
                debug_assert!(index < len, "the row is long enough");
                self.pen.put(1 << index, len);
            }
            Some(index) => {
                self.pen.put(0, index);
                self.pen.put(1, len - index);
            }
        }
        self
    }

    /// Writes a count as that many ones followed by zeros.
    #[inline(always)]
    pub fn count(self, count: impl Into<usize>) -> Self {
        let (count, len) = (count.into(), self.len);
        debug_assert!(count <= len, "the row is long enough");
        if len < 64 {
            self.pen.put((1 << count) - 1, len);
        } else {
            let ones = |count: usize| (1 << count) - 1;
            (0..count).step_by(32).map(|done| (count - done).min(32)).for_each(|some| self.pen.put(ones(some), some));
            self.pen.put(0, len - count);
        }
        self
    }

    /// Writes several [sets](Rows::set).
    #[inline(always)]
    pub fn sets(self, rows: impl IntoIterator<Item = impl Into<u64>>) -> Self {
        rows.into_iter().fold(self, Self::set)
    }

    /// Writes several [numbers](Rows::one).
    #[inline(always)]
    pub fn ones(self, rows: impl IntoIterator<Item = Option<impl Into<usize>>>) -> Self {
        rows.into_iter().fold(self, Self::one)
    }

    /// Writes several [counts](Rows::count).
    #[inline(always)]
    pub fn counts(self, rows: impl IntoIterator<Item = impl Into<usize>>) -> Self {
        rows.into_iter().fold(self, Self::count)
    }
}

/// Writes the values of a tensor, without its layout.
///
/// Bits gather in a word and are written 64 values at a time, so that no branch depends on the bits.
#[derive(Debug)]
pub struct Values<'a, T> {
    /// The part that has not been written.
    out: &'a mut [T],
    /// The bits not written yet, lowest first; zeros above.
    word: u64,
    /// The number of these bits: fewer than 64.
    waiting: usize,
}

impl<'a, T: Cell> Values<'a, T> {
    /// Starts at the beginning of `out`.
    pub fn new(out: &'a mut [T]) -> Self {
        Self { out, word: 0, waiting: 0 }
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

impl<T: Cell> RawPen for Values<'_, T> {
    #[inline(always)]
    fn begin(&mut self, _name: &'static str, _shape: &[usize], _places: Places) {}

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
}

/// A tensor with its layout.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tensor {
    /// The fields, in order.
    pub fields: Vec<Field>,
    /// Their values.
    pub values: Vec<f32>,
}

/// A pen that can also begin a field of zeros and fill it later, in any order.
pub trait BlockPen: Pen {
    /// Begins a field of zeros.
    fn zeros<const N: usize>(&mut self, name: &'static str, shape: [usize; N]) -> Blocks;

    /// One block of a field of zeros, along its first axis.
    fn block(&mut self, blocks: Blocks, index: usize) -> &mut [f32];
}

/// The place of a field in a tensor, in blocks along its first axis.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    start: usize,
    count: usize,
    size: usize,
}

impl Blocks {
    /// The field with this shape that starts here.
    #[inline]
    fn new(start: usize, shape: &[usize]) -> Self {
        Self { start, count: shape[0], size: shape[1..].iter().product() }
    }

    /// The places of one block among the values of the tensor.
    #[inline]
    fn range(self, index: usize) -> Range<usize> {
        debug_assert!(index < self.count, "the block belongs to the field");
        let start = self.start + index * self.size;
        start..start + self.size
    }
}

impl BlockPen for Tensor {
    fn zeros<const N: usize>(&mut self, name: &'static str, shape: [usize; N]) -> Blocks {
        self.begin(name, &shape, Places::Numbers);
        let start = self.values.len();
        self.values.resize(size(&self.fields), 0.0);
        Blocks::new(start, &shape)
    }

    fn block(&mut self, blocks: Blocks, index: usize) -> &mut [f32] {
        &mut self.values[blocks.range(index)]
    }
}

impl RawPen for Tensor {
    fn begin(&mut self, name: &'static str, shape: &[usize], places: Places) {
        debug_assert_eq!(self.values.len(), size(&self.fields), "fields have the size of their shape");
        self.fields.push(Field { name, shape: shape.to_vec(), places, single: false });
    }

    fn put(&mut self, bits: u64, len: usize) {
        self.values.extend(values(bits, len).map(f32::from));
    }

    fn single(&mut self) {
        self.fields.iter_mut().last().expect("a field has begun").single = true;
    }
}

/// Writes the values of a tensor with fields to fill later, without its layout.
#[derive(Debug)]
pub struct Floats<'a> {
    out: &'a mut [f32],
    /// The number of values written.
    written: usize,
}

impl<'a> Floats<'a> {
    /// Starts at the beginning of `out`.
    pub fn new(out: &'a mut [f32]) -> Self {
        Self { out, written: 0 }
    }

    /// Checks that everything is written.
    pub fn finish(self) {
        assert_eq!(self.written, self.out.len(), "the fields are those of the layout");
    }
}

impl RawPen for Floats<'_> {
    #[inline(always)]
    fn begin(&mut self, _name: &'static str, _shape: &[usize], _places: Places) {}

    #[inline]
    fn put(&mut self, bits: u64, len: usize) {
        let out = &mut self.out[self.written..][..len];
        let (low, zeros) = out.split_at_mut(len.min(64));
        spread(bits, low);
        zeros.fill(0.0);
        self.written += len;
    }
}

impl BlockPen for Floats<'_> {
    fn zeros<const N: usize>(&mut self, _name: &'static str, shape: [usize; N]) -> Blocks {
        let start = self.written;
        self.written += shape.iter().product::<usize>();
        self.out[start..self.written].fill(0.0);
        Blocks::new(start, &shape)
    }

    #[inline]
    fn block(&mut self, blocks: Blocks, index: usize) -> &mut [f32] {
        &mut self.out[blocks.range(index)]
    }
}

/// The `len` lowest bits, beyond which there are only zeros.
pub(crate) fn values(bits: u64, len: usize) -> impl Iterator<Item = u8> {
    (0..len as u32).map(move |place| (bits.unbounded_shr(place) & 1) as u8)
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

/// Zeros and ones.
pub type Bytes = SmallVec<[u8; 64]>;

impl RawPen for Bytes {
    #[inline(always)]
    fn begin(&mut self, _name: &'static str, _shape: &[usize], _places: Places) {}

    #[inline]
    fn put(&mut self, bits: u64, len: usize) {
        self.extend(values(bits, len));
    }
}

#[cfg(test)]
mod tests {
    use super::{BlockPen, Cell, Floats, Pen, Tensor, Values};

    /// Writes fields of several lengths, short and long.
    fn write(pen: &mut impl Pen) {
        pen.field("numbers", [3]).set(0b101_u8);
        pen.field("ones", [2, 2]).one(Some(1_u8)).one(None::<u8>);
        pen.field("nothing", [130]).set(0_u8);
        pen.counted("count", [3]).count(2_u8);
        pen.field("set", [3]).set(6_u8);
        pen.field("word", [64]).set(1_u64 << 63 | 1);
        pen.field("long", [100]).one(Some(99_u8));
        pen.counted("counts", [2, 200]).counts([70_u8, 100]);
        pen.counted("ends", [64]).count(64_u8);
        pen.field("last", [5]).one(Some(4_u8));
    }

    fn expected() -> Vec<u8> {
        let mut expected = Vec::new();
        let mut expect = |ones: &[usize], len: usize| {
            expected.extend((0..len).map(|index| u8::from(ones.contains(&index))));
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
        expect(&(0..100).collect::<Vec<_>>(), 200);
        expect(&(0..64).collect::<Vec<_>>(), 64);
        expect(&[4], 5);
        expected
    }

    fn written<T: Cell>(poison: T) -> Vec<T> {
        let mut out = vec![poison; expected().len()];
        let mut pen = Values::new(&mut out);
        write(&mut pen);
        pen.finish();
        out
    }

    #[test]
    fn fields_follow_one_another() {
        let mut tensor = Tensor::default();
        write(&mut tensor);
        let floats: Vec<f32> = expected().into_iter().map(f32::from).collect();
        assert_eq!(written(7_u8), expected());
        assert_eq!(written(7.0_f32), floats);
        assert_eq!(tensor.values, floats);
        assert_eq!(super::size(&tensor.fields), floats.len());
        let mut out = vec![7.0; floats.len()];
        let mut pen = Floats::new(&mut out);
        write(&mut pen);
        pen.finish();
        assert_eq!(out, floats);
    }

    /// Writes a field between two others and fills it last.
    fn fill(pen: &mut impl BlockPen) {
        pen.field("before", [2]).set(1_u8);
        let blocks = pen.zeros("blocks", [3, 2]);
        pen.field("after", [1]).set(1_u8);
        pen.block(blocks, 2)[0] = 0.5;
        pen.block(blocks, 0)[1] = 0.25;
    }

    #[test]
    fn blocks_are_filled_in_any_order() {
        let expected = [1.0, 0.0, 0.0, 0.25, 0.0, 0.0, 0.5, 0.0, 1.0];
        let mut tensor = Tensor::default();
        fill(&mut tensor);
        assert_eq!(tensor.values, expected);
        assert_eq!(tensor.fields[1].shape, [3, 2]);
        let mut out = [7.0; 9];
        let mut pen = Floats::new(&mut out);
        fill(&mut pen);
        pen.finish();
        assert_eq!(out, expected);
    }
}
