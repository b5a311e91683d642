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

use rustc_hash::FxHashMap;
use stier_core::hash::hash_of;
use stier_core::key::UNNOTICED;
use stier_core::seats::MAX_SEATS;
use stier_core::{Action, ActionSet as _, Game, History, Seat, Turn};

use crate::agent::threads::{Halted, WatchOf, goes_on, map_all};

use super::assembly::TreeBuilder;
use super::knowledge::{
    ChancePath, ChancePaths, Choice, Events, Fingerprints, Knowledge, NodeId, SeatKnowledge, Seats, SetId, at,
    learn_choices, learn_draws,
};
use super::{BuildError, GameTree, NONE, Node, TooLarge};

/// Nodes whose children are made at a time. The watcher is asked between two batches.
const BATCH: usize = 1 << 12;
/// Outcomes of chance between two questions to the watcher.
const OUTCOMES_PER_POLL: usize = 1 << 10;
/// The fewest nodes that are worth a thread.
const NODES_PER_THREAD: usize = 1 << 10;

/// Nodes of a level at which play goes on.
struct Frontier<S> {
    seats: usize,
    nodes: Vec<NodeId>,
    states: Vec<S>,
    /// One row per node, one column per seat.
    knowledge: Vec<Knowledge>,
}

impl<S> Frontier<S> {
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

/// The nodes of a layer that follow a choice, and the knowledge of every seat in the layer.
struct Layer<S> {
    frontier: Frontier<S>,
    known: Vec<SeatKnowledge>,
}

impl<S> Layer<S> {
    fn new(seats: usize) -> Self {
        Self { frontier: Frontier::new(seats), known: Seat::all(seats).map(SeatKnowledge::new).collect() }
    }
}

/// A tree being enumerated, apart from the game.
struct Grown<'a> {
    builder: TreeBuilder,
    seats: usize,
    most: usize,
    watch: WatchOf<'a, usize>,
    /// The information sets by the numbers of their views, in games whose promises are checked.
    views: FxHashMap<(Seat, u64), u32>,
}

impl Grown<'_> {
    /// Asks the watcher whether to go on.
    fn poll(&self) -> Result<(), BuildError> {
        Ok(goes_on((self.watch)(self.builder.len()))?)
    }

    /// Asks the watcher now and then in a loop over outcomes of chance.
    fn poll_at(&self, place: usize) -> Result<(), BuildError> {
        if place.is_multiple_of(OUTCOMES_PER_POLL) { self.poll() } else { Ok(()) }
    }

    /// Refuses more nodes than are allowed.
    fn check_size(&self, nodes: usize) -> Result<(), BuildError> {
        if nodes > self.most { Err(TooLarge::Counted { most: self.most }.into()) } else { Ok(()) }
    }

    /// Fills in a decision whose children begin at `first`, and its information set if that is new. Fails if a game
    /// whose promises are checked breaks one there.
    fn fill_in_decision(
        &mut self,
        node: NodeId,
        first: u32,
        knowledge: Knowledge,
        known: &mut SeatKnowledge,
        legal: &[Action],
    ) -> Result<(), BuildError> {
        let (mover, place) = (known.seat, knowledge.0 as usize);
        if known.sets[place] == SetId(NONE) {
            known.sets[place] = SetId(self.builder.add_set(mover, legal, known.last_rows[place]));
        }
        let SetId(set) = known.sets[place];
        debug_assert_eq!(self.builder.tree.movers[set as usize], mover, "the mover knows its turn");
        let knows_its_options = legal == self.builder.actions(set);
        if let Some(view) = known.view(knowledge) {
            let (game, seat) = (self.builder.tree.game_name, mover);
            if !knows_its_options {
                return Err(BuildError::OtherActions { game, seat });
            }
            if *self.views.entry((mover, view)).or_insert(set) != set {
                return Err(BuildError::UnnoticedMoves { game, seat });
            }
        }
        debug_assert!(knows_its_options, "the mover knows its options");
        self.builder.set(node.0 as usize, Node::Decision { set, first });
        Ok(())
    }

    /// Fills in a chance node whose children will follow.
    fn fill_in_chance(&mut self, draws: &[ChancePath], events: &Events) -> Result<(), BuildError> {
        let mut list = Vec::with_capacity(draws.len());
        for (place, draw) in draws.iter().enumerate() {
            self.poll_at(place)?;
            list.push((draw.probability, events.until(draw.event)));
        }
        let (first, outcomes) = (self.builder.len() as u32, self.builder.outcomes(&list));
        self.builder.set(draws[0].owner.0 as usize, Node::Chance { first, outcomes });
        Ok(())
    }
}

/// A tree of a game being enumerated.
pub(super) struct Growth<'a, G: Game> {
    game: &'a G,
    grown: Grown<'a>,
}

impl<'a, G: Game> Growth<'a, G> {
    pub(super) fn new(game: &'a G, most: usize, watch: WatchOf<'a, usize>) -> Self {
        let (builder, views) = (TreeBuilder::new(game), FxHashMap::default());
        Self { game, grown: Grown { builder, seats: game.num_seats(), most, watch, views } }
    }

    pub(super) fn grow(mut self) -> Result<GameTree<G>, BuildError> {
        let mut layer = Layer::new(self.grown.seats);
        for known in &mut layer.known {
            known.add(NONE, self.game.foreign().map(|_| 0));
        }
        let root = self.game.root();
        self.append(root, self.game.turn(&root), [Knowledge(0); MAX_SEATS], &mut layer.frontier)?;
        let mut start = 0;
        while start < self.grown.builder.len() {
            (layer, start) = self.grow_layer(layer, start)?;
        }
        Ok(GameTree { game: self.game.clone(), tree: self.grown.builder.finished() })
    }

    /// Fills in the nodes of a layer, which begins at the node `start`. Returns the next layer and where it begins.
    fn grow_layer(&mut self, layer: Layer<G::State>, start: usize) -> Result<(Layer<G::State>, usize), BuildError> {
        let Layer { frontier, mut known } = layer;
        let drawn_start = self.grown.builder.len();
        let drawn = self.draw(&frontier, &mut known)?;
        let end = self.grown.builder.len();
        let mut next = Layer::new(self.grown.seats);
        self.choose(&frontier, &mut known, &mut next)?;
        let after_drawn = self.grown.builder.len();
        drop(frontier);
        self.choose(&drawn, &mut known, &mut next)?;
        self.grown.builder.finish_layer(start, drawn_start, end, after_drawn);
        next.known.iter_mut().for_each(SeatKnowledge::finish_learning);
        Ok((next, end))
    }

    /// The places of nodes in a frontier at which such a turn comes.
    fn places(&self, from: &Frontier<G::State>, is_wanted: fn(Turn) -> bool) -> Vec<usize> {
        (0..from.nodes.len()).filter(|&place| is_wanted(self.game.turn(&from.states[place]))).collect()
    }

    /// Appends a node to the tree, and to the frontier if play goes on.
    fn append(
        &mut self,
        state: G::State,
        turn: Turn,
        knowledge: Seats<Knowledge>,
        frontier: &mut Frontier<G::State>,
    ) -> Result<(), BuildError> {
        let number = self.grown.builder.len();
        self.grown.check_size(number + 1)?;
        let mut returns = 0;
        if turn == Turn::Over {
            returns = self.grown.builder.returns(&self.game.returns(&state));
        } else {
            frontier.nodes.push(NodeId(number as u32));
            frontier.states.push(state);
            frontier.knowledge.extend_from_slice(&knowledge[..frontier.seats]);
        }
        self.grown.builder.push(returns);
        Ok(())
    }

    /// Adds the information sets of a frontier's decisions and all nodes that follow their actions.
    fn choose(
        &mut self,
        from: &Frontier<G::State>,
        known: &mut [SeatKnowledge],
        next: &mut Layer<G::State>,
    ) -> Result<(), BuildError> {
        for batch in self.places(from, |turn| turn.seat().is_some()).chunks(BATCH) {
            self.grown.poll()?;
            self.fill_in_decisions(from, batch, known)?;
            let parts: Vec<&[usize]> = batch.chunks(NODES_PER_THREAD).collect();
            let children = map_all(parts.len(), |part| self.children(from, parts[part]));
            let (states, choices): (Vec<_>, Vec<_>) = children.into_iter().unzip();
            let columns = learn_choices(&mut next.known, known, &choices.concat());
            for (place, (state, turn)) in states.into_iter().flatten().enumerate() {
                self.append(state, turn, at(&columns, place), &mut next.frontier)?;
            }
        }
        Ok(())
    }

    /// Fills in some decisions, and their information sets where they are new.
    fn fill_in_decisions(
        &mut self,
        from: &Frontier<G::State>,
        batch: &[usize],
        known: &mut [SeatKnowledge],
    ) -> Result<(), BuildError> {
        let (mut first, mut legal) = (self.grown.builder.len() as u32, Vec::new());
        for &place in batch {
            let state = &from.states[place];
            let mover = self.game.turn(state).seat().expect("a player is to act").index();
            legal.clear();
            legal.extend(self.game.legal(state).iter());
            let (knowledge, known) = (from.knowledge(place)[mover], &mut known[mover]);
            self.grown.fill_in_decision(from.nodes[place], first, knowledge, known, &legal)?;
            first += legal.len() as u32;
        }
        Ok(())
    }

    /// The states that follow some decisions, each with the turn in it, and the choices that lead to them.
    fn children(&self, from: &Frontier<G::State>, batch: &[usize]) -> (Vec<(G::State, Turn)>, Vec<Choice>) {
        let (mut states, mut choices) = (Vec::new(), Vec::new());
        let Grown { builder, seats, .. } = &self.grown;
        for &place in batch {
            let Node::Decision { set, .. } = builder.tree.node(from.nodes[place].0) else {
                unreachable!("it is a decision")
            };
            let (mover, before, state) = (builder.tree.mover(set), from.knowledge(place), &from.states[place]);
            for (row, &action) in builder.row(set).zip(builder.actions(set)) {
                let mut observed = [0; MAX_SEATS];
                Seat::all(*seats).for_each(|seat| observed[seat.index()] = self.game.observed(state, action, seat));
                let mut after = *state;
                self.game.apply(&mut after, action);
                let turn = self.game.turn(&after);
                states.push((after, turn));
                choices.push(Choice { mover, row, before, observed, is_last: turn == Turn::Over });
            }
        }
        (states, choices)
    }

    /// Adds the nodes that follow a frontier's random events, up to the next decision or the end of the game.
    fn draw(
        &mut self,
        from: &Frontier<G::State>,
        known: &mut [SeatKnowledge],
    ) -> Result<Frontier<G::State>, BuildError> {
        let mut drawn = Frontier::new(self.grown.seats);
        for batch in self.places(from, |turn| turn == Turn::Chance).chunks(BATCH) {
            let start = |&place: &usize| ChancePath {
                owner: from.nodes[place],
                probability: 1.0,
                event: NONE,
                knowledge: from.knowledge(place),
                is_observed: true,
                is_unnoticed: [false; MAX_SEATS],
            };
            let mut events = Events::default();
            let begun = (batch.iter().map(|&place| from.states[place]).collect(), batch.iter().map(start).collect());
            let (states, draws) = self.expand_chance(begun, known, &mut events)?;
            let mut states = states.into_iter();
            for draws in draws.chunk_by(|one, other| one.owner == other.owner) {
                self.grown.fill_in_chance(draws, &events)?;
                for (draw, state) in draws.iter().zip(&mut states) {
                    self.append(state, self.game.turn(&state), draw.knowledge, &mut drawn)?;
                }
            }
        }
        known.iter_mut().for_each(SeatKnowledge::finish_learning);
        Ok(drawn)
    }

    /// Lets random events happen until none follows. Returns the results, node by node.
    fn expand_chance(
        &self,
        (mut states, mut draws): ChancePaths<G::State>,
        known: &mut [SeatKnowledge],
        events: &mut Events,
    ) -> Result<ChancePaths<G::State>, BuildError> {
        loop {
            self.grown.poll()?;
            self.grown.check_size(draws.len())?;
            if !states.iter().any(|state| self.game.turn(state) == Turn::Chance) {
                return Ok((states, draws));
            }
            (states, draws) = self.after_next_event(&states, &draws, events)?;
            let goes_on = |place| self.grown.poll_at(place).is_ok();
            let sight = |place: usize, seat| self.game.sight(&states[place], seat);
            let fingerprints = |seat| self.fingerprints(seat, events);
            let columns = learn_draws(known, &draws, events, &goes_on, &sight, &fingerprints);
            if columns.iter().any(|column| column.len() < draws.len()) {
                return Err(Halted::Interrupted.into());
            }
            (states, draws) = self.merge_equal(states, draws, &columns)?;
        }
    }

    /// The results after one random event more, where one follows.
    fn after_next_event(
        &self,
        states: &[G::State],
        draws: &[ChancePath],
        events: &mut Events,
    ) -> Result<ChancePaths<G::State>, BuildError> {
        let (game, most) = (self.game, 4 * draws.len());
        let (mut longer_states, mut longer) = (Vec::with_capacity(most), Vec::with_capacity(most));
        for (place, (&state, &draw)) in states.iter().zip(draws).enumerate() {
            self.grown.poll_at(place)?;
            if game.turn(&state) != Turn::Chance {
                longer_states.push(state);
                longer.push(draw);
                continue;
            }
            for outcome in game.chance(&state) {
                let mut after = state;
                game.apply(&mut after, outcome.action);
                let probability = draw.probability * outcome.probability;
                let event = events.push(draw.event, outcome.action);
                let mut is_unnoticed = [false; MAX_SEATS];
                if game.foreign().is_some() {
                    for seat in Seat::all(self.grown.seats) {
                        is_unnoticed[seat.index()] = game.observed(&state, outcome.action, seat) == UNNOTICED;
                    }
                }
                longer_states.push(after);
                longer.push(ChancePath { probability, event, is_observed: false, is_unnoticed, ..draw });
            }
        }
        Ok((longer_states, longer))
    }

    /// Finds fingerprints of a seat's views after random events.
    fn fingerprints<'b>(&'b self, seat: Seat, events: &'b Events) -> Box<Fingerprints<'b>> {
        let mut replayed: Option<(NodeId, History<G>)> = None;
        Box::new(move |draw| {
            let (_, history) = match replayed.take() {
                Some(replayed) if replayed.0 == draw.owner => replayed,
                _ => (draw.owner, History::of(self.game, self.grown.builder.events_to(draw.owner.0))),
            };
            let mut after = history.clone();
            replayed = Some((draw.owner, history));
            events.until(draw.event).into_iter().for_each(|event| after.push(self.game, event));
            fingerprint(&self.game.view(&after, seat))
        })
    }

    /// Results of the same node with the same state and the same knowledge become one, with the sum of their
    /// probabilities. `columns` is the knowledge by seat and result.
    fn merge_equal(
        &self,
        states: Vec<G::State>,
        draws: Vec<ChancePath>,
        columns: &[Vec<Knowledge>],
    ) -> Result<ChancePaths<G::State>, BuildError> {
        let (mut merged_states, mut merged) =
            (Vec::with_capacity(draws.len()), Vec::<ChancePath>::with_capacity(draws.len()));
        let mut places: FxHashMap<(G::State, Seats<Knowledge>), usize> = FxHashMap::default();
        for (place, (state, mut draw)) in states.into_iter().zip(draws).enumerate() {
            self.grown.poll_at(place)?;
            if merged.last().is_some_and(|last| last.owner != draw.owner) {
                places.clear();
            }
            (draw.knowledge, draw.is_observed) = (at(columns, place), true);
            match places.entry((state, draw.knowledge)) {
                Entry::Occupied(same) => merged[*same.get()].probability += draw.probability,
                Entry::Vacant(entry) => {
                    entry.insert(merged.len());
                    merged_states.push(state);
                    merged.push(draw);
                }
            }
        }
        Ok((merged_states, merged))
    }
}

/// A 128-bit hash of a view: among a hundred million views, the odds of two equal hashes are 1 in 10^22.
fn fingerprint(view: &impl Hash) -> u128 {
    let half = |salt: u8| u128::from(hash_of(&(salt, view)));
    half(0) << 64 | half(1)
}
