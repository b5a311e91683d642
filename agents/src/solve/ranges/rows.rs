//! Single passes over public states, for update rules that are written by the caller.
//!
//! A rule works on rows: the actions of all hands with a choice of one seat, public state after public state, the actions
//! of a hand side by side. A pass works on lanes, so numbers are carried from one order to the other.

use std::ops::ControlFlow;
use std::sync::Mutex;

use stier_core::Seat;
use stier_core::processor::{self, Processor, Work};
use stier_core::public::PublicState;
use thiserror::Error;

use super::parts::{Block, Part, RangeTree, Spot};
use super::passes::{Memory, Pass, Task, Way};
use super::shapes::{Choice, Shape};
use crate::agent::threads::{Halted, Watch, for_each_task, goes_on, locked};
use crate::solve::passes::NoPolicy;

/// The distance from 1 at which the sum of probabilities is refused.
const SLACK: f32 = 1e-4;

/// The rows of a seat.
#[derive(Debug)]
pub(super) struct HandRows {
    /// By part, the top one last, and shape: the first row and the first hand with a choice.
    starts: Vec<Vec<[usize; 2]>>,
    /// By part, and after the last: the same.
    pub(super) parts: Vec<[usize; 2]>,
}

/// The hands with a choice.
pub(super) fn choosing(choice: &Choice) -> impl Iterator<Item = usize> + Clone + '_ {
    choice.cells.windows(2).enumerate().filter(|(_, ends)| ends[0] < ends[1]).map(|(hand, _)| hand)
}

/// A shape in which a seat has a choice.
struct Own<'a> {
    shape: usize,
    choice: &'a Choice,
    block: &'a Block,
    cells: usize,
    hands: usize,
}

/// The shapes in which a seat has a choice in a part.
fn own(tree: &RangeTree, number: usize, seat: usize) -> impl Iterator<Item = Own<'_>> {
    let (is_top, part) = (number == tree.parts.len(), tree.part(number));
    tree.shapes.all.iter().zip(&part.blocks).enumerate().filter_map(move |(shape, (kind, block))| match kind {
        Shape::Choice(choice) if choice.mover.index() == seat && !(is_top && tree.cut[shape]) => {
            let (cells, hands) = (kind.num_cells(), choosing(choice).count());
            (hands > 0).then_some(Own { shape, choice, block, cells, hands })
        }
        _ => None,
    })
}

impl HandRows {
    pub(super) fn of(tree: &RangeTree, seat: usize) -> Self {
        let (mut now, mut parts) = ([0, 0], vec![[0, 0]]);
        let starts = |number: usize| {
            let mut starts = vec![[0, 0]; tree.shapes.all.len()];
            for Own { shape, block, cells, hands, .. } in own(tree, number, seat) {
                starts[shape] = now;
                now = [now[0] + cells * block.lanes, now[1] + hands * block.lanes];
            }
            parts.push(now);
            starts
        };
        let starts = (0..=tree.parts.len()).map(starts).collect();
        Self { starts, parts }
    }

    /// The first hand in a part whose numbers are no probabilities.
    pub(super) fn refused(&self, tree: &RangeTree, part: usize, seat: usize, policy: &[f32]) -> NoPolicy {
        let [mut row, mut set] = self.parts[part];
        for Own { choice, block, .. } in own(tree, part, seat) {
            for ends in (0..block.lanes).flat_map(|_| choice.cells.windows(2).filter(|ends| ends[0] < ends[1])) {
                let numbers = &policy[row..][..usize::from(ends[1] - ends[0])];
                let sum: f32 = numbers.iter().sum();
                if !((sum - 1.0).abs() <= SLACK && numbers.iter().all(|&share| share >= 0.0)) {
                    let row = numbers.iter().map(|&share| share.into()).collect();
                    return NoPolicy { seat: Seat(seat as u8), set, row };
                }
                (row, set) = (row + numbers.len(), set + 1);
            }
        }
        // The numbers are those of the caller, who may have changed them meanwhile.
        NoPolicy { seat: Seat(seat as u8), set, row: Vec::new() }
    }

    /// The number of rows.
    pub(super) fn rows(&self) -> usize {
        self.parts[self.parts.len() - 1][0]
    }

    /// The number of hands with a choice.
    pub(super) fn sets(&self) -> usize {
        self.parts[self.parts.len() - 1][1]
    }

    /// The place of the first row of a public state in which the seat acts.
    pub(super) fn first(&self, tree: &RangeTree, spot: Spot) -> usize {
        self.starts[spot.part][spot.shape as usize][0] + spot.lane * tree.shapes.all[spot.shape as usize].num_cells()
    }

    /// By hand with a choice: the place of its first row.
    pub(super) fn firsts(&self, tree: &RangeTree, seat: usize) -> Vec<i64> {
        let mut firsts = Vec::with_capacity(self.sets());
        let mut start = 0;
        for Own { choice, block, cells, .. } in (0..=tree.parts.len()).flat_map(|part| own(tree, part, seat)) {
            for _ in 0..block.lanes {
                firsts.extend(choosing(choice).map(|hand| start + i64::from(choice.cells[hand])));
                start += cells as i64;
            }
        }
        firsts
    }
}

/// The number of lanes that are carried together, so that both orders stay in the nearest cache.
const TILE: usize = 16;

/// Copies rows to lanes: numbers by lane and action to numbers by action and lane, `width` apart.
struct ToLanes<'a> {
    rows: &'a [f32],
    cells: usize,
    lanes: usize,
    width: usize,
    out: &'a mut [f32],
}

impl Work for ToLanes<'_> {
    type Output = ();

    #[inline(always)]
    fn work<P: Processor>(self, _processor: P) {
        let Self { rows, cells, lanes, width, out } = self;
        for (start, tile) in (0..lanes).step_by(TILE).zip(rows.chunks(TILE * cells)) {
            let count = TILE.min(lanes - start);
            for cell in 0..cells {
                let out = &mut out[cell * width + start..][..count];
                for (out, row) in out.iter_mut().zip(tile.chunks_exact(cells)) {
                    *out = row[cell];
                }
            }
        }
    }
}

/// Copies lanes to rows: numbers of hands or actions, which are in these places, `width` apart.
struct ToRows<'a, I> {
    numbers: &'a [f32],
    places: I,
    cells: usize,
    lanes: usize,
    width: usize,
    rows: &'a mut [f32],
}

impl<I: Iterator<Item = usize> + Clone> Work for ToRows<'_, I> {
    type Output = ();

    #[inline(always)]
    fn work<P: Processor>(self, _processor: P) {
        let Self { numbers, places, cells, lanes, width, rows } = self;
        for (start, tile) in (0..lanes).step_by(TILE).zip(rows.chunks_mut(TILE * cells)) {
            let count = TILE.min(lanes - start);
            for (cell, place) in places.clone().enumerate() {
                let numbers = &numbers[place * width + start..][..count];
                for (row, number) in tile.chunks_exact_mut(cells).zip(numbers) {
                    row[cell] = *number;
                }
            }
        }
    }
}

/// A check that the numbers of each hand are probabilities in all lanes.
struct Check<'a> {
    choice: &'a Choice,
    lanes: usize,
    width: usize,
    numbers: &'a [f32],
}

impl Work for Check<'_> {
    type Output = bool;

    #[inline(always)]
    fn work<P: Processor>(self, _processor: P) -> bool {
        let Self { choice, lanes, width, numbers } = self;
        let mut is_fine = true;
        for ends in choice.cells.windows(2).filter(|ends| ends[0] < ends[1]) {
            for start in (0..lanes).step_by(TILE) {
                let count = TILE.min(lanes - start);
                let (mut sums, mut least) = ([0.0_f32; TILE], [0.0_f32; TILE]);
                for cell in ends[0]..ends[1] {
                    let row = &numbers[usize::from(cell) * width + start..][..count];
                    for ((sum, least), number) in sums.iter_mut().zip(&mut least).zip(row) {
                        *sum += *number;
                        *least = least.min(*number);
                    }
                }
                is_fine &=
                    sums[..count].iter().zip(&least).all(|(sum, least)| (sum - 1.0).abs() <= SLACK && *least >= 0.0);
            }
        }
        is_fine
    }
}

/// Copies the policy of a seat in a part to lanes. Returns true if its numbers are probabilities.
pub(super) fn scatter(tree: &RangeTree, part: usize, seat: usize, mut policy: &[f32], out: &mut [f32]) -> bool {
    own(tree, part, seat).fold(true, |is_fine, Own { choice, block, cells, .. }| {
        let (lanes, width) = (block.lanes, block.width);
        let rows = policy.split_off(..cells * lanes).expect("a number for each action");
        let numbers = &mut out[block.cells..][..cells * width];
        processor::run(ToLanes { rows, cells, lanes, width, out: numbers });
        is_fine && processor::run(Check { choice, lanes, width, numbers })
    })
}

/// The results of a pass for one seat: see [`Pass`](crate::solve::passes::Pass). Of single actions there are none.
#[derive(Default)]
pub struct RowPass<'a> {
    /// By row: the value of the action minus that of the hand, each as in `values`.
    pub regrets: &'a mut [f32],
    /// By row: the probability that the seat's own choices lead to the hand and then choose the action, times its range.
    pub reach: &'a mut [f32],
    /// By hand: the expected return of the seat, times `others`.
    pub values: &'a mut [f32],
    /// By hand: the probability that chance and the other seat lead there, times the other's range.
    pub others: &'a mut [f32],
}

impl<'a> RowPass<'a> {
    /// Takes away the numbers of so many rows and hands at the beginning.
    fn split_off(&mut self, [rows, hands]: [usize; 2]) -> RowPass<'a> {
        let take = |numbers: &mut &'a mut [f32], count: usize| numbers.split_off_mut(..count).expect("they are there");
        RowPass {
            regrets: take(&mut self.regrets, rows),
            reach: take(&mut self.reach, rows),
            values: take(&mut self.values, hands),
            others: take(&mut self.others, hands),
        }
    }
}

/// The numbers of all hands in a part, after a pass for one seat; as in [`Memory`].
#[derive(Default, Debug)]
pub(super) struct Numbers {
    /// The range of the other seat: the probability that it plays to the hand.
    pub(super) range: Vec<f32>,
    pub(super) values: Vec<f32>,
    pub(super) others: Vec<f32>,
}

/// The reason why a pass has no results.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum PassError {
    /// The policy is none.
    #[error(transparent)]
    NoPolicy(#[from] NoPolicy),
    /// Interrupted.
    #[error(transparent)]
    Halted(#[from] Halted),
}

/// A public state at which a tree is cut off.
pub(super) struct Leaf {
    pub(super) spot: Spot,
    pub(super) weight: f64,
}

/// Goes through the pairs of hands that fit together in a public state: see [`PublicForm::each_pair`].
///
/// [`PublicForm::each_pair`]: stier_core::public::PublicForm::each_pair
pub(super) type EachPair<'a> = &'a (dyn Fn(PublicState, &mut dyn FnMut([usize; 2], f64)) + Sync);

/// Gives the values of a seat's hands at all leaves, for the ranges of both seats there: arrays (leaves, most hands). Breaks
/// if there are none.
pub type LeafValues<'a> = &'a (dyn Fn(usize, [&[f32]; 2], &mut [f32]) -> ControlFlow<()> + Sync);

/// Working memory of a part.
#[derive(Default, Debug)]
pub(super) struct Scratch {
    memory: Memory<f32>,
    policy: Vec<f32>,
    regrets: Vec<f32>,
    reach: Vec<f32>,
}

/// A pass for one seat.
#[derive(Clone, Copy)]
pub(super) struct Sweep<'a> {
    pub(super) tree: &'a RangeTree,
    pub(super) rows: &'a [HandRows; 2],
    pub(super) leaves: &'a [Leaf],
    pub(super) seat: usize,
    /// By seat and row.
    pub(super) policies: [&'a [f32]; 2],
    /// By seat and hand: the ranges at the root; 1 if they are not given.
    pub(super) ranges: Option<[&'a [f32]; 2]>,
    pub(super) values: LeafValues<'a>,
    pub(super) each_pair: EachPair<'a>,
    pub(super) watch: Watch<'a>,
}

/// A part of a pass.
struct Stage<'a, 'b> {
    sweep: &'b Sweep<'a>,
    number: usize,
    out: Option<RowPass<'b>>,
    kept: Option<&'b mut Numbers>,
    /// The values of hands at the leaves.
    leaves: Vec<f32>,
}

impl Stage<'_, '_> {
    fn part(&self) -> &Part {
        self.sweep.tree.part(self.number)
    }

    fn pass(&self, returns: &[f64], task: &mut Task<'_>, scratch: (&[f32], &mut Memory<f32>), way: Way) {
        let (tree, returns) = (self.sweep.tree, [returns; 2]);
        let cut = (self.number == tree.parts.len()).then_some(&tree.cut[..]);
        let (rows, memory) = (Some(scratch.0), scratch.1);
        Pass { shapes: &tree.shapes, part: self.part(), cut, returns, rows, task, memory, way }.run();
    }

    /// Ranges on the way down.
    fn down(&mut self, scratch: &mut Scratch) -> Result<(), PassError> {
        goes_on((self.sweep.watch)())?;
        let Sweep { tree, rows, seat, policies, .. } = *self.sweep;
        let Scratch { memory, policy, regrets, reach } = scratch;
        let size = self.part().num_cells;
        policy.resize(size, 0.0);
        for numbers in [&mut *regrets, &mut *reach] {
            numbers.clear();
            numbers.resize(size, 0.0);
        }
        for (mover, given) in policies.into_iter().enumerate() {
            if !scatter(tree, self.number, mover, &given[rows[mover].parts[self.number][0]..], policy) {
                return Err(rows[mover].refused(tree, self.number, mover, given).into());
            }
        }
        let mut task = Task::Learn { seat, regrets, sums: reach, expected: None, discount: [1.0; 2], fading: 0.0 };
        self.pass(&[], &mut task, (policy, memory), Way::Down);
        if let Some(kept) = &mut self.kept {
            kept.range.clone_from(&memory.hands[seat ^ 1]);
        }
        self.look_ahead(memory, seat)
    }

    /// Asks for the values at the leaves.
    fn look_ahead(&mut self, memory: &Memory<f32>, seat: usize) -> Result<(), PassError> {
        let Sweep { leaves, values, .. } = *self.sweep;
        if self.number > 0 || leaves.is_empty() {
            return Ok(());
        }
        let ranges = [0, 1].map(|of: usize| {
            let mut range = vec![0.0; leaves.len() * self.most()];
            self.each_leaf(of, |at, place| range[at] = memory.hands[of][place]);
            range
        });
        self.leaves = vec![0.0; leaves.len() * self.most()];
        goes_on(values(seat, [&ranges[0], &ranges[1]], &mut self.leaves))?;
        Ok(())
    }

    /// The largest number of hands at a leaf.
    fn most(&self) -> usize {
        most_hands(self.sweep.tree, self.sweep.leaves)
    }

    /// Calls `visit` for each hand of a seat at a leaf, with its places in an array (leaves, most hands) and in the memory.
    fn each_leaf(&self, seat: usize, mut visit: impl FnMut(usize, usize)) {
        let (tree, most) = (self.sweep.tree, self.most());
        for (row, Leaf { spot, .. }) in self.sweep.leaves.iter().enumerate() {
            let block = tree.block(spot.part, spot.shape);
            for hand in 0..usize::from(tree.shapes.all[spot.shape as usize].hands()[seat]) {
                visit(row * most + hand, block.hands[seat] + hand * block.width + spot.lane);
            }
        }
    }

    /// Values on the way up.
    fn up(&mut self, scratch: &mut Scratch) {
        let Sweep { tree, seat, .. } = *self.sweep;
        let Scratch { memory, policy, regrets, reach } = scratch;
        if !self.leaves.is_empty() {
            self.each_leaf(seat, |at, place| memory.hands[seat][place] = self.leaves[at]);
        }
        let mut task = Task::Learn { seat, regrets, sums: reach, expected: None, discount: [1.0; 2], fading: 0.0 };
        self.pass(&self.part().returns[seat], &mut task, (policy, memory), Way::Up);
        if let Some(kept) = &mut self.kept {
            kept.values.clone_from(&memory.hands[seat]);
        }
        let Some(out) = &mut self.out else { return };
        let mut row = 0;
        for Own { block, cells, .. } in own(tree, self.number, seat) {
            let (lanes, width) = (block.lanes, block.width);
            for (numbers, rows) in [(&*regrets, &mut *out.regrets), (&*reach, &mut *out.reach)] {
                let (numbers, rows) = (&numbers[block.cells..], &mut rows[row..][..cells * lanes]);
                processor::run(ToRows { numbers, places: 0..cells, cells, lanes, width, rows });
            }
            row += cells * lanes;
        }
        gather(tree, self.number, seat, memory, out.values);
    }

    /// The probabilities of chance and the other seat: the values if every return is 1. They do not depend on the seat's
    /// own policy.
    fn others(&mut self, scratch: &mut Scratch) -> Result<(), PassError> {
        let Sweep { tree, seat, leaves, each_pair, watch, .. } = *self.sweep;
        let Scratch { memory, policy, .. } = scratch;
        if self.number == 0 {
            for leaf in leaves {
                goes_on(watch())?;
                leaf.others(tree, seat, each_pair, memory);
            }
        }
        self.pass(
            &self.part().weights,
            &mut Task::Best { seats: seat..seat + 1, chosen: None },
            (policy, memory),
            Way::Up,
        );
        if let Some(kept) = &mut self.kept {
            kept.others.clone_from(&memory.hands[seat]);
        }
        if let Some(out) = &mut self.out {
            gather(tree, self.number, seat, memory, out.others);
        }
        Ok(())
    }
}

impl Leaf {
    /// Overwrites the values of a seat's hands with the probabilities of chance and the other seat.
    fn others(&self, tree: &RangeTree, seat: usize, each_pair: EachPair<'_>, memory: &mut Memory<f32>) {
        let (part, place) = (tree.part(self.spot.part), (self.spot.shape, self.spot.lane));
        let range: Vec<f64> =
            part.places(&tree.shapes, place, seat ^ 1).map(|place| f64::from(memory.hands[seat ^ 1][place])).collect();
        let own = part.places(&tree.shapes, place, seat);
        let mut sums = vec![0.0; own.size_hint().0];
        each_pair(self.spot.public, &mut |hands, weight| sums[hands[seat]] += weight * range[hands[seat ^ 1]]);
        own.zip(sums).for_each(|(place, sum)| memory.hands[seat][place] = (sum * self.weight) as f32);
    }
}

/// The largest number of hands at a leaf.
pub(super) fn most_hands(tree: &RangeTree, leaves: &[Leaf]) -> usize {
    let hands = leaves.iter().flat_map(|leaf| tree.shapes.all[leaf.spot.shape as usize].hands());
    usize::from(hands.max().unwrap_or(0))
}

/// Copies the values of hands with a choice.
fn gather(tree: &RangeTree, number: usize, seat: usize, memory: &Memory<f32>, mut out: &mut [f32]) {
    for Own { choice, block, hands, .. } in own(tree, number, seat) {
        let (lanes, width, numbers) = (block.lanes, block.width, &memory.hands[seat][block.hands[seat]..]);
        let rows = out.split_off_mut(..hands * lanes).expect("a number for each hand");
        processor::run(ToRows { numbers, places: choosing(choice), cells: hands, lanes, width, rows });
    }
}

impl Sweep<'_> {
    /// Does the pass. The results are those of rows, or the numbers of all hands by part. They do not depend on the number of
    /// threads.
    pub(super) fn run(
        &self,
        mut out: Option<RowPass<'_>>,
        mut kept: Option<&mut [Numbers]>,
        idle: &Mutex<Vec<Scratch>>,
    ) -> Result<(), PassError> {
        let Self { tree, rows, seat, .. } = *self;
        let mut stages = Vec::with_capacity(tree.parts.len() + 1);
        for number in 0..=tree.parts.len() {
            let [from, to] = [rows[seat].parts[number], rows[seat].parts[number + 1]];
            let out = out.as_mut().map(|out| out.split_off([to[0] - from[0], to[1] - from[1]]));
            let kept = kept.as_mut().and_then(|kept| kept.split_off_first_mut());
            stages.push(Stage { sweep: self, number, out, kept, leaves: Vec::new() });
        }
        let (mut top, part) = (stages.pop().expect("there is a top part"), &tree.top);
        let new = || locked(idle).pop().unwrap_or_default();
        let mut above = new();
        above.memory.make_room(part);
        for &opening in &part.openings {
            for (of, numbers) in above.memory.hands.iter_mut().enumerate() {
                for (hand, place) in part.places(&tree.shapes, opening, of).enumerate() {
                    numbers[place] = self.ranges.map_or(1.0, |ranges| ranges[of][hand]);
                }
            }
        }
        top.down(&mut above)?;
        let mut results: Vec<Result<[Vec<f32>; 2], PassError>> = vec![Ok(Default::default()); stages.len()];
        let work = stages.into_iter().zip(&tree.links).zip(&mut results);
        for_each_task(work, |((mut stage, links), result)| {
            let (part, mut below) = (&tree.parts[stage.number], new());
            below.memory.make_room(part);
            for (&opening, &lane) in part.openings.iter().zip(links) {
                let link = (opening.0, lane);
                for (of, to) in below.memory.hands.iter_mut().enumerate() {
                    let from = &above.memory.hands[of];
                    let places = part.places(&tree.shapes, opening, of).zip(tree.top.places(&tree.shapes, link, of));
                    places.for_each(|(here, there)| to[here] = from[there]);
                }
            }
            let own = |below: &Scratch| {
                let openings = part.openings.iter().flat_map(|&opening| part.places(&tree.shapes, opening, seat));
                openings.map(|place| below.memory.hands[seat][place]).collect()
            };
            *result = stage.down(&mut below).and_then(|()| {
                stage.up(&mut below);
                let values = own(&below);
                stage.others(&mut below)?;
                Ok([values, own(&below)])
            });
            locked(idle).push(below);
        });
        let results: Vec<[Vec<f32>; 2]> = results.into_iter().collect::<Result<_, _>>()?;
        let give = |above: &mut Scratch, which: usize| {
            for ((part, links), values) in tree.parts.iter().zip(&tree.links).zip(&results) {
                let openings = part.openings.iter().zip(links).map(|(&(shape, _), &lane)| (shape, lane));
                let places = openings.flat_map(|opening| tree.top.places(&tree.shapes, opening, seat));
                places.zip(&values[which]).for_each(|(place, value)| above.memory.hands[seat][place] = *value);
            }
        };
        give(&mut above, 0);
        top.up(&mut above);
        give(&mut above, 1);
        top.others(&mut above)?;
        locked(idle).push(above);
        Ok(())
    }
}
