//! Names of cards and actions, and the content of a picture.

use std::fmt::Write as _;

use crate::actions::{Action, ActionSet as _, Actions64};
use crate::fact::{Fact, Value};
use crate::game::notation::Notation;
use crate::game::{Game as _, SeatView as _};
use crate::list::Listing as _;
use crate::scene::{Face, Group, Place, Scene, french_rank};
use crate::seats::Seat;

use super::cards::{Card, SUITS};
use super::state::{FACE_DOWN, NO_CARD, Phase, SEATS, State};
use super::view::{SeenTrick, View};
use super::{Change, UpAndDown};

/// The sides of the UP&DOWN card.
const SIDES: [&str; 2] = ["up", "down"];

impl UpAndDown {
    fn hand_text(&self, cards: u64) -> String {
        let names = Actions64(cards).iter().map(|action| self.deck.name(action.0)).list();
        names.join(" ")
    }

    /// The round, in words.
    fn round_text(&self, number: u8) -> String {
        let further = if number > self.rules.rounds { ", first place was shared" } else { "" };
        format!("{number} of {}{further}", self.rules.rounds)
    }

    /// The side of the UP&DOWN card, in words.
    fn side_text(&self, state: &State) -> &'static str {
        match (state.is_set()[1], state.down) {
            (false, _) => "not thrown yet",
            (true, 0) => "UP, the highest wins",
            (true, _) => "DOWN, the lowest wins",
        }
    }

    /// The next event, in words.
    fn next_text(&self, state: &State) -> String {
        let mover = state.mover;
        match state.phase {
            Phase::Deal => format!("a card is dealt to seat {mover}"),
            Phase::Dice => "the dice are rolled".to_string(),
            Phase::Side => "the UP&DOWN card is thrown".to_string(),
            Phase::Orientation => "the UP&DOWN card is turned".to_string(),
            Phase::Change => format!("seat {mover} is the boss and changes the rules"),
            Phase::Roll => format!("seat {mover} rolls the dice until their sum is not {}", state.trump + 2),
            Phase::Choose => format!("seat {mover} chooses a card"),
            Phase::Over => "the game is over".to_string(),
        }
    }

    /// The winner of the trick on the table, in words, once all cards are face up.
    fn last_trick_text(&self, state: &State) -> Option<String> {
        let open = matches!(state.phase, Phase::Change | Phase::Over) && state.table[0] != NO_CARD;
        open.then(|| match self.winner(state) {
            Some(winner) => format!("the last trick went to seat {winner}"),
            None => "the last trick went into the pot".to_string(),
        })
    }

    fn change_name(&self, change: Change) -> String {
        match change {
            Change::Flip => "flip".to_string(),
            Change::Rotate(quarters) => format!("rotate:{quarters}"),
            Change::Roll => "roll".to_string(),
        }
    }

    fn sum_name(&self, sum: u8) -> String {
        format!("dice:{}", sum + 2)
    }

    /// Appends a trick: the change, the new sum, the cards by seat.
    fn push_trick(&self, out: &mut String, trick: &SeenTrick) {
        out.push_str(" | ");
        out.push_str(&self.action_name(trick.change));
        if let Some(sum) = trick.rolled {
            out.push(' ');
            out.push_str(&self.sum_name(sum));
        }
        if trick.cards.iter().any(|&card| card != NO_CARD) {
            for &card in &trick.cards[..self.num_seats()] {
                out.push(' ');
                out.push_str(self.shown_name(card));
            }
        }
    }

    /// The name of a card, or the symbol for an empty place or a face-down card.
    fn shown_name(&self, card: Card) -> &str {
        match card {
            NO_CARD => "-",
            FACE_DOWN => "?",
            card => self.deck.name(card),
        }
    }

    /// The knowledge of the seat of a view, in one line.
    pub(super) fn tell(&self, view: &View) -> String {
        let mut out = format!("seat {}", view.seat());
        for round in &view.rounds {
            let _ = write!(out, " | dealt {}: {}", round.dealt, self.hand_text(round.hand));
            if let Some(sum) = round.dice {
                let _ = write!(out, " | {}", self.sum_name(sum));
            }
            if let Some(side) = round.side {
                let _ = write!(out, " {}", SIDES[usize::from(side)]);
            }
            if let Some(orientation) = round.orientation {
                let _ = write!(out, " orient:{orientation}");
            }
            round.tricks.iter().for_each(|trick| self.push_trick(&mut out, trick));
        }
        out
    }

    fn table_facts(&self, state: &State, perspective: Option<Seat>) -> Vec<Fact> {
        let [dice, side, pointed] = state.is_set();
        let round = state.round + u8::from(state.phase != Phase::Over);
        let letter = self.deck.value_letter(state.trump);
        let trump = if dice { french_rank(letter) } else { "not rolled yet".to_string() };
        let chosen = |seat: Seat| state.phase == Phase::Choose && state.table[seat.index()] != NO_CARD;
        let seats = || Seat::all(self.num_seats());
        let suit = |seat: Seat| pointed.then(|| SUITS[usize::from(self.suit_at(state.orientation, seat.0))]);
        let card = |seat| self.card_on_table(state, seat, perspective).flatten();
        let by_seat = |counts: [u8; SEATS]| Value::from_iter(counts.into_iter().take(self.num_seats()));
        let played = Actions64(self.played(state)).iter().map(|card| self.deck.name(card.0));
        vec![
            Fact::told("round", round, self.round_text(round)),
            Fact::told("side", side.then_some(SIDES[usize::from(state.down)]), self.side_text(state)),
            Fact::told("trump", dice.then_some(letter), trump),
            Fact::told("pot", state.pot, state.pot),
            Fact::new("boss", pointed.then_some(state.boss)),
            Fact::new("suits", Value::from_iter(seats().map(suit))),
            Fact::new("table", Value::from_iter(seats().map(card))),
            Fact::new("chosen", Value::from_iter(seats().map(chosen))),
            Fact::new("tricks", by_seat(state.taken)),
            Fact::new("scores", by_seat(state.scores)),
            Fact::new("played", Value::from_iter(played)),
        ]
    }

    /// The card of a seat on the table, without its name if it lies face down.
    fn card_on_table(&self, state: &State, seat: Seat, perspective: Option<Seat>) -> Option<Option<String>> {
        let open = state.phase != Phase::Choose || perspective.is_none_or(|own| own == seat);
        match state.table[seat.index()] {
            NO_CARD => None,
            FACE_DOWN => Some(None),
            card => Some(open.then(|| self.deck.name(card).to_string())),
        }
    }

    fn player(&self, state: &State, seat: Seat, perspective: Option<Seat>) -> Place {
        let index = seat.index();
        let open = perspective.is_none_or(|own| own == seat);
        let name = |card| self.deck.name(card).to_string();
        let pointed = state.is_set()[2];
        let some_card = |suit| (0..self.deck.size).find(|&card| self.deck.suit_of(card) == suit).map(name);
        let suit = pointed.then(|| self.suit_at(state.orientation, seat.0)).and_then(some_card);
        let card = self.card_on_table(state, seat, perspective);
        let chosen = Group { held: state.phase == Phase::Choose, ..Group::held("card", card.into_iter().list()) };
        let hand = Actions64(state.hands[index]).iter().map(|action| name(action.0));
        let boss = (pointed && state.boss == seat.0).then(|| "boss".to_string());
        let mut remarks = boss.into_iter().list();
        remarks.extend([format!("tricks: {}", state.taken[index]), format!("score: {}", state.scores[index])]);
        Place { suit, ..Place::of(seat, vec![chosen, Group::hand(hand, open)], remarks) }
    }
}

impl Notation for UpAndDown {
    fn action_name(&self, action: Action) -> String {
        match self.change_of(action) {
            Some(change) => self.change_name(change),
            None => self.deck.name(action.0).to_string(),
        }
    }

    fn outcome_name(&self, outcome: Action) -> String {
        let [dice, side, orientation] = self.setup_ids();
        match outcome.0 {
            id if id >= orientation => format!("orient:{}", id - orientation),
            id if id >= side => SIDES[usize::from(id - side)].to_string(),
            id if id >= dice => self.sum_name(id - dice),
            card => self.deck.name(card).to_string(),
        }
    }

    fn rule_broken(&self, state: &State, action: Action) -> String {
        match (state.phase, self.change_of(action)) {
            (Phase::Change, _) => "the boss must change the rules of the trick before cards are chosen".to_string(),
            (_, Some(_)) => "the rules of this trick have been changed already".to_string(),
            (_, None) => "the card is not in hand".to_string(),
        }
    }

    /// Counts a chosen card as held until all cards are revealed.
    fn holdings(&self, state: &State, seat: Seat, counts: &mut [u8]) {
        let chosen = match state.table[seat.index()] {
            card if state.phase == Phase::Choose && card != NO_CARD => 1 << card,
            _ => 0,
        };
        let held = state.hands[seat.index()] | chosen;
        counts.iter_mut().zip(0..).for_each(|(count, card)| *count = (held >> card & 1) as u8);
    }

    fn unseen(&self, state: &State) -> Vec<String> {
        Actions64(state.pool).iter().map(|card| self.deck.name(card.0).to_string()).list()
    }

    fn faces(&self) -> Vec<Face> {
        let face = |card| Face::french(self.deck.suit_of(card), self.deck.value_letter(self.deck.value_of(card)));
        (0..self.deck.size).map(face).list()
    }

    /// Lays out a row for each seat: the suit pointed at, the chosen card, the hand.
    fn scene(&self, state: &State, perspective: Option<Seat>) -> Scene {
        let last = self.last_trick_text(state).map(|text| Place { remarks: vec![text], ..Place::default() });
        Scene {
            title: "Up & Down",
            facts: self.table_facts(state, perspective),
            track: Vec::new(),
            places: Seat::all(self.num_seats()).map(|seat| self.player(state, seat, perspective)).chain(last).list(),
            next: self.next_text(state),
            tells_returns: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::FromRules as _;
    use crate::actions::Action;
    use crate::game::Game as _;
    use crate::game::notation::Notation as _;
    use crate::games::up_and_down::{Rules, UpAndDown};

    #[test]
    fn ids_match_the_rules_page() {
        let game = UpAndDown::new(Rules::default()).unwrap();
        for (id, name) in [
            (0, "D2"),
            (8, "DT"),
            (10, "DQ"),
            (11, "H2"),
            (22, "S2"),
            (42, "CJ"),
            (43, "CQ"),
            (44, "flip"),
            (45, "rotate:1"),
            (47, "rotate:3"),
            (48, "roll"),
        ] {
            assert_eq!(game.action_name(Action(id)), name);
            assert_eq!(game.parse_action(name), Ok(Action(id)));
        }
        assert_eq!(game.num_actions(), 49);
        for (id, name) in [
            (0, "D2"),
            (43, "CQ"),
            (44, "dice:2"),
            (54, "dice:12"),
            (55, "up"),
            (56, "down"),
            (57, "orient:0"),
            (60, "orient:3"),
        ] {
            assert_eq!(game.outcome_name(Action(id)), name);
            assert_eq!(game.parse_outcome(name), Ok(Action(id)));
        }
        assert_eq!(game.info().num_outcomes, 61);
        let error = game.parse_action("DK").unwrap_err().to_string();
        assert!(error.contains("'DK' is not a valid action of up_and_down; expected one of D2 D3"), "{error}");
    }
}
