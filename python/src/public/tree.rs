//! `stier.public.PublicTree`.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use numpy::{Ix2, PyUntypedArrayMethods as _};
use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use stier_agents::agent::threads;
use stier_agents::solve::{self, PassError};

use super::{PLAYERS, Play, Policies, PublicState, unpicklable};
use crate::arrays::{Array, Reals, pass_into};
use crate::errors;
use crate::game::{AnyGame, Game};
use crate::policy::{Kept, TabularPolicy, label_of};
use crate::run::{Progress, goes_on, interruptible, locked};
use crate::solve::{ask_on_ranges, form_of, most_bytes, most_histories, settings_of, too_large};
use crate::values::{Number, Seed};

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
    pub(super) game: Game,
    pub(super) tree: Arc<solve::PublicTree>,
    ranges: Option<[Vec<f32>; 2]>,
    values: Option<Py<PyAny>>,
    threads: usize,
}

impl PublicTree {
    /// The numbers of these policies, if they have the rows of their players.
    fn policies<'a>(&self, policies: &'a Policies<'_>) -> PyResult<Vec<Cow<'a, [f32]>>> {
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
        interruptible(py, self.tree.size().hands, work)
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
            return self.rows_in(py, policy);
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

    /// A policy on folded public states is asked about these.
    fn rows_in(&self, py: Python<'_>, policy: &Bound<'_, TabularPolicy>) -> PyResult<[Vec<f32>; 2]> {
        let Kept::Ranges(found) = policy.get().table_for(&self.game)? else {
            return Err(errors::argument(format!(
                "{} is not on public states; use follow(tree.policies_of(policy)), which asks it",
                policy.get().name()
            )));
        };
        let rows = self.watched(py, |watch| self.tree.rows_of(found, watch))?.map_err(errors::halted)?;
        rows.map_or_else(|| self.asked(py, policy, Seed(0), &Number::new(1)), Ok)
    }

    /// The rows of an agent.
    fn asked(&self, py: Python<'_>, agent: &Bound<'_, PyAny>, seed: Seed, seeds: &Number) -> PyResult<[Vec<f32>; 2]> {
        let settings = settings_of(seed, seeds, self.threads)?;
        let found = ask_on_ranges(py, &self.game, agent, &settings, self.tree.tree().clone())?;
        let rows = self.watched(py, |watch| self.tree.rows_of(&found, watch))?.map_err(errors::halted)?;
        Ok(rows.expect("the policy is on this tree"))
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
                None => (None, form_of(&game, most, false, interrupt)?),
            };
            let form = (form, &*game.face().identity());
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
    /// See `stier.solving.GameTree.regrets_into`: here the results are float32 arrays, `regrets` and `reach` (rows,), `values`
    /// and `others` (hands,). Where the tree has a root, `reach` includes the player's range there, and `others` and `values`
    /// that of the other. Raises `ArgumentError` for wrong values of leaves, too.
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
        let policies = [&*policies[0], &*policies[1]];
        pass_into([regrets, reach, values, others], self.tree.num_rows(seat), |out| {
            self.pass(py, |leaves, watch| self.tree.regrets(seat, policies, self.ranges(), out, leaves, watch))
        })
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
        let (policies, label) = (self.policies(&policies)?, label_of(name, &iterations, history)?);
        py.detach(|| {
            let policy = self.tree.policy([&policies[0], &policies[1]]).map_err(errors::argument)?;
            let table = Kept::Ranges(Arc::new(policy));
            Ok(TabularPolicy::measure(self.game.clone(), label, table, seed.0, self.threads)?.ended_after(seconds))
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
            && let Ok(Kept::Ranges(_)) = policy.get().table_for(&self.game)
        {
            return Ok(self.rows_in(py, policy)?.map(Array::row));
        }
        Ok(self.asked(py, agent, seed, &seeds)?.map(Array::row))
    }

    /// Follows a policy of both players through all public states: one of the game on public states, or the rows of both.
    ///
    /// It takes two passes, and keeps 24 bytes for each hand in each public state.
    fn follow(slf: &Bound<'_, Self>, py: Python<'_>, policy: &Bound<'_, PyAny>) -> PyResult<Play> {
        let this = slf.get();
        let policies = this.rows_of(py, policy)?;
        let given = policies.each_ref().map(|policy| &policy[..]);
        let play = this.pass(py, |leaves, watch| this.tree.follow(given, this.ranges(), leaves, watch))?;
        Ok(Play::new(slf, policies, play))
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
