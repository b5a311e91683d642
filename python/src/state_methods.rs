//! The methods of `stier.State`.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use stier_agents::tell::{Sentence, Table, story};
use stier_core::Turn;

use crate::arrays::Array;
use crate::errors;
use crate::game::Game;
use crate::run::{attempt, guarded};
use crate::scene;
use crate::serial;
use crate::state::State;
use crate::values::{CHANCE, EventNumber, Number, Seed, TERMINAL};

pub(crate) fn player_number(turn: Turn) -> i64 {
    match turn {
        Turn::Chance => CHANCE,
        Turn::Seat(seat) => seat.0.into(),
        Turn::Over => TERMINAL,
    }
}

/// A sentence, the name of an event at its end, whether another event is possible, whether the player had no other move, and
/// whether this follows from the event before.
type Told = (String, Option<String>, bool, bool, bool);

#[pymethods]
impl State {
    /// The game of this state.
    fn get_game(&self) -> Game {
        self.game().clone()
    }

    /// The number of players.
    fn num_players(&self) -> usize {
        self.game().face().info().num_seats
    }

    /// The number of actions. Actions are numbered from 0.
    fn num_distinct_actions(&self) -> usize {
        self.game().face().info().num_actions
    }

    /// The player to move, `stier.CHANCE` or `stier.TERMINAL`.
    fn current_player(&self) -> PyResult<i64> {
        guarded(|| player_number(self.inner().turn()))
    }

    /// Returns `True` if a random event comes next. A state that deals itself has no chance nodes.
    fn is_chance_node(&self) -> PyResult<bool> {
        guarded(|| self.inner().turn() == Turn::Chance)
    }

    /// Returns `True` if a player is to move.
    fn is_player_node(&self) -> PyResult<bool> {
        guarded(|| self.inner().turn().seat().is_some())
    }

    /// Returns `False`: simultaneous choices are made one after another and stay hidden until all players have chosen.
    fn is_simultaneous_node(&self) -> bool {
        false
    }

    /// Returns `True` if the game is over.
    fn is_terminal(&self) -> PyResult<bool> {
        guarded(|| self.inner().turn() == Turn::Over)
    }

    /// The legal actions of the player to move, or the possible outcomes at a chance node, in ascending order. Empty at
    /// the end, and for a player who is not to move.
    #[pyo3(signature = (player=None))]
    fn legal_actions(&self, player: Option<Number>) -> PyResult<Vec<u16>> {
        attempt(|| {
            // A Vec<u8> would become bytes.
            let possible = if self.acts(player.as_ref())? { self.inner().possible() } else { Vec::new() };
            Ok(possible.into_iter().map(|action| action.0.into()).collect())
        })
    }

    /// The legal actions of the player to move as a new bool array of `num_distinct_actions` entries. All entries are
    /// false at chance nodes, at the end, and for a player who is not to move.
    #[pyo3(signature = (player=None))]
    fn legal_actions_mask(&self, player: Option<Number>) -> PyResult<Array<bool>> {
        attempt(|| {
            let mut mask = vec![false; self.game().face().info().num_actions];
            if self.acts(player.as_ref())? && self.inner().turn() != Turn::Chance {
                for action in self.inner().possible() {
                    mask[action.index()] = true;
                }
            }
            Ok(Array::row(mask))
        })
    }

    /// The outcomes of the next random event in ascending order, with their probabilities, which sum to 1. Empty unless
    /// this is a chance node.
    fn chance_outcomes(&self) -> PyResult<Vec<(u8, f64)>> {
        guarded(|| self.inner().chance().into_iter().map(|outcome| (outcome.action.0, outcome.probability)).collect())
    }

    /// Plays an action, or at a chance node applies an outcome. A state that deals itself then draws all random events
    /// up to the next decision.
    ///
    /// Raises `IllegalActionError`, which names the broken rule and the legal actions. The state is then unchanged.
    fn apply_action(&mut self, action: EventNumber) -> PyResult<()> {
        self.apply(&action.0)
    }

    /// Returns a copy with `action` applied to it; see `apply_action`.
    fn child(&self, action: EventNumber) -> PyResult<Self> {
        let mut child = self.duplicate();
        child.apply(&action.0)?;
        Ok(child)
    }

    /// Returns an independent copy. The copy of a state that deals itself draws the same cards.
    fn clone(&self) -> Self {
        self.duplicate()
    }

    /// `action_to_string(action)`: the name of a player's action, or at a chance node the name of an outcome.
    /// `action_to_string(player, action)`: the name for that player, which may be `stier.CHANCE`.
    #[pyo3(signature = (player_or_action, action=None, /))]
    fn action_to_string(&self, player_or_action: Number, action: Option<Number>) -> PyResult<String> {
        attempt(|| {
            let here = self.inner().turn() == Turn::Chance;
            let (chance, action) = match action {
                None => (here, player_or_action),
                Some(action) if player_or_action.is(CHANCE) => (true, action),
                Some(action) => {
                    player_or_action.seat_of(self.game().face())?;
                    (false, action)
                }
            };
            let face = self.game().face();
            let (count, what) = self.space(chance);
            let action = action.id_below(count, what, face)?;
            Ok(match chance {
                // An id may have different names in different states: a pig is placed or moved.
                _ if chance == here => self.inner().event_name(action),
                true => face.outcome_name(action),
                false => face.action_name(action),
            })
        })
    }

    /// The action of that name, or at a chance node the outcome. It need not be legal here.
    ///
    /// Raises `IllegalActionError`, which lists the names, if there is none.
    fn string_to_action(&self, text: &str) -> PyResult<u8> {
        attempt(|| self.inner().parse_event(text).map(|action| action.0).map_err(errors::illegal))
    }

    /// The events in order, hidden cards included: (player, action). For chance outcomes the player is `stier.CHANCE`.
    fn history(&self) -> Vec<(i64, u8)> {
        self.inner().events().iter().map(|event| (player_number(event.turn), event.action.0)).collect()
    }

    /// The same as `history`, as named tuples: `[PlayerAction(player, action), …]`.
    fn full_history<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let kind = py.import("stier.playing")?.getattr("PlayerAction")?;
        self.history().into_iter().map(|event| kind.call1(event)).collect()
    }

    /// Takes back the last event, which must be `action` of `player` (`stier.CHANCE` for an outcome). If the state deals
    /// itself, takes back the last decision with the random events after it: they come again after the same decision.
    ///
    /// Raises `ValueError` for any other event. The state is then unchanged. The history is replayed, so keep a clone
    /// instead where speed matters.
    fn undo_action(&mut self, player: Number, action: EventNumber) -> PyResult<()> {
        attempt(|| {
            let EventNumber(action) = action;
            let (dealing, events) = (self.inner().dealing(), self.inner().events());
            let last = match dealing {
                Some(_) => events.iter().rposition(|event| event.turn.seat().is_some()),
                None => events.len().checked_sub(1),
            };
            let last = last.ok_or_else(|| errors::argument("nothing has happened that could be taken back"))?;
            let (own, event) = (player_number(events[last].turn), events[last].action.0);
            if !player.is(own) || !action.is(event.into()) {
                let text = format!("the last event is action {event} of player {own}, got {action} of {player}");
                return Err(errors::argument(text));
            }
            let mut before = self.game().face().new_state(None);
            for event in &events[..last] {
                before.apply(event.action).map_err(errors::illegal)?;
            }
            if !before.set_dealing(dealing) {
                return Err(errors::argument("events before the state was resampled cannot be taken back"));
            }
            self.replace(before);
            Ok(())
        })
    }

    /// The number of events in the history.
    fn move_number(&self) -> usize {
        self.inner().events().len()
    }

    /// The rewards of the last action as a new float64 array. They are zeros before the end, and the returns at the
    /// end.
    fn rewards(&self) -> PyResult<Array<f64>> {
        self.returns()
    }

    /// The utility of each player as a new float64 array: zeros before the end.
    fn returns(&self) -> PyResult<Array<f64>> {
        guarded(|| Array::row(self.inner().returns()))
    }

    /// The reward of one player for the last action: 0 before the end.
    fn player_reward(&self, player: Number) -> PyResult<f64> {
        self.player_return(player)
    }

    /// The utility of one player: 0 before the end.
    fn player_return(&self, player: Number) -> PyResult<f64> {
        self.of(Some(player), |state, seat| state.returns()[seat.index()])
    }

    /// Everything the player knows, with perfect recall, in one line. Equal strings mean the same information set.
    #[pyo3(signature = (player=None))]
    fn information_state_string(&self, player: Option<Number>) -> PyResult<String> {
        self.of(player, |state, seat| state.knowledge(seat))
    }

    /// Everything the player knows, with perfect recall, as a new float32 array with values between 0 and 1. Equal
    /// tensors mean the same information set. `Game.information_state_tensor_layout()` lists its parts.
    #[pyo3(signature = (player=None))]
    fn information_state_tensor(&self, player: Option<Number>) -> PyResult<Array<f32>> {
        let size = self.game().information_state_size();
        self.of(player, |state, seat| Array::filled(&[size], |out| state.information_state(seat, out)))?
    }

    /// The player's present view of the table and of its own hand, as text; see `to_text`.
    #[pyo3(signature = (player=None))]
    fn observation_string(&self, player: Option<Number>) -> PyResult<String> {
        self.of(player, |state, seat| state.text(Some(seat)))
    }

    /// The cards and facts the player sees on the table and in hand now, as a new float32 array with values between 0
    /// and 1. `Game.observation_tensor_layout()` lists its parts.
    #[pyo3(signature = (player=None))]
    fn observation_tensor(&self, player: Option<Number>) -> PyResult<Array<f32>> {
        let size = self.game().observation_size();
        self.of(player, |state, seat| Array::filled(&[size], |out| state.observation(seat, out)))?
    }

    /// Draws a state that the player cannot tell apart from this one. It has a complete and legal history, drawn by
    /// chance reach probability from the histories of the information set. If this state deals itself, so does the new
    /// one, with cards of its own.
    fn resample_from_infostate(&self, player: Number, seed: Seed) -> PyResult<Self> {
        self.of(Some(player), |state, seat| Self::new(self.game().clone(), state.resample(seat, seed.0)))
    }

    /// The state as text for `Game.deserialize_state`, with the future draws of a state that deals itself.
    fn serialize(&self, py: Python<'_>) -> PyResult<String> {
        serial::write(py, self.game(), self.inner())
    }

    /// The game so far as text for `stier.read_record`: rules, events by name, result.
    fn record(&self, py: Python<'_>) -> PyResult<String> {
        serial::with_place(py, self.game(), &guarded(|| self.inner().record())?)
    }

    /// Text for a terminal: as the player sees the state, or with all cards open.
    #[pyo3(signature = (player=None))]
    fn to_text(&self, player: Option<Number>) -> PyResult<String> {
        self.seen(player, |state, seat| state.text(seat))
    }

    /// The picture of the state as data, as the player sees it or with all cards open. A new dict with `title`, `facts`
    /// (pairs of words), `track` (the spaces of a circular track, if there is one: `piece`, a card's name or `None`,
    /// and `food`), `places` (the seats and the middle of the table from top to bottom) and `next` (the next event).
    ///
    /// A place has `seat` (`None` in the middle), `suit` (a card of the suit that counts for it, or `None`), `remarks`,
    /// and `groups` of cards. A group has `name`, `cards` (names, or `None` for a hidden card), `layout` (`"row"`,
    /// `"pile"` or `"aside"`) and `held` (`True` if the seat holds the cards).
    #[pyo3(signature = (player=None))]
    fn scene<'py>(&self, py: Python<'py>, player: Option<Number>) -> PyResult<Bound<'py, PyDict>> {
        self.seen(player, |state, seat| scene::to_dict(py, state.scene(seat)))?
    }

    /// The names of the cards that the player holds, as the player sees them: a new list, empty in games without cards.
    #[pyo3(signature = (player=None))]
    fn hand(&self, player: Option<Number>) -> PyResult<Vec<String>> {
        self.of(player, |state, seat| state.scene(Some(seat)).held(seat).flatten().map(str::to_string).collect())
    }

    /// The facts that the player may know, such as trump, the card led or the scores: a new dict whose values are
    /// `None`, `bool`, `int`, `float`, `str`, and lists of them. The guide *Writing an agent in Python* lists the facts
    /// of the package's games. A game written in Python says its own; without them, `sees` is its observation.
    #[pyo3(signature = (player=None))]
    fn facts<'py>(&self, py: Python<'py>, player: Option<Number>) -> PyResult<Bound<'py, PyDict>> {
        self.of(player, |state, seat| scene::facts_to_dict(py, state.scene(Some(seat)).facts))?
    }

    /// The course of the game, as the player may know it, from the player's action number `since` on.
    fn _story(&self, player: Number, since: Option<usize>) -> PyResult<Vec<Told>> {
        self.of(Some(player), |state, seat| {
            let row = |line: &Sentence| (line.text(seat), line.event.clone(), line.likely, line.forced, line.follows);
            story(state, seat, since).news().map(row).collect()
        })
    }

    /// The state as the web page draws it, as JSON: see `Table` in `protocol.ts`.
    #[pyo3(signature = (player=None))]
    fn _table(&self, player: Option<Number>) -> PyResult<String> {
        let json = |table| serde_json::to_string(&table).expect("a table is plain data");
        self.seen(player, |state, seat| json(Table::of(state, seat)))
    }

    /// A self-contained SVG picture, as the player sees the state or with all cards open. See `stier.draw.state`.
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

    fn __str__(&self) -> PyResult<String> {
        guarded(|| self.inner().text(None))
    }

    fn __repr__(&self) -> String {
        format!("<stier.State of {} after {} events>", self.game().text(), self.inner().events().len())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        match other.cast::<Self>() {
            Ok(other) => {
                let other = other.try_borrow()?;
                Ok(self.game().is(other.game()) && self.inner().same(other.inner()))
            }
            Err(_) => Ok(false),
        }
    }

    fn __hash__(&self) -> u64 {
        self.inner().fingerprint()
    }

    fn __copy__(&self) -> Self {
        self.duplicate()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyDict>) -> Self {
        self.duplicate()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        attempt(|| {
            let restore = py.import("stier._native")?.getattr("_restore_state")?;
            // Where the game is written in Python, unpickling it imports its class.
            Ok((restore, (serial::write(py, self.game(), self.inner())?, self.game().clone()).into_pyobject(py)?))
        })
    }
}
