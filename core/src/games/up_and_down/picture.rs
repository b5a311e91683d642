//! Content of a picture of a trick.

use crate::actions::{ActionSet as _, Actions64};
use crate::game::Game as _;
use crate::scene::{Face, Group, Place, Scene, french_rank};
use crate::seats::Seat;

use super::UpAndDown;
use super::state::{FACE_DOWN, NO_CARD, Phase, State};

/// The printed face of each card.
pub(super) fn faces(game: &UpAndDown) -> Vec<Face> {
    let face = |card| Face::french(game.deck.suit_of(card), game.deck.value_letter(game.deck.value_of(card)));
    (0..game.deck.size).map(face).collect()
}

/// Lays out a row for each seat: the suit pointed at, the chosen card, the hand.
pub(super) fn scene(game: &UpAndDown, state: &State, perspective: Option<Seat>) -> Scene {
    let mut places: Vec<Place> =
        Seat::all(game.num_seats()).map(|seat| player(game, state, seat, perspective)).collect();
    if let Some(text) = game.last_trick_text(state) {
        places.push(Place { remarks: vec![text], ..Place::default() });
    }
    Scene {
        title: "Up & Down",
        facts: vec![
            ("round", game.round_text(state).trim_start_matches("round ").to_string()),
            ("side", game.side_text(state).trim_start_matches("side: ").to_string()),
            (
                "trump",
                if state.is_set()[0] {
                    french_rank(game.deck.value_letter(state.trump))
                } else {
                    game.trump_text(state)
                },
            ),
            ("pot", state.pot.to_string()),
        ],
        track: Vec::new(),
        places,
        next: game.next_text(state),
        tells_returns: true,
    }
}

fn player(game: &UpAndDown, state: &State, seat: Seat, perspective: Option<Seat>) -> Place {
    let index = seat.index();
    let open = perspective.is_none_or(|own| own == seat);
    let name = |card| game.deck.name(card).to_string();
    let some_card = |suit| (0..game.deck.size).find(|&card| game.deck.suit_of(card) == suit).map(name);
    let suit = state.is_set()[2].then(|| game.suit_at(state.orientation, seat.0)).and_then(some_card);
    let card = match game.card_shown(state, seat, perspective) {
        NO_CARD => vec![],
        FACE_DOWN => vec![None],
        card => vec![Some(name(card))],
    };
    let chosen = Group { held: state.phase == Phase::Choose, ..Group::held("card", card) };
    let hand = Actions64(state.hands[index]).iter().map(|action| name(action.0));
    let mut remarks = vec![format!("tricks {}", state.taken[index]), format!("score {}", state.scores[index])];
    if state.is_set()[2] && state.boss == seat.0 {
        remarks.insert(0, "boss".to_string());
    }
    Place { seat: Some(seat), suit, groups: vec![chosen, Group::hand(hand, open)], remarks }
}
