//! A game whose rules are Python functions: see `stier.register_game`.
//!
//! A [`Position`] is the path that leads to a state. The Python object and everything that was asked about it stand in a
//! [node](nodes), so each question is asked once, and searches and solvers run without Python wherever play has been
//! before. If Python raises, or says what cannot be, the game [fails](failure::fail) with the exception.

mod encode;
mod listing;
mod nodes;
mod position;
mod rules;
mod sheet;
mod thread;

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use stier_core::encode::Places;
use stier_core::game::{Chance, Observer};
use stier_core::hints::RuleOfThumb;
use stier_core::key::{UNNOTICED, mix, noticed};
use stier_core::listed::{Listed, Unlisted};
use stier_core::log::Status;
use stier_core::plain::{DynPen, PlainGame, PlainState};
use stier_core::scene::{Face, Group, Hue, Place, Scene, Sign};
use stier_core::{
    Action, ActionSet as _, Actions256, BySeat, DynOptions, Fact, GameInfo, Log, Outcome, Pen as _, Seat, Symmetry,
    Turn,
    failure::{self, Foreign},
};

use self::encode::{Code, PLACES};
use self::nodes::{Node, Nodes, Seen};
use self::position::{Path, Position};
use self::rules::Rules;
use self::sheet::Methods;

pub(crate) use self::sheet::options;
use self::thread::with_python;
use crate::errors;
use crate::scene::PlainValue;
use crate::state::{CHANCE, TERMINAL};

/// A Python game under fixed rules.
pub(crate) struct PythonGame {
    rules: Rules,
    info: GameInfo,
    methods: Methods,
    actions: Vec<String>,
    outcomes: Vec<String>,
    cards: Vec<String>,
    /// No two histories lead to the same state, and states cannot be compared.
    states_are_histories: bool,
    /// An observation tells everything that the player knows.
    observations_recall: bool,
    /// The number of the game's own features.
    features: Option<usize>,
    /// The features tell all observations apart.
    exact_features: bool,
    root: OnceLock<Arc<Node>>,
    nodes: Nodes,
}

thread_local! {
    /// True while an error is put into words, which may end in another.
    static EXPLAINING: Cell<bool> = const { Cell::new(false) };
}

/// Ends the calculation with an exception.
fn raise(error: PyErr) -> ! {
    failure::fail(error)
}

/// Does the work. Returns the exception of a game that fails.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    failure::catch(work)
}

/// The same for work that can also end in an exception of its own.
pub(crate) fn attempt<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    guarded(work)?
}

/// A number for an object, given its hash in Python: the same for equal objects, and the same in every run where they are
/// made of simple values. Different objects share it only by accident, with a probability of 2^-64.
fn identity(object: &Bound<'_, PyAny>, hash: i64) -> u64 {
    static OTHERS: AtomicU32 = AtomicU32::new(1);
    match Code::of(object) {
        Ok(code) => code.digest.max(1),
        // Equal objects that are not kept at the same time count as different.
        Err(_) => u64::from(OTHERS.fetch_add(1, Ordering::Relaxed)) << 32 | u64::from(hash as u32),
    }
}

/// The answers of Python about an object.
type Answers = (Turn, (Actions256, Chance, BySeat<f64>));

impl PythonGame {
    fn name(&self) -> &'static str {
        self.rules.owner
    }

    /// The events of a path in words, as far as the game can still be asked.
    fn words(&self, path: &Path) -> String {
        let asked_already = EXPLAINING.replace(true);
        let mut node = self.root.get().cloned();
        let word = |event: Action| {
            let before = node.take();
            let ask = |before: &Arc<Node>| guarded(|| self.child(before, event, &Path::new())).ok();
            node = before
                .as_ref()
                .and_then(|before| before.child(event).or_else(|| (!asked_already).then(|| ask(before))?));
            match before.map(|before| before.turn) {
                Some(Turn::Chance) => self.outcomes[event.index()].clone(),
                Some(Turn::Seat(_)) => self.actions[event.index()].clone(),
                Some(Turn::Over) | None => event.0.to_string(),
            }
        };
        let words: Vec<String> = path.events().into_iter().map(word).collect();
        EXPLAINING.set(asked_already);
        if words.is_empty() { "at the beginning".to_string() } else { format!("after {}", words.join(" ")) }
    }

    /// Ends the calculation: a method raised an exception.
    fn raised(&self, py: Python<'_>, method: &str, error: PyErr, path: &Path) -> ! {
        if !error.is_instance_of::<PyException>(py) {
            raise(error);
        }
        let kind = error.get_type(py).name().map_or_else(|_| "an exception".to_string(), |name| name.to_string());
        let text = format!("{}: {method} raised {kind}, {}: {}", self.name(), self.words(path), error.value(py));
        let own = errors::game(text);
        own.set_cause(py, Some(error));
        raise(own)
    }

    /// Ends the calculation: the game says what cannot be.
    fn contradiction(&self, what: &str, path: &Path) -> ! {
        raise(errors::game(format!("{}: {what}, {}", self.name(), self.words(path))))
    }

    /// Calls a method and converts what it returns.
    fn ask<'py, T>(
        &self,
        (method, function): (&str, &Bound<'py, PyAny>),
        argument: &Bound<'py, PyAny>,
        path: &Path,
        expected: &str,
    ) -> T
    where
        T: for<'a> FromPyObject<'a, 'py>,
    {
        let found = function.call1((argument,)).unwrap_or_else(|error| self.raised(function.py(), method, error, path));
        found.extract().unwrap_or_else(|_| {
            let found = found.repr().map_or_else(|_| "something else".to_string(), |text| text.to_string());
            self.contradiction(&format!("{method} must return {expected}, got {found}"), path)
        })
    }

    /// Asks about an object.
    fn answers(&self, object: &Bound<'_, PyAny>, path: &Path) -> Answers {
        let (py, seats) = (object.py(), self.info.num_seats);
        let methods = &self.methods;
        let (mut legal, mut chance, mut returns) = (Actions256::default(), Vec::new(), BySeat::filled(seats, 0.0));
        let player: i64 = self.ask(("current_player", methods.current_player.bind(py)), object, path, "a number");
        let turn = match player {
            CHANCE => Turn::Chance,
            TERMINAL => Turn::Over,
            seat if (0..seats as i64).contains(&seat) => Turn::Seat(Seat(seat as u8)),
            other => self.contradiction(
                &format!("current_player must return a seat, stier.CHANCE or stier.TERMINAL, got {other}"),
                path,
            ),
        };
        match turn {
            Turn::Seat(_) => {
                let method = ("legal_actions", methods.legal_actions.bind(py));
                let found: Vec<i64> = self.ask(method, object, path, "a list of numbers");
                if !found.is_sorted_by(|one, other| one < other) {
                    self.contradiction(&format!("legal_actions must be ascending, each once, got {found:?}"), path);
                }
                for &action in &found {
                    if !(0..self.info.num_actions as i64).contains(&action) {
                        let most = self.info.num_actions - 1;
                        self.contradiction(&format!("actions are numbered 0 to {most}, got {action}"), path);
                    }
                    legal = legal.with(Action(action as u8));
                }
                if found.is_empty() {
                    self.contradiction(&format!("player {player} is to act and has no legal action"), path);
                }
            }
            Turn::Chance => {
                let method = ("chance_outcomes", methods.chance_outcomes.bind(py));
                let found: Vec<(i64, f64)> = self.ask(method, object, path, "a list of pairs (outcome, probability)");
                let sum: f64 = found.iter().map(|(_, probability)| probability).sum();
                for &(outcome, probability) in &found {
                    if !(0..self.info.num_outcomes as i64).contains(&outcome) {
                        let most = self.info.num_outcomes - 1;
                        self.contradiction(&format!("chance outcomes are numbered 0 to {most}, got {outcome}"), path);
                    }
                    if probability.is_nan() || probability < 0.0 {
                        self.contradiction(&format!("outcome {outcome} has the probability {probability}"), path);
                    }
                    chance.push(Outcome { action: Action(outcome as u8), probability });
                }
                chance.retain(|outcome| outcome.probability > 0.0);
                chance.sort_by_key(|outcome| outcome.action.0);
                if chance.windows(2).any(|pair| pair[0].action == pair[1].action) {
                    self.contradiction("an outcome of chance is listed twice", path);
                }
                if (sum - 1.0).abs() > 1e-9 {
                    self.contradiction(&format!("the probabilities of chance add up to {sum}, not 1"), path);
                }
            }
            Turn::Over => {
                let method = ("returns", methods.returns.bind(py));
                let found: Vec<f64> = self.ask(method, object, path, "a number for each player");
                let (low, high) = self.info.utility_range;
                let margin = 1e-9 * (high - low).max(1.0);
                if found.len() != seats {
                    self.contradiction(&format!("returns must be {seats} numbers, got {}", found.len()), path);
                }
                if let Some(bad) = found.iter().find(|value| !(low - margin..=high + margin).contains(*value)) {
                    self.contradiction(&format!("utility_range is {low} to {high}, and a return is {bad}"), path);
                }
                if let Some(sum) = self.info.utility_sum.filter(|sum| (found.iter().sum::<f64>() - sum).abs() > margin)
                {
                    let found: f64 = found.iter().sum();
                    self.contradiction(&format!("utility_sum is {sum}, and the returns add up to {found}"), path);
                }
                returns = BySeat::from_fn(seats, |seat| found[seat.index()].clamp(low, high));
            }
        }
        (turn, (legal, chance, returns))
    }

    /// The node of an object: the one of an equal object, if there is one.
    fn node_of(&self, object: &Bound<'_, PyAny>, path: &Path) -> Arc<Node> {
        let (py, seats) = (object.py(), self.info.num_seats);
        if self.states_are_histories {
            let (turn, answers) = self.answers(object, path);
            return Arc::new(Node::new(object.clone().unbind(), 0, seats, turn, answers));
        }
        let hash = object.hash().unwrap_or_else(|error| self.raised(py, "hash of the state", error, path)) as i64;
        let equal = |node: &&Arc<Node>| {
            let other = node.object.bind(py);
            other.is(object)
                || other.eq(object).unwrap_or_else(|error| self.raised(py, "comparison of states", error, path))
        };
        if let Some(known) = self.nodes.with_hash(hash).iter().find(equal) {
            return known.clone();
        }
        let (turn, answers) = self.answers(object, path);
        let node = Arc::new(Node::new(object.clone().unbind(), identity(object, hash), seats, turn, answers));
        self.nodes.add(hash, &node);
        node
    }

    /// The node after an event at a node, which ends this path.
    fn child(&self, node: &Arc<Node>, event: Action, path: &Path) -> Arc<Node> {
        if let Some(child) = node.child(event) {
            return child;
        }
        let child = with_python(|py| {
            let method = ("apply", self.methods.apply.bind(py));
            let applied = method.1.call1((node.object.bind(py), event.0));
            let object = applied.unwrap_or_else(|error| self.raised(py, method.0, error, path));
            self.check_length(path);
            self.node_of(&object, &path.with(event))
        });
        node.note_child(event, &child);
        child
    }

    /// Fails if no event may follow a path.
    fn check_length(&self, path: &Path) {
        let GameInfo { max_decisions, max_chance_events, .. } = self.info;
        if path.len() >= max_decisions + max_chance_events {
            let most = max_decisions + max_chance_events;
            self.contradiction(
                &format!(
                    "a game has more than {most} events: max_decisions is {max_decisions} and max_chance_events \
                     {max_chance_events}"
                ),
                path,
            );
        }
    }

    /// The node before the first event.
    fn root_node(&self) -> &Arc<Node> {
        self.root.get().expect("it is there once the game is made")
    }

    /// The node of a position.
    fn node(&self, position: &Position) -> Arc<Node> {
        if position.path.len() == 0 {
            return self.root_node().clone();
        }
        self.nodes.at(&position.path).unwrap_or_else(|| {
            let (mut node, mut path) = (self.root_node().clone(), Path::new());
            for event in position.path.events() {
                node = self.child(&node, event, &path);
                path = path.with(event);
            }
            self.nodes.put(position.path, &node);
            node
        })
    }

    /// The node of a state.
    fn at(&self, state: &PlainState) -> Arc<Node> {
        self.node(state.get::<Position>())
    }

    /// The position after an event, and its node.
    fn after(&self, position: &Position, event: Action) -> (Position, Arc<Node>) {
        let node = self.node(position);
        let child = self.child(&node, event, &position.path);
        let path = position.path.with(event);
        let after =
            if self.states_are_histories { Position::of_history(path) } else { Position::of(path, child.identity) };
        (after, child)
    }

    /// The view of an observer: a seat, or everybody for the number of seats.
    fn seen<'a>(&self, node: &'a Node, observer: usize, path: &Path) -> &'a Seen {
        if let Some(seen) = node.seen[observer].get() {
            return seen;
        }
        let seen = with_python(|py| self.look(py, node, observer, path));
        // Another thread may have been first, with the same answer. While Python runs, nothing may be locked.
        node.seen[observer].get_or_init(|| seen)
    }

    /// Calls `observation` for an observer.
    fn observation<'py>(&self, py: Python<'py>, node: &Node, observer: usize, path: &Path) -> Bound<'py, PyAny> {
        let player = (observer < self.info.num_seats).then_some(observer);
        let function = self.methods.observation.bind(py);
        let called = function.call1((node.object.bind(py), player));
        called.unwrap_or_else(|error| self.raised(py, "observation", error, path))
    }

    /// Asks what an observer sees.
    fn look(&self, py: Python<'_>, node: &Node, observer: usize, path: &Path) -> Seen {
        let observation = self.observation(py, node, observer, path);
        let code = Code::of(&observation).unwrap_or_else(|error| self.raised(py, "observation", error, path));
        let (Some(function), Some(size)) = (&self.methods.features, self.features) else {
            return Seen { code, features: Box::default() };
        };
        let player = (observer < self.info.num_seats).then_some(observer);
        let found = function.bind(py).call1((node.object.bind(py), player));
        let found = found.unwrap_or_else(|error| self.raised(py, "features", error, path));
        let bits: Vec<u8> = found
            .extract()
            .unwrap_or_else(|_| self.contradiction("features must return a sequence of zeros and ones", path));
        if bits.len() != size || bits.iter().any(|&bit| bit > 1) {
            let what = format!("features must return {size} zeros and ones as at the beginning, got {}", bits.len());
            self.contradiction(&what, path);
        }
        let word = |bits: &[u8]| bits.iter().rev().fold(0, |word, &bit| word << 1 | u64::from(bit));
        let features: Box<[u64]> = bits.chunks(64).map(word).collect();
        if self.exact_features {
            let key = features.iter().fold(0, |key, &word| mix(key, word));
            if self.nodes.belongs(observer, key, code.digest) != code.digest {
                self.contradiction("features must differ where the observation does", path);
            }
        }
        Seen { code, features }
    }

    /// The words for what an observer sees, which the digest in its log stands for.
    fn note_words(&self, node: &Node, observer: usize, digest: u64, path: &Path) {
        if self.nodes.named(observer, digest).is_none() {
            let words = with_python(|py| {
                let observation = self.observation(py, node, observer, path);
                let words =
                    self.methods.words.bind(py).call1((observation,)).and_then(|words| words.extract::<String>());
                words.unwrap_or_else(|error| self.raised(py, "observation", error, path))
            });
            self.nodes.name(observer, digest, words.into());
        }
    }

    /// The digest among the values of an observation, or that of its features.
    fn digest_of(&self, values: &[u8]) -> u64 {
        let word = |bits: &[u8]| bits.iter().rev().fold(0, |word, &bit| word << 1 | u64::from(bit));
        if self.exact_features && self.features.is_some() {
            values.chunks(64).map(word).fold(0, mix)
        } else {
            word(&values[..64])
        }
    }

    /// Calls an optional method of state and player, for what people read.
    fn told<T>(&self, method: &str, function: Option<&Py<PyAny>>, state: &PlainState, player: Option<Seat>) -> Option<T>
    where
        T: for<'a, 'py> FromPyObject<'a, 'py>,
    {
        let function = function?;
        let (node, path) = (self.at(state), &state.get::<Position>().path);
        with_python(|py| {
            let player = player.map(|seat| seat.0);
            let found = function.bind(py).call1((node.object.bind(py), player));
            let found = found.unwrap_or_else(|error| self.raised(py, method, error, path));
            let found = found.extract::<T>();
            Some(
                found.unwrap_or_else(|_| {
                    self.contradiction(&format!("{method} returned a value of the wrong type"), path)
                }),
            )
        })
    }
}

impl Foreign for PythonGame {
    fn contradiction(&self, what: &str) -> ! {
        raise(errors::game(format!("{}: {what}", self.name())))
    }

    fn states_are_histories(&self) -> bool {
        self.states_are_histories
    }
}

impl PlainGame for PythonGame {
    fn rules(&self) -> &dyn DynOptions {
        &self.rules
    }

    fn info(&self) -> &GameInfo {
        &self.info
    }

    fn actions_version(&self) -> u32 {
        1
    }

    fn observation_version(&self) -> u32 {
        1
    }

    fn symmetry(&self) -> Option<Symmetry> {
        None
    }

    fn root(&self) -> PlainState {
        let root = if self.states_are_histories {
            Position::of_history(Path::new())
        } else {
            Position::of(Path::new(), self.root_node().identity)
        };
        PlainState::new(root)
    }

    fn turn(&self, state: &PlainState) -> Turn {
        self.at(state).turn
    }

    fn legal(&self, state: &PlainState) -> Actions256 {
        self.at(state).legal
    }

    fn apply(&self, state: &mut PlainState, action: Action) {
        let (after, node) = self.after(state.get(), action);
        if self.nodes.at(&after.path).is_none() {
            self.nodes.put(after.path, &node);
        }
        *state.get_mut() = after;
    }

    fn chance(&self, state: &PlainState) -> Chance {
        self.at(state).chance.clone()
    }

    fn returns(&self, state: &PlainState) -> BySeat<f64> {
        self.at(state).returns.clone()
    }

    fn deal_number(&self, _state: &PlainState) -> u32 {
        0
    }

    fn observe(&self, state: &PlainState, observer: Observer, pen: &mut DynPen<'_>) {
        let (node, path) = (self.at(state), &state.get::<Position>().path);
        let observer = observer.seat().map_or(self.info.num_seats, Seat::index);
        let Seen { code, features } = self.seen(&node, observer, path);
        let mut digest = code.digest;
        if let Some(size) = self.features {
            if self.exact_features {
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
        self.note_words(&node, observer, digest, path);
    }

    fn foreign(&self) -> Option<&dyn Foreign> {
        Some(self)
    }

    fn list(&self, most: usize, goes_on: &dyn Fn(usize) -> bool) -> Result<Listed, Unlisted> {
        self.list_histories(most, goes_on)
    }

    fn observed(&self, before: &PlainState, action: Action, observer: Seat) -> u64 {
        let position = before.get::<Position>();
        let node = self.node(position);
        let (after, child) = self.after(position, action);
        let own = node.turn == Turn::Seat(observer);
        let seen = self.seen(&child, observer.index(), &after.path);
        let digest = seen.code.digest;
        let role = Status::of(child.turn, observer);
        if !own
            && role == Status::of(node.turn, observer)
            && digest == self.seen(&node, observer.index(), &position.path).code.digest
        {
            return UNNOTICED;
        }
        let begin = if own { u64::from(action.0) + 1 } else { 0 };
        noticed(mix(mix(begin, digest), role as u64))
    }

    fn sight(&self, state: &PlainState, seat: Seat) -> u64 {
        let (node, path) = (self.at(state), &state.get::<Position>().path);
        mix(self.seen(&node, seat.index(), path).code.digest, Status::of(node.turn, seat) as u64)
    }

    fn action_name(&self, action: Action) -> String {
        self.actions[action.index()].clone()
    }

    fn outcome_name(&self, outcome: Action) -> String {
        self.outcomes[outcome.index()].clone()
    }

    fn rule_broken(&self, _state: &PlainState, _action: Action) -> String {
        "the rules do not allow it in this state".to_string()
    }

    fn knowledge(&self, view: &Log) -> String {
        let seat = view.seat();
        let digest = |place: usize| self.digest_of(&view.entries()[place].seen.values);
        let words = |place: usize| {
            let known = self.nodes.named(seat.index(), digest(place));
            known.map_or_else(|| format!("{:016x}", digest(place)), |words| words.to_string())
        };
        let entries = view.entries().len();
        // Before the last words that tell everything, nothing needs to be told.
        let told = |&place: &usize| {
            self.observations_recall && view.entries()[place].seen.status == Status::ToAct && !words(place).is_empty()
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

    fn scene(&self, state: &PlainState, perspective: Option<Seat>) -> Scene {
        let (node, path) = (self.at(state), &state.get::<Position>().path);
        type Told = (String, PlainValue, String);
        let facts: Option<Vec<Told>> = self.told("facts", self.methods.facts.as_ref(), state, perspective);
        let facts = facts.unwrap_or_else(|| {
            let observer = perspective.map_or(self.info.num_seats, Seat::index);
            with_python(|py| {
                let shown = match perspective {
                    Some(_) => self.observation(py, &node, observer, path),
                    None => node.object.bind(py).clone(),
                };
                let name = if perspective.is_some() { "sees" } else { "state" };
                let told = self.methods.fact.bind(py).call1((name, shown)).and_then(|fact| fact.extract::<Told>());
                vec![told.unwrap_or_else(|error| self.raised(py, "observation", error, path))]
            })
        });
        let place = |seat: Seat| {
            let is_open = perspective.is_none_or(|own| own == seat);
            let hand: Option<Vec<String>> =
                if is_open { self.told("hand", self.methods.hand.as_ref(), state, Some(seat)) } else { None };
            Place::of(seat, hand.map(|cards| Group::hand(cards, true)).into_iter().collect(), Vec::new())
        };
        Scene {
            title: self.name(),
            facts: facts.into_iter().map(|(name, PlainValue(value), words)| Fact::told(name, value, words)).collect(),
            track: Vec::new(),
            places: Seat::all(self.info.num_seats).map(place).collect(),
            next: match node.turn {
                Turn::Chance => "a random event".to_string(),
                Turn::Seat(seat) => format!("seat {seat} acts"),
                Turn::Over => "the game is over".to_string(),
            },
            tells_returns: perspective.is_none(),
        }
    }

    fn cards(&self) -> Vec<String> {
        self.cards.clone()
    }

    fn faces(&self) -> Vec<Face> {
        let face = |rank: String| Face { rank, sign: Sign::Spade, hue: Hue::Black };
        self.cards.iter().cloned().map(face).collect()
    }

    fn holdings(&self, state: &PlainState, seat: Seat, counts: &mut [u8]) {
        counts.fill(0);
        if counts.is_empty() {
            return;
        }
        let hand: Option<Vec<String>> = self.told("hand", self.methods.hand.as_ref(), state, Some(seat));
        for card in hand.into_iter().flatten() {
            match self.cards.iter().position(|other| *other == card) {
                Some(place) => counts[place] += 1,
                None => {
                    self.contradiction(&format!("'{card}' is none of the game's cards"), &state.get::<Position>().path)
                }
            }
        }
    }

    fn best_agent(&self) -> &'static str {
        "ismcts"
    }

    fn has_policy(&self) -> bool {
        false
    }

    fn network(&self) -> Option<&'static [u8]> {
        None
    }

    fn appeal(&self, _view: &Log, _action: Action) -> f32 {
        0.0
    }

    fn rule_of_thumb(&self, _view: &Log) -> Option<RuleOfThumb> {
        None
    }

    fn rollout(&self, _state: &PlainState, legal: Actions256) -> Actions256 {
        legal
    }

    fn features(&self, _state: &PlainState, _action: Action, _add: &mut dyn FnMut(usize, f32)) {}

    fn weights(&self) -> &[f32] {
        &[]
    }

    fn evaluate(&self, state: &PlainState) -> BySeat<f32> {
        let (low, high) = self.info.utility_range;
        let seats = self.info.num_seats;
        let Some(function) = &self.methods.evaluate else {
            return BySeat::filled(seats, self.info.middle_return() as f32);
        };
        let (node, path) = (self.at(state), &state.get::<Position>().path);
        with_python(|py| {
            let method = ("evaluate", function.bind(py));
            let found: Vec<f64> = self.ask(method, node.object.bind(py), path, "a number for each player");
            if found.len() != seats || found.iter().any(|value| value.is_nan()) {
                self.contradiction(&format!("evaluate must return {seats} numbers, got {found:?}"), path);
            }
            BySeat::from_fn(seats, |seat| found[seat.index()].clamp(low, high) as f32)
        })
    }

    fn ending(&self, _state: &PlainState) -> Option<BySeat<f32>> {
        None
    }
}
