//! The frame of agents that search: random streams, limits, beliefs, and decisions without a choice.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stier_core::{ActionSet, Game, Hints};
use web_time::Instant;

use crate::agent::lines::Line;
use crate::agent::stop::{Stop, TimeLimit};
use crate::agent::streams::Streams;
use crate::agent::worlds::Worlds;
use crate::agent::{Agent, Decision, Search};
use crate::belief::policy_model::PolicyModel;
use crate::belief::{BeliefSettings, Earlier, Kept};
use crate::search::ucb::ActionRecord;

/// A search algorithm. [`SearchAgent`] makes an agent of it.
pub(crate) trait Algorithm<G: Hints>: Send {
    /// The model of the other players by which worlds are weighted, unless it is that of the [`BeliefSettings`].
    fn model(&self) -> Option<&dyn PolicyModel<G>> {
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
    pub(super) algorithm: S,
    pub(super) frame: Frame,
}

impl<S> SearchAgent<S> {
    /// Creates an agent with this much time per decision, these weights of worlds, and the streams of `seed`.
    pub(crate) fn new(time_ms: TimeLimit, belief: BeliefSettings, seed: u64, algorithm: S) -> Self {
        let (streams, interrupt) = (Streams::new(seed), Arc::default());
        let (kept, earlier, self_determination, draws, depth) = (Kept::States, Earlier::default(), 0.0, 0, 0);
        let frame = Frame { time_ms, belief, kept, earlier, self_determination, draws, streams, interrupt, depth };
        Self { algorithm, frame }
    }

    /// The same agent, whose decisions need these parts of worlds.
    pub(crate) fn keeping(mut self, kept: Kept) -> Self {
        self.frame.kept = kept;
        self
    }

    /// The same agent, with this share of [self-determined](Worlds::self_determined) worlds among the `draws` of a decision
    /// without a time limit.
    pub(crate) fn self_determined(mut self, self_determination: f64, draws: u64) -> Self {
        (self.frame.self_determination, self.frame.draws) = (self_determination, draws);
        self
    }

    /// Decides like [`Agent::act`] with its own budget, at most until the calculation around it ends.
    pub(crate) fn act_within<G: Hints>(
        &mut self,
        game: &G,
        view: &G::View,
        legal: G::Actions,
        stop: Stop<'_>,
    ) -> Decision
    where
        S: Algorithm<G>,
    {
        self.frame.act(&mut self.algorithm, game, view, legal, Some(stop.within_budget()))
    }
}

/// The part of a [`SearchAgent`] that is the same for all algorithms.
pub(crate) struct Frame {
    time_ms: TimeLimit,
    belief: BeliefSettings,
    kept: Kept,
    earlier: Earlier,
    /// The share of self-determined worlds, and the number of worlds drawn in a decision without a time limit.
    self_determination: f64,
    draws: u64,
    pub(super) streams: Streams,
    interrupt: Arc<AtomicBool>,
    depth: usize,
}

impl Frame {
    /// Decides by `search`, unless only one action is legal. A calculation around it may end it by its own `stop`.
    pub(crate) fn decide<A: ActionSet>(
        &mut self,
        legal: A,
        stop: Option<Stop<'_>>,
        search: &mut dyn FnMut(&Self, Stop<'_>) -> Decision,
    ) -> Decision {
        let start = Instant::now();
        let mut decision = if legal.len() > 1 {
            search(self, stop.unwrap_or_else(|| Stop::new(start, self.time_ms.0, &self.interrupt)))
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

    /// Decides by an algorithm.
    fn act<G: Hints>(
        &mut self,
        algorithm: &mut dyn Algorithm<G>,
        game: &G,
        view: &G::View,
        legal: G::Actions,
        stop: Option<Stop<'_>>,
    ) -> Decision {
        self.decide(legal, stop, &mut |frame, stop| {
            let (streams, depth) = (frame.streams, frame.depth);
            let mut rng = streams.rng("beliefs");
            let draws = if stop.is_timed { u64::MAX } else { frame.draws };
            let weighing = stop.within_share(frame.belief.belief_share);
            let worlds =
                frame.belief.worlds_after(&frame.earlier, algorithm.model(), frame.kept, game, view, &stop, &mut rng);
            let worlds = worlds.self_determined(game, view, frame.self_determination, draws, &weighing, &mut rng);
            algorithm.decide(&Task { game, view, legal, worlds, streams, stop, depth })
        })
    }

    /// The worlds of [`Agent::beliefs`]. Without the histories that some searches need, more can be enumerated.
    fn beliefs<G: Hints>(&self, algorithm: &dyn Algorithm<G>, game: &G, view: &G::View) -> Worlds<G> {
        let stop = Stop::new(Instant::now(), self.time_ms.0, &self.interrupt);
        let rng = &mut self.streams.rng("beliefs");
        self.belief.worlds_after(&self.earlier, algorithm.model(), Kept::States, game, view, &stop, rng)
    }
}

impl<G: Hints, S: Algorithm<G>> Agent<G> for SearchAgent<S> {
    fn act(&mut self, game: &G, view: &G::View, legal: G::Actions) -> Decision {
        // Drops the lines of an earlier decision: a decision without a choice records none.
        self.algorithm.lines();
        self.frame.act(&mut self.algorithm, game, view, legal, None)
    }

    fn restart(&mut self, seed: u64) {
        self.frame.streams = Streams::new(seed);
        self.algorithm.restart(seed);
    }

    fn beliefs(&mut self, game: &G, view: &G::View) -> Worlds<G> {
        self.frame.beliefs(&self.algorithm, game, view)
    }

    fn note_lines(&mut self, depth: usize) {
        self.frame.depth = depth;
    }

    fn lines(&mut self) -> Vec<Line> {
        self.algorithm.lines()
    }

    fn interrupt_with(&mut self, flag: Arc<AtomicBool>) {
        self.algorithm.interrupt_with(&flag);
        self.frame.interrupt = flag;
    }
}
