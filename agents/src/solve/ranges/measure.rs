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
    let tasks = rows.iter().map(|&rows| (Some(rows), Task::Best { seats: 0..2, chosen: None })).collect();
    pass::<f64>(tree, tasks, &Mutex::default())
}

/// The best responses of both seats to a policy, in one policy. Of equal actions the first is chosen.
pub(super) fn respond(tree: &RangeTree, rows: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let mut chosen: Vec<Vec<f32>> = rows.iter().map(|rows| vec![0.0; rows.len()]).collect();
    let tasks = rows.iter().zip(&mut chosen).map(|(rows, chosen)| {
        let chosen = Some(&mut chosen[..]);
        (Some(&rows[..]), Task::Best { seats: 0..2, chosen })
    });
    pass::<f64>(tree, tasks.collect(), &Mutex::default());
    chosen
}

/// A pass over all parts. `tasks` holds the policies and the task of each part, the top one last. The values that are not
/// measured are 0; the responses are the values of hands in the openings.
pub(super) fn pass<T: Real>(
    tree: &RangeTree,
    mut tasks: Vec<(Option<&[f32]>, Task<'_>)>,
    memory: &Mutex<Vec<Memory<T>>>,
) -> RangeValues {
    let (shapes, top) = (&tree.shapes, &tree.top);
    let (rows, mut task) = tasks.pop().expect("the top part has a task");
    let (cut, seats) = (Some(&tree.cut[..]), task.seats());
    let mut above = Memory::default();
    above.make_room(top);
    for &opening in &top.openings {
        for (seat, hands) in above.hands.iter_mut().enumerate() {
            top.places(shapes, opening, seat).for_each(|place| hands[place] = T::ONE);
        }
    }
    let returns = top.returns.each_ref().map(|returns| &returns[..]);
    Pass { shapes, part: top, cut, returns, rows, task: &mut task, memory: &mut above, way: Way::Down }.run();
    let mut found = vec![(Vec::new(), [0.0; 2]); tree.parts.len()];
    let work = tree.parts.iter().zip(&tree.links).zip(tasks).zip(&mut found);
    for_each_task(work, |(((part, links), (rows, mut task)), (values, sums))| {
        let mut below = locked(memory).pop().unwrap_or_default();
        below.make_room(part);
        for (&opening, &lane) in part.openings.iter().zip(links) {
            for (seat, hands) in below.hands.iter_mut().enumerate() {
                let from = top.places(shapes, (opening.0, lane), seat);
                part.places(shapes, opening, seat).zip(from).for_each(|(to, from)| hands[to] = above.hands[seat][from]);
            }
        }
        let (returns, task) = (part.returns.each_ref().map(|returns| &returns[..]), &mut task);
        *sums = Pass { shapes, part, cut: None, returns, rows, task, memory: &mut below, way: Way::Both }.run();
        for &opening in &part.openings {
            for seat in seats.clone() {
                values.extend(part.places(shapes, opening, seat).map(|place| below.hands[seat][place]));
            }
        }
        locked(memory).push(below);
    });
    let mut values = [0.0; 2];
    for ((part, links), (found, sums)) in tree.parts.iter().zip(&tree.links).zip(found) {
        let mut found = found.into_iter();
        for (&(shape, _), &lane) in part.openings.iter().zip(links) {
            for seat in seats.clone() {
                let places = top.places(shapes, (shape, lane), seat);
                places.zip(&mut found).for_each(|(place, value)| above.hands[seat][place] = value);
            }
        }
        (0..2).for_each(|seat| values[seat] += sums[seat]);
    }
    let sums = Pass { shapes, part: top, cut, returns, rows, task: &mut task, memory: &mut above, way: Way::Up }.run();
    let mut responses = [0.0; 2];
    for seat in seats {
        values[seat] += sums[seat];
        let places = top.openings.iter().flat_map(|&opening| top.places(shapes, opening, seat));
        responses[seat] = places.map(|place| above.hands[seat][place].into()).sum();
    }
    RangeValues { values, responses }
}
