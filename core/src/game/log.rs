//! The view of a plain game: a log of one seat's actions and observations.
//!
//! The log records the seat's own actions and every change of its [observation](Game::observe) or of its [`Status`].
//! Other events leave no trace.

use smallvec::SmallVec;

use crate::actions::Action;
use crate::encode::{BlockPen, Cell, Field, Pen, Places, Values, values};
use crate::fact::Value;
use crate::game::history::History;
use crate::game::key::{Past, UNNOTICED, mix, noticed};
use crate::game::notation::Notation;
use crate::game::{Game, Observer, SeatView, Turn};
use crate::seats::Seat;

/// The role of a seat in the next event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Status {
    /// Another player or chance is to act.
    Waiting,
    /// The seat is to act.
    ToAct,
    /// The game has ended.
    Over,
}

impl Status {
    /// The role of a seat.
    pub fn of(turn: Turn, seat: Seat) -> Self {
        match turn {
            Turn::Over => Self::Over,
            Turn::Seat(mover) if mover == seat => Self::ToAct,
            Turn::Seat(_) | Turn::Chance => Self::Waiting,
        }
    }

    /// The role in words.
    pub fn words(self) -> &'static str {
        ["waiting", "to act", "over"][self as usize]
    }
}

/// The number of values of [`Status`].
const STATUSES: usize = 3;

/// A state as a seat sees it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Seen {
    /// The observation: zeros and ones.
    pub values: Bytes,
    /// The part of the seat in what happens next.
    pub status: Status,
}

impl Seen {
    /// This state as `seat` sees it.
    pub fn new<G: Game>(game: &G, state: &G::State, seat: Seat) -> Self {
        let status = Status::of(game.turn(state), seat);
        Self { values: observed_values(game, state, Observer::Seat(seat)), status }
    }
}

/// The values of the observation.
pub(crate) fn observed_values<G: Game>(game: &G, state: &G::State, observer: Observer) -> Bytes {
    let mut values = SmallVec::new();
    game.observe(state, observer, &mut values);
    values
}

/// Zeros and ones.
type Bytes = SmallVec<[u8; 64]>;

impl Pen for Bytes {
    #[inline(always)]
    fn begin(&mut self, _name: &'static str, _shape: &[usize], _places: Places) {}

    #[inline]
    fn put(&mut self, bits: u64, len: usize) {
        self.extend(values(bits, len));
    }
}

/// One entry of a log.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Entry {
    /// The action, if the seat itself acted.
    pub action: Option<Action>,
    /// The state afterwards, as the seat saw it.
    pub seen: Seen,
}

impl Entry {
    /// The entry of an event in the log of a seat that saw `before`, if any. `action` is the seat's own action, and
    /// `after` the state after the event.
    pub fn new<G: Game>(game: &G, before: &Seen, action: Option<Action>, after: &G::State, seat: Seat) -> Option<Self> {
        let seen = Seen::new(game, after, seat);
        (action.is_some() || seen != *before).then_some(Self { action, seen })
    }

    /// A number for the entry, at least 256.
    fn key(&self) -> u64 {
        let begin = u64::from(self.action.map_or(0, |action| u16::from(action.0) + 1)) << 8 | self.seen.status as u64;
        let key =
            self.seen.values.chunks(64).fold(begin, |key, values| {
                mix(key, values.iter().fold(0, |word, &value| word << 1 | u64::from(value)))
            });
        noticed(key)
    }
}

/// Computes [`Game::observed`] from the [observation](Game::observe).
pub fn observed<G: Game>(game: &G, before: &G::State, action: Action, observer: Seat) -> u64 {
    let own = (game.turn(before) == Turn::Seat(observer)).then_some(action);
    let mut after = *before;
    game.apply(&mut after, action);
    let entry = Entry::new(game, &Seen::new(game, before, observer), own, &after, observer);
    entry.map_or(UNNOTICED, |entry| entry.key())
}

/// Computes [`Game::sight`] from the [observation](Game::observe).
pub fn sight<G: Game>(game: &G, state: &G::State, seat: Seat) -> u64 {
    Entry { action: None, seen: Seen::new(game, state, seat) }.key()
}

/// All actions and observations of a seat, in order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Log {
    entries: Vec<Entry>,
    past: Past,
}

impl Log {
    /// The seat.
    pub fn seat(&self) -> Seat {
        self.past.seat()
    }

    /// The entries in order. The first one is the information of the seat at the root.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The present state as the seat sees it.
    pub fn now(&self) -> &Seen {
        &self.entries[self.entries.len() - 1].seen
    }
}

/// The fields of an observation with this layout as text, without those that are equal in `except`.
pub(crate) fn changed_fields<'a, G: Notation>(
    game: &G,
    layout: &'a [Field],
    values: &[u8],
    except: Option<&[u8]>,
) -> Vec<(&'a Field, String)> {
    let before: Vec<&[u8]> = except.map_or(Vec::new(), |except| parts(layout, except).map(|(_, part)| part).collect());
    let changed = parts(layout, values).enumerate().filter(|(place, (_, part))| before.get(*place) != Some(part));
    changed.map(|(_, (field, part))| (field, field_text(game, field, part))).collect()
}

/// The fields of an observation with this layout, each with its part of the values.
pub(crate) fn parts<'a, 'b>(
    layout: &'a [Field],
    mut values: &'b [u8],
) -> impl Iterator<Item = (&'a Field, &'b [u8])> + use<'a, 'b> {
    layout.iter().map(move |field| {
        let (part, rest) = values.split_at(field.size());
        values = rest;
        (field, part)
    })
}

/// A field as text: its rows, without empty ones at the end.
pub(crate) fn field_text<G: Notation>(game: &G, field: &Field, values: &[u8]) -> String {
    let rows = values.chunks(field.shape[field.shape.len() - 1]).map(|row| row_value(game, field, row).to_string());
    let text = rows.collect::<Vec<_>>().join(" ");
    let text = text.trim_end_matches([' ', '-']);
    if text.is_empty() { "-" } else { text }.to_string()
}

/// A field as a value: a list of lists for each axis but the last, along which a row is one value.
pub(crate) fn field_value<G: Notation>(game: &G, field: &Field, values: &[u8]) -> Value {
    let mut rows: Vec<Value> =
        values.chunks(field.shape[field.shape.len() - 1]).map(|row| row_value(game, field, row)).collect();
    for &size in field.shape.iter().rev().skip(1) {
        rows = rows.chunks(size).map(|values| values.iter().cloned().collect()).collect();
    }
    rows.swap_remove(0)
}

/// A row of a field: the names of its ones, a single name, or the number of ones.
fn row_value<G: Notation>(game: &G, field: &Field, row: &[u8]) -> Value {
    let ones = row.iter().zip(0_u8..).filter(|(value, _)| **value == 1).map(|(_, place)| place);
    let mut names = ones.clone().map(|place| match field.places {
        Places::Numbers | Places::Counts => place.into(),
        Places::Actions => game.action_name(Action(place)).into(),
        Places::Outcomes | Places::Hand => game.outcome_name(Action(place)).into(),
    });
    match field.places {
        Places::Counts => Value::Int(ones.count() as i64),
        _ if field.single => names.next().unwrap_or(Value::Absent),
        _ => names.collect(),
    }
}

/// Moves the last entry to its sorted position among those before it that satisfy the condition. Others stay in place.
#[cfg(feature = "games")]
pub(crate) fn sort_last<T: Ord + Copy>(log: &mut [T], is_one: impl Fn(T) -> bool) {
    let mut last = log.len() - 1;
    while let Some(before) = (0..last).rev().find(|&index| is_one(log[index])) {
        if log[before] <= log[last] {
            break;
        }
        log.swap(before, last);
        last = before;
    }
}

/// An upper bound on the number of entries of a log.
fn max_entries<G: Game>(game: &G) -> usize {
    1 + game.info().max_decisions + game.info().max_chance_events
}

impl<G: Game> SeatView<G> for Log {
    fn new(game: &G, history: &History<G>, seat: Seat) -> Self {
        let (mut past, mut state) = (Past::with_capacity(seat, history.events().len()), game.root());
        let mut entries = vec![Entry { action: None, seen: Seen::new(game, &state, seat) }];
        for &event in history.events() {
            past.note(game, &state, event);
            let own = (event.turn == Turn::Seat(seat)).then_some(event.action);
            game.apply(&mut state, event.action);
            entries.extend(Entry::new(game, &entries[entries.len() - 1].seen, own, &state, seat));
        }
        past.now(game, &state);
        Self { entries, past }
    }

    fn past(&self) -> &Past {
        &self.past
    }

    fn observation<T: Cell>(&self, _game: &G, out: &mut [T]) {
        let mut pen = Values::new(out);
        self.now().values.iter().for_each(|&value| pen.put(value.into(), 1));
        pen.finish();
    }

    fn write<P: BlockPen>(&self, game: &G, pen: &mut P) {
        pen.field("seat", [game.num_seats()]).one(Some(self.seat().index()));
        let actions = game.num_actions();
        let log = pen.zeros("log", [max_entries(game), actions + self.now().values.len() + STATUSES]);
        for (index, Entry { action, seen }) in self.entries.iter().enumerate() {
            let (own, rest) = pen.block(log, index).split_at_mut(actions);
            let (observation, status) = rest.split_at_mut(seen.values.len());
            action.iter().for_each(|action| own[action.index()] = 1.0);
            observation.iter_mut().zip(&seen.values).for_each(|(place, &value)| *place = value.into());
            status[seen.status as usize] = 1.0;
        }
    }

    fn knowledge(&self, game: &G) -> String
    where
        G: Notation,
    {
        let layout = game.observation_layout();
        let mut words = vec![format!("seat {}", self.seat())];
        for (place, entry) in self.entries.iter().enumerate() {
            let before = place.checked_sub(1).map(|place| &self.entries[place].seen);
            words.push("|".to_string());
            words.extend(entry.action.map(|action| game.action_name(action)));
            let previous = before.map(|before| before.values.as_slice());
            let changed = changed_fields(game, &layout, &entry.seen.values, previous);
            words.extend(changed.into_iter().map(|(field, ones)| format!("{}:{ones}", field.name)));
            if before.is_none_or(|before| before.status != entry.seen.status) {
                words.push(entry.seen.status.words().to_string());
            }
        }
        words.join(" ")
    }
}
