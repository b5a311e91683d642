//! Passes over the public states before the last two tricks, hand by hand.

use stier_core::bits;
use stier_core::processor::{self, Vector};

use super::last_two::{self, CardRules, LastTwo, Task};
use super::squares::{at, set};
use super::tree::{Kind, Node, Tree};
use crate::solve::cfr::TINY;

/// A pass for the player that learns.
pub(super) struct Pass<'a> {
    pub(super) tree: &'a Tree,
    pub(super) learner: usize,
    /// Regrets, or a policy.
    pub(super) table: &'a mut [Vector<f32, 8>],
    pub(super) task: Task<'a>,
}

/// The actions of hands, one hand after another.
struct Actions {
    /// The number of actions of a hand, some of which may not be legal.
    width: usize,
    shares: Vec<f32>,
    values: Vec<f32>,
}

impl Pass<'_> {
    /// The values of the learner's hands in a public state, given the ranges of the learner and of the other player there.
    pub(super) fn run(&mut self, place: usize, own: &[f32], other: &[f32]) -> Vec<f32> {
        let tree = self.tree;
        let node = &tree.nodes[place];
        let (mover, width) = match &node.kind {
            Kind::LastTwo(last) => return self.last_two(last, own, other),
            Kind::Play(mover, _) => (*mover, tree.hands(node.hands[*mover]).all[0].count_ones() as usize),
            Kind::Decide(mover) => (*mover, 2),
        };
        let (is_own, averages) = (mover == self.learner, matches!(self.task, Task::Learn { sums: Some(_), .. }));
        let mut actions = self.actions(node, mover, width);
        let [moves, stays] = [mover, mover ^ 1].map(|seat| tree.hands(node.hands[seat]));
        let mut found = vec![0.0; if is_own { moves } else { stays }.all.len()];
        for &(event, next) in &node.branches {
            // The hands of the mover with the places of this action, and those of the other player that remain.
            let decided;
            let [from, cells, kept] = match node.kind {
                Kind::Play(..) => [&moves.with[event][..], &moves.places[event], &stays.without[event]],
                _ => {
                    let all: Vec<usize> = (0..moves.all.len()).collect();
                    let cells: Vec<usize> = all.iter().map(|hand| 2 * hand + event).collect();
                    decided = [all, cells];
                    [&decided[0][..], &decided[1], &decided[0]]
                }
            };
            let shares = &actions.shares;
            let played = |numbers: &[f32]| -> Vec<f32> {
                from.iter().zip(cells).map(|(&hand, &cell)| numbers[hand] * shares[cell]).collect()
            };
            let rest = |numbers: &[f32]| -> Vec<f32> { kept.iter().map(|&hand| numbers[hand]).collect() };
            // Own probabilities count for average policies alone.
            let own = match (averages, is_own) {
                (false, _) => Vec::new(),
                (true, true) => played(own),
                (true, false) => rest(own),
            };
            let other = if is_own { rest(other) } else { played(other) };
            let values = self.run(next, &own, &other);
            if is_own {
                cells.iter().zip(values).for_each(|(&cell, value)| actions.values[cell] = value);
            } else {
                kept.iter().zip(values).for_each(|(&hand, value)| found[hand] += value);
            }
        }
        if is_own {
            self.decide(node, &actions, own, &mut found);
        }
        found
    }

    fn last_two(&mut self, last: &LastTwo, own: &[f32], other: &[f32]) -> Vec<f32> {
        let mut values = vec![0.0; other.len()];
        let size = last.layout().size();
        let cells = last.first / 8..(last.first + size) / 8;
        let learner = self.learner;
        let task = match &mut self.task {
            Task::Best => Task::Best,
            Task::Learn { sums, discount, fading } => {
                let sums = sums.as_deref_mut().map(|sums| &mut sums[cells.clone()]);
                Task::Learn { sums, discount: *discount, fading: *fading }
            }
        };
        let table = &mut self.table[cells];
        macro_rules! run {
            ($($vectors:literal)+) => {
                match last.layout().width() / 8 {
                    $($vectors => processor::run(last_two::Pass::<$vectors, { 8 * $vectors }> {
                        tricks: last, learner, own, other, table, task, values: &mut values,
                    }),)+
                    _ => unreachable!("there are two widths"),
                }
            };
        }
        run!(1 3);
        values
    }

    /// By hand of the mover and action: the policy, and room for values.
    fn actions(&self, node: &Node, mover: usize, width: usize) -> Actions {
        let hands = &self.tree.hands(node.hands[mover]).all;
        let mut shares = vec![0.0; hands.len() * width];
        for (number, (&hand, shares)) in hands.iter().zip(shares.chunks_exact_mut(width)).enumerate() {
            let (first, legal) = (node.first + number * width, legal(node, hand));
            let number = |action: usize| at(self.table, first + action).max(0.0);
            let positive = |action: usize| if legal >> action & 1 == 1 { number(action) } else { 0.0 };
            let sum: f32 = (0..width).map(positive).sum();
            for (action, share) in shares.iter_mut().enumerate() {
                let even = (legal >> action & 1) as f32 / legal.count_ones() as f32;
                *share = if sum > TINY { positive(action) / sum } else { even };
            }
        }
        Actions { width, values: vec![0.0; shares.len()], shares }
    }

    /// The values of the learner's hands, given those of their actions; learns.
    fn decide(&mut self, node: &Node, actions: &Actions, own: &[f32], found: &mut [f32]) {
        let &Actions { width, ref shares, ref values } = actions;
        let hands = &self.tree.hands(node.hands[self.learner]).all;
        for (number, (&hand, found)) in hands.iter().zip(found).enumerate() {
            let legal = legal(node, hand);
            let cells = (0..width).filter(|action| legal >> action & 1 == 1).map(|action| number * width + action);
            match &mut self.task {
                Task::Best => *found = cells.map(|cell| values[cell]).fold(f32::NEG_INFINITY, f32::max),
                Task::Learn { sums, discount: [up, down], fading } => {
                    *found = cells.clone().map(|cell| values[cell] * shares[cell]).sum();
                    for cell in cells {
                        let place = node.first + cell;
                        let next = at(self.table, place) + (values[cell] - *found);
                        let after = next * if next > 0.0 { *up } else { *down };
                        set(self.table, place, if next.abs() > TINY { after } else { 0.0 });
                        if let Some(sums) = sums {
                            let sum = at(sums, place) * *fading + shares[cell] * own[number];
                            set(sums, place, if sum > f32::MIN_POSITIVE { sum } else { 0.0 });
                        }
                    }
                }
            }
        }
    }
}

/// The actions of a hand that are legal, as bits.
fn legal(node: &Node, hand: u32) -> u32 {
    match node.kind {
        Kind::Play(_, ref rules) => ranks(rules, hand),
        _ => 3,
    }
}

/// The ranks in a hand of the cards that may be played.
fn ranks(rules: &CardRules, hand: u32) -> u32 {
    let replies = rules.replies(hand);
    (0..).zip(bits::members(hand)).fold(0, |set, (rank, card)| set | (replies >> card & 1) << rank)
}
