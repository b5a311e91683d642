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

    /// The sum of the parts over the sum of the wholes, for independent pairs of (part, whole); `None` if there is no whole. The
    /// interval is the linearised one for ratios (W. G. Cochran, *Sampling Techniques*, 1977).
    pub fn ratio(pairs: &[(f64, f64)]) -> Option<Self> {
        let whole: f64 = pairs.iter().map(|(_, whole)| whole).sum();
        if whole == 0.0 {
            return None;
        }
        let mean = pairs.iter().map(|(part, _)| part).sum::<f64>() / whole;
        let scale = pairs.len() as f64 / whole;
        let residuals: Vec<f64> = pairs.iter().map(|(part, whole)| scale * (part - mean * whole)).collect();
        Self::of(&residuals).map(|spread| Self { mean, ..spread })
    }
}

/// A seat's share in the win: 1 for the only first, parts for those who share first place, 0 otherwise.
pub fn win_share(returns: &BySeat<f64>, seat: Seat) -> f64 {
    let best = returns.iter().copied().fold(f64::NEG_INFINITY, f64::max);
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

    #[test]
    fn ratios_weigh_by_the_whole() {
        let estimate = Estimate::ratio(&[(1.0, 2.0), (3.0, 4.0), (0.0, 0.0), (2.0, 4.0)]).unwrap();
        assert_eq!((estimate.mean, estimate.units), (0.6, 4));
        // Residuals -0.2, 0.6, 0, -0.4 over a mean whole of 2.5: standard deviation 0.432049 / 2.5.
        assert!((estimate.ci95 - 3.18245 * 0.432_049 / 2.5 / 2.0).abs() < 1e-4, "{}", estimate.ci95);
        assert_eq!(Estimate::ratio(&[(0.0, 0.0)]), None);
        // Wholes of 1: the plain mean.
        let values = [1.0, 2.0, 4.0];
        let plain = Estimate::of(&values).unwrap();
        let ratio = Estimate::ratio(&values.map(|value| (value, 1.0))).unwrap();
        assert!((ratio.mean - plain.mean).abs() < 1e-12 && (ratio.ci95 - plain.ci95).abs() < 1e-12);
    }
}
