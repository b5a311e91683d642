//! Monte Carlo counterfactual regret minimization on the game itself, without a tree in memory.
//!
//! M. Lanctot, K. Waugh, M. Zinkevich and M. Bowling, *Monte Carlo Sampling for Regret Minimization in Extensive
//! Games*, 2009. A traversal sees only part of the game and corrects for the rest, so that regrets are right on
//! average. *External sampling* draws the actions of chance and the others and tries every action of one player.
//! *Outcome sampling* plays a single game. In two-player zero-sum games the average policy approaches an equilibrium,
//! with high probability at a rate of 1/sqrt(iterations). The constant is larger the less a traversal sees. With more
//! players or general sums there is no guarantee.
//!
//! Information sets are created when they are first met and looked up by 64-bit keys of what their seat has learned.
//! Two sets have the same key only by accident, with a probability of about 2^-64. The time of a traversal is
//! proportional to the number of histories that it sees. A set takes 16 bytes per action and about 50 more.
//!
//! An iteration is a batch of [`BATCH`] traversals for each seat in turn. All traversals of a batch use the policy
//! from before it, and their changes are added in order. The result for a seed has the same bits on any number of
//! threads.

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;
use stier_core::key::{Chain, Past};
use stier_core::{Action, ActionSet as _, BySeat, Game, Rng, Seat, SeatView as _};

use crate::agent::chains::{look, new_chain, notice, seat_chains};
use crate::agent::sampling::place;
use crate::agent::threads::{WatchOf, map_all};
use crate::solve::cfr::{match_row, normalize};
use crate::solve::game_tree::{GameTree, Policy};

/// The number of traversals for one seat with the same policy.
pub const BATCH: u64 = 64;

/// The probability that a traversal with outcome sampling chooses its player's action uniformly instead of by the
/// policy.
const EXPLORATION: f64 = 0.6;

/// The part of the game that a traversal sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sampling {
    /// One draw of chance and the others, and every action of the player.
    External,
    /// One game.
    Outcome,
}

/// The information sets met so far, by the keys of their seat's chain: the regrets of each, and after them the sums of
/// its policies.
#[derive(Clone, Debug, Default)]
struct Sums(FxHashMap<u64, Box<[f64]>>);

impl Sums {
    /// The average policy at a set; `None` if it was not met.
    fn average(&self, set: u64) -> Option<Vec<f64>> {
        let row = self.0.get(&set)?;
        let mut average = row[row.len() / 2..].to_vec();
        normalize(&mut average);
        Some(average)
    }

    /// Appends the current policy at a set to the numbers.
    fn push_current(&self, set: u64, width: usize, numbers: &mut Vec<f64>) {
        let start = numbers.len();
        numbers.resize(start + width, 1.0 / width as f64);
        if let Some(row) = self.0.get(&set) {
            match_row(&row[..width], &mut numbers[start..]);
        }
    }

    fn add(&mut self, changes: &Changes) {
        let mut start = 0;
        for &Change { set, to_regrets, width } in &changes.list {
            let row = self.0.entry(set).or_insert_with(|| vec![0.0; 2 * width].into());
            let to = if to_regrets { &mut row[..width] } else { &mut row[width..] };
            to.iter_mut().zip(&changes.by[start..start + width]).for_each(|(sum, by)| *sum += by);
            start += width;
        }
    }
}

/// A traversal's addition to an information set: to the regrets or to the sums of the policies.
struct Change {
    set: u64,
    to_regrets: bool,
    width: usize,
}

/// The additions of a traversal in order, and their numbers one after the other.
#[derive(Default)]
struct Changes {
    list: Vec<Change>,
    by: Vec<f64>,
}

impl Changes {
    fn push(&mut self, set: u64, to_regrets: bool, by: impl ExactSizeIterator<Item = f64>) {
        self.list.push(Change { set, to_regrets, width: by.len() });
        self.by.extend(by);
    }
}

/// A calculation in progress.
#[derive(Clone, Debug)]
pub struct Mccfr<G: Game> {
    game: G,
    sampling: Sampling,
    seed: u64,
    iterations: u64,
    sums: Sums,
}

impl<G: Game> Mccfr<G> {
    /// Starts from the uniform policy.
    pub fn new(game: &G, sampling: Sampling, seed: u64) -> Self {
        Self { game: game.clone(), sampling, seed, iterations: 0, sums: Sums::default() }
    }

    /// The number of finished iterations.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Runs for this many more iterations; see [`Iterative::run`](crate::solve::Iterative::run).
    pub fn run(&mut self, iterations: u64, watch: WatchOf<'_, u64>) -> ControlFlow<()> {
        for _ in 0..iterations {
            for seat in Seat::all(self.game.num_seats()) {
                let first = (self.iterations * self.game.num_seats() as u64 + u64::from(seat.0)) * BATCH;
                let changes = map_all(BATCH as usize, |index| self.traverse(seat, first + index as u64));
                changes.iter().for_each(|changes| self.sums.add(changes));
            }
            self.iterations += 1;
            watch(self.iterations)?;
        }
        ControlFlow::Continue(())
    }

    /// The average policy so far on a tree of the game; uniform at information sets that were not met.
    pub fn policy(&self, tree: &GameTree<G>) -> Policy {
        self.policy_by_keys(tree, &keys(tree))
    }

    /// The same, with the [`keys`] of the tree.
    pub(crate) fn policy_by_keys(&self, tree: &GameTree<G>, keys: &[u64]) -> Policy {
        let row = |set: u32| {
            let width = tree.width(set) as usize;
            self.sums.average(keys[set as usize]).unwrap_or_else(|| vec![1.0 / width as f64; width])
        };
        Policy::try_from_rows(tree, &mut |set| Some(row(set))).expect("a row for each set")
    }

    /// The number of information sets met so far.
    pub fn num_sets(&self) -> usize {
        self.sums.0.len()
    }

    /// The average policy at an information set, ascending by action; `None` if the set was not met.
    pub fn average(&self, view: &G::View) -> Option<Vec<f64>> {
        self.sums.average(key_of(view.past()))
    }

    fn traverse(&self, seat: Seat, index: u64) -> Changes {
        let rng = Rng::stream(self.seed, "mccfr", index);
        let mut traversal = Traversal { solver: self, seat, rng, stack: Vec::new(), changes: Changes::default() };
        let root = Position { state: self.game.root(), chains: seat_chains(self.game.num_seats()) };
        match self.sampling {
            Sampling::External => traversal.external(root),
            Sampling::Outcome => traversal.outcome(root, Reach { own: 1.0, others: 1.0, sampled: 1.0 }),
        };
        traversal.changes
    }
}

/// The probabilities that the player, or chance and the others, lead to a history, and the probability of sampling
/// it.
#[derive(Clone, Copy)]
struct Reach {
    own: f64,
    others: f64,
    sampled: f64,
}

/// A state and what each seat has learned on the way to it.
#[derive(Clone)]
struct Position<S> {
    state: S,
    chains: BySeat<Chain>,
}

impl<S: Copy> Position<S> {
    /// Lets chance act. Returns the player to act and the key of its information set, unless the game is over.
    fn settle<G: Game<State = S>>(&mut self, game: &G, rng: &mut Rng) -> Option<(Seat, u64)> {
        game.settle(&mut self.state, rng);
        let mover = game.turn(&self.state).seat()?;
        look(&mut self.chains, game, &self.state);
        Some((mover, self.chains[mover].key()))
    }

    fn push<G: Game<State = S>>(&mut self, game: &G, action: Action) {
        notice(&mut self.chains, game, &self.state, action);
        game.apply(&mut self.state, action);
    }
}

/// A traversal for one seat.
struct Traversal<'a, G: Game> {
    solver: &'a Mccfr<G>,
    seat: Seat,
    rng: Rng,
    /// The policies and values at the decisions on the way.
    stack: Vec<f64>,
    changes: Changes,
}

impl<G: Game> Traversal<'_, G> {
    /// Estimates the value of the policy to the seat from here on, given that chance and the others lead here.
    fn external(&mut self, mut position: Position<G::State>) -> f64 {
        let game = &self.solver.game;
        let Some((mover, set)) = position.settle(game, &mut self.rng) else {
            return game.returns(&position.state)[self.seat];
        };
        let legal = game.legal(&position.state);
        let (start, width) = (self.stack.len(), legal.len());
        self.solver.sums.push_current(set, width, &mut self.stack);
        if mover != self.seat {
            // The next player's policy is averaged while it is sampled: in proportion to that player's own
            // probability of reaching the set.
            let policy = self.stack[start..].iter().copied();
            let rank = place(policy.clone(), self.rng.unit());
            if mover == self.seat.after(1, game.num_seats()) {
                self.changes.push(set, false, policy);
            }
            self.stack.truncate(start);
            position.push(game, legal.nth(rank));
            return self.external(position);
        }
        self.stack.resize(start + 2 * width, 0.0);
        for (rank, action) in legal.iter().enumerate() {
            let mut next = position.clone();
            next.push(game, action);
            self.stack[start + width + rank] = self.external(next);
        }
        let (policy, values) = self.stack[start..].split_at(width);
        let mean: f64 = policy.iter().zip(values).map(|(share, value)| share * value).sum();
        self.changes.push(set, true, values.iter().map(|value| value - mean));
        self.stack.truncate(start);
        mean
    }

    /// Estimates the same value from a single game. The estimate is right on average over all games that could be
    /// sampled from here.
    fn outcome(&mut self, mut position: Position<G::State>, reach: Reach) -> f64 {
        let game = &self.solver.game;
        // Chance is sampled with its own probabilities, so its part in `others` and in `sampled` cancels out.
        let Some((mover, set)) = position.settle(game, &mut self.rng) else {
            return game.returns(&position.state)[self.seat];
        };
        let legal = game.legal(&position.state);
        let (start, width) = (self.stack.len(), legal.len());
        self.solver.sums.push_current(set, width, &mut self.stack);
        let policy = &self.stack[start..];
        let explores = mover == self.seat && self.rng.unit() < EXPLORATION;
        let rank = if explores {
            self.rng.below(width as u32) as usize
        } else {
            place(policy.iter().copied(), self.rng.unit())
        };
        let (share, odds) = match policy[rank] {
            share if mover == self.seat => (share, EXPLORATION / width as f64 + (1.0 - EXPLORATION) * share),
            share => (share, share),
        };
        let sampled = reach.sampled * odds;
        position.push(game, legal.nth(rank));
        if mover != self.seat {
            return self.outcome(position, Reach { others: reach.others * share, sampled, ..reach });
        }
        let value = self.outcome(position, Reach { own: reach.own * share, sampled, ..reach }) / odds;
        let mean = share * value;
        let weight = reach.others / reach.sampled;
        let regret = |action: usize| weight * (if action == rank { value - mean } else { -mean });
        self.changes.push(set, true, (0..width).map(regret));
        let policy = &self.stack[start..start + width];
        self.changes.push(set, false, policy.iter().map(|share| reach.own * share / reach.sampled));
        mean
    }
}

/// The keys of all information sets of a tree. Replays a history of each.
pub(crate) fn keys<G: Game>(tree: &GameTree<G>) -> Vec<u64> {
    tree.sets().map(|set| key_of(set.view().past())).collect()
}

/// The key of a seat with this past.
fn key_of(past: &Past) -> u64 {
    past.chain(new_chain(past.seat()), true).key()
}
