//! A policy in a table with one row for every information set of a small game, looked up by a player's view.
//!
//! Such a policy comes from [solving](crate::solve) a game, or from [querying](policy_of) an agent at every
//! information set. The table can play like any other agent: a [`TableAgent`] draws from the row of its view.
//! Looking up a view needs an index of the tree with 16 bytes per information set. It is built at the first lookup,
//! by replaying a history of each set.

use std::panic::resume_unwind;
use std::sync::{Arc, OnceLock};
use std::thread;

use stier_core::hash::hash_of;
use stier_core::{Action, ActionSet as _, Game, Rng, SeatView as _};

use crate::agent::threads::{self, Halted, Watch, each, goes_on};
use crate::agent::{Agent, Decision};
use crate::solve::game_tree::{GameTree, Node, Policy, Tree};

/// A tree whose information sets are found by their player's view.
#[derive(Debug)]
pub struct IndexedTree<G: Game> {
    tree: GameTree<G>,
    /// Hashes of views with their sets, ascending.
    index: OnceLock<Vec<(u64, u32)>>,
}

impl<G: Game> IndexedTree<G> {
    /// Wraps a tree. The index is built when it is needed.
    pub fn new(tree: GameTree<G>) -> Self {
        Self { tree, index: OnceLock::new() }
    }

    /// The tree.
    pub fn tree(&self) -> &GameTree<G> {
        &self.tree
    }

    /// The information set of the player to act with this view; `None` if no history of the game leads to it.
    pub fn find(&self, view: &G::View) -> Option<u32> {
        let tree = &self.tree;
        let index = self.index.get_or_init(|| index(tree.num_sets(), &|set| hash_of(&tree.set(set).view())));
        let hash = hash_of(view);
        let from = index.partition_point(|&(other, _)| other < hash);
        let mut alike = index[from..].iter().take_while(|&&(other, _)| other == hash);
        alike.find(|&&(_, set)| tree.set(set).view() == *view).map(|&(_, set)| set)
    }
}

/// The hashes of information sets with their numbers, ascending; calculated on separate threads. Threads of a pool
/// could ask for the index again while they wait for parts of it.
fn index(sets: usize, hash: &(dyn Fn(u32) -> u64 + Sync)) -> Vec<(u64, u32)> {
    let part = sets.div_ceil(threads::resolve(0)).max(1024);
    let work = |from: usize| (from..(from + part).min(sets)).map(|set| (hash(set as u32), set as u32)).collect();
    let mut index: Vec<_> = if part >= sets {
        // One part needs no thread: always so without the feature `threads`.
        work(0)
    } else {
        thread::scope(|scope| {
            let work = &work;
            let workers: Vec<_> = (0..sets).step_by(part).map(|from| scope.spawn(move || work(from))).collect();
            let parts = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
            parts.flatten().collect()
        })
    };
    index.sort_unstable();
    index
}

/// A policy and its tree.
#[derive(Clone, Debug)]
pub struct TabularPolicy<G: Game> {
    tree: Arc<IndexedTree<G>>,
    policy: Policy,
}

impl<G: Game> TabularPolicy<G> {
    /// Combines a tree and a policy of this tree.
    pub fn new(tree: Arc<IndexedTree<G>>, policy: Policy) -> Self {
        debug_assert_eq!(policy.rows().len(), tree.tree().num_rows());
        Self { tree, policy }
    }

    /// The tree.
    pub fn tree(&self) -> &Arc<IndexedTree<G>> {
        &self.tree
    }

    /// The probabilities.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The probabilities of the legal actions, ascending by action, for the player to act with this view; `None` if
    /// no history of the game leads to it.
    pub fn row(&self, view: &G::View) -> Option<&[f64]> {
        Some(self.policy.row(self.tree.find(view)?))
    }
}

impl<G: Game> StoredPolicy<G> for TabularPolicy<G> {
    const STREAM: &'static str = "tabular";

    fn shares(&self, _game: &G, view: &G::View) -> Vec<(Action, f64)> {
        let set = self.tree.find(view);
        debug_assert!(set.is_some(), "no history of the game leads to the view of {:?}", view.seat());
        let row = |set| self.tree.tree().actions(set).iter().copied().zip(self.policy.row(set).iter().copied());
        set.map_or(Vec::new(), |set| row(set).collect())
    }
}

/// A policy that is looked up by views.
pub trait StoredPolicy<G: Game>: Send + Sync {
    /// The name of the stream of draws.
    const STREAM: &'static str;

    /// The legal actions with their probabilities, for the player to act with this view.
    fn shares(&self, game: &G, view: &G::View) -> Vec<(Action, f64)>;
}

/// An agent that plays by a table.
#[derive(Debug)]
pub struct TableAgent<T> {
    table: Arc<T>,
    rng: Rng,
}

impl<T> TableAgent<T> {
    /// Creates a player with the streams of `seed`.
    pub fn new<G: Game>(table: Arc<T>, seed: u64) -> Self
    where
        T: StoredPolicy<G>,
    {
        Self { table, rng: Rng::stream(seed, T::STREAM, 0) }
    }
}

impl<G: Game, T: StoredPolicy<G>> Agent<G> for TableAgent<T> {
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let shares = self.table.shares(game, view);
        let share = |action| shares.iter().find(|share| share.0 == action).map_or(0.0, |share| share.1);
        let mut row: Vec<f64> = legal.iter().map(share).collect();
        let total: f64 = row.iter().sum();
        if total == 0.0 {
            row.fill(1.0 / legal.len() as f64);
        } else if shares.len() > row.len() {
            // The probability of withheld actions is distributed over the others in proportion.
            row.iter_mut().for_each(|share| *share /= total);
        }
        Decision::drawn(legal, row, &mut self.rng)
    }

    fn restart(&mut self, seed: u64) {
        self.rng = Rng::stream(seed, T::STREAM, 0);
    }
}

/// Computes an agent's policy at every information set: the mean of those with each of the seeds. `enter` creates an
/// agent, which is restarted with its own seed before each query. `watch` is called after every query, from any thread,
/// and may stop the calculation. The result depends on the seeds alone, not on the number of threads; 0 uses all cores.
///
/// A search is queried with a few of its random numbers only. A best response to its policy also exploits what is
/// particular to these, so the policy seems more exploitable than the agent is; with more seeds, less so.
pub fn policy_of<G: Game>(
    tree: &GameTree<G>,
    enter: &(dyn Fn() -> Box<dyn Agent<G>> + Sync),
    seeds: &[u64],
    threads: usize,
    watch: Watch<'_>,
) -> Result<Policy, Halted> {
    // Seeds follow the order of files, which does not depend on how sets are numbered.
    let mut ranks = vec![0; tree.num_sets()];
    (0..).zip(tree.sets_in_files()).for_each(|(rank, set)| ranks[set as usize] = rank);
    let rows = each(threads, tree.num_sets() as u64, enter, |agent, number| {
        let set = tree.set(number as u32);
        let (view, legal) = (set.view(), set.legal());
        let mut row = vec![0.0; legal.len()];
        for &seed in seeds {
            agent.restart(Rng::stream(seed, "policy of an agent", ranks[number as usize]).bits());
            let decision = agent.act(tree.game(), &view, legal);
            row.iter_mut().zip(&decision.policy).for_each(|(sum, (_, share))| *sum += share);
            goes_on(watch())?;
        }
        row.iter_mut().for_each(|share| *share /= seeds.len() as f64);
        Ok::<_, Halted>(row)
    })?;
    let mut rows = rows.into_iter();
    Ok(Policy::from_fn(tree, |_| rows.next().expect("a row for each set")))
}

/// Goes through all decisions of a game, in the order of the tree, with the probability that play by the policy leads
/// there.
fn each_decision(tree: &Tree, policy: &Policy, visit: &mut dyn FnMut(u32, f64)) {
    let mut reach = vec![0.0; tree.num_nodes()];
    reach[Tree::ROOT as usize] = 1.0;
    for (number, node) in tree.nodes().enumerate() {
        let here = reach[number];
        let (first, odds) = match node {
            Node::End { .. } => continue,
            Node::Chance { first, outcomes } => (first, tree.outcomes(outcomes)),
            Node::Decision { set, first } => {
                visit(set, here);
                (first, policy.row(set))
            }
        };
        for (child, odds) in (first as usize..).zip(odds) {
            reach[child] = here * odds;
        }
    }
}

/// The expected number of visits to each information set in a game if all players follow the policy.
pub fn reach(tree: &Tree, policy: &Policy) -> Vec<f64> {
    let mut sets = vec![0.0; tree.num_sets()];
    each_decision(tree, policy, &mut |set, reach| sets[set as usize] += reach);
    sets
}

/// The expected number of times that an action is chosen in a game if all players follow the policy. It is a
/// probability if the action can be chosen at most once per game.
pub fn frequency(tree: &Tree, policy: &Policy, action: Action) -> f64 {
    let mut chosen = 0.0;
    each_decision(tree, policy, &mut |set, reach| {
        if let Some(rank) = tree.actions(set).iter().position(|&other| other == action) {
            chosen += reach * policy.row(set)[rank];
        }
    });
    chosen
}
