//! Lists of states, for code that knows no game.

use std::any::Any;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use stier_core::hash::hash_of;
use stier_core::{Action, ActionSet as _, BySeat, Chance, Game, History, Seat, Turn};

use super::knowledge::{ChancePath, Events, Fingerprints, Knowledge, NodeId, Seats};

/// States of one game.
pub(super) trait States: Any + Send + Sync {
    /// The next to act in each state.
    fn turns(&self) -> Vec<Turn>;
    /// Appends the legal actions of a state.
    fn legal(&self, place: usize, into: &mut Vec<Action>);
    /// The outcomes of chance in a state.
    fn chance(&self, place: usize) -> Chance;
    /// The returns in a state.
    fn returns(&self, place: usize) -> BySeat<f64>;
    /// The observation of an action or of an outcome by a seat.
    fn observed(&self, place: usize, action: Action, seat: Seat) -> u64;
    /// The sight of a seat in a state.
    fn sight(&self, place: usize, seat: Seat) -> u64;
    /// An empty list.
    fn empty(&self) -> Box<dyn States>;
    /// The states at these places.
    fn select(&self, places: &[usize]) -> Box<dyn States>;
    /// The states at these places, after an event if there is one.
    fn after(&self, moves: &[(usize, Option<Action>)]) -> Box<dyn States>;
    /// Appends the states of another list.
    fn append(&mut self, others: Box<dyn States>);
    /// For each state the first place of an equal state with the same key. Keys of the same node are adjacent. Ends early
    /// if `goes_on` says so.
    fn first_equal(
        &self,
        keys: &mut dyn Iterator<Item = (NodeId, Seats<Knowledge>)>,
        goes_on: &dyn Fn(usize) -> bool,
    ) -> Vec<usize>;
    /// Finds fingerprints of a seat's views after random events. `events_to` are the events before a node.
    fn fingerprints<'a>(
        &'a self,
        seat: Seat,
        events_to: &'a dyn Fn(NodeId) -> Vec<Action>,
        events: &'a Events,
    ) -> Box<Fingerprints<'a>>;
}

/// States of a game.
struct List<G: Game> {
    game: Arc<G>,
    states: Vec<G::State>,
}

/// The state before the first event of a game.
pub(super) fn root<G: Game>(game: &G) -> Box<dyn States> {
    Box::new(List { game: Arc::new(game.clone()), states: vec![game.root()] })
}

impl<G: Game> States for List<G> {
    fn turns(&self) -> Vec<Turn> {
        self.states.iter().map(|state| self.game.turn(state)).collect()
    }

    fn legal(&self, place: usize, into: &mut Vec<Action>) {
        self.game.legal(&self.states[place]).iter().for_each(|action| into.push(action));
    }

    fn chance(&self, place: usize) -> Chance {
        self.game.chance(&self.states[place])
    }

    fn returns(&self, place: usize) -> BySeat<f64> {
        self.game.returns(&self.states[place])
    }

    fn observed(&self, place: usize, action: Action, seat: Seat) -> u64 {
        self.game.observed(&self.states[place], action, seat)
    }

    fn sight(&self, place: usize, seat: Seat) -> u64 {
        self.game.sight(&self.states[place], seat)
    }

    fn empty(&self) -> Box<dyn States> {
        self.select(&[])
    }

    fn select(&self, places: &[usize]) -> Box<dyn States> {
        Box::new(Self { game: self.game.clone(), states: places.iter().map(|&place| self.states[place]).collect() })
    }

    fn after(&self, moves: &[(usize, Option<Action>)]) -> Box<dyn States> {
        let mut states = Vec::with_capacity(moves.len());
        for &(place, event) in moves {
            let mut state = self.states[place];
            if let Some(event) = event {
                self.game.apply(&mut state, event);
            }
            states.push(state);
        }
        Box::new(Self { game: self.game.clone(), states })
    }

    fn append(&mut self, others: Box<dyn States>) {
        let others: Box<dyn Any> = others;
        self.states.append(&mut others.downcast::<Self>().expect("states of the same game").states);
    }

    fn first_equal(
        &self,
        keys: &mut dyn Iterator<Item = (NodeId, Seats<Knowledge>)>,
        goes_on: &dyn Fn(usize) -> bool,
    ) -> Vec<usize> {
        let (mut first, mut last) = (Vec::with_capacity(self.states.len()), None);
        let mut places: FxHashMap<(G::State, Seats<Knowledge>), usize> = FxHashMap::default();
        for (place, (node, knowledge)) in keys.enumerate() {
            if !goes_on(place) {
                break;
            }
            if last.replace(node) != Some(node) {
                places.clear();
            }
            first.push(match places.entry((self.states[place], knowledge)) {
                Entry::Occupied(same) => *same.get(),
                Entry::Vacant(entry) => *entry.insert(place),
            });
        }
        first
    }

    fn fingerprints<'a>(
        &'a self,
        seat: Seat,
        events_to: &'a dyn Fn(NodeId) -> Vec<Action>,
        events: &'a Events,
    ) -> Box<Fingerprints<'a>> {
        let mut replayed: Option<(NodeId, History<G>)> = None;
        Box::new(move |draw: &ChancePath| {
            let (_, history) = match replayed.take() {
                Some(replayed) if replayed.0 == draw.owner => replayed,
                _ => (draw.owner, History::of(&*self.game, events_to(draw.owner))),
            };
            let mut after = history.clone();
            replayed = Some((draw.owner, history));
            events.until(draw.event).into_iter().for_each(|event| after.push(&*self.game, event));
            fingerprint(&self.game.view(&after, seat))
        })
    }
}

/// A 128-bit hash of a view: among a hundred million views, the odds of two equal hashes are 1 in 10^22.
fn fingerprint(view: &impl Hash) -> u128 {
    let half = |salt: u8| u128::from(hash_of(&(salt, view)));
    half(0) << 64 | half(1)
}
