//! The value of a position to every seat if all cards are open and the results of chance are known in advance.
//!
//! For two players with constant-sum returns this is alpha-beta (D. E. Knuth and R. W. Moore, *An Analysis of
//! Alpha-Beta Pruning*, Artificial Intelligence 6, 1975), fail-soft and with a transposition table. It tries the
//! table's best action first, then those that caused cut-offs elsewhere (the history heuristic: J. Schaeffer, 1989).
//! Otherwise it is max^n (C. A. Luckhardt and K. B. Irani, *An Algorithmic Solution of N-Person Games*, AAAI 1986),
//! with immediate and shallow pruning if the sum is fixed (N. R. Sturtevant and R. E. Korf, *On Pruning Techniques
//! for Multi-Player Games*, AAAI 2000). Among actions of equal value to the mover max^n takes the first, and its
//! values depend on this choice.
//!
//! Both deepen iteratively until depth no longer cuts off anything or the nodes are used up. [`Leaf`] values the
//! positions beyond. [`Hints::ending`] is used as soon as it returns a value; [`known_future`] leaves everything to
//! the game's own solver, if it has one. Choices hidden from each other are made one after another, and later players
//! see the earlier choices.
//!
//! Known weaknesses: this is the value of a different game, without hidden information. Max^n finds one equilibrium
//! of several.

use std::hash::{Hash, Hasher};

use arrayvec::ArrayVec;
use stier_core::key::mix;
use stier_core::{Action, ActionSet as _, BySeat, Dealer, Game, Hints, History, Rng, Seat, Turn};

use crate::agent::sampling::MAX_ACTIONS;
use crate::agent::stop::Stop;
use crate::rollout::Roller;

/// A state with all cards open, and some or all of its mover's legal actions.
#[derive(Clone, Copy, Debug)]
pub struct OpenPosition<'a, S, A> {
    /// The state, in which a player is to act.
    pub state: &'a S,
    /// The actions, ascending.
    pub legal: A,
}

/// The values of an action in one world.
#[derive(Clone, PartialEq, Debug)]
pub struct WorldValues {
    /// The action.
    pub action: Action,
    /// The expected return of each seat; zeros if the action was never tried.
    pub values: BySeat<f32>,
    /// The number of tries.
    pub visits: u64,
    /// The number of iterations that could have tried the action.
    pub available: u64,
}

impl WorldValues {
    /// The values of an action that was tried once.
    pub fn once(action: Action, values: BySeat<f32>) -> Self {
        Self { action, values, visits: 1, available: 1 }
    }
}

/// The results of chance from here on. They do not depend on the players' actions.
#[derive(Clone, Debug)]
pub enum Future {
    /// Each random event from here on is drawn from its own stream.
    Drawn {
        /// The seed of the streams.
        seed: u64,
        /// The number of events drawn so far.
        event: u64,
    },
    /// The events of this dealer.
    Dealt(Dealer),
}

impl Future {
    /// Creates the future with this seed.
    pub fn drawn(seed: u64) -> Self {
        Self::Drawn { seed, event: 0 }
    }

    /// The next random event in a state in which chance is to act.
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

    /// Applies random events until a player is to act or the game is over. Returns true if there were any.
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

    /// Appends an action to a history, and the random events that follow.
    pub fn push<G: Game>(&mut self, game: &G, history: &mut History<G>, action: Action) {
        history.push(game, action);
        while game.turn(history.state()) == Turn::Chance {
            let outcome = self.next(game, history.state());
            history.push(game, outcome);
        }
    }

    /// A number that identifies the events still to come after a state.
    #[inline]
    fn mark<G: Game>(&self, game: &G, state: &G::State) -> u64 {
        match self {
            Self::Drawn { seed, event } => mix(mix(0, *seed), *event),
            Self::Dealt(dealer) => dealer.clone().rng(game, state).bits(),
        }
    }
}

/// The value of a position at which the search ends before the game does.
#[derive(Clone, Debug)]
pub enum Leaf {
    /// The estimate of [`Hints::evaluate`].
    Evaluate,
    /// The returns of one rollout, always the same for the same position.
    Rollout(Box<Roller>),
}

/// The limits of a search.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// The number of nodes at which actions are compared. After them the search ends with the last completed depth.
    /// The first depth, one decision, is always completed.
    pub nodes: u64,
    /// The number of decisions, forced ones not counted; at least 1.
    pub depth: u32,
    /// Ends the search early.
    pub stop: Stop<'a>,
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution {
    /// The actions of the root, ascending, each with its returns for all seats.
    pub actions: Vec<(Action, BySeat<f32>)>,
    /// True if these are the values of best play to the end.
    pub exact: bool,
    /// True if a searched line contained random events.
    pub chance: bool,
    /// The last depth completed.
    pub depth: u32,
    /// The number of nodes searched at all depths.
    pub nodes: u64,
}

impl Solution {
    /// The best action of this seat, the first of equals, with its returns for all seats.
    pub fn best(&self, seat: Seat) -> Option<&(Action, BySeat<f32>)> {
        self.actions.iter().reduce(|best, next| if next.1[seat] > best.1[seat] { next } else { best })
    }
}

/// The number of slots of a transposition table.
const SLOTS: usize = 1 << 16;
/// The generation of an entry that was never written.
const UNUSED: u32 = u32::MAX;
/// The depth of exact values.
const CERTAIN: u32 = u32::MAX;
/// The number of nodes between two checks of the clock.
const BETWEEN_LOOKS: u64 = 64;

/// The relation of an entry's value to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bound {
    Exact,
    Lower,
    Upper,
}

/// Alpha-beta's result for a position, for seat 0.
#[derive(Clone, Copy, Debug)]
struct Entry {
    generation: u32,
    key: u64,
    value: f32,
    depth: u32,
    best: Action,
    bound: Bound,
}

/// The result of max^n for a position.
#[derive(Clone, Debug)]
struct Values {
    generation: u32,
    key: u64,
    depth: u32,
    values: BySeat<f32>,
}

/// The solver, with tables that are kept from one search to the next.
#[derive(Clone, Debug, Default)]
pub struct OpenCards {
    entries: Vec<Entry>,
    values: Vec<Values>,
    /// The current generation. Entries of earlier generations are forgotten.
    generation: u32,
    /// The cut-offs by seat and action.
    history: Vec<u32>,
}

impl OpenCards {
    /// Forgets the positions of earlier searches but keeps the memory. The next search has the same result as that of
    /// a new solver.
    pub fn clear(&mut self) {
        self.generation += 1;
        if self.generation == UNUSED {
            *self = Self::default();
        }
    }

    /// Values the `legal` actions of the player to act; they may be only some of the legal actions.
    pub fn solve<G: Hints>(
        &mut self,
        game: &G,
        position: OpenPosition<'_, G::State, G::Actions>,
        future: &Future,
        leaf: &Leaf,
        limits: &Limits<'_>,
    ) -> Solution {
        let state = position.state;
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
            debug_assert!(false, "a player must be to act");
            return Solution { actions: Vec::new(), exact: true, chance: false, depth: 0, nodes: 0 };
        };
        let mut found = Solution { actions: Vec::new(), exact: false, chance: false, depth: 0, nodes: 0 };
        let mut depth = 1;
        loop {
            let root = match constant {
                Some(sum) => search.root(position, future, |search, state, future| {
                    let found = search.alpha_beta(state, future, search.range.0, search.range.1, depth - 1)?;
                    Some((BySeat::from([found.0, sum - found.0]), found.1))
                }),
                None => search.root(position, future, |search, state, future| {
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

/// The same as [`OpenCards::solve`] by the game's own solver; `None` if the game has none ([`Hints::known_future`])
/// for the successors of every action.
pub fn known_future<G: Hints>(
    game: &G,
    position: OpenPosition<'_, G::State, G::Actions>,
    future: &Future,
) -> Option<Solution> {
    let mut chance = false;
    let mut value = |action| {
        let (mut next, mut coming) = (*position.state, future.clone());
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
    let actions: Vec<_> = position.legal.iter().map(&mut value).collect::<Option<_>>()?;
    Some(Solution { nodes: actions.len() as u64, actions, exact: true, chance, depth: 1 })
}

struct Search<'a, G: Game> {
    game: &'a G,
    tables: &'a mut OpenCards,
    leaf: Leaf,
    /// The seed of the streams at leaves.
    seed: u64,
    range: (f32, f32),
    sum: Option<f32>,
    nodes: u64,
    most: u64,
    stop: Stop<'a>,
    chance: bool,
}

/// A value for seat 0, and true if it is that of best play.
type Found = (f32, bool);

impl<G: Hints> Search<'_, G> {
    /// Values the actions of the root by `value`, and returns true as well if all values are those of best play.
    /// `None` if the search was stopped.
    #[allow(clippy::type_complexity)]
    fn root(
        &mut self,
        position: OpenPosition<'_, G::State, G::Actions>,
        future: &Future,
        mut value: impl FnMut(&mut Self, G::State, Future) -> Option<(BySeat<f32>, bool)>,
    ) -> Option<(Vec<(Action, BySeat<f32>)>, bool)> {
        let mut all = true;
        let mut actions = Vec::new();
        for action in position.legal.iter() {
            let (mut next, mut coming) = (*position.state, future.clone());
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

    /// Counts a node and returns true if the search must stop.
    #[inline]
    fn is_out(&mut self) -> bool {
        self.nodes += 1;
        self.nodes > self.most || self.most < u64::MAX && self.nodes.is_multiple_of(BETWEEN_LOOKS) && self.stop.is_due()
    }

    #[inline]
    fn key(&self, state: &G::State, future: &Future) -> u64 {
        mix(fingerprint(state), future.mark(self.game, state))
    }

    /// Plays on through forced decisions. Returns the value of the position if it is known, and otherwise the seat to
    /// act and its actions.
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
        // From here on values are from the mover's side: more is better.
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

    /// The values for all seats, with two flags. The first is true if they are those of best play. The second is
    /// false if the search was cut off because the previous chooser, who already has a better alternative, does not
    /// gain from this position.
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
        // Once the mover has this much, players above avoid this position, or there is nothing better to find.
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
        let values = best.expect("at least one action");
        if whole {
            let depth = if certain { CERTAIN } else { depth };
            self.tables.values[slot] =
                Values { generation: self.tables.generation, key, depth, values: values.clone() };
        }
        Some((values, certain, whole))
    }
}

/// A 64-bit hash of a value.
pub(crate) fn fingerprint<T: Hash>(value: &T) -> u64 {
    let mut words = Words::default();
    value.hash(&mut words);
    words.finish()
}

/// A hasher that packs its input into words of 64 bits and mixes them.
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

    /// Lengths and variant numbers are small.
    #[inline(always)]
    fn write_usize(&mut self, value: usize) {
        self.add(value as u64 & 0xffff, 16);
    }

    #[inline(always)]
    fn write_isize(&mut self, value: isize) {
        self.add(value as u64 & 0xffff, 16);
    }
}
