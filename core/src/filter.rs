//! The sampler of a plain game: all histories that agree with a log, filtered event by event.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use smallvec::SmallVec;

use crate::actions::{Action, ActionSet as _};
use crate::game::history::History;
use crate::game::log::{Entry, Log, Seen, Status};
use crate::game::{Game, Outcome, Sampler, Turn, World, actions_of};
use crate::list::Listing as _;
use crate::rng::{self, Rng};
use crate::seats::Seat;

/// States in the order in which they were found.
#[derive(Clone, Debug)]
struct Layer<S> {
    states: Vec<Reached<S>>,
    places: HashMap<S, usize>,
}

/// A state, with the chance reach probability and the number of the histories that lead there.
#[derive(Clone, Debug)]
struct Reached<S> {
    state: S,
    probability: f64,
    histories: f64,
    /// The last events of these histories.
    ways: SmallVec<[Way; 1]>,
}

/// An event that leads to a state, from a state in this place of a layer of the same entry or of the one before.
#[derive(Clone, Copy, Debug)]
struct Way {
    step: u32,
    place: u32,
    event: Action,
    /// The probability of the histories that end with it.
    probability: f64,
}

impl<S: Copy + Eq + std::hash::Hash> Layer<S> {
    fn new() -> Self {
        Self { states: Vec::new(), places: HashMap::new() }
    }

    /// Adds histories that lead to a state.
    fn add(&mut self, state: S, probability: f64, histories: f64, way: Option<Way>) {
        let place = *self.places.entry(state).or_insert(self.states.len());
        if place == self.states.len() {
            self.states.push(Reached { state, probability: 0.0, histories: 0.0, ways: SmallVec::new() });
        }
        let reached = &mut self.states[place];
        reached.probability += probability;
        reached.histories += histories;
        reached.ways.extend(way);
    }
}

/// The most states at one event in a game whose [rules run somewhere else](Game::foreign): some hundred megabytes.
const MAX_STATES: usize = 1 << 18;

/// Fails in a game whose rules run somewhere else.
fn too_many<G: Game>(game: &G, seat: Seat) {
    if let Some(game) = game.foreign() {
        game.refuse(&format!(
            "more than {MAX_STATES} states agree with what player {seat} knows: too many to list them"
        ));
    }
}

/// All worlds of a [`Log`], found by trying every history and dropping those that the seat can tell apart. Their weights
/// are exact up to 2^-53 of the sum of all weights. Time and memory grow with the number of consistent states at each
/// event: for games with at most some thousands of them.
#[derive(Clone, Debug)]
pub struct Filter<G: Game>(Arc<Found<G>>);

#[derive(Clone, Debug)]
struct Found<G: Game> {
    log: Log,
    /// For each entry of the log the states right after it, then those after one more event that the seat did not
    /// notice, and so on.
    layers: Vec<Vec<Layer<G::State>>>,
    worlds: Vec<World<G::State>>,
    total: u64,
    one_history_each: bool,
}

/// The actions or outcomes possible in a state, by probability where chance acts and 1 where a player does. At its own
/// turn the seat does what its log says.
fn possible<G: Game>(game: &G, state: &G::State, seat: Seat, own: Option<Action>) -> Vec<Outcome> {
    let certain = |action| Outcome { action, probability: 1.0 };
    match game.turn(state) {
        Turn::Chance => game.chance(state),
        Turn::Seat(mover) if mover == seat => own.into_iter().map(certain).list(),
        Turn::Seat(_) => game.legal(state).iter().map(certain).list(),
        Turn::Over => Vec::new(),
    }
}

/// Calls `found` with every event that is possible in a state after the entry `place` of the log, the state that it
/// leads to, and whether it makes the next entry of the log rather than going unnoticed.
fn successors<G: Game>(
    game: &G,
    log: &Log,
    place: usize,
    state: &G::State,
    mut found: impl FnMut(Outcome, G::State, bool),
) {
    let next = log.entries().get(place + 1);
    let now = &log.entries()[place].seen;
    for outcome in possible(game, state, log.seat(), next.and_then(|next| next.action)) {
        let own = (game.turn(state) == Turn::Seat(log.seat())).then_some(outcome.action);
        let mut after = *state;
        game.apply(&mut after, outcome.action);
        match Entry::new(game, now, own, &after, log.seat()) {
            None => found(outcome, after, false),
            entry if entry.as_ref() == next => found(outcome, after, true),
            Some(_) => {}
        }
    }
}

impl<G: Game<View = Log>> Sampler<G> for Filter<G> {
    fn new(game: &G, log: &Log) -> Self {
        let mut layers: Vec<Vec<Layer<G::State>>> = Vec::new();
        let mut first = Layer::new();
        first.add(game.root(), 1.0, 1.0, None);
        for place in 0..log.entries().len() {
            let mut following = Layer::new();
            let mut of_entry = vec![first];
            while let Some(last) = of_entry.last().filter(|last| !last.states.is_empty()) {
                let (mut unnoticed, step) = (Layer::new(), of_entry.len() as u32 - 1);
                for (place_in_layer, reached) in (0..).zip(&last.states) {
                    successors(game, log, place, &reached.state, |outcome, after, is_noticed| {
                        let probability = reached.probability * outcome.probability;
                        let way = Way { step, place: place_in_layer, event: outcome.action, probability };
                        let layer = if is_noticed { &mut following } else { &mut unnoticed };
                        layer.add(after, probability, reached.histories, Some(way));
                    });
                    if following.states.len().max(unnoticed.states.len()) > MAX_STATES {
                        too_many(game, log.seat());
                    }
                }
                of_entry.push(unnoticed);
            }
            layers.push(of_entry);
            first = following;
        }
        let mut all = Layer::new();
        let last = layers.last().expect("a log has an entry");
        for Reached { state, probability, histories, .. } in last.iter().flat_map(|layer| &layer.states) {
            all.add(*state, *probability, *histories, None);
        }
        let (weights, total) = whole_weights(all.states.iter().map(|reached| reached.probability));
        let worlds = all.states.iter().zip(weights).map(|(reached, weight)| World { state: reached.state, weight });
        let worlds = worlds.collect();
        let one_history_each = all.states.iter().all(|reached| reached.histories == 1.0);
        Self(Arc::new(Found { log: log.clone(), layers, worlds, total, one_history_each }))
    }

    fn sample(&self, rng: &mut Rng) -> G::State {
        if let [only] = self.0.worlds.as_slice() {
            return only.state;
        }
        let point = rng.below_wide(self.0.total);
        self.0.worlds[rng::place(self.0.worlds.iter().map(|world| world.weight), point)].state
    }

    fn count(&self) -> u128 {
        self.0.worlds.len() as u128
    }

    fn worlds(&self) -> impl Iterator<Item = World<G::State>> {
        self.0.worlds.iter().copied()
    }

    fn sample_history_of(&self, game: &G, world: &G::State, rng: &mut Rng) -> History<G> {
        let Found { log, layers, .. } = &*self.0;
        // Backwards from the end: where the last state lies, then what can have led to each.
        let mut entry = layers.len() - 1;
        let ends = (0..)
            .zip(&layers[entry])
            .filter_map(|(step, layer)| Some((step, &layer.states[*layer.places.get(world)?])))
            .list();
        let (mut step, mut reached) = draw(&ends, |(_, reached)| reached.probability, rng);
        let mut events = Vec::new();
        while (entry, step) != (0, 0) {
            let way = draw(&reached.ways, |way| way.probability, rng);
            if step == 0 {
                entry -= 1;
            }
            (step, reached) = (way.step, &layers[entry][way.step as usize].states[way.place as usize]);
            events.push(way.event);
        }
        let history = History::of(game, events.into_iter().rev());
        debug_assert_eq!(game.view(&history, log.seat()), *log);
        history
    }

    fn worlds_fix_views(&self) -> bool {
        self.0.one_history_each
    }
}

/// The number of information sets in which `seat` is to act, counted without listing histories: each log of the seat
/// with the set of all states that agree with it.
pub fn information_sets<G: Game>(game: &G, seat: Seat) -> u64 {
    let root = game.root();
    sets_from(game, seat, &Seen::new(game, &root, seat), vec![root])
}

/// Counts the sets from a log on that ends with this observation and agrees with these states.
fn sets_from<G: Game>(game: &G, seat: Seat, seen: &Seen, mut states: Vec<G::State>) -> u64 {
    let to_act = seen.status == Status::ToAct;
    let mut count = u64::from(to_act);
    // The states of each entry that can come next.
    let mut next: HashMap<Entry, HashSet<G::State>> = HashMap::new();
    let mut reached: HashSet<G::State> = states.iter().copied().collect();
    while let Some(state) = states.pop() {
        let actions: Vec<Action> = match game.turn(&state) {
            Turn::Chance => actions_of(&game.chance(&state)),
            Turn::Seat(_) | Turn::Over => game.legal(&state).iter().list(),
        };
        for action in actions {
            let mut after = state;
            game.apply(&mut after, action);
            match Entry::new(game, seen, to_act.then_some(action), &after, seat) {
                Some(entry) => {
                    next.entry(entry).or_default().insert(after);
                }
                None if reached.insert(after) => states.push(after),
                None => {}
            }
        }
    }
    drop(reached);
    for (entry, states) in next {
        count += sets_from(game, seat, &entry.seen, states.into_iter().list());
    }
    count
}

/// One of the items by weight.
fn draw<T: Copy>(items: &[T], weight: impl Fn(&T) -> f64, rng: &mut Rng) -> T {
    if let [item] = items {
        return *item;
    }
    let total: f64 = items.iter().map(&weight).sum();
    items[rng::place(items.iter().map(&weight), rng.unit() * total)]
}

/// Whole numbers in proportion to the weights, as small as possible where the weights are alike, and their sum.
fn whole_weights(weights: impl Iterator<Item = f64> + Clone) -> (Vec<u64>, u64) {
    /// Weights are whole multiples of this part of their sum.
    const PARTS: f64 = (1_u64 << 53) as f64;
    let sum: f64 = weights.clone().sum();
    let whole = weights.map(|weight| ((weight / sum * PARTS).round() as u64).max(1)).list();
    let divisor = whole.iter().copied().fold(0, greatest_common_divisor).max(1);
    let whole = whole.into_iter().map(|weight| weight / divisor).list();
    let total = whole.iter().sum();
    (whole, total)
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
