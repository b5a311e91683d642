//! The state as HTML: cards drawn as cards, readable on light and dark pages.

use std::fmt::Write as _;

use crate::bits;
use crate::seats::Seat;

use super::Schwinget;
use super::cards::{Card, NO_CARD};
use super::state::{NOBODY, Neutral, Phase, State};

/// Card colours: green, red, blue, yellow, and slate for the specials.
const COLOURS: [&str; 5] = ["#2e7d32", "#c62828", "#1565c0", "#b7790b", "#455a64"];

/// One `div` with inline styles only, so that notebooks and mail keep it as it is. Text takes the page's colour.
pub(super) fn html(game: &Schwinget, state: &State, perspective: Option<Seat>) -> String {
    let mut out = String::from(
        "<div style=\"font:14px/1.5 system-ui,sans-serif;display:inline-block;border:1px solid #8888;\
         border-radius:8px;padding:10px 14px\">",
    );
    let bout = (state.bout + 1).min(game.rules.bouts);
    let _ = write!(
        out,
        "<div><b>Schwinget</b>, bout {bout} of {} &middot; trump: {} &middot; pile: {}</div>",
        game.rules.bouts,
        game.trump_text(state),
        game.pile_text(state)
    );
    player(&mut out, game, state, Seat(1), perspective);
    table(&mut out, game, state);
    player(&mut out, game, state, Seat(0), perspective);
    let _ = write!(out, "<div style=\"opacity:.75\">{}</div></div>", game.next_text(state));
    out
}

fn player(out: &mut String, game: &Schwinget, state: &State, seat: Seat, perspective: Option<Seat>) {
    let index = seat.index();
    let acts = !matches!(state.phase, Phase::Over) && state.mover == seat.0;
    let _ = write!(
        out,
        "<div style=\"display:flex;align-items:center;gap:4px;margin:6px 0\">\
         <span style=\"min-width:5em{}\">{}seat {seat}</span>",
        if acts { ";font-weight:700" } else { "" },
        if acts { "&#9656; " } else { "" }
    );
    let cards = state.hands[index];
    for card in bits::members(cards) {
        let open = perspective.is_none_or(|own| own == seat);
        draw(out, game, open.then_some(card));
    }
    let bull = if state.attacker == seat.0 { " &middot; attacked" } else { "" };
    let _ = write!(
        out,
        "<span style=\"margin-left:8px\">tricks {} &middot; score {}{bull}</span></div>",
        state.taken[index],
        game.score_text(state.scores[index])
    );
}

fn table(out: &mut String, game: &Schwinget, state: &State) {
    out.push_str(
        "<div style=\"display:flex;align-items:center;gap:4px;min-height:46px;margin:6px 0;padding:2px 6px;\
         border-radius:6px;background:#8882\"><span style=\"min-width:5em;opacity:.75\">table</span>",
    );
    for card in [state.led, state.reply] {
        if card != NO_CARD {
            draw(out, game, Some(card));
        }
    }
    if state.neutral != Neutral::None {
        out.push_str("<span style=\"margin-left:8px\">a neutral trick waits</span>");
    }
    if state.attacker != NOBODY {
        out.push_str("<span style=\"margin-left:8px\">the pile is locked</span>");
    }
    out.push_str("</div>");
}

/// A card, or the back of one.
fn draw(out: &mut String, game: &Schwinget, card: Option<Card>) {
    let (colour, face) = match card {
        Some(card) => (COLOURS[usize::from(game.colour_of(card))], game.card_name(card)),
        None => ("#9e9e9e", "&nbsp;".to_string()),
    };
    let _ = write!(
        out,
        "<span style=\"display:inline-block;box-sizing:border-box;width:30px;height:42px;line-height:38px;\
         text-align:center;font-weight:700;border-radius:5px;border:2px solid {colour};color:{};background:{}\">\
         {face}</span>",
        if card.is_some() { colour } else { "transparent" },
        if card.is_some() { "#fff" } else { "repeating-linear-gradient(45deg,#bbb 0 4px,#ddd 4px 8px)" }
    );
}
