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

/// Mean of values between 0 and 1, the ends of its interval, and number of independent values.
#[pyfunction]
pub(crate) fn share(values: PyReadonlyArray1<'_, f64>) -> PyResult<(f64, f64, f64, u64)> {
    let found = Share::of(&values.as_array().to_vec());
    Ok(found.map_or((f64::NAN, f64::NAN, f64::NAN, 0), |found| (found.mean, found.low, found.high, found.units)))
}
