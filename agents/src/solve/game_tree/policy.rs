//! Policies for all players at each information set of a tree.

use std::sync::Arc;

use stier_core::Game;

use super::{GameTree, InformationSet, Tree};

/// A behaviour policy for every seat: the probability of each action at each information set of one [`GameTree`].
#[derive(Clone, PartialEq, Debug)]
pub struct Policy {
    starts: Arc<[u32]>,
    probabilities: Vec<f64>,
}

impl Policy {
    /// Creates the policy that plays all actions with the same probability.
    pub fn uniform(tree: &Tree) -> Self {
        let mut probabilities = Vec::with_capacity(tree.num_rows());
        for width in tree.set_numbers().map(|set| tree.width(set) as usize) {
            probabilities.resize(probabilities.len() + width, 1.0 / width as f64);
        }
        Self::of_rows(tree, probabilities)
    }

    /// Creates a policy from the probabilities that `row` returns for each information set, in ascending order of the
    /// legal actions. Panics if their number differs from that of the actions.
    pub fn from_fn<G: Game>(tree: &GameTree<G>, mut row: impl FnMut(InformationSet<'_, G>) -> Vec<f64>) -> Self {
        Self::try_from_rows(tree, &mut |set| Some(row(tree.set(set)))).expect("a row for each set")
    }

    /// Creates a policy from the rows of all information sets, of which some may be missing: then the result is the
    /// first set without one.
    pub(crate) fn try_from_rows(tree: &Tree, row: &mut dyn FnMut(u32) -> Option<Vec<f64>>) -> Result<Self, u32> {
        let mut probabilities = Vec::with_capacity(tree.num_rows());
        for set in tree.set_numbers() {
            let row = row(set).ok_or(set)?;
            assert_eq!(row.len(), tree.width(set) as usize, "a probability for each action");
            debug_assert!(is_distribution(&row, 1e-6), "{row:?}");
            probabilities.extend(row);
        }
        Ok(Self { starts: tree.starts.clone(), probabilities })
    }

    /// Creates a policy from these probabilities, set by set.
    pub(crate) fn of_rows(tree: &Tree, probabilities: Vec<f64>) -> Self {
        debug_assert_eq!(probabilities.len(), tree.num_rows());
        Self { starts: tree.starts.clone(), probabilities }
    }

    /// The probabilities of the legal actions of an information set, ascending by action.
    #[inline]
    pub fn row(&self, set: u32) -> &[f64] {
        &self.probabilities[self.starts[set as usize] as usize..self.starts[set as usize + 1] as usize]
    }

    /// The probabilities of all information sets, one row after the other.
    pub fn rows(&self) -> &[f64] {
        &self.probabilities
    }
}

/// Returns true if no number is negative and their sum is at most `slack` from 1.
pub(crate) fn is_distribution(row: &[f64], slack: f64) -> bool {
    row.iter().all(|&share| share >= 0.0) && (row.iter().sum::<f64>() - 1.0).abs() <= slack
}
