//! `stier.public`: public states with ranges of hands.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use numpy::{Ix1, Ix2, PyUntypedArrayMethods as _};
use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PySlice;
use stier_agents::agent::threads;
use stier_agents::solve::solution_file::Label;
use stier_agents::solve::{self, Look, PassError, RowPass, StateAt};
use stier_core::public::{HandMove, PublicScene};
use stier_core::{Action, Seat, Turn};

use crate::arrays::{Array, PerPlayer, Reals, writable};
use crate::errors;
use crate::game::{AnyGame, Game};
use crate::policy::{Table, TabularPolicy};
use crate::run::{Progress, goes_on, guarded, locked, watched};
use crate::solve::{ask_on_ranges, form_of, most_bytes, most_histories, settings_of, too_large};
use crate::state::State;
use crate::state_methods::player_number;
use crate::values::{Number, Seed};

/// One array (rows,) or (hands,) for each player.
type Policies<'py> = PerPlayer<'py, f32>;

/// The public states of a game for two, or some of them: those that follow a root, as far as a depth.
///
/// A *public state* is what everybody has seen. Everything else that a player knows is its *hand*. Hands are numbered anew
/// in each public state; `PublicState.state` shows one. A *range* is a number for each hand of a player: the probability
/// that it plays to here with this hand.
///
/// `root` is a public state of another tree of the game, in which this one begins, and `ranges` the ranges of both players
/// there, two arrays (hands,); by default 1 for every hand, so that chance alone counts. Passes compute in single precision,
/// in which regrets below 1e-30 become 0: scale small ranges, so that they add up to about 1.
///
/// `depth` is the number of choices that are looked ahead: public events of a player with a choice. Random events and moves
/// without an alternative do not count. The public states in which the next choice would be made are `leaves`. Their values
/// come from `values(player, ranges)`: `ranges` are two float32 arrays (leaves, most hands), padded with 0, and the result is
/// such an array. For each hand of the player, it adds up over the opponent's hands: the opponent's range times `weights` times
/// the player's expected return. The player's own range is not a factor.
///
/// A game whose public states are found from its histories may have `max_histories` of them. Raises `ArgumentError` for
/// games without public states, and for those that take more memory than `max_memory_mb`.
#[pyclass(frozen, module = "stier.public")]
pub(crate) struct PublicTree {
    /// The game.
    #[pyo3(get)]
    game: Game,
    tree: Arc<solve::PublicTree>,
    ranges: Option<[Vec<f32>; 2]>,
    values: Option<Py<PyAny>>,
    threads: usize,
}

/// A pass over so many hands takes less time than users wait for the answer to Ctrl-C.
const INSTANT: u64 = 1 << 21;

/// The error for a leaf, which has neither rows nor public states that follow.
const CUT_OFF: &str = "the tree is cut off at this public state";

/// The error for a pickle.
fn unpicklable(what: &str) -> PyErr {
    let remedy = match what {
        "tree" => "pass the game and the settings, and build it again",
        "state" => "pass the game and `history`, which `child` follows from a root of its tree",
        _ => "pass the game and the policy, which `PublicTree.follow` follows again",
    };
    PyTypeError::new_err(format!("cannot pickle a public {what}: {remedy}"))
}

const PLAYERS: [Seat; 2] = [Seat(0), Seat(1)];

impl PublicTree {
    /// The numbers of these policies, if they have the rows of their players.
    fn policies<'a>(&self, policies: &'a Policies<'_>) -> PyResult<Vec<std::borrow::Cow<'a, [f32]>>> {
        policies.slices("policies", &PLAYERS.map(|seat| self.tree.num_rows(seat)[0]))
    }

    /// Does passes, which may ask for the values of leaves.
    fn pass<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(solve::LeafValues<'_>, threads::Watch<'_>) -> Result<T, PassError> + Send,
    ) -> PyResult<T> {
        let has_leaves = self.tree.most_hands() > 0;
        if has_leaves && self.values.is_none() {
            return Err(errors::argument(
                "the tree is cut off at a depth: it needs values(player, ranges) for its leaves",
            ));
        }
        let failure = Mutex::new(None);
        let values = |seat: usize, ranges: [&[f32]; 2], out: &mut [f32]| match self.leaf_values(seat, ranges, out) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                *locked(&failure) = Some(error);
                ControlFlow::Break(())
            }
        };
        // The function is called on this thread, which notices signals itself.
        let attend = || match Python::attach(|py| py.check_signals()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                *locked(&failure) = Some(error);
                ControlFlow::Break(())
            }
        };
        let done = match has_leaves {
            true => py.detach(|| work(&values, &attend)),
            false => self.watched(py, |watch| work(&values, watch))?,
        };
        match locked(&failure).take() {
            Some(error) => Err(error),
            None => done.map_err(errors::argument),
        }
    }

    /// Does work on the tree, which Ctrl-C ends if it may take long.
    fn watched<T: Send>(&self, py: Python<'_>, work: impl FnOnce(threads::Watch<'_>) -> T + Send) -> PyResult<T> {
        let interrupt = AtomicBool::new(false);
        let work = || work(&|| goes_on(&interrupt));
        if self.tree.size().hands < INSTANT { Ok(py.detach(work)) } else { watched(py, &interrupt, work) }
    }

    /// The values of the leaves, from the function of the caller.
    fn leaf_values(&self, seat: usize, ranges: [&[f32]; 2], out: &mut [f32]) -> PyResult<()> {
        let Some(values) = &self.values else { return Ok(()) };
        let most = self.tree.most_hands();
        let shape = [out.len() / most, most];
        Python::attach(|py| {
            let ranges = ranges.map(|range| Array::of(range.to_vec(), &shape));
            let found = values.call1(py, (seat, ranges))?;
            let found: Reals<'_, f32, Ix2> = found.extract(py).map_err(|_| {
                errors::argument(format!(
                    "values must return numbers of shape {shape:?}, an array (leaves, most hands)"
                ))
            })?;
            if found.shape() != shape {
                return Err(errors::argument(format!(
                    "values must return an array (leaves, most hands) of shape {shape:?}, got {:?}",
                    found.shape()
                )));
            }
            for (out, value) in out.iter_mut().zip(found.as_array()) {
                if !value.is_finite() {
                    return Err(errors::argument(format!("values must return finite numbers, got {value}")));
                }
                *out = *value;
            }
            Ok(())
        })
    }

    /// The same tree with other ranges.
    fn with(self, ranges: Option<Policies<'_>>) -> PyResult<Self> {
        let Some(ranges) = &ranges else { return Ok(self) };
        let [root] = &self.tree.roots()[..] else {
            return Err(errors::argument("ranges are those at a root, and the tree has several: name one"));
        };
        let found = ranges.slices("ranges", &self.tree.hands(root))?;
        let is_bad = |number: &&f32| !(**number >= 0.0 && number.is_finite());
        if let Some(bad) = found.iter().flat_map(|range| range.iter()).find(is_bad) {
            return Err(errors::argument(format!("ranges must be 0 or more and finite, got {bad}")));
        }
        let ranges = Some([found[0].to_vec(), found[1].to_vec()]);
        Ok(Self { ranges, ..self })
    }

    fn ranges(&self) -> Option<[&[f32]; 2]> {
        self.ranges.as_ref().map(|ranges| ranges.each_ref().map(|range| &range[..]))
    }

    /// The rows of both players in a policy, or in arrays.
    fn rows_of(&self, py: Python<'_>, policy: &Bound<'_, PyAny>) -> PyResult<[Vec<f32>; 2]> {
        if let Ok(policy) = policy.cast::<TabularPolicy>() {
            return self.rows_in(py, policy.get());
        }
        let refused = |_| {
            PyTypeError::new_err(
                "policy must be a solution on public states, or one array of real numbers for each player; \
                 for an agent use follow(tree.policies_of(agent))",
            )
        };
        let policies: Policies<'_> = policy.extract().map_err(refused)?;
        let [first, second] = &self.policies(&policies)?[..] else { unreachable!("there is one for each player") };
        Ok([first.to_vec(), second.to_vec()])
    }

    fn rows_in(&self, py: Python<'_>, policy: &TabularPolicy) -> PyResult<[Vec<f32>; 2]> {
        let Table::Ranges(found) = policy.table_for(&self.game)? else {
            return Err(errors::argument(format!(
                "{} is not on public states; use follow(tree.policies_of(policy)), which asks it",
                policy.name()
            )));
        };
        let rows = self.watched(py, |watch| self.tree.rows_of(found, watch))?.map_err(errors::halted)?;
        rows.ok_or_else(|| errors::argument("the policy is on other public states"))
    }
}

#[pymethods]
impl PublicTree {
    #[new]
    #[pyo3(signature = (game, *, root=None, ranges=None, depth=None, values=None, max_memory_mb=None,
                        max_histories=Number::new(50_000_000), threads=Number::new(0)),
           text_signature = "(game, *, root=None, ranges=None, depth=None, values=None, max_memory_mb=4096, max_histories=50000000, threads=0)")]
    fn new(
        py: Python<'_>,
        game: AnyGame,
        root: Option<PyRef<'_, PublicState>>,
        ranges: Option<Policies<'_>>,
        depth: Option<Number>,
        values: Option<Py<PyAny>>,
        max_memory_mb: Option<Number>,
        max_histories: Number,
        threads: Number,
    ) -> PyResult<Self> {
        let AnyGame(game) = game;
        let (most, bytes, threads) = (most_histories(&max_histories)?, most_bytes(max_memory_mb)?, threads.cores()?);
        let depth = depth.map(|depth| depth.between("depth", 1, 1000)).transpose()?.map(|depth| depth as u32);
        if values.as_ref().is_some_and(|values| !values.bind(py).is_callable()) {
            return Err(PyTypeError::new_err("values must be a function of a player and the ranges at the leaves"));
        }
        if values.is_some() && depth.is_none() {
            return Err(errors::argument("values are those of leaves, which a tree has with a depth"));
        }
        let begun = match &root {
            Some(state) if !state.tree.get().game.is(&game) => {
                let other = state.tree.get().game.text();
                return Err(errors::argument(format!("the root is a public state of {other}, not of {}", game.text())));
            }
            Some(state) => Some((state.at.route.clone(), state.tree.get().tree.tree().form())),
            None => None,
        };
        let progress = Progress::default();
        let interrupt = &progress.interrupt;
        let build = || {
            let (root, form) = match begun {
                Some((route, form)) => (Some(route), form),
                None => (None, form_of(&game, most, interrupt)?),
            };
            let form = (form, &*format!("{:?}", game.face()));
            let tree = solve::PublicTree::new(form, root, depth, (bytes, threads), &|| goes_on(interrupt));
            tree.map_err(|error| too_large(&game, error, "", ""))
        };
        let tree = Arc::new(progress.run(py, build, |error| error)?);
        Self { game, tree, ranges: None, values, threads }.with(ranges)
    }

    /// The number of public states.
    #[getter]
    fn public_states(&self) -> u64 {
        self.tree.size().states
    }

    /// The number of hands of the player to act, in all public states in which one acts.
    #[getter]
    fn information_sets(&self) -> u64 {
        self.tree.size().information_sets
    }

    /// The public states in which the tree begins: the root; else in Schwinget one for each card turned up, without those that
    /// are alike, and in other games the one before the first event, in which chance may act.
    #[getter]
    fn roots(slf: &Bound<'_, Self>) -> Vec<PublicState> {
        slf.get().tree.roots().into_iter().map(|at| PublicState::new(slf, at)).collect()
    }

    /// The public states at which the tree is cut off, in the order of the arrays that `values` gets. Empty without `depth`.
    #[getter]
    fn leaves(slf: &Bound<'_, Self>) -> Vec<PublicState> {
        slf.get().tree.leaves().iter().map(|at| PublicState::new(slf, at.clone())).collect()
    }

    /// The same tree with other ranges at its root; public states of either are those of both.
    fn with_ranges(&self, py: Python<'_>, ranges: Policies<'_>) -> PyResult<Self> {
        let values = self.values.as_ref().map(|values| values.clone_ref(py));
        let Self { game, tree, threads, .. } = self;
        Self { game: game.clone(), tree: tree.clone(), ranges: None, values, threads: *threads }.with(Some(ranges))
    }

    /// The rows of a player: the actions of its hands with several actions, public state after public state. See
    /// `stier.solving.Rows`.
    ///
    /// Returns the numbers of these hands, 0, 1, …, int32 (hands,), the place of the first action of each, int64 (hands,), and
    /// the actions, uint8 (rows,), as new arrays.
    fn rows(&self, py: Python<'_>, player: Number) -> PyResult<(Array<i32>, Array<i64>, Array<u8>)> {
        let seat = player.seat_of(self.game.face())?;
        let actions = self.watched(py, |watch| self.tree.actions(seat, watch))?;
        let actions = Array::row(actions.map_err(errors::argument)?.into_iter().map(|action| action.0));
        let sets = 0..self.tree.num_rows(seat)[1] as i32;
        Ok((Array::row(sets), Array::row(self.tree.first_rows(seat)), actions))
    }

    /// Computes the counterfactual regrets of a player in one pass over the tree, into arrays of the caller.
    ///
    /// `policies` has one array (rows,) for each player: the probabilities of its actions, in the order of `rows`. The
    /// results overwrite C-contiguous float32 arrays, `regrets` and `reach` (rows,), `values` and `others` (hands,), for the
    /// rows of the player; see `stier.solving.GameTree.regrets_into`. Where the tree has a root, `reach` includes the player's
    /// range there, and `others` and `values` that of the other.
    ///
    /// Raises `ArgumentError` for arrays of another kind, for policies that are not probabilities, and for wrong values of
    /// leaves.
    fn regrets_into(
        &self,
        py: Python<'_>,
        player: Number,
        policies: Policies<'_>,
        regrets: &Bound<'_, PyAny>,
        reach: &Bound<'_, PyAny>,
        values: &Bound<'_, PyAny>,
        others: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let seat = player.seat_of(self.game.face())?;
        let policies = self.policies(&policies)?;
        let [rows, hands] = self.tree.num_rows(seat);
        let array = |name, array, length| writable::<f32, Ix1>(name, "float32", array, &[length]);
        let mut regrets = array("regrets", regrets, rows)?;
        let mut reach = array("reach", reach, rows)?;
        let mut values = array("values", values, hands)?;
        let mut others = array("others", others, hands)?;
        let out = RowPass {
            regrets: regrets.as_slice_mut()?,
            reach: reach.as_slice_mut()?,
            values: values.as_slice_mut()?,
            others: others.as_slice_mut()?,
        };
        let policies = [&*policies[0], &*policies[1]];
        self.pass(py, |leaves, watch| self.tree.regrets(seat, policies, self.ranges(), out, leaves, watch))
    }

    /// Makes one policy of those of both players, found elsewhere, and computes its distance from equilibrium.
    ///
    /// See `stier.solving.GameTree.solution`. Raises `ArgumentError` for a tree that is a part of its game.
    #[pyo3(signature = (policies, *, name="policy".to_string(), iterations=Number::new(0), seconds=0.0, history=Vec::new(),
                        seed=Seed(0)),
           text_signature = "($self, policies, *, name='policy', iterations=0, seconds=0.0, history=(), seed=0)")]
    fn solution(
        &self,
        py: Python<'_>,
        policies: Policies<'_>,
        name: String,
        iterations: Number,
        seconds: f64,
        history: Vec<(u64, f64, f64)>,
        seed: Seed,
    ) -> PyResult<TabularPolicy> {
        if !self.tree.is_whole() {
            return Err(errors::argument("the tree is a part of its game, and a solution is for the whole"));
        }
        let policies = self.policies(&policies)?;
        let look = |(iterations, seconds, nash_conv)| Look { iterations, seconds, nash_conv };
        let label = Label {
            source: name,
            iterations: iterations.between("iterations", 0, i64::MAX)?,
            history: history.into_iter().map(look).collect(),
        };
        py.detach(|| {
            let policy = self.tree.policy([&policies[0], &policies[1]]).map_err(errors::argument)?;
            let found = TabularPolicy::measure_ranges(self.game.clone(), label, policy, seed.0, self.threads)?;
            Ok(found.ended_after(seconds))
        })
    }

    /// The policies of both players in a policy or an agent, as two new float32 arrays (rows,).
    ///
    /// A policy on public states is copied. An agent is asked at every hand with a choice, as by `best_response`: with
    /// several `seeds`, hashed from `seed`, whose policies are averaged.
    #[pyo3(signature = (agent, *, seed=Seed(0), seeds=Number::new(1)),
           text_signature = "($self, agent, *, seed=0, seeds=1)")]
    fn policies_of(
        &self,
        py: Python<'_>,
        agent: &Bound<'_, PyAny>,
        seed: Seed,
        seeds: Number,
    ) -> PyResult<[Array<f32>; 2]> {
        if let Ok(policy) = agent.cast::<TabularPolicy>()
            && let Ok(Table::Ranges(_)) = policy.get().table_for(&self.game)
        {
            return Ok(self.rows_in(py, policy.get())?.map(Array::row));
        }
        let settings = settings_of(seed, &seeds, self.threads)?;
        let found = ask_on_ranges(py, &self.game, agent, &settings, self.tree.tree().clone())?;
        let rows = self.watched(py, |watch| self.tree.rows_of(&found, watch))?.map_err(errors::halted)?;
        Ok(rows.expect("the policy is on this tree").map(Array::row))
    }

    /// Follows a policy of both players through all public states: one of the game on public states, or the rows of both.
    ///
    /// It takes two passes, and keeps 24 bytes for each hand in each public state.
    fn follow(slf: &Bound<'_, Self>, py: Python<'_>, policy: &Bound<'_, PyAny>) -> PyResult<Play> {
        let own = slf.get();
        let policies = own.rows_of(py, policy)?;
        let given = policies.each_ref().map(|policy| &policy[..]);
        let play = own.pass(py, |leaves, watch| own.tree.follow(given, own.ranges(), leaves, watch))?;
        Ok(Play { tree: slf.clone().unbind(), policies, play })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.values.as_ref().map_or(Ok(()), |values| visit.call(values))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(unpicklable("tree"))
    }

    fn __repr__(&self) -> String {
        let size = self.tree.size();
        format!(
            "<stier.public.PublicTree of {}: {} public states, {} information sets>",
            self.game.text(),
            size.states,
            size.information_sets
        )
    }
}

/// A public state of a tree: what everybody has seen, and the hands that the players may hold.
///
/// In Schwinget the tree ends before the last trick, in which nobody has a choice: `returns` has its outcomes.
///
/// Two are equal if they are the same public state of one tree.
#[pyclass(frozen, module = "stier.public")]
pub(crate) struct PublicState {
    /// The tree.
    #[pyo3(get)]
    tree: Py<PublicTree>,
    at: StateAt,
}

impl PublicState {
    fn new(tree: &Bound<'_, PublicTree>, at: StateAt) -> Self {
        Self { tree: tree.clone().unbind(), at }
    }

    fn own(&self) -> &solve::PublicTree {
        &self.tree.get().tree
    }

    fn game(&self) -> &Game {
        &self.tree.get().game
    }

    fn turn(&self) -> Turn {
        self.own().scene(&self.at).turn()
    }

    fn seat(&self, player: &Number) -> PyResult<Seat> {
        player.seat_of(self.game().face())
    }

    /// A table by hand of the first player and of the second.
    fn pairs<T>(&self, numbers: Vec<T>) -> Array<T> {
        Array::of(numbers, &self.own().hands(&self.at))
    }

    /// The names of the public events that can follow a public state.
    fn names(&self, at: &StateAt) -> Vec<String> {
        let (turn, detail, face) = (self.own().scene(at).turn(), self.own().detail(at), self.game().face());
        let name = |&action: &Action| match turn {
            Turn::Chance => face.outcome_name(action),
            _ => face.action_name(action),
        };
        if let [only] = &detail.alike[..]
            && only.len() > 1
        {
            return vec!["hidden".to_string()];
        }
        let mut names: Vec<String> = Vec::with_capacity(detail.alike.len());
        for alike in &detail.alike {
            let text = alike.iter().map(name).collect::<Vec<_>>().join(" or ");
            let numbered = (2..).map(|number| format!("{text} ({number})"));
            let name = std::iter::once(text.clone()).chain(numbered).find(|name| !names.contains(name));
            names.extend(name);
        }
        names
    }

    /// The number of a public event, given in words.
    fn event(&self, event: &Bound<'_, PyAny>) -> PyResult<usize> {
        let count = self.own().num_branches(&self.at);
        if self.own().is_leaf(&self.at) {
            return Err(errors::argument(CUT_OFF));
        }
        if count == 0 {
            return Err(errors::argument("nothing can follow this public state"));
        }
        let names = guarded(|| self.names(&self.at))?;
        let Ok(name) = event.extract::<String>() else {
            return Err(PyTypeError::new_err(format!(
                "an event is given in words, got {}; events: {}; children() has what follows each of them",
                event.repr()?,
                names.join(", ")
            )));
        };
        let found = names.iter().position(|other| *other == name);
        found.ok_or_else(|| errors::argument(format!("no event '{name}'; events: {}", names.join(", "))))
    }

    /// The actions of all hands, ascending.
    fn columns(&self) -> Vec<Action> {
        let mut actions = self.own().detail(&self.at).legal.concat();
        actions.sort_unstable();
        actions.dedup();
        actions
    }

    /// Writes a table by hand of the player to act and by action: numbers of rows, and `single` where a hand has one action.
    fn fill(&self, rows: &[f32], single: f32) -> PyResult<Array<f32>> {
        if self.own().is_leaf(&self.at) {
            return Err(errors::argument(CUT_OFF));
        }
        let (columns, detail) = (self.columns(), self.own().detail(&self.at));
        let legal = &detail.legal;
        let mut table = vec![0.0; legal.len() * columns.len()];
        let mut rows = rows.iter();
        for (legal, row) in legal.iter().zip(table.chunks_exact_mut(columns.len().max(1))) {
            for action in legal {
                let place = columns.binary_search(action).expect("it is one of them");
                row[place] = if legal.len() == 1 { single } else { *rows.next().expect("a number for each action") };
            }
        }
        Ok(Array::of(table, &[legal.len(), columns.len()]))
    }
}

/// The moves of hands with an event: the hand before, the action (-1 if the player does not act) and the hand after.
type Moves = (Array<i32>, Array<i32>, Array<i32>);

#[pymethods]
impl PublicState {
    /// The player who acts, `stier.CHANCE`, or `stier.TERMINAL` where nobody has a choice any more.
    #[getter]
    fn player(&self) -> i64 {
        player_number(self.turn())
    }

    /// True if the tree is cut off here.
    #[getter]
    fn is_leaf(&self) -> bool {
        self.own().is_leaf(&self.at)
    }

    /// The number of hands that a player may hold.
    fn hands(&self, player: Number) -> PyResult<usize> {
        Ok(self.own().hands(&self.at)[self.seat(&player)?.index()])
    }

    /// A state in which the player knows what it knows here with this hand. What it does not know is one possibility of
    /// several, always the same. `state(player, 3).hand()` lists the cards of hand 3 where the game has such a method.
    fn state(&self, player: Number, hand: Number) -> PyResult<State> {
        let seat = self.seat(&player)?;
        let hands = self.own().hands(&self.at)[seat.index()];
        let hand = hand.between("hand", 0, hands as i64 - 1)? as usize;
        let place = self.own().place(&self.at, seat, hand);
        let game = self.game();
        let found = guarded(|| game.face().public_history(&*self.own().tree().form(), seat, &place))?;
        let state = found.ok_or_else(|| errors::argument(format!("no hand of the other player fits hand {hand}")))?;
        Ok(State::new(game.clone(), state))
    }

    /// The actions that the player to act has with any hand, ascending: the columns of tables.
    #[getter]
    fn actions(&self) -> Vec<u16> {
        self.columns().into_iter().map(|action| action.0.into()).collect()
    }

    /// True where the player to act has the action with the hand, as a new bool array (hands, actions).
    #[getter]
    fn legal(&self) -> Array<bool> {
        let (columns, detail) = (self.columns(), self.own().detail(&self.at));
        let legal = &detail.legal;
        let cells = legal.iter().flat_map(|legal| columns.iter().map(move |action| legal.contains(action))).collect();
        Array::of(cells, &[legal.len(), columns.len()])
    }

    /// The public events that can follow, in words. Actions and random events that look alike to a spectator are one event,
    /// such as `"1 or 2"`; `"hidden"` if all do. If the spectator sees something else that tells events apart, they are
    /// numbered: `"1 or 2 (2)"`.
    #[getter]
    fn events(&self) -> PyResult<Vec<String>> {
        if self.own().num_branches(&self.at) == 0 {
            return Ok(Vec::new());
        }
        guarded(|| self.names(&self.at))
    }

    /// The public state after an event, given in words: one of `events`.
    fn child(&self, py: Python<'_>, event: &Bound<'_, PyAny>) -> PyResult<Self> {
        let at = self.own().child(&self.at, self.event(event)?);
        Ok(Self { tree: self.tree.clone_ref(py), at })
    }

    /// The public states that follow, in the order of `events`.
    fn children(&self, py: Python<'_>) -> Vec<Self> {
        let branches = 0..self.own().num_branches(&self.at);
        branches.map(|branch| Self { tree: self.tree.clone_ref(py), at: self.own().child(&self.at, branch) }).collect()
    }

    /// The events since the tree began, in words.
    #[getter]
    fn history(&self) -> PyResult<Vec<String>> {
        guarded(|| self.own().path(&self.at).iter().map(|(at, branch)| self.names(at).swap_remove(*branch)).collect())
    }

    /// True where both hands can be held at once, as a new bool array (hands of player 0, hands of player 1).
    #[getter]
    fn fits(&self) -> Array<bool> {
        self.pairs(self.own().weights(&self.at).into_iter().map(|weight| weight > 0.0).collect())
    }

    /// The probability that chance leads here with both hands, if the players do: a new float64 array (hands of player 0,
    /// hands of player 1). It is 0 for hands that do not fit together.
    #[getter]
    fn weights(&self) -> Array<f64> {
        self.pairs(self.own().weights(&self.at))
    }

    /// The expected returns of a player at an end, as a new float64 array (hands of player 0, hands of player 1); 0 for hands
    /// that do not fit together.
    ///
    /// Raises `ArgumentError` elsewhere.
    fn returns(&self, player: Number) -> PyResult<Array<f64>> {
        let found = self.own().returns(&self.at, self.seat(&player)?);
        found
            .map(|returns| self.pairs(returns))
            .ok_or_else(|| errors::argument("the game has not ended in this public state"))
    }

    /// The changes of a player's hands with an event, as new int32 arrays: the hand before, the action, and the hand after.
    ///
    /// A hand of the player who acts is there once for each hand that it may become, by a draw or because others notice
    /// something. The action is -1 for the other player and where chance acts.
    fn moves(&self, event: &Bound<'_, PyAny>, player: Number) -> PyResult<Moves> {
        let (branch, seat) = (self.event(event)?, self.seat(&player)?);
        let scene = self.own().scene(&self.at);
        let PublicScene::Choice(choice) = &*scene else { unreachable!("an event can follow") };
        let (detail, next) = (self.own().detail(&self.at), &choice.branches[branch]);
        let rows: Vec<[i32; 3]> = if seat == choice.mover() {
            let action = |step: &HandMove| match detail.legal.get(usize::from(step.from)) {
                Some(legal) => i32::from(legal[usize::from(step.rank)].0),
                None => -1,
            };
            next.moves.iter().map(|step| [step.from.into(), action(step), step.to.into()]).collect()
        } else {
            (0..).zip(&next.kept).map(|(hand, &before)| [before.into(), -1, hand]).collect()
        };
        let column = |place: usize| Array::row(rows.iter().map(move |row| row[place]).collect::<Vec<_>>());
        Ok((column(0), column(1), column(2)))
    }

    /// The place of this public state among the rows of the player to act, as a slice; empty where nobody has a choice.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> Bound<'py, PySlice> {
        let range = self.own().rows_at(&self.at).map_or(0..0, |(_, range)| range);
        PySlice::new(py, range.start as isize, range.end as isize, 1)
    }

    /// The numbers of this public state as a new float32 array (hands, actions), from an array of all rows of the player to
    /// act. It has 0 where an action is not legal, and `single` where the hand has one legal action: such hands have no row.
    #[pyo3(signature = (numbers, single=0.0))]
    fn table(&self, numbers: Reals<'_, f32, Ix1>, single: f32) -> PyResult<Array<f32>> {
        let Some((seat, range)) = self.own().rows_at(&self.at) else { return self.fill(&[], single) };
        let (expected, found) = (self.own().num_rows(seat)[0], numbers.len());
        if found != expected {
            let message = format!("numbers must be those of all {expected} rows of player {seat}, got {found}");
            return Err(errors::argument(message));
        }
        self.fill(&numbers.numbers()[range], single)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.tree)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(unpicklable("state"))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| {
            let other = other.get();
            Arc::ptr_eq(&self.tree.get().tree, &other.tree.get().tree) && self.at.route == other.at.route
        })
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.at.route.hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> PyResult<String> {
        let [first, second] = self.own().hands(&self.at);
        let who = match self.turn() {
            Turn::Seat(seat) => format!("player {seat} to act"),
            Turn::Chance => "chance to act".to_string(),
            Turn::Over => "the end".to_string(),
        };
        let history = self.history()?.join(", ");
        let after = if history.is_empty() { String::new() } else { format!(" after {history}") };
        let root = match self.at.event {
            Some(event) => format!(" from {}", guarded(|| self.game().face().outcome_name(event))?),
            None => String::new(),
        };
        let game = self.game().text();
        Ok(format!("<stier.public.PublicState of {game}{root}{after}: {who}, {first} and {second} hands>"))
    }
}

/// The course of play if both players follow their policies, in every public state of a tree. `PublicTree.follow` makes it.
#[pyclass(frozen, module = "stier.public")]
pub(crate) struct Play {
    /// The tree.
    #[pyo3(get)]
    tree: Py<PublicTree>,
    policies: [Vec<f32>; 2],
    play: solve::Play,
}

impl Play {
    /// The public state, if it is one of the tree.
    fn at<'a>(&self, state: &'a PublicState) -> PyResult<&'a StateAt> {
        match Arc::ptr_eq(&self.tree.get().tree, &state.tree.get().tree) {
            true => Ok(&state.at),
            false => Err(errors::argument("the public state belongs to another tree")),
        }
    }

    fn own(&self) -> &solve::PublicTree {
        &self.tree.get().tree
    }
}

/// The sum of products.
fn dot(first: &[f32], second: &[f32]) -> f64 {
    first.iter().zip(second).map(|(first, second)| f64::from(*first) * f64::from(*second)).sum()
}

#[pymethods]
impl Play {
    /// The ranges of both players: the probability that a player plays to here with the hand, times its range at the root; two
    /// new float32 arrays (hands,).
    fn ranges(&self, state: &PublicState) -> PyResult<[Array<f32>; 2]> {
        let at = self.at(state)?;
        Ok(PLAYERS.map(|seat| Array::row(self.play.range(self.own(), at, seat))))
    }

    /// The counterfactual values of the hands of both players: the expected return of the player, times `others`; two new
    /// float32 arrays (hands,).
    fn values(&self, state: &PublicState) -> PyResult<[Array<f32>; 2]> {
        let at = self.at(state)?;
        Ok(PLAYERS.map(|seat| Array::row(self.play.values(self.own(), at, seat))))
    }

    /// The probability that chance and the other player lead to each hand of both players: two new float32 arrays (hands,).
    /// Multiply it by the range to get the probability that play leads here with this hand.
    fn others(&self, state: &PublicState) -> PyResult<[Array<f32>; 2]> {
        let at = self.at(state)?;
        Ok(PLAYERS.map(|seat| Array::row(self.play.others(self.own(), at, seat))))
    }

    /// The probability that play leads to the public state.
    fn reach(&self, state: &PublicState) -> PyResult<f64> {
        let at = self.at(state)?;
        Ok(dot(&self.play.range(self.own(), at, PLAYERS[0]), &self.play.others(self.own(), at, PLAYERS[0])))
    }

    /// The expected return of a player once play has led to the public state; nan if it never does.
    #[pyo3(signature = (state, player=Number::new(0)), text_signature = "($self, state, player=0)")]
    fn value(&self, state: &PublicState, player: Number) -> PyResult<f64> {
        let (at, seat) = (self.at(state)?, state.seat(&player)?);
        let range = self.play.range(self.own(), at, seat);
        let [all, reach] = [self.play.values(self.own(), at, seat), self.play.others(self.own(), at, seat)]
            .map(|numbers| dot(&range, &numbers));
        Ok(all / reach)
    }

    /// The policy of the player to act, as a new float32 array (hands, actions).
    fn policy(&self, state: &PublicState) -> PyResult<Array<f32>> {
        self.at(state)?;
        let rows = state.own().rows_at(&state.at).map_or(&[][..], |(seat, range)| &self.policies[seat.index()][range]);
        state.fill(rows, 1.0)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.tree)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(unpicklable("play"))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<stier.public.Play in {}>", self.tree.bind(py).repr()?))
    }
}
