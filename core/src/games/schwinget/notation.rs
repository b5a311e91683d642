//! Names of cards and actions, and the content of a picture.

use crate::actions::Action;
use crate::bits;
use crate::fact::{Fact, Value};
use crate::game::SeatView as _;
use crate::game::notation::Notation;
use crate::list::Listing as _;
use crate::scene::{Face, Group, Hue, Place, Scene, Sign};
use crate::seats::Seat;

use super::Schwinget;
use super::cards::{Card, NO_CARD, SUITS};
use super::rules::Scoring;
use super::state::{NOBODY, Neutral, Phase, State};
use super::view::{SeenEvent, View};

/// The signs and colours of the suits.
const SUIT_FACES: [(Sign, Hue); 4] =
    [(Sign::Leaf, Hue::Green), (Sign::Cross, Hue::Red), (Sign::Drop, Hue::Blue), (Sign::Sun, Hue::Yellow)];

/// The suits in words.
const SUIT_NAMES: [&str; 5] = ["green", "red", "blue", "yellow", "none"];

impl Schwinget {
    fn hand_text(&self, cards: u32) -> String {
        let names = bits::members(cards).map(|card| self.deck.name(card)).list();
        names.join(" ")
    }

    /// The trump suit in words, with the card that fixed it.
    fn trump_text(&self, state: &State) -> String {
        match state.turned {
            NO_CARD => "not turned up yet".to_string(),
            card => format!("{} ({} turned up)", SUIT_NAMES[usize::from(state.trump)], self.deck.name(card)),
        }
    }

    /// A score, for people: whole points, or two decimals as in wrestling.
    fn score_text(&self, hundredths: u16) -> String {
        match self.rules.scoring {
            Scoring::Points => (hundredths / 100).to_string(),
            Scoring::Schwinger => format!("{}.{:02}", hundredths / 100, hundredths % 100),
        }
    }

    /// The next event, in words.
    fn next_text(&self, state: &State) -> String {
        let mover = state.mover;
        match state.phase {
            Phase::Deal => format!("a card is dealt to seat {mover}"),
            Phase::TurnUp => "the trump card is turned up".to_string(),
            Phase::Lead if state.attacked() || state.pile == 0 => format!("seat {mover} leads"),
            Phase::Lead => format!("seat {mover} leads, or attacks first"),
            Phase::LeaderDraws | Phase::FollowerDraws => format!("seat {mover} draws a card"),
            Phase::Follow => format!("seat {mover} answers {}", self.deck.name(state.led)),
            Phase::Decide => format!("seat {mover} played the referee and says who leads"),
            Phase::Over => "the match is over".to_string(),
        }
    }

    /// The pile, in words.
    fn pile_text(&self, state: &State) -> String {
        match (state.attacker, state.pile) {
            (NOBODY, 0) => "empty".to_string(),
            (NOBODY, pile) => format!("{pile} cards"),
            (seat, pile) => format!("{pile} cards, locked by seat {seat}"),
        }
    }

    /// The knowledge of the seat of a view, in one line.
    pub(super) fn tell(&self, view: &View) -> String {
        let mut words = vec![format!("seat {}", view.seat())];
        let mut log = view.log.iter().copied().peekable();
        while log.peek().is_some() {
            let (mut dealt, mut hand) = (0, 0);
            while let Some(SeenEvent::Dealt(card)) = log.next_if(|seen| matches!(seen, SeenEvent::Dealt(_))) {
                dealt += 1;
                hand |= card.map_or(0, |card| 1_u32 << card);
            }
            words.push(format!("| dealt {dealt}: {}", self.hand_text(hand)));
            while let Some(seen) = log.next_if(|seen| !matches!(seen, SeenEvent::Dealt(_))) {
                words.push(match seen {
                    SeenEvent::TurnedUp(card) => format!("| turned up {} |", self.deck.name(card)),
                    SeenEvent::Drawn(Some(card)) => format!("+{}", self.deck.name(card)),
                    SeenEvent::Drawn(None) => "+?".to_string(),
                    SeenEvent::Did(action) => self.action_name(action),
                    SeenEvent::Dealt(_) => unreachable!("the next bout is read by the outer loop"),
                });
            }
        }
        words.join(" ")
    }

    /// The facts, which everybody knows.
    fn table_facts(&self, state: &State) -> Vec<Fact> {
        let bout = (state.bout + 1).min(self.rules.bouts);
        let card = |card: Card| (card != NO_CARD).then(|| self.deck.name(card));
        let names = |cards| Value::from_iter(bits::members(cards).map(|card| self.deck.name(card)));
        let trump = card(state.turned).and(SUITS.get(usize::from(state.trump)).copied());
        let score = |&score: &u16| match self.rules.scoring {
            Scoring::Points => Value::from(u32::from(score / 100)),
            Scoring::Schwinger => Value::from(f64::from(score) / 100.0),
        };
        vec![
            Fact::told("bout", bout, format!("{bout} of {}", self.rules.bouts)),
            Fact::told("trump", trump, self.trump_text(state)),
            Fact::told("pile", state.pile, self.pile_text(state)),
            Fact::new("turned_up", card(state.turned)),
            Fact::new("led", card(state.led)),
            Fact::new("answer", card(state.reply)),
            Fact::new("leader", state.leader),
            Fact::new("attacker", state.attacked().then_some(state.attacker)),
            Fact::new("neutral_trick", state.neutral != Neutral::None),
            Fact::new("tricks", Value::from_iter(state.taken)),
            Fact::new("scores", Value::from_iter(state.scores.iter().map(score))),
            Fact::new("played", Value::from_iter(state.played.map(names))),
        ]
    }

    fn player(&self, state: &State, seat: Seat, perspective: Option<Seat>) -> Place {
        let index = seat.index();
        let open = perspective.is_none_or(|own| own == seat);
        let hand = bits::members(state.hands[index]).map(|card| self.deck.name(card));
        let score = self.score_text(state.scores[index]);
        let mut remarks = vec![format!("tricks: {}", state.taken[index]), format!("score: {score}")];
        remarks.extend((state.attacker == seat.0).then(|| "attacked".to_string()));
        Place::of(seat, vec![Group::hand(hand, open)], remarks)
    }

    fn table(&self, state: &State) -> Place {
        let open = |name, card: Card| Group::open(name, (card != NO_CARD).then(|| self.deck.name(card)));
        let groups = vec![
            open("trump", state.turned),
            Group::pile(if state.attacked() { "locked pile" } else { "pile" }, state.pile.into()),
            open(["seat 0 led", "seat 1 led"][usize::from(state.leader)], state.led),
            open("answer", state.reply),
        ];
        let neutral = (state.neutral != Neutral::None).then(|| "a neutral trick waits".to_string());
        Place { groups, remarks: neutral.into_iter().list(), ..Place::default() }
    }
}

impl Notation for Schwinget {
    fn action_name(&self, action: Action) -> String {
        let [lead_self, _] = self.deck.decisions();
        match action {
            Action(card) if card < self.deck.size => self.deck.name(card),
            _ if action == self.deck.attack() => "attack".to_string(),
            _ if action == lead_self => "lead:self".to_string(),
            _ => "lead:opponent".to_string(),
        }
    }

    fn outcome_name(&self, outcome: Action) -> String {
        self.deck.name(outcome.0)
    }

    fn rule_broken(&self, state: &State, action: Action) -> String {
        let hand = state.hands[usize::from(state.mover)];
        let is_card = action.0 < self.deck.size;
        match state.phase {
            Phase::Decide => "the referee's player must decide who leads".to_string(),
            Phase::Lead if action == self.deck.attack() && state.attacked() => {
                "a bout has at most one attack".to_string()
            }
            Phase::Lead if action == self.deck.attack() => "attacks are not allowed once the pile is empty".to_string(),
            Phase::Follow if action == self.deck.attack() => "only the player on lead may attack".to_string(),
            _ if !is_card => "no referee has been played".to_string(),
            _ if hand >> action.0 & 1 == 0 => "the card is not in hand".to_string(),
            _ => format!("the suit led must be followed: {} was led", self.deck.name(state.led)),
        }
    }

    fn holdings(&self, state: &State, seat: Seat, counts: &mut [u8]) {
        let hand = state.hands[seat.index()];
        counts.iter_mut().zip(0..).for_each(|(count, card)| *count = (hand >> card & 1) as u8);
    }

    fn unseen(&self, state: &State) -> Vec<String> {
        bits::members(state.pool).map(|card| self.deck.name(card)).list()
    }

    fn faces(&self) -> Vec<Face> {
        let face = |(card, name): (usize, String)| match SUIT_FACES.get(usize::from(self.deck.suit_of[card])) {
            Some(&(sign, hue)) => Face { rank: name[1..].to_string(), sign, hue },
            None if 1 << card == self.deck.referee => Face { rank: name, sign: Sign::Whistle, hue: Hue::Grey },
            None => Face { rank: name, sign: Sign::Bolt, hue: Hue::Grey },
        };
        self.cards().into_iter().enumerate().map(face).list()
    }

    /// Lays out the opponent above, the table in the middle, and seat 0 below.
    fn scene(&self, state: &State, perspective: Option<Seat>) -> Scene {
        Scene {
            title: "Schwinget",
            facts: self.table_facts(state),
            track: Vec::new(),
            places: vec![
                self.player(state, Seat(1), perspective),
                self.table(state),
                self.player(state, Seat(0), perspective),
            ],
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
    use crate::games::schwinget::{Rules, Schwinget};

    #[test]
    fn ids_match_the_rules_page() {
        let game = Schwinget::new(Rules::default()).unwrap();
        for (id, name) in [
            (0, "G1"),
            (5, "G6"),
            (6, "R1"),
            (12, "B1"),
            (23, "Y6"),
            (24, "KR"),
            (25, "BK"),
            (26, "attack"),
            (27, "lead:self"),
            (28, "lead:opponent"),
        ] {
            assert_eq!(game.action_name(Action(id)), name);
            assert_eq!(game.parse_action(name), Ok(Action(id)));
        }
        assert_eq!(game.num_actions(), 29);
        let error = game.parse_action("G7").unwrap_err().to_string();
        assert!(error.contains("'G7' is not a valid action of schwinget; expected one of G1 G2"), "{error}");
    }
}
