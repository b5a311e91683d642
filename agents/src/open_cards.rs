//! What a position is worth to every seat when all cards lie open and what chance will bring is known beforehand.
//!
//! Two players whose returns add up to a constant: alpha-beta (D. E. Knuth and R. W. Moore, *An Analysis of Alpha-Beta Pruning*,
//! Artificial Intelligence 6, 1975) with a transposition table, fail-soft, the best action of the table first, then those that cut
//! off elsewhere (the history heuristic: J. Schaeffer, 1989). More players, or returns that add up to nothing in particular: max^n
//! (C. A. Luckhardt and K. B. Irani, *An Algorithmic Solution of N-Person Games*, AAAI 1986), with immediate and shallow pruning
//! where the sum is fixed (N. R. Sturtevant and R. E. Korf, *On Pruning Techniques for Multi-Player Games*, AAAI 2000). Of actions
//! that are equal for the mover max^n takes the first: its values depend on that.
//!
//! Both deepen iteratively until nothing is cut off by depth any more, or the nodes run out; then [`Leaf`] values what lies beyond.
//! [`Hints::ending`] is used as soon as it knows a value; [`known_future`] leaves all to the game, where the game can do it.
//! Choices hidden from each other are made one after another: who comes later sees them.
//!
//! Known weaknesses: this is the value of another game, in which nothing is hidden. Max^n is one equilibrium of several.

use std::hash::{Hash, Hasher};

use arrayvec::ArrayVec;
use stier_core::key::mix;
use stier_core::{Action, ActionSet as _, BySeat, Dealer, Game, Hints, History, Rng, Seat, Turn};

use crate::rollout::Roller;
use crate::stop::Stop;

/// What chance will bring from here on: fixed, whoever does what meanwhile.
#[derive(Clone, Debug)]
pub enum Future {
    /// The n-th random event from here on is drawn from a stream of its own.
    Drawn {
        /// The seed of the streams.
        seed: u64,
        /// Events drawn so far.
        event: u64,
    },
    /// As this dealer will bring it.
    Dealt(Dealer),
}

impl Future {
    /// The future of this number.
    pub fn drawn(seed: u64) -> Self {
        Self::Drawn { seed, event: 0 }
    }

    /// What chance brings in a state in which it is to act.
    #[inline]
    pub fn next<G: Game>(&mut self, game: &G, state: &G::State) -> Action {
        match self {
            Self::Drawn { seed, event } => {
                let mut rng = Rng::stream(*seed, "future", *event);
                *event += 1;
                game.sample_chance(state, &mut rng)
            }
            Self::Dealt(dealer) => game.sample_chance(state, dealer.rng(game, state)),
        }
    }

    /// Brings random events about until a player is to act or the game is over; whether there were any.
    #[inline]
    pub fn settle<G: Game>(&mut self, game: &G, state: &mut G::State) -> bool {
        let mut any = false;
        while game.turn(state) == Turn::Chance {
            let outcome = self.next(game, state);
            game.apply(state, outcome);
            any = true;
        }
        any
    }

    /// Appends an action to a history and the random events that follow.
    pub fn push<G: Game>(&mut self, game: &G, history: &mut History<G>, action: Action) {
        history.push(game, action);
        while game.turn(history.state()) == Turn::Chance {
            let outcome = self.next(game, history.state());
            history.push(game, outcome);
        }
    }

    /// A number that stands for what is still to come after a state.
    #[inline]
    fn mark<G: Game>(&self, game: &G, state: &G::State) -> u64 {
        match self {
            Self::Drawn { seed, event } => mix(mix(0, *seed), *event),
            Self::Dealt(dealer) => dealer.clone().rng(game, state).bits(),
        }
    }
}

/// What a position is worth where the search ends before the game.
#[derive(Clone, Debug)]
pub enum Leaf {
    /// What [`Hints::evaluate`] says.
    Evaluate,
    /// The returns of one rollout, the same whenever the position comes up.
    Rollout(Box<Roller>),
}

/// How far to look.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// Nodes at which actions are compared. The search ends after them with the last depth that it completed; the first depth, one
    /// decision, is always completed.
    pub nodes: u64,
    /// Decisions, forced ones not counted, at least 1.
    pub depth: u32,
    /// Ends the search early.
    pub stop: Stop<'a>,
}

/// What a search found.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution {
    /// The actions of the root, ascending, each with what it brings every seat.
    pub actions: Vec<(Action, BySeat<f32>)>,
    /// Whether these are the values of best play to the end.
    pub exact: bool,
    /// Whether chance played a part in any line that was looked at.
    pub chance: bool,
    /// The last depth completed.
    pub depth: u32,
    /// Nodes searched at all depths.
    pub nodes: u64,
}

impl Solution {
    /// The best action of this seat, the first of equals, and what it brings every seat.
    pub fn best(&self, seat: Seat) -> Option<&(Action, BySeat<f32>)> {
        self.actions.iter().reduce(|best, next| if next.1[seat] > best.1[seat] { next } else { best })
    }
}

/// Slots of a transposition table.
const SLOTS: usize = 1 << 16;
/// The generation of an entry that was never written.
const UNUSED: u32 = u32::MAX;
/// The depth of what is known for certain.
const CERTAIN: u32 = u32::MAX;
/// Nodes between two looks at the clock.
const BETWEEN_LOOKS: u64 = 64;
/// No node has more actions.
const MAX_ACTIONS: usize = 128;

/// What the value of an entry says about the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bound {
    Exact,
    Lower,
    Upper,
}

/// What alpha-beta knows about a position, for seat 0.
#[derive(Clone, Copy, Debug)]
struct Entry {
    generation: u32,
    key: u64,
    value: f32,
    depth: u32,
    best: Action,
    bound: Bound,
}

/// What max^n knows about a position.
#[derive(Clone, Debug)]
struct Values {
    generation: u32,
    key: u64,
    depth: u32,
    values: BySeat<f32>,
}

/// The solver: its tables, kept from one search to the next.
#[derive(Clone, Debug, Default)]
pub struct OpenCards {
    entries: Vec<Entry>,
    values: Vec<Values>,
    /// The generation of the entries that count. Those of earlier ones are forgotten.
    generation: u32,
    /// Cut-offs by seat and action.
    history: Vec<u32>,
}

impl OpenCards {
    /// Forgets the positions of earlier searches and keeps the memory: the next search is that of a new solver.
    pub fn clear(&mut self) {
        self.generation += 1;
        if self.generation == UNUSED {
            *self = Self::default();
        }
    }

    /// Values the `legal` actions of a player in the state in which it is to act: some or all of those that the rules allow.
    pub fn solve<G: Hints>(
        &mut self,
        game: &G,
        (state, legal): (&G::State, G::Actions),
        future: &Future,
        leaf: &Leaf,
        limits: &Limits<'_>,
    ) -> Solution {
        let sum = game.info().utility_sum.map(|sum| sum as f32);
        let constant = sum.filter(|_| game.num_seats() == 2);
        if constant.is_some() && self.entries.is_empty() {
            self.entries =
                vec![
                    Entry { generation: UNUSED, key: 0, value: 0.0, depth: 0, best: Action(0), bound: Bound::Exact };
                    SLOTS
                ];
        }
        if constant.is_none() && self.values.is_empty() {
            self.values = vec![Values { generation: UNUSED, key: 0, depth: 0, values: BySeat::filled(0, 0.0) }; SLOTS];
        }
        self.history.clear();
        self.history.resize(game.num_seats() * game.num_actions(), 0);
        let mut search = Search {
            game,
            tables: self,
            leaf: leaf.clone(),
            seed: future.mark(game, state),
            range: game.rounded_range(),
            sum,
            nodes: 0,
            most: u64::MAX,
            stop: limits.stop,
            chance: false,
        };
        let Turn::Seat(mover) = game.turn(state) else {
            debug_assert!(false, "a player is to act");
            return Solution { actions: Vec::new(), exact: true, chance: false, depth: 0, nodes: 0 };
        };
        let mut found = Solution { actions: Vec::new(), exact: false, chance: false, depth: 0, nodes: 0 };
        let mut depth = 1;
        loop {
            let root = match constant {
                Some(sum) => search.root((state, legal), future, |search, state, future| {
                    let found = search.alpha_beta(state, future, search.range.0, search.range.1, depth - 1)?;
                    Some((BySeat::from([found.0, sum - found.0]), found.1))
                }),
                None => search.root((state, legal), future, |search, state, future| {
                    search.max_n(state, future, depth - 1, None).map(|(values, certain, _)| (values, certain))
                }),
            };
            let Some((actions, exact)) = root else { break };
            found = Solution { actions, exact, depth, ..found };
            if exact || depth >= limits.depth {
                break;
            }
            depth = (depth + 2).min(limits.depth);
            search.most = limits.nodes;
            if search.nodes >= search.most || limits.stop.is_due() {
                break;
            }
        }
        debug_assert!(found.best(mover).is_some());
        Solution { chance: search.chance, nodes: search.nodes, ..found }
    }
}

/// As [`OpenCards::solve`], by the game's own solver, where it has one ([`Hints::known_future`]) for what every action leads to.
pub fn known_future<G: Hints>(game: &G, (state, legal): (&G::State, G::Actions), future: &Future) -> Option<Solution> {
    let mut chance = false;
    let mut value = |action| {
        let (mut next, mut coming) = (*state, future.clone());
        game.apply(&mut next, action);
        chance |= coming.settle(game, &mut next);
        let values = match game.turn(&next) {
            Turn::Over => game.rounded_returns(&next),
            Turn::Seat(_) | Turn::Chance => game.known_future(&next, &mut |state| {
                chance = true;
                coming.next(game, state)
            })?,
        };
        Some((action, values))
    };
    let actions: Vec<_> = legal.iter().map(&mut value).collect::<Option<_>>()?;
    Some(Solution { nodes: actions.len() as u64, actions, exact: true, chance, depth: 1 })
}

struct Search<'a, G: Game> {
    game: &'a G,
    tables: &'a mut OpenCards,
    leaf: Leaf,
    /// Of the streams of leaves.
    seed: u64,
    range: (f32, f32),
    sum: Option<f32>,
    nodes: u64,
    most: u64,
    stop: Stop<'a>,
    chance: bool,
}

/// A value for seat 0, and whether it is that of best play.
type Found = (f32, bool);

impl<G: Hints> Search<'_, G> {
    /// Values the actions of the root by `value`; whether all values are those of best play. `None` if it had to be broken off.
    #[allow(clippy::type_complexity)]
    fn root(
        &mut self,
        (state, legal): (&G::State, G::Actions),
        future: &Future,
        mut value: impl FnMut(&mut Self, G::State, Future) -> Option<(BySeat<f32>, bool)>,
    ) -> Option<(Vec<(Action, BySeat<f32>)>, bool)> {
        let mut all = true;
        let mut actions = Vec::new();
        for action in legal.iter() {
            let (mut next, mut coming) = (*state, future.clone());
            self.play(&mut next, &mut coming, action);
            let (values, certain) = value(self, next, coming)?;
            all &= certain;
            actions.push((action, values));
        }
        Some((actions, all))
    }

    #[inline]
    fn play(&mut self, state: &mut G::State, future: &mut Future, action: Action) {
        self.game.apply(state, action);
        self.chance |= future.settle(self.game, state);
    }

    /// Counts a node; whether the search is to be broken off.
    #[inline]
    fn is_out(&mut self) -> bool {
        self.nodes += 1;
        self.nodes > self.most || self.most < u64::MAX && self.nodes.is_multiple_of(BETWEEN_LOOKS) && self.stop.is_due()
    }

    #[inline]
    fn key(&self, state: &G::State, future: &Future) -> u64 {
        mix(fingerprint(state), future.mark(self.game, state))
    }

    /// Plays on while there is nothing to decide. What is known of the position then, or who has which options.
    #[inline]
    fn advance(&mut self, state: &mut G::State, future: &mut Future) -> Result<BySeat<f32>, (Seat, G::Actions)> {
        loop {
            let Turn::Seat(seat) = self.game.turn(state) else { return Ok(self.game.rounded_returns(state)) };
            if let Some(values) = self.game.ending(state) {
                return Ok(values);
            }
            let legal = self.game.legal(state);
            if legal.len() > 1 {
                return Err((seat, legal));
            }
            self.play(state, future, legal.nth(0));
        }
    }

    fn leaf(&mut self, state: &G::State) -> BySeat<f32> {
        match &mut self.leaf {
            Leaf::Evaluate => self.game.evaluate(state),
            Leaf::Rollout(roller) => {
                let mut rng = Rng::stream(self.seed, "leaf", fingerprint(state));
                roller.returns(self.game, &mut state.clone(), &mut rng)
            }
        }
    }

    fn alpha_beta(
        &mut self,
        mut state: G::State,
        mut future: Future,
        alpha: f32,
        beta: f32,
        depth: u32,
    ) -> Option<Found> {
        let (seat, legal) = match self.advance(&mut state, &mut future) {
            Ok(values) => return Some((values[Seat(0)], true)),
            Err(decision) => decision,
        };
        if depth == 0 {
            return Some((self.leaf(&state)[Seat(0)], false));
        }
        if self.is_out() {
            return None;
        }
        let key = self.key(&state, &future);
        let slot = key as usize % SLOTS;
        let entry = self.tables.entries[slot];
        let mut first = None;
        if entry.key == key && entry.generation == self.tables.generation {
            let cuts = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => entry.value >= beta,
                Bound::Upper => entry.value <= alpha,
            };
            if cuts && entry.depth >= depth {
                return Some((entry.value, entry.depth == CERTAIN));
            }
            first = Some(entry.best);
        }
        // From here on for the mover: more is better.
        let sign = if seat == Seat(0) { 1.0 } else { -1.0 };
        let (low, high) = if seat == Seat(0) { (alpha, beta) } else { (-beta, -alpha) };
        let mut best = (f32::NEG_INFINITY, Action(0));
        let mut certain = true;
        for action in self.ordered(&state, seat, legal, first) {
            let (mut next, mut coming) = (state, future.clone());
            self.play(&mut next, &mut coming, action);
            let floor = low.max(best.0);
            let (alpha, beta) = if seat == Seat(0) { (floor, high) } else { (-high, -floor) };
            let (value, sure) = self.alpha_beta(next, coming, alpha, beta, depth - 1)?;
            certain &= sure;
            if sign * value > best.0 {
                best = (sign * value, action);
            }
            if best.0 >= high {
                // One certain refutation is enough.
                certain = sure;
                let count = &mut self.tables.history[seat.index() * self.game.num_actions() + action.index()];
                *count = count.saturating_add(depth.min(64) * depth.min(64));
                break;
            }
        }
        let bound = match seat {
            _ if best.0 > low && best.0 < high => Bound::Exact,
            Seat(0) if best.0 >= high => Bound::Lower,
            Seat(0) => Bound::Upper,
            _ if best.0 >= high => Bound::Upper,
            _ => Bound::Lower,
        };
        let value = sign * best.0;
        let known = if certain { CERTAIN } else { depth };
        self.tables.entries[slot] =
            Entry { generation: self.tables.generation, key, value, depth: known, best: best.1, bound };
        Some((value, certain))
    }

    /// The legal actions, the most promising first.
    #[inline]
    fn ordered(
        &self,
        state: &G::State,
        seat: Seat,
        legal: G::Actions,
        first: Option<Action>,
    ) -> ArrayVec<Action, MAX_ACTIONS> {
        let hinted = self.game.rollout(state, legal);
        let history = &self.tables.history[seat.index() * self.game.num_actions()..];
        let mut scored: ArrayVec<(u32, Action), MAX_ACTIONS> = legal
            .iter()
            .map(|action| {
                let cuts = history[action.index()].saturating_mul(2) | u32::from(hinted.contains(action));
                (if first == Some(action) { u32::MAX } else { cuts }, action)
            })
            .collect();
        scored.sort_unstable_by_key(|&(score, action)| (std::cmp::Reverse(score), action));
        scored.into_iter().map(|(_, action)| action).collect()
    }

    /// The values for all seats, whether they are those of best play, and whether they are values at all: not if it was enough that
    /// the one who chose before, who has so much already, finds nothing better here.
    fn max_n(
        &mut self,
        mut state: G::State,
        mut future: Future,
        depth: u32,
        above: Option<(Seat, f32)>,
    ) -> Option<(BySeat<f32>, bool, bool)> {
        let (seat, legal) = match self.advance(&mut state, &mut future) {
            Ok(values) => return Some((values, true, true)),
            Err(decision) => decision,
        };
        if depth == 0 {
            return Some((self.leaf(&state), false, true));
        }
        if self.is_out() {
            return None;
        }
        let key = self.key(&state, &future);
        let slot = key as usize % SLOTS;
        let entry = &self.tables.values[slot];
        if entry.key == key && entry.generation == self.tables.generation && entry.depth >= depth {
            return Some((entry.values.clone(), entry.depth == CERTAIN, true));
        }
        // As soon as the mover has this much, nobody above wants to come here, or there is nothing better to find.
        let others = (self.game.num_seats() - 2) as f32 * self.range.0;
        let enough = match (self.sum, above) {
            (Some(sum), Some((above, has))) if above != seat => self.range.1.min(sum - others - has),
            _ => self.range.1,
        };
        let mut best: Option<BySeat<f32>> = None;
        let (mut certain, mut whole) = (true, true);
        for action in legal.iter() {
            let (mut next, mut coming) = (state, future.clone());
            self.play(&mut next, &mut coming, action);
            let has = best.as_ref().map(|best| (seat, best[seat]));
            let (values, sure, all) = self.max_n(next, coming, depth - 1, has)?;
            certain &= sure;
            if all && has.is_none_or(|(_, has)| values[seat] > has) {
                let reached = values[seat];
                best = Some(values);
                if reached >= enough {
                    whole = reached >= self.range.1;
                    break;
                }
            }
        }
        let values = best.expect("there is an action");
        if whole {
            let depth = if certain { CERTAIN } else { depth };
            self.tables.values[slot] =
                Values { generation: self.tables.generation, key, depth, values: values.clone() };
        }
        Some((values, certain, whole))
    }
}

/// 64 bits that stand for a value: equal by accident only.
pub(crate) fn fingerprint<T: Hash>(value: &T) -> u64 {
    let mut words = Words::default();
    value.hash(&mut words);
    words.finish()
}

/// A hasher that gathers what it is given into words of 64 bits and mixes those.
#[derive(Default)]
struct Words {
    key: u64,
    word: u64,
    bits: u32,
}

impl Words {
    #[inline(always)]
    fn add(&mut self, value: u64, bits: u32) {
        if self.bits + bits > 64 {
            self.key = mix(self.key, self.word);
            (self.word, self.bits) = (0, 0);
        }
        self.word |= value << self.bits;
        self.bits += bits;
    }
}

impl Hasher for Words {
    fn finish(&self) -> u64 {
        mix(mix(self.key, self.word), u64::from(self.bits))
    }

    #[inline(always)]
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let word = chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
            self.add(word, 8 * chunk.len() as u32);
        }
    }

    #[inline(always)]
    fn write_u8(&mut self, value: u8) {
        self.add(u64::from(value), 8);
    }

    #[inline(always)]
    fn write_u16(&mut self, value: u16) {
        self.add(u64::from(value), 16);
    }

    #[inline(always)]
    fn write_u32(&mut self, value: u32) {
        self.add(u64::from(value), 32);
    }

    #[inline(always)]
    fn write_u64(&mut self, value: u64) {
        self.add(value, 64);
    }

    /// Lengths and the numbers of variants: small.
    #[inline(always)]
    fn write_usize(&mut self, value: usize) {
        self.add(value as u64 & 0xffff, 16);
    }

    #[inline(always)]
    fn write_isize(&mut self, value: isize) {
        self.add(value as u64 & 0xffff, 16);
    }
}
