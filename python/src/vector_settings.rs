//! The settings of `stier.VectorEnv`.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString, PyTuple};
use stier_agents::AgentSpec;
use stier_agents::batch::vector::{
    Autoreset, Barred, LearnerSeat, Opening, Opponents, Settings, Span, TensorKind, VectorError,
};
use stier_core::options::OptionType as _;
use stier_core::{Action, Seat};

use crate::agent::agent_of;
use crate::arrays::Dtype;
use crate::errors;
use crate::game::Game;
use crate::values::{Number, Seed, choice};

/// A larger number is a typing mistake.
const MAX_LANES: i64 = 1 << 24;

/// The settings of the environments.
pub(crate) struct VectorSettings {
    pub(crate) engine: Settings,
    pub(crate) format: Option<Dtype>,
    pub(crate) copy: bool,
    /// The keywords, with agents as text.
    pub(crate) keywords: Py<PyDict>,
}

impl VectorSettings {
    /// Reads the keywords of the constructor.
    pub(crate) fn of(
        py: Python<'_>,
        game: &Game,
        num_envs: &Number,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let all = keywords.map_or_else(|| Ok(PyDict::new(py)), |keywords| keywords.copy())?;
        let mut given = Keywords { all, names: Vec::new() };
        let agents = given.value("opponents")?.map(|agents| agents_of(game, &agents)).transpose()?;
        let seat = given.value("seat")?;
        if seat.is_some() && agents.is_none() {
            return Err(errors::argument("seat is the seat of the learner: it needs opponents, and there are none"));
        }
        let learner = learner(game, seat.as_ref())?;
        let opening = given.agent("opening", game)?;
        let opening_span = given.span("opening", opening.is_some())?;
        let barred = given.value("barred")?.map(|value| barred_action(game, &value)).transpose()?;
        let barred_span = given.span("barred", barred.is_some())?;
        let engine = Settings {
            lanes: num_envs.between("num_envs", 1, MAX_LANES)? as usize,
            seed: given.get("seed", Seed(0))?.0,
            threads: given.get("threads", Number::new(0))?.threads()?,
            autoreset: given.value("autoreset")?.map_or(Ok(Autoreset::SameStep), |value| autoreset(&value))?,
            tensor: choice("tensor", &given.get("tensor", "observation".to_string())?)?,
            opponents: agents.map(|agents| Opponents { agents, learner }),
            opening: opening.map(|agent| Opening { agent, span: opening_span }),
            barred: barred.map(|action| Barred { action, span: barred_span }),
            beliefs: given.agent("beliefs", game)?,
        };
        let format: Option<String> = given.get("observation", Some(Dtype::Float32.name().to_string()))?;
        let format = format.map(|text| choice("observation, unless it is None,", &text)).transpose()?;
        let copy = given.get("copy", true)?;
        if engine.beliefs.is_some() && format != Some(Dtype::Float32) {
            return Err(errors::argument(VectorError::Beliefs));
        }
        if engine.tensor == TensorKind::InformationState && format == Some(Dtype::Uint8) {
            return Err(errors::argument(VectorError::Bytes));
        }
        if let Some(Opponents { agents, .. }) = &engine.opponents {
            given.all.set_item("opponents", texts(agents))?;
        }
        Ok(Self { engine, format, copy, keywords: given.finished()? })
    }
}

/// Agents as text.
pub(crate) fn texts(agents: &[AgentSpec]) -> Vec<String> {
    agents.iter().map(ToString::to_string).collect()
}

/// The keywords of a call, and the names of those that were asked for.
struct Keywords<'py> {
    all: Bound<'py, PyDict>,
    names: Vec<String>,
}

impl<'py> Keywords<'py> {
    /// The value of a keyword.
    fn get<T>(&mut self, name: &str, default: T) -> PyResult<T>
    where
        T: for<'a> FromPyObject<'a, 'py>,
    {
        self.names.push(name.to_string());
        let Some(value) = self.all.get_item(name)? else { return Ok(default) };
        value.extract().map_err(|error: <T as FromPyObject<'_, 'py>>::Error| {
            let error: PyErr = error.into();
            let py = value.py();
            match error.is_instance_of::<PyTypeError>(py) {
                true => PyTypeError::new_err(format!("argument '{name}': {}", error.value(py))),
                false => error,
            }
        })
    }

    /// The value of a keyword, if it is there and not `None`.
    fn value(&mut self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.get(name, None)
    }

    /// An agent, whose text then stands for it.
    fn agent(&mut self, name: &str, game: &Game) -> PyResult<Option<AgentSpec>> {
        let Some(agent) = self.value(name)? else { return Ok(None) };
        let spec = agent_of(game, &agent)?;
        self.all.set_item(name, spec.to_string())?;
        Ok(Some(spec))
    }

    /// The games and decisions of a setting.
    fn span(&mut self, name: &str, is_given: bool) -> PyResult<Span> {
        let share: Option<f64> = self.get(&format!("{name}_share"), None)?;
        let decisions: Option<Number> = self.get(&format!("{name}_decisions"), None)?;
        if !is_given && (share.is_some() || decisions.is_some()) {
            return Err(errors::argument(format!("{name}_share and {name}_decisions need {name}, and it is None")));
        }
        let decisions = decisions.unwrap_or(Number::new(8));
        let decisions = decisions.between(&format!("{name}_decisions"), 1, u32::MAX.into())? as u32;
        Ok(Span { share: share.unwrap_or(0.25), decisions })
    }

    /// The keywords, unless there are others than those that were asked for.
    fn finished(self) -> PyResult<Py<PyDict>> {
        let strange = self.all.keys().iter().find(|key| !self.names.contains(&key.to_string()));
        match strange {
            None => Ok(self.all.unbind()),
            Some(key) => {
                Err(PyTypeError::new_err(format!("VectorEnv.__new__() got an unexpected keyword argument '{key}'")))
            }
        }
    }
}

fn autoreset(value: &Bound<'_, PyAny>) -> PyResult<Autoreset> {
    if let Ok(switch) = value.cast::<PyBool>() {
        return Ok(if switch.is_true() { Autoreset::SameStep } else { Autoreset::Disabled });
    }
    match value.cast::<PyString>() {
        Ok(text) => choice("autoreset", &text.to_cow()?),
        Err(_) => Err(PyTypeError::new_err(format!(
            "autoreset must be True, False or one of {}, got {}",
            Autoreset::allowed(&()),
            value.get_type().name()?
        ))),
    }
}

/// Reads one opponent for all other seats, or a list of them.
pub(crate) fn agents_of(game: &Game, value: &Bound<'_, PyAny>) -> PyResult<Vec<AgentSpec>> {
    match value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        true => value.try_iter()?.map(|value| agent_of(game, &value?)).collect(),
        false => agent_of(game, value).map(|spec| vec![spec]),
    }
}

fn learner(game: &Game, value: Option<&Bound<'_, PyAny>>) -> PyResult<LearnerSeat> {
    let Some(value) = value else { return Ok(LearnerSeat::Fixed(Seat(0))) };
    if let Ok(text) = value.cast::<PyString>() {
        return match &*text.to_cow()? {
            "rotate" => Ok(LearnerSeat::Rotate),
            "random" => Ok(LearnerSeat::Random),
            other => {
                let message = format!("seat must be the number of a player, 'rotate' or 'random', got '{other}'");
                Err(errors::argument(message))
            }
        };
    }
    value.extract::<Number>()?.seat_of(game.face()).map(LearnerSeat::Fixed)
}

/// Reads the barred action: a name or a number.
fn barred_action(game: &Game, value: &Bound<'_, PyAny>) -> PyResult<Action> {
    if let Ok(name) = value.cast::<PyString>() {
        let found = game.face().parse_action(&name.to_cow()?);
        return found.map_err(|error| errors::illegal(format!("barred: {error}")));
    }
    let number = if value.is_instance_of::<PyBool>() { None } else { value.extract::<Number>().ok() };
    let Some(number) = number else {
        let got = value.repr()?;
        return Err(errors::argument(format!("barred must be the name or the number of an action, got {got}")));
    };
    number.id_below(game.face().info().num_actions, "action", game.face())
}
