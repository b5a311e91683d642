//! Monte Carlo counterfactual regret minimization: on the game itself, no tree in memory.
//!
//! M. Lanctot, K. Waugh, M. Zinkevich and M. Bowling, *Monte Carlo Sampling for Regret Minimization in Extensive Games*, 2009. A
//! traversal sees only a part of the game and corrects for what it leaves out, so that regrets are right in the mean: *external
//! sampling* draws what chance and the others do and tries every action of one player; *outcome sampling* plays a single game. In
//! two-player zero-sum games the average policy approaches an equilibrium, with high probability at a rate of 1/sqrt(iterations),
//! with a constant that is larger the less a traversal sees. For more players or general sums nothing is guaranteed.
//!
//! Information sets are met as play goes and looked up by their views, compared in full. A traversal takes time for each history that
//! it sees times the length of that history, for a view is taken; a set takes a view and 16 bytes for each action.
//!
//! An iteration is a batch of [`BATCH`] traversals for each seat in turn, all of a batch with the policy from before it, added up in
//! order: one seed gives the same bits on any number of threads.

use std::collections::HashMap;
use std::ops::ControlFlow;

use rayon::prelude::{IntoParallelIterator as _, ParallelIterator as _};
use rustc_hash::FxBuildHasher;
use stier_core::{ActionSet as _, Game, History, Rng, Seat, Turn, choice};

use crate::solve::cfr::{match_row, normalize};
use crate::solve::game_tree::{GameTree, Policy};

/// Traversals for one seat with the same policy.
pub const BATCH: u64 = 64;

/// With outcome sampling, how often a traversal for a player chooses that player's action uniformly instead of by its policy.
const EXPLORATION: f64 = 0.6;

choice! {
    /// What a traversal sees.
    pub enum Sampling {
        /// One draw of chance and the others, every action of the player.
        External = "external",
        /// One game.
        Outcome = "outcome",
    }
}

/// What is known of an information set.
#[derive(Clone, Debug)]
struct Row {
    regrets: Vec<f64>,
    sums: Vec<f64>,
}

/// What a traversal adds at an information set: to the regrets, or to the sum of the policies.
struct Change<V> {
    view: V,
    to_regrets: bool,
    by: Vec<f64>,
}

/// A calculation in progress.
#[derive(Clone, Debug)]
pub struct Mccfr<G: Game> {
    game: G,
    sampling: Sampling,
    seed: u64,
    iterations: u64,
    rows: HashMap<G::View, Row, FxBuildHasher>,
}

impl<G: Game> Mccfr<G> {
    /// Begins with uniform play.
    pub fn new(game: &G, sampling: Sampling, seed: u64) -> Self {
        Self { game: game.clone(), sampling, seed, iterations: 0, rows: HashMap::default() }
    }

    /// Finished iterations.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Information sets met so far.
    pub fn num_sets(&self) -> usize {
        self.rows.len()
    }

    /// Goes on for so many iterations. `watch` is told the number of finished ones after each and may break off.
    pub fn run(&mut self, iterations: u64, watch: &(dyn Fn(u64) -> ControlFlow<()> + Sync)) -> ControlFlow<()> {
        for _ in 0..iterations {
            for seat in Seat::all(self.game.num_seats()) {
                let first = (self.iterations * self.game.num_seats() as u64 + u64::from(seat.0)) * BATCH;
                let changes: Vec<Vec<Change<G::View>>> =
                    (first..first + BATCH).into_par_iter().map(|index| self.traverse(seat, index)).collect();
                changes.into_iter().flatten().for_each(|change| self.change(change));
            }
            self.iterations += 1;
            watch(self.iterations)?;
        }
        ControlFlow::Continue(())
    }

    /// The average policy at an information set, ascending by action; `None` if it has not been met.
    pub fn average(&self, view: &G::View) -> Option<Vec<f64>> {
        self.rows.get(view).map(|row| {
            let mut average = row.sums.clone();
            normalize(&mut average);
            average
        })
    }

    /// The average policy on a whole tree of the game; uniform at information sets that have not been met.
    pub fn average_policy(&self, tree: &GameTree<G>) -> Policy {
        Policy::from_fn(tree, |set| {
            let width = set.legal().len();
            self.average(&set.view()).unwrap_or_else(|| vec![1.0 / width as f64; width])
        })
    }

    fn change(&mut self, change: Change<G::View>) {
        let width = change.by.len();
        let row =
            self.rows.entry(change.view).or_insert_with(|| Row { regrets: vec![0.0; width], sums: vec![0.0; width] });
        let to = if change.to_regrets { &mut row.regrets } else { &mut row.sums };
        to.iter_mut().zip(change.by).for_each(|(sum, by)| *sum += by);
    }

    /// The policy now.
    fn policy(&self, view: &G::View, width: usize) -> Vec<f64> {
        let mut policy = vec![1.0 / width as f64; width];
        if let Some(row) = self.rows.get(view) {
            match_row(&row.regrets, &mut policy);
        }
        policy
    }

    fn traverse(&self, seat: Seat, index: u64) -> Vec<Change<G::View>> {
        let mut traversal =
            Traversal { solver: self, seat, rng: Rng::stream(self.seed, "mccfr", index), changes: Vec::new() };
        let root = History::new(&self.game);
        match self.sampling {
            Sampling::External => traversal.external(root),
            Sampling::Outcome => traversal.outcome(root, Reach { own: 1.0, others: 1.0, sampled: 1.0 }),
        };
        traversal.changes
    }
}

/// The probability with which the player, or chance and the others, lead to a history, and that of sampling it.
#[derive(Clone, Copy)]
struct Reach {
    own: f64,
    others: f64,
    sampled: f64,
}

/// A traversal for one seat.
struct Traversal<'a, G: Game> {
    solver: &'a Mccfr<G>,
    seat: Seat,
    rng: Rng,
    changes: Vec<Change<G::View>>,
}

impl<G: Game> Traversal<'_, G> {
    /// An estimate of what the policy is worth to the seat from here on, given that chance and the others lead here.
    fn external(&mut self, mut history: History<G>) -> f64 {
        let game = &self.solver.game;
        history.settle(game, &mut self.rng);
        let Turn::Seat(mover) = game.turn(history.state()) else {
            return game.returns(history.state())[self.seat];
        };
        let legal = game.legal(history.state());
        let view = game.view(&history, mover);
        let policy = self.solver.policy(&view, legal.len());
        if mover != self.seat {
            // The next player's policies are averaged while they are sampled: in proportion to its own probability of coming here.
            let rank = sample(&policy, &mut self.rng);
            if mover == self.seat.after(1, game.num_seats()) {
                self.changes.push(Change { view, to_regrets: false, by: policy });
            }
            history.push(game, legal.nth(rank));
            return self.external(history);
        }
        let mut values = Vec::with_capacity(legal.len());
        for action in legal.iter() {
            let mut next = history.clone();
            next.push(game, action);
            values.push(self.external(next));
        }
        let mean: f64 = policy.iter().zip(&values).map(|(share, value)| share * value).sum();
        values.iter_mut().for_each(|value| *value -= mean);
        self.changes.push(Change { view, to_regrets: true, by: values });
        mean
    }

    /// The same from a single game, in the mean over all games that could be sampled from here.
    fn outcome(&mut self, mut history: History<G>, reach: Reach) -> f64 {
        let game = &self.solver.game;
        // Chance is sampled as it is: its part in `others` and in `sampled` cancels out.
        history.settle(game, &mut self.rng);
        let Turn::Seat(mover) = game.turn(history.state()) else {
            return game.returns(history.state())[self.seat];
        };
        let legal = game.legal(history.state());
        let view = game.view(&history, mover);
        let policy = self.solver.policy(&view, legal.len());
        let explores = mover == self.seat && self.rng.unit() < EXPLORATION;
        let rank = if explores { self.rng.below(legal.len() as u32) as usize } else { sample(&policy, &mut self.rng) };
        let (share, odds) = match policy[rank] {
            share if mover == self.seat => (share, EXPLORATION / legal.len() as f64 + (1.0 - EXPLORATION) * share),
            share => (share, share),
        };
        let sampled = reach.sampled * odds;
        history.push(game, legal.nth(rank));
        if mover != self.seat {
            return self.outcome(history, Reach { others: reach.others * share, sampled, ..reach });
        }
        let value = self.outcome(history, Reach { own: reach.own * share, sampled, ..reach }) / odds;
        let mean = share * value;
        let weight = reach.others / reach.sampled;
        let regret = |action: usize| weight * (if action == rank { value - mean } else { -mean });
        let regrets = (0..policy.len()).map(regret).collect();
        let sums = policy.iter().map(|share| reach.own * share / reach.sampled).collect();
        self.changes.push(Change { view: view.clone(), to_regrets: true, by: regrets });
        self.changes.push(Change { view, to_regrets: false, by: sums });
        mean
    }
}

/// A rank, with these probabilities.
fn sample(probabilities: &[f64], rng: &mut Rng) -> usize {
    let mut left = rng.unit();
    let found = probabilities.iter().position(|&probability| {
        left -= probability;
        left < 0.0
    });
    // Rounding may leave a little: the last of those that can be.
    found.or_else(|| probabilities.iter().rposition(|&probability| probability > 0.0)).unwrap_or(0)
}
