//! The enumeration of a tree, layer by layer. A layer is all nodes with the same number of choices before them.
//!
//! The *knowledge* of a seat at a node is a number, equal at two nodes of a layer if and only if the seat's views there
//! are equal. It grows with what the seat observes. After a choice it follows from the knowledge before and what the
//! seat [observes](Game::observed) of the action; after a random event, from the knowledge before and what the seat
//! [sees](Game::sight). Different sequences of consecutive random events may leave a seat with the same view. Only then
//! views are compared, one for each knowledge.
//!
//! Every batch of nodes takes three steps: their children are made, each seat observes them (seats in parallel), and
//! they are appended to the tree.

use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::ops::ControlFlow;

use rustc_hash::FxHashMap;
use stier_core::failure::Foreign;
use stier_core::hash::hash_of;
use stier_core::key::{UNNOTICED, mix};
use stier_core::seats::MAX_SEATS;
use stier_core::{Action, ActionSet as _, Game, History, Seat, Turn};

use crate::agent::threads::{for_each_task, goes_on, map_all};

use super::assembly::Numbers;
use super::{BuildError, Children, GameTree, Level, NONE, Node, Packed, TooLarge, Tree};

/// Nodes whose children are made at a time. The watcher is asked between two batches.
const BATCH: usize = 1 << 12;
/// Outcomes of chance between two questions to the watcher.
const OUTCOMES_PER_POLL: usize = 1 << 10;
/// The fewest nodes that are worth a thread.
const NODES_PER_THREAD: usize = 1 << 10;

/// The number of a node in the tree.
#[derive(Clone, Copy, PartialEq, Eq)]
struct NodeId(u32);

/// The number of an information set in the tree, or `SetId(NONE)`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SetId(u32);

/// The number of a seat's view in a layer.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Knowledge(u32);

/// One value per seat.
type Seats<T> = [T; MAX_SEATS];

/// Nodes of a level at which play goes on.
struct Frontier<G: Game> {
    seats: usize,
    nodes: Vec<NodeId>,
    states: Vec<G::State>,
    /// One row per node, one column per seat.
    knowledge: Vec<Knowledge>,
}

impl<G: Game> Frontier<G> {
    fn new(seats: usize) -> Self {
        Self { seats, nodes: Vec::new(), states: Vec::new(), knowledge: Vec::new() }
    }

    /// The knowledge of every seat at a node.
    fn knowledge(&self, place: usize) -> Seats<Knowledge> {
        let mut all = [Knowledge(NONE); MAX_SEATS];
        all[..self.seats].copy_from_slice(&self.knowledge[place * self.seats..][..self.seats]);
        all
    }
}

/// All that one seat can know in one layer.
struct SeatKnowledge<G: Game> {
    seat: Seat,
    /// By knowledge: the place in a policy of the seat's last action, or [`NONE`].
    last_rows: Vec<u32>,
    /// By knowledge: the information set if the seat is to act.
    sets: Vec<SetId>,
    /// By knowledge, in games whose promises are checked: a number for the view, whatever the layer.
    views: Vec<u64>,
    /// The knowledge after an event, by the knowledge before it and what the seat observed.
    following: FxHashMap<(Knowledge, u64), Knowledge>,
    /// The knowledge after several random events, by the fingerprint of the view.
    by_view: FxHashMap<u128, Knowledge>,
    /// The chance node that was replayed last, and its history.
    replayed: Option<(NodeId, History<G>)>,
}

impl<G: Game> SeatKnowledge<G> {
    fn new(seat: Seat) -> Self {
        Self {
            seat,
            last_rows: Vec::new(),
            sets: Vec::new(),
            views: Vec::new(),
            following: FxHashMap::default(),
            by_view: FxHashMap::default(),
            replayed: None,
        }
    }

    /// Adds knowledge that is different from all others of the layer.
    fn add(&mut self, last_row: u32, view: u64) -> Knowledge {
        self.last_rows.push(last_row);
        self.sets.push(SetId(NONE));
        self.views.push(view);
        Knowledge(self.last_rows.len() as u32 - 1)
    }

    fn last_row(&self, knowledge: Knowledge) -> u32 {
        self.last_rows[knowledge.0 as usize]
    }

    /// Drops the lookup tables that are only needed while one kind of event is processed.
    fn finish_learning(&mut self) {
        (self.following, self.by_view, self.replayed) = (FxHashMap::default(), FxHashMap::default(), None);
    }

    /// Learns from an action; `earlier` is the seat's knowledge in the layer before. Where the game is over, nothing is
    /// learned.
    fn after_choice(&mut self, earlier: &Self, child: &Child<G::State>) -> Knowledge {
        if child.turn == Turn::Over {
            return Knowledge(NONE);
        }
        let before = child.before[self.seat.index()];
        let key = (before, child.observed[self.seat.index()]);
        if let Some(&after) = self.following.get(&key) {
            return after;
        }
        let last_row = if child.mover == self.seat { child.row } else { earlier.last_row(before) };
        let view = earlier.views[before.0 as usize];
        let after = self.add(last_row, if key.1 == UNNOTICED { view } else { mix(view, key.1) });
        self.following.insert(key, after);
        after
    }

    /// Learns from the last of some random events, unless it has been observed.
    fn after_chance(
        &mut self,
        tree: &GameTree<G>,
        starts: &[u32],
        draw: &Draw<G::State>,
        events: &Events,
    ) -> Knowledge {
        let before = draw.knowledge[self.seat.index()];
        if draw.is_observed {
            return before;
        }
        let key = (before, tree.game.sight(&draw.state, self.seat));
        if let Some(&after) = self.following.get(&key) {
            return after;
        }
        let (last_row, earlier) = (self.last_row(before), self.views[before.0 as usize]);
        let number = if draw.is_unnoticed[self.seat.index()] { earlier } else { mix(earlier, key.1) };
        let after = if events.is_first(draw.event) {
            self.add(last_row, number)
        } else {
            let view = self.view(tree, starts, draw, events);
            let known = self.by_view.get(&view).copied();
            known.unwrap_or_else(|| {
                let added = self.add(last_row, number);
                self.by_view.insert(view, added);
                added
            })
        };
        self.following.insert(key, after);
        after
    }

    /// The fingerprint of the seat's view after some random events.
    fn view(&mut self, tree: &GameTree<G>, starts: &[u32], draw: &Draw<G::State>, events: &Events) -> u128 {
        let replayed = match self.replayed.take() {
            Some(replayed) if replayed.0 == draw.owner => replayed,
            _ => (draw.owner, tree.history_in(starts, draw.owner.0)),
        };
        let mut history = replayed.1.clone();
        self.replayed = Some(replayed);
        events.until(draw.event).iter().for_each(|&event| history.push(&tree.game, event));
        fingerprint(&tree.game.view(&history, self.seat))
    }
}

/// The nodes of a layer that follow a choice, and the knowledge of every seat in the layer.
struct Layer<G: Game> {
    frontier: Frontier<G>,
    known: Vec<SeatKnowledge<G>>,
}

impl<G: Game> Layer<G> {
    fn new(seats: usize) -> Self {
        Self { frontier: Frontier::new(seats), known: Seat::all(seats).map(SeatKnowledge::new).collect() }
    }
}

/// A node that follows a choice.
struct Child<S> {
    /// The player who chose.
    mover: Seat,
    /// The place of the choice in a policy.
    row: u32,
    /// The knowledge before the choice.
    before: Seats<Knowledge>,
    observed: Seats<u64>,
    state: S,
    turn: Turn,
}

/// A result of the random events after a node, as far as they have happened.
#[derive(Clone, Copy)]
struct Draw<S> {
    /// The chance node.
    owner: NodeId,
    state: S,
    probability: f64,
    /// The last event, by its place among the [`Events`].
    event: u32,
    /// The knowledge of each seat: that from before the last event, until all seats have observed it.
    knowledge: Seats<Knowledge>,
    is_observed: bool,
    /// True for seats that did not notice the last event, in games whose promises are checked.
    is_unnoticed: Seats<bool>,
}

/// Random events, each with the place of the one before it, or [`NONE`].
#[derive(Default)]
struct Events(Vec<(u32, Action)>);

impl Events {
    fn push(&mut self, before: u32, action: Action) -> u32 {
        self.0.push((before, action));
        self.0.len() as u32 - 1
    }

    fn is_first(&self, event: u32) -> bool {
        self.0[event as usize].0 == NONE
    }

    /// The events up to one of them, the first at the front.
    fn until(&self, last: u32) -> Vec<Action> {
        let before = |&at: &u32| (!self.is_first(at)).then(|| self.0[at as usize].0);
        let backwards = std::iter::successors(Some(last), before);
        let mut events: Vec<Action> = backwards.map(|at| self.0[at as usize].1).collect();
        events.reverse();
        events
    }
}

/// A tree being enumerated.
pub(super) struct Growth<'a, G: Game> {
    grown: GameTree<G>,
    seats: usize,
    most: usize,
    watch: &'a (dyn Fn(usize) -> ControlFlow<()> + Sync),
    starts: Vec<u32>,
    numbers: Numbers,
    /// The information sets by the numbers of their views, in games whose promises are checked.
    views: FxHashMap<(Seat, u64), u32>,
}

impl<'a, G: Game> Growth<'a, G> {
    pub(super) fn new(game: &G, most: usize, watch: &'a (dyn Fn(usize) -> ControlFlow<()> + Sync)) -> Self {
        Self {
            grown: GameTree { game: game.clone(), tree: Tree::empty(game) },
            seats: game.num_seats(),
            most,
            watch,
            starts: vec![0],
            numbers: Numbers::default(),
            views: FxHashMap::default(),
        }
    }

    pub(super) fn grow(mut self) -> Result<GameTree<G>, BuildError> {
        let mut layer = Layer::new(self.seats);
        let root = self.grown.game.root();
        let knowledge: Vec<Knowledge> = layer.known.iter_mut().map(|known| known.add(NONE, 0)).collect();
        self.append(root, self.grown.game.turn(&root), knowledge, &mut layer.frontier)?;
        let mut start = 0;
        while start < self.grown.tree.nodes.len() {
            (layer, start) = self.grow_layer(layer, start)?;
        }
        Ok(self.finish())
    }

    /// Fills in the nodes of a layer, which begins at the node `start`. Returns the next layer and where it begins.
    fn grow_layer(&mut self, layer: Layer<G>, start: usize) -> Result<(Layer<G>, usize), BuildError> {
        let Layer { frontier, mut known } = layer;
        let drawn_start = self.grown.tree.nodes.len();
        let drawn = self.draw(&frontier, &mut known)?;
        let end = self.grown.tree.nodes.len();
        let mut next = Layer::new(self.seats);
        self.choose(&frontier, &mut known, &mut next)?;
        let after_drawn = self.grown.tree.nodes.len();
        drop(frontier);
        self.choose(&drawn, &mut known, &mut next)?;
        let last = self.grown.tree.nodes.len();

        let children =
            |decisions: usize, chance: usize| Children { decisions: decisions as u32, chance: chance as u32 };
        let after_choice = Level {
            start: start as u32,
            end: drawn_start as u32,
            first: children(end, drawn_start),
            last: children(after_drawn, end),
        };
        let after_chance = Level {
            start: drawn_start as u32,
            end: end as u32,
            first: children(after_drawn, end),
            last: children(last, end),
        };
        self.grown.tree.levels.push([after_choice, after_chance]);
        self.grown.tree.layers.push(self.grown.tree.movers.len() as u32);
        self.grown.tree.mark(&self.starts);
        next.known.iter_mut().for_each(SeatKnowledge::finish_learning);
        Ok((next, end))
    }

    /// Asks the watcher whether to go on.
    fn poll(&self) -> Result<(), BuildError> {
        Ok(goes_on((self.watch)(self.grown.tree.nodes.len()))?)
    }

    /// Asks the watcher now and then in a loop over outcomes of chance.
    fn poll_at(&self, place: usize) -> Result<(), BuildError> {
        if place.is_multiple_of(OUTCOMES_PER_POLL) { self.poll() } else { Ok(()) }
    }

    /// Appends a node to the tree, and to the frontier if play goes on.
    fn append(
        &mut self,
        state: G::State,
        turn: Turn,
        knowledge: impl IntoIterator<Item = Knowledge>,
        frontier: &mut Frontier<G>,
    ) -> Result<(), BuildError> {
        let number = self.grown.tree.nodes.len();
        if number >= self.most {
            return Err(TooLarge::Counted { most: self.most }.into());
        }
        let mut returns = 0;
        if turn == Turn::Over {
            returns = self.numbers.of_returns(&mut self.grown.tree, &self.grown.game.returns(&state));
        } else {
            frontier.nodes.push(NodeId(number as u32));
            frontier.states.push(state);
            frontier.knowledge.extend(knowledge);
        }
        self.grown.tree.nodes.push(Packed::new(Node::End { returns }));
        Ok(())
    }

    /// Adds the information sets of a frontier's decisions and all nodes that follow their actions.
    fn choose(
        &mut self,
        from: &Frontier<G>,
        known: &mut [SeatKnowledge<G>],
        next: &mut Layer<G>,
    ) -> Result<(), BuildError> {
        let is_decision = |&place: &usize| self.grown.game.turn(&from.states[place]).seat().is_some();
        let places: Vec<usize> = (0..from.nodes.len()).filter(is_decision).collect();
        for batch in places.chunks(BATCH) {
            self.poll()?;
            self.fill_in_decisions(from, batch, known);
            let parts: Vec<&[usize]> = batch.chunks(NODES_PER_THREAD).collect();
            let children_of =
                |part: &[usize]| part.iter().flat_map(|&place| self.children(from, place)).collect::<Vec<_>>();
            let children = map_all(parts.len(), |part| children_of(parts[part]));
            let children: Vec<Child<G::State>> = children.into_iter().flatten().collect();
            let mut columns = vec![Vec::with_capacity(children.len()); self.seats];
            let seats: Vec<_> = next.known.iter_mut().zip(&*known).zip(&mut columns).collect();
            for_each_task(seats, |((next, known), column)| {
                column.extend(children.iter().map(|child| next.after_choice(known, child)));
            });
            for (place, child) in children.iter().enumerate() {
                let knowledge = columns.iter().map(|column| column[place]);
                self.append(child.state, child.turn, knowledge, &mut next.frontier)?;
            }
        }
        Ok(())
    }

    /// Fills in some decisions, and their information sets where they are new.
    fn fill_in_decisions(&mut self, from: &Frontier<G>, batch: &[usize], known: &mut [SeatKnowledge<G>]) {
        let GameTree { game, tree } = &mut self.grown;
        let mut first = tree.nodes.len() as u32;
        for &place in batch {
            let state = &from.states[place];
            let mover = game.turn(state).seat().expect("a player is to act");
            let legal = game.legal(state);
            let known = &mut known[mover.index()];
            let knowledge = from.knowledge(place)[mover.index()];
            let last_row = known.last_row(knowledge);
            let set = &mut known.sets[knowledge.0 as usize];
            if *set == SetId(NONE) {
                *set = SetId(tree.movers.len() as u32);
                tree.movers.push(mover);
                tree.actions.extend(legal.iter());
                tree.previous.push(last_row);
                self.starts.push(self.starts[self.starts.len() - 1] + legal.len() as u32);
            }
            let SetId(set) = *set;
            debug_assert_eq!(tree.movers[set as usize], mover, "the mover knows its turn");
            let row = self.starts[set as usize] as usize..self.starts[set as usize + 1] as usize;
            let knows_its_options = legal.iter().eq(tree.actions[row].iter().copied());
            if let Some(game) = game.foreign() {
                let known = *self.views.entry((mover, known.views[knowledge.0 as usize])).or_insert(set);
                check(game, mover, knows_its_options, known == set);
            }
            debug_assert!(knows_its_options, "the mover knows its options");
            tree.nodes[from.nodes[place].0 as usize] = Packed::new(Node::Decision { set, first });
            first += legal.len() as u32;
        }
    }

    /// The nodes that follow a decision.
    fn children<'b>(&'b self, from: &'b Frontier<G>, place: usize) -> impl Iterator<Item = Child<G::State>> + 'b {
        let game = &self.grown.game;
        let Node::Decision { set, .. } = self.grown.tree.node(from.nodes[place].0) else {
            unreachable!("it is a decision")
        };
        let mover = self.grown.tree.mover(set);
        let (state, before) = (&from.states[place], from.knowledge(place));
        let row = self.starts[set as usize] as usize..self.starts[set as usize + 1] as usize;
        let actions = &self.grown.tree.actions[row];
        (self.starts[set as usize]..).zip(actions).map(move |(row, &action)| {
            let mut observed = [0; MAX_SEATS];
            Seat::all(self.seats).for_each(|seat| observed[seat.index()] = game.observed(state, action, seat));
            let mut state = *state;
            game.apply(&mut state, action);
            Child { mover, row, before, observed, state, turn: game.turn(&state) }
        })
    }

    /// Adds the nodes that follow a frontier's random events, up to the next decision or the end of the game.
    fn draw(&mut self, from: &Frontier<G>, known: &mut [SeatKnowledge<G>]) -> Result<Frontier<G>, BuildError> {
        let is_chance = |&place: &usize| self.grown.game.turn(&from.states[place]) == Turn::Chance;
        let places: Vec<usize> = (0..from.nodes.len()).filter(is_chance).collect();
        let mut drawn = Frontier::new(self.seats);
        for batch in places.chunks(BATCH) {
            let start = |&place: &usize| Draw {
                owner: from.nodes[place],
                state: from.states[place],
                probability: 1.0,
                event: NONE,
                knowledge: from.knowledge(place),
                is_observed: true,
                is_unnoticed: [false; MAX_SEATS],
            };
            let mut events = Events::default();
            let draws = self.settled(batch.iter().map(start).collect(), known, &mut events)?;
            for draws in draws.chunk_by(|one, other| one.owner == other.owner) {
                let outcomes = self.outcome_list(draws, &events)?;
                let first = self.grown.tree.nodes.len() as u32;
                self.grown.tree.nodes[draws[0].owner.0 as usize] = Packed::new(Node::Chance { first, outcomes });
                for draw in draws {
                    let knowledge = draw.knowledge.into_iter().take(self.seats);
                    self.append(draw.state, self.grown.game.turn(&draw.state), knowledge, &mut drawn)?;
                }
            }
        }
        known.iter_mut().for_each(SeatKnowledge::finish_learning);
        Ok(drawn)
    }

    /// Lets random events happen until none follows. Returns the results, node by node.
    fn settled(
        &self,
        mut draws: Vec<Draw<G::State>>,
        known: &mut [SeatKnowledge<G>],
        events: &mut Events,
    ) -> Result<Vec<Draw<G::State>>, BuildError> {
        loop {
            self.poll()?;
            if draws.len() > self.most {
                return Err(TooLarge::Counted { most: self.most }.into());
            }
            if !draws.iter().any(|draw| self.grown.game.turn(&draw.state) == Turn::Chance) {
                return Ok(draws);
            }
            let longer = self.after_next_event(&draws, events)?;
            let mut columns: Vec<Result<Vec<Knowledge>, BuildError>> = vec![Ok(Vec::new()); self.seats];
            for_each_task(known.iter_mut().zip(&mut columns), |(known, column)| {
                let learn = |(place, draw): (usize, &Draw<G::State>)| {
                    self.poll_at(place)?;
                    Ok(known.after_chance(&self.grown, &self.starts, draw, events))
                };
                *column = longer.iter().enumerate().map(learn).collect();
            });
            draws = self.merged(longer, &columns.into_iter().collect::<Result<Vec<_>, _>>()?)?;
        }
    }

    /// The results after one random event more, where one follows.
    fn after_next_event(
        &self,
        draws: &[Draw<G::State>],
        events: &mut Events,
    ) -> Result<Vec<Draw<G::State>>, BuildError> {
        let game = &self.grown.game;
        let mut longer = Vec::with_capacity(4 * draws.len());
        for (place, &draw) in draws.iter().enumerate() {
            self.poll_at(place)?;
            if game.turn(&draw.state) != Turn::Chance {
                longer.push(draw);
                continue;
            }
            for outcome in game.chance(&draw.state) {
                let mut state = draw.state;
                game.apply(&mut state, outcome.action);
                let probability = draw.probability * outcome.probability;
                let event = events.push(draw.event, outcome.action);
                let mut is_unnoticed = [false; MAX_SEATS];
                if game.foreign().is_some() {
                    for seat in Seat::all(self.seats) {
                        let observed = game.observed(&draw.state, outcome.action, seat);
                        is_unnoticed[seat.index()] = observed == UNNOTICED;
                    }
                }
                longer.push(Draw { state, probability, event, is_observed: false, is_unnoticed, ..draw });
            }
        }
        Ok(longer)
    }

    /// The number of a list of outcomes.
    fn outcome_list(&mut self, draws: &[Draw<G::State>], events: &Events) -> Result<u32, BuildError> {
        let run = |(place, draw): (usize, &Draw<G::State>)| self.poll_at(place).map(|()| events.until(draw.event));
        let runs: Vec<Vec<Action>> = draws.iter().enumerate().map(run).collect::<Result<_, _>>()?;
        let outcomes: Vec<(f64, Vec<Action>)> = draws.iter().map(|draw| draw.probability).zip(runs).collect();
        Ok(self.numbers.of_outcomes(&mut self.grown.tree, &outcomes))
    }

    /// Results of the same node with the same state and the same knowledge become one, with the sum of their
    /// probabilities. `columns` is the knowledge by seat and result.
    fn merged(
        &self,
        draws: Vec<Draw<G::State>>,
        columns: &[Vec<Knowledge>],
    ) -> Result<Vec<Draw<G::State>>, BuildError> {
        let mut merged: Vec<Draw<G::State>> = Vec::with_capacity(draws.len());
        let mut places: FxHashMap<(G::State, Seats<Knowledge>), usize> = FxHashMap::default();
        for (place, mut draw) in draws.into_iter().enumerate() {
            self.poll_at(place)?;
            if merged.last().is_some_and(|last| last.owner != draw.owner) {
                places.clear();
            }
            draw.knowledge.iter_mut().zip(columns).for_each(|(known, column)| *known = column[place]);
            draw.is_observed = true;
            match places.entry((draw.state, draw.knowledge)) {
                Entry::Occupied(same) => merged[*same.get()].probability += draw.probability,
                Entry::Vacant(entry) => {
                    entry.insert(merged.len());
                    merged.push(draw);
                }
            }
        }
        Ok(merged)
    }

    fn finish(self) -> GameTree<G> {
        let Self { grown: GameTree { game, tree }, starts, .. } = self;
        GameTree { game, tree: tree.finished(starts) }
    }
}

/// Fails if a game whose rules run somewhere else breaks a promise at an information set.
fn check(game: &dyn Foreign, mover: Seat, knows_its_options: bool, is_the_only_one: bool) {
    if !knows_its_options {
        game.contradiction(&format!(
            "legal_actions differ in two histories that player {mover} cannot tell apart; stier.check_game shows them"
        ));
    }
    if !is_the_only_one {
        game.contradiction(&format!(
            "player {mover} does not notice some actions of others or of chance, so that histories in which they come at other \
             times look alike: such a game cannot be enumerated, and must say hidden_moves = True"
        ));
    }
}

/// A 128-bit hash of a view: among a hundred million views, the odds of two equal hashes are 1 in 10^22.
fn fingerprint(view: &impl Hash) -> u128 {
    let half = |salt: u8| u128::from(hash_of(&(salt, view)));
    half(0) << 64 | half(1)
}
