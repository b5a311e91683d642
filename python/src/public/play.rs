//! `stier.public.Play`.

use std::sync::Arc;

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use stier_agents::solve::{self, TreeState};

use super::{PLAYERS, PublicState, PublicTree, unpicklable};
use crate::arrays::Array;
use crate::errors;
use crate::values::Number;

/// The course of play if both players follow their policies, in every public state of a tree. `PublicTree.follow` makes it.
#[pyclass(frozen, module = "stier.public")]
pub(crate) struct Play {
    /// The tree.
    #[pyo3(get)]
    tree: Py<PublicTree>,
    policies: [Vec<f32>; 2],
    play: solve::Play,
}

impl Play {
    pub(super) fn new(tree: &Bound<'_, PublicTree>, policies: [Vec<f32>; 2], play: solve::Play) -> Self {
        Self { tree: tree.clone().unbind(), policies, play }
    }

    /// The public state, if it is one of the tree.
    fn at<'a>(&self, state: &'a PublicState) -> PyResult<&'a TreeState> {
        match Arc::ptr_eq(&self.tree.get().tree, &state.tree.get().tree) {
            true => Ok(&state.at),
            false => Err(errors::argument("the public state belongs to another tree")),
        }
    }

    fn inner(&self) -> &solve::PublicTree {
        &self.tree.get().tree
    }
}

/// The sum of products.
fn dot(first: &[f32], second: &[f32]) -> f64 {
    first.iter().zip(second).map(|(first, second)| f64::from(*first) * f64::from(*second)).sum()
}

#[pymethods]
impl Play {
    /// The policies of both players, as two new float32 arrays (rows,).
    #[getter]
    fn policies(&self) -> [Array<f32>; 2] {
        self.policies.each_ref().map(|rows| Array::row(rows.iter().copied()))
    }

    /// The ranges of both players: the probability that a player plays to here with the hand, times its range at the root; two
    /// new float32 arrays (hands,).
    fn ranges(&self, state: &PublicState) -> PyResult<[Array<f32>; 2]> {
        let at = self.at(state)?;
        Ok(PLAYERS.map(|seat| Array::row(self.play.range(self.inner(), at, seat))))
    }

    /// The counterfactual values of the hands of both players: the expected return of the player, times `others`; two new
    /// float32 arrays (hands,).
    fn values(&self, state: &PublicState) -> PyResult<[Array<f32>; 2]> {
        let at = self.at(state)?;
        Ok(PLAYERS.map(|seat| Array::row(self.play.values(self.inner(), at, seat))))
    }

    /// The probability that chance and the other player lead to each hand of both players: two new float32 arrays (hands,).
    /// Multiply it by the range to get the probability that play leads here with this hand.
    fn others(&self, state: &PublicState) -> PyResult<[Array<f32>; 2]> {
        let at = self.at(state)?;
        Ok(PLAYERS.map(|seat| Array::row(self.play.others(self.inner(), at, seat))))
    }

    /// The probability that play leads to the public state.
    fn reach(&self, state: &PublicState) -> PyResult<f64> {
        let at = self.at(state)?;
        Ok(dot(&self.play.range(self.inner(), at, PLAYERS[0]), &self.play.others(self.inner(), at, PLAYERS[0])))
    }

    /// The expected return of a player once play has led to the public state; nan if it never does.
    #[pyo3(signature = (state, player=Number::new(0)), text_signature = "($self, state, player=0)")]
    fn value(&self, state: &PublicState, player: Number) -> PyResult<f64> {
        let (at, seat) = (self.at(state)?, state.seat(&player)?);
        let range = self.play.range(self.inner(), at, seat);
        let [all, reach] = [self.play.values(self.inner(), at, seat), self.play.others(self.inner(), at, seat)]
            .map(|numbers| dot(&range, &numbers));
        Ok(all / reach)
    }

    /// The policy of the player to act, as a new float32 array (hands, actions).
    fn policy(&self, state: &PublicState) -> PyResult<Array<f32>> {
        self.at(state)?;
        let rows =
            state.inner().rows_at(&state.at).map_or(&[][..], |(seat, range)| &self.policies[seat.index()][range]);
        state.fill(rows, 1.0)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.tree)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(unpicklable("play"))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<stier.public.Play in {}>", self.tree.bind(py).repr()?))
    }
}
