//! Arguments that stand for an agent: text, agents, policies, callables.

use std::sync::Arc;
use std::sync::mpsc::{Sender, SyncSender, sync_channel};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use stier_agents::erased::{DynEntrant, DynState};
use stier_core::Action;

use crate::agent::{Agent, spec_of};
use crate::game::Game;
use crate::policy::TabularPolicy;
use crate::python_agent::{PythonAgent, function_of};
use crate::run::{Request, receive_soon};
use crate::values::Seed;

/// An action that no game has. Agents treat it as "any legal action". It is only returned when the results are
/// discarded.
const NO_ANSWER: Action = Action(u8::MAX);

/// A decision that a Python agent must make.
struct Question {
    agent: Arc<Py<PythonAgent>>,
    state: Box<dyn DynState>,
    restarted: bool,
    answer: SyncSender<Action>,
}

impl Question {
    /// Lets the agent decide. Raises its exceptions.
    fn ask(self, py: Python<'_>, game: &Game) -> PyResult<()> {
        let agent = self.agent.get();
        if self.restarted {
            agent.begin(py).map_err(|error| agent.raised(py, game, None, error))?;
        }
        // An error means that the asking thread has stopped and no longer needs the answer.
        let _ = self.answer.send(agent.ask(py, game, &*self.state)?);
        Ok(())
    }
}

/// Reads an argument as an agent for this game. A Python agent sends its questions to `sender`, because it must run in the
/// calling thread, where Ctrl-C works and libraries see the thread they expect.
pub(crate) fn entrant(game: &Game, agent: &Bound<'_, PyAny>, sender: &Sender<Request>) -> PyResult<DynEntrant> {
    if let Ok(text) = agent.cast::<PyString>() {
        return spec_of(text).map(DynEntrant::Spec).or_else(|error| {
            let found = agent.py().import("stier.playing")?.getattr("as_agent")?.call1((text,))?;
            if found.is_instance_of::<PyString>() { Err(error) } else { entrant(game, &found, sender) }
        });
    }
    if let Ok(agent) = agent.cast::<Agent>() {
        return Ok(DynEntrant::Spec(agent.get().spec_for(game)?.clone()));
    }
    if let Ok(table) = agent.cast::<TabularPolicy>() {
        return table.get().entrant_for(game);
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
    let (agent, game, sender) = (Arc::new(python.unbind()), game.clone(), sender.clone());
    let callback = move |state, restarted| {
        let (answer, reply) = sync_channel(1);
        let (question, game) = (Question { agent: agent.clone(), state, restarted, answer }, game.clone());
        let asked = sender.send(Box::new(move |py| question.ask(py, &game)));
        // No answer means that the run was interrupted.
        let answered = |()| receive_soon(&reply).or_else(|_| reply.recv()).ok();
        asked.ok().and_then(answered).unwrap_or(NO_ANSWER)
    };
    Ok(DynEntrant::Callback(label, identity, Arc::new(callback)))
}
