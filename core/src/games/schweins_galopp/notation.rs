//! Names of cards, pigs and actions, and the content of a picture.

use crate::actions::Action;
use crate::bits;
use crate::error::ParseError;
use crate::fact::{Fact, Value};
use crate::game::notation::Notation;
use crate::game::{Game as _, SeatView as _, Turn};
use crate::list::{Listing as _, sort_few};
use crate::scene::{Face, Group, Hue, Place, Scene, Sign, Space};
use crate::seats::Seat;

use super::counts::{Colour, Counts};
use super::state::{NOT_PLACED, Phase, State};
use super::{FOOD_IDS, SchweinsGalopp, View};

/// Prefix to the colour of a pig to place.
const PLACED: &str = "place:";

/// The colours of pigs and cards.
const HUES: [Hue; 5] = [Hue::Pink, Hue::Blue, Hue::Green, Hue::Yellow, Hue::Violet];

/// The name of a colour: a letter.
fn name(colour: Colour) -> String {
    char::from(b'a' + colour).to_string()
}

fn names(colours: impl IntoIterator<Item = Colour>) -> Vec<String> {
    colours.into_iter().map(name).list()
}

impl SchweinsGalopp {
    /// The pig on a space, if any.
    fn pig_on(&self, state: &State, space: u8) -> Option<Colour> {
        (0..self.rules.colours).find(|&colour| {
            let distance = state.distance[usize::from(colour)];
            distance != NOT_PLACED && self.space(distance) == space
        })
    }

    /// The pigs on the track in the order of the race, leader first.
    fn order(&self, state: &State) -> Vec<Colour> {
        let placed = |colour: &Colour| state.distance[usize::from(*colour)] != NOT_PLACED;
        let mut order = (0..self.rules.colours).filter(placed).list();
        let distance = |&colour: &Colour| state.distance[usize::from(colour)];
        sort_few(&mut order, |one, other| distance(one) > distance(other));
        order
    }

    /// The next event, in words.
    fn next_text(&self, state: &State) -> String {
        let mover = state.mover;
        match state.phase {
            Phase::Place if self.turn(state) == Turn::Chance => "a pig is placed by chance".to_string(),
            Phase::Place => format!("seat {mover} places a pig"),
            Phase::Food => format!("seat {mover} lays food on the track"),
            Phase::Deal => format!("a card is dealt to seat {mover}"),
            Phase::Play => format!("seat {mover} plays a card"),
            Phase::Over => "the game is over".to_string(),
        }
    }

    /// The knowledge of the seat of a view, in one line.
    pub(super) fn tell(&self, view: &View) -> String {
        let mut words = vec![format!("seat {}", view.seat())];
        let mut public = view.public.iter().copied().peekable();
        let seen = &view.seen;
        for (round, known) in view.rounds.iter().enumerate() {
            let present = round == usize::from(seen.round);
            words.push("| placed".to_string());
            for _ in 0..self.rules.colours {
                words.extend(public.next().map(name));
            }
            while let Some(id) = public.next_if(|&id| id >= FOOD_IDS) {
                words.push(self.action_name(Action(id)));
            }
            let dealt = match seen.phase {
                Phase::Place | Phase::Food if present => 0,
                Phase::Deal if present => seen.count,
                _ => self.rules.plays(),
            };
            if dealt > 0 {
                words.push(format!("| dealt {dealt}: {} |", names(known[view.seat().index()].iter()).join(" ")));
                for _ in 0..self.rules.plays() {
                    words.extend(public.next().map(name));
                }
            }
        }
        words.join(" ")
    }

    /// The facts, which everybody knows.
    fn table_facts(&self, state: &State) -> Vec<Fact> {
        let round = (state.round + 1).min(self.rules.rounds);
        let race = names(self.order(state));
        let in_order = (!race.is_empty()).then(|| race.join(" "));
        let seats = ..self.num_seats();
        vec![
            Fact::told("round", round, format!("{round} of {}", self.rules.rounds)),
            Fact::told("first_player", state.first, format!("seat {}", state.first)),
            Fact::told("supply", state.supply, state.supply),
            Fact { words: in_order, ..Fact::new("race", Value::from_iter(race)) },
            Fact::new(
                "track",
                Value::from_iter((0..self.rules.track).map(|space| self.pig_on(state, space).map(name))),
            ),
            Fact::new("track_food", Value::from_iter(bits::members(state.track_food))),
            Fact::new(
                "played",
                Value::from_iter(state.played[seats].iter().map(|cards| Value::from_iter(names(cards.iter())))),
            ),
            Fact::new("at_risk", Value::from_iter(state.risk[seats].iter().copied())),
            Fact::new("banked", Value::from_iter(state.banked[seats].iter().copied())),
        ]
    }
}

impl Notation for SchweinsGalopp {
    fn action_name(&self, action: Action) -> String {
        match action.0.checked_sub(FOOD_IDS) {
            Some(space) => format!("food:{space}"),
            None => name(action.0),
        }
    }

    fn outcome_name(&self, outcome: Action) -> String {
        name(outcome.0)
    }

    fn event_name(&self, state: &State, action: Action) -> String {
        match self.turn(state) {
            _ if state.phase == Phase::Place && action.0 < FOOD_IDS => format!("{PLACED}{}", name(action.0)),
            Turn::Chance => self.outcome_name(action),
            Turn::Seat(_) | Turn::Over => self.action_name(action),
        }
    }

    fn parse_event(&self, state: &State, text: &str) -> Result<Action, ParseError> {
        let is_pig = text.starts_with(PLACED);
        match (state.phase, self.turn(state)) {
            (Phase::Place, _) if is_pig => self.parse_action(text),
            (Phase::Place, _) => {
                let names = (0..FOOD_IDS).map(|pig| self.event_name(state, Action(pig))).list();
                Err(ParseError { text: text.to_string(), kind: "pig to place".to_string(), known: names.join(" ") })
            }
            (_, Turn::Chance) => self.parse_outcome(text),
            _ if is_pig => self.parse_action("").map_err(|error| ParseError { text: text.to_string(), ..error }),
            _ => self.parse_action(text),
        }
    }

    fn rule_broken(&self, state: &State, action: Action) -> String {
        let is_colour = action.0 < self.rules.colours;
        match (state.phase, action.0.checked_sub(FOOD_IDS)) {
            (Phase::Play | Phase::Place, Some(_)) => {
                "food may be laid only before the deal, and only with track_food=on".to_string()
            }
            (_, None) if !is_colour => format!("this game has {} colours", self.rules.colours),
            (Phase::Play, None) => "the card is not in hand".to_string(),
            (Phase::Place, None) => "the pig is already on the track".to_string(),
            (_, Some(space)) if space >= self.rules.track => format!("the track has {} spaces", self.rules.track),
            (_, Some(space)) if state.track_food >> space & 1 == 1 => "the space already has food".to_string(),
            (_, Some(space)) if state.occupied >> space & 1 == 1 => "a pig stands on the space".to_string(),
            (_, Some(_)) => "the four spaces in front of the leading pig must stay clear".to_string(),
            (_, None) => "food may be laid only before cards are played".to_string(),
        }
    }

    /// Race cards are known by their colour alone, so one name stands for all cards of a colour.
    fn cards(&self) -> Vec<String> {
        (0..self.rules.colours).map(name).list()
    }

    fn holdings(&self, state: &State, seat: Seat, counts: &mut [u8]) {
        let hand = state.hands[seat.index()];
        counts.iter_mut().enumerate().for_each(|(colour, count)| *count = hand.get(colour));
    }

    /// Also accepts the name of a pig to place.
    fn parse_action(&self, text: &str) -> Result<Action, ParseError> {
        let name = text.strip_prefix(PLACED).filter(|pig| pig.len() == 1).unwrap_or(text);
        let ids = || (0..self.num_actions() as u8).map(Action);
        ids().find(|&id| self.action_name(id) == name).ok_or_else(|| ParseError {
            text: text.to_string(),
            kind: format!("action of {}", self.name()),
            known: ids().map(|id| self.action_name(id)).list().join(" "),
        })
    }

    fn unseen(&self, state: &State) -> Vec<String> {
        let dealt = state.hands.iter().chain(&state.played).fold(Counts::NONE, |sum, &cards| sum + cards);
        names((self.deck - dealt).iter())
    }

    /// A pig and the letter of its colour.
    fn faces(&self) -> Vec<Face> {
        let face = |(rank, hue)| Face { rank, sign: Sign::Pig, hue };
        self.cards().into_iter().zip(HUES).map(face).list()
    }

    /// Lays out the track and a row for each seat.
    fn scene(&self, state: &State, perspective: Option<Seat>) -> Scene {
        let space =
            |space| Space { piece: self.pig_on(state, space).map(name), food: state.track_food >> space & 1 == 1 };
        let player = |seat: Seat| {
            let index = seat.index();
            let open = perspective.is_none_or(|own| own == seat);
            let hand = Group::hand(names(state.hands[index].iter()), open);
            let played = Group::aside("played", names(state.played[index].iter()));
            let food = vec![format!("at risk: {}", state.risk[index]), format!("banked: {}", state.banked[index])];
            Place::of(seat, vec![hand, played], food)
        };
        Scene {
            title: "Schweins-Galopp",
            facts: self.table_facts(state),
            track: (0..self.rules.track).map(space).list(),
            places: Seat::all(self.num_seats()).map(player).list(),
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
    use crate::games::schweins_galopp::{Rules, SchweinsGalopp};

    #[test]
    fn ids_match_the_rules_page() {
        let game = SchweinsGalopp::new(Rules::default()).unwrap();
        for (id, name) in [(0, "a"), (4, "e"), (5, "food:0"), (18, "food:13"), (26, "food:21")] {
            assert_eq!(game.action_name(Action(id)), name);
            assert_eq!(game.parse_action(name), Ok(Action(id)));
        }
        assert_eq!(game.parse_action("place:c"), Ok(Action(2)));
        assert_eq!(game.event_name(&game.root(), Action(2)), "place:c");
        assert_eq!((game.num_actions(), game.info().num_outcomes), (27, 5));
        for text in ["f", "place:food:3", "place:", "food:22"] {
            let error = game.parse_action(text).unwrap_err().to_string();
            assert!(
                error.contains("is not a valid action of schweins_galopp; ")
                    && error.contains("xpected one of a b c d e food:0"),
                "{error}"
            );
        }
    }
}
