//! The state as HTML: cards drawn as cards, readable on light and dark pages.

use std::fmt::Write as _;

use crate::actions::{ActionSet as _, Actions64};
use crate::game::Game as _;
use crate::seats::Seat;

use super::UpAndDown;
use super::cards::Card;
use super::state::{FACE_DOWN, NO_CARD, State};

/// The suits as pips, and their colours: diamonds, hearts, spades, clubs.
const PIPS: [&str; 4] = ["&#9830;", "&#9829;", "&#9824;", "&#9827;"];
const COLOURS: [&str; 4] = ["#d35400", "#c62828", "#263238", "#2e7d32"];

/// One `div` with inline styles only, so that notebooks and mail keep it as it is. Text takes the page's colour.
pub(super) fn html(game: &UpAndDown, state: &State, perspective: Option<Seat>) -> String {
    let mut out = String::from(
        "<div style=\"font:14px/1.5 system-ui,sans-serif;display:inline-block;border:1px solid #8888;\
         border-radius:8px;padding:10px 14px\">",
    );
    let side = match (state.is_set()[1], state.down) {
        (false, _) => "#8888",
        (true, 0) => "#1565c0",
        (true, _) => "#2e7d32",
    };
    let _ = write!(
        out,
        "<div><b>Up &amp; Down</b>, {} &middot; <span style=\"padding:0 6px;border-radius:4px;color:#fff;background:\
         {side}\">{}</span> &middot; trump: <b>{}</b> &middot; pot: {}</div>",
        game.round_text(state),
        game.side_text(state),
        game.trump_text(state),
        state.pot
    );
    for seat in Seat::all(game.num_seats()) {
        player(&mut out, game, state, seat, perspective);
    }
    if let Some(text) = game.last_trick_text(state) {
        let _ = write!(out, "<div>{text}</div>");
    }
    let _ = write!(out, "<div style=\"opacity:.75\">{}</div></div>", game.next_text(state).replace('&', "&amp;"));
    out
}

/// One row: the suit pointed at, the card on the table, the hand.
fn player(out: &mut String, game: &UpAndDown, state: &State, seat: Seat, perspective: Option<Seat>) {
    let acts = game.turn(state).seat() == Some(seat);
    let set = state.is_set()[2];
    let _ = write!(
        out,
        "<div style=\"display:flex;align-items:center;gap:4px;margin:6px 0\">\
         <span style=\"min-width:7em{}\">{}seat {seat}{}</span>",
        if acts { ";font-weight:700" } else { "" },
        if acts { "&#9656; " } else { "" },
        if set && state.boss == seat.0 { ", boss" } else { "" }
    );
    let suit = usize::from(game.suit_at(state.orientation, seat.0));
    let _ = write!(
        out,
        "<span style=\"width:26px;text-align:center;border-radius:13px;background:#fff;border:1px solid #8888;\
         color:{}\">{}</span>",
        COLOURS[suit],
        if set { PIPS[suit] } else { "&nbsp;" }
    );
    out.push_str(
        "<span style=\"display:inline-block;min-width:36px;min-height:42px;padding:2px 4px;border-radius:6px;\
                  background:#8882\">",
    );
    match game.card_shown(state, seat, perspective) {
        NO_CARD => {}
        FACE_DOWN => draw(out, game, None),
        card => draw(out, game, Some(card)),
    }
    out.push_str("</span>");
    let open = perspective.is_none_or(|own| own == seat);
    for card in Actions64(state.hands[seat.index()]).iter() {
        draw(out, game, open.then_some(card.0));
    }
    let _ = write!(
        out,
        "<span style=\"margin-left:8px\">tricks {} &middot; score {}</span></div>",
        state.taken[seat.index()],
        state.scores[seat.index()]
    );
}

/// A card, or the back of one.
fn draw(out: &mut String, game: &UpAndDown, card: Option<Card>) {
    let (colour, face, background) = match card {
        Some(card) => {
            let suit = usize::from(game.deck.suit_of(card));
            let value = game.deck.value_letter(game.deck.value_of(card));
            (COLOURS[suit], format!("{value}{}", PIPS[suit]), "#fff")
        }
        None => ("#9e9e9e", "&nbsp;".to_string(), "repeating-linear-gradient(45deg,#bbb 0 4px,#ddd 4px 8px)"),
    };
    let _ = write!(
        out,
        "<span style=\"display:inline-block;box-sizing:border-box;width:30px;height:42px;line-height:38px;\
         text-align:center;font-weight:700;border-radius:5px;border:2px solid {colour};color:{colour};\
         background:{background}\">{face}</span>"
    );
}

#[cfg(test)]
mod tests {
    use crate::actions::ActionSet as _;
    use crate::game::{Game as _, Turn};
    use crate::games::up_and_down::{Rules, UpAndDown};
    use crate::notation::Notation as _;
    use crate::options::Options as _;
    use crate::rng::Rng;
    use crate::seats::Seat;

    #[test]
    fn pictures_are_one_element_that_is_closed() {
        let game = UpAndDown::new(Rules::from_text("players=3,hand_size=4").unwrap()).unwrap();
        let mut rng = Rng::stream(8, "picture", 0);
        let mut state = game.root();
        while game.turn(&state) != Turn::Over {
            for perspective in [None, Some(Seat(1))] {
                let html = game.html(&state, perspective);
                for tag in ["div", "span"] {
                    let count = |text: String| html.matches(&text).count();
                    assert_eq!(
                        count(format!("<{tag} ")) + count(format!("<{tag}>")),
                        count(format!("</{tag}>")),
                        "{html}"
                    );
                }
                assert!(html.starts_with("<div") && html.ends_with("</div>") && !html.contains("<script"));
            }
            let action = match game.turn(&state) {
                Turn::Chance => game.sample_chance(&state, &mut rng),
                _ => game.legal(&state).pick(&mut rng),
            };
            game.apply(&mut state, action);
        }
    }
}
