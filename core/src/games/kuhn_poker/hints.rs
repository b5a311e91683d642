//! Advice for Kuhn poker: the highest card bets, and with two players the policy is an equilibrium.

use std::sync::LazyLock;

use crate::{Action, Game as _, Hints, Log, Turn};

use super::{BET, KuhnPoker, PASS, State};

/// One of Kuhn's equilibria: the probability with which each card bets or calls as the first to act, as the second
/// after a pass, as the second after a bet, and as the first after a pass and a bet.
const EQUILIBRIUM: [[f32; 3]; 4] =
    [[1.0 / 3.0, 0.0, 1.0], [1.0 / 3.0, 0.0, 1.0], [0.0, 1.0 / 3.0, 1.0], [0.0, 2.0 / 3.0, 1.0]];

/// The logarithms of the odds, within bounds.
static WEIGHTS: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let log_odds = |&bet: &f32| crate::float::logf(bet / (1.0 - bet)).clamp(-40.0, 40.0);
    EQUILIBRIUM.as_flattened().iter().map(log_odds).collect()
});

impl Hints for KuhnPoker {
    fn has_policy(&self) -> bool {
        true
    }

    fn appeal(&self, view: &Log, action: Action) -> f32 {
        // The highest card comes last in its field, behind the number of cards dealt.
        let is_highest = view.now().values[2 * usize::from(self.rules.players)] == 1;
        f32::from(u8::from((action == BET) == is_highest))
    }

    fn features(&self, state: &State, action: Action, add: &mut impl FnMut(usize, f32)) {
        let Turn::Seat(mover) = self.turn(state) else { return };
        let situation = match state.actions {
            [None, ..] => 0,
            [Some(first), None, ..] => 1 + usize::from(first != PASS.0),
            _ => 3,
        };
        if action == BET && self.rules.players == 2 {
            add(3 * situation + state.cards[mover.index()].map_or(0, usize::from), 1.0);
        }
    }

    fn weights(&self) -> &[f32] {
        if self.rules.players == 2 { &WEIGHTS } else { &[] }
    }
}
