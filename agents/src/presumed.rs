//! Presumed-value perfect information Monte Carlo search: the others reply by what they can know.
//!
//! After F. Wisser, *An Expert-Level Card Playing Agent Based on a Variant of Perfect Information Monte Carlo Sampling*, IJCAI 2015,
//! made for Schnapsen. PIMC over-estimates what opponents know of hidden cards, the searcher's own among them; there, opponents choose
//! by presumed values instead. This is a reading of that idea, not of the paper's algorithm. What is computed:
//!
//! 1. Worlds are drawn from the searcher's view, each with its history and what chance will bring in it.
//! 2. In each world, after each action of the searcher, the next `replies` decisions of others (forced ones not counted; fewer if it is
//!    the searcher's turn before) are made by presumed value: who is to act draws `guesses` worlds from its own view of that history,
//!    in which the searcher's hand is as hidden as any, and takes the action with the best mean open-card value over them, one of
//!    several at random. Equal views presume alike in all worlds.
//! 3. The position reached is worth its open-card value in the true world of the sample.
//! 4. The action with the best mean is played.
//!
//! Without `replies` this would be [`pimc`](crate::pimc).
//!
//! Known weaknesses: after the replies everybody sees everything again, the searcher included (strategy fusion); the others presume by
//! open cards, too; their guesses weigh every world by chance alone, not by what the searcher's play tells. The cost is that of PIMC
//! times about `guesses` times the number of the searcher's actions.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use stier_core::{
    Action, ActionSet as _, BySeat, Game, Hints, History, Rng, Sampler as _, Seat, SeatView as _, Turn, options,
};

use crate::agent::{Agent, Decision};
use crate::determinized::{Draws, Fallback, Means, Solver, Tally, Valued, Valuer, best_of, tally};
use crate::open_cards::Future;
use crate::rollout::Rollout;
use crate::stop::Stop;

options! {
    /// The options of [`PresumedPimc`].
    pub struct PresumedOptions for "presumed_pimc" {
        /// Worlds per decision.
        worlds: u64 = 20, 1..=100_000_000;
        /// Milliseconds per decision; if given, time ends the search instead of `worlds`, and results depend on the clock.
        time_ms: u64 = 0, 0..=3_600_000;
        /// Worlds that an opponent looks at before it replies.
        guesses: u64 = 8, 1..=1_000_000;
        /// Decisions of others after each action that are presumed.
        replies: u32 = 1, 1..=16;
        /// How a world is valued.
        solver: Solver = Solver::Exact, ();
        /// How worlds are valued that exact solving does not finish.
        fallback: Fallback = Fallback::Rollouts, ();
        /// Nodes that exact solving may take, each time.
        nodes: u64 = 2000, 1..=1_000_000_000;
        /// Iterations of the tree search, each time; rollouts, shared among the actions.
        iterations: u64 = 20, 1..=1_000_000_000;
        /// Exploration in the tree search, for returns scaled so that twice their standard deviation in the world is 1.
        c: f64 = 0.7, 0.0..=100.0;
        /// How the tree search plays on from a leaf, and rollouts from the action.
        rollout: Rollout = Rollout::Hints, ();
    }
}

impl PresumedOptions {
    fn means(&self) -> Means {
        Means {
            solver: self.solver,
            fallback: self.fallback,
            nodes: self.nodes,
            iterations: self.iterations,
            c: self.c,
            rollout: self.rollout,
        }
    }
}

/// The player: see the [module](self) documentation.
#[derive(Clone, Debug)]
pub struct PresumedPimc<G: Game> {
    options: PresumedOptions,
    seed: u64,
    decisions: u64,
    valuer: Valuer<G>,
    interrupt: Arc<AtomicBool>,
}

impl<G: Hints> PresumedPimc<G> {
    /// A player with the streams of `seed`.
    pub fn new(options: PresumedOptions, seed: u64) -> Self {
        let valuer = Valuer::new(options.means());
        Self { options, seed, decisions: 0, valuer, interrupt: Arc::default() }
    }
}

impl<G: Hints> Agent<G> for PresumedPimc<G> {
    /// Searches, unless only one action is legal.
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        let start = Instant::now();
        let stop = Stop::new(start, self.options.time_ms, &self.interrupt);
        let base = Rng::stream(self.seed, "presumed", self.decisions).bits();
        self.decisions += 1;
        self.valuer.begin();
        let mut tally = Tally::new(view.seat(), legal.iter());
        if legal.len() == 1 {
            return tally.decide(0, start);
        }
        let sampler = game.sampler(view);
        let mut presumed = Presumed {
            game,
            seat: view.seat(),
            options: &self.options,
            valuer: &mut self.valuer,
            stop: &stop,
            replies: HashMap::new(),
        };
        for index in 0.. {
            let enough = !stop.is_timed() && index >= self.options.worlds;
            if index > 0 && (enough || stop.is_due()) {
                break;
            }
            let mut rng = Rng::stream(base, "world", index);
            let history = sampler.sample_history(game, &mut rng);
            let future = Future::drawn(rng.bits());
            let mut valued = Vec::with_capacity(legal.len());
            for action in legal.iter() {
                let values = presumed.value(&history, future.clone(), action, &mut rng.clone());
                valued.push(Valued { action, values, visits: 1, available: 1 });
            }
            if index > 0 && stop.is_due() {
                break;
            }
            tally.add(1.0, &valued);
        }
        tally.decide(self.valuer.nodes(), start)
    }

    fn restart(&mut self, seed: u64) {
        self.seed = seed;
        self.decisions = 0;
    }

    fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.interrupt = flag;
    }
}

struct Presumed<'a, G: Game> {
    game: &'a G,
    seat: Seat,
    options: &'a PresumedOptions,
    valuer: &'a mut Valuer<G>,
    stop: &'a Stop<'a>,
    /// What seems best to others with what they know.
    replies: HashMap<G::View, Vec<Action>>,
}

impl<G: Hints> Presumed<'_, G> {
    /// What an action of the searcher brings every seat in this world.
    fn value(&mut self, history: &History<G>, mut future: Future, action: Action, rng: &mut Rng) -> BySeat<f32> {
        let game = self.game;
        let mut history = history.clone();
        push(game, &mut history, action, &mut future);
        let mut left = self.options.replies;
        let mover = loop {
            let Turn::Seat(mover) = game.turn(history.state()) else { return game.returns(history.state()) };
            let legal = game.legal(history.state());
            let reply = match legal.len() {
                1 => legal.nth(0),
                _ if mover == self.seat || left == 0 => break mover,
                _ => {
                    left -= 1;
                    self.reply(&history, mover, legal, rng)
                }
            };
            push(game, &mut history, reply, &mut future);
        };
        let valued = self.valuer.value(game, history.state(), &future, rng, self.stop);
        best_of(&valued, mover).expect("there is an action").values.clone()
    }

    /// What a seat does that knows what it knows after this history.
    fn reply(&mut self, history: &History<G>, seat: Seat, legal: G::Actions, rng: &mut Rng) -> Action {
        let view = self.game.view(history, seat);
        if !self.replies.contains_key(&view) {
            let draws = Draws::new(self.game, &view, self.options.guesses, rng);
            let guessed = tally(self.game, &draws, (seat, legal), self.valuer, self.stop);
            self.replies.insert(view.clone(), guessed.equally_good());
        }
        let replies = &self.replies[&view];
        replies[rng.below(replies.len() as u32) as usize]
    }
}

/// Appends an action and the random events that follow.
fn push<G: Game>(game: &G, history: &mut History<G>, action: Action, future: &mut Future) {
    history.push(game, action);
    while game.turn(history.state()) == Turn::Chance {
        let outcome = future.next(game, history.state());
        history.push(game, outcome);
    }
}
