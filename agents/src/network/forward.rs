//! The forward pass of a multilayer perceptron, in single precision.
//!
//! Weights lie by inputs: an input that is not zero adds its row to the outputs, one that is zero costs nothing. Observations of cards
//! are nearly all zeros, and of what a ReLU lets through about half.
//!
//! Every output is the same bits whether positions are evaluated one by one or many at once: its bias, and then for each block of up to
//! [`BLOCK`] inputs the sum over the block, from 0, in ascending order of the inputs, each product added with one rounding (fused).
//! An input of zero changes no sum. The matrix product for many ([`matrixmultiply`]) adds in this order, too, where the processor has
//! fused multiplication and addition; elsewhere many are evaluated one by one.

use crate::agent::fitted;

/// Columns that are summed at a time: what the vector registers hold.
const LANES: usize = 64;
/// Inputs whose products are added up before the sum is added to an output.
const BLOCK: usize = 256;

/// What a hidden layer does to its sums.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Activation {
    /// The positive part.
    Relu,
    /// The hyperbolic tangent.
    Tanh,
}

impl Activation {
    fn apply(self, values: &mut [f32]) {
        match self {
            Self::Relu => values.iter_mut().for_each(|value| *value = value.max(0.0)),
            Self::Tanh => values.iter_mut().for_each(|value| *value = tanh(*value)),
        }
    }
}

/// The hyperbolic tangent, to within 3e-6: the same bits on every machine.
#[inline(always)]
fn tanh(x: f32) -> f32 {
    let power = fitted::exp(-2.0 * x.abs());
    ((1.0 - power) / (1.0 + power)).copysign(x)
}

/// Sums of weighted inputs, with biases.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Layer {
    inputs: usize,
    outputs: usize,
    /// The outputs with those that fill up whole [`LANES`]: their weights are 0.
    width: usize,
    /// A row of `width` for each input.
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Layer {
    /// From matrices that lie side by side, each a row of weights per input, with its biases: `(weights, bias)`.
    pub(super) fn new(inputs: usize, parts: &[(&[f32], &[f32])]) -> Self {
        let outputs = parts.iter().map(|(_, bias)| bias.len()).sum();
        let width = usize::next_multiple_of(outputs, LANES);
        let (mut weights, mut bias) = (vec![0.0; inputs * width], vec![0.0; width]);
        let mut start = 0;
        for (part, own) in parts {
            let count = own.len();
            bias[start..start + count].copy_from_slice(own);
            for (row, from) in weights.chunks_exact_mut(width).zip(part.chunks_exact(count)) {
                row[start..start + count].copy_from_slice(from);
            }
            start += count;
        }
        Self { inputs, outputs, width, weights, bias }
    }

    /// The memory that a layer takes.
    pub(super) fn bytes(inputs: usize, outputs: usize) -> u64 {
        let width = outputs.div_ceil(LANES).saturating_mul(LANES);
        let numbers = inputs.saturating_add(1).saturating_mul(width);
        (numbers as u64).saturating_mul(size_of::<f32>() as u64)
    }

    /// How many inputs there are.
    pub(super) fn inputs(&self) -> usize {
        self.inputs
    }

    /// How many outputs there are, without filling.
    pub(super) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Overwrites `out`, which has the layer's width, with the sums for one row of inputs. `active` is room.
    fn one(&self, inputs: &[f32], out: &mut [f32], active: &mut Vec<(u32, f32)>) {
        debug_assert_eq!((inputs.len(), out.len()), (self.inputs, self.width));
        out.copy_from_slice(&self.bias);
        for (block, start) in inputs.chunks(BLOCK).zip((0..).step_by(BLOCK)) {
            active.clear();
            active.resize(BLOCK, (0, 0.0));
            let mut count = 0;
            for (&value, index) in block.iter().zip(start..) {
                active[count] = (index, value);
                count += usize::from(value != 0.0);
            }
            let active = &active[..count];
            for (lanes, column) in out.as_chunks_mut::<LANES>().0.iter_mut().zip((0..).step_by(LANES)) {
                let mut sums = [0.0_f32; LANES];
                for &(index, value) in active {
                    let start = index as usize * self.width + column;
                    let row: &[f32; LANES] = self.weights[start..].first_chunk().expect("a row is that long");
                    for (sum, &weight) in sums.iter_mut().zip(row) {
                        *sum = value.mul_add(weight, *sum);
                    }
                }
                for (value, sum) in lanes.iter_mut().zip(sums) {
                    *value += sum;
                }
            }
        }
    }

    /// The same for many rows: the same bits.
    fn many(&self, inputs: &[f32], out: &mut [f32], active: &mut Vec<(u32, f32)>) {
        let rows = out.len() / self.width;
        let active_inputs = || inputs.iter().filter(|value| **value != 0.0).count();
        if !is_fused() || rows < FEWEST || active_inputs() < inputs.len() / SPARSE {
            for (inputs, out) in inputs.chunks_exact(self.inputs).zip(out.chunks_exact_mut(self.width)) {
                self.one(inputs, out, active);
            }
            return;
        }
        out.chunks_exact_mut(self.width).for_each(|row| row.copy_from_slice(&self.bias));
        for start in (0..self.inputs).step_by(BLOCK) {
            let count = BLOCK.min(self.inputs - start);
            product(
                (rows, count, self.width),
                (&inputs[start..], self.inputs),
                (&self.weights[start * self.width..], self.width),
                out,
            );
        }
    }
}

/// Fewer rows than this are evaluated one by one: it is faster.
const FEWEST: usize = 16;
/// So are rows of which less than one input in so many is not 0.
const SPARSE: usize = 4;

/// Whether the matrix product rounds as the sums for one row do.
fn is_fused() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("fma")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        cfg!(target_arch = "aarch64")
    }
}

/// Adds the product of two matrices (rows x inner, inner x columns; each with the length of its rows) to `out`.
#[allow(unsafe_code)]
fn product(
    (rows, inner, columns): (usize, usize, usize),
    (left, left_row): (&[f32], usize),
    (right, right_row): (&[f32], usize),
    out: &mut [f32],
) {
    assert!(left.len() >= (rows - 1) * left_row + inner && inner <= left_row);
    assert!(right.len() >= (inner - 1) * right_row + columns && columns <= right_row);
    assert!(out.len() == rows * columns);
    // SAFETY: the pointers are to slices that are at least as long as the matrices with these strides, as asserted; `out` is borrowed
    // exclusively, and its elements do not overlap.
    unsafe {
        matrixmultiply::sgemm(
            rows,
            inner,
            columns,
            1.0,
            left.as_ptr(),
            left_row as isize,
            1,
            right.as_ptr(),
            right_row as isize,
            1,
            1.0,
            out.as_mut_ptr(),
            columns as isize,
            1,
        );
    }
}

/// A multilayer perceptron.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Mlp {
    /// The last one has no activation.
    pub(super) layers: Vec<Layer>,
    pub(super) activation: Activation,
}

/// Room for the forward passes of one thread.
#[derive(Clone, Default, Debug)]
pub(super) struct Scratch {
    active: Vec<(u32, f32)>,
    now: Vec<f32>,
    next: Vec<f32>,
    wide: Vec<f32>,
}

impl Mlp {
    /// How many inputs there are.
    pub(super) fn inputs(&self) -> usize {
        self.layers[0].inputs()
    }

    /// How many outputs there are.
    pub(super) fn outputs(&self) -> usize {
        self.layers[self.layers.len() - 1].outputs()
    }

    /// The outputs for rows of inputs, one row after the other. Numbers too large for single precision come out as 0. Two to four
    /// microseconds for one position and two hidden layers of 256, half of that for one of many.
    pub(super) fn forward<'a>(&self, inputs: &[f32], scratch: &'a mut Scratch) -> &'a [f32] {
        let rows = inputs.len() / self.inputs().max(1);
        debug_assert_eq!(inputs.len(), rows * self.inputs(), "whole rows");
        let Scratch { active, now, next, wide } = scratch;
        now.clear();
        now.extend_from_slice(inputs);
        for (layer, index) in self.layers.iter().zip(1..) {
            wide.resize(rows * layer.width, 0.0);
            match rows {
                1 => layer.one(now, wide, active),
                _ => layer.many(now, wide, active),
            }
            next.clear();
            for row in wide.chunks_exact(layer.width) {
                next.extend_from_slice(&row[..layer.outputs]);
            }
            if index < self.layers.len() {
                self.activation.apply(next);
            }
            std::mem::swap(now, next);
        }
        now.iter_mut().filter(|value| !value.is_finite()).for_each(|value| *value = 0.0);
        now
    }
}

#[cfg(test)]
mod tests {
    use stier_core::Rng;

    use super::{Activation, Layer, Mlp, Scratch, tanh};

    fn numbers(count: usize, rng: &mut Rng) -> Vec<f32> {
        (0..count).map(|_| rng.unit() as f32 - 0.5).collect()
    }

    /// Weights and bias of a layer.
    type Matrix = (Vec<f32>, Vec<f32>);

    /// A network with these widths and random weights, and its matrices.
    fn network(widths: &[usize], activation: Activation, rng: &mut Rng) -> (Mlp, Vec<Matrix>) {
        let pairs = widths.iter().zip(&widths[1..]);
        let matrices: Vec<_> = pairs.map(|(&from, &to)| (numbers(from * to, rng), numbers(to, rng))).collect();
        let layers = matrices.iter().zip(widths).map(|((w, b), &inputs)| Layer::new(inputs, &[(w, b)])).collect();
        (Mlp { layers, activation }, matrices)
    }

    /// By the definition, in double precision.
    fn reference(matrices: &[Matrix], activation: Activation, inputs: &[f32]) -> Vec<f64> {
        let mut values: Vec<f64> = inputs.iter().map(|&value| f64::from(value)).collect();
        for (index, (weights, bias)) in matrices.iter().enumerate() {
            let sum = |output: usize| {
                let weight = |input: usize| f64::from(weights[input * bias.len() + output]);
                f64::from(bias[output]) + values.iter().enumerate().map(|(input, x)| x * weight(input)).sum::<f64>()
            };
            values = (0..bias.len()).map(sum).collect();
            if index + 1 < matrices.len() {
                for value in &mut values {
                    *value = if activation == Activation::Relu { value.max(0.0) } else { value.tanh() };
                }
            }
        }
        values
    }

    /// Inputs of which that share is not 0; ones, mostly.
    fn inputs(count: usize, share: f64, rng: &mut Rng) -> Vec<f32> {
        let value = |rng: &mut Rng| if rng.below(4) == 0 { rng.unit() as f32 - 0.5 } else { 1.0 };
        (0..count).map(|_| if rng.unit() < share { value(rng) } else { 0.0 }).collect()
    }

    const SHAPES: [&[usize]; 6] =
        [&[7, 3], &[1, 1, 1], &[200, 256, 256, 42], &[300, 65, 64], &[513, 100, 700, 5], &[64, 256, 2]];

    #[test]
    fn outputs_are_those_of_the_definition() {
        let mut rng = Rng::stream(1, "forward", 0);
        for widths in SHAPES {
            for activation in [Activation::Relu, Activation::Tanh] {
                let (mlp, matrices) = network(widths, activation, &mut rng);
                let mut scratch = Scratch::default();
                for share in [0.0, 0.1, 1.0] {
                    let inputs = inputs(widths[0], share, &mut rng);
                    let expected = reference(&matrices, activation, &inputs);
                    let found = mlp.forward(&inputs, &mut scratch);
                    assert_eq!(found.len(), expected.len());
                    let scale = expected.iter().fold(1.0, |most: f64, value| most.max(value.abs()));
                    for (found, expected) in found.iter().zip(&expected) {
                        assert!((f64::from(*found) - expected).abs() < 2e-5 * scale, "{found} for {expected}");
                    }
                }
            }
        }
    }

    #[test]
    fn many_at_once_are_the_same_bits() {
        let mut rng = Rng::stream(2, "forward", 0);
        for widths in SHAPES {
            let (mlp, _) = network(widths, Activation::Relu, &mut rng);
            let (mut one, mut many) = (Scratch::default(), Scratch::default());
            for rows in [1, 2, 8, 33, 64, 300] {
                let inputs: Vec<f32> = (0..rows).flat_map(|_| inputs(widths[0], 0.2, &mut rng)).collect();
                let together = mlp.forward(&inputs, &mut many).to_vec();
                for (row, together) in inputs.chunks_exact(widths[0]).zip(together.chunks_exact(mlp.outputs())) {
                    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                    assert_eq!(bits(mlp.forward(row, &mut one)), bits(together), "{widths:?}, {rows} rows");
                }
            }
        }
    }

    #[test]
    fn what_is_too_large_is_nothing() {
        let layers = vec![Layer::new(1, &[(&[3e38, 1.0], &[3e38, 0.5])])];
        let mlp = Mlp { layers, activation: Activation::Relu };
        assert_eq!(mlp.forward(&[1.0], &mut Scratch::default()), [0.0, 1.5]);
    }

    #[test]
    fn the_tangent_is_close() {
        for step in -20_000..20_000 {
            let x = step as f32 / 1000.0;
            assert!((f64::from(tanh(x)) - f64::from(x).tanh()).abs() < 3e-6, "{x}");
        }
        assert_eq!([tanh(0.0), tanh(f32::INFINITY), tanh(-1e30)], [0.0, 1.0, -1.0]);
    }
}
