//! Arguments that stand for an agent: text, agents, policies, callables.

use std::sync::Arc;
use std::sync::mpsc::{Sender, SyncSender, sync_channel};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use stier_agents::AgentSpec;
use stier_agents::erased::{Callback, DynEntrant, DynPolicy, DynState};
use stier_core::Action;

use crate::agent::{Agent, spec_of};
use crate::callable::{PythonAgent, function_of};
use crate::game::Game;
use crate::policy::TabularPolicy;
use crate::run::receive_soon;
use crate::values::Seed;

/// An action that no game has. Agents treat it as "any legal action". It is only returned when the results are
/// discarded.
const NO_ANSWER: Action = Action(u8::MAX);

/// An agent given by the caller.
pub(crate) struct Player<'py> {
    plan: Plan,
    /// The agent, if it must run in the calling thread.
    python: Option<Bound<'py, PythonAgent>>,
}

/// A decision that a Python agent must make.
pub(crate) struct Question {
    entrant: usize,
    state: Box<dyn DynState>,
    restarted: bool,
    answer: SyncSender<Action>,
}

impl Question {
    /// Lets the agent decide. Raises its exceptions.
    pub(crate) fn ask(self, py: Python<'_>, game: &Game, players: &[Player<'_>]) -> PyResult<()> {
        let agent = players[self.entrant].python.as_ref().expect("only Python agents send questions");
        if self.restarted {
            agent.get().begin(py).map_err(|error| agent.get().raised(py, game, None, error))?;
        }
        // An error means that the asking thread has stopped and no longer needs the answer.
        let _ = self.answer.send(agent.get().ask(py, game, &*self.state)?);
        Ok(())
    }
}

impl<'py> Player<'py> {
    /// Reads the argument as an agent for this game.
    pub(crate) fn of(game: &Game, agent: &Bound<'py, PyAny>) -> PyResult<Self> {
        let native = |plan| Ok(Self { plan, python: None });
        if let Ok(text) = agent.cast::<PyString>() {
            return match spec_of(text) {
                Ok(spec) => native(Plan::Native(spec)),
                Err(error) => {
                    let found = agent.py().import("stier.playing")?.getattr("as_agent")?.call1((text,))?;
                    if found.is_instance_of::<PyString>() { Err(error) } else { Self::of(game, &found) }
                }
            };
        }
        if let Ok(agent) = agent.cast::<Agent>() {
            return native(Plan::Native(agent.get().spec_for(game)?.clone()));
        }
        if let Ok(table) = agent.cast::<TabularPolicy>() {
            let (label, policy) = table.get().policy_for(game)?;
            return native(Plan::Policy(label.to_string(), policy.clone()));
        }
        let python = match agent.cast::<PythonAgent>() {
            Ok(agent) => agent.clone(),
            Err(_) if function_of(agent)?.is_some() => Bound::new(agent.py(), PythonAgent::new(agent, None, Seed(0))?)?,
            Err(_) => {
                let kind = agent.get_type().name()?;
                return Err(PyTypeError::new_err(format!(
                    "an agent must be text such as 'ismcts:iterations=100', an Agent, a TabularPolicy, an object with \
                     step(state) or a callable, got {kind}"
                )));
            }
        };
        let label = python.get().label().to_string();
        let identity = format!("{label}:seed={}", python.get().seed());
        Ok(Self { plan: Plan::Python(label, identity), python: Some(python) })
    }

    /// Returns true if the agent must run in the calling thread.
    pub(crate) fn is_python(&self) -> bool {
        self.python.is_some()
    }

    /// The same agent without its Python part.
    pub(crate) fn plan(&self) -> Plan {
        self.plan.clone()
    }
}

/// An agent without its Python part, which another thread can use.
#[derive(Clone)]
pub(crate) enum Plan {
    Native(AgentSpec),
    Policy(String, Arc<dyn DynPolicy>),
    Python(String, String),
}

impl Plan {
    /// The text that determines its random streams: see [`DynEntrant::identity`].
    pub(crate) fn identity(&self) -> String {
        match self {
            Self::Native(spec) => spec.to_string(),
            Self::Policy(label, policy) => DynEntrant::Table(label.clone(), policy.clone()).identity(),
            Self::Python(_, identity) => identity.clone(),
        }
    }

    /// The entrant of that number. A Python agent sends its questions to `sender`.
    pub(crate) fn entrant(self, number: usize, sender: &Sender<Question>) -> DynEntrant {
        match self {
            Self::Native(spec) => DynEntrant::Spec(spec),
            Self::Policy(label, policy) => DynEntrant::Table(label, policy),
            Self::Python(label, identity) => DynEntrant::Callback(label, identity, callback(number, sender.clone())),
        }
    }
}

/// Makes a callback that runs the Python agent in the calling thread, where Ctrl-C works and libraries see the thread
/// they expect.
fn callback(entrant: usize, sender: Sender<Question>) -> Callback {
    Arc::new(move |state, restarted| {
        let (answer, reply) = sync_channel(1);
        let asked = sender.send(Question { entrant, state, restarted, answer });
        // No answer means that the run was interrupted.
        let answered = |()| receive_soon(&reply).or_else(|_| reply.recv()).ok();
        asked.ok().and_then(answered).unwrap_or(NO_ANSWER)
    })
}
