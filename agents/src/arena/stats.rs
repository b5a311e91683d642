//! Means with intervals.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, StudentsT};
use stier_core::{BySeat, Seat};

/// A mean and how well it is known.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// The mean over the units.
    pub mean: f64,
    /// Half the width of the 95 % interval (Student's t); infinite for a single unit.
    pub ci95: f64,
    /// Independent units: deals, not games.
    pub units: u64,
}

impl Estimate {
    /// The mean of independent observations; `None` of none.
    pub fn of(values: &[f64]) -> Option<Self> {
        let units = values.len();
        if units == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / units as f64;
        let ci95 = if units == 1 {
            f64::INFINITY
        } else {
            let freedom = units as f64 - 1.0;
            let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / freedom;
            let quantile = StudentsT::new(0.0, 1.0, freedom).expect("positive degrees of freedom").inverse_cdf(0.975);
            quantile * (variance / units as f64).sqrt()
        };
        Some(Self { mean, ci95, units: units as u64 })
    }
}

/// A seat's share in the win: 1 for the only first, parts for those who share first place, 0 otherwise.
pub fn win_share(returns: &BySeat<f32>, seat: Seat) -> f64 {
    let best = returns.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let first = returns.iter().filter(|&&value| value == best).count();
    if returns[seat] == best { 1.0 / first as f64 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use stier_core::{BySeat, Seat};

    use super::{Estimate, win_share};

    #[test]
    fn first_place_is_shared() {
        let returns = BySeat::from_fn(4, |seat| [1.0, 3.0, 3.0, -7.0][seat.index()]);
        assert_eq!([0, 1, 2, 3].map(|seat| win_share(&returns, Seat(seat))), [0.0, 0.5, 0.5, 0.0]);
    }

    #[test]
    fn intervals_are_students() {
        // 1, 2, 3, 4: mean 2.5, standard deviation 1.29099, t(3) = 3.18245.
        let estimate = Estimate::of(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!(estimate.mean, 2.5);
        assert!((estimate.ci95 - 3.18245 * 1.29099 / 2.0).abs() < 1e-3, "{}", estimate.ci95);
        assert_eq!(Estimate::of(&[]), None);
        assert_eq!(Estimate::of(&[7.0]).unwrap().ci95, f64::INFINITY);
    }
}
