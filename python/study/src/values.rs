//! The values of actions and of information sets under a policy, by passes over the histories of a game on the threads
//! of the current pool.

use stier_agents::solve::{GameTree, InformationSet, Policy, decide_backwards};
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
    let mut work = vec![0.0; tree.num_nodes()];
    let decide =
        |set: InformationSet<'_, G>, reach: &[f64], totals: &[f64]| Some((weight(set, reach), totals.to_vec()));
    let value = |set, _: &_, children: &[f64]| {
        policy.row(set).iter().zip(children).map(|(probability, value)| probability * value).sum()
    };
    for seat in Seat::all(tree.num_seats()) {
        let decided = decide_backwards(tree, policy, seat, &mut work, decide, value);
        for (set, found) in decided.into_iter().enumerate() {
            let Some((weight, totals)) = found else { continue };
            reach[set] *= weight;
            rows[set] = totals.iter().map(|total| total / weight).collect();
        }
    }
    ActionValues { reach, rows }
}

/// The probability with which chance and the others lead to the set.
fn weight<G: Game>(set: InformationSet<'_, G>, reach: &[f64]) -> f64 {
    set.members().iter().map(|&member| reach[member as usize]).sum()
}

/// By information set, the value to the seat of reaching it and playing on as well as it can against the policies of
/// the others. At each of its sets the seat is restricted to the actions that `open` returns, at least one. The value
/// is `NaN` at the sets of the others, and at sets that the others' policies never reach.
pub fn response_values<G: Game>(
    tree: &GameTree<G>,
    policy: &Policy,
    seat: Seat,
    open: impl Fn(InformationSet<'_, G>) -> G::Actions + Sync + Send,
) -> Vec<f64> {
    let decide = |set: InformationSet<'_, G>, reach: &[f64], totals: &[f64]| {
        let open = open(set);
        let ranks = (0..totals.len()).filter(|&rank| open.contains(set.legal().nth(rank)));
        let best = ranks.reduce(|best, rank| if totals[rank] > totals[best] { rank } else { best });
        let best = best.expect("an information set has an open action");
        (best, Some(totals[best] / weight(set, reach)))
    };
    let mut work = vec![0.0; tree.num_nodes()];
    let decided = decide_backwards(tree, policy, seat, &mut work, decide, |_, &(best, _), children| children[best]);
    decided.into_iter().map(|(_, value)| value.unwrap_or(f64::NAN)).collect()
}
