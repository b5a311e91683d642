//! Players, search and matches, generic over the game.
//!
//! There is one algorithm per file. [`agent`] defines agents, and [`oracle`] other kinds of players. [`spec`]
//! contains the only list of agents. [`arena`] plays matches. [`erased`] offers games, states and agents without type
//! parameters.

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

pub use agent::player::{OracleAgent, Player};
pub use agent::{ActionStats, Agent, Decision, Search};
pub use catalogue::spec::{AgentSpec, SpecError};
