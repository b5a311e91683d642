//! Names of cards and actions, and the state as text.

use crate::actions::Action;
use crate::bits;
use crate::game::{Game as _, SeatView as _, Turn};
use crate::notation::Notation;
use crate::scene::{Face, Scene};
use crate::seats::Seat;

use super::cards::{self, NO_CARD};
use super::rules::Play;
use super::state::{NOBODY, Phase, State};
use super::view::{Seen, View};
use super::{GIVE, KEEP, KNOCK, PUSH, SWAP_ALL, Schwimmen, picture};

/// Cards, in words.
fn names(cards: u32) -> String {
    if cards == 0 {
        return "-".to_string();
    }
    bits::members(cards).map(cards::name).collect::<Vec<_>>().join(" ")
}

impl Schwimmen {
    /// The next event, in words.
    pub(super) fn next_text(&self, state: &State) -> String {
        let mover = state.mover;
        match state.phase {
            Phase::Deal => format!("a card is dealt to seat {mover}"),
            Phase::Table if self.table_is_hidden(state) => "a card is dealt to the table, face down".to_string(),
            Phase::Table => "a card is dealt to the table".to_string(),
            Phase::Swap => format!("seat {mover} dealt, and keeps the hand or swaps it"),
            Phase::Turn => format!("seat {mover} has turn {} of {}", state.turns + 1, state.end),
            Phase::Give => format!("seat {mover} took {} and gives a card for it", cards::name(state.taken)),
            Phase::Refresh => "a new card comes to the table".to_string(),
            Phase::Cut => format!("seat {mover} draws a card in the cut"),
            Phase::Over => match self.rules.play {
                Play::Deal => format!("the deal is over: seat {} lost", state.loser),
                Play::Match => "the match is over".to_string(),
            },
        }
    }

    /// The stakes of a seat in a match, in words.
    pub(super) fn stakes_text(&self, state: &State, seat: Seat) -> Option<String> {
        (self.rules.play == Play::Match).then(|| match state.lives[seat.index()] {
            0 => "out".to_string(),
            1 => "swims".to_string(),
            2 => "1 stake".to_string(),
            lives => format!("{} stakes", lives - 1),
        })
    }

    /// True if the viewer of the picture sees a hand.
    pub(super) fn is_open(&self, state: &State, seat: Seat, perspective: Option<Seat>) -> bool {
        perspective.is_none_or(|own| own == seat) || state.is_shown()
    }

    /// Other information about a seat.
    pub(super) fn remarks(&self, state: &State, seat: Seat, perspective: Option<Seat>) -> Vec<String> {
        let hand = state.hands[seat.index()];
        let mut remarks = Vec::new();
        if hand.count_ones() == 3 && self.is_open(state, seat, perspective) {
            remarks.push(format!("worth {}", cards::score_text(self.score(hand))));
        }
        remarks.extend(self.stakes_text(state, seat));
        if state.dealer == seat.0 {
            remarks.push("dealer".to_string());
        }
        if state.knocker == seat.0 {
            remarks.push("knocked".to_string());
        }
        let cut = state.cut[seat.index()];
        if cut != NO_CARD {
            remarks.push(format!("cut {}", cards::name(cut)));
        }
        remarks
    }

    /// The deal, the pile and the cards laid away, in words.
    pub(super) fn header(&self, state: &State) -> String {
        let deal = match self.rules.play {
            Play::Deal => String::new(),
            Play::Match if state.phase == Phase::Over => format!("deal {}   ", state.deals),
            Play::Match => format!("deal {}   ", state.deals + 1),
        };
        format!("{deal}pile: {}   laid away: {}", state.pool.count_ones(), names(state.away))
    }
}

impl Schwimmen {
    /// The knowledge of the seat of a view, in one line.
    pub(super) fn tell(&self, view: &View) -> String {
        let mut words = vec![format!("seat {}", view.seat())];
        for log in view.logs() {
            let mut group = "";
            for seen in log {
                let (next, word) = match seen {
                    Seen::Dealt(card) => ("deal", card.map_or("?".to_string(), cards::name)),
                    Seen::Table(card) => ("table", card.map_or("?".to_string(), cards::name)),
                    Seen::Turned(card) => ("seen", cards::name(card)),
                    Seen::Shown(card) => ("shown", cards::name(card)),
                    Seen::Cut(card) => ("cut", cards::name(card)),
                    Seen::Did(action) => ("play", self.action_name(action)),
                };
                if next != group {
                    words.push(format!("| {next}:"));
                    group = next;
                }
                words.push(word);
            }
        }
        words.join(" ")
    }
}

impl Notation for Schwimmen {
    fn action_name(&self, action: Action) -> String {
        match action.0 {
            id if id < GIVE => format!("take:{}", cards::name(id)),
            id if id < SWAP_ALL => format!("give:{}", cards::name(id - GIVE)),
            SWAP_ALL => "swap_all".to_string(),
            PUSH => "push".to_string(),
            KNOCK => "knock".to_string(),
            KEEP => "keep".to_string(),
            _ => "swap".to_string(),
        }
    }

    fn outcome_name(&self, outcome: Action) -> String {
        cards::name(outcome.0)
    }

    fn rule_broken(&self, state: &State, action: Action) -> String {
        match (state.phase, action.0) {
            (Phase::Swap, _) => "the dealer must keep or swap the dealt hand".to_string(),
            (Phase::Give, id) if (GIVE..SWAP_ALL).contains(&id) => {
                "the card given must be one of the three held before".to_string()
            }
            (Phase::Give, _) => "a card must be given for the one taken".to_string(),
            (_, id) if id < GIVE => "the card is not on the table".to_string(),
            (_, id) if id < SWAP_ALL => "a card may be given only after one has been taken".to_string(),
            (_, KNOCK) if state.knocker != NOBODY => "a player has knocked already".to_string(),
            (_, KNOCK) => "no player may knock in the first turn".to_string(),
            _ => "only the dealer may swap, before the first turn".to_string(),
        }
    }

    fn text(&self, state: &State, perspective: Option<Seat>) -> String {
        let mut lines = vec![self.header(state)];
        let table = if perspective.is_some() && self.table_is_hidden(state) {
            vec!["??"; state.table.count_ones() as usize].join(" ")
        } else {
            names(state.table)
        };
        lines.push(format!("table    {table}"));
        for seat in Seat::all(self.num_seats()) {
            let cards = state.hands[seat.index()];
            let hand = if self.is_open(state, seat, perspective) {
                names(cards)
            } else {
                vec!["??"; cards.count_ones() as usize].join(" ")
            };
            let remarks = self.remarks(state, seat, perspective).join(", ");
            lines.push(format!("seat {seat}   {hand:<10}   {remarks}").trim_end().to_string());
        }
        lines.push(match self.turn(state) {
            Turn::Over => {
                let returns: Vec<String> = self.returns(state).iter().map(f64::to_string).collect();
                format!("over: returns {}", returns.join(" "))
            }
            _ => format!("next: {}", self.next_text(state)),
        });
        lines.join("\n")
    }

    fn cards(&self) -> Vec<String> {
        bits::members(cards::deck(&self.rules)).map(cards::name).collect()
    }

    /// Counts a card taken from the table as held while another must be given for it.
    fn holdings(&self, state: &State, seat: Seat, counts: &mut [u8]) {
        let taken = match state.taken {
            card if card != NO_CARD && state.mover == seat.0 => 1 << card,
            _ => 0,
        };
        let held = state.hands[seat.index()] | taken;
        let deck = bits::members(cards::deck(&self.rules));
        counts.iter_mut().zip(deck).for_each(|(count, card)| *count = (held >> card & 1) as u8);
    }

    fn faces(&self) -> Vec<Face> {
        picture::faces(self)
    }

    fn scene(&self, state: &State, perspective: Option<Seat>) -> Scene {
        picture::scene(self, state, perspective)
    }
}

#[cfg(test)]
mod tests {
    use crate::actions::Action;
    use crate::game::Game as _;
    use crate::games::schwimmen::{Rules, Schwimmen};
    use crate::notation::Notation as _;

    #[test]
    fn ids_match_the_rules_page() {
        let game = Schwimmen::new(Rules::default()).unwrap();
        for (id, name) in [
            (0, "take:D7"),
            (15, "take:HA"),
            (31, "take:CA"),
            (32, "give:D7"),
            (63, "give:CA"),
            (64, "swap_all"),
            (65, "push"),
            (66, "knock"),
            (67, "keep"),
            (68, "swap"),
        ] {
            assert_eq!(game.action_name(Action(id)), name);
            assert_eq!(game.parse_action(name), Ok(Action(id)));
        }
        assert_eq!((game.num_actions(), game.info().num_outcomes), (69, 32));
        assert_eq!(game.outcome_name(Action(11)), "HT");
    }
}
