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
//! Both deepen iteratively until depth no longer cuts off anything or the nodes are used up. [`Hints::evaluate`] values
//! the positions beyond. [`Hints::ending`] is used as soon as it returns a value. Choices hidden from each other are
//! made one after another, and later players see the earlier choices.
//!
//! Known weaknesses: this is the value of a different game, without hidden information. Max^n finds one equilibrium
//! of several.

use std::hash::{Hash, Hasher};

use arrayvec::ArrayVec;
use stier_core::key::mix;
use stier_core::{Action, ActionSet as _, BySeat, Dealer, Game, Hints, History, Rng, Seat, Turn};

use crate::agent::sampling::MAX_ACTIONS;
use crate::agent::stop::Stop;

/// A state with all cards open, and some or all of its mover's legal actions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenPosition<'a, S, A> {
    /// The state, in which a player is to act.
    pub state: &'a S,
    /// The actions, ascending.
    pub legal: A,
}

/// The values of an action in one world.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct WorldValues {
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
    pub(crate) fn once(action: Action, values: BySeat<f32>) -> Self {
        Self { action, values, visits: 1, available: 1 }
    }
}

/// The results of chance from here on. They do not depend on the players' actions.
#[derive(Clone, Debug)]
pub(crate) enum Future {
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
    pub(crate) fn drawn(seed: u64) -> Self {
        Self::Drawn { seed, event: 0 }
    }

    /// The next random event in a state in which chance is to act.
    #[inline]
    pub(crate) fn next<G: Game>(&mut self, game: &G, state: &G::State) -> Action {
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
    pub(crate) fn settle<G: Game>(&mut self, game: &G, state: &mut G::State) -> bool {
        let mut any = false;
        while game.turn(state) == Turn::Chance {
            let outcome = self.next(game, state);
            game.apply(state, outcome);
            any = true;
        }
        any
    }

    /// Appends an action to a history, and the random events that follow.
    pub(crate) fn push<G: Game>(&mut self, game: &G, history: &mut History<G>, action: Action) {
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

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Solution {
    /// The actions of the root, ascending, each tried once.
    pub actions: Vec<WorldValues>,
    /// True if these are the values of best play to the end.
    pub exact: bool,
    /// True if a searched line contained random events.
    pub chance: bool,
    /// The number of nodes searched at all depths.
    pub nodes: u64,
}

/// The number of slots of a transposition table.
const SLOTS: usize = 1 << 16;
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

/// The result for a position.
#[derive(Clone, Debug)]
struct Entry<T> {
    generation: u32,
    depth: u32,
    key: u64,
    result: T,
}

/// A transposition table, which takes memory once it is used.
#[derive(Clone, Debug)]
struct Table<T> {
    slots: Vec<Option<Entry<T>>>,
    /// The current generation. Entries of earlier generations are forgotten.
    generation: u32,
}

impl<T: Clone> Table<T> {
    fn clear(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.clear();
        }
    }

    #[inline]
    fn get(&self, key: u64) -> Option<&Entry<T>> {
        let entry = self.slots.get(key as usize % SLOTS)?.as_ref();
        entry.filter(|entry| entry.key == key && entry.generation == self.generation)
    }

    #[inline]
    fn put(&mut self, key: u64, depth: u32, result: T) {
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, None);
        }
        self.slots[key as usize % SLOTS] = Some(Entry { generation: self.generation, depth, key, result });
    }
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), generation: 0 }
    }
}

/// The solver, with tables that are kept from one search to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenCards {
    /// Alpha-beta's values for seat 0, with the best action.
    bounds: Table<(f32, Bound, Action)>,
    /// The values of max^n.
    values: Table<BySeat<f32>>,
    /// The cut-offs by seat and action.
    history: Vec<u32>,
}

impl OpenCards {
    /// Forgets the positions of earlier searches but keeps the memory. The next search has the same result as that of
    /// a new solver.
    pub(crate) fn clear(&mut self) {
        self.bounds.clear();
        self.values.clear();
    }

    /// Values the actions of a position. After `nodes` nodes at which actions are compared, or if it must stop, the
    /// search ends with the last completed depth. The first depth, one decision, is always completed.
    pub(crate) fn solve<G: Hints>(
        &mut self,
        game: &G,
        position: OpenPosition<'_, G::State, G::Actions>,
        future: &Future,
        nodes: u64,
        stop: &Stop<'_>,
    ) -> Solution {
        self.history.clear();
        self.history.resize(game.num_seats() * game.num_actions(), 0);
        let sum = game.info().utility_sum.map(|sum| sum as f32);
        let range = game.rounded_range();
        let mut search =
            Search { game, tables: self, range, sum, nodes: 0, most: u64::MAX, stop: *stop, chance: false };
        let (mut actions, mut exact) = (Vec::new(), false);
        let mut depth = 0;
        while !exact && (depth == 0 || search.nodes < nodes && !stop.is_due()) {
            let Some(found) = search.root(position, future, depth) else { break };
            (actions, exact) = found;
            depth += 2;
            search.most = nodes;
        }
        Solution { actions, exact, chance: search.chance, nodes: search.nodes }
    }
}

struct Search<'a, G: Game> {
    game: &'a G,
    tables: &'a mut OpenCards,
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
    /// Values the actions of the root by a search of this depth below them, and returns true as well if all values are
    /// those of best play. `None` if the search was stopped.
    fn root(
        &mut self,
        position: OpenPosition<'_, G::State, G::Actions>,
        future: &Future,
        depth: u32,
    ) -> Option<(Vec<WorldValues>, bool)> {
        let (mut actions, mut all) = (Vec::new(), true);
        for action in position.legal.iter() {
            let (next, coming) = self.after(position.state, future, action);
            let (values, certain) = match self.sum {
                Some(sum) if self.game.num_seats() == 2 => {
                    let (value, certain) = self.alpha_beta(next, coming, self.range.0, self.range.1, depth)?;
                    (BySeat::from([value, sum - value]), certain)
                }
                _ => self.max_n(next, coming, depth, None).map(|(values, certain, _)| (values, certain))?,
            };
            all &= certain;
            actions.push(WorldValues::once(action, values));
        }
        Some((actions, all))
    }

    /// The state after an action, and the future from there.
    #[inline]
    fn after(&mut self, state: &G::State, future: &Future, action: Action) -> (G::State, Future) {
        let (mut next, mut coming) = (*state, future.clone());
        self.play(&mut next, &mut coming, action);
        (next, coming)
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
        let mut words = Words::default();
        state.hash(&mut words);
        mix(words.finish(), future.mark(self.game, state))
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
            return Some((self.game.evaluate(&state)[Seat(0)], false));
        }
        if self.is_out() {
            return None;
        }
        let key = self.key(&state, &future);
        let mut first = None;
        if let Some(&Entry { depth: known, result: (value, bound, best), .. }) = self.tables.bounds.get(key) {
            let cuts = match bound {
                Bound::Exact => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            };
            if cuts && known >= depth {
                return Some((value, known == CERTAIN));
            }
            first = Some(best);
        }
        // From here on values are from the mover's side: more is better.
        let sign = if seat == Seat(0) { 1.0 } else { -1.0 };
        let (low, high) = if seat == Seat(0) { (alpha, beta) } else { (-beta, -alpha) };
        let mut best = (f32::NEG_INFINITY, Action(0));
        let mut certain = true;
        for action in self.ordered(&state, seat, legal, first) {
            let (next, coming) = self.after(&state, &future, action);
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
        self.tables.bounds.put(key, if certain { CERTAIN } else { depth }, (value, bound, best.1));
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
            return Some((self.game.evaluate(&state), false, true));
        }
        if self.is_out() {
            return None;
        }
        let key = self.key(&state, &future);
        if let Some(entry) = self.tables.values.get(key)
            && entry.depth >= depth
        {
            return Some((entry.result.clone(), entry.depth == CERTAIN, true));
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
            let (next, coming) = self.after(&state, &future, action);
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
            self.tables.values.put(key, if certain { CERTAIN } else { depth }, values.clone());
        }
        Some((values, certain, whole))
    }
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
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word), 8 * chunk.len() as u32);
        }
    }

    /// Lengths and variant numbers are small.
    #[inline(always)]
    fn write_usize(&mut self, value: usize) {
        self.add(value as u64 & 0xffff, 16);
    }

    #[inline(always)]
    fn write_isize(&mut self, value: isize) {
        self.write_usize(value as usize);
    }
}

/// The solver compared with brute force through the game's own trait.
#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::Instant;

    use stier_core::games::kuhn_poker::{BET, KuhnPoker, PASS};
    use stier_core::games::{
        schweins_galopp::SchweinsGalopp, schwimmen::Schwimmen, schwinget::Schwinget, up_and_down::UpAndDown,
    };
    use stier_core::{Action, ActionSet as _, BySeat, FromRules, Game, Hints, History, Rng, Turn};

    use super::{Future, OpenCards, OpenPosition, Solution, WorldValues};
    use crate::agent::Stop;

    /// Best play by all players, with the first of equal actions; `None` if there are more decisions than `left`.
    fn brute_force<G: Game>(game: &G, mut state: G::State, mut future: Future, left: &mut u64) -> Option<BySeat<f32>> {
        future.settle(game, &mut state);
        let Turn::Seat(seat) = game.turn(&state) else { return Some(game.rounded_returns(&state)) };
        *left = left.checked_sub(1)?;
        let mut best: Option<BySeat<f32>> = None;
        for action in game.legal(&state).iter() {
            let mut next = state;
            game.apply(&mut next, action);
            let values = brute_force(game, next, future.clone(), left)?;
            if best.as_ref().is_none_or(|best| values[seat] > best[seat]) {
                best = Some(values);
            }
        }
        best
    }

    fn solve<G: Hints>(solver: &mut OpenCards, game: &G, state: &G::State, future: &Future, nodes: u64) -> Solution {
        let never = AtomicBool::new(false);
        let stop = Stop::new(Instant::now(), 0, &never);
        solver.solve(game, OpenPosition { state, legal: game.legal(state) }, future, nodes, &stop)
    }

    /// Plays random games and solves their endings, from the last decision back to where brute force would take more
    /// than `most` nodes. Returns the number of endings, and the number with a random event to come.
    fn agrees<G: Hints + FromRules>(rules: &str, endings: u64, most: u64) -> [u64; 2] {
        let game = G::from_text(rules).expect("a game");
        let mut solver = OpenCards::default();
        let (mut done, mut random) = (0, 0);
        for index in 0.. {
            let mut rng = Rng::stream(8, "endings", index);
            let mut history = History::dealt(&game, &mut rng);
            let mut states = Vec::new();
            while let Turn::Seat(_) = game.turn(history.state()) {
                states.push(*history.state());
                history.push(&game, game.legal(history.state()).pick(&mut rng));
                history.settle(&game, &mut rng);
            }
            for (state, seed) in states.iter().rev().zip(index..) {
                let future = Future::drawn(seed);
                let mut left = most;
                let expected: Option<Vec<(Action, BySeat<f32>)>> = game
                    .legal(state)
                    .iter()
                    .map(|action| {
                        let mut next = *state;
                        game.apply(&mut next, action);
                        Some((action, brute_force(&game, next, future.clone(), &mut left)?))
                    })
                    .collect();
                let Some(expected) = expected else { break };
                let found = solve(&mut solver, &game, state, &future, u64::MAX);
                assert!(found.exact);
                assert_eq!(found.actions.len(), expected.len());
                for (found, expected) in found.actions.iter().zip(&expected) {
                    assert_eq!(found.action, expected.0);
                    let close = found.values.iter().zip(expected.1.iter()).all(|(a, b)| (a - b).abs() < 1e-4);
                    assert!(close, "{rules} {state:?}: {found:?}, by brute force {expected:?}");
                }
                done += 1;
                random += u64::from(found.chance);
            }
            if done >= endings {
                return [done, random];
            }
        }
        unreachable!("games do not run out")
    }

    #[test]
    fn schwinget_agrees_with_brute_force() {
        let mut done = 0;
        for rules in [
            "",
            "suits=3,values=4,hand_size=3,set_aside=2,utility=win",
            "suits=2,values=4,hand_size=2,set_aside=2,specials=anytime",
            "suits=2,values=3,hand_size=2,set_aside=2,bouts=2,scoring=schwinger",
            "suits=3,values=4,hand_size=3,set_aside=2,scoring=schwinger",
        ] {
            done += agrees::<Schwinget>(rules, 800, 4000)[0];
        }
        let [small, random] = agrees::<Schwinget>("suits=2,values=4,hand_size=2,set_aside=2", 1000, 100_000);
        assert!(random > 100, "{random} endings with cards to draw");
        assert!(done + small >= 5000);
    }

    #[test]
    fn up_and_down_agrees_with_brute_force() {
        for rules in
            ["players=2", "die_faces=2,players=3,hand_size=3", "die_faces=2,hand_size=2", "players=2,utility=score"]
        {
            agrees::<UpAndDown>(rules, 500, 4000);
        }
        let [_, random] = agrees::<UpAndDown>("players=2,die_faces=2,hand_size=2,rounds=2,utility=win", 300, 50_000);
        assert!(random > 30, "{random} endings with dice to roll");
    }

    #[test]
    fn schweins_galopp_agrees_with_brute_force() {
        for rules in ["", "players=2", "players=3,utility=win", "players=2,track_food=on,rounds=2"] {
            agrees::<SchweinsGalopp>(rules, 500, 4000);
        }
    }

    #[test]
    fn schwimmen_agrees_with_brute_force() {
        for rules in [
            "max_turns=4",
            "max_turns=3,players=2",
            "max_turns=3,players=5,utility=win",
            "max_turns=5,suits=2,players=2",
        ] {
            agrees::<Schwimmen>(rules, 400, 4000);
        }
    }

    #[test]
    fn kuhn_with_open_cards_is_a_simple_game() {
        let game = KuhnPoker::new(Default::default()).expect("default rules");
        let mut solver = OpenCards::default();
        for (first, second) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
            let mut state = game.root();
            game.apply(&mut state, Action(first));
            game.apply(&mut state, Action(second));
            let found = solve(&mut solver, &game, &state, &Future::drawn(1), 1000);
            assert!(found.exact && !found.chance);
            // The higher card wins the antes whatever it does. The lower one loses another bet by betting into a call.
            let (pass, bet) = if first > second { (1.0, 1.0) } else { (-1.0, -2.0) };
            let values = |(action, value): (Action, f32)| WorldValues::once(action, BySeat::from([value, -value]));
            assert_eq!(found.actions, [(PASS, pass), (BET, bet)].map(values));
        }
    }

    #[test]
    fn the_results_of_chance_are_fixed() {
        let game = Schwinget::new(Default::default()).expect("default rules");
        let history = History::dealt(&game, &mut Rng::stream(2, "future", 0));
        // The cards left before every draw, without attacks: the pile's order does not depend on play.
        let pools = |seed, choices| {
            let mut rng = Rng::stream(3, "choices", choices);
            let (mut state, mut future, mut pools) = (*history.state(), Future::drawn(seed), Vec::new());
            let attack: <Schwinget as Game>::Actions = [Action(26)].into_iter().collect();
            while let Turn::Seat(_) = game.turn(&state) {
                let action = game.legal(&state).without(attack).pick(&mut rng);
                game.apply(&mut state, action);
                if game.turn(&state) == Turn::Chance {
                    pools.push(game.chance(&state));
                }
                future.settle(&game, &mut state);
            }
            (pools, state)
        };
        let (fixed, end) = pools(5, 0);
        assert_eq!(fixed.len(), 12);
        for choices in 1..5 {
            let (other, other_end) = pools(5, choices);
            assert_eq!(other, fixed);
            assert_ne!(other_end, end);
        }
        assert_ne!(pools(6, 0).0, fixed);
    }

    #[test]
    fn budgets_cut_the_depth_not_the_answer() {
        let game = SchweinsGalopp::new(Default::default()).expect("default rules");
        let history = History::dealt(&game, &mut Rng::stream(2, "budget", 0));
        let mut solver = OpenCards::default();
        let future = Future::drawn(1);
        let [first, middle, last] = [1, 100, 10_000].map(|nodes| {
            let found = solve(&mut solver, &game, history.state(), &future, nodes);
            assert!(!found.exact && found.nodes <= nodes.max(1) + 1);
            assert_eq!(found.actions.len(), game.legal(history.state()).len());
            found
        });
        assert!(first.nodes < middle.nodes && middle.nodes < last.nodes);
        assert_ne!(first.actions, last.actions, "deeper searches know more");
        // An interrupt leaves the result of the first depth.
        let flag = AtomicBool::new(true);
        let position = OpenPosition { state: history.state(), legal: game.legal(history.state()) };
        let found = solver.solve(&game, position, &future, u64::MAX, &Stop::new(Instant::now(), 0, &flag));
        assert_eq!(found.actions, first.actions);
    }
}
