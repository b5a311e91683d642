//! Content of a picture of a bout.

use crate::bits;
use crate::scene::{Face, Group, Hue, Place, Scene, Sign};
use crate::seats::Seat;

use super::Schwinget;
use super::cards::{Card, NO_CARD};
use super::state::{NOBODY, Neutral, State};

/// The signs and colours of the suits.
const SUITS: [(Sign, Hue); 4] =
    [(Sign::Leaf, Hue::Green), (Sign::Cross, Hue::Red), (Sign::Drop, Hue::Blue), (Sign::Sun, Hue::Yellow)];

/// The printed face of each card: a value and the sign of its suit, or the letters of a special.
pub(super) fn faces(game: &Schwinget) -> Vec<Face> {
    (0..game.deck.size)
        .map(|card| {
            let name = game.card_name(card);
            match SUITS.get(usize::from(game.colour_of(card))) {
                Some(&(sign, hue)) => Face { rank: name[1..].to_string(), sign, hue },
                None if 1 << card == game.deck.referee => Face { rank: name, sign: Sign::Whistle, hue: Hue::Grey },
                None => Face { rank: name, sign: Sign::Bolt, hue: Hue::Grey },
            }
        })
        .collect()
}

/// Lays out the opponent above, the table in the middle, and seat 0 below.
pub(super) fn scene(game: &Schwinget, state: &State, perspective: Option<Seat>) -> Scene {
    let bout = (state.bout + 1).min(game.rules.bouts);
    Scene {
        title: "Schwinget",
        facts: vec![
            ("bout", format!("{bout} of {}", game.rules.bouts)),
            ("trump", game.trump_text(state)),
            ("pile", game.pile_text(state)),
        ],
        track: Vec::new(),
        places: vec![
            player(game, state, Seat(1), perspective),
            table(game, state),
            player(game, state, Seat(0), perspective),
        ],
        next: game.next_text(state),
        tells_returns: true,
    }
}

fn player(game: &Schwinget, state: &State, seat: Seat, perspective: Option<Seat>) -> Place {
    let index = seat.index();
    let open = perspective.is_none_or(|own| own == seat);
    let hand = bits::members(state.hands[index]).map(|card| game.card_name(card));
    let mut remarks =
        vec![format!("tricks {}", state.taken[index]), format!("score {}", game.score_text(state.scores[index]))];
    if state.attacker == seat.0 {
        remarks.push("attacked".to_string());
    }
    Place { seat: Some(seat), groups: vec![Group::hand(hand, open)], remarks, ..Place::default() }
}

fn table(game: &Schwinget, state: &State) -> Place {
    let open = |name, card: Card| Group::open(name, (card != NO_CARD).then(|| game.card_name(card)));
    let locked = state.attacker != NOBODY;
    let mut groups = vec![open("trump", state.turned)];
    groups.push(Group::pile(if locked { "locked pile" } else { "pile" }, state.pile.into()));
    groups.push(open(["seat 0 led", "seat 1 led"][usize::from(state.leader)], state.led));
    groups.push(open("answer", state.reply));
    let neutral = (state.neutral != Neutral::None).then(|| "a neutral trick waits".to_string());
    Place { groups, remarks: neutral.into_iter().collect(), ..Place::default() }
}
