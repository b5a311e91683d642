//! The value of a position to every seat if all cards are open and the results of chance are known in advance.
//!
//! For two players with constant-sum returns this is alpha-beta (D. E. Knuth and R. W. Moore, *An Analysis of
//! Alpha-Beta Pruning*, Artificial Intelligence 6, 1975), fail-soft and with a transposition table. It tries the
//! table's best action first, then those that caused cut-offs elsewhere (the history heuristic: J. Schaeffer, 1989).
//! Otherwise it is max^n (C. A. Luckhardt and K. B. Irani, *An Algorithmic Solution of N-Person Games*, AAAI 1986),
//! with immediate and shallow pruning if the sum is fixed (N. R. Sturtevant and R. E. Korf, *On Pruning Techniques
//! for Multi-Player Games*, AAAI 2000). Among actions of equal value to the mover max^n takes the first, and its
//! values depend on this choice.
//!
//! Both deepen iteratively until depth no longer cuts off anything or the nodes are used up. [`Hints::evaluate`] values
//! the positions beyond. [`Hints::ending`] is used as soon as it returns a value. Choices hidden from each other are
//! made one after another, and later players see the earlier choices.
//!
//! Known weaknesses: this is the value of a different game, without hidden information. Max^n finds one equilibrium
//! of several.

mod alpha_beta;
mod max_n;
#[cfg(test)]
mod tests;
mod transposition;

use std::hash::{Hash, Hasher as _};

use stier_core::key::mix;
use stier_core::{Action, ActionSet as _, BySeat, Game, Hints, Seat, Turn};

use self::alpha_beta::Bound;
use self::transposition::{Transpositions, Words};
use crate::agent::stop::Stop;
use crate::search::future::{Future, OpenPosition, WorldValues};

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Solution {
    /// The actions of the root, ascending, each tried once.
    pub actions: Vec<WorldValues>,
    /// True if these are the values of best play to the end.
    pub exact: bool,
    /// True if a searched line contained random events.
    pub chance: bool,
    /// The number of nodes searched at all depths.
    pub nodes: u64,
}

/// The number of nodes between two checks of the clock.
const BETWEEN_LOOKS: u64 = 64;

/// The solver, with tables that are kept from one search to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenCards {
    /// Alpha-beta's values for seat 0, with the best action.
    bounds: Transpositions<(f32, Bound, Action)>,
    /// The values of max^n.
    values: Transpositions<BySeat<f32>>,
    /// The cut-offs by seat and action.
    history: Vec<u32>,
}

impl OpenCards {
    /// Forgets the positions of earlier searches but keeps the memory. The next search has the same result as that of
    /// a new solver.
    pub(crate) fn clear(&mut self) {
        self.bounds.clear();
        self.values.clear();
    }

    /// Values the actions of a position. After `nodes` nodes at which actions are compared, or if it must stop, the
    /// search ends with the last completed depth. The first depth, one decision, is always completed.
    pub(crate) fn solve<G: Hints>(
        &mut self,
        game: &G,
        position: OpenPosition<'_, G::State, G::Actions>,
        future: &Future,
        nodes: u64,
        stop: &Stop<'_>,
    ) -> Solution {
        self.history.clear();
        self.history.resize(game.num_seats() * game.num_actions(), 0);
        let sum = game.info().utility_sum.map(|sum| sum as f32);
        let range = game.rounded_range();
        let mut search =
            Descent { game, tables: self, range, sum, nodes: 0, most: u64::MAX, stop: *stop, chance: false };
        let (mut actions, mut exact) = (Vec::new(), false);
        let mut depth = 0;
        while !exact && (depth == 0 || search.nodes < nodes && !stop.is_due()) {
            let Some(found) = search.root(position, future, depth) else { break };
            (actions, exact) = found;
            depth += 2;
            search.most = nodes;
        }
        Solution { actions, exact, chance: search.chance, nodes: search.nodes }
    }
}

struct Descent<'a, G: Game> {
    game: &'a G,
    tables: &'a mut OpenCards,
    range: (f32, f32),
    sum: Option<f32>,
    nodes: u64,
    most: u64,
    stop: Stop<'a>,
    chance: bool,
}

impl<G: Hints> Descent<'_, G> {
    /// Values the actions of the root by a search of this depth below them, and returns true as well if all values are
    /// those of best play. `None` if the search was stopped.
    fn root(
        &mut self,
        position: OpenPosition<'_, G::State, G::Actions>,
        future: &Future,
        depth: u32,
    ) -> Option<(Vec<WorldValues>, bool)> {
        let (mut actions, mut all) = (Vec::new(), true);
        for action in position.legal.iter() {
            let (next, coming) = self.after(position.state, future, action);
            let (values, certain) = match self.sum {
                Some(sum) if self.game.num_seats() == 2 => {
                    let (value, certain) = self.alpha_beta(next, coming, self.range.0, self.range.1, depth)?;
                    (BySeat::from([value, sum - value]), certain)
                }
                _ => self.max_n(next, coming, depth, None).map(|(values, certain, _)| (values, certain))?,
            };
            all &= certain;
            actions.push(WorldValues::once(action, values));
        }
        Some((actions, all))
    }

    /// The state after an action, and the future from there.
    #[inline]
    fn after(&mut self, state: &G::State, future: &Future, action: Action) -> (G::State, Future) {
        let (mut next, mut coming) = (*state, future.clone());
        self.play(&mut next, &mut coming, action);
        (next, coming)
    }

    #[inline]
    fn play(&mut self, state: &mut G::State, future: &mut Future, action: Action) {
        self.game.apply(state, action);
        self.chance |= future.settle(self.game, state);
    }

    /// Counts a node and returns true if the search must stop.
    #[inline]
    fn is_out(&mut self) -> bool {
        self.nodes += 1;
        self.nodes > self.most || self.most < u64::MAX && self.nodes.is_multiple_of(BETWEEN_LOOKS) && self.stop.is_due()
    }

    #[inline]
    fn key(&self, state: &G::State, future: &Future) -> u64 {
        let mut words = Words::default();
        state.hash(&mut words);
        mix(words.finish(), future.mark(self.game, state))
    }

    /// Plays on through forced decisions. Returns the value of the position if it is known, and otherwise the seat to
    /// act and its actions.
    #[inline]
    fn advance(&mut self, state: &mut G::State, future: &mut Future) -> Result<BySeat<f32>, (Seat, G::Actions)> {
        loop {
            let Turn::Seat(seat) = self.game.turn(state) else { return Ok(self.game.rounded_returns(state)) };
            if let Some(values) = self.game.ending(state) {
                return Ok(values);
            }
            let legal = self.game.legal(state);
            if legal.len() > 1 {
                return Err((seat, legal));
            }
            self.play(state, future, legal.nth(0));
        }
    }
}
