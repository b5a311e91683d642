//! Counterfactual regret minimization on a whole tree.
//!
//! In every iteration each player's policy matches the regrets of its information sets: an action is played in
//! proportion to its regret. The regret is the gain over the policy that was played, weighted by the probability that
//! chance and the others lead to the set (M. Zinkevich, M. Johanson, M. Bowling and C. Piccione, *Regret Minimization
//! in Games with Incomplete Information*, 2007). In two-player zero-sum games the average of all iterations' policies
//! approaches an equilibrium. Its [NashConv](crate::solve::best_response::nash_conv) falls at least as
//! 1/sqrt(iterations), with a constant that grows with the number of information sets and the range of the returns.
//! With more players, or with general sums, only the regrets are guaranteed to vanish. The joint play of all iterations
//! is then a coarse correlated equilibrium, but its average need not be one. The solver does not warn about this.
//!
//! The variants differ in how they discount and average iterations ([`Variant`]). Their bounds have the same order;
//! in practice CFR+ and the discounted variants are faster by orders of magnitude.
//!
//! An iteration passes over all histories twice for each seat.
//! Memory besides the tree is 8 bytes per history and 32 per action of an information set. The calculation uses the
//! threads of the current pool; their number does not change a bit of the result.

mod checkpoint;

use std::io;
use std::ops::{ControlFlow, Range};
use std::path::Path;

use stier_core::{Seat, choice};

use crate::agent::threads::for_each_task;
use crate::solve::best_response::mean;
use crate::solve::game_tree::{NodeNumbers, Policy, RowTask, Tree, by_width, reach_layer, row_tasks, sum_up_layer};
use crate::solve::{Iterative, RunLog, atomic_file};

choice! {
    /// The discounting of regrets and the averaging of policies.
    pub enum Variant {
        /// No discounting; all iterations count equally; all players update at once (Zinkevich et al. 2007).
        Cfr = "cfr",
        /// Regrets do not fall below 0; iterations count in proportion to their number; players update in turn (O.
        /// Tammelin, *Solving Large Imperfect Information Games Using CFR+*, 2014).
        CfrPlus = "cfr+",
        /// Regrets and policies of an iteration count in proportion to its number; players update in turn (N. Brown
        /// and T. Sandholm, *Solving Imperfect-Information Games via Discounted Regret Minimization*, 2019).
        Linear = "linear_cfr",
        /// After iteration t, positive regrets are multiplied by t^1.5 / (t^1.5 + 1) and negative ones by 1/2;
        /// policies count in proportion to t^2; players update in turn (the same paper, with alpha 3/2, beta 0, gamma
        /// 2).
        Discounted = "discounted_cfr",
    }
}

impl Variant {
    /// All variants.
    pub const ALL: [Self; 4] = [Self::Cfr, Self::CfrPlus, Self::Linear, Self::Discounted];

    /// The factors for positive and negative regrets after the first `t` iterations.
    fn discount(self, t: f64) -> [f64; 2] {
        match self {
            Self::Cfr => [1.0, 1.0],
            Self::CfrPlus => [1.0, 0.0],
            Self::Linear => [t / (t + 1.0); 2],
            Self::Discounted => {
                let power = t * t.sqrt();
                [power / (power + 1.0), 0.5]
            }
        }
    }

    /// The factor for the sum of earlier policies when that of iteration `t` is added.
    fn fading(self, t: f64) -> f64 {
        let share = (t - 1.0) / t;
        match self {
            Self::Cfr => 1.0,
            Self::CfrPlus | Self::Linear => share,
            Self::Discounted => share * share,
        }
    }

    /// Returns true if the players update in turn, each seeing the updates of those before it, rather than all at
    /// once.
    fn alternates(self) -> bool {
        self != Self::Cfr
    }
}

/// A calculation in progress.
#[derive(Clone, Debug)]
pub struct Solver<'a> {
    tree: &'a Tree,
    variant: Variant,
    /// The number of finished iterations.
    iterations: u64,
    /// The number of seats done in the iteration in progress.
    seats_done: usize,
    /// By place in a policy: regrets, sums of policies and the current policy.
    regrets: Vec<f64>,
    sums: Vec<f64>,
    current: Vec<f64>,
    /// By place in a policy: first the value of each action, then the seat's own probability of playing to it; working
    /// space.
    own: Vec<f64>,
    /// Working space.
    work: NodeNumbers,
}

impl<'a> Solver<'a> {
    /// Starts from the uniform policy.
    pub fn new(tree: &'a Tree, variant: Variant) -> Self {
        let rows = tree.num_rows();
        let current = Policy::uniform(tree).rows().to_vec();
        Self {
            tree,
            variant,
            iterations: 0,
            seats_done: 0,
            regrets: vec![0.0; rows],
            sums: vec![0.0; rows],
            current,
            own: vec![0.0; rows],
            work: NodeNumbers::new(tree),
        }
    }

    /// The variant.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The average policy so far, which approaches an equilibrium. It is uniform at sets that the player never
    /// reached.
    pub fn average(&self) -> Policy {
        let mut rows = self.sums.clone();
        let tree = self.tree;
        for_each_task(row_tasks(tree.starts(), tree.set_numbers(), vec![&mut rows]), |mut task: RowTask<'_>| {
            for set in task.sets.clone() {
                let [row] = task.rows(set);
                normalize(row);
            }
        });
        Policy::of_rows(tree, rows)
    }

    /// The policy of the next iteration.
    pub fn current(&self) -> Policy {
        Policy::of_rows(self.tree, self.current.clone())
    }

    /// Updates the seat's regrets and policy sums. Layers go from first to last, because a player reaches a set by
    /// its own earlier actions.
    fn learn(&mut self, seat: Seat) {
        let (tree, variant) = (self.tree, self.variant);
        let t = (self.iterations + 1) as f64;
        let (discount, fading) = (variant.discount(t), variant.fading(t));
        for layer in 0..tree.num_layers() {
            let sets = tree.layer(layer);
            let rows = tree.starts()[sets.start as usize] as usize..tree.starts()[sets.end as usize] as usize;
            let (before, own) = self.own.split_at_mut(rows.start);
            let before = &*before;
            let parts = vec![
                &mut own[..rows.len()],
                &mut self.regrets[rows.clone()],
                &mut self.sums[rows.clone()],
                &mut self.current[rows],
            ];
            for_each_task(row_tasks(tree.starts(), sets, parts), |mut task: RowTask<'_>| {
                for set in task.sets.clone().filter(|&set| tree.mover(set) == seat) {
                    let reach = tree.previous(set).map_or(1.0, |row| before[row as usize]);
                    let rows = task.rows(set);
                    by_width!(tree.width(set), WIDTH => {
                        let [regrets, current] = learn_row::<WIDTH>(rows, reach, discount, fading);
                        if variant.alternates() {
                            match_row(regrets, current);
                        }
                    });
                }
            });
        }
    }

    /// Updates the policy of all players from their regrets.
    fn match_regrets(&mut self) {
        let (tree, regrets) = (self.tree, &self.regrets);
        let all = tree.set_numbers();
        for_each_task(row_tasks(tree.starts(), all, vec![&mut self.current]), |mut task: RowTask<'_>| {
            for set in task.sets.clone() {
                let [row] = task.rows(set);
                match_row(&regrets[tree.row(set)], row);
            }
        });
    }
}

impl Iterative for Solver<'_> {
    fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Tells `watch` many times in each iteration. The next call finishes an interrupted iteration first, with the same
    /// result as without the interruption.
    fn run(&mut self, iterations: u64, watch: &(dyn Fn(u64) -> ControlFlow<()> + Sync)) -> ControlFlow<()> {
        for _ in 0..iterations {
            for seat in Seat::all(self.tree.num_seats()).skip(self.seats_done) {
                let watch = || watch(self.iterations);
                go_down(self.tree, &self.current, seat, &self.work, &watch)?;
                go_up(self.tree, &self.current, seat, &self.work, &mut self.own, &watch)?;
                self.learn(seat);
                self.seats_done += 1;
            }
            if !self.variant.alternates() {
                self.match_regrets();
            }
            self.seats_done = 0;
            self.iterations += 1;
            watch(self.iterations)?;
        }
        ControlFlow::Continue(())
    }

    fn policy(&self) -> Policy {
        self.average()
    }

    fn save(&self, log: &RunLog, path: &Path) -> io::Result<()> {
        atomic_file::write(path, |out| self.write(log, out))
    }
}

/// Computes the probability that chance and the others lead to every node under the policy of these rows.
pub(crate) fn go_down(
    tree: &Tree,
    rows: &[f64],
    seat: Seat,
    work: &NodeNumbers,
    watch: &(dyn Fn() -> ControlFlow<()> + Sync),
) -> ControlFlow<()> {
    for layer in 0..tree.num_layers() {
        watch()?;
        reach_layer(tree, layer, rows, Some(seat), work);
    }
    ControlFlow::Continue(())
}

/// Turns the results of [`go_down`] into the value of every node for the seat under the same policy, times that
/// probability. Writes to `own`, by place in a policy, the value of every action of the seat, summed over the histories of
/// its set.
pub(crate) fn go_up(
    tree: &Tree,
    rows: &[f64],
    seat: Seat,
    work: &NodeNumbers,
    own: &mut [f64],
    watch: &(dyn Fn() -> ControlFlow<()> + Sync),
) -> ControlFlow<()> {
    let payoffs = tree.payoffs(seat);
    for layer in (0..tree.num_layers()).rev() {
        watch()?;
        let sets = tree.layer(layer);
        let place = |set: u32| tree.starts()[set as usize] as usize;
        let mut rest = &mut own[place(sets.start)..place(sets.end)];
        let task = |sets: Range<u32>| {
            let length = place(sets.end) - place(sets.start);
            (sets, rest.split_off_mut(..length).expect("a number for each action"))
        };
        for_each_task(tree.cut_by_members(sets).map(task).collect(), |(sets, values)| {
            let start = place(sets.start);
            for set in sets.filter(|&set| tree.mover(set) == seat) {
                let row = tree.row(set);
                let values = &mut values[row.start - start..row.end - start];
                work.average(tree, set, &rows[row], values);
            }
        });
        sum_up_layer(tree, layer, &payoffs, work, |set| {
            if tree.mover(set) != seat {
                work.sum_up(tree, set);
            }
        });
    }
    ControlFlow::Continue(())
}

/// Updates the rows of a set in [`Solver::learn`]: its own probabilities, which were the values of actions, the regrets, the
/// sums of policies and the current policy. Returns regrets and current policy.
#[inline(always)]
fn learn_row<const WIDTH: usize>(
    rows: [&mut [f64]; 4],
    reach: f64,
    [positive, negative]: [f64; 2],
    fading: f64,
) -> [&mut [f64]; 2] {
    let [own, regrets, sums, current] = rows.map(|row| if WIDTH > 0 { &mut row[..WIDTH] } else { row });
    let value = mean(current, own);
    for action in 0..own.len() {
        let gain = own[action] - value;
        own[action] = reach * current[action];
        sums[action] = sums[action] * fading + own[action];
        let regret = regrets[action] + gain;
        regrets[action] = regret * if regret > 0.0 { positive } else { negative };
    }
    [regrets, current]
}

/// Regret matching: a policy in proportion to positive regrets, uniform if there are none (S. Hart and A. Mas-Colell,
/// *A Simple Adaptive Procedure Leading to Correlated Equilibrium*, 2000).
#[inline]
pub(crate) fn match_row(regrets: &[f64], policy: &mut [f64]) {
    policy.iter_mut().zip(regrets).for_each(|(share, regret)| *share = regret.max(0.0));
    normalize(policy);
}

/// Scales non-negative numbers to a sum of 1. If all are 0, they become equal.
#[inline]
pub(crate) fn normalize(row: &mut [f64]) {
    let sum: f64 = row.iter().sum();
    if sum > 0.0 {
        row.iter_mut().for_each(|share| *share /= sum);
    } else {
        row.fill(1.0 / row.len() as f64);
    }
}
