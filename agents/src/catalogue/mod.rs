//! The list of agents by text, and the agents that are made of other agents.

pub mod best;
pub mod ismcts_br;
pub mod local_best_response;
pub mod rule;
pub mod spec;
pub mod victim;
