//! Policies for all players at each information set of a tree.

use std::sync::Arc;

use stier_core::{ActionSet as _, Game};

use super::{GameTree, InformationSet};

/// A behaviour policy for every seat: the probability of each action at each information set of one [`GameTree`].
#[derive(Clone, PartialEq, Debug)]
pub struct Policy {
    starts: Arc<[u32]>,
    probabilities: Vec<f64>,
}

impl Policy {
    /// Creates the policy that plays all actions with the same probability.
    pub fn uniform<G: Game>(tree: &GameTree<G>) -> Self {
        Self::from_fn(tree, |set| vec![1.0 / set.legal().len() as f64; set.legal().len()])
    }

    /// Creates a policy from the probabilities that `row` returns for each information set, in ascending order of the
    /// legal actions. Panics if their number differs from that of the actions.
    pub fn from_fn<G: Game>(tree: &GameTree<G>, mut row: impl FnMut(InformationSet<'_, G>) -> Vec<f64>) -> Self {
        let mut probabilities = Vec::with_capacity(tree.num_rows());
        for set in tree.sets() {
            let row = row(set);
            assert_eq!(row.len(), set.legal().len(), "a probability for each action");
            debug_assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-6, "probabilities must sum to 1: {row:?}");
            probabilities.extend(row);
        }
        Self { starts: tree.starts.clone(), probabilities }
    }

    /// Creates a policy from these probabilities, set by set.
    pub(crate) fn of_rows<G: Game>(tree: &GameTree<G>, probabilities: Vec<f64>) -> Self {
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
