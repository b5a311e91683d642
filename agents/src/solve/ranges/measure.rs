//! Passes over all parts of a game, and the values of policies.

use std::sync::Mutex;

use super::parts::RangeTree;
use super::passes::{Memory, Pass, Real, Task, Way};
use crate::agent::threads::{for_each_task, locked};
use crate::solve::best_response::NashConv;

/// The values of a policy, up to a factor for each hand; by part, action of a hand with a choice, and public state.
pub(super) fn measure(tree: &RangeTree, rows: &[&[f32]]) -> NashConv {
    let tasks = rows.iter().map(|&rows| (Some(rows), Task::Best { seats: 0..2, chosen: None })).collect();
    let (values, first) = pass::<f64>(tree, None, tasks, &Mutex::default());
    NashConv { values: values.into(), responses: first.map(|values| values.into_iter().sum()).into() }
}

/// The best responses of both seats to a policy, in one policy. Of equal actions the first is chosen, or all that differ only by
/// names.
pub(super) fn respond(tree: &RangeTree, rows: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let mut chosen: Vec<Vec<f32>> = rows.iter().map(|rows| vec![0.0; rows.len()]).collect();
    let tasks = rows.iter().zip(&mut chosen).map(|(rows, chosen)| {
        let chosen = Some(&mut chosen[..]);
        (Some(&rows[..]), Task::Best { seats: 0..2, chosen })
    });
    pass::<f64>(tree, None, tasks.collect(), &Mutex::default());
    tree.share_evenly(&mut chosen);
    chosen
}

/// Works on all parts but the top one. Each begins with the numbers with which the top part ends, in memory of its own;
/// unused memory is in `idle`.
pub(super) fn each_part<T: Real, M: AsMut<Memory<T>> + Default + Send, W: Send>(
    tree: &RangeTree,
    above: &Memory<T>,
    work: impl IntoIterator<Item = W>,
    idle: &Mutex<Vec<M>>,
    run: impl Fn(usize, W, &mut M) + Sync,
) {
    for_each_task(work.into_iter().take(tree.parts.len()).enumerate(), |(part, work)| {
        let mut own = locked(idle).pop().unwrap_or_default();
        let memory = own.as_mut();
        memory.make_room(&tree.parts[part]);
        for (seat, (to, from)) in memory.hands.iter_mut().zip(&above.hands).enumerate() {
            tree.seam(part, seat).for_each(|(here, there)| to[here] = from[there]);
        }
        run(part, work, &mut own);
        locked(idle).push(own);
    });
}

/// A pass over all parts, from these ranges of both seats where the tree begins; 1 if they are not given. `tasks` holds the
/// policies and the task of each part, the top one last. Returns the values of both seats' policies, which are 0 if they are
/// not measured, and by seat those of the hands where the tree begins.
pub(super) fn pass<T: Real>(
    tree: &RangeTree,
    begin: Option<[&[f32]; 2]>,
    mut tasks: Vec<(Option<&[f32]>, Task<'_>)>,
    idle: &Mutex<Vec<Memory<T>>>,
) -> ([f64; 2], [Vec<T>; 2]) {
    let (rows, mut task) = tasks.pop().expect("the top part has a task");
    let (top, seats) = (tree.parts.len(), task.seats());
    let run = |part, rows, task: &mut Task<'_>, memory: &mut Memory<T>, way| {
        let (shapes, part) = (&tree.shapes, tree.part(part));
        let returns = part.returns.each_ref().map(|returns| &returns[..]);
        Pass { shapes, part, returns, rows, task, memory, way }.run()
    };
    // If there are other parts, the memory is theirs.
    let own = if top == 0 { locked(idle).pop() } else { None };
    let mut above = own.unwrap_or_default();
    above.make_room(&tree.top);
    for (seat, hands) in above.hands.iter_mut().enumerate() {
        let places = tree.top.begin(&tree.shapes, seat).enumerate();
        places.for_each(|(hand, place)| hands[place] = begin.map_or(T::ONE, |ranges| T::from(ranges[seat][hand])));
    }
    run(top, rows, &mut task, &mut above, Way::Down);
    let mut found = vec![([0.0; 2], <[Vec<T>; 2]>::default()); top];
    each_part(tree, &above, tasks.into_iter().zip(&mut found), idle, |part, ((rows, mut task), found), below| {
        found.0 = run(part, rows, &mut task, below, Way::Both);
        seats.clone().for_each(|seat| found.1[seat] = below.first(tree, part, seat));
    });
    for (part, (_, numbers)) in found.iter().enumerate() {
        seats.clone().for_each(|seat| above.join(tree, part, seat, &numbers[seat]));
    }
    let last = run(top, rows, &mut task, &mut above, Way::Up);
    let sums = found.iter().map(|(sums, _)| sums).chain([&last]);
    let values = sums.fold([0.0; 2], |[a, b], [c, d]| [a + c, b + d]);
    let mut first = <[Vec<T>; 2]>::default();
    seats.for_each(|seat| first[seat] = above.first(tree, top, seat));
    if top == 0 {
        locked(idle).push(above);
    }
    (values, first)
}
