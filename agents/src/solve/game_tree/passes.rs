//! Passes over all histories of a tree: probabilities on the way down, values on the way up.
//!
//! One number per node serves both ways. On the way down it is the probability that chance and some of the players
//! lead to the node. On the way up, from the last level to the root, it is the node's value times that probability. A
//! level is cut into tasks that read other levels and write only their own parts, so the number of threads does not
//! change the result.

use std::ops::Range;

use stier_core::Seat;

use crate::agent::threads::for_each_task;

use super::{Children, Level, Node, STRIDE, Tree};

/// The number of nodes per task, a multiple of [`STRIDE`].
const TASK: usize = 8 * STRIDE;
/// The smallest number of entries per task, if rows of sets are cut into tasks.
const ROWS: usize = 1 << 13;

/// The sets of one task, with the matching parts of arrays that hold a number for each action of a set.
pub(crate) struct RowTask<'a> {
    /// The sets.
    pub(crate) sets: Range<u32>,
    /// The start of each set's numbers in the whole arrays.
    starts: &'a [u32],
    /// The numbers of these sets, one part per array.
    parts: Vec<&'a mut [f64]>,
}

impl RowTask<'_> {
    /// The numbers of one set, in each array.
    #[inline]
    pub(crate) fn rows<const N: usize>(&mut self, set: u32) -> [&mut [f64]; N] {
        let start = self.starts[self.sets.start as usize];
        let [from, to] = [set, set + 1].map(|set| (self.starts[set as usize] - start) as usize);
        let mut parts = self.parts.iter_mut().map(|part| &mut part[from..to]);
        std::array::from_fn(|_| parts.next().expect("as many arrays as requested"))
    }
}

/// Cuts a range of sets, and the arrays with a number for each of their actions, into tasks.
pub(crate) fn row_tasks<'a>(starts: &'a [u32], sets: Range<u32>, mut parts: Vec<&'a mut [f64]>) -> Vec<RowTask<'a>> {
    let mut tasks = Vec::new();
    let mut from = sets.start;
    while from < sets.end {
        let start = starts[from as usize] as usize;
        let ends = &starts[from as usize + 1..=sets.end as usize];
        let count = (ends.partition_point(|&end| (end as usize) < start + ROWS) + 1).min(ends.len());
        let length = ends[count - 1] as usize - start;
        let (now, later) = parts.into_iter().map(|part| part.split_at_mut(length)).unzip();
        parts = later;
        tasks.push(RowTask { sets: from..from + count as u32, starts, parts: now });
        from += count as u32;
    }
    tasks
}

/// The smallest number of nodes per task, if sets are cut into tasks by their members.
const MEMBERS: u32 = 1 << 10;

impl Tree {
    /// Cuts a range of sets into tasks, by the number of their members.
    pub(crate) fn cut_by_members(&self, sets: Range<u32>) -> impl Iterator<Item = Range<u32>> {
        let starts = &self.member_starts;
        let mut from = sets.start;
        std::iter::from_fn(move || {
            let ends = &starts[from as usize + 1..=sets.end as usize];
            let count = ends.partition_point(|&end| end < starts[from as usize] + MEMBERS) + 1;
            let task = from..(from + count as u32).min(sets.end);
            from = task.end;
            (!task.is_empty()).then_some(task)
        })
    }
}

/// The nodes of a level, task by task.
fn tasks(level: Level) -> impl Iterator<Item = Range<usize>> {
    let (start, end) = (level.start as usize, level.end as usize);
    let cut = move |place: usize| (place * TASK).clamp(start, end);
    (start / TASK..end.div_ceil(TASK)).map(move |place| cut(place)..cut(place + 1))
}

/// Computes the probability of reaching each node if all players follow `rows`, a policy. If a seat is left out, it
/// is the probability that chance and the other seats lead there. Layers must be processed from the first on: each
/// call writes the probabilities of all children of its layer.
pub(crate) fn reach_layer(tree: &Tree, layer: usize, rows: &[f64], without: Option<Seat>, out: &mut [f64]) {
    assert_eq!(out.len(), tree.nodes.len());
    if layer == 0 {
        out[Tree::ROOT as usize] = 1.0;
    }
    for level in tree.levels[layer] {
        let (known, below) = out.split_at_mut(level.end as usize);
        let mut below = Pieces { rest: below, at: level.end };
        let mut chances = Pieces { at: level.first.chance, rest: below.take(level.first.chance, level.last.chance) };
        let choices = below.take(level.first.decisions, level.last.decisions);
        let mut choices = Pieces { at: level.first.decisions, rest: choices };
        let behind = |node: usize| match node {
            _ if node == level.end as usize => level.last,
            _ => tree.marks[node / STRIDE],
        };
        let tasks = tasks(level).map(|nodes| {
            let Children { decisions, chance } = behind(nodes.end);
            (nodes, chances.take(chances.at, chance), choices.take(choices.at, decisions))
        });
        let known = &*known;
        for_each_task(tasks.collect(), |(nodes, mut chance, mut choice)| {
            for (node, &here) in tree.nodes[nodes.clone()].iter().zip(&known[nodes]) {
                match node.node() {
                    Node::End { .. } => {}
                    Node::Chance { outcomes, .. } => {
                        let odds = tree.outcomes(outcomes);
                        let children = chance.split_off_mut(..odds.len()).expect("a place for each outcome");
                        children.iter_mut().zip(odds).for_each(|(child, odds)| *child = here * odds);
                    }
                    Node::Decision { set, .. } => {
                        let row = tree.row(set);
                        let children = choice.split_off_mut(..row.len()).expect("a place for each action");
                        if Some(tree.mover(set)) == without {
                            children.fill(here);
                        } else {
                            children.iter_mut().zip(&rows[row]).for_each(|(child, odds)| *child = here * odds);
                        }
                    }
                }
            }
        });
    }
}

/// The rest of an array, and its start in the whole.
struct Pieces<'a> {
    rest: &'a mut [f64],
    at: u32,
}

impl<'a> Pieces<'a> {
    /// Takes the numbers between two places of the whole; those before are skipped.
    fn take(&mut self, from: u32, to: u32) -> &'a mut [f64] {
        let rest = std::mem::take(&mut self.rest);
        let (piece, rest) = rest[(from - self.at) as usize..].split_at_mut((to - from) as usize);
        (self.rest, self.at) = (rest, to);
        piece
    }
}

/// Turns the results of [`reach_layer`] into the values of nodes for a seat, each times that probability. At an end
/// this is the return. At a decision, `value` computes it from the set and the children's values. At a chance node it
/// is the sum over the children, which are already weighted. Layers must be processed from the last on.
pub(crate) fn sum_up_layer(
    tree: &Tree,
    layer: usize,
    seat: Seat,
    values: &mut [f64],
    value: impl Fn(u32, &[f64]) -> f64 + Sync,
) {
    assert_eq!(values.len(), tree.nodes.len());
    for level in tree.levels[layer].into_iter().rev() {
        let (here, below) = values.split_at_mut(level.end as usize);
        let mut here = Pieces { rest: here, at: 0 };
        let tasks = tasks(level).map(|nodes| (nodes.clone(), here.take(nodes.start as u32, nodes.end as u32)));
        let below = &*below;
        for_each_task(tasks.collect(), |(nodes, values)| {
            for (node, here) in tree.nodes[nodes].iter().zip(values) {
                let children = |first: u32, count: usize| &below[(first - level.end) as usize..][..count];
                *here = match node.node() {
                    Node::End { returns } => *here * tree.returns(returns)[seat],
                    Node::Chance { first, outcomes } => children(first, tree.outcomes(outcomes).len()).iter().sum(),
                    Node::Decision { set, first } => value(set, children(first, tree.width(set) as usize)),
                };
            }
        });
    }
}
