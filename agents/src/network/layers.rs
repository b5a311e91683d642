//! The layers of a network, in single precision or in integers.

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

    /// The outputs for rows of inputs, one row after another.
    pub(super) fn forward<'a>(&self, inputs: &[f32], scratch: &'a mut Scratch) -> &'a [f32] {
        match self {
            Self::Floats(layers) => layers.forward(inputs, &mut scratch.floats),
            Self::Integers(layers) => layers.forward(inputs, &mut scratch.integers),
        }
    }
}
