//! The course of a game in words.

use stier_agents::erased::check_seat;
use stier_agents::tell::{self, Story};
use stier_core::Turn;

use crate::engine::Problem;
use crate::position::Position;

/// The course of a game as a seat may know it. All that happened before its last action is earlier.
pub(crate) fn story(position: &Position, seat: i64) -> Result<Story, Problem> {
    let state = position.state()?;
    let seat = check_seat(&*state.game(), seat)?;
    let actions = state.events().iter().filter(|event| event.turn == Turn::Seat(seat)).count();
    Ok(tell::story(&*state, seat, actions.checked_sub(1)))
}
