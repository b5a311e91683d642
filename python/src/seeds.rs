//! `stier.derive_seed`.

use pyo3::prelude::*;
use stier_core::Rng;

use crate::values::Seed;

/// The seed hashed from (seed, purpose, index): the first 64 bits of the engine's stream of that name.
///
/// Seed, index and result are 0 to 2**64-1. The purpose is any text. Different purposes or indices give independent
/// seeds, so one seed is enough for a whole experiment.
#[pyfunction]
pub(crate) fn derive_seed(seed: Seed, purpose: &str, index: Seed) -> u64 {
    Rng::stream(seed.0, purpose, index.0).bits()
}
