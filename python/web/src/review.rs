//! A game once more, decision by decision, as `stier.replay` has it: the same searches, the same figures.

use std::num::NonZero;

use serde::Serialize;
use stier_agents::erased::{DynState, check_seat};
use stier_agents::tell::Table;
use stier_core::Turn;

use crate::analysis::{Analyst, Judged};
use crate::engine::Problem;
use crate::knowledge::Beliefs;
use crate::position::Position;

/// A recorded game.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Recorded"))]
pub(crate) struct About {
    game: String,
    rules: String,
    seats: usize,
    /// The number of events, chance included.
    events: usize,
    moves: Vec<Made>,
    returns: Option<Vec<f64>>,
}

/// A move of the game.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct Made {
    seat: u8,
    /// The number of events before it.
    number: usize,
    name: String,
}

/// Describes a recorded game.
pub(crate) fn about(record: &str) -> Result<About, Problem> {
    let end = stier_games::read_record(record)?;
    let game = end.game();
    let moves = end.events().iter().enumerate().filter_map(|(number, event)| {
        let seat = event.turn.seat()?.0;
        Some(Made { seat, number, name: game.action_name(event.action) })
    });
    Ok(About {
        game: game.facts().name.to_string(),
        rules: game.facts().rules_text.clone(),
        seats: game.info().num_seats,
        events: end.events().len(),
        moves: moves.collect(),
        returns: (end.turn() == Turn::Over).then(|| end.returns()),
    })
}

/// A recorded game after so many events.
fn after(end: &dyn DynState, number: usize) -> Result<Box<dyn DynState>, Problem> {
    let mut state = end.game().new_state(None);
    for event in end.events().iter().take(number) {
        state.apply(event.action)?;
    }
    Ok(state)
}

/// The table of a recorded game after so many events, as a seat sees it, or with all cards open.
pub(crate) fn moment(record: &str, number: usize, seat: Option<i64>) -> Result<Table, Problem> {
    let end = stier_games::read_record(record)?;
    let eyes = seat.map(|seat| check_seat(&*end.game(), seat)).transpose()?;
    Ok(Table::of(&*after(&*end, number)?, eyes))
}

/// A decision with its judgement.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Reviewed {
    /// Its number among the moves of the game, chance included.
    number: usize,
    /// The game up to here, for "what if". Its record may hold cards that the seat could not know.
    position: Position,
    /// The table as the seat saw it.
    table: Table,
    /// Without `cards` in games without cards.
    beliefs: Beliefs,
    #[serde(flatten)]
    judged: Judged,
}

/// The decision of a recorded game after so many events.
pub(crate) fn review(record: &str, number: usize, agent: &str, searches: NonZero<usize>) -> Result<Reviewed, Problem> {
    let end = stier_games::read_record(record)?;
    let taken = end.events().get(number).and_then(|event| Some((event.turn.seat()?, event.action)));
    let (seat, action) = taken.ok_or(Problem::NoChoice(number))?;
    let state = after(&*end, number)?;
    let mut analyst = Analyst::new(&*state, agent)?;
    let game = state.game();
    Ok(Reviewed {
        number,
        position: Position {
            game: game.facts().name.to_string(),
            rules: game.facts().rules_text.clone(),
            seed: "0".to_string(),
            moves: Vec::new(),
            record: Some(state.record()),
        },
        table: Table::of(analyst.view(), Some(seat)),
        beliefs: analyst.beliefs()?.into(),
        judged: analyst.judge(action, searches)?,
    })
}
