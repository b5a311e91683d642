//! Means and shares with 95 % intervals, as in the tables of `stier.pit`.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use stier_agents::arena::{Estimate, Share};

/// The mean, half the width of its 95 % interval and the number of values. NaN where undefined.
#[pyfunction]
pub(crate) fn estimate(values: PyReadonlyArray1<'_, f64>) -> PyResult<(f64, f64, u64)> {
    let found = Estimate::of(&values.as_array().to_vec());
    Ok(found.map_or((f64::NAN, f64::NAN, 0), |found| (found.mean, found.ci95, found.units)))
}

/// The sum of the parts divided by the sum of the wholes, the ends of its 95 % interval and the number of pairs. No
/// part may exceed its whole.
#[pyfunction]
pub(crate) fn share(parts: PyReadonlyArray1<'_, f64>, wholes: PyReadonlyArray1<'_, f64>) -> (f64, f64, f64, u64) {
    let found = Share::ratio(parts.as_array().iter().copied().zip(wholes.as_array().iter().copied()));
    found.map_or((f64::NAN, f64::NAN, f64::NAN, 0), |found| (found.mean, found.low, found.high, found.units))
}
