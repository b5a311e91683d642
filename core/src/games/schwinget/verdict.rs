//! The table of results of a bout.
//!
//! The results are written rule by rule and then tabulated. At the end of a playout, branches on the result would be
//! unpredictable, so it is looked up.

use super::rules::{Rules, Scoring};
use super::state::{NOBODY, State};

/// The result of a finished bout.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Verdict {
    /// `scores[seat]` in hundredths of a point.
    pub(super) scores: [u16; 2],
    /// The seat that won, or [`NOBODY`] after a draw.
    pub(super) winner: u8,
}

/// The facts that decide a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Facts {
    attacker: u8,
    /// The seat that won every trick after the attack.
    thrower: u8,
    /// The seat with more tricks, or [`NOBODY`].
    ahead: u8,
    /// True for each seat with enough tricks for a consolation point.
    fought_well: [bool; 2],
}

/// The results of all bouts under fixed rules.
#[derive(Clone, Debug)]
pub(super) struct Verdicts {
    table: [Verdict; 108],
    hand_size: u8,
    consolation_tricks: u8,
}

impl Verdicts {
    pub(super) fn new(rules: &Rules) -> Self {
        let mut table = [Verdict::default(); 108];
        for attacker in 0..=NOBODY {
            for thrower in 0..=NOBODY {
                for ahead in 0..=NOBODY {
                    for fought in 0..4_u32 {
                        let facts = Facts { attacker, thrower, ahead, fought_well: [fought & 1 == 1, fought & 2 == 2] };
                        let place = index(u32::from(attacker), u32::from(thrower), u32::from(ahead), fought);
                        table[place as usize] = verdict(rules.scoring, facts);
                    }
                }
            }
        }
        Self { table, hand_size: rules.hand_size, consolation_tricks: rules.consolation_tricks }
    }

    /// The result of the bout that has just ended.
    #[inline(always)]
    pub(super) fn of(&self, state: &State) -> Verdict {
        self.look_up(state.attacker, state.taken, state.after_attack)
    }

    /// The result of a bout, given the attacker (or [`NOBODY`]), the tricks `taken` by each seat, and those of them
    /// played `after_attack`.
    #[inline(always)]
    pub(super) fn look_up(&self, attacker: u8, taken: [u8; 2], after_attack: [u8; 2]) -> Verdict {
        let taken = taken.map(u32::from);
        let [a, b] = taken;
        let attacked = u32::from(attacker != NOBODY);
        let all = after_attack.map(|tricks| attacked & u32::from(u32::from(tricks) == u32::from(self.hand_size)));
        let [well, other_well] = taken.map(|tricks| u32::from(tricks >= u32::from(self.consolation_tricks)));
        let first = |one: u32, two: u32| u32::from(NOBODY) - 2 * one - two;
        let ahead = first(u32::from(a > b), u32::from(b > a));
        self.table[index(u32::from(attacker), first(all[0], all[1]), ahead, other_well * 2 + well) as usize]
    }
}

#[inline(always)]
fn index(attacker: u32, thrower: u32, ahead: u32, fought: u32) -> u32 {
    ((attacker * 3 + thrower) * 3 + ahead) * 4 + fought
}

/// The rulebook's table, row by row.
fn verdict(scoring: Scoring, facts: Facts) -> Verdict {
    let flat_throw = facts.thrower != NOBODY;
    let winner = if flat_throw { facts.thrower } else { facts.ahead };
    if winner == NOBODY {
        let each = match scoring {
            Scoring::Points => 100,
            Scoring::Schwinger => 900,
        };
        return Verdict { scores: [each; 2], winner };
    }
    let attacked = facts.attacker != NOBODY;
    let own_attack = facts.attacker == winner;
    let (won, mut lost) = match (scoring, flat_throw, attacked) {
        (Scoring::Schwinger, true, _) if own_attack => (1000, 850),
        (Scoring::Schwinger, true, _) => (1000, 875),
        (Scoring::Schwinger, false, true) => (975, 875),
        (Scoring::Schwinger, false, false) => (975, 850),
        (Scoring::Points, true, _) if own_attack => (700, 0),
        (Scoring::Points, true, _) => (500, 0),
        (Scoring::Points, false, true) => (300, 0),
        (Scoring::Points, false, false) => (200, 0),
    };
    if scoring == Scoring::Points && facts.fought_well[usize::from(winner ^ 1)] {
        lost = 100;
    }
    let mut scores = [lost; 2];
    scores[usize::from(winner)] = won;
    Verdict { scores, winner }
}
