//! The list of agents by name, and agents that are made of other agents.

pub mod best;
pub mod ismcts_br;
pub mod local_best_response;
pub mod rule;
pub mod spec;
pub mod victim;
