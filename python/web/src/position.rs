//! A game so far, as a link holds it.

use serde::{Deserialize, Serialize};
use stier_agents::erased::{Dealing, DynState};
use stier_core::Action;

use crate::engine::Problem;

/// A game so far: how it began, and what the players chose.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Position {
    pub(crate) game: String,
    /// The rules as text, such as "players=3"; empty for the default rules.
    pub(crate) rules: String,
    /// The seed of the random events, a whole number below 2^64. The same seed deals the same cards in Python.
    pub(crate) seed: String,
    /// The chosen actions, by id, since the deal or since the end of `record`. Random events are not among them.
    pub(crate) moves: Vec<u8>,
    /// A record with which the game begins. Random events after it come from `seed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub(crate) record: Option<String>,
}

impl Position {
    /// The state after all moves.
    pub(crate) fn state(&self) -> Result<Box<dyn DynState>, Problem> {
        let seed = seed(&self.seed)?;
        let mut state = match &self.record {
            None => stier_games::load(&self.game, &self.rules)?.new_state(Some(seed)),
            Some(record) => {
                let state = stier_games::read_record(record)?;
                let (game, wanted) = (state.game(), stier_games::load(&self.game, &self.rules)?);
                if game.identity() != wanted.identity() {
                    return Err(Problem::OtherGame { record: game.identity(), wanted: wanted.identity() });
                }
                continued(state, seed)
            }
        };
        for (number, &id) in self.moves.iter().enumerate() {
            // The error of the game would list what is legal, which may be another seat's hand.
            state.apply(Action(id)).map_err(|_| Problem::BadMove(number + 1))?;
        }
        Ok(state)
    }
}

/// The same state, with random events from a seed from now on.
fn continued(mut state: Box<dyn DynState>, seed: u64) -> Box<dyn DynState> {
    let since = state.events().len();
    let fits = state.set_dealing(Some(Dealing { seed, since }));
    debug_assert!(fits, "no event comes after the record");
    state
}

/// A seed as text.
pub(crate) fn seed(text: &str) -> Result<u64, Problem> {
    text.trim().parse().map_err(|_| Problem::BadSeed(text.to_string()))
}
