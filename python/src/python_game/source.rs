//! Questions to the Python object of a game.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use rustc_hash::FxHashMap;
use stier_core::game::Chance;
use stier_core::key::mix;
use stier_core::{Action, ActionSet as _, Actions256, BySeat, GameInfo, Outcome, Seat, Turn, failure};

use super::encode::Code;
use super::nodes::{Node, Nodes, Seen};
use super::options::Rules;
use super::position::{Path, Position};
use super::thread::with_python;
use crate::errors;
use crate::run::guarded;
use crate::values::{CHANCE, TERMINAL};

/// An object of Python.
pub(super) type Object<'py> = Bound<'py, PyAny>;

/// The Python object of a game under fixed rules, with the answers that it has given.
pub(super) struct Source {
    pub(super) rules: Rules,
    pub(super) info: GameInfo,
    /// The functions that the game has. Two more are made of `observation`: `words` is it in words, `sees` as a fact.
    pub(super) methods: FxHashMap<String, Py<PyAny>>,
    pub(super) actions: Vec<String>,
    pub(super) outcomes: Vec<String>,
    pub(super) cards: Vec<String>,
    /// No two histories lead to the same state, and states cannot be compared.
    pub(super) states_are_histories: bool,
    /// An observation tells everything that the player knows.
    pub(super) observations_recall: bool,
    /// The number of the game's own features.
    pub(super) features: Option<usize>,
    /// The features tell all observations apart.
    pub(super) exact_features: bool,
    pub(super) root: OnceLock<Arc<Node>>,
    pub(super) nodes: Nodes,
}

thread_local! {
    /// True while an error is put into words, which may end in another.
    static EXPLAINING: Cell<bool> = const { Cell::new(false) };
}

/// Ends the calculation with an exception.
pub(super) fn raise(error: PyErr) -> ! {
    failure::fail(error)
}

/// A number for an object, given its hash in Python: the same for equal objects, and the same in every run where they
/// are made of simple values. Different objects share it only by accident, with a probability of 2^-64.
fn identity(object: &Object<'_>, hash: i64) -> u64 {
    static OTHERS: AtomicU32 = AtomicU32::new(0);
    match Code::of(object) {
        Ok(code) => code.digest,
        // Equal objects that are not kept at the same time count as different.
        Err(_) => u64::from(OTHERS.fetch_add(1, Ordering::Relaxed)) << 32 | u64::from(hash as u32),
    }
}

/// The answers of Python about an object.
type Answers = (Turn, (Actions256, Chance, BySeat<f64>));

impl Source {
    pub(super) fn name(&self) -> &'static str {
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
                Some(Turn::Chance) => format!("chance: {}", self.outcomes[event.index()]),
                Some(Turn::Seat(seat)) => format!("player {seat}: {}", self.actions[event.index()]),
                Some(Turn::Over) | None => event.0.to_string(),
            }
        };
        let words: Vec<String> = path.events().into_iter().map(word).collect();
        EXPLAINING.set(asked_already);
        if words.is_empty() { "at the start".to_string() } else { format!("after [{}]", words.join(", ")) }
    }

    /// Ends the calculation: a method raised an exception.
    pub(super) fn raised(&self, py: Python<'_>, method: &str, error: PyErr, path: &Path) -> ! {
        if !errors::is_fault(py, &error) {
            raise(error);
        }
        let (kind, said) = errors::told(py, &error);
        let text = format!("{}: {method} raised {kind}, {}: {said}", self.name(), self.words(path));
        let own = errors::game(text);
        own.set_cause(py, Some(error));
        raise(own)
    }

    /// Ends the calculation: the game says what cannot be.
    pub(super) fn contradiction(&self, what: &str, path: &Path) -> ! {
        raise(errors::game(format!("{}: {what}, {}; stier.check_game explains it", self.name(), self.words(path))))
    }

    /// Calls a method.
    pub(super) fn call<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        with: impl PyCallArgs<'py>,
        path: &Path,
    ) -> Object<'py> {
        let called = self.methods[method].bind(py).call1(with);
        let blamed = if ["words", "sees"].contains(&method) { "observation" } else { method };
        called.unwrap_or_else(|error| self.raised(py, blamed, error, path))
    }

    /// Calls a method and converts what it returns, if that is right.
    pub(super) fn ask<'py, T>(
        &self,
        py: Python<'py>,
        method: &str,
        with: impl PyCallArgs<'py>,
        path: &Path,
        is_right: impl FnOnce(&T) -> bool,
    ) -> T
    where
        T: for<'a> FromPyObject<'a, 'py>,
    {
        let found = self.call(py, method, with, path);
        found.extract().ok().filter(is_right).unwrap_or_else(|| self.refuse(method, &found, path))
    }

    /// Ends the calculation: an answer breaks a rule, which the sheet puts into words.
    fn refuse(&self, method: &str, found: &Object<'_>, path: &Path) -> ! {
        let words = self.methods["wrong_answer"].bind(found.py()).call1((method, found));
        let (found, rule): (String, String) =
            words.and_then(|words| words.extract()).unwrap_or_else(|error| raise(error));
        let (name, place) = (self.name(), self.words(path));
        raise(errors::game(format!("{name}: {method} is {found}, {place}; {rule}; stier.check_game explains it")))
    }

    /// The object after an event, which ends this path.
    pub(super) fn applied<'py>(&self, object: &Object<'py>, event: Action, path: &Path) -> Object<'py> {
        let after = self.call(object.py(), "apply", (object, event.0), path);
        if after.is_none() {
            self.contradiction("apply must return a state, got None", path);
        }
        self.check_length(path);
        after
    }

    /// Asks about an object. What is right is what `stier/games/_members.py` finds nothing wrong with; outcomes may be
    /// in any order and impossible.
    pub(super) fn answers(&self, object: &Object<'_>, path: &Path) -> Answers {
        let (py, &GameInfo { num_seats: seats, num_actions, num_outcomes, .. }) = (object.py(), &self.info);
        let (mut legal, mut chance, mut returns) = (Actions256::default(), Vec::new(), BySeat::filled(seats, 0.0));
        let is_player = |player: &i64| [CHANCE, TERMINAL].contains(player) || (0..seats as i64).contains(player);
        let turn = match self.ask(py, "current_player", (object,), path, is_player) {
            CHANCE => Turn::Chance,
            TERMINAL => Turn::Over,
            seat => Turn::Seat(Seat(seat as u8)),
        };
        match turn {
            Turn::Seat(_) => {
                let is_right = |found: &Vec<i64>| {
                    let (first, last) = (found.first().copied().unwrap_or(-1), found.last().copied().unwrap_or(0));
                    first >= 0 && last < num_actions as i64 && found.is_sorted_by(|one, other| one < other)
                };
                for action in self.ask(py, "legal_actions", (object,), path, is_right) {
                    legal = legal.with(Action(action as u8));
                }
            }
            Turn::Chance => {
                let is_outcome =
                    |(outcome, share): &(i64, f64)| (0..num_outcomes as i64).contains(outcome) && *share >= 0.0;
                let possible = |found: &[(i64, f64)]| {
                    let positive = found.iter().filter(|(_, share)| *share > 0.0);
                    let outcome = |&(outcome, probability)| Outcome { action: Action(outcome as u8), probability };
                    let mut outcomes: Vec<Outcome> = positive.map(outcome).collect();
                    outcomes.sort_by_key(|outcome| outcome.action.0);
                    outcomes
                };
                let is_right = |found: &Vec<(i64, f64)>| {
                    let sum: f64 = found.iter().map(|(_, share)| share).sum();
                    let differ = possible(found).windows(2).all(|pair| pair[0].action != pair[1].action);
                    found.iter().all(is_outcome) && (sum - 1.0).abs() <= 1e-9 && differ
                };
                chance = possible(&self.ask(py, "chance_outcomes", (object,), path, is_right));
            }
            Turn::Over => {
                let (low, high) = self.info.utility_range;
                let margin = 1e-9 * (high - low).max(1.0);
                let is_right = |found: &Vec<f64>| {
                    let sum: f64 = found.iter().sum();
                    found.len() == seats
                        && found.iter().all(|value| (low - margin..=high + margin).contains(value))
                        && self.info.utility_sum.is_none_or(|fixed| (sum - fixed).abs() <= margin)
                };
                let found = self.ask(py, "returns", (object,), path, is_right);
                // Added to -0, 0 gives 0.
                returns = BySeat::from_fn(seats, |seat| found[seat.index()].clamp(low, high) + 0.0);
            }
        }
        (turn, (legal, chance, returns))
    }

    /// The node of an object: the one of an equal object, if there is one.
    pub(super) fn node_of(&self, object: &Object<'_>, path: &Path) -> Arc<Node> {
        let (py, seats) = (object.py(), self.info.num_seats);
        if self.states_are_histories {
            let (turn, answers) = self.answers(object, path);
            return Arc::new(Node::new(object.clone().unbind(), None, seats, turn, answers));
        }
        let hash = object.hash().unwrap_or_else(|error| self.raised(py, "hash of the state", error, path)) as i64;
        let equal = |node: &&Arc<Node>| {
            let other = node.object.bind(py);
            other.is(object)
                || other.eq(object).unwrap_or_else(|error| self.raised(py, "comparison of states", error, path))
        };
        if let Some(known) = self.nodes.by_hash.get(hash).unwrap_or_default().iter().find(equal) {
            return known.clone();
        }
        let (turn, answers) = self.answers(object, path);
        let node = Arc::new(Node::new(object.clone().unbind(), Some(identity(object, hash)), seats, turn, answers));
        let mut alike = self.nodes.by_hash.get(hash).unwrap_or_default();
        alike.push(node.clone());
        self.nodes.by_hash.insert(hash, alike);
        node
    }

    /// The node after an event at a node, which ends this path.
    fn child(&self, node: &Arc<Node>, event: Action, path: &Path) -> Arc<Node> {
        if let Some(child) = node.child(event) {
            return child;
        }
        let child = with_python(|py| {
            let object = self.applied(node.object.bind(py), event, path);
            self.node_of(&object, &path.with(event, node.turn))
        });
        node.note_child(event, &child);
        child
    }

    /// Fails if no event may follow a path.
    pub(super) fn check_length(&self, path: &Path) {
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
    pub(super) fn root_node(&self) -> &Arc<Node> {
        self.root.get().expect("it is there once the game is made")
    }

    /// The node of a position.
    pub(super) fn node(&self, position: &Position) -> Arc<Node> {
        if position.path.len() == 0 {
            return self.root_node().clone();
        }
        self.nodes.by_path.get(position.path).unwrap_or_else(|| {
            let (mut node, mut path) = (self.root_node().clone(), Path::new());
            for event in position.path.events() {
                let turn = node.turn;
                node = self.child(&node, event, &path);
                path = path.with(event, turn);
            }
            self.nodes.by_path.insert(position.path, node.clone());
            node
        })
    }

    /// The position after an event, and its node.
    pub(super) fn after(&self, position: &Position, event: Action) -> (Position, Arc<Node>) {
        let node = self.node(position);
        let child = self.child(&node, event, &position.path);
        let path = position.path.with(event, node.turn);
        let most = self.info.max_decisions;
        if let Turn::Seat(seat) = child.turn
            && usize::from(path.decisions) >= most
            && !self.states_are_histories
        {
            self.contradiction(&format!("max_decisions is {most}, and player {seat} is to act"), &path);
        }
        (Position::new(path, child.identity), child)
    }

    /// The view of an observer: a seat, or everybody for the number of seats.
    pub(super) fn seen<'a>(&self, node: &'a Node, observer: usize, path: &Path) -> &'a Seen {
        if let Some(seen) = node.seen[observer].get() {
            return seen;
        }
        let seen = with_python(|py| self.look(py, node, observer, path));
        // Another thread may have been first, with the same answer. While Python runs, nothing may be locked.
        node.seen[observer].get_or_init(|| seen)
    }

    /// An observer as the game gets it: `None` for everybody.
    fn player(&self, observer: usize) -> Option<usize> {
        (observer < self.info.num_seats).then_some(observer)
    }

    /// Asks what an observer sees.
    fn look(&self, py: Python<'_>, node: &Node, observer: usize, path: &Path) -> Seen {
        let observation = self.call(py, "observation", (node.object.bind(py), self.player(observer)), path);
        let code = Code::of(&observation).unwrap_or_else(|error| self.raised(py, "observation", error, path));
        let Some(size) = self.features else { return Seen { code, features: Box::default() } };
        let with = (node.object.bind(py), self.player(observer));
        let are_bits = |bits: &Vec<u8>| bits.iter().all(|&bit| bit <= 1);
        let bits = self.ask(py, "features", with, path, are_bits);
        if bits.len() != size {
            let what = format!("features must return {size} zeros and ones as at the beginning, got {}", bits.len());
            self.contradiction(&what, path);
        }
        let features: Box<[u64]> = bits.chunks(64).map(word).collect();
        if self.exact_features {
            let key = (observer, features.iter().fold(0, |key, &word| mix(key, word)));
            match self.nodes.digests.get(key) {
                None => self.nodes.digests.insert(key, code.digest),
                Some(digest) if digest == code.digest => {}
                Some(_) => {
                    let what = "features must differ where the observation does, unless exact_features is False";
                    self.contradiction(what, path);
                }
            }
        }
        Seen { code, features }
    }

    /// The words for what an observer sees, which the digest in its log stands for.
    pub(super) fn note_words(&self, node: &Node, observer: usize, digest: u64, path: &Path) {
        if self.nodes.words.get((observer, digest)).is_none() {
            let player = self.player(observer);
            let words: String = with_python(|py| self.ask(py, "words", (node.object.bind(py), player), path, |_| true));
            self.nodes.words.insert((observer, digest), words.into());
        }
    }

    /// The digest among the values of an observation, or that of its features.
    pub(super) fn digest_of(&self, values: &[u8]) -> u64 {
        if self.exact_features && self.features.is_some() {
            values.chunks(64).map(word).fold(0, mix)
        } else {
            word(&values[..64])
        }
    }

    /// Calls a method of state and player, for what people read. `None` if the game does not have it.
    pub(super) fn told<T>(&self, method: &str, position: &Position, player: Option<Seat>) -> Option<T>
    where
        T: for<'a, 'py> FromPyObject<'a, 'py>,
    {
        self.methods.contains_key(method).then(|| {
            let (node, player) = (self.node(position), player.map(|seat| seat.0));
            with_python(|py| self.ask(py, method, (node.object.bind(py), player), &position.path, |_| true))
        })
    }
}

/// Zeros and ones as a number, the lowest first.
fn word(bits: &[u8]) -> u64 {
    bits.iter().rev().fold(0, |word, &bit| word << 1 | u64::from(bit))
}
