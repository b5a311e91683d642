//! All plain games with all agents: one type, compiled once.

use std::sync::Arc;

use stier_agents::erased::{DynGame, erase};
use stier_core::plain::PlainGame;
use stier_core::{Plain, RulesError, games};

/// The plain game of that name with rules given as text; `None` if no plain game has the name.
pub fn load(name: &str, rules: &str) -> Option<Result<Arc<dyn DynGame>, RulesError>> {
    games::plain(name, rules).map(|plain| plain.map(erase))
}

/// A plain game that is not one of this package.
pub fn custom(game: impl PlainGame + 'static) -> Arc<dyn DynGame> {
    erase(Plain::new(game))
}
