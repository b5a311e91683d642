//! Many games side by side, stepped together: for learners that decide for thousands of states at once.
//!
//! A *lane* is one game after another. Its games are dealt from seeds of its own: the first from the lane's seed `s`,
//! which the caller gives or which is hashed from (seed, "lane", lane), the `k`-th after it from (s, "episode", k). A
//! lane does what a state with that seed does, random events included, on any number of threads. One step is one
//! decision in each lane. Simultaneous choices are made one after another, as in all games here.
//!
//! The result of a step is written into the caller's arrays ([`Rows`]). With [`Opponents`], they play the other seats
//! inside the step. With an [`Opening`], another agent begins some of the games, and with [`Barred`], an action may not be
//! chosen at the beginning of some.

mod agents;
mod beliefs;
mod checkpoint;
mod error;
mod lane;
mod opening;
mod opponents;
mod rows;
mod settings;
mod step;

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use rayon::ThreadPool;
use stier_core::list::Listing as _;
use stier_core::{Action, ActionSet as _, Dealer, FullGame, History, Rng, Seat, Turn, encode};

use crate::agent::threads::{self, Halted, for_each_task};
use crate::catalogue::AgentSpec;

use self::agents::Agents;
use self::error::check_size;
use self::lane::{Lane, Stage};
use self::step::{Call, LaneStep, Progress, Task};

pub use self::error::VectorError;
pub use self::opening::{Barred, Opening, Span};
pub use self::opponents::{LearnerSeat, Opponents};
pub use self::rows::{Cells, NOBODY, Rows, Shape};
pub use self::settings::{Autoreset, Settings, TensorKind};

/// The seeds that lanes are reset to.
#[derive(Clone, Copy, Debug)]
pub enum Seeds<'a> {
    /// Every lane goes on to its next game.
    Next,
    /// Lane `i` begins again with (seed, "lane", i).
    One(u64),
    /// Lane `i` begins again with the `i`-th seed.
    Each(&'a [u64]),
}

/// Lanes of a game whose type is not known.
pub trait Lanes: Send + Sync {
    /// The settings that they were made with, with the present opponents.
    fn settings(&self) -> &Settings;
    /// The lengths of a lane's rows.
    fn shape(&self) -> Shape;
    /// Returns true if every call is so fast that it is never interrupted.
    fn is_instant(&self) -> bool;
    /// The seed of each lane's present game.
    fn seeds(&self) -> Vec<u64>;
    /// Deals a new game in all lanes, or in those of the mask, and writes the rows of all lanes.
    fn reset(&mut self, seeds: Seeds<'_>, mask: Option<&[bool]>, rows: Rows<'_>) -> Result<(), VectorError>;
    /// Plays one action in each lane, on to the next decision or the end. Rewards are those of the step: zeros
    /// before the end of a game. A game that is over before its first decision is reported by the step after, which
    /// ignores the lane's action.
    fn step(&mut self, actions: &[i64], rows: Rows<'_>) -> Result<(), VectorError>;
    /// Writes the rows of all lanes; rewards are zeros.
    fn observe(&mut self, rows: Rows<'_>) -> Result<(), VectorError>;
    /// Replaces the opponents, also in games that have begun: new lanes have games in which the first opponents may
    /// have acted. The learner's seats, the seeds and the games stay as they are.
    fn set_opponents(&mut self, agents: Vec<AgentSpec>) -> Result<(), VectorError>;
    /// Draws a legal action for each lane uniformly; any action if the lane ignores it. The `k`-th call since
    /// lanes were given seeds, counted from 0, draws from (seed, "actions", k), lane after lane.
    fn sample_actions(&mut self, out: &mut [i64]) -> Result<(), VectorError>;
    /// Writes what all seats together see in each lane: the observations of the current player, then of the seats
    /// after it, as bytes. This is for critics in training; no agent is ever shown it.
    fn perfect_information(&self, out: &mut [u8]) -> Result<(), VectorError>;
    /// The number of decisions, from the present one on, at which an action is [barred](Barred) in each lane. Like
    /// the perfect information, this is for critics in training.
    fn barred_left(&self) -> Vec<u32>;
    /// The checkpoint: everything that the lanes' future depends on.
    fn save(&self) -> Vec<u8>;
    /// Restores a [checkpoint](Lanes::save) of lanes of the same game, number and opponents.
    fn load(&mut self, bytes: &[u8]) -> Result<(), VectorError>;
}

impl<G: FullGame> Lanes for Vector<G> {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn shape(&self) -> Shape {
        self.shape
    }

    fn is_instant(&self) -> bool {
        self.settings.is_instant()
    }

    fn seeds(&self) -> Vec<u64> {
        self.lanes.iter().map(|lane| lane.seed).list()
    }

    fn reset(&mut self, seeds: Seeds<'_>, mask: Option<&[bool]>, rows: Rows<'_>) -> Result<(), VectorError> {
        mask.map_or(Ok(()), |mask| check_size("reset mask", self.lanes.len(), mask.len()))?;
        if let Seeds::Each(seeds) = seeds {
            check_size("seeds", self.lanes.len(), seeds.len())?;
        }
        self.call(Task::Reset { seeds, mask }, rows)?;
        match seeds {
            Seeds::One(seed) if mask.is_none() => self.draws = ActionDraws { seed, calls: 0 },
            Seeds::Each(_) if mask.is_none() => self.draws = ActionDraws { seed: self.settings.seed, calls: 0 },
            _ => {}
        }
        Ok(())
    }

    fn step(&mut self, actions: &[i64], rows: Rows<'_>) -> Result<(), VectorError> {
        self.check(actions)?;
        self.call(Task::Step { actions }, rows)
    }

    fn observe(&mut self, rows: Rows<'_>) -> Result<(), VectorError> {
        self.call(Task::Observe, rows)
    }

    fn set_opponents(&mut self, agents: Vec<AgentSpec>) -> Result<(), VectorError> {
        let learner = self.settings.opponents.as_ref().ok_or(VectorError::NoOpponents)?.learner;
        let opponents = Opponents { agents, learner };
        opponents.check(&*self.game)?;
        self.settings.opponents = Some(opponents);
        // Those of the next call are made from the new settings.
        self.agents = Mutex::default();
        Ok(())
    }

    fn sample_actions(&mut self, out: &mut [i64]) -> Result<(), VectorError> {
        check_size("actions", self.lanes.len(), out.len())?;
        let mut rng = Rng::stream(self.draws.seed, "actions", self.draws.calls);
        self.draws.calls += 1;
        for (action, legal) in out.iter_mut().zip(&self.legal) {
            *action = legal.pick(&mut rng).0.into();
        }
        Ok(())
    }

    fn perfect_information(&self, out: &mut [u8]) -> Result<(), VectorError> {
        let (size, seats) = (encode::size(&self.game.observation_layout()), self.shape.seats);
        check_size("perfect-information observation", self.lanes.len() * seats * size, out.len())?;
        for (lane, out) in self.lanes.iter().zip(out.chunks_exact_mut(seats * size)) {
            for (place, out) in out.chunks_exact_mut(size).enumerate() {
                let seat = Seat(((lane.viewer.index() + place) % seats) as u8);
                self.game.observation(lane.history.state(), seat, out);
            }
        }
        Ok(())
    }

    fn barred_left(&self) -> Vec<u32> {
        self.lanes.iter().map(Lane::barred_left).list()
    }

    fn save(&self) -> Vec<u8> {
        checkpoint::write(&*self.game, &self.settings, self.draws, &self.lanes)
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), VectorError> {
        (self.draws, self.lanes) = checkpoint::read(&*self.game, &self.settings, bytes)?;
        self.find_legal();
        Ok(())
    }
}

/// The smallest number of lanes per thread if all agents decide at once.
const LANES_PER_THREAD: usize = 256;
/// The number of parts per thread if agents search, some longer than others.
const PARTS_PER_THREAD: usize = 8;

/// The stream of `sample_actions`: its seed and the number of calls.
#[derive(Clone, Copy)]
struct ActionDraws {
    seed: u64,
    calls: u64,
}

/// The lanes of a game.
pub struct Vector<G: FullGame> {
    game: Arc<G>,
    settings: Settings,
    shape: Shape,
    every_action: G::Actions,
    lanes: Vec<Lane<G>>,
    /// The legal actions of each lane; all actions if the lane ignores its action.
    legal: Vec<G::Actions>,
    draws: ActionDraws,
    threads: usize,
    pool: Option<ThreadPool>,
    /// The agents that no thread uses at the moment.
    agents: Mutex<Vec<Agents<G>>>,
    interrupt: Arc<AtomicBool>,
}

/// Some of the lanes, with what belongs to them.
struct Part<'a, G: FullGame> {
    lanes: &'a mut [Lane<G>],
    legal: &'a mut [G::Actions],
    rows: Rows<'a>,
}

impl<'a, G: FullGame> Part<'a, G> {
    /// Parts of at most `size` lanes.
    fn divided(self, size: usize, shape: &Shape) -> Vec<Self> {
        let Part { lanes, legal, mut rows } = self;
        let parts = lanes.chunks_mut(size).zip(legal.chunks_mut(size));
        parts.map(|(lanes, legal)| Part { rows: rows.take(lanes.len(), shape), lanes, legal }).list()
    }

    /// Makes the call in all lanes. In each round, all agents that wait decide at once. Once the interrupt is set,
    /// lanes may stop at any point.
    fn run(mut self, call: &Call<'_, G>, shape: &Shape, agents: &mut Agents<G>) {
        let mut waiting = Vec::new();
        for (lane, legal) in self.lanes.iter_mut().zip(self.legal) {
            if call.is_interrupted() {
                return;
            }
            let mut step = LaneStep::new(lane, legal, self.rows.take(1, shape));
            if step.begin(call, agents) == Progress::Waiting {
                waiting.push(step);
            }
        }
        while !waiting.is_empty() && !call.is_interrupted() {
            let mut lanes: Vec<_> = waiting.iter_mut().map(|step| &mut *step.lane).list();
            agents.decide_many(call.game, &mut lanes);
            waiting.retain_mut(|step| step.resume(call, agents) == Progress::Waiting);
        }
    }
}

impl<G: FullGame> Vector<G> {
    /// Lanes, each with its first game dealt. While `interrupt` is set, calls return [`Halted::Interrupted`] and change
    /// nothing. If it is set during a call, so does that call, unless the lanes are [instant](Lanes::is_instant): then
    /// it is completed.
    pub fn new(game: Arc<G>, settings: Settings, interrupt: Arc<AtomicBool>) -> Result<Self, VectorError> {
        if settings.lanes == 0 {
            return Err(VectorError::NoLanes);
        }
        settings.opponents.iter().try_for_each(|opponents| opponents.check(&*game))?;
        settings.opening.iter().try_for_each(|opening| opening.check(&*game))?;
        settings.barred.iter().try_for_each(|barred| barred.check(&*game))?;
        if let Some(believer) = &settings.beliefs {
            believer.check(&*game)?;
            if settings.tensor != TensorKind::Observation {
                return Err(VectorError::Beliefs);
            }
            if game.cards().is_empty() {
                return Err(VectorError::NoCards(game.name()));
            }
        }
        let mut own = Self {
            shape: Shape::of(&*game, &settings),
            every_action: rows::every_action(&*game),
            lanes: (0..settings.lanes).map(|number| Lane::new(&*game, number)).list(),
            legal: vec![G::Actions::default(); settings.lanes],
            draws: ActionDraws { seed: settings.seed, calls: 0 },
            agents: Mutex::default(),
            pool: None,
            threads: threads::resolve(settings.threads),
            game,
            settings,
            interrupt,
        };
        own.reset(Seeds::One(own.settings.seed), None, Rows::default())?;
        Ok(own)
    }

    /// The game.
    pub fn game(&self) -> &Arc<G> {
        &self.game
    }

    /// The game of a lane so far, the dealer of the events to come, and the seed of both.
    pub fn position(&self, lane: usize) -> Result<(&History<G>, &Dealer, u64), VectorError> {
        let found = self.lanes.get(lane).ok_or(VectorError::Lane { lane, lanes: self.lanes.len() })?;
        debug_assert_ne!(self.game.turn(found.history.state()), Turn::Chance);
        Ok((&found.history, &found.dealer, found.seed))
    }

    /// Makes a call, on several threads if that is faster. If it is interrupted, the lanes do not change.
    fn call(&mut self, task: Task<'_>, rows: Rows<'_>) -> Result<(), VectorError> {
        rows.check(self.lanes.len(), &self.shape, &self.settings)?;
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Halted::Interrupted.into());
        }
        let instant = self.is_instant();
        let count = self.lanes.len();
        let threads = if instant { self.threads.min(count / LANES_PER_THREAD).max(1) } else { self.threads.min(count) };
        let size = if instant { count.div_ceil(threads) } else { count.div_ceil(threads * PARTS_PER_THREAD) };
        if threads > 1 && self.pool.is_none() {
            self.pool = Some(threads::pool(self.threads)?);
        }
        // An instant call is not interrupted, so it needs no copy to go back to.
        let before = (!instant).then(|| self.lanes.clone());

        let call = Call {
            game: &*self.game,
            settings: &self.settings,
            shape: self.shape,
            every_action: self.every_action,
            task,
            interrupt: (!instant).then_some(&*self.interrupt),
        };
        let (shape, idle, interrupt) = (self.shape, &self.agents, &self.interrupt);
        let run = |part: Part<'_, G>| {
            let own = idle.lock().expect("no thread panics with it").pop();
            let mut agents = own.unwrap_or_else(|| Agents::new(call.game, call.settings, interrupt));
            part.run(&call, &shape, &mut agents);
            idle.lock().expect("no thread panics with it").push(agents);
        };
        let whole = Part { lanes: &mut self.lanes, legal: &mut self.legal, rows };
        match &self.pool {
            Some(pool) if threads > 1 => {
                let mut parts = whole.divided(size, &shape);
                threads::run_in(pool, &mut || for_each_task(mem::take(&mut parts), run));
            }
            _ => run(whole),
        }
        match before {
            Some(before) if self.interrupt.load(Ordering::Relaxed) => {
                self.lanes = before;
                self.find_legal();
                Err(Halted::Interrupted.into())
            }
            _ => Ok(()),
        }
    }

    /// Finds the legal actions of all lanes anew.
    fn find_legal(&mut self) {
        for (lane, legal) in self.lanes.iter().zip(&mut self.legal) {
            *legal = lane.legal(&self.game, &self.settings, self.every_action);
        }
    }

    /// Refuses illegal actions. If a lane ignores its action, every action is legal.
    fn check(&self, actions: &[i64]) -> Result<(), VectorError> {
        check_size("actions", self.lanes.len(), actions.len())?;
        let is_legal = |(&action, legal): (&i64, &G::Actions)| {
            u8::try_from(action).is_ok_and(|action| legal.contains(Action(action)))
        };
        let mut checked = actions.iter().zip(&self.legal).enumerate();
        let bad = checked.find(|&(lane, pair)| !is_legal(pair) && self.lanes[lane].stage == Stage::Running);
        bad.map_or(Ok(()), |(lane, (&action, _))| {
            Err(VectorError::Illegal { lane, source: self.lanes[lane].refusal(&self.game, self.legal[lane], action) })
        })
    }
}
