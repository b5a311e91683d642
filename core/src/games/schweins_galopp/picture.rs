//! Content of a picture of the race.

use crate::game::Game as _;
use crate::scene::{Face, Group, Hue, Place, Scene, Sign, Space};
use crate::seats::Seat;

use super::SchweinsGalopp;
use super::counts::Colour;
use super::notation::letter;
use super::state::State;

/// The colours of pigs and cards.
const HUES: [Hue; 5] = [Hue::Pink, Hue::Blue, Hue::Green, Hue::Yellow, Hue::Violet];

/// The printed face of each card: a pig and the letter of its colour.
pub(super) fn faces(game: &SchweinsGalopp) -> Vec<Face> {
    let face =
        |colour: Colour| Face { rank: letter(colour).to_string(), sign: Sign::Pig, hue: HUES[usize::from(colour)] };
    (0..game.rules.colours).map(face).collect()
}

/// Lays out the track and a row for each seat.
pub(super) fn scene(game: &SchweinsGalopp, state: &State, perspective: Option<Seat>) -> Scene {
    let order: Vec<String> = game.order(state).into_iter().map(|pig| letter(pig).to_string()).collect();
    let mut facts = vec![
        ("round", format!("{} of {}", game.round_number(state), game.rules.rounds)),
        ("first player", format!("seat {}", state.first)),
        ("supply", state.supply.to_string()),
    ];
    if !order.is_empty() {
        facts.push(("race", order.join(" ")));
    }
    let space = |space| Space {
        piece: game.pig_on(state, space).map(|pig| letter(pig).to_string()),
        food: state.track_food >> space & 1 == 1,
    };
    Scene {
        title: "Schweins-Galopp",
        facts,
        track: (0..game.rules.track).map(space).collect(),
        places: Seat::all(game.num_seats()).map(|seat| player(game, state, seat, perspective)).collect(),
        next: game.next_text(state),
        tells_returns: true,
    }
}

fn player(game: &SchweinsGalopp, state: &State, seat: Seat, perspective: Option<Seat>) -> Place {
    let index = seat.index();
    let name = |colour| letter(colour).to_string();
    let hand = game.cards(state, seat, perspective).into_iter().map(|card| card.map(name)).collect();
    let played = state.played[index].iter().map(name);
    Place {
        seat: Some(seat),
        groups: vec![Group::held("hand", hand), Group::aside("played", played)],
        remarks: vec![format!("at risk {}", state.risk[index]), format!("banked {}", state.banked[index])],
        ..Place::default()
    }
}
