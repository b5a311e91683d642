//! Presumed-value perfect information Monte Carlo search: the others reply by what they can know.
//!
//! The idea is that of F. Wisser, *An Expert-Level Card Playing Agent Based on a Variant of Perfect Information Monte
//! Carlo Sampling*, IJCAI 2015, for Schnapsen. PIMC overestimates the opponents' knowledge of hidden cards, including
//! the searcher's own. In the paper, opponents choose by presumed values instead. This is a reading of that idea, not
//! the paper's algorithm:
//!
//! 1. Worlds are drawn from the searcher's view, each with its history and its future random events.
//! 2. In each world, after each action of the searcher, the next `replies` decisions of others are made by presumed
//!    value. Forced decisions do not count, and there are fewer if it is the searcher's turn earlier. The player to
//!    act draws `guesses` worlds from its own view of that history, in which the searcher's hand is hidden like any
//!    other. It takes the action with the best mean open-card value over them, with ties broken at random. Equal
//!    views presume the same in all worlds.
//! 3. The value of the position reached is its open-card value in the true world of the sample.
//! 4. The action with the best mean is played.
//!
//! Without `replies` this would be [`pimc`](crate::search::pimc).
//!
//! Known weaknesses: after the replies all players see everything again, including the searcher (strategy fusion).
//! The others' guesses use open cards too. They weight every world by chance alone and
//! ignore the searcher's play and beliefs. The cost is that of PIMC times about `guesses` times the number of the
//! searcher's actions.

use std::collections::HashMap;

use stier_core::{Action, ActionSet as _, BySeat, Game, Hints, History, Rng, Seat, SeatView as _, Turn, options};

use crate::agent::Decision;
use crate::agent::stop::TimeLimit;
use crate::agent::worlds::Worlds;
use crate::belief::{BeliefSettings, Kept};
use crate::search::algorithm::{Algorithm, SearchAgent, Task};
use crate::search::determinized::{Fallback, ValuationSettings, WorldDraws, WorldEvaluator, best_of, tally_histories};
use crate::search::future::{Future, OpenPosition};

options! {
    /// The options of [`PresumedPimc`].
    pub(crate) struct PresumedOptions for "presumed_pimc" {
        /// Worlds per decision.
        worlds: u64 = 20, 1..=100_000_000;
        /// Milliseconds per decision. If given, time ends the search instead of `worlds`, and results depend on the
        /// clock.
        time_ms: TimeLimit = TimeLimit::NONE, ();
        /// The number of worlds that an opponent searches before it replies.
        guesses: u64 = 8, 1..=1_000_000;
        /// The number of others' decisions after each action that are made by presumed value.
        replies: u32 = 1, 1..=16;
        /// The valuation of the worlds.
        ..valuation: ValuationSettings = ValuationSettings { fallback: Fallback::Rollouts, iterations: 20, ..ValuationSettings::default() };
        /// The weights of the worlds.
        ..belief: BeliefSettings = BeliefSettings::default();
    }
}

/// The algorithm: see the [module](self) documentation.
pub(crate) struct PresumedPimc<G: Game> {
    options: PresumedOptions,
    evaluator: WorldEvaluator<G>,
}

impl<G: Hints> PresumedPimc<G> {
    /// Creates a player with the streams of `seed`.
    pub(crate) fn new(options: PresumedOptions, seed: u64) -> SearchAgent<Self> {
        let evaluator = WorldEvaluator::new(options.valuation, &options.belief.guide);
        SearchAgent::new(options.time_ms, options.belief.clone(), seed, Self { options, evaluator })
            .keeping(Kept::Histories)
    }
}

impl<G: Hints> Algorithm<G> for PresumedPimc<G> {
    fn decide(&mut self, task: &Task<'_, G>) -> Decision {
        self.evaluator.begin();
        let Self { options, evaluator } = self;
        let mut presumed = Presumed { task, options, evaluator, replies: HashMap::new() };
        let tally = tally_histories(task, options.worlds, "presumed", |history, action, future, rng| {
            presumed.value(history, future, action, rng)
        });
        tally.decide(self.evaluator.nodes)
    }

    fn restart(&mut self, _seed: u64) {
        self.evaluator.restart();
    }
}

struct Presumed<'a, G: Game> {
    task: &'a Task<'a, G>,
    options: &'a PresumedOptions,
    evaluator: &'a mut WorldEvaluator<G>,
    /// The best replies of other seats, given their knowledge.
    replies: HashMap<G::View, Vec<Action>>,
}

impl<G: Hints> Presumed<'_, G> {
    /// The returns of all seats after an action of the searcher in this world.
    fn value(&mut self, history: &History<G>, mut future: Future, action: Action, mut rng: Rng) -> BySeat<f32> {
        let game = self.task.game;
        let searcher = self.task.view.seat();
        let mut history = history.clone();
        future.push(game, &mut history, action);
        let mut left = self.options.replies;
        let mover = loop {
            let Turn::Seat(mover) = game.turn(history.state()) else { return game.rounded_returns(history.state()) };
            let legal = game.legal(history.state());
            let reply = match legal.len() {
                1 => legal.nth(0),
                _ if mover == searcher || left == 0 => break mover,
                _ => {
                    left -= 1;
                    self.reply(&history, mover, legal, &mut rng)
                }
            };
            future.push(game, &mut history, reply);
        };
        let position = OpenPosition { state: history.state(), legal: game.legal(history.state()) };
        let valued = self.evaluator.value(game, position, &future, &mut rng, &self.task.stop);
        best_of(&valued, mover).expect("at least one action").values.clone()
    }

    /// The reply of a seat with its own knowledge after this history.
    fn reply(&mut self, history: &History<G>, seat: Seat, legal: G::Actions, rng: &mut Rng) -> Action {
        let Task { game, stop, .. } = self.task;
        let view = game.view(history, seat);
        let replies = self.replies.entry(view).or_insert_with_key(|view| {
            let worlds = Worlds::uniform(*game, view);
            let draws = WorldDraws::new(&worlds, self.options.guesses, rng);
            self.evaluator.tally(game, &draws, seat, legal, stop).equally_good()
        });
        replies[rng.below(replies.len() as u32) as usize]
    }
}
