//! A state as one seat sees it.

use serde::Serialize;
use stier_agents::erased::{DynState, check_seat};
use stier_core::scene::{Group, Place, Scene};
use stier_core::{Action, Seat, Turn};

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
    scene: Shown,
    seat: Option<u8>,
    legal: Vec<Move>,
    returns: Option<Vec<f64>>,
    knowledge: String,
}

#[derive(Serialize)]
struct Shown {
    title: &'static str,
    facts: Vec<(&'static str, String)>,
    track: Vec<ShownSpace>,
    places: Vec<ShownPlace>,
    next: String,
    tells_returns: bool,
}

#[derive(Serialize)]
struct ShownSpace {
    piece: Option<String>,
    food: bool,
}

#[derive(Serialize)]
struct ShownPlace {
    seat: Option<u8>,
    suit: Option<String>,
    groups: Vec<ShownGroup>,
    remarks: Vec<String>,
}

#[derive(Serialize)]
struct ShownGroup {
    name: &'static str,
    cards: Vec<Option<String>>,
    layout: &'static str,
    held: bool,
}

impl Shown {
    fn of(scene: Scene) -> Self {
        let group = |group: Group| ShownGroup {
            name: group.name,
            cards: group.cards,
            layout: group.layout.name(),
            held: group.held,
        };
        let place = |place: Place| ShownPlace {
            seat: place.seat.map(|seat| seat.0),
            suit: place.suit,
            groups: place.groups.into_iter().map(group).collect(),
            remarks: place.remarks,
        };
        let track = scene.track.into_iter().map(|space| ShownSpace { piece: space.piece, food: space.food });
        Self {
            title: scene.title,
            facts: scene.facts,
            track: track.collect(),
            places: scene.places.into_iter().map(place).collect(),
            next: scene.next,
            tells_returns: scene.tells_returns,
        }
    }
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
        scene: Shown::of(scene),
        seat: turn.seat().map(|seat| seat.0),
        legal: legal.into_iter().map(|action| Move::of(state, action)).collect(),
        returns: told.then(|| state.returns()),
        knowledge: eyes.map_or(String::new(), |seat| state.knowledge(seat)),
    }
}
