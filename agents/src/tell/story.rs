//! The course of a game in words, as one seat may know it.
//!
//! The story is told from worlds drawn from the view of the seat, never from the true history. So it is the same in all
//! worlds that the seat cannot tell apart. An event is told if it is the same in all of these worlds. It is marked as
//! likely unless these are all worlds there are, or the seat saw it: in a few of the worlds, any other event in its place
//! would have looked different.

use std::borrow::Cow;
use std::{iter, mem};

use serde::Serialize;
use stier_core::list::Listing as _;
use stier_core::scene::is_told;
use stier_core::{Event, Scene, Seat, Turn, Value};

use crate::erased::DynState;

/// The number of worlds that are compared.
const WORLDS: u64 = 100;
/// The number of them in which the seat has to see an event that it is certain of.
const SEEN: usize = 4;
/// More random events than this in a row are a deal.
const DEAL: usize = 4;

/// The kind of a sentence, with what it says about its seat and its event.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Said {
    /// New cards are dealt.
    Dealt,
    /// The seat makes a move.
    Move,
    /// The seat made an earlier move, which is known only now.
    HadChosen,
    /// The seat makes a move that is not known.
    HiddenMove,
    /// The seat draws a card, which is the event if it is known.
    Draw,
    /// The event is a random one.
    TurnedUp,
    /// The seat wins so many tricks.
    Tricks {
        /// The number of tricks.
        count: u32,
    },
    /// A remark at the place of the seat is new.
    Remark {
        /// The remark.
        words: String,
    },
    /// A fact of the table is new.
    Fact {
        /// Its name.
        name: Cow<'static, str>,
        /// Its value.
        value: Value,
        /// The value in words.
        words: String,
    },
}

/// A sentence of a story.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Sentence {
    /// The seat whose move this is; `None` for random events and consequences.
    #[cfg_attr(feature = "typescript", ts(as = "Option<u8>"))]
    pub mover: Option<Seat>,
    /// The seat that the sentence is about.
    #[cfg_attr(feature = "typescript", ts(as = "Option<u8>"))]
    pub about: Option<Seat>,
    /// The kind of the sentence, with its content.
    pub said: Said,
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
    fn new(said: Said, about: Option<Seat>, event: Option<String>) -> Self {
        Self { mover: None, about, said, event, likely: false, forced: false, follows: false }
    }

    /// The words before the event. The reader's own seat is called "you".
    pub fn text(&self, reader: Seat) -> String {
        let about = self.about.map(|seat| if seat == reader { "you".to_string() } else { format!("seat {seat}") });
        let ending = if self.about == Some(reader) { "" } else { "s" };
        let words = match &self.said {
            Said::Dealt => "new cards are dealt".to_string(),
            Said::Move => ":".to_string(),
            Said::HadChosen => " had chosen:".to_string(),
            Said::HiddenMove => " makes a hidden move".to_string(),
            Said::Draw if self.event.is_some() => format!(" draw{ending}"),
            Said::Draw => format!(" draw{ending} a card"),
            Said::TurnedUp => "turned up:".to_string(),
            Said::Tricks { count: 1 } => format!(" win{ending} the trick"),
            Said::Tricks { count } => format!(" win{ending} {count} tricks"),
            Said::Remark { words } => format!(": {words}"),
            Said::Fact { name, words, .. } => format!("{name}: {words}").replace('_', " "),
        };
        about.unwrap_or_default() + &words
    }
}

/// The course of a game.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
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
                Turn::Chance if is_deal => story.lines.push(Sentence::new(Said::Dealt, None, None)),
                Turn::Chance => {
                    let line = chance_line(name, &before, &scene);
                    story.lines.extend(line.map(|line| Sentence { likely, ..line }));
                }
                Turn::Seat(mover) => {
                    let moved =
                        |said, event| Sentence { mover: Some(mover), ..Sentence::new(said, Some(mover), event) };
                    let knew = |known: &Known| known.place == place && matches!(known.extent, Extent::Event { .. });
                    if is_earlier && name.is_some() && !known_before.iter().any(knew) {
                        story.revealed.push(Sentence { likely, ..moved(Said::HadChosen, name.clone()) });
                    }
                    let hidden = || moved(Said::HiddenMove, None);
                    match name {
                        Some(_) => {
                            let forced = forced && mover == seat;
                            story.lines.push(Sentence { likely, forced, ..moved(Said::Move, name) });
                        }
                        // If attempts are hidden, their number is not told.
                        None if extent == Extent::Nothing => {}
                        None if game.info().hidden_moves && story.lines.last() == Some(&hidden()) => {}
                        None => story.lines.push(hidden()),
                    }
                }
                Turn::Over => unreachable!("the end is not an event"),
            }
            story.lines.extend(changes(&before, &scene));
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
    let seen: Vec<Vec<bool>> = worlds[..checked].iter().map(|events| state.seen(events, seat)).list();
    let worlds: Vec<Vec<&[Event]>> = worlds.iter().map(|events| runs(events, seat)).list();
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
    places.map(|place| known(worlds[0][place.run][place.index], place)).list()
}

/// The runs of a history: the events up to the first action of the seat, and from each of its actions up to the next.
fn runs(events: &[Event], seat: Seat) -> Vec<&[Event]> {
    let own = (0..events.len()).filter(|&index| events[index].turn == Turn::Seat(seat));
    let bounds: Vec<usize> = iter::once(0).chain(own).chain([events.len()]).list();
    bounds.windows(2).map(|bounds| &events[bounds[0]..bounds[1]]).list()
}

/// A line about a random event: a drawn card if one has come to a hand.
fn chance_line(name: Option<String>, before: &Scene, after: &Scene) -> Option<Sentence> {
    let mut owners = after.places.iter().filter_map(|place| place.seat);
    match owners.find(|&owner| after.held(owner).count() > before.held(owner).count()) {
        Some(owner) => Some(Sentence::new(Said::Draw, Some(owner), name)),
        None => name.map(|name| Sentence::new(Said::TurnedUp, None, Some(name))),
    }
}

/// The fact that counts the tricks of each seat. The remarks that repeat it have the same name.
const TRICKS: &str = "tricks";

/// The number of tricks of a seat; 0 in games without them, or whose words tell them.
fn tricks(scene: &Scene, seat: Seat) -> u32 {
    let fact = scene.facts.iter().find(|fact| fact.name == TRICKS && fact.words.is_none());
    let Some(Value::List(counts)) = fact.map(|fact| &fact.value) else { return 0 };
    let Some(Value::Int(count)) = counts.get(seat.index()) else { return 0 };
    u32::try_from(*count).unwrap_or(0)
}

/// Lines about tricks that were won, scores and the like.
fn changes(before: &Scene, after: &Scene) -> Vec<Sentence> {
    let mut lines = Vec::new();
    for place in &after.places {
        let Some(owner) = place.seat else { continue };
        let count = tricks(after, owner).saturating_sub(tricks(before, owner));
        if count > 0 {
            lines.push((Some(owner), Said::Tricks { count }));
        }
        let old = before.places.iter().find(|old| old.seat == place.seat);
        let mut old: Vec<&String> = old.iter().flat_map(|old| &old.remarks).list();
        for remark in &place.remarks {
            if let Some(same) = old.iter().position(|old| *old == remark) {
                old.swap_remove(same);
                continue;
            }
            let (name, value) = remark.split_once(": ").unwrap_or((remark, ""));
            if name != TRICKS && is_told(name) {
                let words = format!("{name} {value}").trim_end().replace('_', " ");
                lines.push((Some(owner), Said::Remark { words }));
            }
        }
    }
    for fact in &after.facts {
        let Some(words) = fact.words.clone().filter(|_| is_told(&fact.name)) else { continue };
        if before.told().all(|old| old != (&fact.name, &words)) {
            let (name, value) = (fact.name.clone(), fact.value.clone());
            lines.push((None, Said::Fact { name, value, words }));
        }
    }
    let line = |(about, said)| Sentence { follows: true, ..Sentence::new(said, about, None) };
    lines.into_iter().map(line).list()
}
