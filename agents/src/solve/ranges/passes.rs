//! Passes over the public states: probabilities of hands on the way down, values of hands on the way up.

use std::ops::{AddAssign, Div, Mul, Range, Sub};

use stier_core::processor::{self, Any, Processor, Work};

use super::parts::{Block, LANES, Part, Places, RangeTree};
use super::shapes::{Branch, Choice, Lists, Pairs, Shape, Shapes};
use crate::solve::cfr::TINY;

/// The number of vectors that are processed together if there are so many: few enough for registers.
const VECTORS: usize = 4;

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
    /// Updates regrets and sums of policies of a seat, the latter if they are wanted, and the regrets that are expected after
    /// the next iteration, which policies match if there are any.
    Learn {
        seat: usize,
        regrets: &'a mut [f32],
        sums: Option<&'a mut [f32]>,
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
type Vector<const L: usize, T> = [T; L];

/// The vectors from a place.
#[inline(always)]
fn row<const N: usize, const L: usize, T>(numbers: &[T], place: usize) -> &[Vector<L, T>; N] {
    numbers[place..place + N * L].as_chunks().0.first_chunk().expect("so many")
}

#[inline(always)]
fn row_mut<const N: usize, const L: usize, T>(numbers: &mut [T], place: usize) -> &mut [Vector<L, T>; N] {
    numbers[place..place + N * L].as_chunks_mut().0.first_chunk_mut().expect("so many")
}

/// The numbers as vectors, so many at a time.
#[inline(always)]
fn vectors<const N: usize, const L: usize, T>(numbers: &[T]) -> &[[Vector<L, T>; N]] {
    numbers.as_chunks().0.as_chunks().0
}

#[inline(always)]
fn vectors_mut<const N: usize, const L: usize, T>(numbers: &mut [T]) -> &mut [[Vector<L, T>; N]] {
    numbers.as_chunks_mut().0.as_chunks_mut().0
}

#[inline(always)]
fn add<const N: usize, const L: usize, T: Real>(sums: &mut [Vector<L, T>; N], values: &[Vector<L, T>; N]) {
    for vector in 0..N {
        let mut sum = sums[vector];
        for lane in 0..L {
            sum[lane] += values[vector][lane];
        }
        sums[vector] = sum;
    }
}

#[inline(always)]
fn add_product<const N: usize, const L: usize, T: Real>(
    sums: &mut [Vector<L, T>; N],
    values: &[Vector<L, T>; N],
    factors: &[Vector<L, T>; N],
) {
    for vector in 0..N {
        let mut sum = sums[vector];
        for lane in 0..L {
            sum[lane] += values[vector][lane] * factors[vector][lane];
        }
        sums[vector] = sum;
    }
}

/// Numbers, where those below 0 count as 0.
#[inline(always)]
fn positive<const L: usize, T: Real>(values: &Vector<L, f32>) -> Vector<L, T> {
    let mut found = [T::default(); L];
    for lane in 0..L {
        found[lane] = T::from(if values[lane] > 0.0 { values[lane] } else { 0.0 });
    }
    found
}

/// Numbers of hands, and working space.
#[derive(Default, Debug)]
pub(super) struct Memory<T> {
    /// By seat: on the way down the probability of playing to each hand by own choices, on the way up the value of the hand
    /// if it is asked for.
    pub(super) hands: [Vec<T>; 2],
    /// The probabilities of actions, and their values.
    sigma: Vec<T>,
    values: Vec<T>,
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
/// of the next branch, which are written later, or lanes that do not count. A lane alone is not a vector.
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
    pub(super) fn run(mut self) -> [f64; 2] {
        let here = self.part.blocks.iter().enumerate().filter(|(_, block)| !block.is_cut).map(|(shape, _)| shape);
        if self.way != Way::Up {
            here.clone().rev().for_each(|shape| self.go(shape, Way::Down, &mut [0.0; 2]));
        }
        let mut found = [0.0; 2];
        if self.way != Way::Down {
            here.for_each(|shape| self.go(shape, Way::Up, &mut found));
        }
        found
    }

    /// Goes down or up.
    fn go(&mut self, number: usize, way: Way, found: &mut [f64; 2]) {
        let (shape, block) = (&self.shapes.all[number], &self.part.blocks[number]);
        if block.width == 1 {
            Chunk::<1, 1, T> { pass: self, shape, block, way, start: 0, found }.work(Any);
            return;
        }
        let vectors = block.lanes.div_ceil(LANES);
        let (whole, rest) = (vectors / VECTORS, vectors % VECTORS);
        for step in 0..whole + rest {
            // Down from the last to the first, so that the lanes after a branch are written after it.
            let step = if way == Way::Down { whole + rest - 1 - step } else { step };
            let start = LANES * if step < whole { step * VECTORS } else { whole * VECTORS + step - whole };
            if step < whole {
                processor::run(Chunk::<VECTORS, LANES, T> { pass: self, shape, block, way, start, found });
            } else {
                processor::run(Chunk::<1, LANES, T> { pass: self, shape, block, way, start, found });
            }
        }
    }

    /// The seat that learns.
    #[inline(always)]
    fn learner(&self) -> Option<usize> {
        if let Task::Learn { seat, .. } = *self.task { Some(seat) } else { None }
    }

    /// The policies up to a factor.
    #[inline(always)]
    fn rows(&self) -> &[f32] {
        match (self.rows, &*self.task) {
            (Some(rows), _) => rows,
            (None, Task::Learn { expected: Some(expected), .. }) => expected,
            (None, Task::Learn { regrets, .. }) => regrets,
            (None, _) => unreachable!("a pass that does not learn has a policy"),
        }
    }
}

/// The lanes of a shape that are processed together: so many vectors from `start`.
struct Chunk<'c, 'a, 'b, const N: usize, const L: usize, T> {
    pass: &'c mut Pass<'a, 'b, T>,
    shape: &'a Shape,
    block: &'a Block,
    way: Way,
    start: usize,
    found: &'c mut [f64; 2],
}

impl<const N: usize, const L: usize, T: Real> Work for Chunk<'_, '_, '_, N, L, T> {
    type Output = ();

    #[inline(always)]
    fn work<P: Processor>(mut self, _processor: P) {
        match (self.shape, self.way) {
            (Shape::Choice(choice), Way::Down) => self.down(choice),
            (Shape::Choice(choice), _) => {
                for seat in self.pass.task.seats() {
                    if seat == choice.mover() {
                        self.decide(choice);
                    } else {
                        self.add_up(choice);
                    }
                }
            }
            (Shape::Ending(pairs), Way::Up) => self.end(pairs),
            _ => {}
        }
    }
}

impl<const N: usize, const L: usize, T: Real> Chunk<'_, '_, '_, N, L, T> {
    /// The policy: by action of each hand with a choice, then of all other hands.
    #[inline(always)]
    fn policy(&mut self, choice: &Choice) {
        let (tiny, cells) = (T::from(TINY), choice.num_cells());
        let mut sigma = std::mem::take(&mut self.pass.memory.sigma);
        if sigma.len() < (cells + 1) * N * L {
            sigma.resize((cells + 1) * N * L, T::default());
        }
        let (rows, shares) = (self.pass.rows(), &mut vectors_mut::<N, L, T>(&mut sigma)[..=cells]);
        shares[cells] = [[T::ONE; L]; N];
        for (_, actions) in choice.rows() {
            let even = T::ONE / T::of(actions.len() as f64);
            for (vector, start) in (0..N).zip((self.start..).step_by(L)) {
                let places = self.block.cells(start);
                let positive = |cell: usize| -> Vector<L, T> { positive(&row::<1, L, f32>(rows, places.at(cell))[0]) };
                let [mut sum, mut scale, mut rest] = [[T::default(); L]; 3];
                for cell in actions.clone() {
                    let values = positive(cell);
                    for lane in 0..L {
                        sum[lane] += values[lane];
                    }
                }
                for lane in 0..L {
                    scale[lane] = T::ONE / if sum[lane] > tiny { sum[lane] } else { T::ONE };
                }
                for lane in 0..L {
                    rest[lane] = if sum[lane] > tiny { T::default() } else { even };
                    scale[lane] = if sum[lane] > tiny { scale[lane] } else { T::default() };
                }
                for cell in actions.clone() {
                    let mut values = positive(cell);
                    for lane in 0..L {
                        values[lane] = values[lane] * scale[lane];
                        values[lane] += rest[lane];
                    }
                    shares[cell][vector] = values;
                }
            }
        }
        self.pass.memory.sigma = sigma;
    }

    /// The probabilities of hands after a choice.
    #[inline(always)]
    fn down(&mut self, choice: &Choice) {
        let (part, learner) = (self.pass.part, self.pass.learner());
        let (block, start) = (self.block, self.start);
        let (mover, cells) = (choice.mover(), choice.num_cells());
        let has_sums = matches!(&*self.pass.task, Task::Learn { sums: Some(_), .. });
        // The own probabilities of the seat that learns are needed for sums alone, and not at the end.
        let is_needed = |seat: usize, next: &Branch| learner != Some(seat) || has_sums && !next.is_ending;
        if choice.branches.iter().any(|branch| is_needed(mover, branch)) {
            self.policy(choice);
        }
        let Memory { hands, sigma, .. } = &mut *self.pass.memory;
        let sigma = vectors::<N, L, T>(sigma);
        for (branch, &offset) in choice.branches.iter().zip(self.pass.part.offsets(block)) {
            for (seat, numbers) in hands.iter_mut().enumerate() {
                if !is_needed(seat, branch) {
                    continue;
                }
                let split = block.hand(seat, usize::from(choice.hands[seat]));
                let (before, after) = numbers.split_at_mut(split);
                let next = part.blocks[branch.shape as usize].places(seat, offset + start, split);
                let places = block.places(seat, start, 0);
                let after_hands = usize::from(branch.hands[seat]);
                if seat != mover {
                    for (hand, &kept) in choice.kept(branch)[..after_hands].iter().enumerate() {
                        *row_mut::<N, L, T>(after, next.at(hand)) = *row(before, places.at(kept.into()));
                    }
                    continue;
                }
                let mut moves = choice.moves(branch);
                for hand in 0..after_hands {
                    let mut sum = [[T::default(); L]; N];
                    while let [step, rest @ ..] = moves
                        && usize::from(step.to) == hand
                    {
                        add_product(&mut sum, row(before, places.at(step.from.into())), &sigma[step.cell(cells)]);
                        moves = rest;
                    }
                    *row_mut(after, next.at(hand)) = sum;
                }
            }
        }
    }

    /// The values of hands at the end.
    #[inline(always)]
    fn end(&mut self, pairs: &Pairs) {
        let (block, start) = (self.block, self.start);
        let (changes, all_returns) = (pairs.effects.len(), Places::new(block.returns + start, block.width));
        let is_measured = self.pass.task.seats().len() > 1;
        let Memory { hands, values: before, .. } = &mut *self.pass.memory;
        if is_measured {
            // The first seat's probabilities are needed after its values.
            before.clear();
            for hand in 0..usize::from(pairs.hands[0]) {
                before.extend(row::<N, L, T>(&hands[0], block.hand(0, hand) + start).as_flattened());
            }
        }
        for seat in self.pass.task.seats() {
            let [first, second] = &mut *hands;
            let (own, other) = if seat == 0 { (first, second) } else { (second, first) };
            let (other, others) = match seat {
                1 if is_measured => (&before[..], Places::new(0, N * L)),
                _ => (&other[..], block.places(seat ^ 1, start, 0)),
            };
            let (own, places, returns) = (&mut own[..], block.places(seat, start, 0), self.pass.returns[seat]);
            let mut sum = [[T::default(); L]; N];
            let (Lists { ends, hands: partners }, mut first) = (&pairs.partners[seat], 0);
            for (hand, ends) in ends.chunks(changes.max(1)).enumerate() {
                let mut value = [[T::default(); L]; N];
                for (change, &end) in ends.iter().enumerate() {
                    let partners = &partners[std::mem::replace(&mut first, end as usize)..end as usize];
                    if partners.is_empty() {
                        continue;
                    }
                    let mut reach = [[T::default(); L]; N];
                    for &partner in partners {
                        add(&mut reach, row(other, others.at(partner.into())));
                    }
                    let returns = row::<N, L, f64>(returns, all_returns.at(change));
                    let mut factors = [[T::default(); L]; N];
                    for vector in 0..N {
                        for lane in 0..L {
                            factors[vector][lane] = T::of(returns[vector][lane]);
                        }
                    }
                    add_product(&mut value, &reach, &factors);
                }
                let out = row_mut(own, places.at(hand));
                if is_measured {
                    add_product(&mut sum, &value, out);
                }
                *out = value;
            }
            if is_measured {
                let copies = &self.pass.part.copies[block.copies + start..];
                let sums = sum.as_flattened().iter().zip(copies);
                self.found[seat] += sums.map(|(&sum, &copies)| f64::from(copies) * sum.into()).sum::<f64>();
            }
        }
    }

    /// The values of the hands of the seat that does not act.
    #[inline(always)]
    fn add_up(&mut self, choice: &Choice) {
        let (block, start) = (self.block, self.start);
        let (seat, own) = (choice.mover() ^ 1, usize::from(choice.hands[choice.mover() ^ 1]));
        let split = block.hand(seat, own);
        let (before, after) = self.pass.memory.hands[seat].split_at_mut(split);
        let places = block.places(seat, start, 0);
        for hand in 0..own {
            *row_mut(before, places.at(hand)) = [[T::default(); L]; N];
        }
        for (branch, &offset) in choice.branches.iter().zip(self.pass.part.offsets(block)) {
            let next = self.pass.part.blocks[branch.shape as usize].places(seat, offset + start, split);
            for kept in choice.kept(branch).chunks(usize::from(branch.hands[seat]).max(1)) {
                for (hand, &kept) in kept.iter().enumerate() {
                    add::<N, L, T>(row_mut(before, places.at(kept.into())), row(after, next.at(hand)));
                }
            }
        }
    }

    /// The values of the hands of the seat that acts.
    #[inline(always)]
    fn decide(&mut self, choice: &Choice) {
        let (block, start) = (self.block, self.start);
        let seat = choice.mover();
        if self.pass.learner().is_some() {
            self.policy(choice);
        }
        let Memory { hands, sigma, values } = &mut *self.pass.memory;
        let (cells, own) = (choice.num_cells(), usize::from(choice.hands[seat]));
        // 1, and 0 for lanes that do not count.
        let mut here = [[0.0; L]; N];
        let lanes = (block.lanes - start).min(N * L);
        here.as_flattened_mut()[..lanes].fill(1.0);
        // Values of actions, then of hands with a single one.
        values.clear();
        values.resize((cells + own) * N * L, T::default());
        let (values, sigma) = (vectors_mut::<N, L, T>(values), vectors::<N, L, T>(sigma));
        let split = block.hand(seat, own);
        let (before, after) = hands[seat].split_at_mut(split);
        for (branch, &offset) in choice.branches.iter().zip(self.pass.part.offsets(block)) {
            let next = self.pass.part.blocks[branch.shape as usize].places(seat, offset + start, split);
            for step in choice.value_moves(branch) {
                let cell = step.cell(cells + usize::from(step.from));
                add(&mut values[cell], row(after, next.at(step.to.into())));
            }
        }
        for group in &choice.alike {
            let first = values[usize::from(group[0])];
            group[1..].iter().for_each(|&other| values[usize::from(other)] = first);
        }
        let (places, all_cells) = (block.places(seat, start, 0), block.cells(start));
        for (hand, ends) in choice.cells.windows(2).enumerate() {
            let own: &mut [Vector<L, T>; N] = row_mut(before, places.at(hand));
            let [from, to] = [usize::from(ends[0]), usize::from(ends[1])];
            if from == to {
                *own = values[cells + hand];
                continue;
            }
            let mut total = [[T::default(); L]; N];
            match &mut *self.pass.task {
                Task::Best { chosen, .. } => {
                    total = values[from];
                    for cell in from + 1..to {
                        let values = &values[cell];
                        for vector in 0..N {
                            for lane in 0..L {
                                let (value, best) = (values[vector][lane], total[vector][lane]);
                                total[vector][lane] = if value > best { value } else { best };
                            }
                        }
                    }
                    if let Some(chosen) = chosen {
                        let mut open = here;
                        for cell in from..to {
                            let out = row_mut::<N, L, f32>(chosen, all_cells.at(cell));
                            let values = &values[cell];
                            for vector in 0..N {
                                for lane in 0..L {
                                    let is_best = values[vector][lane] == total[vector][lane];
                                    out[vector][lane] = if is_best { open[vector][lane] } else { 0.0 };
                                    open[vector][lane] -= out[vector][lane];
                                }
                            }
                        }
                    }
                }
                Task::Learn { regrets, sums, expected, discount, fading, .. } => {
                    let ([up, down], fading) = (*discount, *fading);
                    for cell in from..to {
                        add_product(&mut total, &values[cell], &sigma[cell]);
                    }
                    for cell in from..to {
                        let (values, shares) = (&values[cell], &sigma[cell]);
                        let regrets = row_mut::<N, L, f32>(regrets, all_cells.at(cell));
                        let mut expected =
                            expected.as_mut().map(|expected| row_mut::<N, L, f32>(expected, all_cells.at(cell)));
                        for vector in 0..N {
                            let (value, total, here) = (values[vector], total[vector], here[vector]);
                            let (mut gain, mut next, mut after) = (regrets[vector], [0.0; L], [0.0; L]);
                            for lane in 0..L {
                                next[lane] = gain[lane];
                                gain[lane] = value[lane].narrow() - total[lane].narrow();
                                next[lane] = (next[lane] + gain[lane]) * here[lane];
                            }
                            for lane in 0..L {
                                after[lane] = if next[lane] > 0.0 { up } else { down };
                            }
                            for lane in 0..L {
                                after[lane] *= next[lane];
                            }
                            for lane in 0..L {
                                after[lane] = if next[lane].abs() > TINY { after[lane] } else { 0.0 };
                            }
                            regrets[vector] = after;
                            if let Some(expected) = &mut expected {
                                for lane in 0..L {
                                    after[lane] = (after[lane] + gain[lane]) * here[lane] + 0.0;
                                }
                                expected[vector] = after;
                            }
                        }
                        let Some(sums) = sums else { continue };
                        let sums = row_mut::<N, L, f32>(sums, all_cells.at(cell));
                        for vector in 0..N {
                            let (share, reach, here, mut next) =
                                (shares[vector], own[vector], here[vector], sums[vector]);
                            for lane in 0..L {
                                let product = share[lane].narrow() * reach[lane].narrow();
                                next[lane] = (next[lane] * fading + product) * here[lane];
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
            *own = total;
        }
        for (hand, &twin) in choice.twins.iter().enumerate() {
            if usize::from(twin) != hand {
                *row_mut(before, places.at(hand)) = *row::<N, L, T>(before, places.at(twin.into()));
            }
        }
    }
}
