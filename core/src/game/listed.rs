//! All histories of a game in a list that the game itself makes.
//!
//! Most games are asked event by event. A game whose rules run somewhere else, where each question is slow, may be faster if
//! it lists everything in one go.

use crate::actions::Action;
use crate::game::Chance;
use crate::seats::{BySeat, Seat};

/// All histories of a game. The first node is the beginning; the nodes after the events of a node stand next to each other, in
/// the order of the events.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Listed {
    /// One for each history.
    pub nodes: Vec<ListedNode>,
    /// The information sets, each once.
    pub sets: Vec<ListedSet>,
    /// The outcomes of chance, with possible repetitions.
    pub chances: Vec<Chance>,
    /// The returns of ended games, with possible repetitions.
    pub returns: Vec<BySeat<f64>>,
}

/// The reason why a game has not listed its histories.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unlisted {
    /// It has more histories than were asked for.
    TooMany,
    /// The caller has stopped it.
    Stopped,
}

/// One history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ListedNode {
    /// The end of the game.
    End {
        /// The place of the returns.
        returns: u32,
    },
    /// Chance acts.
    Chance {
        /// The node after the first outcome.
        first: u32,
        /// The place of the outcomes.
        chance: u32,
    },
    /// A player acts.
    Decision {
        /// The node after the first action.
        first: u32,
        /// The place of the information set.
        set: u32,
    },
}

/// An information set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedSet {
    /// The player to act.
    pub seat: Seat,
    /// The legal actions, ascending.
    pub actions: Vec<Action>,
}
