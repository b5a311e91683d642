//! Exact values of policies and of actions, and best responses, by enumeration.
//!
//! At every information set, a best response maximizes a sum over the histories of the set: the probability that
//! chance and the others lead to the history, times the value of the best play from there. With perfect recall the
//! sets of one seat form a tree, and each is decided once. NashConv is the sum of the seats' gains when each plays a
//! best response to the others' policies. It is 0 exactly at an equilibrium (M. Lanctot et al., *A Unified
//! Game-Theoretic Approach to Multiagent Reinforcement Learning*, 2017). Any number of seats and general-sum games
//! are supported. Time is linear in the number of histories, and memory is 8 bytes per history besides the tree. The
//! calculation uses the threads of the current pool; their number does not change a bit of the result.

use stier_core::{Action, BySeat, Seat};

use crate::agent::threads::for_each_task;
use crate::belief::Beliefs;
use crate::solve::game_tree::{NodeNumbers, Policy, Run, Sweep, Tree};

/// The expected returns when every seat follows the policy.
pub fn values(tree: &Tree, policy: &Policy) -> BySeat<f64> {
    let work = NodeNumbers::new(tree);
    BySeat::from_fn(tree.num_seats(), |seat| {
        let (sweep, payoffs) = (reach(tree, policy.rows(), None, &work), tree.payoffs(seat));
        for layer in (0..tree.num_layers()).rev() {
            sweep.up(layer, &payoffs, || sweep.sum_up(layer, &payoffs, None));
        }
        work.root(tree)
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
pub fn best_response(tree: &Tree, policy: &Policy, seat: Seat) -> Response {
    let (value, ranks) = respond(tree, policy, seat, &NodeNumbers::new(tree));
    let action = |(set, rank)| (tree.mover(set) == seat).then(|| tree.actions(set)[usize::from(rank)]);
    Response { value, actions: (0..).zip(ranks).map(action).collect() }
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
pub fn nash_conv(tree: &Tree, policy: &Policy) -> NashConv {
    let work = NodeNumbers::new(tree);
    let responses = BySeat::from_fn(tree.num_seats(), |seat| respond(tree, policy, seat, &work).0);
    drop(work);
    NashConv { values: values(tree, policy), responses }
}

/// Goes down all layers.
fn reach<'a>(tree: &'a Tree, rows: &'a [f64], without: Option<Seat>, work: &'a NodeNumbers) -> Sweep<'a> {
    let sweep = Sweep::new(tree, None, rows, without, work);
    (0..tree.num_layers()).for_each(|layer| sweep.down(layer));
    sweep
}

/// The sum of the values, each times its probability.
#[inline]
pub(crate) fn mean(probabilities: &[f64], values: &[f64]) -> f64 {
    probabilities.iter().zip(values).map(|(probability, value)| probability * value).sum()
}

/// Computes the best response of a seat: its value, and the rank of the chosen action by information set. `work` has a
/// number for each history.
fn respond(tree: &Tree, policy: &Policy, seat: Seat, work: &NodeNumbers) -> (f64, Vec<u8>) {
    let best = |_: u32, _: &NodeNumbers, totals: &[f64]| {
        let better = |best, rank| if totals[rank] > totals[best] { rank } else { best };
        (0..totals.len()).reduce(better).expect("an information set has an action") as u8
    };
    let ranks = decide_backwards(tree, policy, seat, work, best, |_, &rank, children| children[usize::from(rank)]);
    (work.root(tree), ranks)
}

/// Decides every information set of a seat, the last layer first, and returns the decisions by set; those of the others
/// are the default.
///
/// `decide` gets the number of a set, the probability with which chance and the others lead to each history (read it
/// for [this set](NodeNumbers::of_set) only), and for each action the sum of its values, each times this probability.
/// `value` gets the same number, the decision and the values of the actions in one history, and returns the value of
/// the history. `work` has a number for each history. In the end its first one is the seat's expected return.
pub fn decide_backwards<D: Clone + Default + Send + Sync>(
    tree: &Tree,
    policy: &Policy,
    seat: Seat,
    work: &NodeNumbers,
    decide: impl Fn(u32, &NodeNumbers, &[f64]) -> D + Sync,
    value: impl Fn(u32, &D, &[f64]) -> f64 + Sync,
) -> Vec<D> {
    let (sweep, payoffs) = (reach(tree, policy.rows(), Some(seat), work), tree.payoffs(seat));
    backwards(sweep, seat, &payoffs, |set, totals| decide(set, work, totals), value, |run| sweep.add(run, &payoffs))
}

/// The part of [`decide_backwards`] after the way down. `others` computes the values of the nodes of the others' sets.
fn backwards<D: Clone + Default + Send + Sync>(
    sweep: Sweep<'_>,
    seat: Seat,
    payoffs: &[f64],
    decide: impl Fn(u32, &[f64]) -> D + Sync,
    value: impl Fn(u32, &D, &[f64]) -> f64 + Sync,
    others: impl Fn(&Run) + Sync,
) -> Vec<D> {
    let tree = sweep.tree();
    let mut decisions = vec![D::default(); tree.num_sets()];
    for layer in (0..tree.num_layers()).rev() {
        let sets = tree.layer(layer);
        let mut rest = &mut decisions[sets.start as usize..sets.end as usize];
        let mut task = |runs| {
            let own = |run: &Run| rest.split_off_mut(..run.num_sets()).expect("a decision for each set");
            let decisions: Vec<&mut [D]> = <[Run]>::iter(runs).map(own).collect();
            runs.iter().zip(decisions)
        };
        sweep.up(layer, payoffs, || {
            for_each_task(tree.tasks(layer).map(&mut task), |runs| {
                for (run, decisions) in runs {
                    if run.mover() == seat {
                        sweep.decide(run, payoffs, decisions, &decide, &value);
                    } else {
                        others(run);
                    }
                }
            });
        });
    }
    decisions
}

/// The value of every action to the player to act, if all players follow a policy afterwards.
#[derive(Clone, PartialEq, Debug)]
pub struct ActionValues {
    /// By information set: the sum of the weights of its histories, times the probability with which the player's own
    /// policy leads there. With beliefs by the policy, this is the probability of reaching the set.
    pub reach: Vec<f64>,
    /// By information set: the expected return of its player for each legal action, ascending, if play reaches the set,
    /// the action is chosen and all players follow the policy afterwards. The player's own policy need not lead there.
    /// If the weights of all histories are 0, the values are `NaN`.
    pub rows: Vec<Vec<f64>>,
}

/// Computes the value of every action to the player to act. The histories of a set are weighted by the probabilities of
/// chance and, with beliefs by the policy, of the others' actions.
pub fn action_values(tree: &Tree, policy: &Policy, beliefs: Beliefs) -> ActionValues {
    // The player's own probability of playing to each set.
    let mut own = vec![1.0; tree.num_sets()];
    for set in tree.set_numbers() {
        if let Some((before, rank)) = tree.previous_choice(set) {
            own[set as usize] = own[before as usize] * policy.row(before)[rank as usize];
        }
    }
    let mut values = ActionValues { reach: own, rows: vec![Vec::new(); tree.num_sets()] };
    let work = NodeNumbers::new(tree);
    let decide = |set: u32, reach: &NodeNumbers, totals: &[f64]| {
        let weight = reach.of_set(tree, set).sum::<f64>();
        (weight, totals.iter().map(|total| total / weight).collect())
    };
    let followed = |set, _: &_, children: &[f64]| mean(policy.row(set), children);
    let certain = vec![1.0; if beliefs == Beliefs::Uniform { tree.num_rows() } else { 0 }];
    for seat in Seat::all(tree.num_seats()) {
        let decided: Vec<(f64, Vec<f64>)> = match beliefs {
            Beliefs::Policy | Beliefs::Exact => decide_backwards(tree, policy, seat, &work, decide, followed),
            Beliefs::Uniform => {
                let (sweep, payoffs) = (reach(tree, &certain, None, &work), tree.payoffs(seat));
                let follow = |set, (): &(), children: &[f64]| mean(policy.row(set), children);
                backwards(
                    sweep,
                    seat,
                    &payoffs,
                    |set, totals| decide(set, &work, totals),
                    followed,
                    |run| {
                        sweep.decide(run, &payoffs, &mut vec![(); run.num_sets()], |_, _| (), follow);
                    },
                )
            }
        };
        for (set, (weight, row)) in decided.into_iter().enumerate().filter(|(_, (_, row))| !row.is_empty()) {
            values.reach[set] *= weight;
            values.rows[set] = row;
        }
    }
    values
}

/// The [values of actions](action_values) by information set; by chance alone where the policies of the others never
/// lead.
pub fn known_values(tree: &Tree, policy: &Policy, beliefs: Beliefs) -> Vec<Vec<f64>> {
    let find = |beliefs| action_values(tree, policy, beliefs).rows;
    let is_unknown = |row: &Vec<f64>| row.iter().any(|value| value.is_nan());
    let mut rows = find(beliefs);
    if rows.iter().any(is_unknown) {
        let by_chance = rows.iter_mut().zip(find(Beliefs::Uniform));
        by_chance.filter(|(row, _)| is_unknown(row)).for_each(|(row, other)| *row = other);
    }
    rows
}
