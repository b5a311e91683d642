//! Means and shares with 95 % intervals, as in the tables of `stier.pit`.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use stier_agents::arena::{Estimate, Share};

/// Mean, half the width of its interval, and number of independent values; what there is not is not a number.
#[pyfunction]
pub(crate) fn estimate(values: PyReadonlyArray1<'_, f64>) -> PyResult<(f64, f64, u64)> {
    let found = Estimate::of(&values.as_array().to_vec());
    Ok(found.map_or((f64::NAN, f64::NAN, 0), |found| (found.mean, found.ci95, found.units)))
}

/// Sum of the parts over sum of the wholes where no part is more than its whole, the ends of its interval, and number of independent pairs.
#[pyfunction]
pub(crate) fn share(parts: PyReadonlyArray1<'_, f64>, wholes: PyReadonlyArray1<'_, f64>) -> (f64, f64, f64, u64) {
    let found = Share::ratio(parts.as_array().iter().copied().zip(wholes.as_array().iter().copied()));
    found.map_or((f64::NAN, f64::NAN, f64::NAN, 0), |found| (found.mean, found.low, found.high, found.units))
}
