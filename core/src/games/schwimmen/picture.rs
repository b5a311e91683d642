//! The state as HTML: cards drawn as cards, readable on light and dark pages.

use std::fmt::Write as _;

use crate::bits;
use crate::game::Game as _;
use crate::seats::Seat;

use super::Schwimmen;
use super::cards::{self, Card};
use super::state::{Phase, State};

/// Card colours: diamonds, hearts, spades, clubs, one for each, so that suits differ at a glance.
const COLOURS: [&str; 4] = ["#b7660b", "#c62828", "#37474f", "#2e7d32"];
/// The signs of the suits.
const SIGNS: [&str; 4] = ["&diams;", "&hearts;", "&spades;", "&clubs;"];

/// One `div` with inline styles only, so that notebooks and mail keep it as it is. Text takes the page's colour.
pub(super) fn html(game: &Schwimmen, state: &State, perspective: Option<Seat>) -> String {
    let mut out = String::from(
        "<div style=\"font:14px/1.5 system-ui,sans-serif;display:inline-block;border:1px solid #8888;\
         border-radius:8px;padding:10px 14px\">",
    );
    let _ = write!(out, "<div><b>Schwimmen</b> &middot; {}</div>", game.header(state));
    table(&mut out, state, perspective.is_some() && game.table_is_hidden(state));
    for seat in Seat::all(game.num_seats()) {
        player(&mut out, game, state, seat, perspective);
    }
    let _ = write!(out, "<div style=\"opacity:.75\">{}</div></div>", game.next_text(state));
    out
}

fn player(out: &mut String, game: &Schwimmen, state: &State, seat: Seat, perspective: Option<Seat>) {
    let acts = game.turn(state).seat() == Some(seat);
    let is_out = state.active >> seat.0 & 1 == 0;
    let _ = write!(
        out,
        "<div style=\"display:flex;align-items:center;gap:4px;margin:6px 0{}\">\
         <span style=\"min-width:5em{}\">{}seat {seat}</span>",
        if is_out { ";opacity:.5" } else { "" },
        if acts { ";font-weight:700" } else { "" },
        if acts { "&#9656; " } else { "" }
    );
    let open = game.is_open(state, seat, perspective);
    for card in bits::members(state.hands[seat.index()]) {
        draw(out, open.then_some(card));
    }
    if state.phase == Phase::Give && acts {
        out.push_str("<span style=\"margin:0 4px\">+</span>");
        draw(out, Some(state.taken));
    }
    let remarks = game.remarks(state, seat, perspective).join(" &middot; ");
    let _ = write!(out, "<span style=\"margin-left:8px\">{remarks}</span></div>");
}

fn table(out: &mut String, state: &State, face_down: bool) {
    out.push_str(
        "<div style=\"display:flex;align-items:center;gap:4px;min-height:46px;margin:6px 0;padding:2px 6px;\
         border-radius:6px;background:#8882\"><span style=\"min-width:5em;opacity:.75\">table</span>",
    );
    for card in bits::members(state.table) {
        draw(out, (!face_down).then_some(card));
    }
    out.push_str("</div>");
}

/// A card, or the back of one.
fn draw(out: &mut String, card: Option<Card>) {
    let (colour, face, background) = match card.map(usize::from) {
        Some(card) => {
            let (suit, rank) = (card / 8, cards::RANKS[card % 8]);
            let rank = if rank == 'T' { "10".to_string() } else { rank.to_string() };
            (COLOURS[suit], format!("{}{rank}", SIGNS[suit]), "#fff")
        }
        None => ("#9e9e9e", "&nbsp;".to_string(), "repeating-linear-gradient(45deg,#bbb 0 4px,#ddd 4px 8px)"),
    };
    let _ = write!(
        out,
        "<span style=\"display:inline-block;box-sizing:border-box;width:34px;height:42px;line-height:38px;\
         text-align:center;font-weight:700;border-radius:5px;border:2px solid {colour};color:{colour};\
         background:{background}\">{face}</span>"
    );
}
