//! The methods of `stier.Game`.

use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use stier_core::{Field, OptionValue};

use crate::errors;
use crate::game::{Game, option_value};
use crate::run::guarded;
use crate::serial;
use crate::state::State;
use crate::values::{CHANCE, Number, Seed};

fn layout(fields: &[Field]) -> Vec<(&'static str, Vec<usize>)> {
    fields.iter().map(|field| (field.name, field.shape.clone())).collect()
}

#[pymethods]
impl Game {
    /// The name, as `registered_names()` lists it.
    fn short_name(&self) -> &'static str {
        self.face().facts().name
    }

    /// Every option with its value: numbers as numbers, all others by name.
    fn rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, value) in &self.face().facts().rules {
            dict.set_item(name, option_value(py, value.clone())?)?;
        }
        Ok(dict)
    }

    /// The same as `rules`, by OpenSpiel's name.
    fn get_parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.rules(py)
    }

    /// The options that differ from their defaults, such as `"scoring=schwinger,bouts=4"`.
    fn rules_text(&self) -> String {
        self.face().facts().rules_text.clone()
    }

    /// The number of players. They are numbered 0, 1, … clockwise.
    fn num_players(&self) -> usize {
        self.face().info().num_seats
    }

    /// The number of actions. Actions are numbered from 0.
    fn num_distinct_actions(&self) -> usize {
        self.face().info().num_actions
    }

    /// The number of chance outcomes. Outcomes are numbered from 0.
    fn max_chance_outcomes(&self) -> usize {
        self.face().info().num_outcomes
    }

    /// An upper bound on the number of decisions in a game, all players together.
    fn max_game_length(&self) -> usize {
        self.face().info().max_decisions
    }

    /// An upper bound on the number of random events in a game.
    fn max_chance_nodes_in_history(&self) -> usize {
        self.face().info().max_chance_events
    }

    /// An upper bound on the number of events in a game: decisions and random events.
    fn max_history_length(&self) -> usize {
        self.max_game_length() + self.max_chance_nodes_in_history()
    }

    /// A lower bound on the returns.
    fn min_utility(&self) -> f64 {
        self.face().info().utility_range.0
    }

    /// An upper bound on the returns.
    fn max_utility(&self) -> f64 {
        self.face().info().utility_range.1
    }

    /// Returns `True` if the players choose simultaneously. States still ask them one after another and hide each
    /// choice from the other players until all have chosen.
    fn is_simultaneous(&self) -> bool {
        self.face().info().simultaneous
    }

    /// The sum of the returns of all players, or `None` if it varies.
    fn utility_sum(&self) -> Option<f64> {
        self.face().info().utility_sum
    }

    /// The shape of `State.observation_tensor`: one dimension.
    fn observation_tensor_shape(&self) -> [usize; 1] {
        [self.observation_size()]
    }

    /// The shape of `State.information_state_tensor`: one dimension.
    fn information_state_tensor_shape(&self) -> [usize; 1] {
        [self.information_state_size()]
    }

    /// The number of values in `State.observation_tensor`.
    fn observation_tensor_size(&self) -> usize {
        self.observation_size()
    }

    /// The number of values in `State.information_state_tensor`.
    fn information_state_tensor_size(&self) -> usize {
        self.information_state_size()
    }

    /// The parts of the observation tensor in order: (name, shape), each in C order.
    fn observation_tensor_layout(&self) -> Vec<(&'static str, Vec<usize>)> {
        layout(&self.face().facts().observation_layout)
    }

    /// The parts of the information-state tensor in order: (name, shape), each in C order.
    fn information_state_tensor_layout(&self) -> Vec<(&'static str, Vec<usize>)> {
        layout(&self.face().facts().information_state_layout)
    }

    /// Version and parts of the observation tensor, such as `"1:hand:36,played:2x36"`. A network fits the game only if
    /// it was trained on the same signature. The version is raised whenever a value changes its meaning.
    fn observation_signature(&self) -> String {
        self.face().facts().observation_signature.clone()
    }

    /// Version and number of the players' actions, such as `"1:37"`. A network fits the game only if it was trained on
    /// the same signature.
    fn action_signature(&self) -> String {
        self.face().facts().action_signature.clone()
    }

    /// The parts that can be exchanged without changing the game, such as suits: a pair (inputs, actions), None if there
    /// are none. Both have a list for each part: its places in the observation tensor, and its actions. Lists are in the
    /// same order for all parts, so exchanging parts a and b exchanges `inputs[a][i]` with `inputs[b][i]`.
    #[expect(clippy::type_complexity, reason = "a pair of tables")]
    fn symmetry(&self) -> Option<(Vec<Vec<usize>>, Vec<Vec<usize>>)> {
        let found = self.face().facts().symmetry.as_ref()?;
        let actions = found.actions.iter().map(|own| own.iter().map(|action| action.index()).collect());
        Some((found.inputs.clone(), actions.collect()))
    }

    /// The file of the network that comes with the game, as new bytes; None if it comes without one. Agents that need a
    /// network use it if they are given no other. `stier.network.Network.of` reads it.
    fn network<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.face().facts().network.map(|file| PyBytes::new(py, file))
    }

    /// The faces of the cards: a new dict from the name of a card to (rank, sign, colour), all in words, in the order
    /// of the deck.
    fn card_faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (card, face) in &self.face().facts().faces {
            dict.set_item(card, (&face.rank, face.sign.name(), face.hue.name()))?;
        }
        Ok(dict)
    }

    /// The name of an action, or of a chance outcome if the player is `stier.CHANCE`.
    ///
    /// Raises `SeatError` for an unknown player and `IllegalActionError` for an unknown action.
    fn action_to_string(&self, player: Number, action: Number) -> PyResult<String> {
        let face = self.face();
        if player.is(CHANCE) {
            return Ok(face.outcome_name(action.id_below(face.info().num_outcomes, "chance outcome", face)?));
        }
        player.seat_of(face)?;
        Ok(face.action_name(action.id_below(face.info().num_actions, "action", face)?))
    }

    /// The action of that name. Raises `IllegalActionError`, which lists the names, if there is none.
    fn string_to_action(&self, text: &str) -> PyResult<u8> {
        self.face().parse_action(text).map(|action| action.0).map_err(errors::illegal)
    }

    /// Makes the state before the first card is dealt. Without a seed it has explicit chance nodes. With a seed it
    /// deals itself: random events are drawn from the seed, and only the decisions of the players are left to the
    /// caller.
    ///
    /// The seed is 0 to 2**64-1. It fixes the order of every pile, no matter which player draws from it.
    #[pyo3(signature = (seed=None))]
    fn new_initial_state(&self, seed: Option<Seed>) -> PyResult<State> {
        guarded(|| State::new(self.clone(), self.face().new_state(seed.map(|Seed(seed)| seed))))
    }

    /// Reads the text of `State.serialize`. Raises `RecordError` for any other text, and for a state of another game.
    fn deserialize_state(&self, py: Python<'_>, text: &str) -> PyResult<State> {
        let state = serial::read(py, text)?;
        if self.is(state.game()) {
            return Ok(state);
        }
        Err(errors::record(format!("the state belongs to the game {}, not to {}", state.game().text(), self.text())))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| self.is(other.get()))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.text().into_bound_py_any(py)?.hash()
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        let defaults: Vec<String> = self.face().facts().rules_text.split(',').map(str::to_string).collect();
        let named = |name: &str| defaults.iter().any(|part| part.split('=').next() == Some(name));
        let options =
            self.face().facts().rules.iter().filter(|(name, _)| named(name)).map(|(name, value)| match value {
                OptionValue::Name(value) => format!(", {name}='{value}'"),
                number => format!(", {name}={number}"),
            });
        format!("stier.load_game('{}'{})", self.face().facts().name, options.collect::<String>())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        if self.is_native() {
            return Ok((py.import("stier")?.getattr("load_game")?, PyTuple::new(py, [self.text()])?));
        }
        py.import("stier.games")?.getattr("_pickled")?.call1((self.clone(),))?.extract()
    }
}
