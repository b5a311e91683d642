//! Monte Carlo tree search over every player's own information sets, with re-determinization and self-determination.
//!
//! The tree has a node for each information set of each mover (multi-observer: P. I. Cowling, E. J. Powley and D.
//! Whitehouse, IEEE TCIAIG 4(2), 2012; with the sets as keys, like OpenSpiel's), so a player never chooses by cards
//! that it does not see. However, the *values* in the others' nodes would still come from worlds that all contain the
//! searcher's cards. Two options address this:
//!
//! - *Re-determinization* (J. Goodman, *Re-determinizing MCTS in Hanabi*, IEEE Conference on Games 2019: RIS-MCTS):
//!   if another player is to act, a whole history is redrawn from that player's knowledge, including the searcher's
//!   cards. That player's choice is made and valued in the redrawn world. The searcher's world is then restored and
//!   continues with the chosen action. Goodman restores the cards and backs up one return to all. Here the redrawn
//!   world is played to its own end, and its return, not that of the searcher's world, counts in the other player's
//!   node.
//! - *Self-determination* (P. I. Cowling, D. Whitehouse and E. J. Powley, *Emergent Bluffing and Inference with Monte
//!   Carlo Tree Search*, CIG 2015): see [`worlds`](crate::agent::worlds).
//!
//! Information sets are distinguished by what their mover sees and observes from the root on ([`Game::sight`],
//! [`Game::observed`]). Histories that differ only before the root share a node.
//!
//! Known weaknesses: re-determinization needs a view, a sampler and a history for each visited node of another
//! player, so there are several times fewer iterations in a given time. The redrawn worlds are uniform, as if the
//! searcher's past actions told the others nothing, with every setting of `beliefs`. The tree is wide
//! because it is keyed by information sets, so with few iterations most choices of the others are first tries. Like
//! the whole family, the search is not guaranteed to approach an equilibrium. Once its memory is used up, it
//! continues with the existing nodes and edges.

use stier_core::key::{Chain, UNNOTICED};
use stier_core::list::Listing as _;
use stier_core::options::Switch;
use stier_core::{ActionSet as _, BySeat, Event, Game, Hints, History, Rng, Sampler as _, Seat, SeatView as _};
use stier_core::{Turn, options};

use crate::agent::budget::Budget;
use crate::agent::chains::{look, notice, seat_chains};
use crate::agent::choice::Choose;
use crate::agent::memory::{DEFAULT_MEMORY_MB, MEMORY_MB, Memory};
use crate::agent::stop::TimeLimit;
use crate::agent::worlds::Worlds;
use crate::agent::{Decision, Search, permitted};
use crate::belief::{BeliefSettings, Kept};
use crate::rollout::{Roller, Rollout};
use crate::search::algorithm::{Algorithm, SearchAgent, Task};
use crate::search::spread::{ReturnScale, ReturnSpread};
use crate::search::ucb::{NodeId, UcbTree};

options! {
    /// The options of [`RisMcts`].
    pub(crate) struct RisMctsOptions for "ris_mcts" {
        /// Iterations per decision.
        iterations: u64 = 1000, 1..=1_000_000_000, "time_ms=0";
        /// Milliseconds per decision. If given, time ends the search instead of `iterations`, and results depend on
        /// the clock.
        time_ms: TimeLimit = TimeLimit::NONE, ();
        /// Exploration in UCB1, for returns scaled so that twice their standard deviation in this search is 1.
        c: f64 = 0.7, 0.0..=100.0;
        /// The policy that plays iterations from a leaf to the end.
        rollout: Rollout = Rollout::Random, ();
        /// The others choose in worlds redrawn from their own knowledge.
        redeterminization: Switch = Switch::On, ();
        /// The share of iterations whose world is drawn from another player's possible beliefs.
        self_determination: f64 = 0.0, 0.0..=1.0;
        /// The weights of the worlds.
        ..belief: BeliefSettings = BeliefSettings::default();
        /// Mebibytes that the tree may take. Once it is full, the search continues with the existing nodes.
        memory_mb: u64 = DEFAULT_MEMORY_MB, MEMORY_MB;
    }
}

/// The largest number of iterations of a search: the counts of its edges fit in 32 bits.
const MAX_ITERATIONS: u64 = u32::MAX as u64;

/// The algorithm: see the [module](self) documentation.
pub(crate) struct RisMcts {
    options: RisMctsOptions,
}

impl RisMcts {
    /// Creates a player with the streams of `seed`.
    pub(crate) fn new(options: RisMctsOptions, seed: u64) -> SearchAgent<Self> {
        let kept = if options.redeterminization == Switch::On { Kept::Histories } else { Kept::States };
        let (share, iterations) = (options.self_determination, options.iterations);
        let agent = SearchAgent::new(options.time_ms, options.belief.clone(), seed, Self { options });
        agent.keeping(kept).self_determined(share, iterations)
    }
}

impl<G: Hints> Algorithm<G> for RisMcts {
    fn decide(&mut self, task: &Task<'_, G>) -> Decision {
        let options = &self.options;
        let Task { game, view, stop, .. } = *task;
        let mut rng = task.streams.rng("ris_mcts");
        let seat = view.seat();
        let mut root = seat_chains(game.num_seats())[seat];
        root.look(view.past().sight());
        let mut searcher = Searcher {
            game,
            seat,
            root: root.key(),
            allowed: task.legal,
            worlds: &task.worlds,
            options,
            roller: Roller::of(options.rollout).guided_by(&options.belief.guide),
            rng: rng.clone(),
            tree: UcbTree::new(Memory::share(options.memory_mb, 1)),
            spreads: BySeat::filled(game.num_seats(), ReturnSpread::new(1.0)),
            scale: ReturnScale::new(game),
        };
        let mut path = Vec::new();
        let budget = Budget::part(options.iterations, stop, 0, 1).at_most(MAX_ITERATIONS);
        let iterations = budget.inspect(|_| searcher.iterate(&mut path)).count() as u64;
        let nodes = searcher.tree.len() as u64;
        let stats = |action| {
            let record = searcher.tree.find(searcher.root, action);
            record.stats(if record.visits == 0 { 0.0 } else { searcher.scale.value(record.mean()) })
        };
        let actions = task.legal.iter().map(stats).list();
        Choose::Visits.decide(Search { actions, iterations, nodes, seconds: 0.0 }, 0.0, None, &mut rng)
    }
}

/// A visited edge and its mover.
type Step = (NodeId, usize, Seat);

/// The place of the root in a history, as a number of decisions that one seat noticed, and a number of later ones that
/// it did not notice. Histories redrawn from the seat's view agree in the former, but they may have fewer or more of
/// the latter.
#[derive(Clone, Copy, Default)]
struct Since {
    noticed: u32,
    unnoticed: u32,
}

/// One search.
struct Searcher<'a, G: Game> {
    game: &'a G,
    seat: Seat,
    /// The key of the searcher's true information set.
    root: u64,
    /// The actions that the searcher may choose at the root.
    allowed: G::Actions,
    worlds: &'a Worlds<G>,
    options: &'a RisMctsOptions,
    roller: Roller,
    rng: Rng,
    tree: UcbTree,
    /// The spread of each seat's returns in all worlds.
    spreads: BySeat<ReturnSpread>,
    scale: ReturnScale,
}

impl<G: Hints> Searcher<'_, G> {
    /// The available actions in a state whose mover has this key.
    fn choices(&self, key: u64, state: &G::State) -> G::Actions {
        let legal = self.game.legal(state);
        if key == self.root { permitted(legal, self.allowed) } else { legal }
    }

    /// Runs one iteration: a world, and those that branch off from it.
    fn iterate(&mut self, path: &mut Vec<Step>) {
        let keys = seat_chains(self.game.num_seats());
        let imagined = self.worlds.imagined(&mut self.rng);
        if imagined.is_none() && self.options.redeterminization == Switch::On {
            let history = self.worlds.draw_history(self.game, &mut self.rng);
            return self.iterate_redetermined(history, keys, path);
        }
        let mut state = imagined.unwrap_or_else(|| self.worlds.draw_own(&mut self.rng));
        let returns = self.play(&mut state, keys, path);
        self.update(path, &returns);
    }

    /// Descends the tree in one world and plays on to the end. Leaves the visited edges in `path`.
    fn play(&mut self, state: &mut G::State, mut keys: BySeat<Chain>, path: &mut Vec<Step>) -> BySeat<f32> {
        let game = self.game;
        path.clear();
        while let Turn::Seat(mover) = game.turn(state) {
            look(&mut keys, game, state);
            let key = keys[mover].key();
            let Some(node) = self.tree.node(key) else { break };
            let c = self.options.c * f64::from(self.spreads[mover].scale());
            let selected = self.tree.select(node, self.choices(key, state), c, &mut self.rng);
            let Some((edge, is_new)) = selected else { break };
            path.push((node, edge, mover));
            let action = self.tree.record(node, edge).action;
            notice(&mut keys, game, state, action);
            game.step(state, action, &mut self.rng);
            if is_new {
                break;
            }
        }
        self.roller.returns(game, state, &mut self.rng)
    }

    /// Plays the searcher's world. In it, the others take the actions that they choose in worlds redrawn from their
    /// own knowledge.
    fn iterate_redetermined(&mut self, mut history: History<G>, mut keys: BySeat<Chain>, path: &mut Vec<Step>) {
        let game = self.game;
        let root = history.events().len();
        let mut own = Vec::new();
        while let Turn::Seat(mover) = game.turn(history.state()) {
            look(&mut keys, game, history.state());
            let key = keys[mover].key();
            let (node, edge, is_new);
            if mover == self.seat {
                let Some(known) = self.tree.node(key) else { break };
                let c = self.options.c * f64::from(self.spreads[mover].scale());
                let selected = self.tree.select(known, self.choices(key, history.state()), c, &mut self.rng);
                let Some(selected) = selected else { break };
                (node, (edge, is_new)) = (known, selected);
                own.push((node, edge, mover));
            } else {
                let sampler = game.sampler(&game.view(&history, mover));
                let redrawn = sampler.sample_history(game, &mut self.rng);
                let (mut state, keys) = self.keys_since(self.since(root, &history, mover), mover, &redrawn);
                debug_assert_eq!(
                    {
                        let mut own = keys[mover];
                        own.look(game.sight(&state, mover));
                        own.key()
                    },
                    key,
                    "the mover has the same information set in the redrawn world"
                );
                let returns = self.play(&mut state, keys, path);
                self.update(path, &returns);
                // Its information set is that of the searcher's world, so its action is legal there too.
                let Some(&(first, taken, _)) = path.first() else { break };
                (node, edge, is_new) = (first, taken, self.tree.record(first, taken).visits == 1);
            }
            let action = self.tree.record(node, edge).action;
            notice(&mut keys, game, history.state(), action);
            history.push(game, action);
            history.settle(game, &mut self.rng);
            if is_new {
                break;
            }
        }
        let mut state = *history.state();
        let returns = self.roller.returns(game, &mut state, &mut self.rng);
        self.update(&own, &returns);
    }

    /// The place of the root in a history, for a seat.
    fn since(&self, root: usize, history: &History<G>, seat: Seat) -> Since {
        let mut since = Since::default();
        let mut state = self.game.root();
        for (place, &Event { turn, action }) in history.events().iter().enumerate() {
            if turn != Turn::Chance {
                let is_noticed = self.game.observed(&state, action, seat) != UNNOTICED;
                match (place < root, is_noticed) {
                    (true, true) => since = Since { noticed: since.noticed + 1, unnoticed: 0 },
                    (true, false) => since.unnoticed += 1,
                    (false, _) => break,
                }
            }
            self.game.apply(&mut state, action);
        }
        since
    }

    /// The state at the end of a history, and the seats' observations since the place that is the root to the mover.
    fn keys_since(&self, root: Since, mover: Seat, history: &History<G>) -> (G::State, BySeat<Chain>) {
        let game = self.game;
        let mut keys = seat_chains(game.num_seats());
        let mut state = game.root();
        let mut past = Since::default();
        for &Event { turn, action } in history.events() {
            if turn != Turn::Chance {
                let is_noticed = game.observed(&state, action, mover) != UNNOTICED;
                if past.noticed < root.noticed {
                    past.noticed += u32::from(is_noticed);
                } else if !is_noticed && past.unnoticed < root.unnoticed {
                    past.unnoticed += 1;
                } else {
                    past.unnoticed = root.unnoticed;
                    look(&mut keys, game, &state);
                    notice(&mut keys, game, &state, action);
                }
            }
            game.apply(&mut state, action);
        }
        (state, keys)
    }

    /// Adds the returns of one world to the visited edges and to the spreads.
    fn update(&mut self, path: &[Step], returns: &BySeat<f32>) {
        let scale = self.scale;
        for (spread, &value) in self.spreads.iter_mut().zip(returns.iter()) {
            spread.add(scale.unit(f64::from(value)));
        }
        for &(node, edge, mover) in path {
            let record = self.tree.record(node, edge);
            record.add(scale.unit(f64::from(returns[mover])));
        }
    }
}
