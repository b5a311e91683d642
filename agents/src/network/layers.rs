//! The layers of a network, in single precision or in integers.

use super::classes::{Classes, Order};
use super::forward::{self, Mlp};
use super::integers::{self, Integers};

/// The layers of a network. The outputs are the logits, then the value, which is 0 without a value head.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Layers {
    /// In single precision.
    Floats(Mlp),
    /// In integers.
    Integers(Integers),
}

/// Working space.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    floats: forward::Scratch,
    integers: integers::Scratch,
    /// The inputs that are not 0, as bits, in whole words for each row.
    ones: Vec<u64>,
    /// The orders of the classes in the rows.
    orders: Vec<Order>,
    keys: Vec<u64>,
    /// The inputs with sorted classes.
    sorted: Vec<f32>,
    /// The outputs for the rows as they were.
    outputs: Vec<f32>,
}

impl Layers {
    /// The number of inputs.
    pub(super) fn inputs(&self) -> usize {
        match self {
            Self::Floats(layers) => layers.inputs(),
            Self::Integers(layers) => layers.inputs(),
        }
    }

    /// The number of outputs.
    pub(super) fn outputs(&self) -> usize {
        match self {
            Self::Floats(layers) => layers.outputs(),
            Self::Integers(layers) => layers.outputs(),
        }
    }

    /// The outputs for rows of inputs, one row after another. If there are classes, inputs are zeros and ones, and the
    /// layers see sorted classes.
    pub(super) fn forward<'a>(&self, inputs: &[f32], classes: Option<&Classes>, scratch: &'a mut Scratch) -> &'a [f32] {
        let Scratch { floats, integers, ones, orders, keys, sorted, outputs } = scratch;
        let width = self.inputs();
        if let (Self::Floats(layers), None) = (self, classes) {
            return layers.forward(inputs, floats);
        }
        integers::bits(inputs, width, ones);
        let words = width.div_ceil(64);
        orders.clear();
        if let Some(classes) = classes {
            orders.extend(ones.chunks_exact_mut(words).map(|row| classes.sort(row, keys)));
        }
        let found = match self {
            Self::Floats(layers) => {
                sorted.clear();
                for row in ones.chunks_exact(words) {
                    sorted.extend((0..width).map(|place| (row[place / 64] >> (place % 64) & 1) as f32));
                }
                layers.forward(sorted, floats)
            }
            Self::Integers(layers) => layers.forward(ones, integers),
        };
        let Some(classes) = classes else { return found };
        outputs.resize(found.len(), 0.0);
        let (width, last) = (self.outputs(), self.outputs() - 1);
        let rows = found.chunks_exact(width).zip(outputs.chunks_exact_mut(width));
        for (order, (sorted, out)) in orders.iter().zip(rows) {
            out[last] = sorted[last];
            classes.restore(order, &sorted[..last], &mut out[..last]);
        }
        outputs
    }
}
