//! The values of actions and of information sets under a policy, by passes over the histories of a game.

use stier_agents::solve::{GameTree, InformationSet, Node, Policy};
use stier_core::{ActionSet as _, Game, Seat};

/// The value of every action to the player to act, if all players follow a policy afterwards.
#[derive(Clone, PartialEq, Debug)]
pub struct ActionValues {
    /// By information set: the probability of reaching it if all players follow the policy.
    pub reach: Vec<f64>,
    /// By information set: the expected return of its player for each legal action, ascending, if play reaches the set,
    /// the action is chosen and all players follow the policy afterwards. The histories of the set are weighted by the
    /// probabilities of chance and the others, whether or not the player's own policy leads there. If the others' policies
    /// never lead there, all values are `NaN`.
    pub rows: Vec<Vec<f64>>,
}

/// Computes the value of every action to the player to act.
pub fn action_values<G: Game>(tree: &GameTree<G>, policy: &Policy) -> ActionValues {
    // The player's own probability of playing to each set.
    let mut reach = vec![1.0; tree.num_sets()];
    for set in tree.sets() {
        if let Some((before, rank)) = set.previous() {
            let before = before.number();
            reach[set.number() as usize] = reach[before as usize] * policy.row(before)[rank as usize];
        }
    }
    let mut rows = vec![Vec::new(); tree.num_sets()];
    for seat in Seat::all(tree.num_seats()) {
        sum_up(tree, policy, seat, |set, weight, totals| {
            reach[set.number() as usize] *= weight;
            rows[set.number() as usize] = totals.iter().map(|total| total / weight).collect();
            policy.row(set.number()).to_vec()
        });
    }
    ActionValues { reach, rows }
}

/// By information set, the value to the seat of reaching it and playing on as well as it can against the policies of
/// the others. At each of its sets the seat is restricted to the actions that `open` returns, at least one. The value
/// is `NaN` at the sets of the others, and at sets that the others' policies never reach.
pub fn response_values<G: Game>(
    tree: &GameTree<G>,
    policy: &Policy,
    seat: Seat,
    open: impl Fn(InformationSet<'_, G>) -> G::Actions,
) -> Vec<f64> {
    let mut values = vec![f64::NAN; tree.num_sets()];
    sum_up(tree, policy, seat, |set, weight, totals| {
        let open = open(set);
        let ranks = (0..totals.len()).filter(|&rank| open.contains(set.legal().nth(rank)));
        let best = ranks.reduce(|best, rank| if totals[rank] > totals[best] { rank } else { best });
        let best = best.expect("an information set has an open action");
        values[set.number() as usize] = totals[best] / weight;
        (0..totals.len()).map(|rank| f64::from(rank == best)).collect()
    });
    values
}

/// Calls `decide` at every information set of the seat, the last decision first. It gets the probability with which
/// chance and the others lead there, and for each action its value times this probability, and returns the seat's policy
/// at the set.
fn sum_up<G: Game>(
    tree: &GameTree<G>,
    policy: &Policy,
    seat: Seat,
    mut decide: impl FnMut(InformationSet<'_, G>, f64, &[f64]) -> Vec<f64>,
) {
    // For each history the probability with which chance and the others lead there, and then its value times this.
    let mut work = vec![0.0; tree.num_nodes()];
    work[GameTree::<G>::ROOT as usize] = 1.0;
    for (number, node) in tree.nodes().enumerate() {
        let (first, odds, is_own) = match node {
            Node::End { .. } => continue,
            Node::Chance { first, outcomes } => (first, tree.outcomes(outcomes), false),
            Node::Decision { set, first } => (first, policy.row(set), tree.set(set).seat() == seat),
        };
        for (child, odds) in (first as usize..).zip(odds) {
            work[child] = work[number] * if is_own { 1.0 } else { *odds };
        }
    }
    // Whatever follows a history of a set comes after all of them, so at the last of them the totals are known.
    let mut decided = vec![Vec::new(); tree.num_sets()];
    for number in (0..tree.num_nodes()).rev() {
        let children = |first: u32, count: usize| first as usize..first as usize + count;
        work[number] = match tree.node(number as u32) {
            Node::End { returns } => work[number] * tree.returns(returns)[seat],
            Node::Chance { first, outcomes } => work[children(first, tree.outcomes(outcomes).len())].iter().sum(),
            Node::Decision { set, first } => {
                let (set, width) = (tree.set(set), tree.width(set) as usize);
                if set.seat() != seat {
                    work[children(first, width)].iter().sum()
                } else {
                    let own = &mut decided[set.number() as usize];
                    if own.is_empty() {
                        let weight = set.members().iter().map(|&member| work[member as usize]).sum();
                        let mut totals = vec![0.0; width];
                        for &member in set.members() {
                            let Node::Decision { first, .. } = tree.node(member) else { continue };
                            let values = &work[children(first, width)];
                            totals.iter_mut().zip(values).for_each(|(total, value)| *total += value);
                        }
                        *own = decide(set, weight, &totals);
                    }
                    own.iter().zip(&work[children(first, width)]).map(|(share, value)| share * value).sum()
                }
            }
        };
    }
}
