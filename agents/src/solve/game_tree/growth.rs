//! A tree being enumerated, layer by layer: all nodes with the same number of choices before them.
//!
//! What a seat knows at a node is a number, its *knowledge*: equal at two nodes of a layer if and only if the seat's views there are
//! equal. It grows with what is observed: after a choice, by what the seat had known and
//! [what it observes](Game::observed) of the action; after a random event, by what it had known and [what it sees](Game::sight).
//! Where several random events follow each other, different sequences may leave it with the same view; only there views are taken,
//! one for each knowledge, which takes microseconds.

use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::ops::ControlFlow;

use rayon::prelude::{
    IndexedParallelIterator as _, IntoParallelRefMutIterator as _, ParallelIterator as _, ParallelSlice as _,
};
use rustc_hash::FxHashMap;
use stier_core::seats::MAX_SEATS;
use stier_core::{Action, ActionSet as _, BySeat, Game, History, Seat, Turn};

use super::{BuildError, Children, GameTree, Level, NONE, Node, Outcomes, Packed, STRIDE, TooLarge};

/// Nodes that are worked on at a time; between two such heaps the watcher is asked.
const HEAP: usize = 1 << 12;
/// Outcomes of chance that are worked on until the watcher is asked again.
const BATCH: usize = 1 << 10;
/// Nodes that a thread takes at a time.
const CHUNK: usize = 1 << 10;

/// Where play goes on: the nodes of a level that are no ends.
struct Frontier<G: Game> {
    numbers: Vec<u32>,
    states: Vec<G::State>,
    /// `knowledge[node * seats + seat]`.
    knowledge: Vec<u32>,
}

impl<G: Game> Frontier<G> {
    fn new() -> Self {
        Self { numbers: Vec::new(), states: Vec::new(), knowledge: Vec::new() }
    }
}

/// What one seat can know in one layer.
struct Knowledge {
    /// By knowledge: the place in a policy of what the seat did last.
    last: Vec<u32>,
    /// By knowledge: the information set, if the seat is to act.
    sets: Vec<u32>,
    /// From what was known and seen before a choice to what is known after it.
    after_choice: FxHashMap<(u32, u64), u32>,
    /// The same for random events.
    after_chance: FxHashMap<(u32, u64), u32>,
}

impl Knowledge {
    fn new() -> Self {
        Self {
            last: Vec::new(),
            sets: Vec::new(),
            after_choice: FxHashMap::default(),
            after_chance: FxHashMap::default(),
        }
    }

    /// Knowledge that is different from all others of the layer.
    fn add(&mut self, last: u32) -> u32 {
        self.last.push(last);
        self.sets.push(NONE);
        self.last.len() as u32 - 1
    }
}

/// What follows some nodes: as many states for each as it has actions or outcomes.
struct Followers<G: Game> {
    states: Vec<G::State>,
    turns: Vec<Turn>,
    /// `seen[child * seats + seat]`: what the seat observes.
    seen: Vec<u64>,
}

/// An outcome of the random events after a node, as far as they have happened.
struct Draw<S> {
    /// The chance node, by its place in the heap.
    owner: u32,
    state: S,
    probability: f64,
    /// The last event, by its place in `events`.
    event: u32,
}

/// Random events with the one before each, or [`NONE`].
type Chain = Vec<(u32, Action)>;

/// A tree being enumerated.
pub(super) struct Growth<'a, G: Game> {
    tree: GameTree<G>,
    seats: usize,
    most: usize,
    watch: &'a (dyn Fn(usize) -> ControlFlow<()> + Sync),
    starts: Vec<u32>,
    return_numbers: FxHashMap<Vec<u64>, u32>,
    outcome_numbers: FxHashMap<Vec<u64>, u32>,
}

impl<'a, G: Game> Growth<'a, G> {
    pub(super) fn new(game: &G, most: usize, watch: &'a (dyn Fn(usize) -> ControlFlow<()> + Sync)) -> Self {
        let outcomes = Outcomes { lists: vec![0], probabilities: Vec::new(), starts: vec![0], events: Vec::new() };
        let tree = GameTree {
            game: game.clone(),
            nodes: Vec::new(),
            levels: Vec::new(),
            marks: Vec::new(),
            movers: Vec::new(),
            legal: Vec::new(),
            starts: [].into(),
            previous: Vec::new(),
            layers: vec![0],
            members: Vec::new(),
            member_starts: Vec::new(),
            outcomes,
            returns: Vec::new(),
        };
        Self {
            tree,
            seats: game.num_seats(),
            most,
            watch,
            starts: vec![0],
            return_numbers: FxHashMap::default(),
            outcome_numbers: FxHashMap::default(),
        }
    }

    pub(super) fn grow(mut self) -> Result<GameTree<G>, BuildError> {
        let mut known: Vec<Knowledge> = (0..self.seats).map(|_| Knowledge::new()).collect();
        let mut frontier = Frontier::new();
        let root = self.tree.game.root();
        let turn = self.tree.game.turn(&root);
        let knowledge: Vec<u32> = known.iter_mut().map(|known| known.add(NONE)).collect();
        self.add_node(root, turn, &knowledge, &mut frontier)?;
        let mut start = 0;
        while start < self.tree.nodes.len() {
            (frontier, known, start) = self.grow_layer(frontier, known, start)?;
        }
        Ok(self.finish())
    }

    /// Fills in the nodes of a layer from `start` on, those in the frontier; returns the next layer.
    fn grow_layer(
        &mut self,
        frontier: Frontier<G>,
        mut known: Vec<Knowledge>,
        start: usize,
    ) -> Result<(Frontier<G>, Vec<Knowledge>, usize), BuildError> {
        let middle = self.tree.nodes.len();
        let drawn = self.draw(&frontier, &mut known)?;
        let end = self.tree.nodes.len();
        let mut next = Frontier::new();
        let mut next_known: Vec<Knowledge> = (0..self.seats).map(|_| Knowledge::new()).collect();
        self.choose(&frontier, &mut known, &mut next, &mut next_known)?;
        let half = self.tree.nodes.len();
        drop(frontier);
        self.choose(&drawn, &mut known, &mut next, &mut next_known)?;
        let last = self.tree.nodes.len();
        let children =
            |decisions: usize, chance: usize| Children { decisions: decisions as u32, chance: chance as u32 };
        let level = |nodes: [usize; 2], first: Children, last: Children| Level {
            start: nodes[0] as u32,
            end: nodes[1] as u32,
            first,
            last,
        };
        self.tree.levels.push([
            level([start, middle], children(end, middle), children(half, end)),
            level([middle, end], children(half, end), children(last, end)),
        ]);
        self.tree.layers.push(self.tree.movers.len() as u32);
        self.mark();
        for known in &mut next_known {
            known.after_choice = FxHashMap::default();
        }
        Ok((next, next_known, end))
    }

    /// Notes where children begin, for the nodes of the last layer.
    fn mark(&mut self) {
        let tree = &mut self.tree;
        for level in *tree.levels.last().expect("there is a layer") {
            let mut now = level.first;
            for number in level.start..level.end {
                if (number as usize).is_multiple_of(STRIDE) {
                    tree.marks.push(now);
                }
                match tree.nodes[number as usize].node() {
                    Node::End { .. } => {}
                    Node::Chance { outcomes, .. } => {
                        let lists = &tree.outcomes.lists;
                        now.chance += lists[outcomes as usize + 1] - lists[outcomes as usize];
                    }
                    Node::Decision { set, .. } => {
                        now.decisions += self.starts[set as usize + 1] - self.starts[set as usize];
                    }
                }
            }
        }
    }

    fn ask(&self) -> Result<(), BuildError> {
        match (self.watch)(self.tree.nodes.len()) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(BuildError::Interrupted),
        }
    }

    /// Asks the watcher once a batch, in a loop over outcomes of chance.
    fn ask_at(&self, place: usize) -> Result<(), BuildError> {
        if place.is_multiple_of(BATCH) { self.ask() } else { Ok(()) }
    }

    /// A node behind all others, and a place in the frontier if play goes on.
    fn add_node(
        &mut self,
        state: G::State,
        turn: Turn,
        knowledge: &[u32],
        frontier: &mut Frontier<G>,
    ) -> Result<(), BuildError> {
        let number = self.tree.nodes.len();
        if number >= self.most {
            return Err(TooLarge::Counted { most: self.most }.into());
        }
        if turn == Turn::Over {
            let returns = self.returns(&state);
            self.tree.nodes.push(Packed::new(Node::End { returns }));
        } else {
            self.tree.nodes.push(Packed::new(Node::End { returns: 0 }));
            frontier.numbers.push(number as u32);
            frontier.states.push(state);
            frontier.knowledge.extend_from_slice(knowledge);
        }
        Ok(())
    }

    /// The number of these returns.
    fn returns(&mut self, state: &G::State) -> u32 {
        let returns: BySeat<f64> = self.tree.game.returns(state);
        let mut bits = [0; MAX_SEATS];
        for (bits, value) in bits.iter_mut().zip(returns.iter()) {
            *bits = value.to_bits();
        }
        if let Some(&number) = self.return_numbers.get(&bits[..]) {
            return number;
        }
        let number = self.tree.returns.len() as u32;
        self.return_numbers.insert(bits.to_vec(), number);
        self.tree.returns.push(returns);
        number
    }

    /// Lets the players choose at the decisions of a frontier: information sets, and all that follows.
    fn choose(
        &mut self,
        from: &Frontier<G>,
        known: &mut [Knowledge],
        next: &mut Frontier<G>,
        next_known: &mut [Knowledge],
    ) -> Result<(), BuildError> {
        let seats = self.seats;
        let places: Vec<u32> = (0..from.numbers.len() as u32)
            .filter(|&place| self.tree.game.turn(&from.states[place as usize]).seat().is_some())
            .collect();
        for heap in places.chunks(HEAP) {
            self.ask()?;
            let mut first = self.tree.nodes.len() as u32;
            // For each child: what its parent's mover did, as a place in a policy, and what everybody knew.
            let mut parents: Vec<(u32, u32)> = Vec::with_capacity(4 * heap.len());
            for &place in heap {
                let (place, state) = (place as usize, &from.states[place as usize]);
                let seat = self.tree.game.turn(state).seat().expect("a player is to act");
                let known = &mut known[seat.index()];
                let knowledge = from.knowledge[place * seats + seat.index()] as usize;
                if known.sets[knowledge] == NONE {
                    known.sets[knowledge] = self.tree.movers.len() as u32;
                    let legal = self.tree.game.legal(state);
                    self.tree.movers.push(seat);
                    self.tree.legal.push(legal);
                    self.tree.previous.push(known.last[knowledge]);
                    self.starts.push(self.starts[self.starts.len() - 1] + legal.len() as u32);
                }
                let set = known.sets[knowledge];
                debug_assert_eq!(
                    (self.tree.movers[set as usize], self.tree.legal[set as usize]),
                    (seat, self.tree.game.legal(state)),
                    "the mover knows its options"
                );
                self.tree.nodes[from.numbers[place] as usize] = Packed::new(Node::Decision { set, first });
                let row = self.starts[set as usize]..self.starts[set as usize + 1];
                first += row.len() as u32;
                parents.extend(row.map(|row| (place as u32, row)));
            }
            let game = &self.tree.game;
            let follow = |places: &[u32]| {
                let mut out = Followers::<G> { states: Vec::new(), turns: Vec::new(), seen: Vec::new() };
                for state in places.iter().map(|&place| &from.states[place as usize]) {
                    for action in game.legal(state).iter() {
                        let mut after = *state;
                        game.apply(&mut after, action);
                        out.seen.extend(Seat::all(seats).map(|seat| game.observed(state, action, seat)));
                        out.turns.push(game.turn(&after));
                        out.states.push(after);
                    }
                }
                out
            };
            let followers: Vec<Followers<G>> = heap.par_chunks(CHUNK).map(follow).collect();
            let mut learned: Vec<Vec<u32>> = Vec::new();
            next_known
                .par_iter_mut()
                .enumerate()
                .map(|(seat, next_known)| {
                    let seen = followers.iter().flat_map(|out| out.seen.chunks_exact(seats).map(|seen| seen[seat]));
                    let turns = followers.iter().flat_map(|out| &out.turns);
                    let learn = |((&(place, row), seen), &turn): ((&(u32, u32), u64), &Turn)| {
                        if turn == Turn::Over {
                            return NONE;
                        }
                        let before = from.knowledge[place as usize * seats + seat];
                        match next_known.after_choice.entry((before, seen)) {
                            Entry::Occupied(known) => *known.get(),
                            Entry::Vacant(entry) => {
                                let is_mover = game.turn(&from.states[place as usize]) == Turn::Seat(Seat(seat as u8));
                                let last = if is_mover { row } else { known[seat].last[before as usize] };
                                next_known.last.push(last);
                                next_known.sets.push(NONE);
                                *entry.insert(next_known.last.len() as u32 - 1)
                            }
                        }
                    };
                    parents.iter().zip(seen).zip(turns).map(learn).collect()
                })
                .collect_into_vec(&mut learned);
            let mut knowledge = vec![NONE; seats];
            let mut child = 0;
            for out in followers {
                for (state, turn) in out.states.into_iter().zip(out.turns) {
                    for (knowledge, learned) in knowledge.iter_mut().zip(&learned) {
                        *knowledge = learned[child];
                    }
                    child += 1;
                    self.add_node(state, turn, &knowledge, next)?;
                }
            }
        }
        Ok(())
    }

    /// Lets chance act at the chance nodes of a frontier until a player is to act or the game is over.
    fn draw(&mut self, from: &Frontier<G>, known: &mut [Knowledge]) -> Result<Frontier<G>, BuildError> {
        let seats = self.seats;
        let places: Vec<u32> = (0..from.numbers.len() as u32)
            .filter(|&place| self.tree.game.turn(&from.states[place as usize]) == Turn::Chance)
            .collect();
        let mut drawn = Frontier::new();
        // What a seat knows after several random events, by its view.
        let mut views: Vec<FxHashMap<u128, u32>> = (0..seats).map(|_| FxHashMap::default()).collect();
        for heap in places.chunks(HEAP) {
            let (draws, knowledge, chain) = self.outcomes(from, heap, known, &mut views)?;
            let mut at = 0;
            for (owner, &place) in heap.iter().enumerate() {
                let count = draws[at..].iter().take_while(|draw| draw.owner as usize == owner).count();
                let outcomes = self.list(&draws[at..at + count], &chain)?;
                let first = self.tree.nodes.len() as u32;
                let number = from.numbers[place as usize] as usize;
                self.tree.nodes[number] = Packed::new(Node::Chance { first, outcomes });
                for place in at..at + count {
                    let (state, knowledge) = (draws[place].state, &knowledge[place * seats..][..seats]);
                    let turn = self.tree.game.turn(&state);
                    self.add_node(state, turn, knowledge, &mut drawn)?;
                }
                at += count;
            }
        }
        Ok(drawn)
    }

    /// Everything that chance can bring at some of its nodes: outcomes node by node, what every seat knows then, and the events.
    #[expect(clippy::type_complexity, reason = "three lists about the same outcomes")]
    fn outcomes(
        &mut self,
        from: &Frontier<G>,
        heap: &[u32],
        known: &mut [Knowledge],
        views: &mut [FxHashMap<u128, u32>],
    ) -> Result<(Vec<Draw<G::State>>, Vec<u32>, Chain), BuildError> {
        let seats = self.seats;
        let mut chain = Chain::new();
        let start = |(owner, &place): (usize, &u32)| Draw {
            owner: owner as u32,
            state: from.states[place as usize],
            probability: 1.0,
            event: NONE,
        };
        let mut draws: Vec<Draw<G::State>> = heap.iter().enumerate().map(start).collect();
        let mut knowledge: Vec<u32> =
            heap.iter().flat_map(|&place| &from.knowledge[place as usize * seats..][..seats]).copied().collect();
        for step in 0.. {
            self.ask()?;
            if draws.len() > self.most {
                return Err(TooLarge::Counted { most: self.most }.into());
            }
            let game = &self.tree.game;
            if !draws.iter().any(|draw| game.turn(&draw.state) == Turn::Chance) {
                break;
            }
            let mut longer: Vec<Draw<G::State>> = Vec::with_capacity(4 * draws.len());
            // For each outcome the place of the one that it comes from, or nothing where chance does not act any more.
            let mut parents: Vec<(u32, bool)> = Vec::with_capacity(4 * draws.len());
            for (place, draw) in (0..).zip(&draws) {
                self.ask_at(place as usize)?;
                if game.turn(&draw.state) != Turn::Chance {
                    longer.push(Draw { ..*draw });
                    parents.push((place, false));
                    continue;
                }
                for outcome in game.chance(&draw.state) {
                    let mut state = draw.state;
                    game.apply(&mut state, outcome.action);
                    let probability = draw.probability * outcome.probability;
                    let event = chain.len() as u32;
                    chain.push((draw.event, outcome.action));
                    longer.push(Draw { owner: draw.owner, state, probability, event });
                    parents.push((place, true));
                }
            }
            let (tree, growth) = (&self.tree, &*self);
            let learned: Result<Vec<Vec<u32>>, BuildError> = known
                .par_iter_mut()
                .zip(views.par_iter_mut())
                .enumerate()
                .map(|(seat, (known, views))| {
                    // The history of the chance node that was looked at last.
                    let mut start: Option<(u32, History<G>)> = None;
                    let learn = |(at, (draw, &(parent, acts))): (usize, (&Draw<G::State>, &(u32, bool)))| {
                        growth.ask_at(at)?;
                        let before = knowledge[parent as usize * seats + seat];
                        if !acts {
                            return Ok(before);
                        }
                        let key = (before, game.sight(&draw.state, Seat(seat as u8)));
                        if let Some(&after) = known.after_chance.get(&key) {
                            return Ok(after);
                        }
                        let last = known.last[before as usize];
                        let after = if step == 0 {
                            known.add(last)
                        } else {
                            if start.as_ref().is_none_or(|(owner, _)| *owner != draw.owner) {
                                let place = heap[draw.owner as usize] as usize;
                                start = Some((draw.owner, tree.history(from.numbers[place])));
                            }
                            let mut history = start.as_ref().expect("it has been found").1.clone();
                            events(&chain, draw.event).iter().for_each(|&event| history.push(game, event));
                            let view = fingerprint(&game.view(&history, Seat(seat as u8)));
                            *views.entry(view).or_insert_with(|| known.add(last))
                        };
                        known.after_chance.insert(key, after);
                        Ok(after)
                    };
                    longer.iter().zip(&parents).enumerate().map(learn).collect()
                })
                .collect();
            (draws, knowledge) = self.merged(longer, &learned?)?;
        }
        Ok((draws, knowledge, chain))
    }

    /// The number of a list of outcomes.
    fn list(&mut self, draws: &[Draw<G::State>], chain: &Chain) -> Result<u32, BuildError> {
        let run = |(at, draw): (usize, &Draw<G::State>)| self.ask_at(at).map(|()| events(chain, draw.event));
        let runs: Vec<Vec<Action>> = draws.iter().enumerate().map(run).collect::<Result<_, _>>()?;
        let mut key = Vec::with_capacity(3 * draws.len());
        for (draw, run) in draws.iter().zip(&runs) {
            key.push(draw.probability.to_bits());
            key.push(run.len() as u64);
            key.extend(run.chunks(8).map(|eight| eight.iter().fold(0, |word, event| word << 8 | u64::from(event.0))));
        }
        let outcomes = &mut self.tree.outcomes;
        Ok(match self.outcome_numbers.entry(key) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(entry) => {
                for (draw, run) in draws.iter().zip(&runs) {
                    outcomes.probabilities.push(draw.probability);
                    outcomes.events.extend(run);
                    outcomes.starts.push(outcomes.events.len() as u32);
                }
                outcomes.lists.push(outcomes.probabilities.len() as u32);
                *entry.insert(outcomes.lists.len() as u32 - 2)
            }
        })
    }

    /// Outcomes of the same node with the same state and the same knowledge are one; returns what every seat knows, too.
    #[expect(clippy::type_complexity, reason = "two lists about the same outcomes")]
    fn merged(
        &self,
        draws: Vec<Draw<G::State>>,
        learned: &[Vec<u32>],
    ) -> Result<(Vec<Draw<G::State>>, Vec<u32>), BuildError> {
        let knows = |place: usize| learned.iter().map(move |learned| learned[place]);
        let mut out: Vec<Draw<G::State>> = Vec::with_capacity(draws.len());
        let mut knowledge: Vec<u32> = Vec::with_capacity(draws.len() * learned.len());
        let mut found: FxHashMap<(G::State, [u32; MAX_SEATS]), u32> = FxHashMap::default();
        let mut owner = NONE;
        for (place, draw) in draws.into_iter().enumerate() {
            self.ask_at(place)?;
            if owner != draw.owner {
                found.clear();
                owner = draw.owner;
            }
            let mut known = [NONE; MAX_SEATS];
            known.iter_mut().zip(knows(place)).for_each(|(known, knows)| *known = knows);
            match found.entry((draw.state, known)) {
                Entry::Occupied(same) => out[*same.get() as usize].probability += draw.probability,
                Entry::Vacant(entry) => {
                    entry.insert(out.len() as u32);
                    knowledge.extend(knows(place));
                    out.push(draw);
                }
            }
        }
        Ok((out, knowledge))
    }

    fn finish(self) -> GameTree<G> {
        let mut tree = self.tree;
        let mut sizes = vec![0; tree.movers.len() + 1];
        let decisions = || {
            tree.nodes.iter().zip(0_u32..).filter_map(|(node, number)| match node.node() {
                Node::Decision { set, .. } => Some((set as usize, number)),
                Node::Chance { .. } | Node::End { .. } => None,
            })
        };
        decisions().for_each(|(set, _)| sizes[set + 1] += 1);
        for set in 1..sizes.len() {
            sizes[set] += sizes[set - 1];
        }
        let mut next = sizes.clone();
        let mut members = vec![0; sizes[sizes.len() - 1] as usize];
        for (set, number) in decisions() {
            members[next[set] as usize] = number;
            next[set] += 1;
        }
        tree.member_starts = sizes;
        tree.members = members;
        tree.starts = self.starts.into();
        tree
    }
}

/// 128 bits that stand for a view: for a hundred million of them the odds that two have the same are 1 in 10^22.
fn fingerprint(view: &impl Hash) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, view).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

/// The random events up to one of them.
fn events(chain: &Chain, last: u32) -> Vec<Action> {
    let before = |&at: &u32| Some(chain[at as usize].0).filter(|&before| before != NONE);
    let mut events: Vec<Action> = std::iter::successors(Some(last), before).map(|at| chain[at as usize].1).collect();
    events.reverse();
    events
}
