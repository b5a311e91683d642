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
//! searcher's past actions told the others nothing, whatever `beliefs` the searcher uses itself. The tree is wide
//! because it is keyed by information sets, so with few iterations most choices of the others are first tries. Like
//! the whole family, the search is not guaranteed to approach an equilibrium. Once its memory is used up, it
//! continues with the existing nodes and edges.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use stier_core::key::{Chain, mix};
use stier_core::options::Switch;
use stier_core::{Action, ActionSet as _, BySeat, Event, Game, Hints, History, Rng, Sampler as _, Seat, SeatView as _};
use stier_core::{Turn, options};

use crate::agent::budget::Budget;
use crate::agent::choice::Choose;
use crate::agent::memory::{DEFAULT_MEMORY_MB, MEMORY_MB, Memory};
use crate::agent::stop::Stop;
use crate::agent::streams::AgentStreams;
use crate::agent::worlds::Worlds;
use crate::agent::{Agent, Decision, Search, permitted};
use crate::belief::BeliefSettings;
use crate::rollout::{Roller, Rollout};
use crate::search::spread::ReturnSpread;
use crate::search::ucb::{ActionRecord, NodeId, UcbTree};

options! {
    /// The options of [`RisMcts`].
    pub(crate) struct RisMctsOptions for "ris_mcts" {
        /// Iterations per decision.
        iterations: u64 = 1000, 1..=1_000_000_000;
        /// Milliseconds per decision. If given, time ends the search instead of `iterations`, and results depend on
        /// the clock.
        time_ms: u64 = 0, 0..=3_600_000;
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

/// The player: see the [module](self) documentation.
#[derive(Debug)]
pub(crate) struct RisMcts {
    options: RisMctsOptions,
    streams: AgentStreams,
}

impl RisMcts {
    /// Creates a player with the streams of `seed`.
    pub(crate) fn new(options: RisMctsOptions, seed: u64) -> Self {
        Self { options, streams: AgentStreams::new(seed) }
    }

    /// The worlds of the next decision.
    fn worlds<G: Hints>(&self, game: &G, view: &G::View, stop: &Stop<'_>) -> Worlds<G> {
        let belief = &self.options.belief;
        match self.options.redeterminization {
            Switch::On => belief.histories(game, view, stop, &mut self.streams.rng("beliefs")),
            Switch::Off => belief.worlds(game, view, stop, &mut self.streams.rng("beliefs")),
        }
    }
}

impl<G: Hints> Agent<G> for RisMcts {
    /// Searches, unless only one action is legal.
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let start = Instant::now();
        let mut rng = self.streams.rng("ris_mcts");
        let stop = self.streams.stop(start, self.options.time_ms);
        let mut search = Search { actions: Vec::new(), iterations: 0, nodes: 0, seconds: 0.0 };
        let (low, high) = game.rounded_range();
        let stats = |record: ActionRecord| {
            let value = if record.visits == 0 { 0.0 } else { f64::from(low) + record.mean() * f64::from(high - low) };
            record.stats(value)
        };
        search.actions = legal.iter().map(|action| stats(ActionRecord::new(action))).collect();
        if legal.len() > 1 {
            let RisMctsOptions { iterations, self_determination, belief, .. } = &self.options;
            let draws = if stop.is_timed() { u64::MAX } else { *iterations };
            let worlds = self.worlds(game, view, &stop).self_determined(
                game,
                view,
                *self_determination,
                draws,
                &stop.within_share(belief.belief_share),
                &mut rng,
            );
            let mut searcher = Searcher::new(game, view, legal, &worlds, &self.options, rng.clone());
            search.iterations = searcher.run(Budget::part(*iterations, stop, 0, 1).at_most(MAX_ITERATIONS));
            search.nodes = searcher.tree.len() as u64;
            search.actions = legal.iter().map(|action| stats(searcher.tree.find(searcher.root, action))).collect();
        }
        self.streams.advance();
        search.seconds = start.elapsed().as_secs_f64();
        Choose::Visits.decide(search, &[], &mut rng)
    }

    fn restart(&mut self, seed: u64) {
        self.streams.restart(seed);
    }

    fn beliefs(&mut self, game: &G, view: &G::View) -> Worlds<G> {
        self.worlds(game, view, &self.streams.stop(Instant::now(), self.options.time_ms))
    }

    fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.streams.interrupt_with(flag);
    }
}

/// The start of all seats' keys: unlike any number that a seat sees.
const START: u64 = 0x243f_6a88_85a3_08d3;

/// A hash of each seat's observations since the root.
#[derive(Clone)]
struct Keys(BySeat<Chain>);

impl Keys {
    fn new(seats: usize) -> Self {
        Self(BySeat::from_fn(seats, |seat| Chain::new(mix(START, u64::from(seat.0)))))
    }

    /// Adds each seat's sight of the state at a decision and returns the mover's key.
    fn see<G: Game>(&mut self, game: &G, state: &G::State, mover: Seat) -> u64 {
        for (key, seat) in self.0.iter_mut().zip((0..).map(Seat)) {
            key.look(game.sight(state, seat));
        }
        self.0[mover].key()
    }

    /// Adds each seat's observation of the mover's action.
    fn observe<G: Game>(&mut self, game: &G, before: &G::State, action: Action) {
        for (key, seat) in self.0.iter_mut().zip((0..).map(Seat)) {
            key.notice(game.observed(before, action, seat));
        }
    }
}

/// A visited edge and its mover.
type Step = (NodeId, usize, Seat);

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
    low: f64,
    scale: f64,
}

impl<'a, G: Hints> Searcher<'a, G> {
    fn new(
        game: &'a G,
        view: &G::View,
        allowed: G::Actions,
        worlds: &'a Worlds<G>,
        options: &'a RisMctsOptions,
        rng: Rng,
    ) -> Self {
        let (low, high) = game.rounded_range();
        let seat = view.seat();
        let mut root = Keys::new(game.num_seats()).0[seat];
        root.look(view.past().sight());
        Self {
            game,
            seat,
            root: root.key(),
            allowed,
            worlds,
            options,
            roller: Roller::of(game, options.rollout).guided_by(&options.belief.guide),
            rng,
            tree: UcbTree::new(Memory::share(options.memory_mb, 1)),
            spreads: BySeat::filled(game.num_seats(), ReturnSpread::default()),
            low: f64::from(low),
            scale: f64::from(high - low).max(f64::MIN_POSITIVE).recip(),
        }
    }

    /// Searches until the budget is spent and returns the number of iterations.
    fn run(&mut self, mut budget: Budget<'_>) -> u64 {
        let mut done = 0;
        let mut path = Vec::new();
        loop {
            let chunk = budget.next(done);
            if chunk == 0 {
                return done;
            }
            (0..chunk).for_each(|_| self.iterate(&mut path));
            done += chunk;
        }
    }

    /// The available actions in a state whose mover has this key.
    fn choices(&self, key: u64, state: &G::State) -> G::Actions {
        let legal = self.game.legal(state);
        if key == self.root { permitted(legal, self.allowed) } else { legal }
    }

    /// Runs one iteration: a world, and those that branch off from it.
    fn iterate(&mut self, path: &mut Vec<Step>) {
        let keys = Keys::new(self.game.num_seats());
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
    fn play(&mut self, state: &mut G::State, mut keys: Keys, path: &mut Vec<Step>) -> BySeat<f32> {
        let game = self.game;
        path.clear();
        while let Turn::Seat(mover) = game.turn(state) {
            let key = keys.see(game, state, mover);
            let Some(node) = self.tree.node(key) else { break };
            let c = self.options.c * f64::from(self.spreads[mover].scale());
            let selected = self.tree.select(node, self.choices(key, state), c, &mut self.rng);
            let Some((edge, is_new)) = selected else { break };
            path.push((node, edge, mover));
            let action = self.tree.record(node, edge).action;
            keys.observe(game, state, action);
            game.step(state, action, &mut self.rng);
            if is_new {
                break;
            }
        }
        self.roller.returns(game, state, &mut self.rng)
    }

    /// Plays the searcher's world. In it, the others take the actions that they choose in worlds redrawn from their
    /// own knowledge.
    fn iterate_redetermined(&mut self, mut history: History<G>, mut keys: Keys, path: &mut Vec<Step>) {
        let game = self.game;
        let root = history.events().len();
        let mut own = Vec::new();
        while let Turn::Seat(mover) = game.turn(history.state()) {
            let key = keys.see(game, history.state(), mover);
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
                let (mut state, keys) = self.keys_since(root, &redrawn);
                let returns = self.play(&mut state, keys, path);
                self.update(path, &returns);
                // Its information set is that of the searcher's world, so its action is legal there too.
                let Some(&(first, taken, _)) = path.first() else { break };
                (node, edge, is_new) = (first, taken, self.tree.record(first, taken).visits == 1);
            }
            let action = self.tree.record(node, edge).action;
            keys.observe(game, history.state(), action);
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

    /// The state at the end of a history, and the seats' observations since its first `root` events.
    fn keys_since(&self, root: usize, history: &History<G>) -> (G::State, Keys) {
        let game = self.game;
        let mut keys = Keys::new(game.num_seats());
        let mut state = game.root();
        for (place, &Event { turn, action }) in history.events().iter().enumerate() {
            if let Turn::Seat(mover) = turn
                && place >= root
            {
                keys.see(game, &state, mover);
                keys.observe(game, &state, action);
            }
            game.apply(&mut state, action);
        }
        (state, keys)
    }

    /// Adds the returns of one world to the visited edges, to the spreads and to the rollout statistics.
    fn update(&mut self, path: &[Step], returns: &BySeat<f32>) {
        let scaled = |value: f32| (f64::from(value) - self.low) * self.scale;
        for (spread, &value) in self.spreads.iter_mut().zip(returns.iter()) {
            spread.add(scaled(value));
        }
        for &(node, edge, mover) in path {
            let record = self.tree.record(node, edge);
            record.add(scaled(returns[mover]));
            self.roller.note(mover, record.action);
        }
        self.roller.learn(returns);
    }
}
