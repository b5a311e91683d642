//! Names and pictures for people.

use std::ops::Range;

use crate::actions::{Action, ActionSet};
use crate::dyn_pen::DynPen;
use crate::encode::{self, Field, Places, RawPen};
use crate::error::{IllegalAction, ParseError};
use crate::fact::{Fact, Value};
use crate::game::{Game, Observer, SeatView as _, Turn, actions_of, observed_values};
use crate::list::Listing as _;
use crate::names::joined;
use crate::scene::{Face, Group, Hue, Place, Scene, Sign};
use crate::seats::Seat;

/// Strings for actions, outcomes, knowledge and states. A plain game names its actions and outcomes.
pub trait Notation: Game {
    /// The name of a player's action, for any id below the number of actions.
    fn action_name(&self, action: Action) -> String;
    /// The name of a chance outcome, for any id below the number of outcomes.
    fn outcome_name(&self, outcome: Action) -> String;

    /// The rule that an illegal action breaks, in words.
    fn rule_broken(&self, _state: &Self::State, _action: Action) -> String {
        "the rules do not allow it in this state".to_string()
    }

    /// Everything that the seat of the view knows, in one line. Equal strings mean equal views.
    fn knowledge(&self, view: &Self::View) -> String {
        view.knowledge(self)
    }

    /// The state as text for a terminal, as seen by `perspective` or with all cards open.
    fn text(&self, state: &Self::State, perspective: Option<Seat>) -> String {
        let scene = self.scene(state, perspective);
        if self.turn(state) != Turn::Over || !scene.tells_returns {
            return scene.text();
        }
        format!("{}\nreturns: {}", scene.text(), numbers(self.returns(state).as_slice()))
    }

    /// The content of a picture of the state, from the same perspective. By default, the public observation and then
    /// the private one of each seat.
    fn scene(&self, state: &Self::State, perspective: Option<Seat>) -> Scene {
        plain_scene(self, state, perspective)
    }

    /// The names of the cards that a seat can hold, each kind once. Empty in games without cards. By default, the cards
    /// of the observation's field of [hands](crate::Pen::hand).
    fn cards(&self) -> Vec<String> {
        let fields = self.observation_layout();
        let cards = fields.iter().find(|field| field.places == Places::Hand).map_or(0, Field::size);
        (0..cards).map(|card| self.outcome_name(Action(card as u8))).list()
    }

    /// The faces of the cards, in the same order. By default, the names as ranks of spades.
    fn faces(&self) -> Vec<Face> {
        self.cards().into_iter().map(|rank| Face { rank, sign: Sign::Spade, hue: Hue::Black }).list()
    }

    /// Counts the copies of each card that a seat holds in this state, in the order of [`cards`](Notation::cards): in
    /// hand, laid face down, or taken but not yet paid for. Overwrites `counts`, which has one entry per card.
    fn holdings(&self, state: &Self::State, seat: Seat, counts: &mut [u8]) {
        self.observe(state, Observer::Seat(seat), &mut DynPen::new(&mut HandPen { counts, in_hand: false }));
    }

    /// The names of the cards in no hand that nobody has seen since they were last shuffled: in a pile or set aside. A kind
    /// appears once for each copy. Empty by default.
    fn unseen(&self, _state: &Self::State) -> Vec<String> {
        Vec::new()
    }

    /// The action of that name.
    fn parse_action(&self, text: &str) -> Result<Action, ParseError> {
        parse(text, "action", self.name(), self.num_actions(), &|id| self.action_name(id))
    }

    /// The chance outcome of that name.
    fn parse_outcome(&self, text: &str) -> Result<Action, ParseError> {
        parse(text, "chance outcome", self.name(), self.info().num_outcomes, &|id| self.outcome_name(id))
    }

    /// The name of an event in this state: of an action if a player is to act, and of an outcome otherwise.
    fn event_name(&self, state: &Self::State, action: Action) -> String {
        match self.turn(state) {
            Turn::Chance => self.outcome_name(action),
            Turn::Seat(_) | Turn::Over => self.action_name(action),
        }
    }

    /// The event of this name in this state: the inverse of [`event_name`](Notation::event_name), for any id, possible
    /// or not.
    fn parse_event(&self, state: &Self::State, text: &str) -> Result<Action, ParseError> {
        match self.turn(state) {
            Turn::Chance => self.parse_outcome(text),
            Turn::Seat(_) | Turn::Over => self.parse_action(text),
        }
    }

    /// The possible events in this state: the legal actions or the possible outcomes, ascending; empty when the game is
    /// over.
    fn possible(&self, state: &Self::State) -> Vec<Action> {
        match self.turn(state) {
            Turn::Chance => actions_of(&self.chance(state)),
            Turn::Seat(_) | Turn::Over => self.legal(state).iter().list(),
        }
    }

    /// Checks that `action` can happen in this state; an error says which rule it breaks and what is allowed.
    fn check(&self, state: &Self::State, action: Action) -> Result<(), IllegalAction> {
        match self.possible(state).contains(&action) {
            true => Ok(()),
            false => Err(self.refusal(state, action.0.into())),
        }
    }

    /// An event by name and id.
    fn event_label(&self, state: &Self::State, action: Action) -> String {
        format!("{} ({})", self.event_name(state, action), action.0)
    }

    /// The error for an event with this id, which need not be an id of the game: the rule it breaks and what is allowed.
    fn refusal(&self, state: &Self::State, id: i64) -> IllegalAction {
        let turn = self.turn(state);
        let (kind, count) = match turn {
            Turn::Chance => ("chance outcomes", self.info().num_outcomes),
            Turn::Seat(_) | Turn::Over => ("actions", self.num_actions()),
        };
        let name = |action| self.event_label(state, action);
        let known = u8::try_from(id).ok().map(Action).filter(|action| action.index() < count);
        IllegalAction {
            action: known.map_or_else(|| id.to_string(), name),
            rule: match (turn, known) {
                (Turn::Over, _) => "the game is over".to_string(),
                (_, None) => format!("{kind} have the ids 0 to {}", count - 1),
                (Turn::Chance, _) => "the outcome is not possible in this state".to_string(),
                (Turn::Seat(_), Some(action)) => self.rule_broken(state, action),
            },
            legal: self.possible(state).into_iter().map(name).collect(),
        }
    }
}

/// The names of actions and outcomes, for functions that are compiled once for all games.
pub(crate) trait Names {
    /// See [`Notation::action_name`].
    fn action(&self, action: Action) -> String;
    /// See [`Notation::outcome_name`].
    fn outcome(&self, outcome: Action) -> String;
}

impl<G: Notation> Names for G {
    fn action(&self, action: Action) -> String {
        self.action_name(action)
    }

    fn outcome(&self, outcome: Action) -> String {
        self.outcome_name(outcome)
    }
}

/// The default [`scene`](Notation::scene), for games that change it a little.
pub fn plain_scene<G: Notation>(game: &G, state: &G::State, perspective: Option<Seat>) -> Scene {
    let (cards, layout) = (game.cards(), game.observation_layout());
    let seen = |observer| observed_values(game, state, observer);
    let public = seen(Observer::Public);
    let mut places = Vec::new();
    for seat in Seat::all(game.num_seats()) {
        let open = perspective.is_none_or(|own| own == seat);
        let own = open.then(|| seen(Observer::Seat(seat)));
        let remarks = own.map_or(Vec::new(), |own| private_remarks(game, &layout, &own, &public));
        let mut counts = vec![0; cards.len()];
        game.holdings(state, seat, &mut counts);
        places.push(Place::of(seat, hand(&cards, &counts, open), remarks));
    }
    let own = perspective.map(|seat| seen(Observer::Seat(seat)));
    Scene {
        title: game.name(),
        facts: observed_facts(game, &layout, own.as_ref().unwrap_or(&public), &public),
        track: Vec::new(),
        places,
        next: next(game.turn(state)),
        tells_returns: perspective.is_none(),
    }
}

/// The hand of a seat that holds so many copies of each card. There is none in a game without cards.
fn hand(cards: &[String], counts: &[u8], open: bool) -> Vec<Group> {
    if cards.is_empty() {
        return Vec::new();
    }
    let mut held = Vec::new();
    for (card, &count) in cards.iter().zip(counts) {
        held.resize(held.len() + usize::from(count), open.then(|| card.clone()));
    }
    vec![Group::held("hand", held)]
}

/// Writes the field of the observer's hand and nothing else.
struct HandPen<'a> {
    /// The part of the hand that has not been written.
    counts: &'a mut [u8],
    /// True in the field of the hand.
    in_hand: bool,
}

impl RawPen for HandPen<'_> {
    fn begin(&mut self, _name: &'static str, _shape: &[usize], places: Places) {
        self.in_hand = places == Places::Hand;
    }

    fn put(&mut self, bits: u64, len: usize) {
        if self.in_hand {
            let (row, rest) = std::mem::take(&mut self.counts).split_at_mut(len);
            for (count, value) in row.iter_mut().zip(encode::values(bits, len)) {
                *count = value;
            }
            self.counts = rest;
        }
    }
}

/// True for fields that are shown as they are: not the hand, which is shown as cards.
fn is_shown(field: &Field) -> bool {
    field.name != "seat" && field.places != Places::Hand
}

/// The fields of the observation as facts. Those that a spectator sees, too, are told in words unless they are empty.
fn observed_facts(names: &dyn Names, layout: &[Field], seen: &[u8], public: &[u8]) -> Vec<Fact> {
    let mut facts = Vec::new();
    for (field, place) in parts(layout) {
        if is_shown(field) {
            let words = Some(field_text(names, field, &public[place.clone()])).filter(|text| text != "-");
            facts.push(Fact { words, ..Fact::new(field.name, field_value(names, field, &seen[place])) });
        }
    }
    facts
}

/// The fields of the observation that are others than those that a spectator sees, in words.
fn private_remarks(names: &dyn Names, layout: &[Field], own: &[u8], public: &[u8]) -> Vec<String> {
    let mut remarks = Vec::new();
    for (field, text) in changed_fields(names, layout, own, Some(public)) {
        if is_shown(field) {
            remarks.push(format!("{}: {text}", field.name));
        }
    }
    remarks
}

/// The next event in words.
fn next(turn: Turn) -> String {
    match turn {
        Turn::Chance => "a random event".to_string(),
        Turn::Seat(seat) => format!("seat {seat} acts"),
        Turn::Over => "the game is over".to_string(),
    }
}

/// Numbers with blanks between them.
pub(crate) fn numbers(values: &[f64]) -> String {
    joined(&values.iter().map(f64::to_string).list(), " ")
}

fn parse(
    text: &str,
    what: &str,
    game: &str,
    count: usize,
    name: &dyn Fn(Action) -> String,
) -> Result<Action, ParseError> {
    let ids = || (0..count).map(|id| Action(id as u8));
    ids().find(|&id| name(id) == text).ok_or_else(|| ParseError {
        text: text.to_string(),
        kind: format!("{what} of {game}"),
        known: joined(&ids().map(name).list(), " "),
    })
}

/// The fields of an observation with this layout as text, without those that are equal in `except`.
pub(crate) fn changed_fields<'a>(
    names: &dyn Names,
    layout: &'a [Field],
    values: &[u8],
    except: Option<&[u8]>,
) -> Vec<(&'a Field, String)> {
    let mut changed = Vec::new();
    for (field, place) in parts(layout) {
        let part = &values[place.clone()];
        if except.is_none_or(|except| except[place] != *part) {
            changed.push((field, field_text(names, field, part)));
        }
    }
    changed
}

/// The fields of a layout, each with its place among the values.
fn parts(layout: &[Field]) -> Vec<(&Field, Range<usize>)> {
    let mut start = 0;
    let mut parts = Vec::with_capacity(layout.len());
    for field in layout {
        let end = start + field.size();
        parts.push((field, start..end));
        start = end;
    }
    parts
}

/// The rows of a field as values.
fn rows(names: &dyn Names, field: &Field, values: &[u8]) -> Vec<Value> {
    values.chunks(field.shape[field.shape.len() - 1]).map(|row| row_value(names, field, row)).list()
}

/// A field as text: its rows, without empty ones at the end.
fn field_text(names: &dyn Names, field: &Field, values: &[u8]) -> String {
    let rows = rows(names, field, values).iter().map(Value::to_string).list();
    let text = joined(&rows, " ");
    let text = text.trim_end_matches([' ', '-']);
    if text.is_empty() { "-" } else { text }.to_string()
}

/// A field as a value: a list of lists for each axis but the last, along which a row is one value.
fn field_value(names: &dyn Names, field: &Field, values: &[u8]) -> Value {
    let mut rows = rows(names, field, values);
    for &size in field.shape[..field.shape.len() - 1].iter().rev() {
        rows = rows.chunks(size).map(|values| Value::List(values.to_vec())).list();
    }
    rows.swap_remove(0)
}

/// A row of a field: the names of its ones, a single name, or the number of ones.
fn row_value(names: &dyn Names, field: &Field, row: &[u8]) -> Value {
    let mut values = Vec::new();
    for (&value, place) in row.iter().zip(0_u8..) {
        if value == 1 {
            values.push(match field.places {
                Places::Numbers | Places::Counts => place.into(),
                Places::Actions => names.action(Action(place)).into(),
                Places::Outcomes | Places::Hand => names.outcome(Action(place)).into(),
            });
        }
    }
    match field.places {
        Places::Counts => Value::Int(values.len() as i64),
        _ if field.single && values.is_empty() => Value::Absent,
        _ if field.single => values.swap_remove(0),
        _ => Value::List(values),
    }
}
