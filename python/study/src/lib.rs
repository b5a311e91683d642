//! Studies: questions about one game that matches alone do not answer.

pub mod equilibrium;
pub mod timing;
pub mod values;
