//! The facts about a game, as values.

use stier_core::scene::Face;
use stier_core::{Field, OptionValue, Options as _};

use super::FullGame;

/// Facts about a game under its rules.
#[derive(Clone, Debug)]
pub struct GameFacts {
    /// The game's name.
    pub name: &'static str,
    /// Every option with its value.
    pub rules: Vec<(&'static str, OptionValue)>,
    /// The rules as text.
    pub rules_text: String,
    /// The number of seats.
    pub num_seats: usize,
    /// Player actions have ids below this.
    pub num_actions: usize,
    /// Chance outcomes have ids below this.
    pub num_outcomes: usize,
    /// An upper bound on the number of player decisions in a game.
    pub max_decisions: usize,
    /// An upper bound on the number of random events in a game.
    pub max_chance_events: usize,
    /// Bounds of every seat's return: lowest, highest.
    pub utility_range: (f64, f64),
    /// The sum of all returns, if it is fixed.
    pub utility_sum: Option<f64>,
    /// True if choices made one after another stand for choices made at once.
    pub simultaneous: bool,
    /// The parts of the observation tensor.
    pub observation_layout: Vec<Field>,
    /// The version and parts of the observation tensor. A network fits if it was trained on the same.
    pub observation_signature: String,
    /// The version and number of the actions. A network fits if it was trained on the same.
    pub action_signature: String,
    /// The parts of the information-state tensor.
    pub information_state_layout: Vec<Field>,
    /// The cards by name, with their printed faces.
    pub faces: Vec<(String, Face)>,
}

impl GameFacts {
    /// The facts about a game.
    pub(super) fn of<G: FullGame>(game: &G) -> Self {
        Self {
            name: G::NAME,
            rules: game.rules().values(),
            rules_text: game.rules().to_text(),
            num_seats: game.num_seats(),
            num_actions: game.num_actions(),
            num_outcomes: game.num_outcomes(),
            max_decisions: game.max_decisions(),
            max_chance_events: game.max_chance_events(),
            utility_range: game.utility_range(),
            utility_sum: game.utility_sum(),
            simultaneous: game.is_simultaneous(),
            observation_layout: game.observation_layout(),
            observation_signature: game.observation_signature(),
            action_signature: game.action_signature(),
            information_state_layout: game.information_state_layout(),
            faces: game.cards().into_iter().zip(game.faces()).collect(),
        }
    }
}
