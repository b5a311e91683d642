//! Alpha-beta for two players with constant-sum returns.

use arrayvec::ArrayVec;
use stier_core::list::sort_few;
use stier_core::{Action, ActionSet as _, Hints, Seat};

use super::Descent;
use super::transposition::{CERTAIN, Entry};
use crate::agent::sampling::MAX_ACTIONS;
use crate::search::future::Future;

/// The relation of an entry's value to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    Exact,
    Lower,
    Upper,
}

/// A value for seat 0, and true if it is that of best play.
type Found = (f32, bool);

impl<G: Hints> Descent<'_, G> {
    pub(super) fn alpha_beta(
        &mut self,
        mut state: G::State,
        mut future: Future,
        alpha: f32,
        beta: f32,
        depth: u32,
    ) -> Option<Found> {
        let (seat, legal) = match self.advance(&mut state, &mut future) {
            Ok(values) => return Some((values[Seat(0)], true)),
            Err(decision) => decision,
        };
        if depth == 0 {
            return Some((self.game.evaluate(&state)[Seat(0)], false));
        }
        if self.is_out() {
            return None;
        }
        let key = self.key(&state, &future);
        let mut first = None;
        if let Some(&Entry { depth: known, result: (value, bound, best), .. }) = self.tables.bounds.get(key) {
            let cuts = match bound {
                Bound::Exact => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            };
            if cuts && known >= depth {
                return Some((value, known == CERTAIN));
            }
            first = Some(best);
        }
        // From here on values are from the mover's side: more is better.
        let sign = if seat == Seat(0) { 1.0 } else { -1.0 };
        let (low, high) = if seat == Seat(0) { (alpha, beta) } else { (-beta, -alpha) };
        let mut best = (f32::NEG_INFINITY, Action(0));
        let mut certain = true;
        for action in self.ordered(&state, seat, legal, first) {
            let (next, coming) = self.after(&state, &future, action);
            let floor = low.max(best.0);
            let (alpha, beta) = if seat == Seat(0) { (floor, high) } else { (-high, -floor) };
            let (value, sure) = self.alpha_beta(next, coming, alpha, beta, depth - 1)?;
            certain &= sure;
            if sign * value > best.0 {
                best = (sign * value, action);
            }
            if best.0 >= high {
                // One certain refutation is enough.
                certain = sure;
                let count = &mut self.tables.history[seat.index() * self.game.num_actions() + action.index()];
                *count = count.saturating_add(depth.min(64) * depth.min(64));
                break;
            }
        }
        let bound = match seat {
            _ if best.0 > low && best.0 < high => Bound::Exact,
            Seat(0) if best.0 >= high => Bound::Lower,
            Seat(0) => Bound::Upper,
            _ if best.0 >= high => Bound::Upper,
            _ => Bound::Lower,
        };
        let value = sign * best.0;
        self.tables.bounds.put(key, if certain { CERTAIN } else { depth }, (value, bound, best.1));
        Some((value, certain))
    }

    /// The legal actions, the most promising first.
    #[inline]
    fn ordered(
        &self,
        state: &G::State,
        seat: Seat,
        legal: G::Actions,
        first: Option<Action>,
    ) -> ArrayVec<Action, MAX_ACTIONS> {
        let hinted = self.game.rollout(state, legal);
        let history = &self.tables.history[seat.index() * self.game.num_actions()..];
        let mut scored: ArrayVec<(u32, Action), MAX_ACTIONS> = legal
            .iter()
            .map(|action| {
                let cuts = history[action.index()].saturating_mul(2) | u32::from(hinted.contains(action));
                (if first == Some(action) { u32::MAX } else { cuts }, action)
            })
            .collect();
        sort_few(&mut scored, |one, other| one.0 > other.0);
        scored.into_iter().map(|(_, action)| action).collect()
    }
}
