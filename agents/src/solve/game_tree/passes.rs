//! Passes over all histories of a tree: probabilities on the way down, values on the way up.
//!
//! One number per node serves both ways. On the way down it is the probability that chance and some of the players
//! lead to the node. On the way up, from the last layer to the root, it is the node's value times that probability. A
//! layer goes set by set: all nodes of a set have the same number of actions and the same policy. It is cut into tasks,
//! and each number is written by one of them and read by others only in other steps, so the number of threads does not
//! change the result.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use stier_core::Seat;

use crate::agent::threads::for_each_task;

use super::{Node, Tree};

/// The largest number of ends or chance nodes per task.
const TASK: usize = 1 << 13;
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

/// A number that several tasks may see.
#[derive(Debug, Default)]
struct Number(AtomicU64);

impl Number {
    #[inline(always)]
    fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn set(&self, value: f64) {
        self.0.store(value.to_bits(), Ordering::Relaxed);
    }
}

impl Clone for Number {
    fn clone(&self) -> Self {
        Self(AtomicU64::new(self.0.load(Ordering::Relaxed)))
    }
}

/// Calls a function with the width of a set as a constant, which saves the bookkeeping of loops over two or three actions;
/// 0 stands for larger widths.
macro_rules! by_width {
    ($width:expr, $constant:ident => $call:expr) => {
        match $width {
            1 => by_width!(@ $constant = 1, $call),
            2 => by_width!(@ $constant = 2, $call),
            3 => by_width!(@ $constant = 3, $call),
            4 => by_width!(@ $constant = 4, $call),
            _ => by_width!(@ $constant = 0, $call),
        }
    };
    (@ $constant:ident = $value:literal, $call:expr) => {{
        const $constant: usize = $value;
        $call
    }};
}

pub(crate) use by_width;

/// A number for each node of a tree.
#[derive(Clone, Debug)]
pub struct NodeNumbers(Vec<Number>);

impl NodeNumbers {
    /// Creates a 0 for each node.
    pub fn new(tree: &Tree) -> Self {
        Self(vec![Number::default(); tree.num_nodes()])
    }

    /// The number of a node.
    #[inline]
    pub fn at(&self, node: u32) -> f64 {
        self.0[node as usize].get()
    }

    /// The numbers of a set's nodes, ascending, each with those of its children: `WIDTH` or, if that is 0, any number.
    #[inline(always)]
    fn of_set<'a, const WIDTH: usize>(
        &'a self,
        tree: &'a Tree,
        set: u32,
    ) -> impl Iterator<Item = (&'a Number, &'a [Number])> {
        let width = if WIDTH > 0 { WIDTH } else { tree.width(set) as usize };
        let (numbers, members) = (&self.0[..], tree.member_range(set));
        let nodes = tree.members[members.clone()].iter().zip(&tree.firsts[members]);
        nodes.map(move |(&node, &first)| (&numbers[node as usize], &numbers[first as usize..first as usize + width]))
    }

    /// The children of a set's nodes get their numbers, each times the probability of its action.
    #[inline(always)]
    fn spread<const WIDTH: usize>(&self, tree: &Tree, set: u32, odds: &[f64]) {
        for (here, children) in self.of_set::<WIDTH>(tree, set) {
            let (here, odds) = (here.get(), &odds[..children.len()]);
            children.iter().zip(odds).for_each(|(child, odds)| child.set(here * odds));
        }
    }

    /// The children of a set's nodes get their numbers.
    #[inline(always)]
    fn copy<const WIDTH: usize>(&self, tree: &Tree, set: u32) {
        for (here, children) in self.of_set::<WIDTH>(tree, set) {
            let here = here.get();
            children.iter().for_each(|child| child.set(here));
        }
    }

    /// Sums, for each action of a set, the values of its successors over the nodes of the set.
    pub(crate) fn gather(&self, tree: &Tree, set: u32, totals: &mut [f64]) {
        totals.fill(0.0);
        for (_, children) in self.of_set::<0>(tree, set) {
            totals.iter_mut().zip(children).for_each(|(total, child)| *total += child.get());
        }
    }

    /// The values of a set's nodes become the sums of their children's.
    pub(crate) fn sum_up(&self, tree: &Tree, set: u32) {
        by_width!(tree.width(set), WIDTH => {
            for (here, children) in self.of_set::<WIDTH>(tree, set) {
                here.set(children.iter().map(Number::get).sum());
            }
        });
    }

    /// The values of a set's nodes become the sums of their children's, each times the probability of its action. Sums the
    /// children's for each action, too.
    pub(crate) fn average(&self, tree: &Tree, set: u32, odds: &[f64], totals: &mut [f64]) {
        by_width!(totals.len(), WIDTH => self.average_of::<WIDTH>(tree, set, odds, totals));
    }

    #[inline(always)]
    fn average_of<const WIDTH: usize>(&self, tree: &Tree, set: u32, odds: &[f64], totals: &mut [f64]) {
        totals.fill(0.0);
        // Sums in a local array stay in registers.
        let mut local = [0.0; WIDTH];
        let sums = if WIDTH > 0 { &mut local[..] } else { &mut *totals };
        for (here, children) in self.of_set::<WIDTH>(tree, set) {
            let odds = &odds[..children.len()];
            let share = |((sum, odds), child): ((&mut f64, &f64), &Number)| {
                let child = child.get();
                *sum += child;
                odds * child
            };
            here.set(sums.iter_mut().zip(odds).zip(children).map(share).sum());
        }
        if WIDTH > 0 {
            totals.copy_from_slice(&local);
        }
    }

    /// The values of a set's nodes are computed from their children's.
    pub(crate) fn compute(&self, tree: &Tree, set: u32, value: impl Fn(&[f64]) -> f64) {
        let mut values = vec![0.0; tree.width(set) as usize];
        for (here, children) in self.of_set::<0>(tree, set) {
            values.iter_mut().zip(children).for_each(|(value, child)| *value = child.get());
            here.set(value(&values));
        }
    }
}

/// Computes the probability of reaching each node if all players follow `rows`, a policy. If a seat is left out, it
/// is the probability that chance and the other seats lead there. Layers must be processed from the first on: each
/// call writes the probabilities of all children of its layer.
pub(crate) fn reach_layer(tree: &Tree, layer: usize, rows: &[f64], without: Option<Seat>, out: &NodeNumbers) {
    assert_eq!(out.0.len(), tree.nodes.len());
    if layer == 0 {
        out.0[Tree::ROOT as usize].set(1.0);
    }
    for_each_task(tree.chances(layer).chunks(TASK).collect(), |nodes| {
        for &node in nodes {
            let (here, odds, children) = chance(tree, node, out);
            let here = here.get();
            children.iter().zip(odds).for_each(|(child, odds)| child.set(here * odds));
        }
    });
    for_each_task(tree.cut_by_members(tree.layer(layer)).collect(), |sets| {
        for set in sets {
            if Some(tree.mover(set)) == without {
                by_width!(tree.width(set), WIDTH => out.copy::<WIDTH>(tree, set));
            } else {
                by_width!(tree.width(set), WIDTH => out.spread::<WIDTH>(tree, set, &rows[tree.row(set)]));
            }
        }
    });
}

/// The number of a chance node, the probabilities of its outcomes, and the numbers of its children.
#[inline(always)]
fn chance<'a>(tree: &'a Tree, node: u32, numbers: &'a NodeNumbers) -> (&'a Number, &'a [f64], &'a [Number]) {
    let Node::Chance { first, outcomes } = tree.node(node) else { unreachable!("it is a chance node") };
    let odds = tree.outcomes(outcomes);
    (&numbers.0[node as usize], odds, &numbers.0[first as usize..][..odds.len()])
}

/// Turns the results of [`reach_layer`] into the values of a layer's nodes, each times that probability. At an end it is the
/// [payoff](Tree::payoffs). At a chance node it is the sum over the children, which are already weighted. For the nodes of a
/// set, `value` computes it from those of their children. Layers must be processed from the last on.
pub(crate) fn sum_up_layer(
    tree: &Tree,
    layer: usize,
    payoffs: &[f64],
    values: &NodeNumbers,
    value: impl Fn(u32) + Sync,
) {
    for_each_task(tree.ends(layer).chunks(TASK).collect(), |ends| {
        let values = &values.0[..];
        for &(node, returns) in ends {
            let value = &values[node as usize];
            value.set(value.get() * payoffs[returns as usize]);
        }
    });
    for_each_task(tree.cut_by_members(tree.layer(layer)).collect(), |sets| sets.for_each(&value));
    for_each_task(tree.chances(layer).chunks(TASK).collect(), |nodes| {
        for &node in nodes {
            let (here, _, children) = chance(tree, node, values);
            here.set(children.iter().map(Number::get).sum());
        }
    });
}
