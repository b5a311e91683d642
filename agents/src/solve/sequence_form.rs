//! Exact solutions of two-player zero-sum games, by a linear program over sequences.
//!
//! D. Koller, N. Megiddo and B. von Stengel, *Efficient Computation of Equilibria for Extensive Two-Person Games*,
//! 1996; B. von Stengel, *Efficient Computation of Behavior Strategies*, 1996. With perfect recall a player's policy
//! is a *realization plan*: the probability of playing each sequence of the player's own actions. At every
//! information set the probabilities of the outgoing sequences sum to that of the incoming one. Payoffs are linear in
//! either player's plan. The best response to a plan is a linear program, whose dual has one variable for each
//! information set of the other player. Together they form one program about as large as the game:
//!
//! > maximize the second player's value of the root over the plans x of the first player, where at every information
//! > set of the second player the value is at most that of each of its actions, given x.
//!
//! The dual solution is the second player's plan. An interior-point solver (P. Goulart and Y. Chen, *Clarabel*, 2024)
//! finds both to about nine digits of the value. Time and memory grow faster than the program, which has a row for
//! each action of an information set and a number for each pair of sequences that meet at an end. For more than a
//! hundred thousand information sets, use CFR.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver as _, NonnegativeConeT, SolverStatus, SupportedConeT, ZeroConeT,
};
use rustc_hash::FxHashMap;
use stier_core::{BySeat, Seat};

use crate::agent::threads::Halted;
use crate::solve::SolveError;
use crate::solve::cfr::normalize;
use crate::solve::game_tree::{Node, Policy, Tree};

/// A smaller probability of reaching an information set under a plan is rounding, and play there is uniform.
const NOTHING: f64 = 1e-9;

/// An equilibrium.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution {
    /// The value to each seat.
    pub values: BySeat<f64>,
    /// The policy of both players; uniform at sets that the player itself never reaches.
    pub policy: Policy,
}

/// The matrix of a linear program, entry by entry.
#[derive(Default)]
struct Entries {
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Entries {
    fn add(&mut self, row: usize, column: usize, value: f64) {
        self.rows.push(row);
        self.columns.push(column);
        self.values.push(value);
    }
}

/// The sequences and information sets of one seat, numbered; the empty sequence is 0.
struct Plan {
    /// By information set of the tree: its number among the seat's own sets, if it is one.
    sets: Vec<Option<usize>>,
    /// By place in a policy: the sequence that ends with it.
    sequences: Vec<usize>,
    num_sets: usize,
    num_sequences: usize,
}

impl Plan {
    fn new(tree: &Tree, seat: Seat) -> Self {
        let mut plan = Self { sets: Vec::new(), sequences: vec![0; tree.num_rows()], num_sets: 0, num_sequences: 1 };
        for set in tree.set_numbers() {
            if tree.mover(set) != seat {
                plan.sets.push(None);
                continue;
            }
            plan.sets.push(Some(plan.num_sets));
            plan.num_sets += 1;
            for row in tree.row(set) {
                plan.sequences[row] = plan.num_sequences;
                plan.num_sequences += 1;
            }
        }
        plan
    }

    /// The sequence that leads to an information set.
    fn before(&self, tree: &Tree, set: u32) -> usize {
        tree.previous(set).map_or(0, |row| self.sequences[row as usize])
    }
}

/// Solves the game. Setting `interrupt` ends it early.
pub fn solve(tree: &Tree, interrupt: Arc<AtomicBool>) -> Result<Solution, SolveError> {
    let sum = constant_sum(tree)?;
    let plans = [Plan::new(tree, Seat(0)), Plan::new(tree, Seat(1))];
    let [first, second] = &plans;
    let sets_of = |seat| tree.set_numbers().filter(move |&set| tree.mover(set) == seat);
    // The variables are the first player's plan, the value of the root for the second player's replies, and the
    // values of the second player's information sets.
    let (root, values) = (first.num_sequences, first.num_sequences + 1);
    let variables = values + second.num_sets;
    let mut entries = Entries::default();
    // A plan begins with 1, and at each set the outgoing probability equals the incoming one.
    entries.add(0, 0, 1.0);
    let mut row = 1;
    for set in sets_of(Seat(0)) {
        entries.add(row, first.before(tree, set), -1.0);
        tree.row(set).for_each(|place| entries.add(row, first.sequences[place], 1.0));
        row += 1;
    }
    let equalities = row;
    // Probabilities are not negative.
    for sequence in 0..first.num_sequences {
        entries.add(row, sequence, -1.0);
        row += 1;
    }
    // The value of a set is at most that of each action's successors: the values of the sets that follow, and the
    // payoffs at ends.
    let replies = row;
    entries.add(replies, root, 1.0);
    for set in sets_of(Seat(1)) {
        let value = values + second.sets[set as usize].expect("a set of the second player");
        tree.row(set).for_each(|place| entries.add(replies + second.sequences[place], value, 1.0));
        entries.add(replies + second.before(tree, set), value, -1.0);
    }
    for (pair, payoff) in payoffs(tree, &plans) {
        entries.add(replies + pair[1], pair[0], -payoff);
    }
    let rows = replies + second.num_sequences;
    let mut right = vec![0.0; rows];
    right[0] = 1.0;
    let mut goal = vec![0.0; variables];
    goal[root] = -1.0;
    let cones: [SupportedConeT<f64>; 2] = [ZeroConeT(equalities), NonnegativeConeT(rows - equalities)];
    let settings = DefaultSettings {
        verbose: false,
        max_threads: 1,
        tol_gap_abs: 1e-9,
        tol_gap_rel: 1e-9,
        tol_feas: 1e-9,
        ..DefaultSettings::default()
    };
    let nothing = CscMatrix::zeros((variables, variables));
    let Entries { rows: places, columns, values } = entries;
    let matrix = CscMatrix::new_from_triplets(rows, variables, places, columns, values);
    let mut solver = DefaultSolver::new(&nothing, &goal, &matrix, &right, &cones, settings)
        .map_err(|error| SolveError::Program(error.to_string()))?;
    solver.set_termination_callback(move |_| interrupt.load(Ordering::Relaxed));
    solver.solve();
    match solver.solution.status {
        SolverStatus::Solved => {}
        SolverStatus::CallbackTerminated => return Err(Halted::Interrupted.into()),
        status => return Err(SolveError::Program(format!("{status:?}"))),
    }
    let (plan, duals) = (&solver.solution.x, &solver.solution.z[replies..]);
    let mut policy = vec![0.0; tree.num_rows()];
    for set in tree.set_numbers() {
        let (numbers, sequences) = if tree.mover(set) == Seat(0) { (&plan[..], first) } else { (duals, second) };
        let row = &mut policy[tree.row(set)];
        for (share, place) in row.iter_mut().zip(tree.row(set)) {
            *share = numbers[sequences.sequences[place]].max(0.0);
        }
        if row.iter().sum::<f64>() < NOTHING {
            row.fill(0.0);
        }
        normalize(row);
    }
    let value = plan[root];
    Ok(Solution { values: BySeat::from([value, sum - value]), policy: Policy::of_rows(tree, policy) })
}

/// The sum of both players' returns, if it is constant.
fn constant_sum(tree: &Tree) -> Result<f64, SolveError> {
    let seats = tree.num_seats();
    let sums = |node: Node| match node {
        Node::End { returns } => Some(tree.returns(returns).iter().sum::<f64>()),
        Node::Chance { .. } | Node::Decision { .. } => None,
    };
    let range = |(low, high): (f64, f64), sum: f64| (low.min(sum), high.max(sum));
    let (low, high) = tree.nodes().filter_map(sums).fold((f64::INFINITY, f64::NEG_INFINITY), range);
    if seats == 2 && high - low < 1e-6 {
        return Ok((low + high) / 2.0);
    }
    let sums =
        if high - low < 1e-6 { format!("returns that add up to {low}") } else { format!("sums from {low} to {high}") };
    Err(SolveError::NotZeroSum { game: tree.game_name.to_string(), seats, sums })
}

/// By sequences of both players: the first player's payoff at the ends to which they lead, times the probability of
/// chance.
fn payoffs(tree: &Tree, plans: &[Plan; 2]) -> FxHashMap<[usize; 2], f64> {
    let mut reach = vec![1.0; tree.num_nodes()];
    let mut sequences = vec![[0; 2]; tree.num_nodes()];
    let mut payoffs = FxHashMap::default();
    for (number, node) in tree.nodes().enumerate() {
        let here = sequences[number];
        match node {
            Node::End { returns } => {
                *payoffs.entry(here).or_insert(0.0) += reach[number] * tree.returns(returns)[Seat(0)];
            }
            Node::Chance { first, outcomes } => {
                for (child, odds) in (first as usize..).zip(tree.outcomes(outcomes)) {
                    reach[child] = reach[number] * odds;
                    sequences[child] = here;
                }
            }
            Node::Decision { set, first } => {
                let seat = tree.mover(set).index();
                for (child, place) in (first as usize..).zip(tree.row(set)) {
                    reach[child] = reach[number];
                    sequences[child] = here;
                    sequences[child][seat] = plans[seat].sequences[place];
                }
            }
        }
    }
    payoffs
}
