//! Zero-sum games of two players in sequence form: what a linear program needs to solve them exactly.
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
//! The dual solution is the second player's plan. The engine has no solver of linear programs: it makes what one needs.

use rustc_hash::FxHashMap;
use stier_core::Seat;

use crate::solve::SolveError;
use crate::solve::game_tree::{Node, Tree};
use crate::solve::passes::SeatRows;

/// A zero-sum game of two players in sequence form. The number of a sequence is 0 for the empty one, and otherwise one more
/// than the place of its last action in the [rows](SeatRows) of its player.
#[derive(Clone, PartialEq, Debug)]
pub struct SequenceForm {
    /// By seat and information set of its rows: the sequence that leads to it.
    pub before: [Vec<u32>; 2],
    /// The pairs of sequences that lead to ends, each once, with the first player's payoff there times the probability of
    /// chance.
    pub payoffs: Vec<([u32; 2], f64)>,
}

impl SequenceForm {
    /// The sequence form of a tree with these rows. Fails for other numbers of players, and if the sum of the returns
    /// is not constant.
    pub fn new(tree: &Tree, rows: &[SeatRows]) -> Result<Self, SolveError> {
        check(tree)?;
        let after = |row: Option<u32>| row.map_or(0, |row| row + 1);
        let before = [0, 1].map(|seat: usize| rows[seat].last_choices().map(after).collect());
        Ok(Self { before, payoffs: payoffs(tree, rows) })
    }
}

fn payoffs(tree: &Tree, rows: &[SeatRows]) -> Vec<([u32; 2], f64)> {
    let numbers = sequences(tree, rows);
    let mut reached = vec![(1.0, [0; 2]); tree.num_nodes()];
    let (mut payoffs, mut places) = (Vec::new(), FxHashMap::default());
    for (number, node) in tree.nodes().enumerate() {
        let (reach, here) = reached[number];
        match node {
            Node::End { returns } => {
                let place = *places.entry(here).or_insert(payoffs.len());
                if place == payoffs.len() {
                    payoffs.push((here, 0.0));
                }
                payoffs[place].1 += reach * tree.returns(returns)[Seat(0)];
            }
            Node::Chance { first, outcomes } => {
                for (child, odds) in (first as usize..).zip(tree.outcomes(outcomes)) {
                    reached[child] = (reach * odds, here);
                }
            }
            Node::Decision { set, first } => {
                for (child, place) in (first as usize..).zip(tree.row(set)) {
                    reached[child] = (reach, here);
                    if tree.width(set) > 1 {
                        reached[child].1[tree.mover(set).index()] = numbers[place];
                    }
                }
            }
        }
    }
    payoffs
}

/// By place in a policy of the tree: the number of the sequence that ends with it.
fn sequences(tree: &Tree, rows: &[SeatRows]) -> Vec<u32> {
    let mut numbers = vec![0; tree.num_rows()];
    for own in rows {
        for (&set, &start) in own.sets().iter().zip(own.starts()) {
            (start + 1..).zip(&mut numbers[tree.row(set)]).for_each(|(number, place)| *place = number);
        }
    }
    numbers
}

/// Checks that two players' returns have a constant sum.
fn check(tree: &Tree) -> Result<(), SolveError> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for node in tree.nodes() {
        if let Node::End { returns } = node {
            let sum = tree.returns(returns).iter().sum::<f64>();
            (low, high) = (low.min(sum), high.max(sum));
        }
    }
    let (seats, is_constant) = (tree.num_seats(), high - low < 1e-6);
    if seats == 2 && is_constant {
        return Ok(());
    }
    let sums = if is_constant { format!("returns that add up to {low}") } else { format!("sums from {low} to {high}") };
    Err(SolveError::NotZeroSum { game: tree.game_name.to_string(), seats, sums })
}
