//! Single passes over a tree, for update rules that are written by the caller.
//!
//! A rule works on rows: the actions of all information sets of one seat, one set after another in the order of the
//! tree. Sets with one action have no rows, because there is nothing to decide. A pass computes the regrets of the
//! current policy for one seat, and the probabilities with which the policy is averaged. It is a part of an iteration of
//! [counterfactual regret minimization](crate::solve::cfr), with the same numbers.

use std::ops::{ControlFlow, Range};

use stier_core::{Action, Seat};
use thiserror::Error;

use crate::agent::threads::{Watch, Workers, for_each_task};
use crate::solve::best_response::mean;
use crate::solve::game_tree::{Layout, NodeNumbers, Numbers, Policy, RowTask, Sweep, Tree, is_distribution, row_tasks};

/// The distance from 1 at which the sum of a row of probabilities is refused.
const SLACK: f64 = 1e-6;

/// Marks the absence of an earlier choice.
const NONE: u32 = u32::MAX;

/// A row that is not a distribution.
#[derive(Clone, PartialEq, Debug, Error)]
#[error(
    "information set {set} of player {seat}: the probabilities must be 0 or more and add up to 1; they are {row:?}"
)]
pub struct NoPolicy {
    /// The player.
    pub seat: Seat,
    /// The place of the information set among those in the player's rows.
    pub set: usize,
    /// The row.
    pub row: Vec<f64>,
}

/// The rows of one seat: the actions of its information sets with several actions.
#[derive(Debug)]
pub struct SeatRows {
    sets: Vec<u32>,
    starts: Vec<u32>,
    /// By set: the place of the seat's last choice, or [`NONE`].
    previous: Vec<u32>,
}

impl SeatRows {
    /// The rows of every seat.
    pub fn of(tree: &Tree) -> Vec<Self> {
        let empty = || Self { sets: Vec::new(), starts: vec![0], previous: Vec::new() };
        let mut all: Vec<Self> = (0..tree.num_seats()).map(|_| empty()).collect();
        // By place in a policy of the tree: the place in the rows of its seat.
        let mut places = vec![0; tree.num_rows()];
        let choices = tree.last_choices();
        for set in tree.set_numbers().filter(|&set| tree.width(set) > 1) {
            let own = &mut all[tree.mover(set).index()];
            let start = own.len() as u32;
            let row = tree.row(set);
            own.sets.push(set);
            own.starts.push(start + row.len() as u32);
            own.previous.push(choices[set as usize].map_or(NONE, |row| places[row as usize]));
            (start..).zip(&mut places[row]).for_each(|(number, place)| *place = number);
        }
        all
    }

    /// The number of actions of all information sets.
    #[expect(clippy::len_without_is_empty, reason = "a number of actions, not a container")]
    pub fn len(&self) -> usize {
        self.starts[self.sets.len()] as usize
    }

    /// The information sets in the tree, ascending.
    pub fn sets(&self) -> &[u32] {
        &self.sets
    }

    /// The start of each information set in the rows, and the end of the last.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// By information set: the row of the seat's last choice, which leads to it; `None` if there is none.
    pub fn last_choices(&self) -> impl Iterator<Item = Option<u32>> {
        self.previous.iter().map(|&row| Some(row).filter(|&row| row != NONE))
    }

    /// The actions.
    pub fn actions(&self, tree: &Tree) -> Vec<Action> {
        self.sets.iter().flat_map(|&set| tree.actions(set)).copied().collect()
    }

    /// The places in a row of the information set at this place.
    fn row(&self, place: usize) -> Range<usize> {
        self.starts[place] as usize..self.starts[place + 1] as usize
    }

    /// Copies a policy of the seat into one of the tree.
    fn scatter(&self, tree: &Tree, seat: Seat, policy: &[f64], out: &mut [f64]) -> Result<(), NoPolicy> {
        for (place, &set) in self.sets.iter().enumerate() {
            let row = &policy[self.row(place)];
            if !is_distribution(row, SLACK) {
                return Err(NoPolicy { seat, set: place, row: row.to_vec() });
            }
            out[tree.row(set)].copy_from_slice(row);
        }
        Ok(())
    }
}

/// The policy of these rows, those of every seat.
pub fn policy_of_rows(tree: &Tree, rows: &[SeatRows], policies: &[&[f64]]) -> Result<Policy, NoPolicy> {
    let mut all = Policy::uniform(tree).rows().to_vec();
    scatter(tree, rows, policies, &mut all)?;
    Ok(Policy::of_rows(tree, all))
}

fn scatter(tree: &Tree, rows: &[SeatRows], policies: &[&[f64]], out: &mut [f64]) -> Result<(), NoPolicy> {
    let mut seats = Seat::all(tree.num_seats()).zip(rows).zip(policies);
    seats.try_for_each(|((seat, rows), policy)| rows.scatter(tree, seat, policy, out))
}

/// The results of a pass for one seat. On public states information sets are hands, and the ranges at the root count: that
/// of the seat in `reach`, that of the other in `others`.
pub struct RowPass<'a, T> {
    /// By row: the value of the action minus that of the information set, each as in `values`.
    pub regrets: &'a mut [T],
    /// By row: the probability that the seat's own choices lead to the information set and then choose the action.
    pub reach: &'a mut [T],
    /// By information set: the expected return of the seat over the histories of the set, times `others`.
    pub values: &'a mut [T],
    /// By information set: the probability that chance and the others lead there.
    pub others: &'a mut [T],
}

/// The memory and the threads of passes over one tree.
#[derive(Debug)]
pub struct Passes {
    /// That of the last pass. Sets with one action have their probability from the beginning.
    policy: Vec<f64>,
    /// By place in a policy: the values of the seat's actions.
    own: Numbers,
    /// The way of the passes, if it is shorter than that of the tree.
    layout: Option<Layout>,
    work: NodeNumbers,
    workers: Workers,
    threads: usize,
}

impl Passes {
    /// Memory for passes over this tree.
    pub fn new(tree: &Tree, threads: usize) -> Self {
        Self {
            policy: Policy::uniform(tree).rows().to_vec(),
            own: Numbers::new(tree.num_rows()),
            layout: Layout::without_forced_endings(tree),
            work: NodeNumbers::new(tree),
            workers: Workers::default(),
            threads,
        }
    }

    /// Does one pass for a seat, if all seats play these policies. `watch` is called many times and may stop the pass;
    /// the results are then incomplete. They do not depend on the number of threads.
    pub fn run(
        &mut self,
        tree: &Tree,
        rows: &[SeatRows],
        policies: &[&[f64]],
        seat: Seat,
        pass: &mut RowPass<'_, f64>,
        watch: Watch<'_>,
    ) -> Result<(), NoPolicy> {
        let Self { policy, own, layout, work, workers, threads } = self;
        scatter(tree, rows, policies, policy)?;
        workers.install(*threads, &mut || {
            let sweep = Sweep::new(tree, layout.as_ref(), policy, Some(seat), work);
            let _ = run(sweep, &rows[seat.index()], policy, seat, (own, work), pass, watch);
        });
        Ok(())
    }
}

fn run(
    sweep: Sweep<'_>,
    rows: &SeatRows,
    policy: &[f64],
    seat: Seat,
    (own, work): (&Numbers, &NodeNumbers),
    pass: &mut RowPass<'_, f64>,
    watch: Watch<'_>,
) -> ControlFlow<()> {
    let tree = sweep.tree();
    sweep.go_down(watch)?;
    let all = 0..rows.sets.len() as u32;
    for_each_task(tasks(rows, all, Vec::new(), pass.others), |(task, others)| {
        for (set, others) in task.sets.zip(others) {
            *others = work.of_set(tree, rows.sets[set as usize]).sum();
        }
    });
    sweep.go_up(seat, own, watch)?;
    for layer in 0..tree.num_layers() {
        watch()?;
        let layer = tree.layer(layer);
        let [from, to] = [layer.start, layer.end].map(|end| rows.sets.partition_point(|&set| set < end));
        let (start, end) = (rows.starts[from] as usize, rows.starts[to] as usize);
        let (before, reach) = pass.reach.split_at_mut(start);
        let (before, parts) = (&*before, vec![&mut pass.regrets[start..end], &mut reach[..end - start]]);
        let tasks = tasks(rows, from as u32..to as u32, parts, &mut pass.values[from..to]);
        for_each_task(tasks, |(mut task, values)| {
            for (place, value) in task.sets.clone().zip(values) {
                let set = rows.sets[place as usize];
                let [regrets, reach] = task.rows(place);
                regrets.iter_mut().zip(tree.row(set)).for_each(|(value, place)| *value = own.get(place));
                let current = &policy[tree.row(set)];
                *value = mean(current, regrets);
                regrets.iter_mut().for_each(|regret| *regret -= *value);
                let previous = rows.previous[place as usize];
                let chosen = if previous == NONE { 1.0 } else { before[previous as usize] };
                reach.iter_mut().zip(current).for_each(|(reach, share)| *reach = chosen * share);
            }
        });
    }
    ControlFlow::Continue(())
}

/// Cuts information sets of a seat into tasks, with the parts of arrays that hold a number for each of their actions,
/// and of one that holds a number for each of them.
fn tasks<'a>(
    rows: &'a SeatRows,
    sets: Range<u32>,
    parts: Vec<&'a mut [f64]>,
    mut by_set: &'a mut [f64],
) -> Vec<(RowTask<'a>, &'a mut [f64])> {
    let mut with_own = |task: RowTask<'a>| {
        let own = by_set.split_off_mut(..task.sets.len()).expect("a number for each set");
        (task, own)
    };
    row_tasks(&rows.starts, sets, parts).into_iter().map(&mut with_own).collect()
}
