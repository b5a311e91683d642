//! Content of a picture of a state: cards, places and words. The program that draws it chooses positions and shades.

use serde::{Serialize, Serializer};

use crate::choice;
use crate::fact::Fact;
use crate::list::Listing as _;
use crate::seats::Seat;

choice! {
    /// The sign printed on a card next to its rank. Each suit has its own, so that suits can be told apart without
    /// colour.
    #[derive(Serialize)]
    #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
    #[serde(rename_all = "snake_case")]
    #[expect(missing_docs, reason = "the names explain the signs")]
    pub enum Sign {
        Diamond = "diamond",
        Heart = "heart",
        Spade = "spade",
        Club = "club",
        Leaf = "leaf",
        Cross = "cross",
        Drop = "drop",
        Sun = "sun",
        Whistle = "whistle",
        Bolt = "bolt",
        Pig = "pig",
    }
}

choice! {
    /// The colour of a card. The program that draws it chooses the shade.
    #[derive(Serialize)]
    #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
    #[serde(rename_all = "snake_case")]
    #[expect(missing_docs, reason = "the names explain the colours")]
    pub enum Hue {
        Green = "green",
        Red = "red",
        Blue = "blue",
        Yellow = "yellow",
        Orange = "orange",
        Violet = "violet",
        Pink = "pink",
        Black = "black",
        Grey = "grey",
    }
}

/// The French suits: diamonds, hearts, spades, clubs.
const FRENCH: [(Sign, Hue); 4] =
    [(Sign::Diamond, Hue::Orange), (Sign::Heart, Hue::Red), (Sign::Spade, Hue::Black), (Sign::Club, Hue::Green)];

/// The printed face of a card.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Face {
    /// The value, one or two characters.
    pub rank: String,
    /// The sign of its suit.
    pub sign: Sign,
    /// The colour of its suit.
    pub hue: Hue,
}

impl Face {
    /// Creates the face of a French card: diamonds, hearts, spades and clubs have the suits 0 to 3.
    pub fn french(suit: u8, rank: char) -> Self {
        let (sign, hue) = FRENCH[usize::from(suit)];
        Self { rank: french_rank(rank), sign, hue }
    }
}

/// The rank printed on a French card: its letter, but 10 for `T`.
pub fn french_rank(letter: char) -> String {
    if letter == 'T' { "10".to_string() } else { letter.to_string() }
}

/// A state from the perspective of one seat, or of an observer who sees everything. Cards are called by their
/// [names](crate::Notation::cards).
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Scene {
    /// The name of the game in its own language.
    pub title: &'static str,
    /// Facts about the game. Only those that are [told](Scene::told) are serialized.
    #[serde(serialize_with = "serialize_told")]
    #[cfg_attr(feature = "typescript", ts(type = "[string, string][]"))]
    pub facts: Vec<Fact>,
    /// The spaces of a circular track; empty in games without one.
    pub track: Vec<Space>,
    /// The seats and the middle of the table, from top to bottom. Several places without a seat are the lines of a board,
    /// in which columns align.
    pub places: Vec<Place>,
    /// The next event, in words.
    pub next: String,
    /// True if the perspective may be told the returns of a finished game.
    pub tells_returns: bool,
}

/// Facts and remarks that repeat a move, or that are better seen on the table.
const SHOWN: [&str; 18] = [
    "actions",
    "attacked",
    "bets",
    "bid",
    "bids",
    "boss",
    "dealt",
    "first_player",
    "hand",
    "knocked",
    "last_bids",
    "own_stones",
    "pile",
    "prizes",
    "public_card",
    "race",
    "rolled",
    "supply",
];

/// True if the story of a game tells changes of the fact or remark with this label. New labels that should stay out of it
/// belong to the list.
pub fn is_told(label: &str) -> bool {
    !SHOWN.contains(&label)
}

/// The space between two parts of a line.
const GAP: &str = "   ";

/// A name of a fact or a remark, in words.
fn in_words(name: &str) -> String {
    name.replace('_', " ")
}

/// The facts that are told in words: names and words.
fn told(facts: &[Fact]) -> impl Iterator<Item = (&str, &str)> {
    facts.iter().filter_map(|fact| Some((fact.name.as_ref(), fact.words.as_deref()?)))
}

fn serialize_told<S: Serializer>(facts: &[Fact], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(told(facts))
}

impl Scene {
    /// The facts that are told in words: names and words.
    pub fn told(&self) -> impl Iterator<Item = (&str, &str)> {
        told(&self.facts)
    }

    /// The cards that a seat holds: their names, or `None` for hidden cards.
    pub fn held(&self, seat: Seat) -> impl Iterator<Item = Option<&str>> {
        let places = self.places.iter().filter(move |place| place.seat == Some(seat));
        let groups = places.flat_map(|place| &place.groups).filter(|group| group.held);
        groups.flat_map(|group| &group.cards).map(Option::as_deref)
    }

    /// The scene as text: the facts, the track, a line for each place, and the next event.
    pub fn text(&self) -> String {
        let mut facts = Vec::new();
        for (name, words) in self.told() {
            facts.push(format!("{}: {words}", in_words(name)));
        }
        let mut track = String::new();
        for space in &self.track {
            track.push_str(match &space.piece {
                Some(piece) => piece,
                None if space.food => "*",
                None => ".",
            });
        }
        let mut lines = vec![facts.join(GAP)];
        lines.push(if track.is_empty() { track } else { format!("track from space 0: {track}") });
        // The width of each column of the seats, and the number of other places.
        let (mut widths, mut others) = (Vec::new(), 0);
        for place in &self.places {
            if place.seat.is_none() {
                others += 1;
                continue;
            }
            for (column, part) in place.columns().iter().enumerate() {
                widths.resize(widths.len().max(column + 1), 0);
                widths[column] = part.chars().count().max(widths[column]);
            }
        }
        for place in &self.places {
            if others > 1 && place.seat.is_none() {
                lines.push(place.remarks.join(GAP));
                continue;
            }
            let mut parts = vec![place.seat.map_or("table ".to_string(), |seat| format!("seat {seat}"))];
            for (column, part) in place.columns().iter().enumerate() {
                let width = if place.seat.is_some() { widths[column] } else { 0 };
                parts.push(format!("{part:<width$}"));
            }
            for remark in &place.remarks {
                parts.push(in_words(remark));
            }
            lines.push(if parts.len() > 1 { parts.join(GAP).trim_end().to_string() } else { String::new() });
        }
        lines.push(format!("next: {}", self.next));
        lines.retain(|line| !line.is_empty());
        lines.join("\n")
    }
}

/// A space of a track.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Space {
    /// The card whose face is on the piece, if a piece stands here.
    pub piece: Option<String>,
    /// True if food lies on the space.
    pub food: bool,
}

/// A seat, or the middle of the table.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Place {
    /// The seat; `None` for the middle of the table.
    #[cfg_attr(feature = "typescript", ts(as = "Option<u8>"))]
    pub seat: Option<Seat>,
    /// A card of the suit that counts for this seat now, in games in which each seat has its own suit. Its name begins
    /// with the letter of the suit.
    pub suit: Option<String>,
    /// The cards, from left to right.
    pub groups: Vec<Group>,
    /// Other information, in words.
    pub remarks: Vec<String>,
}

impl Place {
    /// A place of a seat.
    pub fn of(seat: Seat, groups: Vec<Group>, remarks: Vec<String>) -> Self {
        Self { seat: Some(seat), groups, remarks, ..Self::default() }
    }

    /// The suit and the cards in words, without piles.
    fn columns(&self) -> Vec<String> {
        let mut columns = Vec::new();
        if let Some(card) = &self.suit {
            let letter = card.chars().next().map_or(0, char::len_utf8);
            columns.push(format!("suit: {}", &card[..letter]));
        }
        for group in &self.groups {
            if group.layout != Layout::Pile {
                let cards = group.cards.iter().map(|card| card.as_deref().unwrap_or("??")).list().join(" ");
                columns.push(format!("{}: {}", group.name, if cards.is_empty() { "-" } else { &cards }));
            }
        }
        columns
    }
}

/// Cards that lie together.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Group {
    /// The kind of group, such as "hand".
    pub name: &'static str,
    /// The cards; `None` for a hidden card.
    pub cards: Vec<Option<String>>,
    /// The arrangement of the cards.
    pub layout: Layout,
    /// True if the cards count among those that the seat [holds](crate::Notation::holdings).
    pub held: bool,
}

choice! {
    /// The arrangement of a group of cards.
    #[derive(Serialize)]
    #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
    #[serde(rename_all = "snake_case")]
    pub enum Layout {
        /// Side by side.
        Row = "row",
        /// On top of each other.
        Pile = "pile",
        /// Side by side, out of play.
        Aside = "aside",
    }
}

impl Group {
    /// Creates the group of cards in a seat's hand. Faces are shown only if `open`.
    pub fn hand(cards: impl IntoIterator<Item = String>, open: bool) -> Self {
        Self::held("hand", cards.into_iter().map(|card| open.then_some(card)).list())
    }

    /// Creates a group of cards that the seat holds.
    pub fn held(name: &'static str, cards: Vec<Option<String>>) -> Self {
        Self { name, cards, layout: Layout::Row, held: true }
    }

    /// Creates a group of face-up cards that no seat holds.
    pub fn open(name: &'static str, cards: impl IntoIterator<Item = String>) -> Self {
        Self { name, cards: cards.into_iter().map(Some).list(), layout: Layout::Row, held: false }
    }

    /// Creates a group of cards laid aside, face up.
    pub fn aside(name: &'static str, cards: impl IntoIterator<Item = String>) -> Self {
        Self { layout: Layout::Aside, ..Self::open(name, cards) }
    }

    /// Creates a face-down pile.
    pub fn pile(name: &'static str, size: usize) -> Self {
        Self { name, cards: vec![None; size], layout: Layout::Pile, held: false }
    }
}

#[cfg(test)]
mod tests {
    use super::{Group, Place, Scene};
    use crate::seats::Seat;

    #[test]
    fn letters_of_several_bytes_are_one_column_wide() {
        let place = |seat, card: &str| Place {
            suit: Some(card.to_string()),
            ..Place::of(Seat(seat), vec![Group::hand([card.to_string()], true)], vec!["end".to_string()])
        };
        let places = vec![place(0, "Ö7"), place(1, "R7")];
        let (title, facts, track, next) = ("Ochs", Vec::new(), Vec::new(), "seat 0".to_string());
        let scene = Scene { title, facts, track, places, next, tells_returns: true };
        let expected = "seat 0   suit: Ö   hand: Ö7   end\nseat 1   suit: R   hand: R7   end\nnext: seat 0";
        assert_eq!(scene.text(), expected);
    }
}
