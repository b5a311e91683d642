//! The present deal as one seat knows it, event by event: for beliefs that are carried forward.

use crate::actions::Action;
use crate::seats::Seat;

/// The present deal as a seat knows it, in a game of which it does not know the cards of one other player alone. What can
/// happen, and what that player knows, must depend on the state, not on the order in which cards came.
#[derive(Clone, PartialEq, Debug)]
pub struct Trail<S> {
    /// The knowledge of the seat when the cards were dealt: a state in which the other player has none.
    pub start: S,
    /// The states after the cards were dealt that are possible by all that the seat knows now: equally likely, in a fixed
    /// order. If more becomes known, some drop out.
    pub states: Vec<S>,
    /// The events since then.
    pub steps: Vec<Step>,
}

/// An event as the seat knows it.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// The action of a player, or a random event that the seat saw.
    Seen(Action),
    /// A random event that it did not see: one of those that are possible in the state, equally likely; by all that the
    /// seat knows, it was one of these.
    Hidden(Vec<Action>),
}

/// The present deal as everybody knows it, up to a public state from which on it is looked at on its own: its *ending*.
///
/// A hand is a set of cards, as bits. Every hand of one player fits those of the other with which it shares no card.
#[derive(Clone, PartialEq, Debug)]
pub struct Course<S> {
    /// By seat: the cards of which all hands of [`hand_size`](Self::hand_size) may have been dealt to it, equally likely.
    pub cards: [u64; 2],
    /// The number of cards that were dealt to a player.
    pub hand_size: u32,
    /// The actions of both players before the ending.
    pub stages: Vec<Stage<S>>,
    /// The public state in which the ending begins. Hands do not count.
    pub root: S,
    /// The public events before the ending, which tell it apart from others.
    pub before: Vec<Action>,
    /// The public events since then.
    pub since: Vec<Action>,
}

/// An action of a player as everybody sees it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stage<S> {
    /// The player.
    pub seat: Seat,
    /// The public state. Hands do not count.
    pub state: S,
    /// The action.
    pub action: Action,
    /// The cards that leave the hand.
    pub played: u64,
    /// The cards that the player cannot hold, because the action was legal.
    pub lacking: u64,
    /// The cards of which the player then draws one that it does not hold; none if it draws none.
    pub drawn: u64,
}
