//! Passes over the public states: probabilities of hands on the way down, values of hands on the way up.

use std::ops::{AddAssign, Div, Mul, Range, Sub};

use stier_core::processor::{self, Processor, Work};

use super::parts::{Block, LANES, Part, RangeTree};
use super::shapes::{Choice, Pairs, Shape, Shapes};

/// The number of lanes that are processed together, so that working memory stays in the nearest cache.
const CHUNK: usize = VECTORS * LANES;
const VECTORS: usize = 8;

/// Numbers of a hand whose sum is not above this have lost their meaning to rounding: the hand plays all actions alike.
pub(super) const TINY: f32 = 1e-30;

/// A number of a pass.
pub(super) trait Real:
    Copy
    + Default
    + Send
    + Sync
    + AddAssign
    + Sub<Output = Self>
    + Div<Output = Self>
    + Mul<Output = Self>
    + PartialOrd
    + From<f32>
    + Into<f64>
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

/// The work of a pass.
pub(super) enum Task<'a> {
    /// Updates regrets and sums of policies of a seat, and the regrets that are expected after the next iteration, which
    /// policies match if there are any.
    Learn {
        seat: usize,
        regrets: &'a mut [f32],
        sums: &'a mut [f32],
        expected: Option<&'a mut [f32]>,
        discount: [f32; 2],
        fading: f32,
    },
    /// Takes the best action of each hand of these seats, and notes it if there is room. With both seats, the values of their
    /// policies are measured, too.
    Best { seats: Range<usize>, chosen: Option<&'a mut [f32]> },
}

impl Task<'_> {
    /// The seats whose values are found.
    pub(super) fn seats(&self) -> Range<usize> {
        match self {
            Self::Learn { seat, .. } => *seat..*seat + 1,
            Self::Best { seats, .. } => seats.clone(),
        }
    }
}

/// The numbers of a hand in some lanes.
type Vector<T> = [T; LANES];

/// So many vectors from a place.
#[inline(always)]
fn row<T>(numbers: &[T], place: usize, count: usize) -> &[Vector<T>] {
    numbers[place..place + count * LANES].as_chunks().0
}

#[inline(always)]
fn row_mut<T>(numbers: &mut [T], place: usize, count: usize) -> &mut [Vector<T>] {
    numbers[place..place + count * LANES].as_chunks_mut().0
}

#[inline(always)]
fn add<T: Real>(sum: &mut Vector<T>, value: &Vector<T>) {
    for lane in 0..LANES {
        sum[lane] += value[lane];
    }
}

#[inline(always)]
fn add_product<T: Real>(sum: &mut Vector<T>, value: &Vector<T>, factor: &Vector<T>) {
    for lane in 0..LANES {
        sum[lane] += value[lane] * factor[lane];
    }
}

/// Numbers of hands, and working space.
#[derive(Default, Debug)]
pub(super) struct Memory<T> {
    /// By seat: on the way down the probability of playing to each hand by own choices, on the way up the value of the hand
    /// if it is asked for.
    pub(super) hands: [Vec<T>; 2],
    sigma: Vec<Vector<T>>,
    values: Vec<Vector<T>>,
}

impl<T: Real> Memory<T> {
    /// Makes room for the numbers of a part. Old numbers stay: each is overwritten before it counts.
    pub(super) fn make_room(&mut self, part: &Part) {
        self.hands.iter_mut().zip(&part.num_hands).for_each(|(hands, &count)| hands.resize(count, T::default()));
    }

    /// The numbers of a seat's hands where a part begins.
    pub(super) fn first(&self, tree: &RangeTree, part: usize, seat: usize) -> Vec<T> {
        tree.part(part).begin(&tree.shapes, seat).map(|place| self.hands[seat][place]).collect()
    }

    /// Overwrites those of the top part where another begins.
    pub(super) fn join(&mut self, tree: &RangeTree, part: usize, seat: usize, numbers: &[T]) {
        tree.seam(part, seat).zip(numbers).for_each(|((_, place), number)| self.hands[seat][place] = *number);
    }
}

impl<T> AsMut<Self> for Memory<T> {
    fn as_mut(&mut self) -> &mut Self {
        self
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

/// A pass over a part. The openings' numbers of hands are in the memory: on the way down their probabilities, on the way up
/// their values.
///
/// Lanes are processed in whole vectors, also where the last has fewer lanes. On the way down its other lanes overwrite those
/// of the next branch, which are written later, or lanes that do not count.
pub(super) struct Pass<'a, 'b, T> {
    pub(super) shapes: &'a Shapes,
    pub(super) part: &'a Part,
    /// By seat: the returns at the end, as in the part.
    pub(super) returns: [&'a [f64]; 2],
    /// The policies up to a factor, where numbers below 0 count as 0; those of the regrets if there are none.
    pub(super) rows: Option<&'a [f32]>,
    pub(super) task: &'a mut Task<'b>,
    pub(super) memory: &'a mut Memory<T>,
    pub(super) way: Way,
}

impl<T: Real> Pass<'_, '_, T> {
    /// Runs the pass. Returns what it adds to the values of both seats' policies, if they are measured.
    pub(super) fn run(self) -> [f64; 2] {
        processor::run(self)
    }
}

impl<T: Real> Work for Pass<'_, '_, T> {
    type Output = [f64; 2];

    #[inline(always)]
    fn work<P: Processor>(mut self, _processor: P) -> [f64; 2] {
        let here = self.part.blocks.iter().enumerate().filter(|(_, block)| !block.is_cut).map(|(shape, _)| shape);
        if self.way != Way::Up {
            here.clone().rev().for_each(|shape| self.down(shape));
        }
        let mut values = [0.0; 2];
        if self.way != Way::Down {
            here.for_each(|shape| self.up(shape, &mut values));
        }
        values
    }
}

impl<T: Real> Pass<'_, '_, T> {
    /// The seat that learns.
    #[inline(always)]
    fn learner(&self) -> Option<usize> {
        if let Task::Learn { seat, .. } = *self.task { Some(seat) } else { None }
    }

    /// The policy in so many vectors of lanes from `start`: by action of each hand with a choice, then of all other hands.
    #[inline(always)]
    fn policy(&mut self, choice: &Choice, block: &Block, (start, count): (usize, usize)) {
        let rows = match (&self.rows, &*self.task) {
            (Some(rows), _) => *rows,
            (None, Task::Learn { expected: Some(expected), .. }) => &**expected,
            (None, Task::Learn { regrets, .. }) => &**regrets,
            (None, _) => unreachable!("a pass that does not learn has a policy"),
        };
        let (cells, tiny) = (choice.num_cells(), T::from(TINY));
        let sigma = &mut self.memory.sigma;
        if sigma.len() < (cells + 1) * count {
            sigma.resize((cells + 1) * count, [T::default(); LANES]);
        }
        sigma[cells * count..(cells + 1) * count].fill([T::ONE; LANES]);
        for (_, actions) in choice.rows() {
            let even = T::ONE / T::of(actions.len() as f64);
            let mut sums = [[T::default(); LANES]; VECTORS];
            for cell in actions.clone() {
                let row = row(rows, block.cell(cell) + start, count);
                for vector in 0..count {
                    for lane in 0..LANES {
                        sums[vector][lane] += T::from(row[vector][lane].max(0.0));
                    }
                }
            }
            let mut scale = [[T::default(); LANES]; VECTORS];
            for vector in 0..count {
                for lane in 0..LANES {
                    let sum = sums[vector][lane];
                    scale[vector][lane] = T::ONE / if sum > tiny { sum } else { T::ONE };
                }
            }
            for cell in actions {
                let row = row(rows, block.cell(cell) + start, count);
                let out = &mut sigma[cell * count..][..count];
                for vector in 0..count {
                    let mut shares = [T::default(); LANES];
                    for lane in 0..LANES {
                        shares[lane] = T::from(row[vector][lane].max(0.0)) * scale[vector][lane];
                    }
                    for lane in 0..LANES {
                        shares[lane] = if sums[vector][lane] > tiny { shares[lane] } else { even };
                    }
                    out[vector] = shares;
                }
            }
        }
    }

    #[inline(always)]
    fn down(&mut self, number: usize) {
        let (shapes, part, learner) = (self.shapes, self.part, self.learner());
        let Shape::Choice(choice) = &shapes.all[number] else { return };
        let block = &part.blocks[number];
        let mover = choice.mover();
        // The own probabilities of the seat that learns are not needed at the end.
        let is_needed =
            |seat: usize, next: u32| learner != Some(seat) || !matches!(shapes.all[next as usize], Shape::Ending(_));
        let moves = choice.branches.iter().any(|branch| is_needed(mover, branch.shape));
        // From the last to the first, so that the lanes after a branch are written after it.
        for start in (0..block.lanes).step_by(CHUNK).rev() {
            let count = (block.lanes - start).min(CHUNK).div_ceil(LANES);
            if moves {
                self.policy(choice, block, (start, count));
            }
            let Memory { hands, sigma, .. } = &mut *self.memory;
            for (branch, &offset) in choice.branches.iter().zip(&block.offsets) {
                let next = &part.blocks[branch.shape as usize];
                let at = offset + start;
                for seat in (0..2).filter(|&seat| is_needed(seat, branch.shape)) {
                    let split = block.hand(seat, usize::from(choice.hands[seat]));
                    let (before, after) = hands[seat].split_at_mut(split);
                    if seat != mover {
                        for (hand, &kept) in branch.kept.iter().enumerate() {
                            let reach = row(before, block.hand(seat, kept.into()) + start, count);
                            row_mut(after, next.hand(seat, hand) - split + at, count).copy_from_slice(reach);
                        }
                        continue;
                    }
                    let mut steps = branch.moves.iter().peekable();
                    for hand in 0..shapes.all[branch.shape as usize].hands()[seat] {
                        let out = row_mut(after, next.hand(seat, hand) - split + at, count);
                        let mut is_first = true;
                        while let Some(step) = steps.next_if(|step| usize::from(step.to) == hand) {
                            let cell = choice.cell(step.from.into(), step.rank.into(), choice.num_cells());
                            let reach = row(before, block.hand(seat, step.from.into()) + start, count);
                            let shares = &sigma[cell * count..][..count];
                            for ((out, reach), share) in out.iter_mut().zip(reach).zip(shares) {
                                let mut sum = if is_first { [T::default(); LANES] } else { *out };
                                add_product(&mut sum, reach, share);
                                *out = sum;
                            }
                            is_first = false;
                        }
                        if is_first {
                            out.fill([T::default(); LANES]);
                        }
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn up(&mut self, number: usize, values: &mut [f64; 2]) {
        let (shape, lanes) = (&self.shapes.all[number], self.part.blocks[number].lanes);
        for start in (0..lanes).step_by(CHUNK) {
            let lanes = (start, (lanes - start).min(CHUNK).div_ceil(LANES));
            match shape {
                Shape::Ending(pairs) => self.end(number, pairs, lanes, values),
                Shape::Choice(choice) => {
                    for seat in self.task.seats() {
                        if seat == choice.mover() {
                            self.decide(number, choice, lanes);
                        } else {
                            self.add_up(number, choice, lanes);
                        }
                    }
                }
                Shape::Leaf(_) => {}
            }
        }
    }

    /// The values of hands at the end.
    #[inline(always)]
    fn end(&mut self, number: usize, pairs: &Pairs, (start, count): (usize, usize), found: &mut [f64; 2]) {
        let block = &self.part.blocks[number];
        let changes = pairs.effects.len();
        let is_measured = self.task.seats().len() > 1;
        let Memory { hands, values: before, .. } = &mut *self.memory;
        if is_measured {
            // The first seat's probabilities are needed after its values.
            before.clear();
            for hand in 0..usize::from(pairs.hands[0]) {
                before.extend_from_slice(row(&hands[0], block.hand(0, hand) + start, count));
            }
        }
        for seat in self.task.seats() {
            let [first, second] = &mut *hands;
            let (own, other) = if seat == 0 { (first, second) } else { (second, first) };
            let (other, place, width) = match seat {
                1 if is_measured => (before.as_flattened(), 0, count * LANES),
                _ => (&other[..], block.hands[seat ^ 1] + start, block.width),
            };
            let mut sum = [T::default(); LANES];
            for hand in 0..usize::from(pairs.hands[seat]) {
                let mut value = [[T::default(); LANES]; VECTORS];
                for change in 0..changes {
                    let partners = &pairs.partners[seat][hand * changes + change];
                    if partners.is_empty() {
                        continue;
                    }
                    let mut reach = [[T::default(); LANES]; VECTORS];
                    for &partner in partners {
                        let row = row(other, place + usize::from(partner) * width, count);
                        reach.iter_mut().zip(row).for_each(|(reach, row)| add(reach, row));
                    }
                    let returns = row(self.returns[seat], block.returns + change * block.width + start, count);
                    for ((value, reach), returns) in value.iter_mut().zip(&reach).zip(returns) {
                        add_product(value, reach, &returns.map(T::of));
                    }
                }
                let out = row_mut(own, block.hand(seat, hand) + start, count);
                if is_measured {
                    value.iter().zip(&*out).for_each(|(value, out)| add_product(&mut sum, value, out));
                }
                out.copy_from_slice(&value[..count]);
            }
            found[seat] += sum.map(T::into).iter().sum::<f64>();
        }
    }

    /// The values of the hands of the seat that does not act.
    #[inline(always)]
    fn add_up(&mut self, number: usize, choice: &Choice, (start, count): (usize, usize)) {
        let (part, block) = (self.part, &self.part.blocks[number]);
        let seat = choice.mover() ^ 1;
        let split = block.hand(seat, usize::from(choice.hands[seat]));
        let (before, after) = self.memory.hands[seat].split_at_mut(split);
        for hand in 0..usize::from(choice.hands[seat]) {
            row_mut(before, block.hand(seat, hand) + start, count).fill([T::default(); LANES]);
        }
        for (branch, &offset) in choice.branches.iter().zip(&block.offsets) {
            let next = &part.blocks[branch.shape as usize];
            for (hand, &kept) in branch.kept.iter().enumerate() {
                let value = row(after, next.hand(seat, hand) - split + offset + start, count);
                let out = row_mut(before, block.hand(seat, kept.into()) + start, count);
                out.iter_mut().zip(value).for_each(|(out, value)| add(out, value));
            }
        }
    }

    /// The values of the hands of the seat that acts.
    #[inline(always)]
    fn decide(&mut self, number: usize, choice: &Choice, (start, count): (usize, usize)) {
        let (part, block) = (self.part, &self.part.blocks[number]);
        let seat = choice.mover();
        if self.learner().is_some() {
            self.policy(choice, block, (start, count));
        }
        let Memory { hands, sigma, values } = &mut *self.memory;
        let (cells, own) = (choice.num_cells(), usize::from(choice.hands[seat]));
        // 1, and 0 for lanes that do not count.
        let mut here = [[1.0; LANES]; VECTORS];
        (block.lanes..start + count * LANES).for_each(|lane| here[count - 1][lane % LANES] = 0.0);
        // Values of actions, then of hands with a single one.
        values.clear();
        values.resize((cells + own) * count, [T::default(); LANES]);
        let split = block.hand(seat, own);
        let (before, after) = hands[seat].split_at_mut(split);
        for (branch, &offset) in choice.branches.iter().zip(&block.offsets) {
            let next = &part.blocks[branch.shape as usize];
            for step in &branch.moves {
                let hand = usize::from(step.from);
                let cell = choice.cell(hand, step.rank.into(), cells + hand);
                let value = row(after, next.hand(seat, step.to.into()) - split + offset + start, count);
                values[cell * count..][..count].iter_mut().zip(value).for_each(|(out, value)| add(out, value));
            }
        }
        for hand in 0..own {
            let own = row_mut(before, block.hand(seat, hand) + start, count);
            let Range { start: from, end: to } = choice.row(hand);
            if from == to {
                own.copy_from_slice(&values[(cells + hand) * count..][..count]);
                continue;
            }
            let place = |cell: usize| block.cell(cell) + start;
            let mut total = [[T::default(); LANES]; VECTORS];
            match &mut *self.task {
                Task::Best { chosen, .. } => {
                    total[..count].copy_from_slice(&values[from * count..][..count]);
                    for cell in from + 1..to {
                        let values = &values[cell * count..][..count];
                        for vector in 0..count {
                            for lane in 0..LANES {
                                let (value, best) = (values[vector][lane], total[vector][lane]);
                                total[vector][lane] = if value > best { value } else { best };
                            }
                        }
                    }
                    if let Some(chosen) = chosen {
                        let mut open = here;
                        for cell in from..to {
                            let (out, values) = (row_mut(chosen, place(cell), count), &values[cell * count..][..count]);
                            for vector in 0..count {
                                for lane in 0..LANES {
                                    let is_best = values[vector][lane] == total[vector][lane];
                                    out[vector][lane] = if is_best { open[vector][lane] } else { 0.0 };
                                    open[vector][lane] -= out[vector][lane];
                                }
                            }
                        }
                    }
                }
                Task::Learn { regrets, sums, expected, discount: [up, down], fading, .. } => {
                    for cell in from..to {
                        let (values, shares) = (&values[cell * count..][..count], &sigma[cell * count..][..count]);
                        for vector in 0..count {
                            add_product(&mut total[vector], &values[vector], &shares[vector]);
                        }
                    }
                    for cell in from..to {
                        let (values, shares) = (&values[cell * count..][..count], &sigma[cell * count..][..count]);
                        let regrets = row_mut(regrets, place(cell), count);
                        let mut expected = expected.as_mut().map(|expected| row_mut(expected, place(cell), count));
                        for vector in 0..count {
                            let (value, total, here) = (values[vector], total[vector], here[vector]);
                            let (mut gain, mut next, mut after) = (regrets[vector], [0.0; LANES], [0.0; LANES]);
                            for lane in 0..LANES {
                                next[lane] = gain[lane];
                                gain[lane] = value[lane].narrow() - total[lane].narrow();
                                next[lane] = (next[lane] + gain[lane]) * here[lane];
                            }
                            for lane in 0..LANES {
                                after[lane] = if next[lane] > 0.0 { *up } else { *down };
                            }
                            for lane in 0..LANES {
                                after[lane] *= next[lane];
                            }
                            for lane in 0..LANES {
                                after[lane] = if next[lane].abs() > TINY { after[lane] } else { 0.0 };
                            }
                            regrets[vector] = after;
                            if let Some(expected) = &mut expected {
                                for lane in 0..LANES {
                                    after[lane] = (after[lane] + gain[lane]) * here[lane] + 0.0;
                                }
                                expected[vector] = after;
                            }
                        }
                        let sums = row_mut(sums, place(cell), count);
                        for vector in 0..count {
                            let (share, reach, here, mut next) =
                                (shares[vector], own[vector], here[vector], sums[vector]);
                            for lane in 0..LANES {
                                let product = share[lane].narrow() * reach[lane].narrow();
                                next[lane] = (next[lane] * *fading + product) * here[lane];
                            }
                            for sum in &mut next {
                                // Numbers with fewer digits are slow.
                                *sum = if *sum > f32::MIN_POSITIVE { *sum } else { 0.0 };
                            }
                            sums[vector] = next;
                        }
                    }
                }
            }
            own.copy_from_slice(&total[..count]);
        }
    }
}
