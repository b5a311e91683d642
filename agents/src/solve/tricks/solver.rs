//! Counterfactual regret minimization on the last tricks.

use stier_core::Action;
use stier_core::endings::Tricks;
use stier_core::processor::Vector;

use super::last_two::{MAX_CARDS, Task};
use super::pass::Pass;
use super::squares::{at, set};
use super::tree::{Question, Questions, Tree};
use crate::agent::threads::{Halted, Watch};
use crate::solve::cfr::Variant;
use crate::solve::ranges::normalized;
use crate::solve::resolve::Subgame;

/// Answers questions: the probabilities of all actions of these hands. May be stopped.
pub(crate) type Ask<'a> = &'a mut dyn FnMut(&[Question]) -> Result<Vec<f64>, Halted>;

/// The most numbers that each of two tables may have: regrets, and sums of policies. With the questions to the policy before
/// that is a gigabyte.
const MOST: u64 = 80_000_000;
const ZEROS: Vector<f32, 8> = Vector([0.0; 8]);

/// Returns true if an ending is small enough to be solved.
pub(crate) fn fits(tricks: &dyn Tricks) -> bool {
    let (count, cards) = (tricks.count(), tricks.cards().count_ones());
    let left = (cards + 4).saturating_sub(2 * count) as usize;
    count >= 2 && left <= MAX_CARDS && Tree::most(count, cards, tricks.neutral().is_some()) <= MOST
}

/// The numbers of all decisions.
pub(crate) type Table = Vec<Vector<f32, 8>>;

/// A calculation in progress.
pub(crate) struct TrickSolver {
    tree: Tree,
    seat: usize,
    /// By seat: the hands that it may hold, and their numbers.
    hands: [Vec<u64>; 2],
    numbers: [Vec<usize>; 2],
    /// By action of a hand with a choice: first the earlier policy of the seat, if it is asked for, then regrets.
    regrets: Table,
    /// The sums of the policies of the seat.
    sums: Table,
}

/// The policy of a seat in an ending.
pub(crate) struct TrickPolicy {
    tree: Tree,
    seat: usize,
    /// The hands for which there is a policy, ascending.
    hands: Vec<u64>,
    sums: Table,
}

impl TrickSolver {
    /// A solver for a seat, if the seats may hold these hands, which are ascending. `ask` returns the earlier policy of the seat,
    /// which only gadgets need, for [`alternatives`](Self::alternatives). The ending must [fit](fits). `spare` is memory of an
    /// earlier solver: new pages take time. Fails if `ask` or `watch` stops it.
    pub(crate) fn new(
        tricks: &dyn Tricks,
        hands: [Vec<u64>; 2],
        seat: usize,
        ask: Option<Ask<'_>>,
        (spare, watch): (Table, Watch<'_>),
    ) -> Result<Self, Halted> {
        debug_assert!(fits(tricks));
        let asked = ask.is_some().then_some(seat);
        let held = hands.each_ref().map(|hands| &hands[..]);
        let (tree, Questions { all, cells }) = Tree::new(tricks, held, asked, watch)?;
        let sums = vec![ZEROS; tree.size / 8];
        let mut regrets = spare;
        regrets.clear();
        regrets.resize(sums.len(), ZEROS);
        if let Some(ask) = ask {
            cells.into_iter().zip(ask(&all)?).for_each(|(cell, share)| set(&mut regrets, cell, share as f32));
        }
        let numbers = hands.each_ref().map(|hands| hands.iter().map(|&hand| tree.number(hand)).collect());
        Ok(Self { tree, seat, hands, numbers, regrets, sums })
    }

    /// Adds the regrets of another solver.
    #[cfg(test)]
    pub(crate) fn add(&mut self, other: &Self) {
        for place in 0..self.tree.size {
            let regret = at(&self.regrets, place) + at(&other.regrets, place);
            set(&mut self.regrets, place, regret);
        }
    }

    /// Begins anew, with the average policy of the seat as its earlier one.
    #[cfg(test)]
    pub(crate) fn begin_anew(&mut self) {
        self.regrets.clone_from(&self.sums);
    }

    /// By hand of the other seat: the sum of the seat's range over the hands that fit.
    pub(crate) fn pairs(&self, range: &[f32]) -> Vec<f64> {
        let own = &self.hands[self.seat];
        let sum = |&hand: &u64| {
            let fitting = own.iter().zip(range).filter(|&(other, _)| hand & other == 0);
            fitting.map(|(_, &number)| f64::from(number)).sum()
        };
        self.hands[self.seat ^ 1].iter().map(sum).collect()
    }

    /// By hand of the other seat: the value of a best response to the earlier policy, given the range of the seat. Regrets begin.
    pub(crate) fn alternatives(&mut self, range: &[f32]) -> Vec<f64> {
        let other = self.seat ^ 1;
        let none = vec![0.0; self.hands[other].len()];
        let mut ranges = [&none[..]; 2];
        ranges[self.seat] = range;
        let found = pass((&self.tree, &self.numbers), other, ranges, &mut self.regrets, Task::Best);
        self.regrets.fill(ZEROS);
        found.into_iter().map(f64::from).collect()
    }

    /// The average policy of the seat so far, and spare memory.
    pub(crate) fn into_policy(self) -> (TrickPolicy, Table) {
        let Self { tree, sums, hands, seat, regrets, .. } = self;
        let [first, second] = hands;
        (TrickPolicy { tree, seat, hands: if seat == 0 { first } else { second }, sums }, regrets)
    }
}

impl Subgame for TrickSolver {
    fn learn(&mut self, iteration: u64, seat: usize, ranges: [&[f32]; 2], has_average: bool) -> Vec<f32> {
        let (t, variant) = (iteration as f64, Variant::Discounted);
        let discount = variant.discount(t, 0).map(|factor| factor as f32);
        let fading = variant.fading(t, 0) as f32;
        let sums = has_average.then_some(&mut self.sums[..]);
        let task = Task::Learn { sums, discount, fading };
        pass((&self.tree, &self.numbers), seat, ranges, &mut self.regrets, task)
    }
}

/// The values of the learner's hands, from these ranges.
fn pass(
    (tree, numbers): (&Tree, &[Vec<usize>; 2]),
    learner: usize,
    ranges: [&[f32]; 2],
    table: &mut [Vector<f32, 8>],
    task: Task<'_>,
) -> Vec<f32> {
    let all = tree.hands(tree.nodes[0].hands[0]).all.len();
    let [own, other] = [learner, learner ^ 1].map(|seat| {
        let mut range = vec![0.0; all];
        numbers[seat].iter().zip(ranges[seat]).for_each(|(&number, &share)| range[number] = share);
        range
    });
    let values = Pass { tree, learner, table, task }.run(0, &own, &other);
    numbers[learner].iter().map(|&number| values[number]).collect()
}

impl TrickPolicy {
    /// The actions of a hand of the seat after these events, with their probabilities. `None` if there is no policy for it.
    pub(crate) fn row(&self, events: &[Action], hand: u64) -> Option<Vec<(Action, f64)>> {
        let (began, actions) = self.tree.actions(events, self.seat, hand)?;
        self.hands.binary_search(&began).ok()?;
        let numbers: Vec<f64> = actions.iter().map(|&(_, cell)| at(&self.sums, cell).into()).collect();
        Some(actions.into_iter().map(|(action, _)| action).zip(normalized(&numbers)).collect())
    }

    /// The bytes that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        4 * self.tree.size as u64
    }
}
