//! Passes over the public states: probabilities of hands on the way down, values of hands on the way up.

use std::ops::{AddAssign, Div, Mul};

use stier_core::processor::{self, Processor, Work};

use super::parts::Part;
use super::shapes::{Choice, Shape, Shapes};

/// The number of lanes that are processed together, so that working memory stays in the nearest cache.
const CHUNK: usize = 64;

/// Numbers of a hand whose sum is not above this have lost their meaning to rounding: the hand plays all actions alike.
pub(super) const TINY: f32 = 1e-30;

/// A number of a pass.
pub(super) trait Real:
    Copy + Default + Send + Sync + AddAssign + Div<Output = Self> + Mul<Output = Self> + PartialOrd + From<f32> + Into<f64>
{
    const ONE: Self;
    fn of(value: f64) -> Self;
    fn narrow(self) -> f32;
}

impl Real for f32 {
    const ONE: Self = 1.0;
    #[inline(always)]
    fn of(value: f64) -> Self {
        value as f32
    }
    #[inline(always)]
    fn narrow(self) -> f32 {
        self
    }
}

impl Real for f64 {
    const ONE: Self = 1.0;
    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn narrow(self) -> f32 {
        self as f32
    }
}

/// The work of a pass at the seat's own decisions.
pub(super) enum Task<'a> {
    /// Updates regrets, sums of policies, and the regrets that are expected after the next iteration, which policies match
    /// if there are any.
    Learn {
        regrets: &'a mut [f32],
        sums: &'a mut [f32],
        expected: Option<&'a mut [f32]>,
        discount: [f32; 2],
        fading: f32,
    },
    /// Follows the policy.
    Follow,
    /// Takes the best action of each hand, and notes it if there is room.
    Best { chosen: Option<&'a mut [f32]> },
}

/// Numbers of hands.
#[derive(Default, Debug)]
pub(super) struct Memory<T> {
    /// On the way down the probability of playing to the hand by own choices, on the way up the value of the hand.
    pub(super) own: Vec<T>,
    /// The probabilities of the other seat's hands.
    pub(super) other: Vec<T>,
    sigma: Vec<T>,
    values: Vec<T>,
}

impl<T: Real> Memory<T> {
    /// Makes room for the numbers of a part in a pass for this seat. Old numbers stay: each is overwritten before it is read.
    pub(super) fn make_room(&mut self, part: &Part, seat: usize) {
        self.own.resize(part.num_hands[seat], T::default());
        self.other.resize(part.num_hands[seat ^ 1], T::default());
    }
}

/// The directions of a pass.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// From the first public states to the last: probabilities of hands.
    Down,
    /// Back: values of hands.
    Up,
    /// Down, then up.
    Both,
}

/// A pass over a part for one seat. The openings' numbers of hands are in the memory: on the way down their probabilities,
/// on the way up their values.
pub(super) struct Pass<'a, 'b, T> {
    pub(super) shapes: &'a Shapes,
    pub(super) part: &'a Part,
    /// By shape: true if it is passed over, because it is in other parts.
    pub(super) cut: Option<&'a [bool]>,
    pub(super) seat: usize,
    /// The returns of the seat at the end, as in the part.
    pub(super) returns: &'a [f64],
    /// The policies up to a factor, where numbers below 0 count as 0; those of the regrets if there are none.
    pub(super) rows: Option<&'a [f32]>,
    pub(super) task: &'a mut Task<'b>,
    pub(super) memory: &'a mut Memory<T>,
    pub(super) way: Way,
}

impl<T: Real> Pass<'_, '_, T> {
    /// Runs the pass.
    pub(super) fn run(self) {
        processor::run(self)
    }
}

impl<T: Real> Work for Pass<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn work<P: Processor>(mut self, _processor: P) {
        let is_here = |own: &Self, shape: usize| own.cut.is_none_or(|cut| !cut[shape]);
        if self.way != Way::Up {
            for shape in (0..self.shapes.all.len()).rev() {
                if is_here(&self, shape) {
                    self.down(shape);
                }
            }
        }
        if self.way != Way::Down {
            for shape in 0..self.shapes.all.len() {
                if is_here(&self, shape) {
                    self.up(shape);
                }
            }
        }
    }
}

impl<T: Real> Pass<'_, '_, T> {
    /// The policy at the lanes from `start`: by action of each hand with a choice, and lane.
    #[inline(always)]
    fn policy(&mut self, choice: &Choice, cells: usize, width: usize, lanes: (usize, usize)) {
        let sigma = &mut self.memory.sigma;
        let (start, count) = lanes;
        let rows = match (&self.rows, &*self.task) {
            (Some(rows), _) => *rows,
            (None, Task::Learn { expected: Some(expected), .. }) => &**expected,
            (None, Task::Learn { regrets, .. }) => &**regrets,
            (None, _) => unreachable!("a pass that does not learn has a policy"),
        };
        sigma.resize(usize::from(choice.cells[choice.cells.len() - 1]) * CHUNK, T::default());
        for ends in choice.cells.windows(2) {
            let [from, to] = [usize::from(ends[0]), usize::from(ends[1])];
            if from == to {
                continue;
            }
            let mut sum = [T::default(); CHUNK];
            for cell in from..to {
                let row = &rows[cells + cell * width + start..][..count];
                for (sum, value) in sum[..count].iter_mut().zip(row) {
                    *sum += T::from(value.max(0.0));
                }
            }
            let even = T::ONE / T::of((to - from) as f64);
            let mut scale = [T::default(); CHUNK];
            for (scale, sum) in scale[..count].iter_mut().zip(&sum) {
                *scale = if *sum > T::from(TINY) { T::ONE / *sum } else { T::default() };
            }
            for cell in from..to {
                let row = &rows[cells + cell * width + start..][..count];
                let out = &mut sigma[cell * CHUNK..][..count];
                for (((out, value), scale), sum) in out.iter_mut().zip(row).zip(&scale).zip(&sum) {
                    *out = if *sum > T::from(TINY) { T::from(value.max(0.0)) * *scale } else { even };
                }
            }
        }
    }

    #[inline(always)]
    fn down(&mut self, number: usize) {
        let (shapes, part) = (self.shapes, self.part);
        let Shape::Choice(choice) = &shapes.all[number] else { return };
        let block = &part.blocks[number];
        let is_own = choice.mover.index() == self.seat;
        let skips = is_own && !matches!(*self.task, Task::Learn { .. });
        let mut start = 0;
        while start < block.lanes {
            let count = CHUNK.min(block.lanes - start);
            if !skips {
                self.policy(choice, block.cells, block.width, (start, count));
            }
            let memory = &mut *self.memory;
            for (branch, &offset) in choice.branches.iter().zip(&block.offsets) {
                let next = branch.shape as usize;
                let (to_width, at) = (part.blocks[next].width, offset + start);
                let ends = matches!(shapes.all[next], Shape::Ending(_)) && !shapes.all[next].is_leaf();
                let learns = matches!(*self.task, Task::Learn { .. });
                let (moved, kept, mover, other) = if is_own {
                    (&mut memory.own, &mut memory.other, self.seat, self.seat ^ 1)
                } else {
                    (&mut memory.other, &mut memory.own, self.seat ^ 1, self.seat)
                };
                if !is_own || (learns && !ends) {
                    let split = part.hands(shapes, number, mover).end;
                    let (before, after) = moved.split_at_mut(split);
                    let from = &before[block.hands[mover]..];
                    let to = &mut after[part.blocks[next].hands[mover] - split..];
                    for hand in 0..usize::from(shapes.all[next].hands()[mover]) {
                        to[hand * to_width + at..][..count].fill(T::default());
                    }
                    for step in &branch.moves {
                        let hand = usize::from(step.from);
                        let out = &mut to[usize::from(step.to) * to_width + at..][..count];
                        let reach = &from[hand * block.width + start..][..count];
                        if choice.cells[hand] == choice.cells[hand + 1] {
                            out.iter_mut().zip(reach).for_each(|(out, reach)| *out += *reach);
                        } else {
                            let cell = usize::from(choice.cells[hand]) + usize::from(step.rank);
                            let share = &memory.sigma[cell * CHUNK..][..count];
                            for ((out, reach), share) in out.iter_mut().zip(reach).zip(share) {
                                *out += *reach * *share;
                            }
                        }
                    }
                }
                if is_own || (learns && !ends) {
                    let split = part.hands(shapes, number, other).end;
                    let (before, after) = kept.split_at_mut(split);
                    let from = &before[block.hands[other]..];
                    let to = &mut after[part.blocks[next].hands[other] - split..];
                    for (hand, &before) in branch.kept.iter().enumerate() {
                        let reach = &from[usize::from(before) * block.width + start..][..count];
                        to[hand * to_width + at..][..count].copy_from_slice(reach);
                    }
                }
            }
            start += count;
        }
    }

    #[inline(always)]
    fn up(&mut self, number: usize) {
        let (shapes, part) = (self.shapes, self.part);
        let block = &part.blocks[number];
        let mut start = 0;
        while start < block.lanes {
            let count = CHUNK.min(block.lanes - start);
            match &shapes.all[number] {
                shape if shape.is_leaf() => {}
                Shape::Ending(pairs) => {
                    let hands = usize::from(pairs.hands[self.seat]);
                    let changes = pairs.effects.len();
                    let others = &self.memory.other[part.hands(shapes, number, self.seat ^ 1)];
                    let own = &mut self.memory.own[part.hands(shapes, number, self.seat)];
                    for hand in 0..hands {
                        let out = &mut own[hand * block.width + start..][..count];
                        out.fill(T::default());
                        for change in 0..changes {
                            let partners = &pairs.partners[self.seat][hand * changes + change];
                            if partners.is_empty() {
                                continue;
                            }
                            let mut sum = [T::default(); CHUNK];
                            for &partner in partners {
                                let reach = &others[usize::from(partner) * block.width + start..][..count];
                                sum[..count].iter_mut().zip(reach).for_each(|(sum, reach)| *sum += *reach);
                            }
                            let returns = &self.returns[block.returns + change * block.width + start..][..count];
                            for ((out, sum), value) in out.iter_mut().zip(&sum).zip(returns) {
                                *out += *sum * T::of(*value);
                            }
                        }
                    }
                }
                Shape::Choice(choice) if choice.mover.index() == self.seat => {
                    self.decide(number, choice, (start, count))
                }
                Shape::Choice(choice) => {
                    let split = part.hands(shapes, number, self.seat).end;
                    let (before, after) = self.memory.own.split_at_mut(split);
                    let out = &mut before[block.hands[self.seat]..];
                    for hand in 0..usize::from(choice.hands[self.seat]) {
                        out[hand * block.width + start..][..count].fill(T::default());
                    }
                    for (branch, &offset) in choice.branches.iter().zip(&block.offsets) {
                        let next = &part.blocks[branch.shape as usize];
                        let values = &after[next.hands[self.seat] - split..];
                        for (hand, &before) in branch.kept.iter().enumerate() {
                            let value = &values[hand * next.width + offset + start..][..count];
                            let out = &mut out[usize::from(before) * block.width + start..][..count];
                            out.iter_mut().zip(value).for_each(|(out, value)| *out += *value);
                        }
                    }
                }
            }
            start += count;
        }
    }

    /// The values of the seat's hands where it acts.
    #[inline(always)]
    fn decide(&mut self, number: usize, choice: &Choice, (start, count): (usize, usize)) {
        let (shapes, part) = (self.shapes, self.part);
        let block = &part.blocks[number];
        if !matches!(*self.task, Task::Best { .. }) {
            self.policy(choice, block.cells, block.width, (start, count));
        }
        let memory = &mut *self.memory;
        let (cells, hands) = (usize::from(choice.cells[choice.cells.len() - 1]), usize::from(choice.hands[self.seat]));
        // Values of actions, then of hands with a single one.
        memory.values.clear();
        memory.values.resize((cells + hands) * CHUNK, T::default());
        let split = part.hands(shapes, number, self.seat).end;
        let (before, after) = memory.own.split_at_mut(split);
        for (branch, &offset) in choice.branches.iter().zip(&block.offsets) {
            let next = &part.blocks[branch.shape as usize];
            let values = &after[next.hands[self.seat] - split..];
            for step in &branch.moves {
                let hand = usize::from(step.from);
                let forced = choice.cells[hand] == choice.cells[hand + 1];
                let cell = if forced { cells + hand } else { usize::from(choice.cells[hand]) + usize::from(step.rank) };
                let value = &values[usize::from(step.to) * next.width + offset + start..][..count];
                let out = &mut memory.values[cell * CHUNK..][..count];
                out.iter_mut().zip(value).for_each(|(out, value)| *out += *value);
            }
        }
        for hand in 0..hands {
            let own = &mut before[block.hands[self.seat] + hand * block.width + start..][..count];
            let [from, to] = [usize::from(choice.cells[hand]), usize::from(choice.cells[hand + 1])];
            if from == to {
                own.copy_from_slice(&memory.values[(cells + hand) * CHUNK..][..count]);
                continue;
            }
            let mut total = [T::default(); CHUNK];
            match &mut *self.task {
                Task::Best { chosen } => {
                    total[..count].copy_from_slice(&memory.values[from * CHUNK..][..count]);
                    for cell in from + 1..to {
                        let values = &memory.values[cell * CHUNK..][..count];
                        for (total, value) in total[..count].iter_mut().zip(values) {
                            *total = if *value > *total { *value } else { *total };
                        }
                    }
                    if let Some(chosen) = chosen {
                        let mut open = [1.0; CHUNK];
                        for cell in from..to {
                            let values = &memory.values[cell * CHUNK..][..count];
                            let out = &mut chosen[block.cells + cell * block.width + start..][..count];
                            for (((out, value), total), open) in out.iter_mut().zip(values).zip(&total).zip(&mut open) {
                                *out = if *value == *total { *open } else { 0.0 };
                                *open -= *out;
                            }
                        }
                    }
                }
                Task::Follow | Task::Learn { .. } => {
                    for cell in from..to {
                        let (values, shares) =
                            (&memory.values[cell * CHUNK..][..count], &memory.sigma[cell * CHUNK..][..count]);
                        for ((total, value), share) in total[..count].iter_mut().zip(values).zip(shares) {
                            *total += *value * *share;
                        }
                    }
                }
            }
            if let Task::Learn { regrets, sums, expected, discount, fading } = &mut *self.task {
                let [up, down] = *discount;
                for cell in from..to {
                    let at = block.cells + cell * block.width + start;
                    let (regrets, sums) = (&mut regrets[at..][..count], &mut sums[at..][..count]);
                    let (values, shares) =
                        (&memory.values[cell * CHUNK..][..count], &memory.sigma[cell * CHUNK..][..count]);
                    for (((regret, value), total), _) in regrets.iter_mut().zip(values).zip(&total).zip(shares) {
                        let sum = *regret + (value.narrow() - total.narrow());
                        *regret = if sum.abs() > TINY { sum * if sum > 0.0 { up } else { down } } else { 0.0 };
                    }
                    if let Some(expected) = expected {
                        let expected = expected[at..][..count].iter_mut();
                        for (((expected, regret), value), total) in expected.zip(&*regrets).zip(values).zip(&total) {
                            *expected = *regret + (value.narrow() - total.narrow());
                        }
                    }
                    for ((sum, share), reach) in sums.iter_mut().zip(shares).zip(&*own) {
                        let next = *sum * *fading + share.narrow() * reach.narrow();
                        // Numbers with fewer digits are slow.
                        *sum = if next > f32::MIN_POSITIVE { next } else { 0.0 };
                    }
                }
            }
            own.copy_from_slice(&total[..count]);
        }
    }
}
