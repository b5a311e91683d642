//! The knowledge of the seats at the nodes of a layer, and what they learn from choices and random events.

use rustc_hash::FxHashMap;
use stier_core::key::{UNNOTICED, mix};
use stier_core::seats::MAX_SEATS;
use stier_core::{Action, Seat};

use super::NONE;
use crate::agent::threads::for_each_task;

/// The number of a node in the tree.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct NodeId(pub(super) u32);

/// The number of an information set in the tree, or `SetId(NONE)`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct SetId(pub(super) u32);

/// The number of a seat's view in a layer.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Knowledge(pub(super) u32);

/// One value per seat.
pub(super) type Seats<T> = [T; MAX_SEATS];

/// All that one seat can know in one layer.
pub(super) struct SeatKnowledge {
    pub(super) seat: Seat,
    /// By knowledge: the place in a policy of the seat's last action, or [`NONE`].
    pub(super) last_rows: Vec<u32>,
    /// By knowledge: the information set if the seat is to act.
    pub(super) sets: Vec<SetId>,
    /// By knowledge, in games whose promises are checked: a number for the view, whatever the layer. Empty in others.
    views: Vec<u64>,
    /// The knowledge after an event, by the knowledge before it and what the seat observed.
    following: FxHashMap<(Knowledge, u64), Knowledge>,
    /// The knowledge after several random events, by the fingerprint of the view.
    by_view: FxHashMap<u128, Knowledge>,
}

impl SeatKnowledge {
    pub(super) fn new(seat: Seat) -> Self {
        let (last_rows, sets, views) = Default::default();
        Self { seat, last_rows, sets, views, following: FxHashMap::default(), by_view: FxHashMap::default() }
    }

    /// Adds knowledge that is different from all others of the layer.
    pub(super) fn add(&mut self, last_row: u32, view: Option<u64>) -> Knowledge {
        self.last_rows.push(last_row);
        self.sets.push(SetId(NONE));
        self.views.extend(view);
        Knowledge(self.last_rows.len() as u32 - 1)
    }

    /// The number of the view, in games whose promises are checked.
    pub(super) fn view(&self, knowledge: Knowledge) -> Option<u64> {
        self.views.get(knowledge.0 as usize).copied()
    }

    /// Drops the lookup tables that are only needed while one kind of event is processed.
    pub(super) fn finish_learning(&mut self) {
        (self.following, self.by_view) = (FxHashMap::default(), FxHashMap::default());
    }

    /// Learns from an action; `earlier` is the seat's knowledge in the layer before. Where the game is over, nothing is
    /// learned.
    fn after_choice(&mut self, earlier: &Self, choice: &Choice) -> Knowledge {
        if choice.is_last {
            return Knowledge(NONE);
        }
        let before = choice.before[self.seat.index()];
        let key = (before, choice.observed[self.seat.index()]);
        if let Some(&after) = self.following.get(&key) {
            return after;
        }
        let last_row = if choice.mover == self.seat { choice.row } else { earlier.last_rows[before.0 as usize] };
        let view = earlier.view(before).map(|view| if key.1 == UNNOTICED { view } else { mix(view, key.1) });
        let after = self.add(last_row, view);
        self.following.insert(key, after);
        after
    }

    /// Learns from the last of some random events, after which the seat sees `sight`. `view` finds the fingerprint of
    /// the seat's view, which is needed unless the event `is_first`.
    fn after_chance(
        &mut self,
        draw: &ChancePath,
        is_first: bool,
        sight: u64,
        view: &mut Fingerprints<'_>,
    ) -> Knowledge {
        let before = draw.knowledge[self.seat.index()];
        let key = (before, sight);
        if let Some(&after) = self.following.get(&key) {
            return after;
        }
        let last_row = self.last_rows[before.0 as usize];
        let is_unnoticed = draw.is_unnoticed[self.seat.index()];
        let number = self.view(before).map(|earlier| if is_unnoticed { earlier } else { mix(earlier, sight) });
        let view = (!is_first).then(|| view(draw));
        let known = view.and_then(|view| self.by_view.get(&view).copied());
        let after = known.unwrap_or_else(|| self.add(last_row, number));
        if let Some(view) = view {
            self.by_view.insert(view, after);
        }
        self.following.insert(key, after);
        after
    }
}

/// A choice.
#[derive(Clone)]
pub(super) struct Choice {
    /// The player who chose.
    pub(super) mover: Seat,
    /// The place of the choice in a policy.
    pub(super) row: u32,
    /// The knowledge before the choice.
    pub(super) before: Seats<Knowledge>,
    pub(super) observed: Seats<u64>,
    /// True if the game is over afterwards.
    pub(super) is_last: bool,
}

/// A result of the random events after a node, as far as they have happened.
#[derive(Clone, Copy)]
pub(super) struct ChancePath {
    /// The chance node.
    pub(super) owner: NodeId,
    pub(super) probability: f64,
    /// The last event, by its place among the [`Events`].
    pub(super) event: u32,
    /// The knowledge of each seat: that from before the last event, until all seats have observed it.
    pub(super) knowledge: Seats<Knowledge>,
    pub(super) is_observed: bool,
    /// True for seats that did not notice the last event, in games whose promises are checked.
    pub(super) is_unnoticed: Seats<bool>,
}

/// Finds the fingerprint of a seat's view after random events.
pub(super) type Fingerprints<'a> = dyn FnMut(&ChancePath) -> u128 + 'a;

/// Random events, each with the place of the one before it, or [`NONE`].
#[derive(Default)]
pub(super) struct Events(Vec<(u32, Action)>);

impl Events {
    pub(super) fn push(&mut self, before: u32, action: Action) -> u32 {
        self.0.push((before, action));
        self.0.len() as u32 - 1
    }

    fn is_first(&self, event: u32) -> bool {
        self.0[event as usize].0 == NONE
    }

    /// The events up to one of them, the first at the front.
    pub(super) fn until(&self, last: u32) -> Vec<Action> {
        let before = |&at: &u32| (!self.is_first(at)).then(|| self.0[at as usize].0);
        let backwards = std::iter::successors(Some(last), before);
        let mut events: Vec<Action> = backwards.map(|at| self.0[at as usize].1).collect();
        events.reverse();
        events
    }
}

/// The knowledge of all seats after some choices, a list for each seat.
pub(super) fn learn_choices(
    next: &mut [SeatKnowledge],
    known: &[SeatKnowledge],
    choices: &[Choice],
) -> Vec<Vec<Knowledge>> {
    let mut columns = vec![Vec::with_capacity(choices.len()); known.len()];
    let seats: Vec<_> = next.iter_mut().zip(known).zip(&mut columns).collect();
    for_each_task(seats, |((next, known), column)| {
        column.extend(choices.iter().map(|choice| next.after_choice(known, choice)));
    });
    columns
}

/// The knowledge of all seats after some random events, a list for each seat; shorter if the watcher says so. `sight`
/// is what a seat sees after one of them.
pub(super) fn learn_draws<'a>(
    known: &mut [SeatKnowledge],
    draws: &[ChancePath],
    events: &Events,
    goes_on: &(dyn Fn(usize) -> bool + Sync),
    sight: &(dyn Fn(usize, Seat) -> u64 + Sync),
    fingerprints: &(dyn Fn(Seat) -> Box<Fingerprints<'a>> + Sync),
) -> Vec<Vec<Knowledge>> {
    let mut columns = vec![Vec::with_capacity(draws.len()); known.len()];
    for_each_task(known.iter_mut().zip(&mut columns), |(known, column)| {
        let (seat, mut view) = (known.seat, fingerprints(known.seat));
        for (place, draw) in draws.iter().enumerate().take_while(|&(place, _)| goes_on(place)) {
            column.push(match draw.is_observed {
                true => draw.knowledge[seat.index()],
                false => known.after_chance(draw, events.is_first(draw.event), sight(place, seat), &mut *view),
            });
        }
    });
    columns
}

/// The knowledge of all seats at one place of such lists.
pub(super) fn at(columns: &[Vec<Knowledge>], place: usize) -> Seats<Knowledge> {
    let mut all = [Knowledge(NONE); MAX_SEATS];
    all.iter_mut().zip(columns).for_each(|(known, column)| *known = column[place]);
    all
}
