//! Pens whose type is not known.

use crate::encode::{Places, RawPen};

/// A pen whose type is not known.
pub struct DynPen<'a>(&'a mut dyn RawPen);

impl<'a> DynPen<'a> {
    /// A pen that writes with this one. What a game observes is compiled for each pen: this one is for all that need no
    /// speed.
    pub(crate) fn new(pen: &'a mut impl RawPen) -> Self {
        Self(pen)
    }
}

impl RawPen for DynPen<'_> {
    fn begin(&mut self, name: &'static str, shape: &[usize], places: Places) {
        self.0.begin(name, shape, places);
    }

    fn put(&mut self, bits: u64, len: usize) {
        self.0.put(bits, len);
    }

    fn single(&mut self) {
        self.0.single();
    }
}
