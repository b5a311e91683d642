//! The course of a game in words, as one seat may know it.
//!
//! The story is told from worlds drawn from the view of the seat, never from the true history. So it is the same in all
//! worlds that the seat cannot tell apart. An event is told if it is the same in all of these worlds. It is marked as
//! likely unless these are all worlds there are, or the seat saw it: in a few of the worlds, any other event in its place
//! would have looked different.

use std::{iter, mem};

use serde::Serialize;
use stier_core::scene::is_told;
use stier_core::{Event, Scene, Seat, Turn};

use crate::erased::DynState;

/// The number of worlds that are compared.
const WORLDS: u64 = 100;
/// The number of them in which the seat has to see an event that it is certain of.
const SEEN: usize = 4;
/// More random events than this in a row are a deal.
const DEAL: usize = 4;

/// A sentence of a story.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Sentence {
    /// The seat whose move this is; `None` for random events and consequences.
    #[cfg_attr(feature = "typescript", ts(as = "Option<u8>"))]
    pub mover: Option<Seat>,
    /// The seat with which the sentence begins.
    #[cfg_attr(feature = "typescript", ts(as = "Option<u8>"))]
    pub about: Option<Seat>,
    /// The words after the seat and before the event.
    pub words: String,
    /// The name of an action or outcome, at the end of the line.
    pub event: Option<String>,
    /// True if another event is possible, though in few of the worlds.
    pub likely: bool,
    /// True if the seat had no other move.
    pub forced: bool,
    /// True for a consequence of the event before, such as a trick that was won.
    pub follows: bool,
}

impl Sentence {
    fn new(about: Option<Seat>, words: impl Into<String>, event: Option<String>) -> Self {
        Self { about, words: words.into(), event, ..Self::default() }
    }

    /// The words before the event. The reader's own seat is called "you".
    pub fn text(&self, reader: Seat) -> String {
        let about = self.about.map(|seat| if seat == reader { "you".to_string() } else { format!("seat {seat}") });
        about.unwrap_or_default() + &self.words
    }
}

/// The course of a game.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Story {
    /// The lines from the first decision on. The deal before it is best seen on the table.
    pub lines: Vec<Sentence>,
    /// The number of lines about earlier events; see [`story`].
    pub earlier: usize,
    /// Lines about earlier moves that the seat has learned since.
    pub revealed: Vec<Sentence>,
}

impl Story {
    /// The sentences about all that is not earlier, after those that were revealed.
    pub fn news(&self) -> impl Iterator<Item = &Sentence> {
        self.revealed.iter().chain(&self.lines[self.earlier..])
    }
}

/// Tells a game as the seat may know it. The events before the seat's action number `since`, counted from 0, are earlier
/// ones.
pub fn story(state: &dyn DynState, seat: Seat, since: Option<usize>) -> Story {
    let events = known_events(state, seat);
    let known_before = since.map_or(Vec::new(), |since| known_events(&*prefix(state, seat, since), seat));
    let game = state.game();
    let mut world = game.new_state(None);
    let mut scene = world.scene(Some(seat));
    let mut story = Story::default();
    for group in events.chunk_by(|one, other| one.is_chance() == other.is_chance()) {
        let begins = world.events().is_empty();
        let is_deal = group[0].is_chance() && (begins || group.len() > DEAL);
        for step in group.chunks(if is_deal { group.len() } else { 1 }) {
            let Known { event, extent, place } = step[0];
            let name = matches!(extent, Extent::Event { .. }).then(|| world.event_name(event.action));
            let likely = extent == Extent::Event { is_certain: false };
            let forced = world.possible().len() == 1;
            for known in step {
                world.apply(known.event.action).expect("worlds are legal");
            }
            let before = mem::replace(&mut scene, world.scene(Some(seat)));
            let is_earlier = since.is_some_and(|since| place.run <= since);
            match event.turn {
                Turn::Chance if is_deal && begins => continue,
                Turn::Chance if is_deal => story.lines.push(Sentence::new(None, "new cards are dealt", None)),
                Turn::Chance => {
                    let line = chance_line(name, &before, &scene, seat);
                    story.lines.extend(line.map(|line| Sentence { likely, ..line }));
                }
                Turn::Seat(mover) => {
                    let moved = |words: &str, event| Sentence {
                        mover: Some(mover),
                        ..Sentence::new(Some(mover), words, event)
                    };
                    let knew = |known: &Known| known.place == place && matches!(known.extent, Extent::Event { .. });
                    if is_earlier && name.is_some() && !known_before.iter().any(knew) {
                        story.revealed.push(Sentence { likely, ..moved(" had chosen:", name.clone()) });
                    }
                    let hidden = || moved(" makes a hidden move", None);
                    match name {
                        Some(_) => {
                            let forced = forced && mover == seat;
                            story.lines.push(Sentence { likely, forced, ..moved(":", name) });
                        }
                        // If attempts are hidden, their number is not told.
                        None if extent == Extent::Nothing => {}
                        None if game.info().hidden_moves && story.lines.last() == Some(&hidden()) => {}
                        None => story.lines.push(hidden()),
                    }
                }
                Turn::Over => unreachable!("the end is not an event"),
            }
            story.lines.extend(changes(&before, &scene, seat));
            if is_earlier {
                story.earlier = story.lines.len();
            }
        }
    }
    story
}

/// The state before the seat's action of this number.
fn prefix(state: &dyn DynState, seat: Seat, number: usize) -> Box<dyn DynState> {
    let mut prefix = state.game().new_state(None);
    for event in runs(state.events(), seat).into_iter().take(number.saturating_add(1)).flatten() {
        prefix.apply(event.action).expect("the history is legal");
    }
    prefix
}

/// The extent of what a seat knows about an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Extent {
    Nothing,
    Actor,
    Event { is_certain: bool },
}

/// The place of an event in a history: see [`runs`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    run: usize,
    index: usize,
}

/// An event of a world, as far as a seat knows it.
#[derive(Clone, Copy, Debug)]
struct Known {
    event: Event,
    extent: Extent,
    place: Place,
}

impl Known {
    fn is_chance(&self) -> bool {
        self.event.turn == Turn::Chance
    }
}

/// The events of a world that the seat cannot tell apart from this state, with those that are the same in all of the
/// drawn worlds. Runs are compared one by one, because a game may hide the number of events in them.
fn known_events(state: &dyn DynState, seat: Seat) -> Vec<Known> {
    let (worlds, is_complete) = state.worlds(seat, WORLDS);
    let checked = if is_complete { 0 } else { SEEN };
    let seen: Vec<Vec<bool>> = worlds[..checked].iter().map(|events| state.seen(events, seat)).collect();
    let worlds: Vec<Vec<&[Event]>> = worlds.iter().map(|events| runs(events, seat)).collect();
    let known = |event: Event, place: Place| {
        let is_seen = |(seen, runs): (&Vec<bool>, &Vec<&[Event]>)| {
            let before: usize = runs[..place.run].iter().map(|run| run.len()).sum();
            seen[before + place.index]
        };
        let others = || worlds.iter().map(|world| world[place.run].get(place.index));
        let extent = if others().all(|other| other == Some(&event)) {
            Extent::Event { is_certain: seen.iter().zip(&worlds).all(is_seen) }
        } else if others().all(|other| other.is_some_and(|other| other.turn == event.turn)) {
            Extent::Actor
        } else {
            Extent::Nothing
        };
        Known { event, extent, place }
    };
    let runs = worlds[0].iter().enumerate();
    let places = runs.flat_map(|(run, events)| (0..events.len()).map(move |index| Place { run, index }));
    places.map(|place| known(worlds[0][place.run][place.index], place)).collect()
}

/// The runs of a history: the events up to the first action of the seat, and from each of its actions up to the next.
fn runs(events: &[Event], seat: Seat) -> Vec<&[Event]> {
    let own = (0..events.len()).filter(|&index| events[index].turn == Turn::Seat(seat));
    let bounds: Vec<usize> = iter::once(0).chain(own).chain([events.len()]).collect();
    bounds.windows(2).map(|bounds| &events[bounds[0]..bounds[1]]).collect()
}

/// A line about a random event: a drawn card if one has come to a hand.
fn chance_line(name: Option<String>, before: &Scene, after: &Scene, seat: Seat) -> Option<Sentence> {
    let mut owners = after.places.iter().filter_map(|place| place.seat);
    match owners.find(|&owner| after.held(owner).count() > before.held(owner).count()) {
        Some(owner) => {
            let verb = if owner == seat { " draw" } else { " draws" };
            let object = if name.is_none() { " a card" } else { "" };
            Some(Sentence::new(Some(owner), format!("{verb}{object}"), name))
        }
        None => name.map(|name| Sentence::new(None, "turned up:", Some(name))),
    }
}

/// Lines about tricks that were won, scores and the like.
fn changes(before: &Scene, after: &Scene, seat: Seat) -> Vec<Sentence> {
    let mut lines: Vec<(Option<Seat>, String)> = Vec::new();
    for place in &after.places {
        let Some(owner) = place.seat else { continue };
        let old = before.places.iter().find(|old| old.seat == place.seat);
        let mut old: Vec<&String> = old.iter().flat_map(|old| &old.remarks).collect();
        for remark in &place.remarks {
            if let Some(same) = old.iter().position(|old| *old == remark) {
                old.swap_remove(same);
                continue;
            }
            match remark.split_once(": ").unwrap_or((remark, "")) {
                ("tricks", now) => {
                    let count = |text: &str| text.parse::<u32>().unwrap_or(0);
                    let before = old.iter().find_map(|old| old.strip_prefix("tricks: ")).map_or(0, count);
                    let verb = if owner == seat { "win" } else { "wins" };
                    match count(now).saturating_sub(before) {
                        0 => {}
                        1 => lines.push((Some(owner), format!(" {verb} the trick"))),
                        more => lines.push((Some(owner), format!(" {verb} {more} tricks"))),
                    }
                }
                (name, _) if !is_told(name) => {}
                (name, value) => lines.push((Some(owner), format!(": {name} {value}").trim_end().to_string())),
            }
        }
    }
    for (name, words) in after.told().filter(|told| is_told(told.0) && before.told().all(|old| old != *told)) {
        lines.push((None, format!("{name}: {words}")));
    }
    let line =
        |(about, words): (_, String)| Sentence { follows: true, ..Sentence::new(about, words.replace('_', " "), None) };
    lines.into_iter().map(line).collect()
}
