//! The list of agents by name, and agents that are made of other agents.

pub(crate) mod best;
pub(crate) mod ismcts_br;
pub(crate) mod local_best_response;
pub(crate) mod rule;
pub(crate) mod spec;
pub(crate) mod target_policy;

pub use spec::{AgentFacts, AgentInfo, AgentSpec, NAMES, SpecError, Unsuited, describe};
