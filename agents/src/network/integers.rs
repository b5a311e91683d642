//! The forward pass of networks in integers.
//!
//! Inputs are zeros and ones, so the sums of the first, wide layer are sums of rows of weights. A position's sums are
//! computed from those of an earlier one, by the rows of the inputs that differ. A unit is its sum, shifted to the right and
//! clipped to 0 to 127. The products of the units of the first half with those of the second half, shifted by
//! [`PRODUCT_SHIFT`], are the inputs of the next layer. The narrow layers after it have weights of one byte
//! ([`Processor::add_products`]).
//!
//! Sums of integers do not depend on the order of their terms, so the outputs have the same bits on every machine, in any
//! order of positions, one by one or many at once.

use stier_core::processor::{self, PRODUCTS, Processor, Vector, Work};

/// The shift of a product of two units.
const PRODUCT_SHIFT: u32 = 7;
/// The largest value of a unit.
const MOST: i16 = 127;
/// The number of pairs of units that are summed at a time: their rows for all inputs of a game fit into the first cache.
const LANES: usize = 64;
/// The number of outputs that narrow layers are rounded up to a multiple of.
const WIDTH: usize = 8 * PRODUCTS;
/// Earlier positions that are kept: those of both seats, each in the order of its decisions.
const EARLIER: usize = 4;

/// The weights by input, the biases, and the number of inputs.
pub(super) type Matrix = (Vec<i32>, Vec<i32>, usize);

/// Numbers for pairs of units.
type Lanes = Vector<i16, LANES>;

/// A network in integers.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Integers {
    inputs: usize,
    /// Rows of weights, the first columns of all inputs first: the weight of the second half times 256, plus that of the
    /// first half plus 128.
    rows: Vec<Lanes>,
    /// The sums without inputs.
    bias: Vec<Sums>,
    shift: u32,
    narrow: Vec<Narrow>,
    outputs: usize,
    /// The factors from the sums of the last layer to the outputs.
    scales: Vec<Vector<f32, 8>>,
}

/// A layer of bytes. The last one is for the logits and the value together.
#[derive(Clone, PartialEq, Debug)]
struct Narrow {
    /// For each group of four inputs and each output, four weights.
    weights: Vec<Vector<i8, 32>>,
    bias: Vec<Vector<i32, 8>>,
    shift: u32,
}

/// Sums of the first layer.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Sums {
    /// The sums of the pairs, as they are in the rows.
    both: Lanes,
    /// The sums of the second half.
    second: Lanes,
}

/// A position that has been evaluated.
#[derive(Clone, Debug, Default)]
struct Position {
    /// The inputs that are 1.
    ones: Vec<u64>,
    sums: Vec<Sums>,
}

/// Working space.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    earlier: [Position; EARLIER],
    /// The place among these that is written next.
    next: usize,
    steps: Vec<Step>,
    /// The starts of rows.
    changes: Vec<u32>,
    /// The inputs of the narrow layers, for each position.
    products: Vec<[u8; 4]>,
    /// The units of a narrow layer.
    units: Vec<[u8; 4]>,
    sums: Vec<Vector<i32, 8>>,
    outputs: Vec<f32>,
}

/// A way from the sums of one position to those of the next.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// True if they are computed from the biases.
    anew: bool,
    /// The numbers of rows that are added, then of those that are subtracted.
    counts: [usize; 2],
    /// The number of ones.
    ones: u32,
}

impl Integers {
    /// Builds a network from its hidden layers and its heads, with the shifts of the hidden layers and the factors of the
    /// heads. Returns the number of a layer whose sums may overflow.
    pub(super) fn new(layers: &[Matrix], shifts: &[u32], scales: [f32; 2]) -> Result<Self, usize> {
        let [(weights, bias, inputs), hidden @ .., policy, value] = layers else {
            unreachable!("a layer and two heads")
        };
        let half = bias.len() / 2;
        let magnitude = |unit: usize| -> i32 {
            bias[unit].abs() + weights.iter().skip(unit).step_by(2 * half).map(|weight| weight.abs()).sum::<i32>()
        };
        if (0..2 * half).any(|unit| magnitude(unit) > i32::from(i16::MAX)) {
            return Err(0);
        }
        let lanes = |start: usize, of: &dyn Fn(usize) -> i32| -> Lanes {
            let value = |unit: usize| if unit < half { of(unit) as i16 } else { 0 };
            Vector(std::array::from_fn(|lane| value(start + lane)))
        };
        let (mut rows, mut sums) = (Vec::new(), Vec::new());
        for start in (0..half).step_by(LANES) {
            let both = lanes(start, &|unit| bias[unit] + (bias[unit + half] << 8));
            sums.push(Sums { both, second: lanes(start, &|unit| bias[unit + half]) });
            rows.extend(
                weights
                    .chunks_exact(2 * half)
                    .map(|row| lanes(start, &|unit| row[unit] + 128 + (row[unit + half] << 8))),
            );
        }
        let (mut narrow, mut before) = (Vec::new(), half.next_multiple_of(LANES));
        for (index, (layer, &shift)) in hidden.iter().zip(&shifts[1..]).enumerate() {
            narrow.push(Narrow::new(&[layer], before, shift).ok_or(index + 1)?);
            before = layer.1.len().next_multiple_of(WIDTH);
        }
        narrow.push(Narrow::new(&[policy, value], before, 0).ok_or(hidden.len() + 1)?);
        let (actions, outputs) = (policy.1.len(), policy.1.len() + value.1.len());
        let factors =
            |vector: usize| Vector(std::array::from_fn(|place| scales[usize::from(8 * vector + place >= actions)]));
        let scales = (0..outputs.next_multiple_of(WIDTH) / 8).map(factors).collect();
        Ok(Self { inputs: *inputs, rows, bias: sums, shift: shifts[0], narrow, outputs, scales })
    }

    /// The number of inputs.
    pub(super) fn inputs(&self) -> usize {
        self.inputs
    }

    /// The number of outputs.
    pub(super) fn outputs(&self) -> usize {
        self.outputs
    }

    /// The outputs for rows of [`bits`], one row after another.
    pub(super) fn forward<'a>(&self, ones: &[u64], scratch: &'a mut Scratch) -> &'a [f32] {
        processor::run_wide(Forward { network: self, ones, scratch });
        &scratch.outputs
    }
}

impl Narrow {
    /// Builds a layer from matrices side by side, for so many inputs with the padding; `None` if sums may overflow.
    fn new(parts: &[&Matrix], inputs: usize, shift: u32) -> Option<Self> {
        let outputs: usize = parts.iter().map(|part| part.1.len()).sum();
        let width = outputs.next_multiple_of(WIDTH);
        let (mut weights, mut bias) = (vec![Vector([0; 32]); inputs / 4 * width / 8], vec![Vector([0; 8]); width / 8]);
        let mut start = 0;
        for (part, own, _) in parts {
            for (output, &value) in (start..).zip(own) {
                bias[output / 8].0[output % 8] = value;
            }
            for (input, row) in part.chunks_exact(own.len()).enumerate() {
                for (output, &weight) in (start..).zip(row) {
                    weights[(input / 4 * width + output) / 8].0[output % 8 * 4 + input % 4] = weight as i8;
                }
            }
            start += own.len();
        }
        let room = i32::MAX - (inputs as i32).checked_mul(i32::from(MOST) * 128)?;
        bias.iter()
            .flat_map(|bias| bias.0)
            .all(|bias| bias.checked_abs().is_some_and(|bias| bias <= room))
            .then_some(Self { weights, bias, shift })
    }
}

/// Writes the inputs that are not 0 as bits, for rows of `width` inputs: whole words for each row.
pub(super) fn bits(inputs: &[f32], width: usize, ones: &mut Vec<u64>) {
    ones.clear();
    processor::run(Bits { inputs, width, ones });
}

/// See [`bits`].
struct Bits<'a> {
    inputs: &'a [f32],
    width: usize,
    ones: &'a mut Vec<u64>,
}

impl Work for Bits<'_> {
    type Output = ();

    #[inline(always)]
    fn work<P: Processor>(self, _processor: P) {
        for row in self.inputs.chunks_exact(self.width) {
            for part in row.chunks(64) {
                self.ones.push(word(part));
            }
        }
    }
}

/// The evaluation of rows of inputs.
struct Forward<'a> {
    network: &'a Integers,
    ones: &'a [u64],
    scratch: &'a mut Scratch,
}

impl Work for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn work<P: Processor>(self, processor: P) {
        let Self { network, ones, scratch } = self;
        let Scratch { earlier, next, steps, changes, products, units, sums, outputs } = scratch;
        let words = network.inputs.div_ceil(64);
        let Some(first) = ones.get(..words) else { return outputs.clear() };
        let nearest = (0..EARLIER).min_by_key(|&place| earlier[place].distance(first)).unwrap_or(0);
        steps.clear();
        changes.clear();
        let mut before = &earlier[nearest].ones[..];
        for ones in ones.chunks_exact(words) {
            steps.push(network.step(before, ones, changes));
            before = ones;
        }
        let last = ones.len() - words;
        // A position that is computed anew takes the place of the oldest one.
        let place = if steps[0].anew { *next } else { nearest };
        *next = (place + 1) % EARLIER;
        let position = &mut earlier[place];
        position.ones.clear();
        position.ones.extend_from_slice(&ones[last..]);
        network.first_layer(steps, changes, &mut position.sums, products);
        outputs.clear();
        let padding = 8 * network.scales.len() - network.outputs;
        for products in products.chunks_exact(network.bias.len() * LANES / 4) {
            network.narrow_layers(processor, products, units, sums);
            for (sums, scales) in sums.iter().zip(&network.scales) {
                let values: [f32; 8] = std::array::from_fn(|place| sums.0[place] as f32 * scales.0[place]);
                outputs.extend_from_slice(&values);
            }
            outputs.truncate(outputs.len() - padding);
        }
    }
}

/// The inputs that are not 0, as bits.
#[inline(always)]
fn word(inputs: &[f32]) -> u64 {
    let mut ones = [0; 64];
    for (one, &input) in ones.iter_mut().zip(inputs) {
        *one = u8::from(input != 0.0);
    }
    let mut word = 0;
    for (&eight, start) in ones.as_chunks::<8>().0.iter().zip((0..).step_by(8)) {
        // Gathers the lowest bits of the bytes in the highest byte.
        word |= (u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56) << start;
    }
    word
}

impl Position {
    /// The number of inputs that differ.
    #[inline(always)]
    fn distance(&self, ones: &[u64]) -> u32 {
        if self.ones.is_empty() {
            u32::MAX
        } else {
            self.ones.iter().zip(ones).map(|(a, b)| (a ^ b).count_ones()).sum()
        }
    }
}

impl Integers {
    /// The step to a position from the one before, if there is one. Adds its rows to `changes`.
    #[inline(always)]
    fn step(&self, before: &[u64], ones: &[u64], changes: &mut Vec<u32>) -> Step {
        let number: u32 = ones.iter().map(|word| word.count_ones()).sum();
        let different: u32 = before.iter().zip(ones).map(|(a, b)| (a ^ b).count_ones()).sum();
        let anew = before.is_empty() || different >= number;
        let mut rows = |from: &[u64], without: &[u64]| {
            let start = changes.len();
            for (index, &word) in from.iter().enumerate() {
                let mut word = word & !without.get(index).copied().unwrap_or(0);
                while word != 0 {
                    changes.push(64 * index as u32 + word.trailing_zeros());
                    word &= word - 1;
                }
            }
            changes.len() - start
        };
        let counts = if anew { [rows(ones, &[]), 0] } else { [rows(ones, before), rows(before, ones)] };
        Step { anew, counts, ones: number }
    }

    /// Takes the steps, beginning with the sums of an earlier position, and leaves the sums of the last one.
    #[inline(always)]
    fn first_layer(&self, steps: &[Step], changes: &[u32], all: &mut Vec<Sums>, products: &mut Vec<[u8; 4]>) {
        all.resize(self.bias.len(), self.bias[0]);
        let width = self.bias.len() * LANES / 4;
        products.resize(steps.len() * width, [0; 4]);
        let columns = all.iter_mut().zip(&self.bias).zip(self.rows.chunks_exact(self.inputs));
        for (((all, bias), rows), column) in columns.zip((0..).step_by(LANES / 4)) {
            let Sums { mut both, mut second } = *all;
            let mut changes = changes.iter();
            for (step, products) in steps.iter().zip(products.chunks_exact_mut(width)) {
                if step.anew {
                    Sums { both, second } = *bias;
                }
                for &row in changes.by_ref().take(step.counts[0]) {
                    for ((both, second), &pair) in both.0.iter_mut().zip(&mut second.0).zip(&rows[row as usize].0) {
                        *both = both.wrapping_add(pair);
                        *second = second.wrapping_add(pair >> 8);
                    }
                }
                for &row in changes.by_ref().take(step.counts[1]) {
                    for ((both, second), &pair) in both.0.iter_mut().zip(&mut second.0).zip(&rows[row as usize].0) {
                        *both = both.wrapping_sub(pair);
                        *second = second.wrapping_sub(pair >> 8);
                    }
                }
                // Each row has added 128 to the first half.
                let surplus = (step.ones << 7) as i16;
                let out: &mut [[u8; 4]; LANES / 4] = products[column..].first_chunk_mut().expect("rows are that long");
                for ((out, &both), &second) in out.as_flattened_mut().iter_mut().zip(&both.0).zip(&second.0) {
                    let first = both.wrapping_sub(second << 8).wrapping_sub(surplus);
                    let [first, second] = [first, second].map(|sum| (sum >> self.shift).clamp(0, MOST));
                    *out = ((first * second) >> PRODUCT_SHIFT) as u8;
                }
            }
            *all = Sums { both, second };
        }
    }

    /// Computes the sums of the last layer from the products.
    #[inline(always)]
    fn narrow_layers<P: Processor>(
        &self,
        processor: P,
        products: &[[u8; 4]],
        units: &mut Vec<[u8; 4]>,
        sums: &mut Vec<Vector<i32, 8>>,
    ) {
        for (index, layer) in self.narrow.iter().enumerate() {
            if index > 0 {
                let shift = self.narrow[index - 1].shift;
                units.resize(2 * sums.len(), [0; 4]);
                for (units, sums) in units.as_chunks_mut::<2>().0.iter_mut().zip(&mut *sums) {
                    for sum in &mut sums.0 {
                        *sum = (*sum >> shift).clamp(0, i32::from(MOST));
                    }
                    for (unit, &sum) in units.as_flattened_mut().iter_mut().zip(&sums.0) {
                        *unit = sum as u8;
                    }
                }
            }
            sums.clear();
            sums.extend_from_slice(&layer.bias);
            processor.add_products(if index == 0 { products } else { units }, &layer.weights, sums);
        }
    }
}

#[cfg(test)]
mod tests {
    use stier_core::Rng;
    use stier_core::processor::{self, Any, Work as _};

    use super::{Bits, Forward, Integers, Matrix, Scratch, bits};

    const SHIFTS: [u32; 3] = [1, 7, 6];
    const SCALES: [f32; 2] = [0.125, 0.01];

    /// Random hidden layers of these widths, with a policy and a value.
    fn matrices(inputs: usize, widths: &[usize], rng: &mut Rng) -> Vec<Matrix> {
        let mut numbers = |count: usize, most: u64| -> Vec<i32> {
            (0..count).map(|_| rng.below(2 * most as u32 + 1) as i32 - most as i32).collect()
        };
        let (mut found, mut before) = (Vec::new(), inputs);
        for (&width, index) in widths.iter().zip(0..) {
            found.push((numbers(before * width, 127), numbers(width, if index == 0 { 300 } else { 9000 }), before));
            before = if index == 0 { width / 2 } else { width };
        }
        found.extend([13, 1].map(|width| (numbers(before * width, 127), numbers(width, 9000), before)));
        found
    }

    /// Computes the outputs by the definition.
    fn reference(layers: &[Matrix], inputs: &[f32]) -> Vec<f32> {
        let sums = |(weights, bias, _): &Matrix, units: &[i64]| -> Vec<i64> {
            let product = |output: usize, input: usize| units[input] * i64::from(weights[input * bias.len() + output]);
            let sum = |output: usize| (0..units.len()).map(|input| product(output, input)).sum::<i64>();
            (0..bias.len()).map(|output| i64::from(bias[output]) + sum(output)).collect()
        };
        let (hidden, heads) = layers.split_at(layers.len() - 2);
        let mut units: Vec<i64> = inputs.iter().map(|&input| i64::from(input != 0.0)).collect();
        for ((layer, shift), index) in hidden.iter().zip(SHIFTS).zip(0..) {
            units = sums(layer, &units).into_iter().map(|sum| (sum >> shift).clamp(0, 127)).collect();
            if index == 0 {
                let (first, second) = units.split_at(units.len() / 2);
                units = first.iter().zip(second).map(|(first, second)| (first * second) >> 7).collect();
            }
        }
        let outputs = |(head, scale)| sums(head, &units).into_iter().map(move |sum| sum as f32 * scale);
        heads.iter().zip(SCALES).flat_map(outputs).collect()
    }

    #[test]
    fn outputs_are_those_of_the_definition_on_every_processor() {
        let mut rng = Rng::stream(1, "integers", 0);
        for widths in [&[2][..], &[38, 5], &[128, 33, 7], &[300, 64, 32]] {
            for inputs in [1, 64, 130] {
                let layers = matrices(inputs, widths, &mut rng);
                let network = Integers::new(&layers, &SHIFTS[..widths.len()], SCALES).expect("sums cannot overflow");
                let [mut one, mut many, mut modern, mut portable] = [(); 4].map(|()| Scratch::default());
                for rows in [1, 3, 40] {
                    // Positions that differ a little from one another, and now and then much.
                    let mut row = vec![0.0; inputs];
                    let mut all = Vec::new();
                    for _ in 0..rows {
                        let changes = if rng.below(4) == 0 { inputs } else { 3 };
                        (0..changes).for_each(|_| row[rng.below(inputs as u32) as usize] = rng.below(3) as f32 - 1.0);
                        all.extend_from_slice(&row);
                    }
                    let expected: Vec<f32> = all.chunks(inputs).flat_map(|row| reference(&layers, row)).collect();
                    let [mut ones, mut portably] = [const { Vec::new() }; 2];
                    bits(&all, inputs, &mut ones);
                    Bits { inputs: &all, width: inputs, ones: &mut portably }.work(Any);
                    assert_eq!(ones, portably);
                    assert_eq!(network.forward(&ones, &mut many), expected);
                    processor::run(Forward { network: &network, ones: &ones, scratch: &mut modern });
                    assert_eq!(modern.outputs, expected);
                    Forward { network: &network, ones: &ones, scratch: &mut portable }.work(Any);
                    assert_eq!(portable.outputs, expected);
                    let rows = ones.chunks(inputs.div_ceil(64));
                    let alone: Vec<f32> = rows.flat_map(|row| network.forward(row, &mut one).to_vec()).collect();
                    assert_eq!(alone, expected);
                }
            }
        }
    }

    #[test]
    fn sums_that_may_overflow_are_found() {
        let mut layers = matrices(300, &[4, 3], &mut Rng::stream(2, "integers", 0));
        layers[0].0.fill(127);
        assert_eq!(Integers::new(&layers, &SHIFTS[..2], SCALES), Err(0));
        layers[0].0.fill(1);
        layers[1].1[2] = i32::MIN;
        assert_eq!(Integers::new(&layers, &SHIFTS[..2], SCALES), Err(1));
        layers[1].1[2] = 0;
        layers[3].1[0] = i32::MAX;
        assert_eq!(Integers::new(&layers, &SHIFTS[..2], SCALES), Err(2));
    }
}
