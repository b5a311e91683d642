//! Means and shares with 95 % intervals, as in the tables of `stier.pit`.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use stier_agents::arena::{Estimate, Share};

use crate::errors;

/// The mean, half the width of its 95 % interval and the number of values. NaN where undefined.
///
/// `low` and `high` are the ends of the range that the values can have; with infinite ones the interval is Student's.
/// With `wholes`, one for each value, it is the sum of the values divided by that of the wholes.
#[pyfunction]
#[pyo3(signature = (values, low=f64::NEG_INFINITY, high=f64::INFINITY, wholes=None))]
pub(crate) fn estimate(
    values: PyReadonlyArray1<'_, f64>,
    low: f64,
    high: f64,
    wholes: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<(f64, f64, u64)> {
    let values = values.as_array().to_vec();
    let wholes = wholes.map_or_else(|| vec![1.0; values.len()], |wholes| wholes.as_array().to_vec());
    if wholes.len() != values.len() {
        return Err(errors::argument(format!("{} values cannot have {} wholes", values.len(), wholes.len())));
    }
    if low.is_nan() || high.is_nan() || low > high {
        return Err(errors::argument(format!("bounds must be two numbers, the lower one first, got {low} and {high}")));
    }
    let pairs: Vec<(f64, f64)> = values.into_iter().zip(wholes).collect();
    for &(value, whole) in &pairs {
        if !value.is_finite() || !whole.is_finite() {
            return Err(errors::argument(format!("values must be finite numbers, got {value}")));
        }
        // Rounding may take a mean slightly out of its range.
        let slack = 1e-9 * value.abs().max(whole.abs());
        if value < low * whole - slack || value > high * whole + slack {
            return Err(errors::argument(format!("values must be within the bounds {low} and {high}, got {value}")));
        }
    }
    let found = Estimate::ratio(&pairs, (low, high));
    Ok(found.map_or((f64::NAN, f64::NAN, 0), |found| (found.mean, found.ci95, found.units)))
}

/// The sum of the parts divided by the sum of the wholes, the ends of its 95 % interval and the number of pairs. No
/// part may exceed its whole.
#[pyfunction]
pub(crate) fn share(parts: PyReadonlyArray1<'_, f64>, wholes: PyReadonlyArray1<'_, f64>) -> (f64, f64, f64, u64) {
    let found = Share::ratio(parts.as_array().iter().copied().zip(wholes.as_array().iter().copied()));
    found.map_or((f64::NAN, f64::NAN, f64::NAN, 0), |found| (found.mean, found.low, found.high, found.units))
}
