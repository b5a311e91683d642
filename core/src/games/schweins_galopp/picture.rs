//! The state as HTML: the track as an oval, cards drawn as cards, readable on light and dark pages.

use std::fmt::Write as _;

use crate::game::{Game as _, Turn};
use crate::seats::Seat;

use super::SchweinsGalopp;
use super::counts::Colour;
use super::notation::letter;
use super::state::State;

/// Pigs and cards: rose, blue, green, ochre, violet.
const COLOURS: [&str; 5] = ["#c2185b", "#1565c0", "#2e7d32", "#b7790b", "#6a1b9a"];

/// One `div` with inline styles only, so that notebooks and mail keep it as it is. Text takes the page's colour.
pub(super) fn html(game: &SchweinsGalopp, state: &State, perspective: Option<Seat>) -> String {
    let mut out = String::from(
        "<div style=\"font:14px/1.5 system-ui,sans-serif;display:inline-block;border:1px solid #8888;\
         border-radius:8px;padding:10px 14px\">",
    );
    let _ = write!(
        out,
        "<div><b>Schweins-Galopp</b>, round {} of {} &middot; supply: {}</div>",
        game.round_number(state),
        game.rules.rounds,
        state.supply
    );
    track(&mut out, game, state);
    for seat in Seat::all(game.num_seats()) {
        player(&mut out, game, state, seat, perspective);
    }
    let _ = write!(out, "<div style=\"opacity:.75\">{}</div></div>", game.next_text(state));
    out
}

/// Two rows of spaces that are run through clockwise: the upper one from the left, the lower one back.
fn track(out: &mut String, game: &SchweinsGalopp, state: &State) {
    let spaces = game.rules.track;
    let upper = spaces.div_ceil(2);
    out.push_str("<div style=\"display:inline-block;margin:6px 0;padding:4px;border-radius:14px;background:#8882\">");
    let rows: [Vec<u8>; 2] = [(0..upper).collect(), (upper..spaces).rev().collect()];
    for row in rows {
        out.push_str("<div style=\"display:flex;justify-content:flex-end\">");
        for space in row {
            let pig = game.pig_on(state, space);
            let food = state.track_food >> space & 1 == 1;
            let (back, face) = match pig {
                Some(pig) => (COLOURS[usize::from(pig)], letter(pig).to_string()),
                None if food => ("transparent", "&#9679;".to_string()),
                None => ("transparent", format!("<span style=\"opacity:.45;font-size:10px\">{space}</span>")),
            };
            let _ = write!(
                out,
                "<span style=\"display:inline-block;box-sizing:border-box;width:28px;height:28px;line-height:26px;\
                 margin:1px;text-align:center;font-weight:700;border:1px solid #8888;border-radius:8px;\
                 background:{back}{}\">{face}</span>",
                if pig.is_some() { ";color:#fff" } else { "" },
            );
        }
        out.push_str("</div>");
    }
    let order: Vec<String> = game.order(state).into_iter().map(|pig| letter(pig).to_string()).collect();
    if !order.is_empty() {
        let _ =
            write!(out, "<div style=\"opacity:.75;padding-left:4px\">race, first to last: {}</div>", order.join(" "));
    }
    out.push_str("</div>");
}

fn player(out: &mut String, game: &SchweinsGalopp, state: &State, seat: Seat, perspective: Option<Seat>) {
    let index = seat.index();
    let acts = game.turn(state) == Turn::Seat(seat);
    let _ = write!(
        out,
        "<div style=\"display:flex;align-items:center;gap:4px;margin:6px 0;min-height:36px\">\
         <span style=\"min-width:5em{}\">{}seat {seat}</span>",
        if acts { ";font-weight:700" } else { "" },
        if acts { "&#9656; " } else { "" }
    );
    for card in game.cards(state, seat, perspective) {
        draw(out, card);
    }
    let played: String = state.played[index].iter().map(letter).collect();
    let _ = write!(
        out,
        "<span style=\"margin-left:8px\">at risk {} &middot; banked {} &middot; played {}</span></div>",
        state.risk[index],
        state.banked[index],
        if played.is_empty() { "-" } else { &played }
    );
}

/// A card, or the back of one.
fn draw(out: &mut String, card: Option<Colour>) {
    let (colour, face) = match card {
        Some(card) => (COLOURS[usize::from(card)], letter(card).to_string()),
        None => ("#9e9e9e", "&nbsp;".to_string()),
    };
    let _ = write!(
        out,
        "<span style=\"display:inline-block;box-sizing:border-box;width:26px;height:36px;line-height:32px;\
         text-align:center;font-weight:700;border-radius:5px;border:2px solid {colour};color:{};background:{}\">\
         {face}</span>",
        if card.is_some() { colour } else { "transparent" },
        if card.is_some() { "#fff" } else { "repeating-linear-gradient(45deg,#bbb 0 4px,#ddd 4px 8px)" }
    );
}
