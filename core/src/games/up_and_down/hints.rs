//! How to play Up & Down passably by looking at one's own cards.

use crate::actions::{Action, ActionSet as _, Actions64};
use crate::game::SeatView as _;
use crate::hints::Hints;
use crate::rng::Rng;

use super::cards::Card;
use super::state::{NO_CARD, Phase, State};
use super::{Change, UpAndDown, View, playout};

/// How often a player is expected to choose a card that can win, if it may hold one.
const ABLE_CARD: f32 = 0.7;
/// What keeping the best cards for later is worth, in tricks.
const KEEP: f32 = 0.2;

/// The rules of one trick.
#[derive(Clone, Copy)]
struct TrickRules {
    trump: u8,
    down: u8,
    orientation: u8,
}

impl UpAndDown {
    /// The chance that `card` wins for `seat`, when the others choose among `unseen`.
    fn chance_to_win(&self, rules: TrickRules, seat: u8, card: Card, unseen: u64) -> f32 {
        let deck = &self.deck;
        let able = |seat: u8| deck.able(self.suit_at(rules.orientation, seat), rules.trump);
        if able(seat) >> card & 1 == 0 {
            return 0.0;
        }
        let value = deck.value_of(card);
        let equal = deck.value[usize::from(value)];
        let trumps = deck.value[usize::from(rules.trump)];
        let better = match (value == rules.trump, rules.down) {
            (true, _) => 0,
            (false, 0) => trumps | deck.value[usize::from(value) + 1..].iter().fold(0, |set, cards| set | cards),
            (false, _) => trumps | deck.value[..usize::from(value)].iter().fold(0, |set, cards| set | cards),
        };
        let share = |part: u64, whole: u64| match (whole & unseen).count_ones() {
            0 => 0.0,
            count => (part & whole & unseen).count_ones() as f32 / count as f32,
        };
        (0..self.players)
            .filter(|&other| other != seat)
            .map(|other| {
                let theirs = able(other);
                let aimed = share(better | equal, theirs);
                let any = share(better & theirs | equal, unseen);
                let aims = if theirs & unseen == 0 { 0.0 } else { ABLE_CARD };
                1.0 - aims * aimed - (1.0 - aims) * any
            })
            .product()
    }

    /// The best chance of any card in hand.
    fn best_chance(&self, rules: TrickRules, seat: u8, hand: u64, unseen: u64) -> f32 {
        let suit = self.suit_at(rules.orientation, seat);
        Actions64(hand & self.deck.able(suit, rules.trump))
            .iter()
            .map(|card| self.chance_to_win(rules, seat, card.0, unseen))
            .fold(0.0, f32::max)
    }

    /// What a card is worth in later tricks, from 0 for the middle values to 1 for the highest and lowest.
    fn worth(&self, card: Card) -> f32 {
        let middle = f32::from(self.deck.values - 1) / 2.0;
        (f32::from(self.deck.value_of(card)) - middle).abs() / middle
    }
}

impl Hints for UpAndDown {
    fn appeal(&self, view: &View, action: Action) -> f32 {
        let (seen, seat) = (view.seen(), view.seat().0);
        let hand = seen.hands[usize::from(seat)];
        let now = TrickRules { trump: seen.trump, down: seen.down, orientation: seen.orientation };
        let best = |rules| self.best_chance(rules, seat, hand, seen.pool);
        match self.change_of(action) {
            Some(Change::Flip) => best(TrickRules { down: now.down ^ 1, ..now }),
            Some(Change::Rotate(quarters)) => best(TrickRules { orientation: (now.orientation + quarters) & 3, ..now }),
            Some(Change::Roll) => {
                let sums = self.deck.sums(Some(now.trump), 0);
                sums.iter().map(|sum| sum.probability as f32 * best(TrickRules { trump: sum.action.0, ..now })).sum()
            }
            None => {
                let stake = f32::from(1 + seen.pot);
                stake * self.chance_to_win(now, seat, action.0, seen.pool) - KEEP * self.worth(action.0)
            }
        }
    }

    /// Cards that can win, if there are any.
    #[inline(always)]
    fn rollout(&self, state: &State, legal: Actions64) -> Actions64 {
        if state.phase != Phase::Choose {
            return legal;
        }
        debug_assert_eq!(state.table[usize::from(state.mover)], NO_CARD);
        let good = legal.0 & self.deck.able(self.suit_at(state.orientation, state.mover), state.trump);
        if good != 0 { Actions64(good) } else { legal }
    }

    #[inline]
    fn hinted_playout(&self, state: &mut State, rng: &mut Rng) -> u32 {
        playout::to_the_end::<true>(self, state, rng)
    }
}
