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

/// The most numbers that each of three tables may have: regrets, sums of policies, and the policy before. That is a gigabyte.
const MOST: u64 = 80_000_000;

/// Returns true if an ending is small enough to be solved.
pub(crate) fn fits(tricks: &dyn Tricks) -> bool {
    let (count, cards) = (tricks.count(), tricks.cards().count_ones());
    let left = (cards + 4).saturating_sub(2 * count) as usize;
    count >= 2 && left <= MAX_CARDS && Tree::most(count, cards, tricks.neutral().is_some()) <= MOST
}

/// A calculation in progress.
pub(crate) struct TrickSolver {
    tree: Tree,
    seat: usize,
    /// By seat: the hands that it may hold, and their numbers.
    hands: [Vec<u64>; 2],
    numbers: [Vec<usize>; 2],
    /// By action of a hand with a choice.
    regrets: Vec<Vector<f32, 8>>,
    /// The sums of the policies of the seat.
    sums: Vec<Vector<f32, 8>>,
}

/// The policy of a seat in an ending.
pub(crate) struct TrickPolicy {
    tree: Tree,
    seat: usize,
    /// The hands for which there is a policy, ascending.
    hands: Vec<u64>,
    sums: Vec<Vector<f32, 8>>,
}

/// The earlier policy of a seat, where a hand has a choice.
pub(crate) struct Before(Vec<Vector<f32, 8>>);

impl TrickSolver {
    /// A solver for a seat, if the seats may hold these hands, which are ascending. `ask` returns the earlier policy of the seat,
    /// which only gadgets need. The ending must [fit](fits). Fails if `ask` or `watch` stops it.
    pub(crate) fn new(
        tricks: &dyn Tricks,
        hands: [Vec<u64>; 2],
        seat: usize,
        ask: Option<Ask<'_>>,
        watch: Watch<'_>,
    ) -> Result<(Self, Option<Before>), Halted> {
        debug_assert!(fits(tricks));
        let asked = ask.is_some().then_some(seat);
        let held = hands.each_ref().map(|hands| &hands[..]);
        let (tree, Questions { all, cells }) = Tree::new(tricks, held, asked, watch)?;
        let zeros = || vec![Vector([0.0; 8]); tree.size / 8];
        let before = match ask {
            Some(ask) => {
                let mut before = zeros();
                cells.into_iter().zip(ask(&all)?).for_each(|(cell, share)| set(&mut before, cell, share as f32));
                Some(Before(before))
            }
            None => None,
        };
        let numbers = hands.each_ref().map(|hands| hands.iter().map(|&hand| tree.number(hand)).collect());
        let (regrets, sums) = (zeros(), zeros());
        Ok((Self { tree, seat, hands, numbers, regrets, sums }, before))
    }

    /// Begins with the policies of both seats as regrets.
    #[cfg(test)]
    pub(crate) fn start(&mut self, policies: [&Before; 2]) {
        for Before(shares) in policies {
            for place in 0..self.tree.size {
                let regret = at(&self.regrets, place) + at(shares, place);
                set(&mut self.regrets, place, regret);
            }
        }
    }

    /// The average policy of the seat so far.
    #[cfg(test)]
    pub(crate) fn average(&self) -> Before {
        Before(self.sums.clone())
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

    /// By hand of the other seat: the value of a best response to a policy, given the range of the seat.
    pub(crate) fn responses(&self, Before(mut policy): Before, range: &[f32]) -> Vec<f64> {
        let other = self.seat ^ 1;
        let none = vec![0.0; self.hands[other].len()];
        let mut ranges = [&none[..]; 2];
        ranges[self.seat] = range;
        let found = pass((&self.tree, &self.numbers), other, ranges, &mut policy, Task::Best);
        found.into_iter().map(f64::from).collect()
    }

    /// The average policy of the seat so far.
    pub(crate) fn into_policy(self) -> TrickPolicy {
        let Self { tree, sums, hands, seat, .. } = self;
        let [first, second] = hands;
        TrickPolicy { tree, seat, hands: if seat == 0 { first } else { second }, sums }
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
