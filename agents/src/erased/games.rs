//! The games that there are, by name: the only place in this crate that knows them, and only with the feature `games`.
//!
//! All of them, with all agents, are compiled here, and not again in every program that plays.

use std::sync::Arc;

use stier_core::{FullGame, Options as _, RecordError, RulesError, games, record, with_game};

use super::{DynGame, DynState, ErasedGame, ErasedState, erase};

/// The game of that name with rules given as text; see [`Options::from_text`](stier_core::Options::from_text).
pub fn load(name: &str, rules: &str) -> Result<Arc<dyn DynGame>, RulesError> {
    fn of<G: FullGame>(rules: &str) -> Result<Arc<dyn DynGame>, RulesError> {
        Ok(erase(G::new(G::Rules::from_text(rules)?)?))
    }
    with_game!(name, G => of::<G>(rules)).unwrap_or_else(|| Err(unknown(name)))
}

/// The state that a record ends with, of whichever game.
pub fn read_record(text: &str) -> Result<Box<dyn DynState>, RecordError> {
    fn of<G: FullGame>(text: &str) -> Result<Box<dyn DynState>, RecordError> {
        let (game, history) = record::read::<G>(text)?;
        Ok(Box::new(ErasedState { game: ErasedGame::new(Arc::new(game)), history, dealing: None }))
    }
    let name = record::game_name(text)?;
    with_game!(name, G => of::<G>(text)).unwrap_or_else(|| Err(RecordError::Rules(unknown(name))))
}

/// The error for a name that no game has.
pub fn unknown(name: &str) -> RulesError {
    RulesError::UnknownGame { name: name.to_string(), known: games::NAMES.join(", ") }
}
