//! Passes over all parts of a game, and the values of policies.

use std::sync::Mutex;

use super::parts::RangeTree;
use super::passes::{Memory, Pass, Real, Task, Way};
use crate::agent::threads::{for_each_task, locked};

/// The values of a policy.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RangeValues {
    /// By seat: the expected return if both follow the policy.
    pub values: [f64; 2],
    /// By seat: the expected return of a best response to the other's policy.
    pub responses: [f64; 2],
}

impl RangeValues {
    /// The sum of what both seats gain by a best response.
    pub fn nash_conv(&self) -> f64 {
        (0..2).map(|seat| self.responses[seat] - self.values[seat]).sum()
    }
}

/// The values of a policy, up to a factor for each hand; by part, action of a hand with a choice, and public state.
pub(super) fn measure(tree: &RangeTree, rows: &[&[f32]]) -> RangeValues {
    let memory = Mutex::<Vec<Memory<f64>>>::default();
    let run = |seat: usize, best: bool| {
        let task = || if best { Task::Best { chosen: None } } else { Task::Follow };
        pass(tree, seat, rows.iter().map(|&rows| (Some(rows), task())).collect(), &memory)
    };
    let values = [run(0, false), run(1, false)];
    RangeValues { values, responses: [run(0, true), run(1, true)] }
}

/// The best responses of both seats to a policy, in one policy. Of equal actions the first is chosen.
pub(super) fn respond(tree: &RangeTree, rows: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let memory = Mutex::<Vec<Memory<f64>>>::default();
    let mut chosen: Vec<Vec<f32>> = rows.iter().map(|rows| vec![0.0; rows.len()]).collect();
    for seat in 0..2 {
        let best = |(rows, chosen)| {
            let (rows, chosen): (&Vec<f32>, &mut Vec<f32>) = (rows, chosen);
            (Some(&rows[..]), Task::Best { chosen: Some(chosen) })
        };
        pass(tree, seat, rows.iter().zip(&mut chosen).map(best).collect(), &memory);
    }
    chosen
}

/// A pass over all parts for one seat. `tasks` holds the policies and the task of each part. Returns the value of the seat.
pub(super) fn pass<T: Real>(
    tree: &RangeTree,
    seat: usize,
    mut tasks: Vec<(Option<&[f32]>, Task<'_>)>,
    memory: &Mutex<Vec<Memory<T>>>,
) -> f64 {
    let (shapes, top) = (&tree.shapes, &tree.top);
    let (rows, mut task) = tasks.pop().expect("the top part has a task");
    let cut = Some(&tree.cut[..]);
    let mut above = Memory::default();
    above.make_room(top, seat);
    for &(shape, lane) in &top.openings {
        let width = top.blocks[shape as usize].width;
        for (seat, numbers) in [(seat, &mut above.own), (seat ^ 1, &mut above.other)] {
            let rows = numbers[top.hands(shapes, shape as usize, seat)].chunks_exact_mut(width);
            rows.for_each(|row| row[lane] = T::ONE);
        }
    }
    let returns = &top.returns[seat][..];
    Pass { shapes, part: top, cut, seat, returns, rows, task: &mut task, memory: &mut above, way: Way::Down }.run();
    let mut values = vec![Vec::new(); tree.parts.len()];
    let work = tree.parts.iter().zip(&tree.links).zip(tasks).zip(&mut values);
    for_each_task(work, |(((part, links), (rows, mut task)), values)| {
        let mut below = locked(memory).pop().unwrap_or_default();
        below.make_room(part, seat);
        for (&(shape, lane), &from) in part.openings.iter().zip(links) {
            let shape = shape as usize;
            for (seat, from_rows, to_rows) in
                [(seat, &above.own, &mut below.own), (seat ^ 1, &above.other, &mut below.other)]
            {
                let from_rows = from_rows[top.hands(shapes, shape, seat)].chunks_exact(top.blocks[shape].width);
                let to_rows = to_rows[part.hands(shapes, shape, seat)].chunks_exact_mut(part.blocks[shape].width);
                from_rows.zip(to_rows).for_each(|(numbers, out)| out[lane] = numbers[from]);
            }
        }
        let (returns, task) = (&part.returns[seat][..], &mut task);
        Pass { shapes, part, cut: None, seat, returns, rows, task, memory: &mut below, way: Way::Both }.run();
        for &(shape, lane) in &part.openings {
            let rows =
                below.own[part.hands(shapes, shape as usize, seat)].chunks_exact(part.blocks[shape as usize].width);
            values.extend(rows.map(|row| row[lane]));
        }
        locked(memory).push(below);
    });
    for ((part, links), values) in tree.parts.iter().zip(&tree.links).zip(values) {
        let mut values = values.into_iter();
        for (&(shape, _), &lane) in part.openings.iter().zip(links) {
            let rows =
                above.own[top.hands(shapes, shape as usize, seat)].chunks_exact_mut(top.blocks[shape as usize].width);
            rows.zip(&mut values).for_each(|(row, value)| row[lane] = value);
        }
    }
    Pass { shapes, part: top, cut, seat, returns, rows, task: &mut task, memory: &mut above, way: Way::Up }.run();
    let mut sum = 0.0;
    for &(shape, lane) in &top.openings {
        let rows = above.own[top.hands(shapes, shape as usize, seat)].chunks_exact(top.blocks[shape as usize].width);
        sum += rows.map(|row| row[lane].into()).sum::<f64>();
    }
    sum
}
