//! Single passes over public states, for update rules that are written by the caller.
//!
//! A rule works on rows: the actions of all hands with a choice of one seat, public state after public state, the actions
//! of a hand side by side. A pass works on lanes, so numbers are carried from one order to the other.

use std::ops::ControlFlow;
use std::sync::Mutex;

use stier_core::Seat;
use stier_core::processor::{self, Processor, Work};
use thiserror::Error;

use super::measure::each_part;
use super::parts::{Block, Part, RangeTree, Spot, TreeState};
use super::passes::{Memory, Pass, Task, Way};
use super::shapes::Choice;
use crate::agent::threads::{Halted, Watch, goes_on, locked};
use crate::solve::passes::{NoPolicy, RowPass};

/// The distance from 1 at which the sum of probabilities is refused.
const SLACK: f32 = 1e-4;

/// The rows of a seat.
#[derive(Debug)]
pub(super) struct HandRows {
    /// By part, the top one last, and shape: the first row.
    starts: Vec<Vec<usize>>,
    /// By part, and after the last: the first row and the first hand with a choice.
    pub(super) parts: Vec<[usize; 2]>,
}

/// The shapes in which a seat has a choice in a part.
fn own(tree: &RangeTree, part: usize, seat: usize) -> impl Iterator<Item = (usize, &Choice, &Block)> {
    tree.choices(part).filter(move |(_, choice, _)| choice.mover() == seat && choice.num_cells() > 0)
}

/// The hands with a choice.
fn hands(choice: &Choice) -> impl Iterator<Item = usize> + Clone + '_ {
    choice.rows().map(|(hand, _)| hand)
}

impl HandRows {
    pub(super) fn of(tree: &RangeTree, seat: usize) -> Self {
        let (mut now, mut parts) = ([0, 0], vec![[0, 0]]);
        let starts = |part: usize| {
            let mut starts = vec![0; tree.shapes.all.len()];
            for (shape, choice, block) in own(tree, part, seat) {
                starts[shape] = now[0];
                now = [now[0] + choice.num_cells() * block.lanes, now[1] + hands(choice).count() * block.lanes];
            }
            parts.push(now);
            starts
        };
        let starts = (0..=tree.parts.len()).map(starts).collect();
        Self { starts, parts }
    }

    /// The first hand in a part whose numbers are not probabilities.
    pub(super) fn refused(&self, tree: &RangeTree, part: usize, seat: usize, policy: &[f32]) -> NoPolicy {
        let [mut row, mut set] = self.parts[part];
        let seat_number = Seat(seat as u8);
        for (_, choice, block) in own(tree, part, seat) {
            for (_, actions) in (0..block.lanes).flat_map(|_| choice.rows()) {
                let numbers = &policy[row..][..actions.len()];
                if !are_probabilities(numbers.iter().sum(), numbers.iter().copied().fold(0.0, f32::min)) {
                    let row = numbers.iter().map(|&share| share.into()).collect();
                    return NoPolicy { seat: seat_number, set, row };
                }
                (row, set) = (row + numbers.len(), set + 1);
            }
        }
        // The numbers are those of the caller, who may have changed them meanwhile.
        NoPolicy { seat: seat_number, set, row: Vec::new() }
    }

    /// The number of rows, and of hands with a choice.
    pub(super) fn size(&self) -> [usize; 2] {
        self.parts[self.parts.len() - 1]
    }

    /// The place of the first row of a public state in which the seat acts.
    pub(super) fn first(&self, tree: &RangeTree, spot: Spot) -> usize {
        self.starts[spot.part][spot.shape as usize] + spot.lane * tree.shape(spot).num_cells()
    }

    /// By hand with a choice: the place of its first row.
    pub(super) fn firsts(&self, tree: &RangeTree, seat: usize) -> Vec<i64> {
        let mut firsts = Vec::with_capacity(self.size()[1]);
        let mut start = 0;
        for (_, choice, block) in (0..=tree.parts.len()).flat_map(|part| own(tree, part, seat)) {
            for _ in 0..block.lanes {
                firsts.extend(choice.rows().map(|(_, actions)| (start + actions.start) as i64));
                start += choice.num_cells();
            }
        }
        firsts
    }
}

/// The number of lanes that are carried together, so that both orders stay in the nearest cache.
const TILE: usize = 16;

/// Copies rows to lanes: numbers by lane and action to numbers by action and lane.
struct ToLanes<'a> {
    rows: &'a [f32],
    cells: usize,
    block: &'a Block,
    lanes: &'a mut [f32],
}

impl Work for ToLanes<'_> {
    type Output = ();

    #[inline(always)]
    fn work<P: Processor>(self, _processor: P) {
        let Self { rows, cells, block, lanes } = self;
        for (start, tile) in (0..block.lanes).step_by(TILE).zip(rows.chunks(TILE * cells)) {
            for cell in 0..cells {
                let lanes = &mut lanes[cell * block.width + start..][..TILE.min(block.lanes - start)];
                for (out, row) in lanes.iter_mut().zip(tile.chunks_exact(cells)) {
                    *out = row[cell];
                }
            }
        }
    }
}

/// Copies lanes to rows: numbers of hands or actions, which are in these places.
struct ToRows<'a, I> {
    lanes: &'a [f32],
    places: I,
    block: &'a Block,
    rows: &'a mut [f32],
}

impl<I: Iterator<Item = usize> + Clone> Work for ToRows<'_, I> {
    type Output = ();

    #[inline(always)]
    fn work<P: Processor>(self, _processor: P) {
        let Self { lanes, places, block, rows } = self;
        let cells = places.clone().count();
        for (start, tile) in (0..block.lanes).step_by(TILE).zip(rows.chunks_mut(TILE * cells)) {
            for (cell, place) in places.clone().enumerate() {
                let lanes = &lanes[place * block.width + start..][..TILE.min(block.lanes - start)];
                for (row, number) in tile.chunks_exact_mut(cells).zip(lanes) {
                    row[cell] = *number;
                }
            }
        }
    }
}

/// Returns true for numbers with this sum of which this is the least, or 0.
fn are_probabilities(sum: f32, least: f32) -> bool {
    (sum - 1.0).abs() <= SLACK && least >= 0.0
}

/// A check that the numbers of each hand are probabilities in all lanes.
struct Check<'a> {
    choice: &'a Choice,
    block: &'a Block,
    lanes: &'a [f32],
}

impl Work for Check<'_> {
    type Output = bool;

    #[inline(always)]
    fn work<P: Processor>(self, _processor: P) -> bool {
        let Self { choice, block, lanes } = self;
        let mut is_fine = true;
        for (_, actions) in choice.rows() {
            for start in (0..block.lanes).step_by(TILE) {
                let count = TILE.min(block.lanes - start);
                let (mut sums, mut least) = ([0.0_f32; TILE], [0.0_f32; TILE]);
                for cell in actions.clone() {
                    let row = &lanes[cell * block.width + start..][..count];
                    for ((sum, least), number) in sums.iter_mut().zip(&mut least).zip(row) {
                        *sum += *number;
                        *least = least.min(*number);
                    }
                }
                is_fine &= sums[..count].iter().zip(&least).all(|(&sum, &least)| are_probabilities(sum, least));
            }
        }
        is_fine
    }
}

/// Copies the policy of a seat in a part to lanes. Returns true if its numbers are probabilities.
pub(super) fn scatter(tree: &RangeTree, part: usize, seat: usize, mut policy: &[f32], out: &mut [f32]) -> bool {
    own(tree, part, seat).fold(true, |is_fine, (_, choice, block)| {
        let cells = choice.num_cells();
        let rows = policy.split_off(..cells * block.lanes).expect("a number for each action");
        let lanes = &mut out[block.cells..][..cells * block.width];
        processor::run(ToLanes { rows, cells, block, lanes });
        is_fine && processor::run(Check { choice, block, lanes })
    })
}

/// Copies the first numbers of rows from lanes.
fn gather(block: &Block, lanes: &[f32], places: impl Iterator<Item = usize> + Clone, rows: &mut &mut [f32]) {
    let rows = rows.split_off_mut(..places.clone().count() * block.lanes).expect("they are there");
    processor::run(ToRows { lanes, places, block, rows });
}

impl<'a> RowPass<'a, f32> {
    /// Takes away the numbers of so many rows and hands at the beginning.
    fn split_off(&mut self, [rows, hands]: [usize; 2]) -> RowPass<'a, f32> {
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

impl AsMut<Memory<f32>> for Scratch {
    fn as_mut(&mut self) -> &mut Memory<f32> {
        &mut self.memory
    }
}

/// A pass for one seat.
#[derive(Clone, Copy)]
pub(super) struct Sweep<'a> {
    pub(super) tree: &'a RangeTree,
    pub(super) rows: &'a [HandRows; 2],
    pub(super) leaves: &'a [TreeState],
    pub(super) seat: usize,
    /// By seat and row.
    pub(super) policies: [&'a [f32]; 2],
    /// By seat and hand: the ranges at the root; 1 if they are not given.
    pub(super) ranges: Option<[&'a [f32]; 2]>,
    pub(super) values: LeafValues<'a>,
    pub(super) watch: Watch<'a>,
}

/// A part of a pass.
struct Stage<'a, 'b> {
    sweep: &'b Sweep<'a>,
    number: usize,
    out: Option<RowPass<'b, f32>>,
    kept: Option<&'b mut Numbers>,
    /// The values of hands at the leaves.
    leaves: Vec<f32>,
}

impl Stage<'_, '_> {
    fn part(&self) -> &Part {
        self.sweep.tree.part(self.number)
    }

    fn pass(&self, returns: &[f64], task: &mut Task<'_>, scratch: (&[f32], &mut Memory<f32>), way: Way) {
        let (shapes, returns) = (&self.sweep.tree.shapes, [returns; 2]);
        let (rows, memory) = (Some(scratch.0), scratch.1);
        Pass { shapes, part: self.part(), returns, rows, task, memory, way }.run();
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
        let mut task =
            Task::Learn { seat, regrets, sums: Some(reach), expected: None, discount: [1.0; 2], fading: 0.0 };
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
        for (row, leaf) in self.sweep.leaves.iter().enumerate() {
            (row * most..).zip(tree.places(leaf.spot, seat)).for_each(|(at, place)| visit(at, place));
        }
    }

    /// Values on the way up.
    fn up(&mut self, scratch: &mut Scratch) {
        let Sweep { tree, seat, .. } = *self.sweep;
        let Scratch { memory, policy, regrets, reach } = scratch;
        if !self.leaves.is_empty() {
            self.each_leaf(seat, |at, place| memory.hands[seat][place] = self.leaves[at]);
        }
        let mut task =
            Task::Learn { seat, regrets, sums: Some(reach), expected: None, discount: [1.0; 2], fading: 0.0 };
        self.pass(&self.part().returns[seat], &mut task, (policy, memory), Way::Up);
        if let Some(kept) = &mut self.kept {
            kept.values.clone_from(&memory.hands[seat]);
        }
        let Some(out) = &mut self.out else { return };
        for (_, choice, block) in own(tree, self.number, seat) {
            gather(block, &regrets[block.cells..], 0..choice.num_cells(), &mut out.regrets);
            gather(block, &reach[block.cells..], 0..choice.num_cells(), &mut out.reach);
            gather(block, &memory.hands[seat][block.hands[seat]..], hands(choice), &mut out.values);
        }
    }

    /// The probabilities of chance and the other seat: the values if every return is 1. They do not depend on the seat's
    /// own policy.
    fn others(&mut self, scratch: &mut Scratch) -> Result<(), PassError> {
        let Sweep { tree, seat, leaves, watch, .. } = *self.sweep;
        let Scratch { memory, policy, .. } = scratch;
        if self.number == 0 {
            for leaf in leaves {
                goes_on(watch())?;
                others(tree, leaf, seat, memory);
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
            for (_, choice, block) in own(tree, self.number, seat) {
                gather(block, &memory.hands[seat][block.hands[seat]..], hands(choice), &mut out.others);
            }
        }
        Ok(())
    }
}

/// Overwrites the values of a seat's hands at a leaf with the probabilities of chance and the other seat.
fn others(tree: &RangeTree, leaf: &TreeState, seat: usize, memory: &mut Memory<f32>) {
    let range: Vec<f64> =
        tree.places(leaf.spot, seat ^ 1).map(|place| f64::from(memory.hands[seat ^ 1][place])).collect();
    let own = tree.places(leaf.spot, seat);
    let sums = tree.sums(leaf.public, seat ^ 1, &range, own.size_hint().0);
    own.zip(sums).for_each(|(place, sum)| memory.hands[seat][place] = (sum * leaf.weight) as f32);
}

/// The largest number of hands at a leaf.
pub(super) fn most_hands(tree: &RangeTree, leaves: &[TreeState]) -> usize {
    leaves.iter().flat_map(|leaf| tree.shape(leaf.spot).hands()).max().unwrap_or(0)
}

impl Sweep<'_> {
    /// Does the pass. The results are those of rows, or the numbers of all hands by part. They do not depend on the number of
    /// threads.
    pub(super) fn run(
        &self,
        mut out: Option<RowPass<'_, f32>>,
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
        let mut top = stages.pop().expect("there is a top part");
        let mut above = locked(idle).pop().unwrap_or_default();
        above.memory.make_room(&tree.top);
        for (of, numbers) in above.memory.hands.iter_mut().enumerate() {
            // Ranges are given if there is one opening.
            for (hand, place) in tree.top.begin(&tree.shapes, of).enumerate() {
                numbers[place] = self.ranges.map_or(1.0, |ranges| ranges[of][hand]);
            }
        }
        top.down(&mut above)?;
        let mut results: Vec<Result<[Vec<f32>; 2], PassError>> = vec![Ok(Default::default()); stages.len()];
        let work = stages.into_iter().zip(&mut results);
        each_part(tree, &above.memory, work, idle, |part, (mut stage, result), below| {
            *result = stage.down(below).and_then(|()| {
                stage.up(below);
                let values = below.memory.first(tree, part, seat);
                stage.others(below)?;
                Ok([values, below.memory.first(tree, part, seat)])
            });
        });
        let results: Vec<[Vec<f32>; 2]> = results.into_iter().collect::<Result<_, _>>()?;
        let give = |above: &mut Scratch, which: usize| {
            (0..).zip(&results).for_each(|(part, found)| above.memory.join(tree, part, seat, &found[which]));
        };
        give(&mut above, 0);
        top.up(&mut above);
        give(&mut above, 1);
        top.others(&mut above)?;
        locked(idle).push(above);
        Ok(())
    }
}
