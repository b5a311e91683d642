//! `stier.pit`.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use stier_agents::AgentSpec;
use stier_agents::arena::{PitError, Settings, number_of_games};
use stier_agents::erased::{Callback, DynEntrant, DynState};
use stier_core::Action;

use crate::agent::{Agent, parse_spec};
use crate::callable::PythonAgent;
use crate::errors;
use crate::game::Game;
use crate::result::PitResult;
use crate::run::{receive_soon, watched};
use crate::values::{Number, Seed};

/// More would be a mistake; a run can be stopped, not continued.
const MOST_DEALS: i64 = 1_000_000_000_000;
/// More would exhaust the machine before they helped.
const MOST_THREADS: i64 = 1024;
/// How often progress is told.
const TICK: Duration = Duration::from_millis(100);
/// No game has this action. The arena takes it for "anything legal"; the game is void by then.
const NOTHING: Action = Action(u8::MAX);

/// Somebody who plays.
enum Player<'py> {
    Native(AgentSpec),
    Python(Bound<'py, PythonAgent>),
}

/// A decision that a Python agent is asked for.
struct Question {
    entrant: usize,
    state: Box<dyn DynState>,
    answer: SyncSender<Action>,
}

/// `on_progress(done, total)` is called before the first game, then about ten times a second, and after the last; see
/// `stier.pit` for the rest.
#[pyfunction]
#[pyo3(signature = (game, agents, deals, seed, paired, threads, on_progress=None))]
#[expect(clippy::too_many_arguments, reason = "the settings, one by one")]
pub(crate) fn pit<'py>(
    py: Python<'py>,
    game: &Game,
    agents: Vec<Bound<'py, PyAny>>,
    deals: Number,
    seed: Seed,
    paired: bool,
    threads: Number,
    on_progress: Option<Bound<'py, PyAny>>,
) -> PyResult<PitResult> {
    let players: Vec<Player<'py>> = agents.iter().map(|agent| player(game, agent)).collect::<PyResult<_>>()?;
    let mut settings = Settings {
        deals: deals.between("deals", 1, MOST_DEALS)?,
        seed: seed.0,
        paired,
        threads: threads.between("threads", 0, MOST_THREADS)? as usize,
    };
    if players.iter().any(|player| matches!(player, Player::Python(_))) {
        // What a Python agent remembers then comes about in the order of the games.
        settings.threads = 1;
    } else if settings.threads == 0 {
        // A pool of its own: the global one would not survive a fork, as in `multiprocessing`.
        settings.threads = thread::available_parallelism().map_or(1, NonZero::get);
    }
    let seats = game.face().num_seats();
    let total = if players.len() < seats { 0 } else { number_of_games(seats, players.len(), settings.deals) };

    let interrupt = Arc::<AtomicBool>::default();
    let done = AtomicU64::new(0);
    let watch = || {
        done.fetch_add(1, Ordering::Relaxed);
        if interrupt.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let plans: Vec<Plan> = players.iter().map(Plan::of).collect();
    let work = |sender: Sender<Question>| {
        let enter = |(entrant, plan): (usize, Plan)| plan.entrant(entrant, &sender);
        let entrants: Vec<DynEntrant> = plans.into_iter().enumerate().map(enter).collect();
        let result = game.face().pit(&entrants, &settings, &interrupt, &watch)?;
        Ok(PitResult::new(game.clone(), result))
    };

    let tell = |done: u64| match &on_progress {
        Some(callback) if total > 0 => callback.call1((done, total)).map(|_| ()),
        _ => Ok(()),
    };
    tell(0)?;
    let mut told = Instant::now();
    let attend = |question: Option<Question>| {
        if let Some(Question { entrant, state, answer }) = question {
            let Player::Python(agent) = &players[entrant] else { unreachable!("only Python agents ask") };
            // If nobody waits for the answer any more, the game is void.
            let _ = answer.send(agent.get().ask(py, game, &*state)?);
        }
        if told.elapsed() < TICK {
            return Ok(());
        }
        told = Instant::now();
        tell(done.load(Ordering::Relaxed))
    };
    let result = watched(py, &interrupt, work, attend)?.map_err(|error: PitError| match error {
        PitError::TooFew { .. } => errors::agent(error),
        PitError::NoDeals => PyValueError::new_err(error.to_string()),
        PitError::Threads { .. } | PitError::Interrupted => PyRuntimeError::new_err(error.to_string()),
    })?;
    tell(total)?;
    Ok(result)
}

fn player<'py>(game: &Game, agent: &Bound<'py, PyAny>) -> PyResult<Player<'py>> {
    if let Ok(text) = agent.cast::<PyString>() {
        return Ok(Player::Native(parse_spec(&text.to_string(), None)?));
    }
    if let Ok(agent) = agent.cast::<Agent>() {
        return Ok(Player::Native(agent.get().spec_for(game)?.clone()));
    }
    if let Ok(agent) = agent.cast::<PythonAgent>() {
        return Ok(Player::Python(agent.clone()));
    }
    if agent.is_callable() {
        return Ok(Player::Python(Bound::new(agent.py(), PythonAgent::new(agent, None, Seed(0))?)?));
    }
    let kind = agent.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "an agent is an Agent, a PythonAgent, a callable or text such as 'ismcts:iterations=100', not {kind}"
    )))
}

/// A player without its Python part, for the thread that plays.
enum Plan {
    Native(AgentSpec),
    Python(String),
}

impl Plan {
    fn of(player: &Player<'_>) -> Self {
        match player {
            Player::Native(spec) => Self::Native(spec.clone()),
            Player::Python(agent) => Self::Python(agent.get().label().to_string()),
        }
    }

    fn entrant(self, entrant: usize, sender: &Sender<Question>) -> DynEntrant {
        match self {
            Self::Native(spec) => DynEntrant::Spec(spec),
            Self::Python(label) => DynEntrant::Callback(label, callback(entrant, sender.clone())),
        }
    }
}

/// Python agents decide in the thread that called `pit`: there Ctrl-C works, and libraries find the thread they know.
fn callback(entrant: usize, sender: Sender<Question>) -> Callback {
    Arc::new(move |state| {
        let (answer, reply) = sync_channel(1);
        let asked = sender.send(Question { entrant, state, answer });
        // No answer means that the run is being broken off.
        let answered = |()| receive_soon(&reply).or_else(|_| reply.recv()).ok();
        asked.ok().and_then(answered).unwrap_or(NOTHING)
    })
}
