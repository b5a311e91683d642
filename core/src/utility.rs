//! Utilities of games with scores: how final scores turn into returns.

use crate::choice;
use crate::float;
use crate::seats::BySeat;

choice! {
    /// Definition of a player's return at the end.
    pub enum Utility {
        /// Own score minus the mean of the others' scores.
        Margin = "margin",
        /// Own score.
        Score = "score",
        /// Own share of the win minus the mean of the others' shares; seats in shared first place split one win
        /// equally. With two players: 1 for a win, 0 for a draw, -1 for a loss.
        Win = "win",
    }
}

impl Utility {
    /// The return of each seat for these scores (more is better). Exact to the last bit if the sum of the scores is
    /// exact.
    pub fn of(self, scores: &BySeat<f64>) -> BySeat<f64> {
        // Each return is divided once, so that it is rounded only once.
        let seats = scores.len() as f64;
        match self {
            Utility::Score => scores.clone(),
            Utility::Margin => {
                let sum: f64 = scores.iter().sum();
                BySeat::from_fn(scores.len(), |seat| (scores[seat] * seats - sum) / (seats - 1.0))
            }
            Utility::Win => {
                let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let first = scores.iter().filter(|&&score| score == best).count() as f64;
                let won = (seats - first) / (first * (seats - 1.0));
                BySeat::from_fn(scores.len(), |seat| if scores[seat] == best { won } else { -1.0 / (seats - 1.0) })
            }
        }
    }

    /// The expected return of each seat, given expected scores. Of two scores that differ by `scale`, the higher one
    /// is assumed to win e times as often. The result keeps the bounds and the sum of the returns.
    #[inline]
    pub fn expected(self, scores: &BySeat<f32>, scale: f32) -> BySeat<f32> {
        match self {
            Utility::Score => return scores.clone(),
            Utility::Margin => return less_the_others(scores),
            Utility::Win => (),
        }
        let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weights = BySeat::from_fn(scores.len(), |seat| float::expf((scores[seat] - best) / scale));
        let sum: f32 = weights.iter().sum();
        less_the_others(&BySeat::from_fn(scores.len(), |seat| weights[seat] / sum))
    }

    /// The bounds of all returns, for scores of `seats` players between `low` and `high`.
    pub fn range(self, seats: usize, low: f64, high: f64) -> (f64, f64) {
        match self {
            Utility::Score => (low, high),
            Utility::Margin => (low - high, high - low),
            Utility::Win => (-1.0 / (seats - 1) as f64, 1.0),
        }
    }

    /// The sum of the returns of all seats, if it is fixed.
    pub fn sum(self) -> Option<f64> {
        match self {
            Utility::Score => None,
            Utility::Margin | Utility::Win => Some(0.0),
        }
    }
}

/// Subtracts from each value the mean of the other seats' values.
#[inline]
fn less_the_others(values: &BySeat<f32>) -> BySeat<f32> {
    let sum: f32 = values.iter().sum();
    let others = (values.len() - 1) as f32;
    BySeat::from_fn(values.len(), |seat| values[seat] - (sum - values[seat]) / others)
}

#[cfg(test)]
mod tests {
    use super::Utility;
    use crate::seats::{BySeat, Seat};

    #[test]
    fn margins_and_shares_follow_the_rules() {
        let scores = BySeat::from_fn(4, |seat| [3.0, 5.0, 5.0, 1.0][seat.index()]);
        assert_eq!(Utility::Score.of(&scores), scores);
        let margin = Utility::Margin.of(&scores);
        assert_eq!(margin.as_slice()[1], 5.0 - 3.0);
        assert_eq!(margin.as_slice(), [-2.0 / 3.0, 2.0, 2.0, -10.0 / 3.0]);
        let win = Utility::Win.of(&scores);
        assert_eq!(win.as_slice(), [-1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, -1.0 / 3.0]);
        for (scores, expected) in [([2.0, 1.0], [1.0, -1.0]), ([1.0, 1.0], [0.0, 0.0])] {
            assert_eq!(Utility::Win.of(&BySeat::from(scores)).as_slice(), expected);
        }
    }

    #[test]
    fn expected_scores_give_shares_of_the_win() {
        let scores = BySeat::from([3.0, 3.0 + 2.0 * 3.0_f32.ln()]);
        assert_eq!(
            Utility::Margin.expected(&scores, 2.0),
            BySeat::from([scores[Seat(0)] - scores[Seat(1)], scores[Seat(1)] - scores[Seat(0)]])
        );
        let win = Utility::Win.expected(&scores, 2.0);
        assert!((win.as_slice()[1] - 0.5).abs() < 1e-6 && (win.as_slice()[0] + 0.5).abs() < 1e-6, "{win:?}");
        let sure = Utility::Win.expected(&BySeat::from([500.0, 0.0]), 0.1);
        assert_eq!(sure.as_slice(), [1.0, -1.0]);
    }
}
