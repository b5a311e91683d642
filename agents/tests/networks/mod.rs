//! Trained networks: their files, their outputs, and their use by agents.

mod asked;
mod edges;
pub(crate) mod files;
mod integers;
mod one_step;
mod reading;
mod searching;
mod side_by_side;
