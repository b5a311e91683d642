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
//! An iteration passes over all histories twice for each seat and once over the members of its information sets.
//! Memory besides the tree is 8 bytes per history and 32 per action of an information set. The calculation uses the
//! threads of the current pool; their number does not change a bit of the result.

mod checkpoint;

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use stier_core::{Seat, choice};

use crate::agent::threads::for_each_task;
use crate::solve::best_response::{gather, mean};
use crate::solve::game_tree::{Policy, RowTask, Tree, reach_layer, row_tasks, sum_up_layer};
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
    /// The seat's own probability of playing to each of its actions; working space.
    own: Vec<f64>,
    /// One number per node; working space.
    work: Vec<f64>,
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
            work: vec![0.0; tree.num_nodes()],
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
        let (tree, values, variant) = (self.tree, &self.work, self.variant);
        let t = (self.iterations + 1) as f64;
        let ([positive, negative], fading) = (variant.discount(t), variant.fading(t));
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
                let mut gains = Vec::new();
                for set in task.sets.clone().filter(|&set| tree.mover(set) == seat) {
                    gains.resize(tree.width(set) as usize, 0.0);
                    gather(tree, set, values, &mut gains);
                    let reach = tree.previous(set).map_or(1.0, |row| before[row as usize]);
                    let [own, regrets, sums, current] = task.rows(set);
                    let value = mean(current, &gains);
                    for action in 0..gains.len() {
                        own[action] = reach * current[action];
                        sums[action] = sums[action] * fading + own[action];
                        let regret = regrets[action] + (gains[action] - value);
                        regrets[action] = regret * if regret > 0.0 { positive } else { negative };
                    }
                    if variant.alternates() {
                        match_row(regrets, current);
                    }
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
                go_down(self.tree, &self.current, seat, &mut self.work, &watch)?;
                go_up(self.tree, &self.current, seat, &mut self.work, &watch)?;
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
    work: &mut [f64],
    watch: &(dyn Fn() -> ControlFlow<()> + Sync),
) -> ControlFlow<()> {
    for layer in 0..tree.num_layers() {
        watch()?;
        reach_layer(tree, layer, rows, Some(seat), work);
    }
    ControlFlow::Continue(())
}

/// Turns the results of [`go_down`] into the value of every node for the seat under the same policy, times that
/// probability.
pub(crate) fn go_up(
    tree: &Tree,
    rows: &[f64],
    seat: Seat,
    work: &mut [f64],
    watch: &(dyn Fn() -> ControlFlow<()> + Sync),
) -> ControlFlow<()> {
    for layer in (0..tree.num_layers()).rev() {
        watch()?;
        sum_up_layer(tree, layer, seat, work, |set, values| {
            if tree.mover(set) == seat { mean(&rows[tree.row(set)], values) } else { values.iter().sum() }
        });
    }
    ControlFlow::Continue(())
}

/// Regret matching: a policy in proportion to positive regrets, uniform if there are none (S. Hart and A. Mas-Colell,
/// *A Simple Adaptive Procedure Leading to Correlated Equilibrium*, 2000).
pub(crate) fn match_row(regrets: &[f64], policy: &mut [f64]) {
    policy.iter_mut().zip(regrets).for_each(|(share, regret)| *share = regret.max(0.0));
    normalize(policy);
}

/// Scales non-negative numbers to a sum of 1. If all are 0, they become equal.
pub(crate) fn normalize(row: &mut [f64]) {
    let sum: f64 = row.iter().sum();
    let alike = 1.0 / row.len() as f64;
    row.iter_mut().for_each(|share| *share = if sum > 0.0 { *share / sum } else { alike });
}
