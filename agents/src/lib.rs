//! Players, search, matches: generic over the game, naming none.
//!
//! One algorithm per file. [`agent`] says what an agent is, [`spec`] holds the only list of them, [`arena`] has them play,
//! [`erased`] shows games, states and agents to callers that know no types.

pub mod agent;
pub mod alias;
pub mod arena;
pub mod belief;
pub mod best_response;
pub mod budget;
pub mod choice;
pub mod erased;
pub mod fitted;
pub mod flat_mc;
pub mod game_tree;
pub mod greedy;
pub mod ismcts;
pub mod marginals;
pub mod policy_model;
pub mod properties;
pub mod random;
pub mod ris_mcts;
pub mod rollout;
pub mod spec;
pub mod spread;
pub mod survey;
pub mod tssr;
pub mod worlds;

pub use agent::{ActionStats, Agent, Decision, Search};
pub use spec::{AgentSpec, SpecError};
