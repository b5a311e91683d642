//! The forward pass of a multilayer perceptron, in single precision.
//!
//! Weights are stored by input. A non-zero input adds its row to the outputs, and a zero input costs nothing.
//! Observations of cards are nearly all zeros, and so are about half of a ReLU's outputs.
//!
//! Every output has the same bits whether positions are evaluated one by one or many at once. It is the bias plus,
//! for each block of up to [`BLOCK`] inputs, the block's sum. A block is summed from 0, in ascending order of the
//! inputs, adding each product with one rounding (fused). A zero input does not change a sum. The matrix product for
//! many positions ([`matrixmultiply`]) uses the same order on processors with fused multiply-add. Elsewhere positions
//! are evaluated one by one.

use stier_core::processor::{self, Processor, Work};

use crate::agent::sampling;

/// The number of columns that are summed at a time: as many as fit in the vector registers.
const LANES: usize = 64;
/// The number of inputs whose products are summed before the sum is added to an output.
const BLOCK: usize = 256;

/// The function that a hidden layer applies to its sums.
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

/// The hyperbolic tangent to within 3e-6, with the same bits on every machine.
#[inline(always)]
fn tanh(x: f32) -> f32 {
    let power = sampling::exp(-2.0 * x.abs());
    ((1.0 - power) / (1.0 + power)).copysign(x)
}

/// Weighted sums of inputs, with biases.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Layer {
    inputs: usize,
    outputs: usize,
    /// The number of outputs rounded up to a multiple of [`LANES`]; the weights of the padding are 0.
    width: usize,
    /// A row of `width` for each input.
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Layer {
    /// Builds a layer from matrices side by side, each with a row of weights per input and its biases: `(weights,
    /// bias)`.
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

    /// The number of bytes that a layer takes.
    pub(super) fn bytes(inputs: usize, outputs: usize) -> u64 {
        let width = outputs.div_ceil(LANES).saturating_mul(LANES);
        let numbers = inputs.saturating_add(1).saturating_mul(width);
        (numbers as u64).saturating_mul(size_of::<f32>() as u64)
    }

    /// The number of inputs.
    pub(super) fn inputs(&self) -> usize {
        self.inputs
    }

    /// The number of outputs, without padding.
    pub(super) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Overwrites `out`, which has the layer's width, with the sums for one row of inputs. `active` is working space.
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
            processor::run(AddRows { active: &active[..count], weights: &self.weights, out });
        }
    }

    /// Computes the sums for many rows, with the same bits.
    fn many(&self, inputs: &[f32], out: &mut [f32], active: &mut Vec<(u32, f32)>) {
        let rows = out.len() / self.width;
        let active_inputs = || inputs.iter().filter(|value| **value != 0.0).count();
        if !is_fused() || rows < MIN_ROWS || active_inputs() < inputs.len() / SPARSE {
            for (inputs, out) in inputs.chunks_exact(self.inputs).zip(out.chunks_exact_mut(self.width)) {
                self.one(inputs, out, active);
            }
            return;
        }
        out.chunks_exact_mut(self.width).for_each(|row| row.copy_from_slice(&self.bias));
        for start in (0..self.inputs).step_by(BLOCK) {
            let count = BLOCK.min(self.inputs - start);
            let left = Matrix { rows, columns: count, stride: self.inputs, values: &inputs[start..] };
            let right = &self.weights[start * self.width..];
            let right = Matrix { rows: count, columns: self.width, stride: self.width, values: right };
            product(left, right, out);
        }
    }
}

/// Adds rows of a matrix, each times a value, to `out`, which is as long as a row.
///
/// On processors without fused multiplication every product is a call.
struct AddRows<'a> {
    /// Indices of rows, and values.
    active: &'a [(u32, f32)],
    weights: &'a [f32],
    out: &'a mut [f32],
}

impl Work for AddRows<'_> {
    type Output = ();

    #[inline(always)]
    fn work<P: Processor>(self, _processor: P) {
        let Self { active, weights, out } = self;
        let width = out.len();
        for (lanes, column) in out.as_chunks_mut::<LANES>().0.iter_mut().zip((0..).step_by(LANES)) {
            let mut sums = [0.0_f32; LANES];
            for &(index, value) in active {
                let start = index as usize * width + column;
                let row: &[f32; LANES] = weights[start..].first_chunk().expect("a row is that long");
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

/// The smallest number of rows for which the matrix product is faster.
const MIN_ROWS: usize = 16;
/// Inputs are also evaluated one by one if fewer than one in this many is not 0.
const SPARSE: usize = 4;

/// Returns true if the matrix product rounds in the same way as the sums for one row.
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

/// A matrix whose rows begin `stride` values apart.
struct Matrix<'a> {
    rows: usize,
    columns: usize,
    stride: usize,
    values: &'a [f32],
}

/// Adds the product of two matrices to `out`.
#[allow(unsafe_code)]
fn product(left: Matrix<'_>, right: Matrix<'_>, out: &mut [f32]) {
    for Matrix { rows, columns, stride, values } in [&left, &right] {
        assert!(values.len() >= (rows - 1) * stride + columns && columns <= stride);
    }
    assert!(left.columns == right.rows && out.len() == left.rows * right.columns);
    // SAFETY: the pointers are to slices that are at least as long as the matrices with these strides, as asserted;
    // `out` is borrowed exclusively, and its elements do not overlap.
    unsafe {
        matrixmultiply::sgemm(
            left.rows,
            left.columns,
            right.columns,
            1.0,
            left.values.as_ptr(),
            left.stride as isize,
            1,
            right.values.as_ptr(),
            right.stride as isize,
            1,
            1.0,
            out.as_mut_ptr(),
            right.columns as isize,
            1,
        );
    }
}

/// A multilayer perceptron.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Mlp {
    /// The last layer has no activation.
    pub(super) layers: Vec<Layer>,
    pub(super) activation: Activation,
}

/// Working space for the forward passes of one thread.
#[derive(Clone, Default, Debug)]
pub(super) struct Scratch {
    active: Vec<(u32, f32)>,
    now: Vec<f32>,
    next: Vec<f32>,
    wide: Vec<f32>,
}

impl Mlp {
    /// The number of inputs.
    pub(super) fn inputs(&self) -> usize {
        self.layers[0].inputs()
    }

    /// The number of outputs.
    pub(super) fn outputs(&self) -> usize {
        self.layers[self.layers.len() - 1].outputs()
    }

    /// The outputs for rows of inputs, one row after another. Numbers too large for single precision become 0.
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

    /// The weights and biases of a layer.
    type Matrix = (Vec<f32>, Vec<f32>);

    /// Creates a network of these widths with random weights, and returns its matrices.
    fn network(widths: &[usize], activation: Activation, rng: &mut Rng) -> (Mlp, Vec<Matrix>) {
        let pairs = widths.iter().zip(&widths[1..]);
        let matrices: Vec<_> = pairs.map(|(&from, &to)| (numbers(from * to, rng), numbers(to, rng))).collect();
        let layers = matrices.iter().zip(widths).map(|((w, b), &inputs)| Layer::new(inputs, &[(w, b)])).collect();
        (Mlp { layers, activation }, matrices)
    }

    /// Computes the outputs by the definition, in double precision.
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

    /// Inputs of which this share is not 0; most of these are 1.
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
    fn evaluating_many_at_once_gives_the_same_bits() {
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
    fn overflows_become_zero() {
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
