//! The rules in Python as a [`Game`].

use std::sync::Arc;

use pyo3::prelude::*;
use stier_core::encode::Places;
use stier_core::game::{Chance, Observer};
use stier_core::key::{UNNOTICED, mix, noticed};
use stier_core::listed::{Listed, Unlisted};
use stier_core::log::Status;
use stier_core::scene::{Group, Place, Scene};
use stier_core::{
    Action, Actions256, BySeat, DynOptions, Fact, Filter, Game, GameInfo, Hints, Log, Notation, Pen, Seat, Turn,
    failure::Foreign,
};

use super::encode::PLACES;
use super::nodes::Seen;
use super::position::{Path, Position};
use super::sheet;
use super::source::{Source, raise};
use super::thread::with_python;
use crate::errors;
use crate::scene::PlainValue;

/// A Python game under fixed rules.
#[derive(Clone)]
pub(crate) struct PythonGame(Arc<Source>);

impl PythonGame {
    /// The game of a sheet.
    pub(crate) fn new(sheet: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(Arc::new(sheet::read(sheet)?)))
    }

    /// The names of the cards that a seat holds, if the game tells.
    fn hand(&self, state: &Position, seat: Seat) -> Option<Vec<String>> {
        self.0.told("hand", state, Some(seat))
    }
}

impl Foreign for Source {
    fn refuse(&self, why: &str) -> ! {
        raise(errors::game(format!("{}: {why}", self.name())))
    }

    fn states_are_histories(&self) -> bool {
        self.states_are_histories
    }

    fn list(&self, most: usize, goes_on: &dyn Fn(usize) -> bool) -> Option<Result<Listed, Unlisted>> {
        let is_offered = self.states_are_histories && self.methods.contains_key("information_state");
        is_offered.then(|| self.list_histories(most, goes_on))
    }
}

impl Game for PythonGame {
    type State = Position;
    type View = Log;
    type Sampler = Filter<Self>;
    type Actions = Actions256;

    fn rules(&self) -> &dyn DynOptions {
        &self.0.rules
    }

    fn info(&self) -> &GameInfo {
        &self.0.info
    }

    fn root(&self) -> Position {
        Position::new(Path::new(), self.0.root_node().identity)
    }

    fn turn(&self, state: &Position) -> Turn {
        self.0.node(state).turn
    }

    fn legal(&self, state: &Position) -> Actions256 {
        self.0.node(state).legal
    }

    fn apply(&self, state: &mut Position, action: Action) {
        let (after, node) = self.0.after(state, action);
        if self.0.nodes.by_path.get(after.path).is_none() {
            self.0.nodes.by_path.insert(after.path, node);
        }
        *state = after;
    }

    fn chance(&self, state: &Position) -> Chance {
        self.0.node(state).chance.clone()
    }

    fn returns(&self, state: &Position) -> BySeat<f64> {
        self.0.node(state).returns.clone()
    }

    fn observe<P: Pen>(&self, state: &Position, observer: Observer, pen: &mut P) {
        let (node, path) = (self.0.node(state), &state.path);
        let observer = observer.seat().map_or(self.0.info.num_seats, Seat::index);
        let Seen { code, features } = self.0.seen(&node, observer, path);
        let mut digest = code.digest;
        if let Some(size) = self.0.features {
            if self.0.exact_features {
                digest = features.iter().fold(0, |key, &word| mix(key, word));
            } else {
                pen.begin("digest", &[64], Places::Numbers);
                pen.put(digest, 64);
            }
            pen.begin("features", &[size], Places::Numbers);
            features.iter().enumerate().for_each(|(word, &bits)| pen.put(bits, (size - 64 * word).min(64)));
        } else {
            pen.begin("digest", &[64], Places::Numbers);
            pen.put(digest, 64);
            pen.begin("parts", &[PLACES], Places::Numbers);
            code.places.iter().for_each(|&bits| pen.put(bits, 64));
        }
        self.0.note_words(&node, observer, digest, path);
    }

    fn foreign(&self) -> Option<&dyn Foreign> {
        Some(&*self.0)
    }

    fn observed(&self, before: &Position, action: Action, observer: Seat) -> u64 {
        let node = self.0.node(before);
        let (after, child) = self.0.after(before, action);
        let own = node.turn == Turn::Seat(observer);
        let seen = self.0.seen(&child, observer.index(), &after.path);
        let digest = seen.code.digest;
        let role = Status::of(child.turn, observer);
        if !own
            && role == Status::of(node.turn, observer)
            && digest == self.0.seen(&node, observer.index(), &before.path).code.digest
        {
            return UNNOTICED;
        }
        let begin = if own { u64::from(action.0) + 1 } else { 0 };
        noticed(mix(mix(begin, digest), role as u64))
    }

    fn sight(&self, state: &Position, seat: Seat) -> u64 {
        let (node, path) = (self.0.node(state), &state.path);
        mix(self.0.seen(&node, seat.index(), path).code.digest, Status::of(node.turn, seat) as u64)
    }
}

impl Notation for PythonGame {
    fn action_name(&self, action: Action) -> String {
        self.0.actions[action.index()].clone()
    }

    fn outcome_name(&self, outcome: Action) -> String {
        self.0.outcomes[outcome.index()].clone()
    }

    fn knowledge(&self, view: &Log) -> String {
        let seat = view.seat();
        let digest = |place: usize| self.0.digest_of(&view.entries()[place].seen.values);
        let words = |place: usize| {
            let known = self.0.nodes.words.get((seat.index(), digest(place)));
            known.map_or_else(|| format!("{:016x}", digest(place)), |words| words.to_string())
        };
        let entries = view.entries().len();
        // Before the last words that tell everything, nothing needs to be told.
        let told = |&place: &usize| {
            self.0.observations_recall && view.entries()[place].seen.status == Status::ToAct && !words(place).is_empty()
        };
        let start = (0..entries).rev().find(told).unwrap_or(0);
        let mut parts = vec![format!("seat {seat}")];
        for (place, entry) in view.entries().iter().enumerate().skip(start) {
            let before = place.checked_sub(1).filter(|before| *before >= start);
            let mut part = Vec::new();
            if before.is_some() {
                part.extend(entry.action.map(|action| self.action_name(action)));
            }
            if before.is_none_or(|before| digest(before) != digest(place)) {
                part.push(words(place));
            }
            if before.is_none_or(|before| view.entries()[before].seen.status != entry.seen.status) {
                part.push(entry.seen.status.words().to_string());
            }
            part.retain(|word| !word.is_empty());
            parts.push(part.join(" "));
        }
        parts.join(" | ")
    }

    fn scene(&self, state: &Position, perspective: Option<Seat>) -> Scene {
        type Told = (String, PlainValue, String);
        let told = |method| self.0.told::<Vec<Told>>(method, state, perspective);
        let facts = told("facts").or_else(|| told("sees")).unwrap_or_default();
        let place = |seat: Seat| {
            let is_open = perspective.is_none_or(|own| own == seat);
            let hand = if is_open { self.hand(state, seat) } else { None };
            Place::of(seat, hand.map(|cards| Group::hand(cards, true)).into_iter().collect(), Vec::new())
        };
        Scene {
            title: self.0.name(),
            facts: facts.into_iter().map(|(name, PlainValue(value), words)| Fact::told(name, value, words)).collect(),
            track: Vec::new(),
            places: Seat::all(self.0.info.num_seats).map(place).collect(),
            next: match self.turn(state) {
                Turn::Chance => "a random event".to_string(),
                Turn::Seat(seat) => format!("seat {seat} acts"),
                Turn::Over => "the game is over".to_string(),
            },
            tells_returns: perspective.is_none(),
        }
    }

    fn cards(&self) -> Vec<String> {
        self.0.cards.clone()
    }

    fn holdings(&self, state: &Position, seat: Seat, counts: &mut [u8]) {
        counts.fill(0);
        if counts.is_empty() {
            return;
        }
        for card in self.hand(state, seat).into_iter().flatten() {
            match self.0.cards.iter().position(|other| *other == card) {
                Some(place) => counts[place] += 1,
                None => self.0.contradiction(&format!("'{card}' is none of the game's cards"), &state.path),
            }
        }
    }
}

impl Hints for PythonGame {
    fn evaluate(&self, state: &Position) -> BySeat<f32> {
        let (low, high) = self.0.info.utility_range;
        let seats = self.0.info.num_seats;
        if !self.0.methods.contains_key("evaluate") {
            return BySeat::filled(seats, self.0.info.middle_return() as f32);
        }
        let (node, path) = (self.0.node(state), &state.path);
        with_python(|py| {
            let with = (node.object.bind(py),);
            let is_right = |found: &Vec<f64>| found.len() == seats && !found.iter().any(|value| value.is_nan());
            let found = self.0.ask(py, "evaluate", with, path, is_right);
            BySeat::from_fn(seats, |seat| found[seat.index()].clamp(low, high) as f32)
        })
    }
}
