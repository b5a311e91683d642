//! Arguments that stand for an agent: text, agents, solutions, callables.

use std::sync::Arc;
use std::sync::mpsc::{Sender, SyncSender, sync_channel};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use stier_agents::AgentSpec;
use stier_agents::erased::{Callback, DynEntrant, DynPolicy, DynState};
use stier_core::Action;

use crate::agent::{Agent, parse_spec};
use crate::callable::{PythonAgent, function_of};
use crate::errors;
use crate::exploitability::BestResponse;
use crate::game::Game;
use crate::run::receive_soon;
use crate::solution::Solution;
use crate::tree::TabularPolicy;
use crate::values::Seed;

/// An action that no game has. Agents treat it as "any legal action". It is only returned when the results are
/// discarded.
const NO_ANSWER: Action = Action(u8::MAX);

/// An agent given by the caller.
pub(crate) enum Player<'py> {
    Native(AgentSpec),
    Table(String, Arc<dyn DynPolicy>),
    Python(Bound<'py, PythonAgent>),
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
        let Player::Python(agent) = &players[self.entrant] else { unreachable!("only Python agents send questions") };
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
        if let Ok(text) = agent.cast::<PyString>() {
            return Ok(Self::Native(parse_spec(&text.to_string(), None)?));
        }
        if let Ok(agent) = agent.cast::<Agent>() {
            return Ok(Self::Native(agent.get().spec_for(game)?.clone()));
        }
        let table = agent.cast::<Solution>().map(|agent| agent.get().table());
        let table = table.or_else(|_| agent.cast::<BestResponse>().map(|agent| agent.get().table()));
        let table = table.or_else(|_| agent.cast::<TabularPolicy>().map(|agent| agent.get().table()));
        if let Ok(table) = table {
            let (label, policy) = table.policy_for(game)?;
            return Ok(Self::Table(label.to_string(), policy.clone()));
        }
        if let Ok(agent) = agent.cast::<PythonAgent>() {
            return Ok(Self::Python(agent.clone()));
        }
        if function_of(agent)?.is_some() {
            return Ok(Self::Python(Bound::new(agent.py(), PythonAgent::new(agent, None, Seed(0))?)?));
        }
        let kind = agent.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "an agent must be text such as 'ismcts:iterations=100', an Agent, a Solution, an object with step(state) or a \
             callable, got {kind}"
        )))
    }

    /// Returns true if the agent must run in the calling thread.
    pub(crate) fn is_python(&self) -> bool {
        matches!(self, Self::Python(_))
    }

    /// The text that determines its random streams: see [`DynEntrant::identity`].
    pub(crate) fn identity(&self) -> String {
        match self {
            Self::Native(spec) => spec.to_string(),
            Self::Table(label, policy) => DynEntrant::Table(label.clone(), policy.clone()).identity(),
            Self::Python(agent) => format!("{}:seed={}", agent.get().label(), agent.get().seed()),
        }
    }

    /// The same agent without its Python part.
    pub(crate) fn plan(&self) -> Plan {
        match self {
            Self::Native(spec) => Plan::Native(spec.clone()),
            Self::Table(label, policy) => Plan::Table(label.clone(), policy.clone()),
            Self::Python(agent) => Plan::Python(agent.get().label().to_string(), self.identity()),
        }
    }
}

/// An agent without its Python part, which another thread can use.
pub(crate) enum Plan {
    Native(AgentSpec),
    Table(String, Arc<dyn DynPolicy>),
    Python(String, String),
}

impl Plan {
    /// The entrant of that number. A Python agent sends its questions to `sender`.
    pub(crate) fn entrant(self, number: usize, sender: &Sender<Question>) -> DynEntrant {
        match self {
            Self::Native(spec) => DynEntrant::Spec(spec),
            Self::Table(label, policy) => DynEntrant::Table(label, policy),
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

/// The error for a policy of another game.
pub(crate) fn other_game(label: &str, own: &Game, here: &Game) -> PyErr {
    errors::agent(format!("{label} is for {}, not for {}", own.text(), here.text()))
}
