//! Studies: questions about a game that matches alone do not answer.

pub mod equilibrium;
pub mod timing;
