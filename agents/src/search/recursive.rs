//! Recursive perfect information Monte Carlo search, level 1.
//!
//! T. Furtak and M. Buro, *Recursive Monte Carlo Search for Imperfect Information Games*, IEEE Conference on
//! Computational Intelligence and Games, 2013 (imperfect information Monte Carlo, IIMC). Worlds are drawn from the
//! view with their histories. After each action the game is played to the end by level-0 players:
//! [`pimc`](crate::search::pimc) with few worlds, or plain rollouts. Each of them sees only the view of its seat in
//! that world. The action with the best mean return is played. In a world, all actions meet the same players and the
//! same random events. Playouts use no hidden knowledge, so they are free of strategy fusion, and the searcher's
//! actions can hide and reveal.
//!
//! The search is expensive: at every ply a playout needs a view, a sampler and a level-0 decision.
//!
//! Known weaknesses: level 0 has the weaknesses of PIMC. Its mistakes, made worse by its few worlds, are attributed
//! to the others. It weights its worlds by chance alone and ignores the searcher's beliefs. If cards soon become visible
//! anyway, more plain worlds are better value.

use stier_core::{Action, ActionSet as _, BySeat, Game, Hints, History, Rng, Turn, options};

use crate::agent::memory::{DEFAULT_MEMORY_MB, MEMORY_MB};
use crate::agent::stop::TimeLimit;
use crate::agent::{Agent, Decision};
use crate::belief::{BeliefSettings, Kept};
use crate::rollout::{Roller, Rollout};
use crate::search::algorithm::{Algorithm, SearchAgent, Task};
use crate::search::determinized::{Fallback, Solver, ValuationSettings, tally_histories};
use crate::search::future::Future;
use crate::search::pimc::{Pimc, PimcOptions};

options! {
    /// The options of [`RecursivePimc`].
    pub(crate) struct RecursiveOptions for "recursive_pimc" {
        /// The number of worlds per decision. In each, every action is played out once.
        worlds: u64 = 20, 1..=100_000_000;
        /// Milliseconds per decision. If given, time ends the search instead of `worlds`, and results depend on the
        /// clock.
        time_ms: TimeLimit = TimeLimit::NONE, ();
        /// The number of worlds that a level-0 player searches.
        inner_worlds: u64 = 4, 1..=1_000_000;
        /// The method by which a level-0 player values a world.
        inner_solver: Solver = Solver::Rollouts, ();
        /// The number of nodes that a level-0 player's exact solving may take; beyond them it rolls out.
        inner_nodes: u64 = 200, 1..=1_000_000_000, "inner_solver=exact";
        /// The number of iterations of a level-0 player's tree search, or its rollouts per world: shared among the
        /// actions, at least one each.
        inner_iterations: u64 = 1, 1..=1_000_000_000;
        /// The rollout policy in a level-0 player's worlds.
        rollout: Rollout = Rollout::Hints, ();
        /// The number of decisions in a playout, forced ones not counted, that level-0 players make. A rollout
        /// continues from there.
        plies: u32 = 1000, 0..=1_000_000;
        /// Mebibytes that a level-0 player's tree search may take. Once its tree is full, it continues with the
        /// existing nodes.
        memory_mb: u64 = DEFAULT_MEMORY_MB, MEMORY_MB;
        /// The weights of the worlds.
        ..belief: BeliefSettings = BeliefSettings::default();
    }
}

impl RecursiveOptions {
    fn inner(&self) -> PimcOptions {
        PimcOptions {
            worlds: self.inner_worlds,
            valuation: ValuationSettings {
                solver: self.inner_solver,
                fallback: Fallback::Rollouts,
                nodes: self.inner_nodes,
                iterations: self.inner_iterations,
                rollout: self.rollout,
                memory_mb: self.memory_mb,
                ..ValuationSettings::default()
            },
            belief: BeliefSettings { guide: self.belief.guide.clone(), ..BeliefSettings::default() },
            ..PimcOptions::default()
        }
    }
}

/// The algorithm: see the [module](self) documentation.
pub(crate) struct RecursivePimc<G: Game> {
    options: RecursiveOptions,
    inner: SearchAgent<Pimc<G>>,
}

impl<G: Hints> RecursivePimc<G> {
    /// Creates a player with the streams of `seed`.
    pub(crate) fn new(options: RecursiveOptions, seed: u64) -> SearchAgent<Self> {
        let inner = Pimc::new(options.inner(), 0);
        SearchAgent::new(options.time_ms, options.belief.clone(), seed, Self { options, inner })
            .keeping(Kept::Histories)
    }

    /// The returns of a game that level-0 players continue after an action, and the number of decisions they made.
    fn play_out(
        &mut self,
        task: &Task<'_, G>,
        roller: &mut Roller,
        mut history: History<G>,
        action: Action,
        mut future: Future,
        mut rng: Rng,
    ) -> (BySeat<f32>, u64) {
        let game = task.game;
        self.inner.restart(rng.bits());
        let (mut made, mut first) = (0, Some(action));
        let returns = loop {
            let Turn::Seat(seat) = game.turn(history.state()) else { break game.rounded_returns(history.state()) };
            let legal = game.legal(history.state());
            let next = match first.take() {
                Some(action) => action,
                None if legal.len() == 1 => legal.nth(0),
                None if made >= u64::from(self.options.plies) || task.stop.is_due() => {
                    break roller.returns(game, &mut history.state().clone(), &mut rng);
                }
                None => {
                    made += 1;
                    self.inner.act_within(game, &game.view(&history, seat), legal, task.stop).action
                }
            };
            future.push(game, &mut history, next);
        };
        (returns, made)
    }
}

impl<G: Hints> Algorithm<G> for RecursivePimc<G> {
    fn decide(&mut self, task: &Task<'_, G>) -> Decision {
        let mut roller = Roller::of(self.options.rollout).guided_by(&self.options.belief.guide);
        let mut nodes = 0;
        let tally = tally_histories(task, self.options.worlds, "recursive", |history, action, future, rng| {
            let (returns, made) = self.play_out(task, &mut roller, history.clone(), action, future, rng);
            nodes += made;
            returns
        });
        tally.decide(nodes)
    }
}
