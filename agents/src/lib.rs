//! Players, search, matches: generic over the game, naming none.
//!
//! One algorithm per file. [`agent`] says what an agent is, [`oracle`] who else may sit at a table, [`spec`] holds the only list of them, [`arena`] has them play,
//! [`erased`] shows games, states and agents to callers that know no types.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod agent;
pub mod alias;
pub mod arena;
pub mod atomic_file;
pub mod belief;
pub mod best;
pub mod best_response;
pub mod budget;
pub mod cfr;
pub mod choice;
pub mod course;
pub mod determinized;
pub mod epimc;
pub mod erased;
pub mod fitted;
pub mod flat_mc;
pub mod game_tree;
pub mod greedy;
pub mod ismcts;
pub mod ismcts_br;
pub mod lines;
pub mod local_best_response;
pub mod marginals;
pub mod mccfr;
pub mod memory;
pub mod network;
pub mod open_cards;
pub mod oracle;
pub mod pimc;
pub mod policy_model;
pub mod presumed;
pub mod properties;
pub mod random;
pub mod recursive;
pub mod resample_many;
pub mod ris_mcts;
pub mod rollout;
pub mod rule;
pub mod search_many;
pub mod sequence_form;
pub mod solution_file;
pub mod solve;
pub mod spec;
pub mod spread;
pub mod stop;
pub mod survey;
pub mod tabular;
pub mod threads;
pub mod tssr;
pub mod uct;
pub mod vector;
pub mod victim;
pub mod worlds;

pub use agent::{ActionStats, Agent, Decision, Search};
pub use oracle::{OracleAgent, Player};
pub use spec::{AgentSpec, SpecError};
