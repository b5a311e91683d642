//! The frame of agents that search: random streams, limits, beliefs, and decisions without a choice.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use stier_core::{ActionSet, Game, Rng};

use crate::agent::lines::Line;
use crate::agent::stop::Stop;
use crate::agent::streams::Streams;
use crate::agent::worlds::Worlds;
use crate::agent::{Agent, Decision, Search};
use crate::search::ucb::ActionRecord;

/// A search algorithm. [`SearchAgent`] makes an agent of it.
pub(crate) trait Algorithm<G: Game>: Send {
    /// The worlds that a decision draws from.
    fn worlds(&self, game: &G, view: &G::View, stop: &Stop<'_>, rng: &mut Rng) -> Worlds<G>;

    /// The self-determined worlds that a decision adds to those that the searcher considers possible.
    fn self_determination(&self) -> Option<SelfDetermination> {
        None
    }

    /// Decides between several actions. The frame adds the duration.
    fn decide(&mut self, task: &Task<'_, G>) -> Decision;

    /// Begins a new game; see [`Agent::restart`].
    fn restart(&mut self, _seed: u64) {}

    /// Passes the flag of [`Agent::interrupt_with`] on to other agents.
    fn interrupt_with(&mut self, _flag: &Arc<AtomicBool>) {}

    /// Takes the lines recorded in the last decision.
    fn lines(&mut self) -> Vec<Line> {
        Vec::new()
    }
}

/// The settings of [`Worlds::self_determined`].
pub(crate) struct SelfDetermination {
    /// The share of self-determined worlds.
    pub share: f64,
    /// The number of worlds drawn in a decision without a time limit.
    pub draws: u64,
    /// The share of the time that may be spent on beliefs.
    pub belief_share: f64,
}

/// A decision to search.
pub(crate) struct Task<'a, G: Game> {
    /// The game.
    pub game: &'a G,
    /// The knowledge of the searcher.
    pub view: &'a G::View,
    /// The actions that the searcher may choose, at least two.
    pub legal: G::Actions,
    /// The worlds that the searcher considers possible, and self-determined ones.
    pub worlds: Worlds<G>,
    /// The random streams of the decision.
    pub streams: Streams,
    /// Ends the search early.
    pub stop: Stop<'a>,
    /// The depth to which lines are recorded; 0 if they are not.
    pub depth: usize,
}

/// An agent that decides by a search.
pub(crate) struct SearchAgent<S> {
    algorithm: S,
    time_ms: u64,
    streams: Streams,
    interrupt: Arc<AtomicBool>,
    depth: usize,
}

impl<S> SearchAgent<S> {
    /// Creates an agent with `time_ms` milliseconds per decision, 0 for unlimited, and the streams of `seed`.
    pub(crate) fn new(time_ms: u64, seed: u64, algorithm: S) -> Self {
        Self { algorithm, time_ms, streams: Streams::new(seed), interrupt: Arc::default(), depth: 0 }
    }

    /// Decides by `search`, unless only one action is legal.
    pub(crate) fn decide<A: ActionSet>(
        &mut self,
        legal: A,
        search: impl FnOnce(&mut S, Streams, Stop<'_>) -> Decision,
    ) -> Decision {
        let start = Instant::now();
        let mut decision = if legal.len() > 1 {
            search(&mut self.algorithm, self.streams, Stop::new(start, self.time_ms, &self.interrupt))
        } else {
            let mut only = ActionRecord::new(legal.nth(0)).stats(0.0);
            only.probability = 1.0;
            Decision::searched(legal.nth(0), Search { actions: vec![only], iterations: 0, nodes: 0, seconds: 0.0 })
        };
        self.streams.advance();
        if let Some(search) = &mut decision.search {
            search.seconds = start.elapsed().as_secs_f64();
        }
        decision
    }
}

impl<G: Game, S: Algorithm<G>> Agent<G> for SearchAgent<S> {
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        // A decision without a choice has no lines, not those of an earlier one.
        self.algorithm.lines();
        let depth = self.depth;
        self.decide(legal, |algorithm, streams, stop| {
            let mut rng = streams.rng("beliefs");
            let mut worlds = algorithm.worlds(game, view, &stop, &mut rng);
            if let Some(SelfDetermination { share, draws, belief_share }) = algorithm.self_determination() {
                let draws = if stop.is_timed() { u64::MAX } else { draws };
                worlds = worlds.self_determined(game, view, share, draws, &stop.within_share(belief_share), &mut rng);
            }
            algorithm.decide(&Task { game, view, legal, worlds, streams, stop, depth })
        })
    }

    fn restart(&mut self, seed: u64) {
        self.streams = Streams::new(seed);
        self.algorithm.restart(seed);
    }

    fn beliefs(&mut self, game: &G, view: &G::View) -> Worlds<G> {
        let stop = Stop::new(Instant::now(), self.time_ms, &self.interrupt);
        self.algorithm.worlds(game, view, &stop, &mut self.streams.rng("beliefs"))
    }

    fn note_lines(&mut self, depth: usize) {
        self.depth = depth;
    }

    fn lines(&mut self) -> Vec<Line> {
        self.algorithm.lines()
    }

    fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.algorithm.interrupt_with(&flag);
        self.interrupt = flag;
    }
}
