//! Policies on public states.

use std::fmt;
use std::sync::Arc;

use stier_core::hash::fnv1a;
use stier_core::public::{Place, PublicForm};
use stier_core::{Action, Game, Seat, SeatView as _};

use super::measure::{measure, respond};
use super::parts::{RangeTree, Spot};
use crate::solve::best_response::NashConv;
use crate::solve::cfr::TINY;
use crate::solve::tabular::StoredPolicy;

/// A policy for all public states of a game.
pub struct RangePolicy {
    tree: Arc<RangeTree>,
    /// Up to a factor for each hand: by part, action of a hand with a choice, and public state.
    pub(super) rows: Vec<Vec<f32>>,
}

impl RangePolicy {
    /// Combines a tree and a policy of this tree, which holds for every hand a number for each action: the probabilities up
    /// to a factor.
    pub(super) fn new(tree: Arc<RangeTree>, rows: Vec<Vec<f32>>) -> Self {
        Self { tree, rows }
    }

    /// A hash of the numbers.
    pub fn fingerprint(&self) -> u64 {
        fnv1a(self.rows.iter().flatten().flat_map(|share| share.to_le_bytes()))
    }

    /// The tree.
    pub fn tree(&self) -> &Arc<RangeTree> {
        &self.tree
    }

    /// The distance from an equilibrium.
    pub fn measure(&self) -> NashConv {
        measure(&self.tree, &self.rows.iter().map(|rows| &rows[..]).collect::<Vec<_>>())
    }

    /// The best responses of both seats to the policy, in one policy.
    pub fn best_response(&self) -> Self {
        Self { tree: self.tree.clone(), rows: respond(&self.tree, &self.rows) }
    }

    /// The legal actions of a player with their probabilities. `find` finds the place and the seat of the player in the form
    /// of the game. `None` if there is no such place.
    pub fn row(&self, find: impl FnOnce(&dyn PublicForm) -> Option<(Place, Seat)>) -> Option<Vec<(Action, f64)>> {
        let (place, seat) = find(&*self.tree.whole)?;
        let shares = match place.actions.len() {
            1 => vec![1.0],
            _ => {
                let known = &mut *self.tree.known();
                let (public, spot) = self.tree.find(known, place.opening, &place.events)?;
                let hand = known.form.hand(public, seat, place.hand)?;
                normalized(&self.numbers(spot, self.tree.shape(spot).choice()?.row(hand)))
            }
        };
        Some(place.actions.into_iter().zip(shares).collect())
    }

    /// Probabilities of actions of a hand, up to a factor.
    pub(super) fn numbers(&self, spot: Spot, actions: impl Iterator<Item = usize>) -> Vec<f64> {
        let (rows, block) = (&self.rows[spot.part], self.tree.block(spot));
        actions.map(|cell| f64::from(rows[block.cell(cell) + spot.lane].max(0.0))).collect()
    }
}

/// Probabilities in proportion to numbers of 0 or more.
pub(crate) fn normalized(row: &[f64]) -> Vec<f64> {
    let sum: f64 = row.iter().sum();
    let even = 1.0 / row.len() as f64;
    row.iter().map(|&number| if sum > f64::from(TINY) { number / sum } else { even }).collect()
}

impl fmt::Debug for RangePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "policy of {} on public states", self.tree.game())
    }
}

impl<G: Game> StoredPolicy<G> for RangePolicy {
    const STREAM: &'static str = "ranges";

    fn shares(&self, game: &G, view: &G::View) -> Vec<(Action, f64)> {
        let place = |form: &dyn PublicForm| Some((game.public_place(form, view)?, view.seat()));
        self.row(place).expect("every view has its place")
    }
}
