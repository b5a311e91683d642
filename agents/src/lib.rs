#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod agent;
pub mod arena;
#[cfg(feature = "threads")]
pub mod batch;
pub mod belief;
pub mod catalogue;
pub mod erased;
pub mod network;
pub mod rollout;
pub(crate) mod search;
pub mod solve;
pub mod tell;

pub use agent::{ActionStats, Agent, Decision, OracleAgent, Player, Search};
pub use catalogue::{AgentSpec, SpecError};
