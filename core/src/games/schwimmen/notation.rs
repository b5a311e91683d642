//! Names of cards and actions, and the content of a picture.

use crate::actions::Action;
use crate::bits;
use crate::fact::{Fact, Value};
use crate::game::notation::Notation;
use crate::game::{Game as _, SeatView as _};
use crate::list::Listing as _;
use crate::scene::{Face, Group, Place, Scene};
use crate::seats::Seat;

use super::cards::{self, NO_CARD};
use super::rules::Play;
use super::state::{NOBODY, Phase, State};
use super::view::{SeenEvent, View};
use super::{GIVE, KEEP, KNOCK, PUSH, SWAP_ALL, Schwimmen};

impl Schwimmen {
    /// The next event, in words.
    fn next_text(&self, state: &State) -> String {
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
    fn stakes_text(&self, state: &State, seat: Seat) -> Option<String> {
        (self.rules.play == Play::Match).then(|| match state.lives[seat.index()] {
            0 => "out".to_string(),
            1 => "swims".to_string(),
            2 => "1 stake".to_string(),
            lives => format!("{} stakes", lives - 1),
        })
    }

    /// The knowledge of the seat of a view, in one line.
    pub(super) fn tell(&self, view: &View) -> String {
        let mut words = vec![format!("seat {}", view.seat())];
        for log in view.logs() {
            let mut group = "";
            for seen in log {
                let (next, word) = match seen {
                    SeenEvent::Dealt(card) => ("deal", card.map_or("?".to_string(), cards::name)),
                    SeenEvent::Table(card) => ("table", card.map_or("?".to_string(), cards::name)),
                    SeenEvent::Turned(card) => ("seen", cards::name(card)),
                    SeenEvent::Shown(card) => ("shown", cards::name(card)),
                    SeenEvent::Cut(card) => ("cut", cards::name(card)),
                    SeenEvent::Did(action) => ("play", self.action_name(action)),
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

    fn table_facts(&self, state: &State, perspective: Option<Seat>) -> Vec<Fact> {
        let (is_match, pile) = (self.rules.play == Play::Match, state.pool.count_ones());
        let deal = state.deals + u8::from(state.phase != Phase::Over);
        let card = |card| (card != NO_CARD).then(|| cards::name(card));
        let table =
            bits::members(state.table).map(|card| self.table_is_open(state, perspective).then(|| cards::name(card)));
        let seats = || Seat::all(self.num_seats());
        let known = if state.is_shown() { u32::MAX } else { state.open };
        vec![
            Fact { words: is_match.then(|| deal.to_string()), ..Fact::new("deal", deal) },
            Fact::told("pile", pile, format!("{pile} cards")),
            Fact::new("table", Value::from_iter(table)),
            Fact::new("laid_away", names(state.away)),
            Fact::new("taken", card(state.taken)),
            Fact::new("dealer", state.dealer),
            Fact::new("knocker", (state.knocker != NOBODY).then_some(state.knocker)),
            Fact::new("turns", state.turns),
            Fact::new("turns_left", state.end - state.turns),
            Fact::new(
                "worth",
                Value::from_iter(
                    seats().map(|seat| self.worth(state, seat, perspective).map(|worth| f64::from(worth) / 2.0)),
                ),
            ),
            Fact::new("open_cards", Value::from_iter(seats().map(|seat| names(state.hands[seat.index()] & known)))),
            Fact::new("cut", Value::from_iter(seats().map(|seat| card(state.cut[seat.index()])))),
            Fact::new("lives", is_match.then(|| Value::from_iter(seats().map(|seat| state.lives[seat.index()])))),
        ]
    }

    /// True if the perspective sees the cards on the table.
    fn table_is_open(&self, state: &State, perspective: Option<Seat>) -> bool {
        perspective.is_none() || !self.table_is_hidden(state)
    }

    /// True if the perspective sees the hand of a seat.
    fn hand_is_open(state: &State, seat: Seat, perspective: Option<Seat>) -> bool {
        perspective.is_none_or(|own| own == seat) || state.is_shown()
    }

    /// The value of a hand of three that the perspective sees, in half points.
    fn worth(&self, state: &State, seat: Seat, perspective: Option<Seat>) -> Option<u8> {
        let hand = state.hands[seat.index()];
        (Self::hand_is_open(state, seat, perspective) && hand.count_ones() == 3).then(|| self.score(hand))
    }

    fn table(&self, state: &State, perspective: Option<Seat>) -> Place {
        let open = self.table_is_open(state, perspective);
        let cards = bits::members(state.table).map(|card| open.then(|| cards::name(card))).list();
        let table = Group { cards, ..Group::open("table", []) };
        let pile = Group::pile("pile", state.pool.count_ones() as usize);
        let away = Group::aside("laid away", bits::members(state.away).map(cards::name));
        Place { groups: vec![table, pile, away], ..Place::default() }
    }

    fn player(&self, state: &State, seat: Seat, perspective: Option<Seat>) -> Place {
        let open = Self::hand_is_open(state, seat, perspective);
        let (hand, cut) = (state.hands[seat.index()], state.cut[seat.index()]);
        let mut groups = vec![Group::hand(bits::members(hand).map(cards::name), open)];
        if state.phase == Phase::Give && state.mover == seat.0 {
            groups.push(Group::held("took", vec![Some(cards::name(state.taken))]));
        }
        let remarks = [
            self.worth(state, seat, perspective).map(|worth| format!("worth: {}", cards::score_text(worth))),
            self.stakes_text(state, seat),
            (state.dealer == seat.0).then(|| "dealer".to_string()),
            (state.knocker == seat.0).then(|| "knocked".to_string()),
            (cut != NO_CARD).then(|| format!("cut: {}", cards::name(cut))),
        ];
        Place::of(seat, groups, remarks.into_iter().flatten().list())
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

    fn cards(&self) -> Vec<String> {
        bits::members(self.deck).map(cards::name).list()
    }

    /// Counts a card taken from the table as held while another must be given for it.
    fn holdings(&self, state: &State, seat: Seat, counts: &mut [u8]) {
        let taken = match state.taken {
            card if card != NO_CARD && state.mover == seat.0 => 1 << card,
            _ => 0,
        };
        let held = state.hands[seat.index()] | taken;
        let deck = bits::members(self.deck);
        counts.iter_mut().zip(deck).for_each(|(count, card)| *count = (held >> card & 1) as u8);
    }

    fn unseen(&self, state: &State) -> Vec<String> {
        bits::members(state.pool).map(cards::name).list()
    }

    fn faces(&self) -> Vec<Face> {
        let face = |card| Face::french(card / 8, cards::RANKS[usize::from(card) % 8]);
        bits::members(self.deck).map(face).list()
    }

    /// Lays out the table and a row for each seat.
    fn scene(&self, state: &State, perspective: Option<Seat>) -> Scene {
        let seats = Seat::all(self.num_seats()).map(|seat| self.player(state, seat, perspective));
        Scene {
            title: "Schwimmen",
            facts: self.table_facts(state, perspective),
            track: Vec::new(),
            places: std::iter::once(self.table(state, perspective)).chain(seats).list(),
            next: self.next_text(state),
            tells_returns: true,
        }
    }
}

/// The names of the cards of a set.
fn names(cards: u32) -> Value {
    Value::from_iter(bits::members(cards).map(cards::name))
}

#[cfg(test)]
mod tests {
    use crate::FromRules as _;
    use crate::actions::Action;
    use crate::game::Game as _;
    use crate::game::notation::Notation as _;
    use crate::games::schwimmen::{Rules, Schwimmen};

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
