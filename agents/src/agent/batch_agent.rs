//! Players that decide at many tables at once.

use std::fmt::{self, Debug, Formatter};

use stier_core::list::Listing as _;
use stier_core::{Action, Cell, Game, Seat};

use crate::agent::streams::Streams;

/// Copies of one player at many tables, which decide together.
pub trait BatchAgent<G: Game>: Send {
    /// Appends to `actions` the copies' actions in these positions, in order.
    fn decide(&mut self, game: &G, queries: &[Query<'_, G>], actions: &mut Vec<Action>);
}

/// A decision at one of many tables. The player sees its legal actions and its observation, but neither the past nor
/// the state.
pub struct Query<'a, G: Game> {
    pub(crate) state: &'a G::State,
    /// The seat to act.
    pub seat: Seat,
    /// The streams of the decision.
    pub streams: Streams,
}

impl<'a, G: Game> Query<'a, G> {
    /// Creates the decision of the seat to act in this state, with these streams.
    pub fn new(state: &'a G::State, seat: Seat, streams: Streams) -> Self {
        Self { state, seat, streams }
    }

    /// Creates the decisions of players that use no random numbers. In each state a player must be to act.
    pub(crate) fn all(game: &G, states: impl IntoIterator<Item = &'a G::State>) -> Vec<Self> {
        let seat = |state| game.turn(state).seat().expect("a player is to act");
        states.into_iter().map(|state| Self::new(state, seat(state), Streams::new(0))).list()
    }

    /// The seat's legal actions.
    pub fn legal(&self, game: &G) -> G::Actions {
        game.legal(self.state)
    }

    /// Writes the seat's observation: [`Game::observation`].
    pub fn observation<T: Cell>(&self, game: &G, out: &mut [T]) {
        game.observation(self.state, self.seat, out);
    }
}

impl<G: Game> Clone for Query<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Query<'_, G> {}

impl<G: Game> Debug for Query<'_, G> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query").field("seat", &self.seat).field("streams", &self.streams).finish_non_exhaustive()
    }
}
