//! The description of a game, as values.

use stier_core::list::Listing as _;
use stier_core::scene::Face;
use stier_core::{Field, FullGame, OptionValue, Symmetry};

/// The description of a game under its rules, besides its [info](stier_core::GameInfo).
#[derive(Clone, Debug)]
pub struct GameFacts {
    /// The game's name.
    pub name: &'static str,
    /// Every option with its value.
    pub rules: Vec<(&'static str, OptionValue)>,
    /// The rules as text.
    pub rules_text: String,
    /// The version and parts of the observation tensor. A network fits if it was trained on the same.
    pub observation_signature: String,
    /// The version and number of the actions. A network fits if it was trained on the same.
    pub action_signature: String,
    /// The parts of the observation tensor.
    pub observation_layout: Vec<Field>,
    /// The classes that can be exchanged, such as suits.
    pub symmetry: Option<Symmetry>,
    /// The parts of the information-state tensor.
    pub information_state_layout: Vec<Field>,
    /// The cards by name, with their printed faces.
    pub faces: Vec<(String, Face)>,
    /// The file of the network that comes with the game: [`Hints::network`](stier_core::Hints::network).
    pub network: Option<&'static [u8]>,
}

impl GameFacts {
    /// The facts about a game.
    pub(super) fn of<G: FullGame>(game: &G) -> Self {
        Self {
            name: game.name(),
            rules: game.rules().values(),
            rules_text: game.rules().to_text(),
            observation_signature: game.observation_signature(),
            action_signature: game.action_signature(),
            observation_layout: game.observation_layout(),
            symmetry: game.symmetry(),
            information_state_layout: game.information_state_layout(),
            faces: game.cards().into_iter().zip(game.faces()).list(),
            network: game.network(),
        }
    }
}
