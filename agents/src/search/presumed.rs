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
//! The others' guesses use open cards too. They weight every world by chance alone, not by the searcher's play,
//! whatever the searcher believes itself. The cost is that of PIMC times about `guesses` times the number of the
//! searcher's actions.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use stier_core::{Action, ActionSet as _, BySeat, Game, Hints, History, Rng, Seat, SeatView as _, Turn, options};

use crate::agent::stop::Stop;
use crate::agent::streams::AgentStreams;
use crate::agent::worlds::Worlds;
use crate::agent::{Agent, Decision};
use crate::belief::BeliefSettings;
use crate::search::determinized::{
    Fallback, HistoryDraws, ValuationSettings, WorldDraws, WorldEvaluator, WorldTally, best_of, tally, tally_histories,
};
use crate::search::open_cards::{Future, OpenPosition};

options! {
    /// The options of [`PresumedPimc`].
    pub(crate) struct PresumedOptions for "presumed_pimc" {
        /// Worlds per decision.
        worlds: u64 = 20, 1..=100_000_000;
        /// Milliseconds per decision. If given, time ends the search instead of `worlds`, and results depend on the
        /// clock.
        time_ms: u64 = 0, 0..=3_600_000;
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

/// The player: see the [module](self) documentation.
#[derive(Clone, Debug)]
pub(crate) struct PresumedPimc<G: Game> {
    options: PresumedOptions,
    streams: AgentStreams,
    evaluator: WorldEvaluator<G>,
}

impl<G: Hints> PresumedPimc<G> {
    /// Creates a player with the streams of `seed`.
    pub(crate) fn new(options: PresumedOptions, seed: u64) -> Self {
        let evaluator = WorldEvaluator::new(options.valuation, &options.belief.guide);
        Self { options, streams: AgentStreams::new(seed), evaluator }
    }
}

impl<G: Hints> Agent<G> for PresumedPimc<G> {
    /// Searches, unless only one action is legal.
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let start = Instant::now();
        let stop = self.streams.stop(start, self.options.time_ms);
        self.evaluator.begin();
        let tally = if legal.len() > 1 {
            let worlds = self.options.belief.histories(game, view, &stop, &mut self.streams.rng("beliefs"));
            let seed = self.streams.rng("presumed").bits();
            let mut presumed = Presumed {
                game,
                seat: view.seat(),
                options: &self.options,
                evaluator: &mut self.evaluator,
                stop: &stop,
                replies: HashMap::new(),
            };
            let draws = HistoryDraws { worlds: &worlds, most: self.options.worlds, seed };
            tally_histories(game, &draws, view.seat(), legal, &stop, |history, action, future, rng| {
                presumed.value(history, future, action, rng)
            })
        } else {
            WorldTally::new(view.seat(), legal.iter())
        };
        self.streams.advance();
        tally.decide(self.evaluator.nodes(), start)
    }

    fn restart(&mut self, seed: u64) {
        self.streams.restart(seed);
        self.evaluator.restart();
    }

    fn beliefs(&mut self, game: &G, view: &G::View) -> Worlds<G> {
        let stop = self.streams.stop(Instant::now(), self.options.time_ms);
        self.options.belief.histories(game, view, &stop, &mut self.streams.rng("beliefs"))
    }

    fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.streams.interrupt_with(flag);
    }
}

struct Presumed<'a, G: Game> {
    game: &'a G,
    seat: Seat,
    options: &'a PresumedOptions,
    evaluator: &'a mut WorldEvaluator<G>,
    stop: &'a Stop<'a>,
    /// The best replies of other seats, given their knowledge.
    replies: HashMap<G::View, Vec<Action>>,
}

impl<G: Hints> Presumed<'_, G> {
    /// The returns of all seats after an action of the searcher in this world.
    fn value(&mut self, history: &History<G>, mut future: Future, action: Action, mut rng: Rng) -> BySeat<f32> {
        let game = self.game;
        let mut history = history.clone();
        future.push(game, &mut history, action);
        let mut left = self.options.replies;
        let mover = loop {
            let Turn::Seat(mover) = game.turn(history.state()) else { return game.rounded_returns(history.state()) };
            let legal = game.legal(history.state());
            let reply = match legal.len() {
                1 => legal.nth(0),
                _ if mover == self.seat || left == 0 => break mover,
                _ => {
                    left -= 1;
                    self.reply(&history, mover, legal, &mut rng)
                }
            };
            future.push(game, &mut history, reply);
        };
        let position = OpenPosition { state: history.state(), legal: game.legal(history.state()) };
        let valued = self.evaluator.value(game, position, &future, &mut rng, self.stop);
        best_of(&valued, mover).expect("at least one action").values.clone()
    }

    /// The reply of a seat with its own knowledge after this history.
    fn reply(&mut self, history: &History<G>, seat: Seat, legal: G::Actions, rng: &mut Rng) -> Action {
        let view = self.game.view(history, seat);
        if !self.replies.contains_key(&view) {
            let draws = WorldDraws::new(Worlds::uniform(self.game, &view), self.options.guesses, rng);
            let guessed = tally(self.game, &draws, seat, legal, self.evaluator, self.stop);
            self.replies.insert(view.clone(), guessed.equally_good());
        }
        let replies = &self.replies[&view];
        replies[rng.below(replies.len() as u32) as usize]
    }
}
