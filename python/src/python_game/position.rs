//! Positions of a Python game, as plain values.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Mutex;

use stier_core::key::mix;
use stier_core::{Action, Turn};

use crate::run::locked;

/// The events that a path holds in place. Longer paths begin with an anchor.
const IN_PLACE: usize = 40;

/// The events that lead to a position. Of a path of more than 40 events, all before the last few are in a table that
/// lasts as long as the program: 44 bytes for every 40 events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Path {
    /// The place of the events before the last ones among the [`Anchors`], counted from 1; 0 if there are none.
    anchor: u32,
    length: u16,
    /// The number of decisions among them.
    pub(super) decisions: u16,
    recent: [u8; IN_PLACE],
}

impl Hash for Path {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.key());
    }
}

/// The beginnings of long paths: those of 40 events, and each of 40 more with the place of its own beginning.
#[derive(Default)]
struct Anchors {
    all: Vec<(u32, [u8; IN_PLACE])>,
    /// The place of each.
    places: BTreeMap<(u32, [u8; IN_PLACE]), u32>,
}

static ANCHORS: Mutex<Anchors> = Mutex::new(Anchors { all: Vec::new(), places: BTreeMap::new() });

impl Path {
    /// The greatest number of events in a game.
    pub(super) const MAX_EVENTS: usize = u16::MAX as usize;

    /// A number that two paths share only by accident, with a probability of 2^-64.
    fn key(&self) -> u64 {
        let words = self.recent.as_chunks::<8>().0.iter().map(|eight| u64::from_le_bytes(*eight));
        words.fold(u64::from(self.anchor) << 16 | u64::from(self.length), mix)
    }

    /// The path of the root.
    pub(super) fn new() -> Self {
        Self { anchor: 0, length: 0, decisions: 0, recent: [0; IN_PLACE] }
    }

    /// The number of events.
    pub(super) fn len(&self) -> usize {
        self.length.into()
    }

    /// The path with one event more, which happens at this turn.
    pub(super) fn with(mut self, event: Action, turn: Turn) -> Self {
        let place = self.len() % IN_PLACE;
        if place == 0 && self.length > 0 {
            let mut anchors = locked(&ANCHORS);
            let Anchors { all, places } = &mut *anchors;
            let key = (self.anchor, self.recent);
            self.anchor = *places.entry(key).or_insert_with(|| {
                all.push(key);
                u32::try_from(all.len()).expect("fewer than 2^32 long paths")
            });
            self.recent = [0; IN_PLACE];
        }
        self.recent[place] = event.0;
        self.length += 1;
        self.decisions += u16::from(turn.seat().is_some());
        self
    }

    /// The events in order.
    pub(super) fn events(&self) -> Vec<Action> {
        let mut parts = vec![(self.anchor, self.recent)];
        while let (before @ 1.., _) = parts[parts.len() - 1] {
            parts.push(locked(&ANCHORS).all[before as usize - 1]);
        }
        let events = parts.iter().rev().flat_map(|(_, recent)| recent);
        events.take(self.len()).map(|&event| Action(event)).collect()
    }
}

/// A state of a Python game, as the engine passes it around: how it was reached. The Python object can be made again
/// from that at any time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    /// The identity of the Python object; the number of the path where objects have none.
    number: u64,
    pub(super) path: Path,
}

impl Position {
    /// The position at the end of a path, given the [identity](super::nodes::Node::identity) of its object.
    pub(super) fn new(path: Path, identity: Option<u64>) -> Self {
        Self { number: identity.unwrap_or_else(|| path.key()), path }
    }
}

/// Positions are equal if the same events lead there, or to equal Python objects.
impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number || self.path == other.path
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Only this half is the same whenever an object is made again.
        state.write_u32(self.number as u32);
    }
}
