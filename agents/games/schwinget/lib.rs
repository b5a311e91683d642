//! Schwinget with all agents, in a compilation unit of its own: fast games are compiled side by side.

use std::sync::Arc;

use stier_agents::erased::{DynGame, erase};
use stier_core::games::schwinget::Schwinget;
use stier_core::{FromRules as _, RulesError};

/// The game with rules given as text; see [`Options::from_text`](stier_core::Options::from_text).
pub fn load(rules: &str) -> Result<Arc<dyn DynGame>, RulesError> {
    Schwinget::from_text(rules).map(erase)
}
