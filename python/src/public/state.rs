//! `stier.public.PublicState`.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use numpy::{Ix1, PyUntypedArrayMethods as _};
use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PySlice;
use stier_agents::solve::{self, TreeState};
use stier_core::public::{HandMove, PublicScene};
use stier_core::{Action, Seat, Turn};

use super::{CUT_OFF, PublicTree, unpicklable};
use crate::arrays::{Array, Reals};
use crate::errors;
use crate::game::Game;
use crate::run::guarded;
use crate::state::State;
use crate::state_methods::player_number;
use crate::values::Number;

/// A public state of a tree: what everybody has seen, and the hands that the players may hold.
///
/// In Schwinget the tree ends before the last trick, in which nobody has a choice: `returns` has its outcomes.
///
/// Two are equal if they are the same public state of one tree.
#[pyclass(frozen, module = "stier.public")]
pub(crate) struct PublicState {
    /// The tree.
    #[pyo3(get)]
    pub(super) tree: Py<PublicTree>,
    pub(super) at: TreeState,
}

impl PublicState {
    pub(super) fn new(tree: &Bound<'_, PublicTree>, at: TreeState) -> Self {
        Self { tree: tree.clone().unbind(), at }
    }

    pub(super) fn inner(&self) -> &solve::PublicTree {
        &self.tree.get().tree
    }

    fn game(&self) -> &Game {
        &self.tree.get().game
    }

    fn turn(&self) -> Turn {
        self.inner().scene(&self.at).turn()
    }

    pub(super) fn seat(&self, player: &Number) -> PyResult<Seat> {
        player.seat_of(self.game().face())
    }

    /// A table by hand of the first player and of the second.
    fn pairs<T>(&self, numbers: Vec<T>) -> Array<T> {
        Array::of(numbers, &self.inner().hands(&self.at))
    }

    /// The names of the public events that can follow a public state.
    fn names(&self, at: &TreeState) -> Vec<String> {
        let (turn, detail, face) = (self.inner().scene(at).turn(), self.inner().detail(at), self.game().face());
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
        let count = self.inner().num_branches(&self.at);
        if self.inner().is_leaf(&self.at) {
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
        let mut actions = self.inner().detail(&self.at).legal.concat();
        actions.sort_unstable();
        actions.dedup();
        actions
    }

    /// Writes a table by hand of the player to act and by action: numbers of rows, and `single` where a hand has one action.
    pub(super) fn fill(&self, rows: &[f32], single: f32) -> PyResult<Array<f32>> {
        if self.inner().is_leaf(&self.at) {
            return Err(errors::argument(CUT_OFF));
        }
        let (columns, detail) = (self.columns(), self.inner().detail(&self.at));
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
        self.inner().is_leaf(&self.at)
    }

    /// The number of hands that a player may hold.
    fn hands(&self, player: Number) -> PyResult<usize> {
        Ok(self.inner().hands(&self.at)[self.seat(&player)?.index()])
    }

    /// A state in which the player knows what it knows here with this hand. What it does not know is one possibility of
    /// several, always the same. In games with cards, `state(player, 3).hand(player)` lists those of hand 3.
    fn state(&self, player: Number, hand: Number) -> PyResult<State> {
        let seat = self.seat(&player)?;
        let hands = self.inner().hands(&self.at)[seat.index()];
        let hand = hand.between("hand", 0, hands as i64 - 1)? as usize;
        let place = self.inner().place(&self.at, seat, hand);
        let game = self.game();
        let found = guarded(|| game.face().public_history(&*self.inner().tree().form(), seat, &place))?;
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
        let (columns, detail) = (self.columns(), self.inner().detail(&self.at));
        let legal = &detail.legal;
        let cells = legal.iter().flat_map(|legal| columns.iter().map(move |action| legal.contains(action))).collect();
        Array::of(cells, &[legal.len(), columns.len()])
    }

    /// The public events that can follow, in words. Actions and random events that look alike to a spectator are one event,
    /// such as `"1 or 2"`; `"hidden"` if all do. If the spectator sees something else that tells events apart, they are
    /// numbered: `"1 or 2 (2)"`.
    #[getter]
    fn events(&self) -> PyResult<Vec<String>> {
        if self.inner().num_branches(&self.at) == 0 {
            return Ok(Vec::new());
        }
        guarded(|| self.names(&self.at))
    }

    /// The public state after an event, given in words: one of `events`.
    fn child(&self, py: Python<'_>, event: &Bound<'_, PyAny>) -> PyResult<Self> {
        let at = self.inner().child(&self.at, self.event(event)?);
        Ok(Self { tree: self.tree.clone_ref(py), at })
    }

    /// The public states that follow, in the order of `events`.
    fn children(&self, py: Python<'_>) -> Vec<Self> {
        let branches = 0..self.inner().num_branches(&self.at);
        branches
            .map(|branch| Self { tree: self.tree.clone_ref(py), at: self.inner().child(&self.at, branch) })
            .collect()
    }

    /// The events since the tree began, in words.
    #[getter]
    fn history(&self) -> PyResult<Vec<String>> {
        guarded(|| self.inner().path(&self.at).iter().map(|(at, branch)| self.names(at).swap_remove(*branch)).collect())
    }

    /// True where both hands can be held at once, as a new bool array (hands of player 0, hands of player 1).
    #[getter]
    fn fits(&self) -> Array<bool> {
        self.pairs(self.inner().weights(&self.at).into_iter().map(|weight| weight > 0.0).collect())
    }

    /// The probability that chance leads here with both hands, if the players do: a new float64 array (hands of player 0,
    /// hands of player 1). It is 0 for hands that do not fit together.
    #[getter]
    fn weights(&self) -> Array<f64> {
        self.pairs(self.inner().weights(&self.at))
    }

    /// The expected returns of a player at an end, as a new float64 array (hands of player 0, hands of player 1); 0 for hands
    /// that do not fit together.
    ///
    /// Raises `ArgumentError` elsewhere.
    fn returns(&self, player: Number) -> PyResult<Array<f64>> {
        let found = self.inner().returns(&self.at, self.seat(&player)?);
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
        let scene = self.inner().scene(&self.at);
        let PublicScene::Choice(choice) = &*scene else { unreachable!("an event can follow") };
        let (detail, next) = (self.inner().detail(&self.at), &choice.branches[branch]);
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
        let range = self.inner().rows_at(&self.at).map_or(0..0, |(_, range)| range);
        PySlice::new(py, range.start as isize, range.end as isize, 1)
    }

    /// The numbers of this public state as a new float32 array (hands, actions), from an array of all rows of the player to
    /// act. It has 0 where an action is not legal, and `single` where the hand has one legal action: such hands have no row.
    #[pyo3(signature = (numbers, single=0.0))]
    fn table(&self, numbers: Reals<'_, f32, Ix1>, single: f32) -> PyResult<Array<f32>> {
        let Some((seat, range)) = self.inner().rows_at(&self.at) else { return self.fill(&[], single) };
        let (expected, found) = (self.inner().num_rows(seat)[0], numbers.len());
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
        let [first, second] = self.inner().hands(&self.at);
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
