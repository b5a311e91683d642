//! The present deal as one seat knows it, event by event: for beliefs that are carried forward.

use crate::actions::Action;

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
