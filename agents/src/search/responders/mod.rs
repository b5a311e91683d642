//! Responders: players that know the policy of the others, and whose returns bound its exploitability from below.

pub(crate) mod ismcts_br;
pub(crate) mod local_best_response;
pub(crate) mod target_policy;
