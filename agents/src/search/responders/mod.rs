//! Responders: players that know the policy of the others, and whose returns bound its exploitability from below.

pub(crate) mod ismcts_br;
pub(crate) mod local_best_response;
pub(crate) mod target_policy;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stier_core::Hints;

use crate::agent::Decision;
use crate::agent::stop::TimeLimit;
use crate::belief::Kept;
use crate::belief::policy_model::PolicyModel;
use crate::search::algorithm::{Algorithm, SearchAgent, Task};
use target_policy::TargetPolicy;

/// A search for a good response.
pub(crate) trait Respond<G: Hints>: Send {
    /// Decides between several actions of a seat that knows the policy of the others.
    fn respond(&self, task: &Task<'_, G>, target: &TargetPolicy<G>) -> Decision;
}

/// A player that knows the policy of the others.
pub(crate) struct Responder<G: Hints, S> {
    search: S,
    target: TargetPolicy<G>,
}

impl<G: Hints, S: Respond<G>> Responder<G, S> {
    /// Creates a player that responds to `target` by this search, with the streams of `seed`.
    pub(crate) fn agent(search: S, target: TargetPolicy<G>, seed: u64) -> SearchAgent<Self> {
        let belief = target.belief();
        SearchAgent::new(TimeLimit::NONE, belief, seed, Self { search, target }).keeping(Kept::Histories)
    }
}

impl<G: Hints, S: Respond<G>> Algorithm<G> for Responder<G, S> {
    fn model(&self) -> Option<&dyn PolicyModel<G>> {
        Some(&self.target)
    }

    fn decide(&mut self, task: &Task<'_, G>) -> Decision {
        self.search.respond(task, &self.target)
    }

    fn restart(&mut self, seed: u64) {
        self.target.restart(seed);
    }

    fn interrupt_with(&mut self, flag: &Arc<AtomicBool>) {
        self.target.interrupt_with(flag.clone());
    }
}
