//! A small game as a table: every history a node, nodes that their mover cannot tell apart one information set.
//!
//! What is exact works on it: the values of policies, [best responses](crate::best_response), tabular solvers. A node takes
//! 16 bytes and a chance outcome 8 more; the views are kept once for each information set. Chance is enumerated outcome by
//! outcome, so that dealing ten cards one by one is out of reach: scaled-down rules are what this is for.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use rayon::prelude::{IndexedParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _};
use stier_core::{Action, ActionSet as _, BySeat, Game, Hints, History, Rng, Seat, Turn};
use thiserror::Error;

use crate::agent::Agent;
use crate::spec::AgentSpec;

/// The game has more histories than allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("the game has more than {most} histories")]
pub struct TooLarge {
    /// How many were allowed.
    pub most: usize,
}

/// One history. Children lie side by side, in ascending order of their events, after all of their ancestors: passes over the
/// nodes by number go from the root down, backwards from the leaves up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// A random event.
    Chance {
        /// The number of the first child.
        first: u32,
        /// How many there are.
        count: u32,
        /// Where their probabilities begin.
        odds: u32,
    },
    /// A decision.
    Decision {
        /// The information set.
        set: u32,
        /// The number of the first child; one for each action of the set.
        first: u32,
    },
    /// The end.
    End {
        /// Which of the different returns it has.
        returns: u32,
    },
}

/// What the player to act cannot tell apart.
#[derive(Clone, Debug)]
pub struct InformationSet<G: Game> {
    /// Who acts.
    pub seat: Seat,
    /// What this player knows.
    pub view: G::View,
    /// What may be done.
    pub legal: G::Actions,
}

/// All histories of a game.
#[derive(Clone, Debug)]
pub struct GameTree<G: Game> {
    seats: usize,
    nodes: Vec<Node>,
    sets: Vec<InformationSet<G>>,
    /// Where the actions of each set begin in a policy; one more at the end.
    starts: Arc<[u32]>,
    /// The nodes of all sets, one set after the other, and where each begins.
    members: Vec<u32>,
    member_starts: Vec<u32>,
    odds: Vec<f64>,
    returns: Vec<BySeat<f32>>,
}

impl<G: Game> GameTree<G> {
    /// The number of the root.
    pub const ROOT: u32 = 0;

    /// Enumerates the game. Takes a view for each decision, so time grows with the number of histories times their length.
    pub fn new(game: &G, most_nodes: usize) -> Result<Self, TooLarge> {
        let most = most_nodes.clamp(1, u32::MAX as usize);
        let mut growth = Growth::new(game, most);
        growth.add(1)?;
        growth.grow(&History::new(game), 0)?;
        Ok(growth.finish())
    }

    /// The number of seats.
    pub fn num_seats(&self) -> usize {
        self.seats
    }

    /// Every history, the root first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Every information set, in the order in which the enumeration meets them.
    pub fn sets(&self) -> &[InformationSet<G>] {
        &self.sets
    }

    /// The probabilities of the outcomes of a random event.
    pub fn odds(&self, odds: u32, count: u32) -> &[f64] {
        &self.odds[odds as usize..][..count as usize]
    }

    /// The returns at an end.
    pub fn returns(&self, returns: u32) -> &BySeat<f32> {
        &self.returns[returns as usize]
    }

    /// The nodes of an information set, ascending.
    pub fn members(&self, set: u32) -> &[u32] {
        let (from, to) = (self.member_starts[set as usize], self.member_starts[set as usize + 1]);
        &self.members[from as usize..to as usize]
    }

    /// How many actions an information set has.
    pub fn width(&self, set: u32) -> u32 {
        self.starts[set as usize + 1] - self.starts[set as usize]
    }
}

/// A tree being enumerated.
struct Growth<'a, G: Game> {
    game: &'a G,
    most: usize,
    nodes: Vec<Node>,
    odds: Vec<f64>,
    sets: HashMap<G::View, (u32, Seat, G::Actions)>,
    returns: HashMap<Vec<u32>, u32>,
    different: Vec<BySeat<f32>>,
}

impl<'a, G: Game> Growth<'a, G> {
    fn new(game: &'a G, most: usize) -> Self {
        Self {
            game,
            most,
            nodes: Vec::new(),
            odds: Vec::new(),
            sets: HashMap::new(),
            returns: HashMap::new(),
            different: Vec::new(),
        }
    }

    /// Makes room for nodes side by side; returns the number of the first.
    fn add(&mut self, count: usize) -> Result<u32, TooLarge> {
        let first = self.nodes.len();
        if first + count > self.most {
            return Err(TooLarge { most: self.most });
        }
        self.nodes.resize(first + count, Node::End { returns: 0 });
        Ok(first as u32)
    }

    /// Fills in the node `at` of this history and everything below.
    fn grow(&mut self, history: &History<G>, at: u32) -> Result<(), TooLarge> {
        let game = self.game;
        let events: Vec<Action> = match game.turn(history.state()) {
            Turn::Over => {
                let returns = game.returns(history.state());
                let bits = returns.iter().map(|value| value.to_bits()).collect();
                let number = *self.returns.entry(bits).or_insert_with(|| {
                    self.different.push(returns);
                    self.different.len() as u32 - 1
                });
                self.nodes[at as usize] = Node::End { returns: number };
                return Ok(());
            }
            Turn::Chance => {
                let outcomes = game.chance(history.state());
                let odds = self.odds.len() as u32;
                self.odds.extend(outcomes.iter().map(|outcome| outcome.probability));
                let first = self.add(outcomes.len())?;
                self.nodes[at as usize] = Node::Chance { first, count: outcomes.len() as u32, odds };
                outcomes.iter().map(|outcome| outcome.action).collect()
            }
            Turn::Seat(seat) => {
                let legal = game.legal(history.state());
                let next = self.sets.len() as u32;
                let set = match self.sets.entry(game.view(history, seat)) {
                    Entry::Occupied(known) => {
                        debug_assert_eq!((known.get().1, known.get().2), (seat, legal), "the mover knows its options");
                        known.get().0
                    }
                    Entry::Vacant(place) => place.insert((next, seat, legal)).0,
                };
                let first = self.add(legal.len())?;
                self.nodes[at as usize] = Node::Decision { set, first };
                legal.iter().collect()
            }
        };
        let first = match self.nodes[at as usize] {
            Node::Chance { first, .. } | Node::Decision { first, .. } => first,
            Node::End { .. } => unreachable!("ends have returned"),
        };
        for (event, child) in events.into_iter().zip(first..) {
            let mut next = history.clone();
            next.push(game, event);
            self.grow(&next, child)?;
        }
        Ok(())
    }

    fn finish(self) -> GameTree<G> {
        let mut sets: Vec<_> = self.sets.into_iter().collect();
        sets.sort_unstable_by_key(|(_, (number, ..))| *number);
        let sets: Vec<InformationSet<G>> =
            sets.into_iter().map(|(view, (_, seat, legal))| InformationSet { seat, view, legal }).collect();
        let sums = |counts: &mut dyn Iterator<Item = u32>| {
            let mut sum = 0;
            let mut starts = vec![0];
            starts.extend(counts.map(|count| {
                sum += count;
                sum
            }));
            starts
        };
        let starts = sums(&mut sets.iter().map(|set| set.legal.len() as u32));
        let mut sizes = vec![0; sets.len()];
        let decisions = || {
            self.nodes.iter().zip(0_u32..).filter_map(|(node, number)| match node {
                Node::Decision { set, .. } => Some((*set as usize, number)),
                Node::Chance { .. } | Node::End { .. } => None,
            })
        };
        decisions().for_each(|(set, _)| sizes[set] += 1);
        let member_starts = sums(&mut sizes.iter().copied());
        let mut next = member_starts.clone();
        let mut members = vec![0; member_starts.last().copied().unwrap_or(0) as usize];
        for (set, number) in decisions() {
            members[next[set] as usize] = number;
            next[set] += 1;
        }
        GameTree {
            seats: self.game.num_seats(),
            starts: starts.into(),
            members,
            member_starts,
            odds: self.odds,
            returns: self.different,
            sets,
            nodes: self.nodes,
        }
    }
}

/// A behaviour policy for every seat: the probability of each action at each information set of one [`GameTree`].
#[derive(Clone, PartialEq, Debug)]
pub struct Policy {
    starts: Arc<[u32]>,
    probabilities: Vec<f64>,
}

impl Policy {
    /// Every action as likely as the others.
    pub fn uniform<G: Game>(tree: &GameTree<G>) -> Self {
        Self::from_fn(tree, |set| vec![1.0 / set.legal.len() as f64; set.legal.len()])
    }

    /// The policy that gives these probabilities, in ascending order of the legal actions, at each information set. Panics if
    /// there are more or fewer of them than actions.
    pub fn from_fn<G: Game>(tree: &GameTree<G>, mut row: impl FnMut(&InformationSet<G>) -> Vec<f64>) -> Self {
        let mut probabilities = Vec::with_capacity(tree.starts.last().copied().unwrap_or(0) as usize);
        for set in &tree.sets {
            let row = row(set);
            assert_eq!(row.len(), set.legal.len(), "a probability for each action");
            debug_assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-6, "probabilities add up to 1: {row:?}");
            probabilities.extend(row);
        }
        Self { starts: tree.starts.clone(), probabilities }
    }

    /// What an agent would do: at each information set a fresh one is asked, with a seed of its own. On all cores; depends on
    /// the seed alone.
    pub fn of_agent<G: Hints>(game: &G, tree: &GameTree<G>, agent: &AgentSpec, seed: u64) -> Self {
        let ask = |(index, set): (usize, &InformationSet<G>)| -> Vec<f64> {
            let seed = Rng::stream(seed, "policy of an agent", index as u64).bits();
            let mut agent: Box<dyn Agent<G>> = agent.build(seed);
            agent.act(game, &set.view, set.legal).policy.iter().map(|&(_, share)| share).collect()
        };
        let rows: Vec<Vec<f64>> = tree.sets.par_iter().enumerate().map(ask).collect();
        let mut rows = rows.into_iter();
        Self::from_fn(tree, |_| rows.next().expect("a row for each set"))
    }

    /// The probabilities of the legal actions of an information set, ascending by action.
    pub fn row(&self, set: u32) -> &[f64] {
        &self.probabilities[self.starts[set as usize] as usize..self.starts[set as usize + 1] as usize]
    }
}
