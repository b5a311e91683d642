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

use rustc_hash::FxHashMap;
use stier_core::key::UNNOTICED;
use stier_core::seats::MAX_SEATS;
use stier_core::{Action, Seat, Turn};

use crate::agent::threads::{Halted, WatchOf, goes_on, map_all};

use super::assembly::TreeBuilder;
use super::knowledge::{
    ChancePath, Choice, Events, Knowledge, NodeId, SeatKnowledge, Seats, SetId, at, learn_choices, learn_draws,
};
use super::states::States;
use super::{BuildError, NONE, Node, TooLarge, Tree};

/// Nodes whose children are made at a time. The watcher is asked between two batches.
const BATCH: usize = 1 << 12;
/// Outcomes of chance between two questions to the watcher.
const OUTCOMES_PER_POLL: usize = 1 << 10;
/// The fewest nodes that are worth a thread.
const NODES_PER_THREAD: usize = 1 << 10;

/// Nodes of a level at which play goes on.
struct Frontier {
    seats: usize,
    nodes: Vec<NodeId>,
    turns: Vec<Turn>,
    states: Box<dyn States>,
    /// One row per node, one column per seat.
    knowledge: Vec<Knowledge>,
}

impl Frontier {
    /// Without nodes; `states` is any list of the game.
    fn new(seats: usize, states: &dyn States) -> Self {
        Self { seats, nodes: Vec::new(), turns: Vec::new(), states: states.empty(), knowledge: Vec::new() }
    }

    /// The knowledge of every seat at a node.
    fn knowledge(&self, place: usize) -> Seats<Knowledge> {
        let mut all = [Knowledge(NONE); MAX_SEATS];
        all[..self.seats].copy_from_slice(&self.knowledge[place * self.seats..][..self.seats]);
        all
    }

    /// The places of nodes at which such a turn comes.
    fn places(&self, is_wanted: fn(Turn) -> bool) -> Vec<usize> {
        (0..self.nodes.len()).filter(|&place| is_wanted(self.turns[place])).collect()
    }
}

/// The nodes of a layer that follow a choice, and the knowledge of every seat in the layer.
struct Layer {
    frontier: Frontier,
    known: Vec<SeatKnowledge>,
}

impl Layer {
    fn new(seats: usize, states: &dyn States) -> Self {
        let known = Seat::all(seats).map(SeatKnowledge::new).collect();
        Self { frontier: Frontier::new(seats, states), known }
    }
}

/// Results of the random events after some nodes, node by node: the states, and how they came about.
type ChancePaths = (Box<dyn States>, Vec<ChancePath>);

/// A tree being enumerated.
pub(super) struct Growth<'a> {
    builder: TreeBuilder,
    seats: usize,
    /// True for games whose promises are checked.
    is_checked: bool,
    most: usize,
    watch: WatchOf<'a, usize>,
    /// The information sets by the numbers of their views, in games whose promises are checked.
    views: FxHashMap<(Seat, u64), u32>,
}

impl<'a> Growth<'a> {
    /// A tree that begins with `builder`, of at most so many nodes.
    pub(super) fn new(builder: TreeBuilder, is_checked: bool, most: usize, watch: WatchOf<'a, usize>) -> Self {
        let seats = builder.tree.seats;
        Self { builder, seats, is_checked, most, watch, views: FxHashMap::default() }
    }

    /// Grows the tree from the state before the first event.
    pub(super) fn grow(mut self, root: Box<dyn States>) -> Result<Tree, BuildError> {
        let mut layer = Layer::new(self.seats, &*root);
        for known in &mut layer.known {
            known.add(NONE, self.is_checked.then_some(0));
        }
        self.append(&*root, &root.turns(), &|_| [Knowledge(0); MAX_SEATS], &mut layer.frontier)?;
        let mut start = 0;
        while start < self.builder.len() {
            (layer, start) = self.grow_layer(layer, start)?;
        }
        Ok(self.builder.finished())
    }

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

    /// Fills in a chance node whose children will begin at `first`.
    fn fill_in_chance(&mut self, first: u32, draws: &[ChancePath], events: &Events) -> Result<(), BuildError> {
        let mut list = Vec::with_capacity(draws.len());
        for (place, draw) in draws.iter().enumerate() {
            self.poll_at(place)?;
            list.push((draw.probability, events.until(draw.event)));
        }
        let outcomes = self.builder.outcomes(&list);
        self.builder.set(draws[0].owner.0 as usize, Node::Chance { first, outcomes });
        Ok(())
    }

    /// Fills in the nodes of a layer, which begins at the node `start`. Returns the next layer and where it begins.
    fn grow_layer(&mut self, layer: Layer, start: usize) -> Result<(Layer, usize), BuildError> {
        let Layer { frontier, mut known } = layer;
        let drawn_start = self.builder.len();
        let drawn = self.draw(&frontier, &mut known)?;
        let end = self.builder.len();
        let mut next = Layer::new(self.seats, &*frontier.states);
        self.choose(&frontier, &mut known, &mut next)?;
        let after_drawn = self.builder.len();
        drop(frontier);
        self.choose(&drawn, &mut known, &mut next)?;
        self.builder.finish_layer(start, drawn_start, end, after_drawn);
        next.known.iter_mut().for_each(SeatKnowledge::finish_learning);
        Ok((next, end))
    }

    /// Appends nodes to the tree, and to the frontier where play goes on.
    fn append(
        &mut self,
        states: &dyn States,
        turns: &[Turn],
        knowledge: &dyn Fn(usize) -> Seats<Knowledge>,
        frontier: &mut Frontier,
    ) -> Result<(), BuildError> {
        let mut going_on = Vec::with_capacity(turns.len());
        for (place, &turn) in turns.iter().enumerate() {
            let number = self.builder.len();
            self.check_size(number + 1)?;
            let mut returns = 0;
            if turn == Turn::Over {
                returns = self.builder.returns(&states.returns(place));
            } else {
                frontier.nodes.push(NodeId(number as u32));
                frontier.turns.push(turn);
                frontier.knowledge.extend_from_slice(&knowledge(place)[..frontier.seats]);
                going_on.push(place);
            }
            self.builder.push(returns);
        }
        frontier.states.append(states.select(&going_on));
        Ok(())
    }

    /// Adds the information sets of a frontier's decisions and all nodes that follow their actions.
    fn choose(&mut self, from: &Frontier, known: &mut [SeatKnowledge], next: &mut Layer) -> Result<(), BuildError> {
        for batch in from.places(|turn| turn.seat().is_some()).chunks(BATCH) {
            self.poll()?;
            self.fill_in_decisions(from, batch, known)?;
            let parts: Vec<&[usize]> = batch.chunks(NODES_PER_THREAD).collect();
            let children = map_all(parts.len(), |part| self.children(from, parts[part]));
            let choices: Vec<Choice> = children.iter().flat_map(|(.., choices)| choices).cloned().collect();
            let columns = learn_choices(&mut next.known, known, &choices);
            let mut before = 0;
            for (states, turns, _) in children {
                self.append(&*states, &turns, &|place| at(&columns, before + place), &mut next.frontier)?;
                before += turns.len();
            }
        }
        Ok(())
    }

    /// Fills in some decisions, and their information sets where they are new.
    fn fill_in_decisions(
        &mut self,
        from: &Frontier,
        batch: &[usize],
        known: &mut [SeatKnowledge],
    ) -> Result<(), BuildError> {
        let (mut first, mut legal) = (self.builder.len() as u32, Vec::new());
        for &place in batch {
            let mover = from.turns[place].seat().expect("a player is to act").index();
            legal.clear();
            from.states.legal(place, &mut legal);
            let (knowledge, known) = (from.knowledge(place)[mover], &mut known[mover]);
            self.fill_in_decision(from.nodes[place], first, knowledge, known, &legal)?;
            first += legal.len() as u32;
        }
        Ok(())
    }

    /// The states that follow some decisions, the turns in them, and the choices that lead to them.
    fn children(&self, from: &Frontier, batch: &[usize]) -> (Box<dyn States>, Vec<Turn>, Vec<Choice>) {
        let (mut moves, mut choices) = (Vec::new(), Vec::new());
        for &place in batch {
            let Node::Decision { set, .. } = self.builder.tree.node(from.nodes[place].0) else {
                unreachable!("it is a decision")
            };
            let (mover, before) = (self.builder.tree.mover(set), from.knowledge(place));
            for (row, &action) in self.builder.row(set).zip(self.builder.actions(set)) {
                let mut observed = [0; MAX_SEATS];
                for seat in Seat::all(self.seats) {
                    observed[seat.index()] = from.states.observed(place, action, seat);
                }
                moves.push((place, Some(action)));
                choices.push(Choice { mover, row, before, observed, is_last: false });
            }
        }
        let states = from.states.after(&moves);
        let turns = states.turns();
        choices.iter_mut().zip(&turns).for_each(|(choice, &turn)| choice.is_last = turn == Turn::Over);
        (states, turns, choices)
    }

    /// Adds the nodes that follow a frontier's random events, up to the next decision or the end of the game.
    fn draw(&mut self, from: &Frontier, known: &mut [SeatKnowledge]) -> Result<Frontier, BuildError> {
        let mut drawn = Frontier::new(self.seats, &*from.states);
        for batch in from.places(|turn| turn == Turn::Chance).chunks(BATCH) {
            let start = |&place: &usize| ChancePath {
                owner: from.nodes[place],
                probability: 1.0,
                event: NONE,
                knowledge: from.knowledge(place),
                is_observed: true,
                is_unnoticed: [false; MAX_SEATS],
            };
            let mut events = Events::default();
            let begun = (from.states.select(batch), batch.iter().map(start).collect());
            let (states, draws) = self.expand_chance(begun, known, &mut events)?;
            let mut first = self.builder.len() as u32;
            for draws in draws.chunk_by(|one, other| one.owner == other.owner) {
                self.fill_in_chance(first, draws, &events)?;
                first += draws.len() as u32;
            }
            self.append(&*states, &states.turns(), &|place| draws[place].knowledge, &mut drawn)?;
        }
        known.iter_mut().for_each(SeatKnowledge::finish_learning);
        Ok(drawn)
    }

    /// Lets random events happen until none follows.
    fn expand_chance(
        &self,
        (mut states, mut draws): ChancePaths,
        known: &mut [SeatKnowledge],
        events: &mut Events,
    ) -> Result<ChancePaths, BuildError> {
        loop {
            self.poll()?;
            self.check_size(draws.len())?;
            let turns = states.turns();
            if !turns.contains(&Turn::Chance) {
                return Ok((states, draws));
            }
            (states, draws) = self.after_next_event(&*states, &turns, &draws, events)?;
            let goes_on = |place| self.poll_at(place).is_ok();
            let sight = |place: usize, seat| states.sight(place, seat);
            let events_to = |node: NodeId| self.builder.events_to(node.0);
            let fingerprints = |seat| states.fingerprints(seat, &events_to, events);
            let columns = learn_draws(known, &draws, events, &goes_on, &sight, &fingerprints);
            if columns.iter().any(|column| column.len() < draws.len()) {
                return Err(Halted::Interrupted.into());
            }
            (states, draws) = self.merge_equal(&*states, draws, &columns)?;
        }
    }

    /// The results after one random event more, where one follows.
    fn after_next_event(
        &self,
        states: &dyn States,
        turns: &[Turn],
        draws: &[ChancePath],
        events: &mut Events,
    ) -> Result<ChancePaths, BuildError> {
        let most = 4 * draws.len();
        let (mut moves, mut longer) = (Vec::with_capacity(most), Vec::with_capacity(most));
        for (place, &draw) in draws.iter().enumerate() {
            self.poll_at(place)?;
            if turns[place] != Turn::Chance {
                moves.push((place, None));
                longer.push(draw);
                continue;
            }
            for outcome in states.chance(place) {
                let mut is_unnoticed = [false; MAX_SEATS];
                if self.is_checked {
                    for seat in Seat::all(self.seats) {
                        is_unnoticed[seat.index()] = states.observed(place, outcome.action, seat) == UNNOTICED;
                    }
                }
                moves.push((place, Some(outcome.action)));
                let probability = draw.probability * outcome.probability;
                let event = events.push(draw.event, outcome.action);
                longer.push(ChancePath { probability, event, is_observed: false, is_unnoticed, ..draw });
            }
        }
        Ok((states.after(&moves), longer))
    }

    /// Results of the same node with the same state and the same knowledge become one, with the sum of their
    /// probabilities. `columns` is the knowledge by seat and result.
    fn merge_equal(
        &self,
        states: &dyn States,
        mut draws: Vec<ChancePath>,
        columns: &[Vec<Knowledge>],
    ) -> Result<ChancePaths, BuildError> {
        for (place, draw) in draws.iter_mut().enumerate() {
            (draw.knowledge, draw.is_observed) = (at(columns, place), true);
        }
        let mut keys = draws.iter().map(|draw| (draw.owner, draw.knowledge));
        let first = states.first_equal(&mut keys, &|place| self.poll_at(place).is_ok());
        if first.len() < draws.len() {
            return Err(Halted::Interrupted.into());
        }
        let (mut kept, mut merged) = (Vec::with_capacity(draws.len()), Vec::<ChancePath>::with_capacity(draws.len()));
        // By place: that of the first equal result among the merged ones.
        let mut places = vec![0; draws.len()];
        for (place, (&same, draw)) in first.iter().zip(draws).enumerate() {
            if same < place {
                merged[places[same]].probability += draw.probability;
            } else {
                places[place] = merged.len();
                kept.push(place);
                merged.push(draw);
            }
        }
        Ok((states.select(&kept), merged))
    }
}
