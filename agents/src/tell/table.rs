//! A state as one seat sees it, as data for programs that draw it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use stier_core::list::Listing as _;
use stier_core::{Action, Scene, Seat, Turn, Value};

use crate::erased::DynState;

/// An action with its name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Move {
    /// The action.
    pub id: u8,
    /// Its name.
    pub name: String,
}

impl Move {
    /// The move of the player to act in this state.
    pub fn of(state: &dyn DynState, action: Action) -> Self {
        Self { id: action.0, name: state.event_name(action) }
    }
}

/// A state as one seat sees it, or with all cards open.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Table {
    /// The cards, places and words.
    pub scene: Scene,
    /// The facts that the seat knows, as plain values by name.
    pub facts: BTreeMap<Cow<'static, str>, Value>,
    /// The player to act; `None` for chance and at the end.
    #[cfg_attr(feature = "typescript", ts(as = "Option<u8>"))]
    pub seat: Option<Seat>,
    /// The moves of the player to act. Empty for the eyes of others: it can depend on cards that they do not see.
    pub legal: Vec<Move>,
    /// The return of each seat; `None` before the end, and for eyes that may not be told.
    pub returns: Option<Vec<f64>>,
    /// The knowledge of the seat as text; empty with all cards open.
    pub knowledge: String,
}

impl Table {
    /// The state in the eyes of a seat, or with all cards open.
    pub fn of(state: &dyn DynState, eyes: Option<Seat>) -> Self {
        let scene = state.scene(eyes);
        let turn = state.turn();
        let sees = eyes.is_none() || eyes == turn.seat();
        let legal = if sees && turn.seat().is_some() { state.possible() } else { Vec::new() };
        let told = turn == Turn::Over && (eyes.is_none() || scene.tells_returns);
        let mut facts = BTreeMap::new();
        for fact in &scene.facts {
            facts.insert(fact.name.clone(), fact.value.clone());
        }
        Self {
            scene,
            facts,
            seat: turn.seat(),
            legal: legal.into_iter().map(|action| Move::of(state, action)).list(),
            returns: told.then(|| state.returns()),
            knowledge: eyes.map_or(String::new(), |seat| state.knowledge(seat)),
        }
    }
}
