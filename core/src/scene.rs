//! What there is to see of a state, for whoever draws it: cards, places and words. Where things go on the page and in which
//! shades, the drawing says.

use crate::seats::Seat;

/// The sign printed on a card, besides its rank: one for each suit, so that colour is never all that tells suits apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say what the signs are")]
pub enum Sign {
    Diamond,
    Heart,
    Spade,
    Club,
    Leaf,
    Cross,
    Drop,
    Sun,
    Whistle,
    Bolt,
    Pig,
}

impl Sign {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Sign::Diamond => "diamond",
            Sign::Heart => "heart",
            Sign::Spade => "spade",
            Sign::Club => "club",
            Sign::Leaf => "leaf",
            Sign::Cross => "cross",
            Sign::Drop => "drop",
            Sign::Sun => "sun",
            Sign::Whistle => "whistle",
            Sign::Bolt => "bolt",
            Sign::Pig => "pig",
        }
    }
}

/// The colour of a card; which shade, is for the page to say.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say what the colours are")]
pub enum Hue {
    Green,
    Red,
    Blue,
    Yellow,
    Orange,
    Violet,
    Pink,
    Black,
    Grey,
}

impl Hue {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Hue::Green => "green",
            Hue::Red => "red",
            Hue::Blue => "blue",
            Hue::Yellow => "yellow",
            Hue::Orange => "orange",
            Hue::Violet => "violet",
            Hue::Pink => "pink",
            Hue::Black => "black",
            Hue::Grey => "grey",
        }
    }
}

/// What is printed on a card.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Face {
    /// The value, one or two characters.
    pub rank: String,
    /// The sign of its suit.
    pub sign: Sign,
    /// The colour of its suit.
    pub hue: Hue,
}

/// A state as somebody sees it. Cards are called by their [names](crate::Notation::cards).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scene {
    /// The name of the game in its own language.
    pub title: &'static str,
    /// What holds for the whole table: what it is and how it stands.
    pub facts: Vec<(&'static str, String)>,
    /// The spaces of a track that is run through in a circle; empty in games without one.
    pub track: Vec<Space>,
    /// The seats and the middle of the table, from top to bottom.
    pub places: Vec<Place>,
    /// What happens next, in words.
    pub next: String,
}

/// A space of a track.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Space {
    /// The piece on it has the face of this card.
    pub piece: Option<String>,
    /// Whether food lies on it.
    pub food: bool,
}

/// A seat, or the middle of the table.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Place {
    /// Whose place it is; `None` for the middle of the table.
    pub seat: Option<Seat>,
    /// A card of the suit that counts for the seat now, in games in which every seat has one of its own.
    pub suit: Option<String>,
    /// The cards, from left to right.
    pub groups: Vec<Group>,
    /// What else is to be said, in words.
    pub remarks: Vec<String>,
}

/// Cards that lie together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// What they are.
    pub name: &'static str,
    /// The cards; `None` for one that is not seen.
    pub cards: Vec<Option<String>>,
    /// How they lie.
    pub layout: Layout,
    /// Whether the seat counts them among the cards that it [holds](crate::Notation::holdings).
    pub held: bool,
}

/// How a group of cards lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Layout {
    /// Side by side.
    Row,
    /// One on the other.
    Pile,
    /// Side by side, and of little interest.
    Aside,
}

impl Layout {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Layout::Row => "row",
            Layout::Pile => "pile",
            Layout::Aside => "aside",
        }
    }
}

impl Group {
    /// Cards in the hand of a seat, their faces shown only if `open`.
    pub fn hand(cards: impl IntoIterator<Item = String>, open: bool) -> Self {
        Self::held("hand", cards.into_iter().map(|card| open.then_some(card)).collect())
    }

    /// Cards that their seat holds.
    pub fn held(name: &'static str, cards: Vec<Option<String>>) -> Self {
        Self { name, cards, layout: Layout::Row, held: true }
    }

    /// Cards that lie open, held by nobody.
    pub fn open(name: &'static str, cards: impl IntoIterator<Item = String>) -> Self {
        Self { name, cards: cards.into_iter().map(Some).collect(), layout: Layout::Row, held: false }
    }

    /// Cards laid aside, face up.
    pub fn aside(name: &'static str, cards: impl IntoIterator<Item = String>) -> Self {
        Self { layout: Layout::Aside, ..Self::open(name, cards) }
    }

    /// A pile, face down.
    pub fn pile(name: &'static str, size: usize) -> Self {
        Self { name, cards: vec![None; size], layout: Layout::Pile, held: false }
    }
}
