//! Content of a picture of a deal.

use crate::bits;
use crate::game::Game as _;
use crate::scene::{Face, Group, Place, Scene};
use crate::seats::Seat;

use super::Schwimmen;
use super::cards;
use super::rules::Play;
use super::state::{Phase, State};

/// The printed face of each card.
pub(super) fn faces(game: &Schwimmen) -> Vec<Face> {
    bits::members(cards::deck(&game.rules))
        .map(|card| Face::french(card / 8, cards::RANKS[usize::from(card) % 8]))
        .collect()
}

/// Lays out the table and a row for each seat.
pub(super) fn scene(game: &Schwimmen, state: &State, perspective: Option<Seat>) -> Scene {
    let mut facts = vec![("pile", format!("{} cards", state.pool.count_ones()))];
    if game.rules.play == Play::Match {
        let deal = state.deals + u8::from(state.phase != Phase::Over);
        facts.insert(0, ("deal", deal.to_string()));
    }
    let places = std::iter::once(table(game, state, perspective))
        .chain(Seat::all(game.num_seats()).map(|seat| player(game, state, seat, perspective)));
    Scene {
        title: "Schwimmen",
        facts,
        track: Vec::new(),
        places: places.collect(),
        next: game.next_text(state),
        tells_returns: true,
    }
}

fn table(game: &Schwimmen, state: &State, perspective: Option<Seat>) -> Place {
    let open = perspective.is_none() || !game.table_is_hidden(state);
    let cards = bits::members(state.table).map(|card| open.then(|| cards::name(card))).collect();
    let table = Group { cards, ..Group::open("table", []) };
    let pile = Group::pile("pile", state.pool.count_ones() as usize);
    let away = Group::aside("laid away", bits::members(state.away).map(cards::name));
    Place { groups: vec![table, pile, away], ..Place::default() }
}

fn player(game: &Schwimmen, state: &State, seat: Seat, perspective: Option<Seat>) -> Place {
    let open = game.is_open(state, seat, perspective);
    let mut groups = vec![Group::hand(bits::members(state.hands[seat.index()]).map(cards::name), open)];
    if state.phase == Phase::Give && state.mover == seat.0 {
        groups.push(Group::held("took", vec![Some(cards::name(state.taken))]));
    }
    Place { seat: Some(seat), groups, remarks: game.remarks(state, seat, perspective), ..Place::default() }
}
