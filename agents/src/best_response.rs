//! Exact values and best responses, by enumeration.
//!
//! A best response to the policies of the others maximizes at every information set the sum over its histories of (the
//! probability that chance and the others lead there) times (the value of playing on best); with perfect recall the sets of
//! one seat form a tree, and each is decided once. NashConv is what all seats together gain by responding best, each to the
//! policies of the others: 0 at an equilibrium and only there (M. Lanctot et al., *A Unified Game-Theoretic Approach to
//! Multiagent Reinforcement Learning*, 2017). Works for any number of seats and for general sums. Linear in the number of
//! histories; 16 bytes for each besides the tree.

use stier_core::{Action, ActionSet as _, BySeat, Game, Seat};

use crate::game_tree::{GameTree, Node, Policy};

/// The expected returns when every seat follows the policy.
pub fn values<G: Game>(tree: &GameTree<G>, policy: &Policy) -> BySeat<f64> {
    let reach = reach(tree, policy, None);
    let mut values = BySeat::filled(tree.num_seats(), 0.0);
    for (node, reach) in tree.nodes().iter().zip(reach) {
        if let Node::End { returns } = node {
            for (value, &share) in values.iter_mut().zip(tree.returns(*returns).iter()) {
                *value += reach * f64::from(share);
            }
        }
    }
    values
}

/// How a seat does best against the policies of the others.
#[derive(Clone, PartialEq, Debug)]
pub struct Response {
    /// Its expected return.
    pub value: f64,
    /// By information set: the action that the seat plays there, of equals the first; `None` at the sets of the others.
    pub actions: Vec<Option<Action>>,
}

/// The best response of a seat; what the policy says for that seat itself plays no part.
pub fn best_response<G: Game>(tree: &GameTree<G>, policy: &Policy, seat: Seat) -> Response {
    let mut search = Responder {
        tree,
        policy,
        seat,
        reach: reach(tree, policy, Some(seat)),
        values: vec![f64::NAN; tree.nodes().len()],
        best: vec![None; tree.sets().len()],
    };
    let value = search.value(GameTree::<G>::ROOT);
    // Sets that the responder itself avoids are decided as well.
    for set in 0..tree.sets().len() as u32 {
        if tree.sets()[set as usize].seat == seat {
            search.decide(set);
        }
    }
    let action = |(set, best): (usize, &Option<u32>)| best.map(|rank| tree.sets()[set].legal.nth(rank as usize));
    Response { value, actions: search.best.iter().enumerate().map(action).collect() }
}

/// How far a policy is from an equilibrium.
#[derive(Clone, PartialEq, Debug)]
pub struct NashConv {
    /// The expected returns when every seat follows the policy.
    pub values: BySeat<f64>,
    /// The expected return of each seat that responds best to the others.
    pub responses: BySeat<f64>,
}

impl NashConv {
    /// What all seats together gain by responding best; 0 at an equilibrium.
    pub fn total(&self) -> f64 {
        self.responses.iter().zip(self.values.iter()).map(|(response, value)| response - value).sum()
    }

    /// The mean gain of a seat. In a zero-sum game for two, what the policy loses against its worst opponent, beyond the
    /// value of the game and averaged over both seats.
    pub fn exploitability(&self) -> f64 {
        self.total() / self.values.len() as f64
    }
}

/// The distance of a policy from equilibrium.
pub fn nash_conv<G: Game>(tree: &GameTree<G>, policy: &Policy) -> NashConv {
    let responses = BySeat::from_fn(tree.num_seats(), |seat| best_response(tree, policy, seat).value);
    NashConv { values: values(tree, policy), responses }
}

/// For each node the probability of getting there; with a seat left out, that chance and the other seats lead there.
fn reach<G: Game>(tree: &GameTree<G>, policy: &Policy, without: Option<Seat>) -> Vec<f64> {
    let mut reach = vec![0.0; tree.nodes().len()];
    reach[GameTree::<G>::ROOT as usize] = 1.0;
    for (number, node) in tree.nodes().iter().enumerate() {
        let (first, odds) = match *node {
            Node::End { .. } => continue,
            Node::Chance { first, count, odds } => (first, tree.odds(odds, count)),
            Node::Decision { set, first } if Some(tree.sets()[set as usize].seat) == without => {
                let here = reach[number];
                reach[first as usize..][..tree.width(set) as usize].fill(here);
                continue;
            }
            Node::Decision { set, first } => (first, policy.row(set)),
        };
        for (child, odds) in (first as usize..).zip(odds) {
            reach[child] = reach[number] * odds;
        }
    }
    reach
}

/// A best response being found.
struct Responder<'a, G: Game> {
    tree: &'a GameTree<G>,
    policy: &'a Policy,
    seat: Seat,
    /// The probability with which chance and the others lead to each node.
    reach: Vec<f64>,
    /// For the responder, from each node on; not a number until it is known.
    values: Vec<f64>,
    /// By set: the rank of the action.
    best: Vec<Option<u32>>,
}

impl<G: Game> Responder<'_, G> {
    fn value(&mut self, number: u32) -> f64 {
        let known = self.values[number as usize];
        if !known.is_nan() {
            return known;
        }
        let tree = self.tree;
        let value = match tree.nodes()[number as usize] {
            Node::End { returns } => f64::from(tree.returns(returns)[self.seat]),
            Node::Chance { first, count, odds } => self.mean(first, tree.odds(odds, count)),
            Node::Decision { set, first } if tree.sets()[set as usize].seat == self.seat => {
                let rank = self.decide(set);
                self.value(first + rank)
            }
            Node::Decision { set, first } => {
                let policy = self.policy;
                self.mean(first, policy.row(set))
            }
        };
        self.values[number as usize] = value;
        value
    }

    fn mean(&mut self, first: u32, odds: &[f64]) -> f64 {
        (first..).zip(odds).map(|(child, odds)| odds * self.value(child)).sum()
    }

    /// The rank of the best action at a set of the responder.
    fn decide(&mut self, set: u32) -> u32 {
        if let Some(rank) = self.best[set as usize] {
            return rank;
        }
        let mut totals = vec![0.0; self.tree.width(set) as usize];
        for &member in self.tree.members(set) {
            let Node::Decision { first, .. } = self.tree.nodes()[member as usize] else {
                unreachable!("members of sets are decisions")
            };
            let reach = self.reach[member as usize];
            for (total, child) in totals.iter_mut().zip(first..) {
                *total += reach * self.value(child);
            }
        }
        let best = (0..totals.len()).reduce(|best, rank| if totals[rank] > totals[best] { rank } else { best });
        let rank = best.expect("an information set has actions") as u32;
        self.best[set as usize] = Some(rank);
        rank
    }
}
