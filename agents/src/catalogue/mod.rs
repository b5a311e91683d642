//! The list of agents by name.

mod error;
pub(crate) mod spec;

pub use error::{SpecError, Unsuited};
pub use spec::{AgentFacts, AgentInfo, AgentSpec, NAMES, describe};
