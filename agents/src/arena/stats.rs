//! Means with intervals.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

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

#[cfg(test)]
mod tests {
    use super::Estimate;

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
