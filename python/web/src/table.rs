//! A state as one seat sees it.

use serde::Serialize;
use stier_agents::erased::{DynState, check_seat};
use stier_core::{Action, Scene, Seat, Turn};

use crate::engine::Problem;
use crate::position::Position;

/// An action with its name.
#[derive(Clone, Serialize)]
pub(crate) struct Move {
    pub(crate) id: u8,
    pub(crate) name: String,
}

impl Move {
    pub(crate) fn of(state: &dyn DynState, action: Action) -> Self {
        Self { id: action.0, name: state.event_name(action) }
    }
}

/// A state as one seat sees it, or with all cards open.
#[derive(Serialize)]
pub(crate) struct Table {
    scene: Scene,
    seat: Option<Seat>,
    legal: Vec<Move>,
    returns: Option<Vec<f64>>,
    knowledge: String,
}

/// The table at a position, as a seat sees it.
pub(crate) fn table(position: &Position, seat: i64) -> Result<Table, Problem> {
    let state = position.state()?;
    let seat = check_seat(&*state.game(), seat)?;
    Ok(of(&*state, Some(seat)))
}

/// The table of a state.
pub(crate) fn of(state: &dyn DynState, eyes: Option<Seat>) -> Table {
    let scene = state.scene(eyes);
    let turn = state.turn();
    // What others may choose can depend on cards that the eyes do not see.
    let sees = eyes.is_none() || eyes == turn.seat();
    let legal = if sees && turn.seat().is_some() { state.possible() } else { Vec::new() };
    let told = turn == Turn::Over && (eyes.is_none() || scene.tells_returns);
    Table {
        scene,
        seat: turn.seat(),
        legal: legal.into_iter().map(|action| Move::of(state, action)).collect(),
        returns: told.then(|| state.returns()),
        knowledge: eyes.map_or(String::new(), |seat| state.knowledge(seat)),
    }
}
