//! All games by name, with all agents.
//!
//! Each fast game is a crate in a folder here, and all plain games together are one. What is generic over the game is
//! compiled in these crates, side by side, and not again in the programs that play.

use std::sync::Arc;

use stier_agents::erased::{DynGame, DynState};
use stier_core::games::schweins_galopp::SchweinsGalopp;
use stier_core::games::schwimmen::Schwimmen;
use stier_core::games::schwinget::Schwinget;
use stier_core::games::up_and_down::UpAndDown;
use stier_core::{FromRules as _, RecordError, RulesError, games, record};

pub use stier_plain::custom;

/// The game of that name with rules given as text; see [`Options::from_text`](stier_core::Options::from_text).
pub fn load(name: &str, rules: &str) -> Result<Arc<dyn DynGame>, RulesError> {
    match name {
        SchweinsGalopp::NAME => stier_schweins_galopp::load(rules),
        Schwimmen::NAME => stier_schwimmen::load(rules),
        Schwinget::NAME => stier_schwinget::load(rules),
        UpAndDown::NAME => stier_up_and_down::load(rules),
        _ => stier_plain::load(name, rules).unwrap_or_else(|| Err(unknown(name))),
    }
}

/// The final state of a record of any game.
pub fn read_record(text: &str) -> Result<Box<dyn DynState>, RecordError> {
    let (name, rules) = record::game(text)?;
    load(name, rules)?.replay(text)
}

/// The error for a name that no game has.
pub fn unknown(name: &str) -> RulesError {
    RulesError::UnknownGame { name: name.to_string(), known: games::NAMES.join(", ") }
}
