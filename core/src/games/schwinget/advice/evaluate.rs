//! A fast estimate of a state's value, with all cards open.
//!
//! A linear estimate of the tricks that seat 0 will still take gives the probability that it wins a single
//! trick. The scores of all possible numbers of tricks are then weighted as if the tricks were independent. So one
//! estimate covers all scorings, consolation points, flat throws and utilities. The weights are fitted by least
//! squares to hinted playouts from random positions with the default rules, one set with the pile open and one with
//! it locked or empty. The test `weights_are_those_of_least_squares` reproduces them.
//!
//! Known weaknesses: the estimate describes hinted play. It ignores later attacks and does not value the lead.

use crate::bits;
use crate::float;
use crate::games::schwinget::Schwinget;
use crate::games::schwinget::cards::{NO_CARD, NO_TRUMP};
use crate::games::schwinget::state::{NOBODY, Neutral, Phase, State};
use crate::seats::BySeat;
use crate::utility::Utility;

use super::solve::tricks_worth;

/// Features of the estimate, each the value of seat 0 minus that of seat 1.
const FEATURES: usize = 8;
/// Tricks per unit of each feature. The features are: the lead; for each card of a hand, the cards it beats when led
/// (minus those of the other hand), divided by the number of cards in hand; cards that no card beats when led; such
/// cards of the player on lead; trumps; values of other suits, from 0 to 5; the referee; the counter.
type Weights = [f32; FEATURES];
/// With the pile open.
const OPEN: Weights = [-0.189, 0.390, 0.046, 0.048, 0.258, 0.067, 0.384, -0.072];
/// With the pile locked or empty.
const CLOSED: Weights = [-0.073, 0.553, 0.142, 0.158, -0.161, 0.020, 0.467, -0.027];

impl Schwinget {
    /// The hands of both seats, including a card led and not yet answered.
    fn hands_before_trick(&self, state: &State) -> [u32; 2] {
        let mut hands = state.hands;
        if state.led != NO_CARD {
            hands[usize::from(state.leader & 1)] |= 1 << state.led;
        }
        hands
    }

    /// The number of tricks still to be collected in this bout, including a waiting one, if nobody attacks any more.
    fn tricks_left(&self, state: &State) -> u8 {
        let waiting = u8::from(state.neutral != Neutral::None);
        let played = if state.attacked() {
            let [a, b] = self.hands_before_trick(state);
            return a.count_ones().max(b.count_ones()) as u8 + waiting;
        } else {
            state.tricks
        };
        (self.rules.hand_size + self.pile / 2).saturating_sub(played) + waiting
    }

    fn features(&self, state: &State) -> Weights {
        let hands = self.hands_before_trick(state);
        let cards = hands[0].count_ones().max(1) as f32;
        let leads = |seat: usize| {
            let (mut beaten, mut sure) = (0, 0);
            for card in bits::members(hands[seat]) {
                let by = (self.deck.winners(state.trump, card) & hands[seat ^ 1]).count_ones();
                beaten += by;
                sure += u32::from(by == 0);
            }
            (beaten as f32, sure as f32)
        };
        let ((beaten, sure), (other_beaten, other_sure)) = (leads(0), leads(1));
        let first = if state.phase == Phase::Decide { state.mover } else { state.leader };
        let lead = 1.0 - 2.0 * f32::from(first & 1);
        let less = |of: &dyn Fn(u32) -> f32| of(hands[0]) - of(hands[1]);
        let trumps = self.deck.suit[usize::from(state.trump)];
        let count = |set: u32| move |hand: u32| (hand & set).count_ones() as f32;
        [
            lead,
            (other_beaten - beaten) / cards,
            sure - other_sure,
            if lead > 0.0 { sure } else { -other_sure },
            less(&count(trumps)),
            less(&|hand| self.plain_values(hand & !trumps)),
            less(&count(self.deck.referee)),
            less(&count(self.deck.counter)),
        ]
    }

    /// The sum of the values of these cards; the lowest of a suit counts 0 and the highest 5.
    #[inline(always)]
    fn plain_values(&self, cards: u32) -> f32 {
        let steps = f32::from(self.rules.values - 1).max(1.0);
        let value =
            |card: u8| if self.deck.suit_of[usize::from(card)] == NO_TRUMP { 0 } else { self.deck.value(card) - 1 };
        bits::members(cards).map(|card| u32::from(value(card))).sum::<u32>() as f32 * 5.0 / steps
    }

    /// The expected number of the remaining tricks that seat 0 will collect.
    fn expected_tricks(&self, state: &State, left: u8) -> f32 {
        let open = !state.attacked() && state.pile > 0;
        let weights = if open { OPEN } else { CLOSED };
        let ahead: f32 = self.features(state).iter().zip(weights).map(|(feature, weight)| feature * weight).sum();
        f32::from(left) / 2.0 + ahead
    }

    /// See [`Hints::evaluate`](crate::Hints::evaluate).
    pub(super) fn estimate(&self, state: &State) -> BySeat<f32> {
        let left = self.tricks_left(state);
        let mean = self.expected_tricks(state, left);
        let chance = (mean / f32::from(left.max(1))).clamp(0.02, 0.98);
        let odds = chance / (1.0 - chance);
        let later = self.rules.bouts.saturating_sub(state.bout + 1);
        // Later bouts are assumed to be plain wins.
        let plain = self.verdicts.look_up(NOBODY, [u8::MAX, 0], [0; 2]).scores.map(f32::from);
        let mut probability = float::power(1.0 - chance, u32::from(left));
        let mut sum = [0.0; 2];
        for tricks in 0..=left {
            let verdict = tricks_worth(self, state, 0, left, tricks);
            let [a, b] = [0, 1].map(|seat: usize| state.scores[seat] + verdict.scores[seat]);
            let worth =
                if later == 0 { self.rounded_utility_of([a, b]) } else { self.utility_before(later, [a, b], plain) };
            sum[0] += probability * worth[0];
            sum[1] += probability * worth[1];
            probability *= odds * f32::from(left - tricks) / f32::from(tricks + 1);
        }
        // Rounding only.
        let (low, high) = self.info.utility_range;
        BySeat::from(sum.map(|worth: f32| worth.clamp(low as f32, high as f32)))
    }

    /// The value of these scores with `later` bouts to come, in which both players have equal chances.
    fn utility_before(&self, later: u8, scores: [u16; 2], plain: [f32; 2]) -> [f32; 2] {
        let [a, b] = scores.map(f32::from);
        match self.rules.utility {
            Utility::Margin => [(a - b) / 100.0, (b - a) / 100.0],
            Utility::Score => [a, b].map(|score| (score + f32::from(later) * (plain[0] + plain[1]) / 2.0) / 100.0),
            Utility::Win => {
                let ahead = (a - b) / (plain[0] - plain[1]) / f32::from(later).sqrt();
                let share = ahead / (1.0 + ahead * ahead).sqrt();
                [share, -share]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CLOSED, FEATURES, OPEN};
    use crate::FromRules as _;
    use crate::actions::ActionSet as _;
    use crate::game::hints::Hints as _;
    use crate::game::history::History;
    use crate::game::{Game as _, Turn};
    use crate::games::schwinget::{Rules, Schwinget, State};
    use crate::options::Options;
    use crate::rng::Rng;
    use crate::seats::Seat;

    /// Random decisions of games played by hints, with occasional attacks.
    fn positions(game: &Schwinget, count: u64) -> Vec<State> {
        let somewhere = |index| {
            let mut rng = Rng::stream(7, "evaluate", index);
            let mut state = *History::dealt(game, &mut rng).state();
            for _ in 0..rng.below(23) {
                let Turn::Seat(_) = game.turn(&state) else { break };
                let legal = game.legal(&state);
                let attack = game.deck.attack();
                let action = if legal.contains(attack) && rng.below(12) == 0 {
                    attack
                } else {
                    game.rollout(&state, legal).pick(&mut rng)
                };
                game.step(&mut state, action, &mut rng);
            }
            state
        };
        (0..count).map(somewhere).filter(|state| game.turn(state) != Turn::Over).collect()
    }

    /// Solves `matrix x = vector` for a matrix that is positive definite (Gauss).
    fn solve(mut matrix: [[f64; FEATURES]; FEATURES], mut vector: [f64; FEATURES]) -> [f64; FEATURES] {
        for pivot in 0..FEATURES {
            for row in 0..FEATURES {
                if row != pivot {
                    let factor = matrix[row][pivot] / matrix[pivot][pivot];
                    let above = matrix[pivot];
                    matrix[row].iter_mut().zip(above).for_each(|(entry, above)| *entry -= factor * above);
                    vector[row] -= factor * vector[pivot];
                }
            }
        }
        std::array::from_fn(|row| vector[row] / matrix[row][row])
    }

    /// Prints the weights, to be copied to the constants above when the features change.
    #[test]
    #[ignore = "a calibration"]
    fn weights_are_those_of_least_squares() {
        let game = Schwinget::new(Rules::default()).unwrap();
        let mut rng = Rng::stream(8, "evaluate", 0);
        let mut sums = [([[0.0; FEATURES]; FEATURES], [0.0; FEATURES]); 2];
        for state in positions(&game, 60_000) {
            let mut ends = [state; 16];
            ends.iter_mut().for_each(|end| _ = game.hinted_playout(end, &mut rng));
            let ahead = |end: &State| f64::from(end.taken[0]) - f64::from(end.taken[1]);
            let now = f64::from(state.taken[0]) - f64::from(state.taken[1]);
            let target = (ends.iter().map(ahead).sum::<f64>() / 16.0 - now) / 2.0;
            let features = game.features(&state).map(f64::from);
            let (matrix, vector) = &mut sums[usize::from(state.attacked() || state.pile == 0)];
            for row in 0..FEATURES {
                vector[row] += features[row] * target;
                for column in 0..FEATURES {
                    matrix[row][column] += features[row] * features[column];
                }
            }
        }
        for ((matrix, vector), weights) in sums.into_iter().zip([OPEN, CLOSED]) {
            let found = solve(matrix, vector);
            println!("{found:.3?}");
            for (found, weight) in found.iter().zip(weights) {
                assert!((found - f64::from(weight)).abs() < 0.001, "{found} for {weight}");
            }
        }
    }

    fn correlation(pairs: &[(f64, f64)]) -> f64 {
        let count = pairs.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
        let (x, y) = (mean(|pair| pair.0), mean(|pair| pair.1));
        let product = |f: fn((f64, f64)) -> f64| pairs.iter().map(|&(a, b)| f((a - x, b - y))).sum::<f64>();
        product(|(a, b)| a * b) / (product(|(a, _)| a * a) * product(|(_, b)| b * b)).sqrt()
    }

    /// Compares with the mean of 16 hinted playouts, which is itself random.
    #[test]
    fn estimates_correlate_with_results() {
        for (rules, least) in [
            ("", 0.85),
            ("scoring=schwinger", 0.85),
            ("utility=win", 0.85),
            ("utility=score", 0.85),
            ("bouts=4", 0.6),
            ("bouts=4,utility=win", 0.6),
            ("bouts=2,utility=score,scoring=schwinger", 0.6),
            ("suits=3,values=4,hand_size=3,set_aside=4", 0.8),
        ] {
            let game = Schwinget::new(Rules::from_text(rules).unwrap()).unwrap();
            let (low, high) = game.info.utility_range;
            let mut rng = Rng::stream(9, "evaluate", 0);
            let (mut pairs, mut bias) = (Vec::new(), 0.0);
            for state in positions(&game, 3000) {
                let estimate = game.evaluate(&state);
                for seat in Seat::all(2) {
                    assert!((low..=high).contains(&f64::from(estimate[seat])), "{rules}: {estimate:?}");
                }
                if let Some(sum) = game.info.utility_sum {
                    assert!((f64::from(estimate[Seat(0)] + estimate[Seat(1)]) - sum).abs() < 1e-3);
                }
                let mut ends = [state; 16];
                ends.iter_mut().for_each(|end| _ = game.hinted_playout(end, &mut rng));
                let mean = ends.iter().map(|end| game.returns(end)[Seat(0)]).sum::<f64>() / 16.0;
                bias += mean - f64::from(estimate[Seat(0)]);
                pairs.push((f64::from(estimate[Seat(0)]), mean));
            }
            let (found, bias) = (correlation(&pairs), bias / pairs.len() as f64 / (high - low));
            println!("{rules}: correlation {found:.3}, bias {bias:.4} of the range");
            assert!(found > least, "{rules}: correlation {found}");
            assert!(bias.abs() < 0.02, "{rules}: {bias}");
        }
    }

    /// Every reachable state has an estimate, including states before random events and in the middle of tricks.
    #[test]
    fn every_state_has_an_estimate() {
        for rules in ["", "bouts=2", "values=1,hand_size=2,set_aside=2", "hand_size=12,set_aside=2,utility=win"] {
            let game = Schwinget::new(Rules::from_text(rules).unwrap()).unwrap();
            let (low, high) = game.info.utility_range;
            for deal in 0..50 {
                let mut rng = Rng::stream(deal, "evaluate all", 0);
                let mut state = game.root();
                while game.turn(&state) != Turn::Over {
                    let estimate = game.evaluate(&state);
                    assert!(
                        estimate.iter().all(|value| (low..=high).contains(&f64::from(*value))),
                        "{rules}: {estimate:?} {state:?}"
                    );
                    let action = match game.turn(&state) {
                        Turn::Chance => game.sample_chance(&state, &mut rng),
                        _ => game.legal(&state).pick(&mut rng),
                    };
                    game.apply(&mut state, action);
                }
            }
        }
    }
}
