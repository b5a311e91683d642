//! Players, search, matches: generic over the game, naming none.
//!
//! One algorithm per file. [`agent`] says what an agent is, [`oracle`] who else may sit at a table, [`spec`] holds the only list of them, [`arena`] has them play,
//! [`erased`] shows games, states and agents to callers that know no types.

pub mod agent;
pub mod arena;
pub mod determinized;
pub mod epimc;
pub mod erased;
pub mod greedy;
pub mod ismcts;
pub mod open_cards;
pub mod oracle;
pub mod pimc;
pub mod presumed;
pub mod random;
pub mod recursive;
pub mod rollout;
pub mod spec;
pub mod stop;
pub mod survey;
pub mod uct;
pub mod worlds;

pub use agent::{ActionStats, Agent, Decision, Search};
pub use oracle::{OracleAgent, Player};
pub use spec::{AgentSpec, SpecError};
