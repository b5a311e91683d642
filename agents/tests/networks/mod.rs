//! Trained networks: what their files must hold, what they say, who may ask them.

mod asked;
mod edges;
pub(crate) mod files;
mod reading;
mod searching;
mod side_by_side;
