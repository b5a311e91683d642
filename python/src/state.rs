//! `stier.State`.

use numpy::{IntoPyArray as _, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use stier_agents::erased::DynState;
use stier_core::{Seat, Turn};

use crate::errors;
use crate::game::Game;
use crate::scene;
use crate::serial;
use crate::values::{Number, Seed};

/// The player number of chance.
pub(crate) const CHANCE: i64 = -1;
/// The player number of nobody: the game is over.
pub(crate) const TERMINAL: i64 = -4;

fn player_number(turn: Turn) -> i64 {
    match turn {
        Turn::Chance => CHANCE,
        Turn::Seat(seat) => seat.0.into(),
        Turn::Over => TERMINAL,
    }
}

/// A game from its first random event to now, all cards included; made by `Game.new_initial_state`.
///
/// Players are numbered 0, 1, …; `stier.CHANCE` and `stier.TERMINAL` stand for chance and for nobody. Methods that take a
/// player raise `SeatError` for one that the game does not have; where the player may be left out, the player to move is
/// meant. Equal states have the same game and the same history; who deals, a seed or the caller, is not compared. A state
/// changes only by `apply_action`: one that is in a set or a dict should be left as it is.
#[pyclass(module = "stier")]
pub(crate) struct State {
    game: Game,
    inner: Box<dyn DynState>,
}

impl State {
    pub(crate) fn new(game: Game, inner: Box<dyn DynState>) -> Self {
        Self { game, inner }
    }

    pub(crate) fn game(&self) -> &Game {
        &self.game
    }

    pub(crate) fn inner(&self) -> &dyn DynState {
        &*self.inner
    }

    /// The seat meant by an argument that may be left out.
    pub(crate) fn seat(&self, player: Option<&Number>) -> PyResult<Seat> {
        match player {
            Some(player) => player.seat_of(self.game.face()),
            None => self.inner.turn().seat().ok_or_else(|| {
                let why = if self.inner.turn() == Turn::Over { "the game is over" } else { "chance is to act" };
                let players = self.game.face().num_seats();
                errors::seat(format!("no player is to move ({why}): name one, player >= 0 and player < {players}"))
            }),
        }
    }

    /// Whether the player, or whoever is to act if left out, has something to choose here.
    fn acts(&self, player: Option<&Number>) -> PyResult<bool> {
        let turn = self.inner.turn();
        match player {
            None => Ok(true),
            Some(player) if player.is(CHANCE) => Ok(turn == Turn::Chance),
            Some(player) => Ok(turn == Turn::Seat(player.seat_of(self.game.face())?)),
        }
    }

    fn apply(&mut self, action: &Number) -> PyResult<()> {
        let action = action.action_in(self.inner())?;
        self.inner.apply(action).map_err(errors::illegal)
    }

    fn duplicate(&self) -> Self {
        Self { game: self.game.clone(), inner: self.inner.duplicate() }
    }

    /// The id space of what can happen next: (how many ids, what they are called).
    fn space(&self, chance: bool) -> (usize, &'static str) {
        match chance {
            true => (self.game.face().num_outcomes(), "chance outcome"),
            false => (self.game.face().num_actions(), "action"),
        }
    }
}

#[pymethods]
impl State {
    /// The game that this is a state of.
    fn get_game(&self) -> Game {
        self.game.clone()
    }

    /// The number of players.
    fn num_players(&self) -> usize {
        self.game.face().num_seats()
    }

    /// Players' actions are numbers below this.
    fn num_distinct_actions(&self) -> usize {
        self.game.face().num_actions()
    }

    /// Who is to act: a player, `stier.CHANCE`, or `stier.TERMINAL`.
    fn current_player(&self) -> i64 {
        player_number(self.inner.turn())
    }

    /// Whether a random event comes next; never in a state that deals itself.
    fn is_chance_node(&self) -> bool {
        self.inner.turn() == Turn::Chance
    }

    /// Whether a player is to act.
    fn is_player_node(&self) -> bool {
        self.inner.turn().seat().is_some()
    }

    /// Whether several players act at once: never; simultaneous choices are made one after another, hidden until all are in.
    fn is_simultaneous_node(&self) -> bool {
        false
    }

    /// Whether the game is over.
    fn is_terminal(&self) -> bool {
        self.inner.turn() == Turn::Over
    }

    /// What can happen, ascending: the legal actions of the player to move, the outcomes at a chance node, nothing at the
    /// end. Empty for a player who is not to move.
    #[pyo3(signature = (player=None))]
    fn legal_actions(&self, player: Option<Number>) -> PyResult<Vec<u16>> {
        // A Vec<u8> would become bytes.
        let possible = if self.acts(player.as_ref())? { self.inner.possible() } else { Vec::new() };
        Ok(possible.into_iter().map(|action| action.0.into()).collect())
    }

    /// The legal actions of the player to move as a new bool array of `num_distinct_actions` entries; all false at chance
    /// nodes, at the end, and for a player who is not to move.
    #[pyo3(signature = (player=None))]
    fn legal_actions_mask<'py>(&self, py: Python<'py>, player: Option<Number>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let mut mask = vec![false; self.game.face().num_actions()];
        if self.acts(player.as_ref())? && self.inner.turn() != Turn::Chance {
            for action in self.inner.possible() {
                mask[action.index()] = true;
            }
        }
        Ok(mask.into_pyarray(py))
    }

    /// The outcomes of the random event that comes next, ascending, with their probabilities, which sum to 1; empty unless
    /// this is a chance node.
    fn chance_outcomes(&self) -> Vec<(u8, f64)> {
        self.inner.chance().into_iter().map(|outcome| (outcome.action.0, outcome.probability)).collect()
    }

    /// Plays an action, or lets chance bring an outcome. A state that deals itself then draws what chance brings up to the
    /// next decision.
    ///
    /// Raises `IllegalActionError`, which names the rule broken and what is legal; the state is unchanged then.
    fn apply_action(&mut self, action: Number) -> PyResult<()> {
        self.apply(&action)
    }

    /// A copy, with `action` applied to it; see `apply_action`.
    fn child(&self, action: Number) -> PyResult<Self> {
        let mut child = self.duplicate();
        child.apply(&action)?;
        Ok(child)
    }

    /// An independent copy. Of a state that deals itself, the copy will draw the same cards.
    fn clone(&self) -> Self {
        self.duplicate()
    }

    /// `action_to_string(action)`: the name of what can happen here, a player's action or at a chance node an outcome.
    /// `action_to_string(player, action)`: the same for that player, who may be `stier.CHANCE`.
    #[pyo3(signature = (player_or_action, action=None, /))]
    fn action_to_string(&self, player_or_action: Number, action: Option<Number>) -> PyResult<String> {
        let here = self.inner.turn() == Turn::Chance;
        let (chance, action) = match action {
            None => (here, player_or_action),
            Some(action) if player_or_action.is(CHANCE) => (true, action),
            Some(action) => {
                player_or_action.seat_of(self.game.face())?;
                (false, action)
            }
        };
        let face = self.game.face();
        let (count, what) = self.space(chance);
        let action = action.id_below(count, what, face)?;
        Ok(match chance {
            // The same id may have another name in another state, as a pig that is placed or moved.
            _ if chance == here => self.inner.event_name(action),
            true => face.outcome_name(action),
            false => face.action_name(action),
        })
    }

    /// The player's action of that name, or at a chance node the outcome; it need not be legal here.
    ///
    /// Raises `IllegalActionError`, which lists the names, if there is none.
    fn string_to_action(&self, text: &str) -> PyResult<u8> {
        self.inner.parse_event(text).map(|action| action.0).map_err(errors::illegal)
    }

    /// What happened, in order, hidden cards included: (player, action), chance outcomes with `stier.CHANCE` as player.
    fn history(&self) -> Vec<(i64, u8)> {
        self.inner.events().iter().map(|event| (player_number(event.turn), event.action.0)).collect()
    }

    /// How many events the history has.
    fn move_number(&self) -> usize {
        self.inner.events().len()
    }

    /// What each player has got by the last action, as a new float64 array: zeros, and at the end the returns, since nothing
    /// is paid out before.
    fn rewards<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.returns(py)
    }

    /// The utility of each player as a new float64 array; zeros before the end.
    fn returns<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.inner.returns().into_pyarray(py)
    }

    /// The utility of one player; 0 before the end.
    fn player_return(&self, player: Number) -> PyResult<f64> {
        Ok(self.inner.returns()[self.seat(Some(&player))?.index()])
    }

    /// All that the player knows, with perfect recall, in one line: equal strings, same information set.
    #[pyo3(signature = (player=None))]
    fn information_state_string(&self, player: Option<Number>) -> PyResult<String> {
        Ok(self.inner.knowledge(self.seat(player.as_ref())?))
    }

    /// All that the player knows, with perfect recall, as a new float32 array with values between 0 and 1: equal tensors,
    /// same information set. Its parts are `Game.information_state_tensor_layout()`.
    #[pyo3(signature = (player=None))]
    fn information_state_tensor<'py>(
        &self,
        py: Python<'py>,
        player: Option<Number>,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let mut out = vec![0.0; self.game.information_state_size()];
        self.inner.information_state(self.seat(player.as_ref())?, &mut out);
        Ok(out.into_pyarray(py))
    }

    /// What the player sees on the table and in hand now, as a new float32 array with values between 0 and 1. Its parts are
    /// `Game.observation_tensor_layout()`.
    #[pyo3(signature = (player=None))]
    fn observation_tensor<'py>(&self, py: Python<'py>, player: Option<Number>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let mut out = vec![0.0; self.game.observation_size()];
        self.inner.observation(self.seat(player.as_ref())?, &mut out);
        Ok(out.into_pyarray(py))
    }

    /// A state that the player cannot tell apart from this one, with a complete and legal history, drawn by chance reach
    /// probability among the histories of the information set. If this state deals itself, so does the new one, with cards
    /// of its own.
    fn resample_from_infostate(&self, player: Number, seed: Seed) -> PyResult<Self> {
        let seat = self.seat(Some(&player))?;
        Ok(Self { game: self.game.clone(), inner: self.inner.resample(seat, seed.0) })
    }

    /// The game so far as text that `stier.read_record` reads: rules, events by name, result.
    fn record(&self) -> String {
        self.inner.record()
    }

    /// For a terminal: as the player sees it, or with all cards open.
    #[pyo3(signature = (player=None))]
    fn to_text(&self, player: Option<Number>) -> PyResult<String> {
        let seat = player.map(|player| player.seat_of(self.game.face())).transpose()?;
        Ok(self.inner.text(seat))
    }

    /// To be drawn: what there is to see, as the player sees the state, or with all cards open, in a new dict. `title`, `facts`
    /// (pairs of words), `track` (spaces of a course run in a circle, if there is one: `piece`, a card's name or `None`, and
    /// `food`), `places` (the seats and the middle of the table from top to bottom) and `next`, what happens next.
    ///
    /// A place has `seat` (`None` in the middle), `suit` (a card of the suit that counts for it, or `None`), `remarks`, and
    /// `groups` of cards: `name`, `cards` (names, `None` where a card is not seen), `layout` (`"row"`, `"pile"` or `"aside"`)
    /// and `held`, whether the seat holds them.
    #[pyo3(signature = (player=None))]
    fn scene<'py>(&self, py: Python<'py>, player: Option<Number>) -> PyResult<Bound<'py, PyDict>> {
        let seat = player.map(|player| player.seat_of(self.game.face())).transpose()?;
        scene::to_dict(py, self.inner.scene(seat))
    }

    /// A picture: SVG that stands for itself, as the player sees the state, or with all cards open. See `stier.draw.state`.
    #[pyo3(signature = (player=None))]
    fn to_svg<'py>(slf: &Bound<'py, Self>, player: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("stier.draw")?.getattr("state")?.call1((slf, player))
    }

    /// The same picture for a web page: one element without scripts.
    #[pyo3(signature = (player=None))]
    fn to_html<'py>(slf: &Bound<'py, Self>, player: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        Self::to_svg(slf, player)
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::to_svg(slf, None)
    }

    fn __str__(&self) -> String {
        self.inner.text(None)
    }

    fn __repr__(&self) -> String {
        format!("<stier.State of {} after {} events>", self.game.text(), self.inner.events().len())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        match other.cast::<Self>() {
            Ok(other) => Ok(self.inner.same(&*other.try_borrow()?.inner)),
            Err(_) => Ok(false),
        }
    }

    fn __hash__(&self) -> u64 {
        self.inner.fingerprint()
    }

    fn __copy__(&self) -> Self {
        self.duplicate()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyDict>) -> Self {
        self.duplicate()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("stier._native")?.getattr("_restore_state")?;
        Ok((restore, PyTuple::new(py, [serial::write(self.inner())])?))
    }
}
