//! `stier.TabularPolicy`.

use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use stier_agents::agent::sampling::draw;
use stier_agents::agent::threads::{self, Halted};
use stier_agents::belief;
use stier_agents::erased::{DynEntrant, DynPolicy, DynTree};
use stier_agents::solve::solution_file::Label;
use stier_agents::solve::{Look, NashConv, PublicTree, RangePolicy, known_values, write_ranges};
use stier_core::{Action, Rng};

use crate::arrays::Array;
use crate::errors;
use crate::game::Game;
use crate::run::{goes_on, guarded, locked, watched};
use crate::scene::dict;
use crate::state::{State, by_chance};
use crate::values::{Number, Seed};

/// A policy for every information set of a game: an equilibrium that `solve` found, the policy of an agent, a best
/// response, or probabilities of your own.
///
/// A policy that was found on public states lists no information sets, but can be asked about any state.
///
/// It is an agent: it draws its actions from its policy and uses only what the player to move knows. It can be pickled;
/// unpickling enumerates its game again, and its draws begin anew.
#[pyclass(frozen, module = "stier")]
pub(crate) struct TabularPolicy {
    /// The game.
    #[pyo3(get)]
    game: Game,
    origin: Label,
    policy: Kept,
    measured: Measured,
    /// The public states, once a frequency has been asked for.
    public: OnceLock<PublicTree>,
    seed: u64,
    rng: Mutex<Rng>,
}

/// The probabilities: for every information set of a tree, or on public states.
#[derive(Clone)]
pub(crate) enum Kept {
    Tree(Arc<dyn DynPolicy>),
    Ranges(Arc<RangePolicy>),
}

impl Kept {
    /// The distance from equilibrium.
    pub(crate) fn measure(&self, threads: usize) -> PyResult<NashConv> {
        let found = match self {
            Self::Tree(policy) => policy.nash_conv(threads),
            Self::Ranges(policy) => threads::install(threads, || policy.measure()),
        };
        found.map_err(errors::halted)
    }
}

/// The figures of a policy, which a pickle of it keeps.
#[derive(FromPyObject, IntoPyObjectRef)]
#[pyo3(from_item_all)]
pub(crate) struct Measured {
    pub(crate) values: Vec<f64>,
    pub(crate) nash_conv: Option<f64>,
    /// The number of seeds with which an agent was asked.
    pub(crate) seeds: u64,
    /// The policy to which this is the best response.
    pub(crate) against: Option<Py<TabularPolicy>>,
}

impl Measured {
    /// The figures of a policy at this distance from equilibrium.
    pub(crate) fn of(found: &NashConv) -> Self {
        let values = found.values.as_slice().to_vec();
        Self { values, nash_conv: Some(found.total()), seeds: 0, against: None }
    }
}

/// The origin of a policy that no algorithm found.
pub(crate) fn origin(source: String) -> Label {
    Label { source, iterations: 0, history: Vec::new() }
}

/// The label of a policy that the caller found.
pub(crate) fn label_of(source: String, iterations: &Number, history: Vec<(u64, f64, f64)>) -> PyResult<Label> {
    let look = |(iterations, seconds, nash_conv)| Look { iterations, seconds, nash_conv };
    let iterations = iterations.between("iterations", 0, i64::MAX)?;
    Ok(Label { source, iterations, history: history.into_iter().map(look).collect() })
}

fn stream(seed: u64) -> Rng {
    Rng::stream(seed, "table", 0)
}

impl TabularPolicy {
    pub(crate) fn new(game: Game, origin: Label, policy: Kept, seed: u64, measured: Measured) -> Self {
        Self { game, origin, policy, measured, public: OnceLock::new(), seed, rng: Mutex::new(stream(seed)) }
    }

    /// Computes the values and the NashConv of a policy, which takes about as long as two iterations.
    pub(crate) fn measure(game: Game, origin: Label, policy: Kept, seed: u64, threads: usize) -> PyResult<Self> {
        let found = policy.measure(threads)?;
        Ok(Self::new(game, origin, policy, seed, Measured::of(&found)))
    }

    /// Adds the distance at the end of a run of so many seconds to the history.
    pub(crate) fn ended_after(mut self, seconds: f64) -> Self {
        let Label { iterations, history, .. } = &mut self.origin;
        if let Some(nash_conv) = self.measured.nash_conv
            && history.last().is_none_or(|look| look.iterations < *iterations)
        {
            history.push(Look { iterations: *iterations, seconds, nash_conv });
        }
        self
    }

    /// The best responses of all players to the policy.
    pub(crate) fn best_response(&self, threads: usize) -> Result<Kept, Halted> {
        Ok(match &self.policy {
            Kept::Tree(policy) => Kept::Tree(policy.best_response(threads)?),
            Kept::Ranges(policy) => Kept::Ranges(Arc::new(threads::install(threads, || policy.best_response())?)),
        })
    }

    /// The expected number of times per game that a player chooses an action, on public states.
    fn frequency_on_ranges(&self, py: Python<'_>, policy: &RangePolicy, action: Action) -> PyResult<f64> {
        let interrupt = AtomicBool::new(false);
        let watch = || goes_on(&interrupt);
        let found = watched(py, &interrupt, || {
            let tree = match self.public.get() {
                Some(tree) => tree,
                None => {
                    // They have been found before, within the limit that was given then.
                    let (whole, limits) = (policy.tree(), (u64::MAX, threads::resolve(0)));
                    let tree = PublicTree::new((whole.form(), whole.game()), None, None, limits, &watch);
                    let tree = tree.map_err(errors::halted)?;
                    self.public.get_or_init(|| tree)
                }
            };
            let rows = tree.rows_of(policy, &watch).map_err(errors::halted)?;
            let [first, second] = rows.expect("the policy is on this tree");
            tree.frequency([&first, &second], action, &watch).map_err(errors::halted)
        })??;
        let name = || self.game.face().action_name(action);
        found.ok_or_else(|| {
            errors::argument(format!(
                "{} has no frequency on public states: suits have no names there, and the last trick is left out",
                name()
            ))
        })
    }

    /// The policy for every information set of a tree. Fails if it is on public states.
    pub(crate) fn inner(&self) -> PyResult<&Arc<dyn DynPolicy>> {
        match &self.policy {
            Kept::Tree(policy) => Ok(policy),
            Kept::Ranges(_) => Err(errors::argument(format!(
                "{} of {} is on public states and lists no information sets: ask it about states, by policy(state)",
                self.origin.source,
                self.game.text()
            ))),
        }
    }

    /// The probabilities. Fails if they belong to another game.
    pub(crate) fn table_for(&self, game: &Game) -> PyResult<&Kept> {
        if self.game.is(game) {
            return Ok(&self.policy);
        }
        let (own, here) = (self.game.text(), game.text());
        Err(errors::agent(format!("{} is for {own}, not for {here}", self.origin.source)))
    }

    /// The policy as an entrant in matches of this game. Fails if it belongs to another.
    pub(crate) fn entrant_for(&self, game: &Game) -> PyResult<DynEntrant> {
        let label = self.origin.source.clone();
        Ok(match self.table_for(game)? {
            Kept::Tree(policy) => DynEntrant::Table(label, policy.clone()),
            Kept::Ranges(policy) => DynEntrant::Ranges(label, policy.clone()),
        })
    }

    fn to_bytes(&self) -> Vec<u8> {
        match &self.policy {
            Kept::Tree(policy) => policy.to_bytes(&self.origin),
            Kept::Ranges(policy) => write_ranges(policy, &self.origin),
        }
    }

    fn probabilities_in(&self, py: Python<'_>, state: &State) -> PyResult<Vec<(u8, f64)>> {
        let state = state.inner();
        let ask = || match &self.policy {
            Kept::Tree(policy) => policy.probabilities(state),
            Kept::Ranges(policy) => policy.probabilities(state),
        };
        let row = py.detach(|| guarded(ask))?.map_err(errors::agent)?;
        Ok(row.into_iter().map(|(action, share)| (action.0, share)).collect())
    }
}

#[pymethods]
impl TabularPolicy {
    /// The name in tables: the origin.
    #[getter]
    pub(crate) fn name(&self) -> &str {
        &self.origin.source
    }

    /// The origin: the algorithm, by its name in `solve`; the name of the rule that `run` was given; the agent that was
    /// asked, as text; `"best response to …"`; or the name that a `GameTree` was given.
    #[getter]
    fn origin(&self) -> &str {
        &self.origin.source
    }

    /// The number of iterations; 0 unless an algorithm found the policy.
    #[getter]
    pub(crate) fn iterations(&self) -> u64 {
        self.origin.iterations
    }

    /// The policy to which this is the best response; `None` for other policies, and for those loaded from files.
    #[getter]
    fn against(&self, py: Python<'_>) -> Option<Py<Self>> {
        self.measured.against.as_ref().map(|policy| policy.clone_ref(py))
    }

    /// The number of seeds with which an agent was asked, whose policies were averaged; 0 if it needs none, and for
    /// policies that are not an agent's.
    #[getter]
    fn seeds(&self) -> u64 {
        self.measured.seeds
    }

    /// The number of information sets of the game, including those with one legal action. On public states
    /// there are fewer: suits of which nothing has been seen count once, the order in which a player drew its cards does not
    /// count, and the last trick has none.
    #[getter]
    fn information_sets(&self) -> usize {
        match &self.policy {
            Kept::Tree(policy) => policy.tree().information_sets(),
            Kept::Ranges(policy) => policy.tree().size().information_sets as usize,
        }
    }

    /// The number of distinct histories of the game. Consecutive random events count as one, and the order in which a
    /// hand is dealt does not count. `None` if the game was solved on public states, which needs no histories.
    #[getter]
    fn histories(&self) -> Option<usize> {
        self.inner().ok().map(|policy| policy.tree().histories())
    }

    /// The number of public states, if the game was solved on them; else `None`.
    #[getter]
    fn public_states(&self) -> Option<u64> {
        match &self.policy {
            Kept::Tree(_) => None,
            Kept::Ranges(policy) => Some(policy.tree().size().states),
        }
    }

    /// The bytes that solving takes on public states, estimated by cause: "regrets and sums", "returns", "ranges and values",
    /// "moves of hands" and "lists of hands". `None` if the game was solved on its tree.
    #[getter]
    fn memory<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        match &self.policy {
            Kept::Tree(_) => Ok(None),
            Kept::Ranges(policy) => dict(py, policy.tree().size().by_cause()).map(Some),
        }
    }

    /// The expected return of player 0: the first of `values`. In a two-player zero-sum game it differs from the value of
    /// the game by at most `nash_conv`.
    #[getter]
    fn value(&self) -> f64 {
        self.measured.values[0]
    }

    /// The expected returns of all players if all follow the policy. For a best response, the expected return of each
    /// player if it alone follows it and all others follow the policy `against`.
    #[getter]
    fn values(&self) -> Vec<f64> {
        self.measured.values.clone()
    }

    /// The sum over all players of the gain from switching to a best response alone: 0 exactly at an equilibrium. `None`
    /// for a best response; that of the policy `against` is what it gains.
    #[getter]
    pub(crate) fn nash_conv(&self) -> Option<f64> {
        self.measured.nash_conv
    }

    /// The average gain of a player: `nash_conv` divided by the number of players. `None` for a best response.
    #[getter]
    fn exploitability(&self) -> Option<f64> {
        self.measured.nash_conv.map(|found| found / self.measured.values.len() as f64)
    }

    /// The distance from equilibrium during the run, as a new structured array with the fields `iterations` (int64),
    /// `seconds` and `nash_conv` (float64).
    ///
    /// There is an entry for every time at which NashConv was measured, and one for the end. Seconds are those of the
    /// iterations, without building the tree, measuring and writing checkpoints. A run that was continued from a
    /// checkpoint has those of its earlier parts too. Empty for policies that no algorithm found, and for files of earlier
    /// versions.
    #[getter]
    fn history<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows: Vec<_> =
            self.origin.history.iter().map(|look| (look.iterations, look.seconds, look.nash_conv)).collect();
        let kinds = vec![("iterations", "int64"), ("seconds", "float64"), ("nash_conv", "float64")];
        py.import("numpy")?.call_method1("array", (rows, kinds))
    }

    /// The probabilities of all actions at all information sets, as a new float64 array (sets, actions); 0 for actions
    /// that are not legal.
    /// Raises `ArgumentError` if the game was solved on public states.
    fn probabilities(&self, py: Python<'_>) -> PyResult<Array<f64>> {
        let policy = self.inner()?;
        let shape = [self.information_sets(), self.game.face().info().num_actions];
        Ok(Array::of(py.detach(|| policy.rows()), &shape))
    }

    /// A `pandas.DataFrame` with one row for each action of each information set, in the order of `GameTree`. Requires
    /// pandas.
    ///
    /// Columns: `information_set`, the knowledge of the player as in `State.information_state_string`; `player`; `action`,
    /// by name; `probability`; `value`, the expected return of the player if it chooses the action there and all follow
    /// the policy afterwards, as in `GameTree.action_values`; `reach`, the probability that a game reaches the information
    /// set if all follow the policy.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let table = self.inner()?;
        let (owner, face) = (table.tree(), self.game.face());
        let (tree, policy) = (owner.shape(), table.shares());
        let values = py.detach(|| threads::install(0, || known_values(tree, policy, belief::Beliefs::Policy)));
        let values = values.map_err(errors::halted)?.concat();
        let reach_of_sets = py.detach(|| table.reach());
        let knowledge_of_sets = knowledge(py, &*owner, 0..tree.num_sets())?;
        let name = |action: usize| PyString::new(py, &face.action_name(Action(action as u8)));
        let names: Vec<_> = (0..face.info().num_actions).map(name).collect();
        let (mut texts, mut players, mut actions, mut reach) = (Vec::new(), Vec::<i32>::new(), Vec::new(), Vec::new());
        for ((set, text), probability) in tree.set_numbers().zip(knowledge_of_sets).zip(reach_of_sets) {
            let width = tree.width(set) as usize;
            texts.extend((0..width).map(|_| text.clone_ref(py)));
            players.extend(vec![i32::from(tree.mover(set).0); width]);
            reach.extend(vec![probability; width]);
            actions.extend(tree.actions(set).iter().map(|action| &names[action.index()]));
        }
        let columns = (
            ("information_set", texts),
            ("player", Array::row(players)),
            ("action", actions),
            ("probability", Array::row(policy.rows().to_vec())),
            ("value", Array::row(values)),
            ("reach", Array::row(reach)),
        );
        py.import("stier._results")?.getattr("frame")?.call1((dict(py, columns)?,))
    }

    /// The probabilities of the legal actions of the player to move: `[(action, probability), …]`, ascending by action.
    ///
    /// The first call builds an index of the information sets. Raises `AgentError` if no player is to move, or if the
    /// state belongs to another game.
    fn policy(&self, py: Python<'_>, state: PyRef<'_, State>) -> PyResult<Vec<(u8, f64)>> {
        self.probabilities_in(py, &state)
    }

    /// Draws an action for the player to move.
    fn step(&self, py: Python<'_>, state: PyRef<'_, State>) -> PyResult<u8> {
        Ok(self.step_with_policy(py, state)?.1)
    }

    /// Like `step`, but also returns the policy: `([(action, probability), …], action)`.
    fn step_with_policy(&self, py: Python<'_>, state: PyRef<'_, State>) -> PyResult<(Vec<(u8, f64)>, u8)> {
        let row = self.probabilities_in(py, &state)?;
        let shares: Vec<f64> = row.iter().map(|&(_, share)| share).collect();
        let drawn = draw(&shares, &mut locked(&self.rng));
        let action = row[drawn].0;
        Ok((row, action))
    }

    /// The beliefs of the given player, or by default the player to move, from chance alone.
    #[pyo3(signature = (state, player=None))]
    fn beliefs(&self, py: Python<'_>, state: PyRef<'_, State>, player: Option<Number>) -> PyResult<Py<PyAny>> {
        by_chance(py, &state, player.as_ref())
    }

    /// Draws from the streams of `seed`, by default the seed of the policy.
    #[pyo3(signature = (seed=None))]
    fn restart(&self, seed: Option<Seed>) {
        let seed = seed.map_or(self.seed, |Seed(seed)| seed);
        *locked(&self.rng) = stream(seed);
    }

    /// The expected number of times per game that any player chooses the action, if all follow the policy. It is a
    /// probability if a game has at most one such choice. On public states, raises `ArgumentError` for a card of
    /// Schwinget, because suits have no names there; use `stier.public.frequency`. Raises `IllegalActionError` for an unknown
    /// action.
    fn frequency(&self, py: Python<'_>, action: Number) -> PyResult<f64> {
        let face = self.game.face();
        let action = action.id_below(face.info().num_actions, "action", face)?;
        match &self.policy {
            Kept::Tree(policy) => py.detach(|| guarded(|| policy.frequency(action))),
            Kept::Ranges(policy) => self.frequency_on_ranges(py, policy, action),
        }
    }

    /// Writes the policy and the history to a file for `load_solution`: eight bytes per action of each information set; on
    /// public states two bytes per action of each hand with a choice, so that probabilities are rounded to 1/65535. An
    /// existing file stays intact until the new one is complete.
    fn save(&self, py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<()> {
        let bytes = py.detach(|| self.to_bytes());
        py.import("stier._files")?.call_method1("write_bytes", (path, PyBytes::new(py, &bytes)))?;
        Ok(())
    }

    /// The bytes of the file, which `_restore_policy` reads, with the figures.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Stored<'_, 'py>)> {
        let restore = py.import("stier._native")?.getattr("_restore_policy")?;
        let bytes = py.detach(|| self.to_bytes());
        Ok((restore, (PyBytes::new(py, &bytes), self.seed, &self.measured)))
    }

    fn __repr__(&self) -> String {
        let distance = self.exploitability().map_or(String::new(), |found| format!(", exploitability {found:.2e}"));
        let iterations = match self.origin.iterations {
            0 => String::new(),
            count => format!(" after {count} iterations"),
        };
        let (name, game, value) = (self.name(), self.game.text(), self.value());
        let states = self.public_states().map_or(String::new(), |count| format!(" on {count} public states"));
        format!("<stier.TabularPolicy '{name}' of {game}{states}: value {value:.6}{distance}{iterations}>")
    }
}

/// The content of a pickle of a policy: the bytes of its file, the seed of its decisions, and its figures.
type Stored<'a, 'py> = (Bound<'py, PyBytes>, u64, &'a Measured);

/// The number of information sets that are put into words between checks for signals.
const CHUNK: usize = 1 << 12;

/// Texts of Python.
pub(crate) type Texts = Vec<Py<PyString>>;

/// The knowledge of the players at some information sets, in words.
pub(crate) fn knowledge(py: Python<'_>, tree: &dyn DynTree, sets: Range<usize>) -> PyResult<Texts> {
    let mut texts = Vec::with_capacity(sets.len());
    for start in sets.clone().step_by(CHUNK) {
        let chunk = py.detach(|| guarded(|| tree.knowledge(start..sets.end.min(start + CHUNK))))?;
        texts.extend(chunk.iter().map(|text| PyString::new(py, text).unbind()));
        py.check_signals()?;
    }
    Ok(texts)
}
