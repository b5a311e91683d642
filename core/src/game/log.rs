//! The view of a plain game: a log of one seat's actions and observations.
//!
//! The log records the seat's own actions and every change of its [observation](Game::observe) or of its [`Status`].
//! Other events leave no trace.

use crate::actions::Action;
use crate::encode::{BlockPen, Bytes, Cell, Field, RawPen as _, Values};
use crate::game::history::History;
use crate::game::key::{Past, UNNOTICED, mix, noticed};
use crate::game::notation::{Names, Notation, changed_fields};
use crate::game::{Game, Observer, SeatView, Turn, observed_values};
use crate::names::joined;
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
    pub(crate) fn key(&self) -> u64 {
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
        told(&self.entries, self.seat(), game, &game.observation_layout())
    }
}

/// The entries of a log in words. Not a method of the view, which is compiled for each game.
fn told(entries: &[Entry], seat: Seat, names: &dyn Names, layout: &[Field]) -> String {
    let mut words = vec![format!("seat {seat}")];
    let mut before: Option<&Seen> = None;
    for Entry { action, seen } in entries {
        words.push("|".to_string());
        if let Some(action) = action {
            words.push(names.action(*action));
        }
        for (field, ones) in changed_fields(names, layout, &seen.values, before.map(|before| &*before.values)) {
            words.push(format!("{}:{ones}", field.name));
        }
        if before.is_none_or(|before| before.status != seen.status) {
            words.push(seen.status.words().to_string());
        }
        before = Some(seen);
    }
    joined(&words, " ")
}
