//! The values of information sets under a policy, by passes over the histories of a game on the threads of the current
//! pool.

use stier_agents::solve::{NodeNumbers, Policy, Tree, decide_backwards};
use stier_core::{Action, Seat};

/// The probability with which chance and the others lead to the set.
fn weight(tree: &Tree, set: u32, reach: &NodeNumbers) -> f64 {
    tree.members(set).iter().map(|&member| reach.at(member)).sum()
}

/// By information set, the value to the seat of reaching it and playing on as well as it can against the policies of
/// the others. At each of its sets the seat is restricted to the actions for which `open` returns true, at least one.
/// The value is `NaN` at the sets of the others, and at sets that the others' policies never reach.
pub fn response_values(
    tree: &Tree,
    policy: &Policy,
    seat: Seat,
    open: impl Fn(u32, Action) -> bool + Sync,
) -> Vec<f64> {
    let decide = |set: u32, reach: &NodeNumbers, totals: &[f64]| {
        let ranks = (0..totals.len()).filter(|&rank| open(set, tree.actions(set)[rank]));
        let best = ranks.reduce(|best, rank| if totals[rank] > totals[best] { rank } else { best });
        let best = best.expect("an information set has an open action");
        (best, Some(totals[best] / weight(tree, set, reach)))
    };
    let work = NodeNumbers::new(tree);
    let decided = decide_backwards(tree, policy, seat, &work, decide, |_, &(best, _), children| children[best]);
    decided.into_iter().map(|(_, value)| value.unwrap_or(f64::NAN)).collect()
}
