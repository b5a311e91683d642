//! `stier.solving.GameTree`.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use numpy::{Ix2, PyUntypedArrayMethods as _};
use pyo3::prelude::*;
use stier_agents::belief::Beliefs;
use stier_agents::erased::DynTree;
use stier_agents::solve::{Passes, SeatRows, policy_of_rows};

use crate::arrays::{Array, PerPlayer, Reals, pass_into, tensors};
use crate::errors;
use crate::game::{AnyGame, Game};
use crate::policy::{Kept, TabularPolicy, Texts, knowledge, label_of, origin};
use crate::run::{Progress, interruptible, locked};
use crate::solve::{Trees, ask, enumerate, most_histories, settings_of};
use crate::values::{Number, Seed, choice};

/// A whole game in memory, for policies that are computed for all information sets at once.
///
/// Information sets are numbered by the number of choices before them. Raises `ValueError` for a game with more
/// histories than `max_histories`. A history takes about ten bytes, an information set about fifty.
#[pyclass(frozen, module = "stier.solving")]
pub(crate) struct GameTree {
    /// The game.
    #[pyo3(get)]
    game: Game,
    tree: Arc<dyn DynTree>,
    threads: usize,
    rows: OnceLock<Vec<SeatRows>>,
    /// Memory that passes use again.
    passes: Mutex<Option<Passes>>,
}

/// An array (sets, actions).
type Probabilities<'py> = Reals<'py, f64, Ix2>;
/// One policy for each player, an array (rows,) each.
type Policies<'py> = PerPlayer<'py, f64>;

impl GameTree {
    /// The rows of all players.
    fn seat_rows(&self) -> &[SeatRows] {
        self.rows.get_or_init(|| SeatRows::of(self.tree.shape()))
    }

    /// The numbers of these policies, if they have the rows of their players.
    fn policies<'a>(&self, policies: &'a Policies<'_>) -> PyResult<Vec<Cow<'a, [f64]>>> {
        let rows: Vec<usize> = self.seat_rows().iter().map(SeatRows::len).collect();
        policies.slices("policies", &rows)
    }

    /// The information sets from `start` to `stop`, by default to the end.
    fn range(&self, start: &Number, stop: Option<&Number>) -> PyResult<Range<usize>> {
        let sets = self.tree.information_sets() as i64;
        let start = start.between("start", 0, sets)?;
        let stop = stop.map_or(Ok(sets as u64), |stop| stop.between("stop", start as i64, sets))?;
        Ok(start as usize..stop as usize)
    }

    /// The numbers of an array (sets, actions).
    fn numbers(&self, array: &Probabilities<'_>) -> PyResult<Vec<f64>> {
        let rows = array.as_array();
        let expected = [self.tree.information_sets(), self.game.face().info().num_actions];
        if rows.shape() != expected {
            return Err(errors::argument(format!(
                "probabilities must have shape {expected:?}, got {:?}",
                rows.shape()
            )));
        }
        Ok(rows.iter().copied().collect())
    }
}

#[pymethods]
impl GameTree {
    #[new]
    #[pyo3(signature = (game, *, max_histories=Number::new(50_000_000), threads=Number::new(0)),
           text_signature = "(game, *, max_histories=50000000, threads=0)")]
    fn new(py: Python<'_>, game: AnyGame, max_histories: Number, threads: Number) -> PyResult<Self> {
        let AnyGame(game) = &game;
        let (most, threads) = (most_histories(&max_histories)?, threads.cores()?);
        let progress = Progress::default();
        let work = || enumerate(game, most, threads, &progress, "");
        let tree = progress.run(py, work, |error| error)?;
        Ok(Self { game: game.clone(), tree, threads, rows: OnceLock::new(), passes: Mutex::new(None) })
    }

    /// The number of information sets, including those with one legal action.
    #[getter]
    fn information_sets(&self) -> usize {
        self.tree.information_sets()
    }

    /// The number of histories; see `TabularPolicy.histories`.
    #[getter]
    fn histories(&self) -> usize {
        self.tree.histories()
    }

    /// The player to move at each information set, as a new int32 array (sets,).
    fn players(&self) -> Array<i32> {
        Array::row(self.tree.movers().into_iter().map(|seat| seat.0.into()))
    }

    /// The legal actions at the information sets from `start` to `stop`, as a new bool array (sets, actions).
    #[pyo3(signature = (start=Number::new(0), stop=None), text_signature = "($self, start=0, stop=None)")]
    fn legal_action_masks(&self, py: Python<'_>, start: Number, stop: Option<Number>) -> PyResult<Array<bool>> {
        let sets = self.range(&start, stop.as_ref())?;
        let shape = [sets.len(), self.game.face().info().num_actions];
        py.detach(|| Array::filled(&shape, |mask| self.tree.legal(sets, mask)))
    }

    /// The knowledge of the player to move at the information sets from `start` to `stop`, each as by
    /// `State.information_state_string`.
    #[pyo3(signature = (start=Number::new(0), stop=None), text_signature = "($self, start=0, stop=None)")]
    fn information_state_strings(&self, py: Python<'_>, start: Number, stop: Option<Number>) -> PyResult<Texts> {
        knowledge(py, &*self.tree, self.range(&start, stop.as_ref())?)
    }

    /// The observations of the player to move at the information sets from `start` to `stop`, as a new array (sets, D)
    /// of type `"float32"` or `"uint8"`. Query some thousands at a time.
    #[pyo3(signature = (start=Number::new(0), stop=None, dtype="float32"),
           text_signature = "($self, start=0, stop=None, dtype='float32')")]
    fn observation_tensors(
        &self,
        py: Python<'_>,
        start: Number,
        stop: Option<Number>,
        dtype: &str,
    ) -> PyResult<Py<PyAny>> {
        let sets = self.range(&start, stop.as_ref())?;
        let shape = [sets.len(), self.game.observation_size()];
        tensors(py, dtype, shape, |cells| self.tree.observations(sets, cells))
    }

    /// Makes the policy with these probabilities, an array (sets, actions), and computes its distance from equilibrium.
    ///
    /// Raises `ValueError` unless the probabilities of the legal actions of every information set sum to 1 (in single
    /// precision) and all others are 0. Takes about as long as two iterations of a solver. `seed` determines the draws
    /// of `step`.
    #[pyo3(signature = (probabilities, *, name="policy".to_string(), seed=Seed(0)),
           text_signature = "($self, probabilities, *, name='policy', seed=0)")]
    fn policy(
        &self,
        py: Python<'_>,
        probabilities: Probabilities<'_>,
        name: String,
        seed: Seed,
    ) -> PyResult<TabularPolicy> {
        let rows = self.numbers(&probabilities)?;
        py.detach(|| {
            let policy = self.tree.policy(&rows).map_err(errors::argument)?;
            TabularPolicy::measure(self.game.clone(), origin(name), Kept::Tree(policy), seed.0, self.threads)
        })
    }

    /// The policy of an agent, queried at every information set as by `best_response`, with its distance from equilibrium.
    ///
    /// A search should be queried with several `seeds`, hashed from `seed`, whose policies are averaged.
    ///
    /// `on_progress(done, total)` is called about ten times a second and after the last information set.
    #[pyo3(signature = (agent, *, seed=Seed(0), seeds=Number::new(1), on_progress=None),
           text_signature = "($self, agent, *, seed=0, seeds=1, on_progress=None)")]
    fn policy_of(
        &self,
        py: Python<'_>,
        agent: &Bound<'_, PyAny>,
        seed: Seed,
        seeds: Number,
        on_progress: Option<Py<PyAny>>,
    ) -> PyResult<TabularPolicy> {
        let settings = settings_of(seed, &seeds, self.threads)?;
        let progress = Progress::new(0, on_progress, None);
        Ok(ask(py, &self.game, agent, &settings, Trees::Given(self.tree.clone()), &progress)?.0)
    }

    /// The value of every action to the player to move, if all players follow the policy afterwards.
    ///
    /// `probabilities` are those of a policy, an array (sets, actions) as for `policy`. Returns a new float64 array of the
    /// same shape: the player's expected return, in the game's utility, if play has reached the information set and the
    /// player chooses the action. Values of actions that are not legal are 0. Takes about as long as two iterations of a
    /// solver.
    ///
    /// An information set is a set of histories. With `beliefs="policy"` they have the exact posterior probabilities, given
    /// that all other players follow the policy. With `beliefs="uniform"` they have the probabilities of the random events
    /// alone: the other players' past actions say nothing, but they still follow the policy afterwards. The player's own
    /// past actions are the same in all histories and do not matter. At information sets that the other players' policies
    /// never reach, there is no posterior, and `"policy"` means the same as `"uniform"`. `"exact"` is another name of `"policy"`.
    ///
    /// Raises `ValueError` as `policy` does, and for unknown beliefs.
    #[pyo3(signature = (probabilities, *, beliefs="policy"), text_signature = "($self, probabilities, *, beliefs='policy')")]
    fn action_values(&self, py: Python<'_>, probabilities: Probabilities<'_>, beliefs: &str) -> PyResult<Array<f64>> {
        let beliefs: Beliefs = choice("beliefs", beliefs)?;
        let rows = self.numbers(&probabilities)?;
        let values = py.detach(|| {
            let policy = self.tree.policy(&rows).map_err(errors::argument)?;
            policy.action_values(beliefs, self.threads).map_err(errors::halted)
        })?;
        Ok(Array::of(values, probabilities.shape()))
    }

    /// The rows of a player: the actions of its information sets with several actions, one set after another. See
    /// `stier.solving.Rows`.
    ///
    /// Returns the numbers of these information sets, int32 (sets,), the place of the first action of each, int64 (sets,),
    /// and the actions, uint8 (rows,), as new arrays.
    fn rows(&self, player: Number) -> PyResult<(Array<i32>, Array<i64>, Array<u8>)> {
        let seat = player.seat_of(self.game.face())?;
        let rows = &self.seat_rows()[seat.index()];
        let sets = Array::row(rows.sets().iter().map(|&set| set as i32));
        let starts = Array::row(rows.starts()[..rows.sets().len()].iter().map(|&start| start.into()));
        Ok((sets, starts, Array::row(rows.actions(self.tree.shape()).iter().map(|action| action.0))))
    }

    /// Computes the counterfactual regrets of a player in one pass over the tree, into arrays of the caller.
    ///
    /// `policies` has one array (rows,) for each player: the probabilities of its actions, in the order of `rows`. The
    /// results overwrite C-contiguous float64 arrays, `regrets` and `reach` (rows,), `values` and `others` (sets,), for the
    /// rows of the player:
    ///
    /// - `others`: the probability that chance and the other players lead to the information set;
    /// - `values`: the player's expected return there if all follow their policies, times `others`;
    /// - `regrets`: the same if the player chooses the action, minus `values`;
    /// - `reach`: the probability that the player's own choices lead to the information set and then to the action.
    ///
    /// Takes 0.6 to 1.1 times as long as an iteration of a solver for two players. The first pass allocates at most 12 bytes
    /// per history and 16 per action, which the tree keeps. Raises `ArgumentError` for arrays of another kind, and for
    /// policies that are not probabilities.
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
        let policies: Vec<&[f64]> = policies.iter().map(|policy| &**policy).collect();
        let (tree, rows) = (self.tree.shape(), self.seat_rows());
        let size = [rows[seat.index()].len(), rows[seat.index()].sets().len()];
        pass_into([regrets, reach, values, others], size, |mut out| {
            let done = interruptible(py, tree.num_nodes() as u64, |watch| {
                let mut passes = locked(&self.passes);
                let passes = passes.get_or_insert_with(|| Passes::new(tree, self.threads));
                passes.run(tree, rows, &policies, seat, &mut out, watch)
            });
            done?.map_err(errors::argument)
        })
    }

    /// Makes one policy of those of all players, found elsewhere, and computes its distance from equilibrium.
    ///
    /// `policies` are as for `regrets_into`; actions without alternatives have probability 1. `name` and `iterations` are
    /// those of the result. Its `history` is the one given, rows of (iterations, seconds, NashConv), and this policy after
    /// `seconds`. `seed` determines the draws of `TabularPolicy.step`. Raises `ArgumentError` for policies that are not
    /// probabilities.
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
        let (policies, label) = (self.policies(&policies)?, label_of(name, &iterations, history)?);
        let policies: Vec<&[f64]> = policies.iter().map(|policy| &**policy).collect();
        py.detach(|| {
            let policy = policy_of_rows(self.tree.shape(), self.seat_rows(), &policies).map_err(errors::argument)?;
            let table = Kept::Tree(self.tree.of_policy(policy));
            Ok(TabularPolicy::measure(self.game.clone(), label, table, seed.0, self.threads)?.ended_after(seconds))
        })
    }

    fn __repr__(&self) -> String {
        format!(
            "<stier.GameTree of {}: {} histories, {} information sets>",
            self.game.text(),
            self.histories(),
            self.information_sets()
        )
    }
}
