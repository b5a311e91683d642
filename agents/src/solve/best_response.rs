//! Exact values and best responses, by enumeration.
//!
//! At every information set, a best response maximizes a sum over the histories of the set: the probability that
//! chance and the others lead to the history, times the value of the best play from there. With perfect recall the
//! sets of one seat form a tree, and each is decided once. NashConv is the sum of the seats' gains when each plays a
//! best response to the others' policies. It is 0 exactly at an equilibrium (M. Lanctot et al., *A Unified
//! Game-Theoretic Approach to Multiagent Reinforcement Learning*, 2017). Any number of seats and general-sum games
//! are supported. Time is linear in the number of histories, and memory is 8 bytes per history besides the tree. The
//! calculation uses the threads of the current pool; their number does not change a bit of the result.

use rayon::prelude::{IntoParallelIterator as _, ParallelIterator as _};
use stier_core::{Action, ActionSet as _, BySeat, Game, Seat};

use crate::solve::game_tree::{
    GameTree, InformationSet, Policy, Task, for_each_task, reach_layer, row_tasks, sum_up_layer,
};

/// The expected returns when every seat follows the policy.
pub fn values<G: Game>(tree: &GameTree<G>, policy: &Policy) -> BySeat<f64> {
    let mut work = vec![0.0; tree.num_nodes()];
    BySeat::from_fn(tree.num_seats(), |seat| {
        reach(tree, policy, None, &mut work);
        for layer in (0..tree.num_layers()).rev() {
            sum_up_layer(tree, layer, seat, &mut work, |_, children| children.iter().sum());
        }
        work[GameTree::<G>::ROOT as usize]
    })
}

/// A seat's best response to the policies of the others.
#[derive(Clone, PartialEq, Debug)]
pub struct Response {
    /// The seat's expected return.
    pub value: f64,
    /// By information set: the seat's action, the first if several are equally good; `None` at the sets of the
    /// others.
    pub actions: Vec<Option<Action>>,
}

/// Computes the best response of a seat. The seat's own part of `policy` is ignored.
pub fn best_response<G: Game>(tree: &GameTree<G>, policy: &Policy, seat: Seat) -> Response {
    let Responding { value, ranks, .. } = respond(tree, policy, seat, |_, _| true, &mut vec![0.0; tree.num_nodes()]);
    let sets = tree.sets().zip(ranks);
    let actions = sets.map(|(set, rank)| (set.seat() == seat).then(|| set.legal().nth(rank as usize))).collect();
    Response { value, actions }
}

/// By information set, the value to the seat of reaching it and playing on as well as it can against the policies of
/// the others. At each of its sets the seat is restricted to the actions that `open` returns, at least one. The value
/// is `NaN` at the sets of the others, and at sets that the others' policies never reach.
pub fn response_values<G: Game>(
    tree: &GameTree<G>,
    policy: &Policy,
    seat: Seat,
    open: &(dyn Fn(InformationSet<'_, G>) -> G::Actions + Sync),
) -> Vec<f64> {
    let mut work = vec![0.0; tree.num_nodes()];
    let is_open = |set: u32, rank: usize| {
        let set = tree.set(set);
        open(set).contains(set.legal().nth(rank))
    };
    let totals = respond(tree, policy, seat, is_open, &mut work).totals;
    reach(tree, policy, Some(seat), &mut work);
    let value = |(set, total): (u32, f64)| {
        let weight: f64 = tree.members(set).iter().map(|&member| work[member as usize]).sum();
        if tree.mover(set) == seat { total / weight } else { f64::NAN }
    };
    (0..).zip(totals).map(value).collect()
}

/// The distance of a policy from an equilibrium.
#[derive(Clone, PartialEq, Debug)]
pub struct NashConv {
    /// The expected returns when every seat follows the policy.
    pub values: BySeat<f64>,
    /// The expected return of each seat's best response to the others.
    pub responses: BySeat<f64>,
}

impl NashConv {
    /// The sum of all seats' gains from a best response; 0 at an equilibrium.
    pub fn total(&self) -> f64 {
        self.responses.iter().zip(self.values.iter()).map(|(response, value)| response - value).sum()
    }

    /// The mean gain of a seat. In a two-player zero-sum game this is the policy's loss against its worst opponent,
    /// relative to the value of the game and averaged over both seats.
    pub fn exploitability(&self) -> f64 {
        self.total() / self.values.len() as f64
    }
}

/// Computes the distance of a policy from an equilibrium.
pub fn nash_conv<G: Game>(tree: &GameTree<G>, policy: &Policy) -> NashConv {
    let mut work = vec![0.0; tree.num_nodes()];
    let responses = BySeat::from_fn(tree.num_seats(), |seat| respond(tree, policy, seat, |_, _| true, &mut work).value);
    drop(work);
    NashConv { values: values(tree, policy), responses }
}

/// The value of every action to the player to act, if all players follow a policy afterwards.
#[derive(Clone, PartialEq, Debug)]
pub struct ActionValues {
    /// By information set: the probability of reaching it if all players follow the policy.
    pub reach: Vec<f64>,
    values: Policy,
}

impl ActionValues {
    /// The expected return of the set's player for each legal action, ascending, if play reaches the set, the action
    /// is chosen and all players follow the policy afterwards. The histories of the set are weighted by the
    /// probabilities of chance and the others, whether or not the player's own policy leads there. If the others'
    /// policies never lead there, all values are `NaN`.
    pub fn row(&self, set: u32) -> &[f64] {
        self.values.row(set)
    }
}

/// Computes the value of every action to the player to act.
pub fn action_values<G: Game>(tree: &GameTree<G>, policy: &Policy) -> ActionValues {
    let mut work = vec![0.0; tree.num_nodes()];
    let mut values = vec![0.0; tree.num_rows()];
    // The player's own probability of playing to each set.
    let mut own = vec![1.0; tree.num_sets()];
    let mut found = vec![0.0; tree.num_sets()];
    for set in tree.sets() {
        if let Some((before, rank)) = set.previous() {
            own[set.number() as usize] = own[before.number() as usize] * policy.row(before.number())[rank as usize];
        }
    }
    for seat in Seat::all(tree.num_seats()) {
        let mine = |set: u32| tree.mover(set) == seat;
        reach(tree, policy, Some(seat), &mut work);
        let weight = |set: u32| {
            if mine(set) { tree.members(set).iter().map(|&member| work[member as usize]).sum() } else { 0.0 }
        };
        let weights: Vec<f64> = (0..tree.num_sets() as u32).into_par_iter().map(weight).collect();
        for layer in (0..tree.num_layers()).rev() {
            let (tree_rows, below) = (tree.starts(), &work);
            let sets = tree.layer(layer);
            let rows = tree_rows[sets.start as usize] as usize..tree_rows[sets.end as usize] as usize;
            for_each_task(row_tasks(tree_rows, sets, vec![&mut values[rows]]), |mut task: Task<'_>| {
                for set in task.sets.clone().filter(|&set| mine(set)) {
                    let [row] = task.rows(tree, set);
                    gather(tree, set, below, row);
                    row.iter_mut().for_each(|value| *value /= weights[set as usize]);
                }
            });
            sum_up_layer(tree, layer, seat, &mut work, |set, children| mean(policy.row(set), children));
        }
        for set in (0..tree.num_sets()).filter(|&set| mine(set as u32)) {
            found[set] = own[set] * weights[set];
        }
    }
    ActionValues { reach: found, values: Policy::of_rows(tree, values) }
}

/// Applies [`reach_layer`] to all layers.
fn reach<G: Game>(tree: &GameTree<G>, policy: &Policy, without: Option<Seat>, out: &mut [f64]) {
    for layer in 0..tree.num_layers() {
        reach_layer(tree, layer, policy.rows(), without, out);
    }
}

/// Sums, for each action of a set, the values of its successors over the histories of the set.
#[inline]
pub(crate) fn gather<G: Game>(tree: &GameTree<G>, set: u32, values: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for &member in tree.members(set) {
        let children = &values[tree.first_child(member)..][..out.len()];
        out.iter_mut().zip(children).for_each(|(sum, value)| *sum += value);
    }
}

/// The sum of the values, each times its probability.
#[inline]
pub(crate) fn mean(probabilities: &[f64], values: &[f64]) -> f64 {
    probabilities.iter().zip(values).map(|(probability, value)| probability * value).sum()
}

/// The result of [`respond`].
struct Responding {
    /// The value of the whole game.
    value: f64,
    /// By set: the rank of the chosen action.
    ranks: Vec<u8>,
    /// By set: its value times the probability with which chance and the others lead there.
    totals: Vec<f64>,
}

/// Computes the best response of a seat among the open actions. `open` takes a set and the rank of an action.
fn respond<G: Game>(
    tree: &GameTree<G>,
    policy: &Policy,
    seat: Seat,
    open: impl Fn(u32, usize) -> bool + Sync,
    work: &mut [f64],
) -> Responding {
    reach(tree, policy, Some(seat), work);
    let mut ranks = vec![0_u8; tree.num_sets()];
    let mut values = vec![0.0; tree.num_sets()];
    for layer in (0..tree.num_layers()).rev() {
        let sets = tree.layer(layer);
        let decide = |set: u32| {
            let mut totals = vec![0.0; tree.width(set) as usize];
            gather(tree, set, work, &mut totals);
            let ranks = (0..totals.len()).filter(|&rank| open(set, rank));
            let best = ranks.reduce(|best, rank| if totals[rank] > totals[best] { rank } else { best });
            let best = best.expect("an information set has an open action");
            (best as u8, totals[best])
        };
        let decided: Vec<(u8, f64)> = sets
            .clone()
            .into_par_iter()
            .map(|set| if tree.mover(set) == seat { decide(set) } else { (0, 0.0) })
            .collect();
        for (set, (rank, total)) in sets.zip(decided) {
            (ranks[set as usize], values[set as usize]) = (rank, total);
        }
        let ranks = &ranks;
        sum_up_layer(tree, layer, seat, work, |set, children| children[usize::from(ranks[set as usize])]);
    }
    Responding { value: work[GameTree::<G>::ROOT as usize], ranks, totals: values }
}
