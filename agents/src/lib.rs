//! Players, search, matches: generic over the game, naming none.
//!
//! One algorithm per file. [`agent`] says what an agent is, [`search::oracle`] who else may sit at a table, [`catalogue::spec`] holds the only list of them, [`arena`] has them play,
//! [`erased`] shows games, states and agents to callers that know no types.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod agent;
pub mod arena;
pub mod batch;
pub mod belief;
pub mod catalogue;
pub mod erased;
pub mod network;
pub mod rollout;
pub mod search;
pub mod solve;
pub mod study;

pub use agent::{ActionStats, Agent, Decision, OracleAgent, Player, Search};
pub use catalogue::{AgentSpec, SpecError};
