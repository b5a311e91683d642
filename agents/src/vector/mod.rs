//! Many games side by side, stepped together: for learners that decide for thousands of states at once.
//!
//! A *lane* is one game after another. Its games are dealt from seeds of its own: the first from the lane's seed `s`, which the caller
//! gives or which is hashed from (seed, "lane", lane), the `k`-th after it from (s, "episode", k). A lane does what a state with that
//! seed does, random events included, on any number of threads. One step is one decision in each lane: choices that are really made
//! at once are made one after another, as everywhere here.
//!
//! What a step tells is written into the caller's arrays ([`Rows`]). With [`Opponents`], they play the other seats inside the step.

mod checkpoint;
mod lane;
mod opponents;
mod rows;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use rayon::ThreadPool;
use rayon::prelude::{IntoParallelIterator as _, ParallelIterator as _};
use stier_core::{Action, ActionSet as _, IllegalAction, Rng, Seat, Turn, choice, encode};
use thiserror::Error;

use crate::erased::{DynState, FullGame, dealt_state};
use crate::network::file::NetworkError;
use crate::threads::{self, ThreadsError};

use self::lane::{Common, Lane, Stage};
use self::opponents::Crew;

pub use self::opponents::{LearnerSeat, Opponents};
pub use self::rows::{Cells, NOBODY, Rows, Shape};

choice! {
    /// What becomes of a lane whose game has ended.
    pub enum Autoreset {
        /// The step that ends a game deals the next one: what it shows is the new game, but for rewards and `terminated`. The last
        /// tensor of the old one is [`Rows::final_observation`].
        SameStep = "same_step",
        /// The next step ignores the lane's action and deals the next game.
        NextStep = "next_step",
        /// It stays as it is; steps do nothing to it. [`DynVector::reset`] deals the next game.
        Disabled = "disabled",
    }
}

choice! {
    /// What a player is shown.
    pub enum Tensor {
        /// The table and its hand: [`Encode::observation`](stier_core::Encode::observation).
        Observation = "observation",
        /// All that it knows: [`Encode::information_state`](stier_core::Encode::information_state).
        InformationState = "information_state",
    }
}

/// What kind of lanes.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// How many, at least 1.
    pub lanes: usize,
    /// From which the lanes' seeds are hashed.
    pub seed: u64,
    /// Threads; 0 for all cores. No influence on what happens.
    pub threads: usize,
    /// What becomes of a lane whose game has ended.
    pub autoreset: Autoreset,
    /// What players are shown.
    pub tensor: Tensor,
    /// Who plays the other seats; `None` if the caller decides for everybody.
    pub opponents: Option<Opponents>,
}

/// The seeds of lanes.
#[derive(Clone, Copy, Debug)]
pub enum Seeds<'a> {
    /// Every lane goes on to its next game.
    Next,
    /// Lane `i` begins anew with (seed, "lane", i).
    One(u64),
    /// Lane `i` begins anew with the `i`-th.
    Each(&'a [u64]),
}

/// Why nothing was done. Every lane is as it was.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum VectorError {
    /// No lane.
    #[error("there must be at least 1 lane")]
    NoLanes,
    /// An array of the wrong length.
    #[error("{what} must have {expected} values, not {found}")]
    Size {
        /// Which.
        what: &'static str,
        /// Its right length.
        expected: usize,
        /// Its length.
        found: usize,
    },
    /// Information states in bytes.
    #[error("information-state tensors are no planes of zeros and ones: they need floats")]
    Bytes,
    /// An action that the rules do not allow.
    #[error("lane {lane}: {source}")]
    Illegal {
        /// Where.
        lane: usize,
        /// Which, and what is allowed.
        source: IllegalAction,
    },
    /// The wrong number of opponents.
    #[error("there are {found} opponents; it takes 1 for all seats or {expected}, clockwise from the learner")]
    Opponents {
        /// One for each other seat.
        expected: usize,
        /// Given.
        found: usize,
    },
    /// An opponent asks a network that was trained for something else.
    #[error(transparent)]
    Unsuited(#[from] NetworkError),
    /// A learner on a seat that the game does not have.
    #[error("no seat {seat} for the learner: there are 0..={}", .seats - 1)]
    Seat {
        /// Asked for.
        seat: u8,
        /// Seats of the game.
        seats: usize,
    },
    /// No such lane.
    #[error("no lane {lane}: there are 0..={}", .lanes - 1)]
    Lane {
        /// Asked for.
        lane: usize,
        /// Lanes.
        lanes: usize,
    },
    /// Bytes that are no checkpoint of such lanes.
    #[error("no checkpoint of these lanes: {0}")]
    Checkpoint(String),
    /// The flag was set.
    #[error("interrupted")]
    Interrupted,
    /// The threads could not be started.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
}

/// Lanes of a game of which the type is not known.
pub trait DynVector: Send + Sync {
    /// What kind of lanes.
    fn settings(&self) -> &Settings;
    /// The lengths of a lane's rows.
    fn shape(&self) -> Shape;
    /// Whether a call returns in no time, whatever the lanes do; if not, it may be interrupted.
    fn is_instant(&self) -> bool;
    /// The seed of each lane's present game: [`DynGame::new_state`](crate::erased::DynGame::new_state) deals the same.
    fn seeds(&self) -> Vec<u64>;
    /// Deals a new game in all lanes, or in those of the mask, and writes where all lanes are.
    fn reset(&mut self, seeds: Seeds<'_>, mask: Option<&[bool]>, rows: Rows<'_>) -> Result<(), VectorError>;
    /// Plays one action in each lane, on to the next decision or the end. Rewards are what the step brought, which is nothing
    /// before the end of a game. A game that is over before its first decision is reported by the step after, which ignores the
    /// lane's action.
    fn step(&mut self, actions: &[i64], rows: Rows<'_>) -> Result<(), VectorError>;
    /// Writes where the lanes are; rewards are zeros.
    fn observe(&mut self, rows: Rows<'_>) -> Result<(), VectorError>;
    /// A legal action for each lane, uniformly, any action where it makes no difference. The `k`-th call, counted from 0, since lanes
    /// were given seeds draws from (seed, "actions", k), lane after lane.
    fn sample_actions(&mut self, out: &mut [i64]) -> Result<(), VectorError>;
    /// The state of a lane, history included; it goes on as the lane would.
    fn state(&self, lane: usize) -> Result<Box<dyn DynState>, VectorError>;
    /// What all seats together see in each lane: the observations of the current player, then of the seats after it, as bytes. For
    /// critics while training; no agent is ever shown it.
    fn perfect_information(&self, out: &mut [u8]) -> Result<(), VectorError>;
    /// Everything that the lanes' future depends on.
    fn save(&self) -> Vec<u8>;
    /// Goes on where [`save`](DynVector::save) was called, on lanes of the same game, number and opponents.
    fn load(&mut self, bytes: &[u8]) -> Result<(), VectorError>;
}

/// Lanes for each thread, where nobody thinks: with fewer, it takes longer to wake a thread than to do its work.
const LEAST: usize = 256;
/// Parts for each thread, where somebody thinks: some think longer than others.
const PARTS: usize = 8;
/// Is never set.
static NEVER: AtomicBool = AtomicBool::new(false);

/// The lanes of a game.
pub struct Vector<G: FullGame> {
    game: Arc<G>,
    settings: Settings,
    shape: Shape,
    every_action: G::Actions,
    lanes: Vec<Lane<G>>,
    /// What may be done in each lane; everything where it makes no difference.
    legal: Vec<G::Actions>,
    /// The seed of `sample_actions`, and how often it was called.
    draws: (u64, u64),
    threads: usize,
    pool: Option<ThreadPool>,
    /// Opponents, as many crews as threads.
    crews: Vec<Mutex<Crew<G>>>,
    interrupt: Arc<AtomicBool>,
}

/// Some of the lanes, with what belongs to them.
struct Part<'a, G: FullGame> {
    first: usize,
    lanes: &'a mut [Lane<G>],
    legal: &'a mut [G::Actions],
    rows: Rows<'a>,
}

/// How far a job has come in a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// It has not begun.
    Start,
    /// The game went on, or began, and the others have played.
    Played,
    /// In place of a step a new game began, and the others have played.
    Dealt,
    /// After the step a new game began, and the others have played.
    Redealt,
}

impl<G: FullGame> Vector<G> {
    /// Lanes, each with its first game dealt. While `interrupt` is set, calls return [`VectorError::Interrupted`] and change nothing. If
    /// it is set during a call, so does that call, unless the lanes are [instant](DynVector::is_instant): then it is completed.
    pub fn new(game: Arc<G>, settings: Settings, interrupt: Arc<AtomicBool>) -> Result<Self, VectorError> {
        if settings.lanes == 0 {
            return Err(VectorError::NoLanes);
        }
        if let Some(opponents) = &settings.opponents {
            opponents.check(&*game)?;
        }
        let threads = threads::resolve(settings.threads);
        let crew = |_| Mutex::new(Crew::new(settings.opponents.as_ref(), &interrupt));
        let mut own = Self {
            shape: Shape::of(&*game, settings.tensor),
            every_action: rows::every_action(&*game),
            lanes: (0..settings.lanes).map(|_| Lane::new(&*game)).collect(),
            legal: vec![G::Actions::default(); settings.lanes],
            draws: (settings.seed, 0),
            crews: (0..threads).map(crew).collect(),
            pool: None,
            threads,
            game,
            settings,
            interrupt,
        };
        own.reset(Seeds::One(own.settings.seed), None, Rows::default())?;
        Ok(own)
    }

    /// Does `job` to every lane, on threads if they are worth it. As long as the job gives a phase, the others play on in the lane, and
    /// it comes back in that phase. Interrupted, the lanes are as they were.
    fn for_each_lane(
        &mut self,
        rows: Rows<'_>,
        job: impl Fn(&Common<'_, G>, usize, &mut Lane<G>, (usize, &mut Rows<'_>), Phase) -> Option<Phase> + Sync,
    ) -> Result<(), VectorError> {
        rows.check(self.lanes.len(), &self.shape, self.settings.tensor)?;
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(VectorError::Interrupted);
        }
        let instant = self.is_instant();
        let count = self.lanes.len();
        let threads = if instant { self.threads.min(count / LEAST).max(1) } else { self.threads.min(count) };
        let size = if instant { count.div_ceil(threads) } else { count.div_ceil(threads * PARTS) };
        if threads > 1 && self.pool.is_none() {
            self.pool = Some(threads::pool(self.threads)?);
        }
        let before = (!instant).then(|| self.lanes.clone());

        let (shape, tensor, every_action) = (self.shape, self.settings.tensor, self.every_action);
        // There is nothing to go back to where nobody thinks: such a call is not broken off once it has begun.
        let interrupt = if instant { &NEVER } else { &*self.interrupt };
        let common = Common { game: &*self.game, opponents: self.settings.opponents.as_ref(), interrupt };
        let work = |mut part: Part<'_, G>, crew: &mut Crew<G>| {
            let batched = crew.is_batched();
            if batched {
                in_rounds(&common, crew, &mut part, &job);
            }
            for (index, (lane, legal)) in part.lanes.iter_mut().zip(part.legal).enumerate() {
                if common.interrupt.load(Ordering::Relaxed) {
                    return;
                }
                let rows = &mut part.rows;
                let mut phase = (!batched).then_some(Phase::Start);
                while let Some(now) = phase {
                    phase = job(&common, part.first + index, lane, (index, rows), now);
                    if phase.is_some() {
                        lane.play_on(&common, crew);
                    }
                }
                let state = lane.history.state();
                *legal = if lane.stage == Stage::Running { common.game.legal(state) } else { every_action };
                rows.write_mask(index, &shape, *legal);
                rows.write_observation(index, &shape, tensor, common.game, &lane.history, lane.viewer);
                if let Some(players) = &mut rows.current_player {
                    players[index] = rows::player_number(lane.player());
                }
            }
        };
        let crews = &self.crews;
        let with_crew = |part: Part<'_, G>, thread: usize| match crews[thread].try_lock() {
            Ok(mut crew) => work(part, &mut crew),
            // An agent of this thread waits for others of the pool, and this part came its way meanwhile.
            Err(_) => work(part, &mut Crew::new(common.opponents, &self.interrupt)),
        };
        let whole = Part { first: 0, lanes: &mut self.lanes, legal: &mut self.legal, rows };
        match &self.pool {
            Some(pool) if threads > 1 => {
                let parts = whole.divided(size, &shape);
                let thread = || rayon::current_thread_index().unwrap_or(0);
                pool.install(|| parts.into_par_iter().for_each(|part| with_crew(part, thread())));
            }
            _ => with_crew(whole, 0),
        }
        match before {
            Some(before) if self.interrupt.load(Ordering::Relaxed) => {
                self.lanes = before;
                self.find_legal();
                Err(VectorError::Interrupted)
            }
            _ => Ok(()),
        }
    }

    /// What may be done in each lane.
    fn find_legal(&mut self) {
        for (lane, legal) in self.lanes.iter().zip(&mut self.legal) {
            let running = lane.stage == Stage::Running;
            *legal = if running { self.game.legal(lane.history.state()) } else { self.every_action };
        }
    }

    /// The first action that is illegal, if there is one. Where a lane ignores its action, everything is legal.
    fn check(&self, actions: &[i64]) -> Result<(), VectorError> {
        let lanes = self.lanes.len();
        if actions.len() != lanes {
            return Err(VectorError::Size { what: "actions", expected: lanes, found: actions.len() });
        }
        let is_legal = |(&action, legal): (&i64, &G::Actions)| {
            u8::try_from(action).is_ok_and(|action| legal.contains(Action(action)))
        };
        let mut checked = actions.iter().zip(&self.legal).enumerate();
        let bad = checked.find(|&(lane, pair)| !is_legal(pair) && self.lanes[lane].stage == Stage::Running);
        bad.map_or(Ok(()), |(lane, (&action, _))| {
            let state = self.lanes[lane].history.state();
            let none = || IllegalAction {
                action: action.to_string(),
                rule: "there is no such action".to_string(),
                legal: self
                    .game
                    .possible(state)
                    .iter()
                    .map(|&a| format!("{} ({})", self.game.event_name(state, a), a.0))
                    .collect(),
            };
            let checked = u8::try_from(action).ok().and_then(|action| self.game.check(state, Action(action)).err());
            Err(VectorError::Illegal { lane, source: checked.unwrap_or_else(none) })
        })
    }
}

/// Does a job to lanes side by side: in each round, all opponents that are to act are asked at once. Once the interrupt is set, lanes are
/// left anywhere.
fn in_rounds<G: FullGame>(
    common: &Common<'_, G>,
    crew: &mut Crew<G>,
    part: &mut Part<'_, G>,
    job: &impl Fn(&Common<'_, G>, usize, &mut Lane<G>, (usize, &mut Rows<'_>), Phase) -> Option<Phase>,
) {
    let Part { first, lanes, rows, .. } = part;
    let mut open: Vec<(usize, Phase)> = (0..lanes.len())
        .filter_map(|index| {
            let phase = job(common, *first + index, &mut lanes[index], (index, rows), Phase::Start);
            phase.map(|phase| (index, phase))
        })
        .collect();
    let mut waiting = Vec::new();
    while !open.is_empty() && !common.interrupt.load(Ordering::Relaxed) {
        waiting.clear();
        open.retain_mut(|(index, phase)| {
            let lane = &mut lanes[*index];
            loop {
                if let Some(seat) = lane.advance(common.game) {
                    waiting.push((*index, seat));
                    return true;
                }
                match job(common, *first + *index, lane, (*index, rows), *phase) {
                    Some(next) => *phase = next,
                    None => return false,
                }
            }
        });
        let actions = crew.decide_many(common.game, lanes, &waiting);
        for (&(index, _), action) in waiting.iter().zip(actions) {
            let history = &mut lanes[index].history;
            debug_assert!(common.game.legal(history.state()).contains(action), "agents choose legal actions");
            history.push(common.game, action);
        }
    }
}

impl<'a, G: FullGame> Part<'a, G> {
    /// Parts of so many lanes.
    fn divided(self, size: usize, shape: &Shape) -> Vec<Part<'a, G>> {
        let Part { first, lanes, legal, mut rows } = self;
        let mut parts = Vec::new();
        for (lanes, legal) in lanes.chunks_mut(size).zip(legal.chunks_mut(size)) {
            let (own, rest) = rows.split(lanes.len(), shape);
            rows = rest;
            parts.push(Part { first: first + parts.len() * size, lanes, legal, rows: own });
        }
        parts
    }
}

impl<G: FullGame> DynVector for Vector<G> {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn shape(&self) -> Shape {
        self.shape
    }

    fn is_instant(&self) -> bool {
        self.settings.opponents.as_ref().is_none_or(|all| all.are_instant(self.settings.lanes))
    }

    fn seeds(&self) -> Vec<u64> {
        self.lanes.iter().map(|lane| lane.seed).collect()
    }

    fn reset(&mut self, seeds: Seeds<'_>, mask: Option<&[bool]>, rows: Rows<'_>) -> Result<(), VectorError> {
        let lanes = self.lanes.len();
        let fits = |what, found| match found {
            found if found == lanes => Ok(()),
            found => Err(VectorError::Size { what, expected: lanes, found }),
        };
        mask.map_or(Ok(()), |mask| fits("reset mask", mask.len()))?;
        if let Seeds::Each(seeds) = seeds {
            fits("seeds", seeds.len())?;
        }
        let shape = self.shape;
        self.for_each_lane(rows, |common, number, lane, (index, rows), phase| {
            if phase == Phase::Start && mask.is_none_or(|mask| mask[number]) {
                match seeds {
                    Seeds::Next => lane.prepare_next(common, number),
                    Seeds::One(seed) => {
                        let root = Rng::stream(seed, "lane", number as u64).bits();
                        lane.prepare(common, number, root, 0);
                    }
                    Seeds::Each(seeds) => lane.prepare(common, number, seeds[number], 0),
                }
                return Some(Phase::Played);
            }
            rows.write_rewards(index, &shape, None);
            rows.write_terminated(index, lane.stage == Stage::Finished);
            None
        })?;
        match seeds {
            Seeds::One(seed) if mask.is_none() => self.draws = (seed, 0),
            Seeds::Each(_) if mask.is_none() => self.draws = (self.settings.seed, 0),
            _ => {}
        }
        Ok(())
    }

    fn step(&mut self, actions: &[i64], rows: Rows<'_>) -> Result<(), VectorError> {
        self.check(actions)?;
        let (shape, autoreset, tensor) = (self.shape, self.settings.autoreset, self.settings.tensor);
        self.for_each_lane(rows, |common, number, lane, (index, rows), phase| {
            match (phase, lane.stage) {
                (Phase::Start, Stage::Running) => {
                    lane.history.push(common.game, Action(actions[number] as u8));
                    return Some(Phase::Played);
                }
                (Phase::Start, Stage::Finished) if autoreset == Autoreset::NextStep => {
                    lane.prepare_next(common, number);
                    return Some(Phase::Dealt);
                }
                (Phase::Dealt, _) => {
                    rows.write_rewards(index, &shape, None);
                    rows.write_terminated(index, false);
                    return None;
                }
                (Phase::Redealt, _) => return None,
                (Phase::Start | Phase::Played, _) => {}
            }
            let ended = lane.stage == Stage::Ended;
            let game = common.game;
            if ended {
                rows.write_rewards(index, &shape, Some(game.returns(lane.history.state()).as_slice()));
                lane.stage = Stage::Finished;
            } else {
                rows.write_rewards(index, &shape, None);
            }
            rows.write_terminated(index, lane.stage == Stage::Finished);
            if ended && autoreset == Autoreset::SameStep {
                rows.write_final_observation(index, &shape, tensor, game, &lane.history, lane.viewer);
                lane.prepare_next(common, number);
                return Some(Phase::Redealt);
            }
            None
        })
    }

    fn observe(&mut self, rows: Rows<'_>) -> Result<(), VectorError> {
        let shape = self.shape;
        self.for_each_lane(rows, |_, _, lane, (index, rows), _| {
            rows.write_rewards(index, &shape, None);
            rows.write_terminated(index, lane.stage == Stage::Finished);
            None
        })
    }

    fn sample_actions(&mut self, out: &mut [i64]) -> Result<(), VectorError> {
        if out.len() != self.lanes.len() {
            return Err(VectorError::Size { what: "actions", expected: self.lanes.len(), found: out.len() });
        }
        let (seed, call) = self.draws;
        self.draws.1 += 1;
        let mut rng = Rng::stream(seed, "actions", call);
        for (action, legal) in out.iter_mut().zip(&self.legal) {
            *action = legal.pick(&mut rng).0.into();
        }
        Ok(())
    }

    fn state(&self, lane: usize) -> Result<Box<dyn DynState>, VectorError> {
        let found = self.lanes.get(lane).ok_or(VectorError::Lane { lane, lanes: self.lanes.len() })?;
        debug_assert_ne!(self.game.turn(found.history.state()), Turn::Chance);
        Ok(dealt_state(self.game.clone(), found.history.clone(), found.seed, found.dealer.clone()))
    }

    fn perfect_information(&self, out: &mut [u8]) -> Result<(), VectorError> {
        let (size, seats) = (encode::size(&self.game.info().observation), self.shape.seats);
        let expected = self.lanes.len() * seats * size;
        if out.len() != expected {
            return Err(VectorError::Size { what: "perfect-information observation", expected, found: out.len() });
        }
        for (lane, out) in self.lanes.iter().zip(out.chunks_exact_mut(seats * size)) {
            for (place, out) in out.chunks_exact_mut(size).enumerate() {
                let seat = Seat(((lane.viewer.index() + place) % seats) as u8);
                self.game.observation(lane.history.state(), seat, out);
            }
        }
        Ok(())
    }

    fn save(&self) -> Vec<u8> {
        checkpoint::write(&*self.game, &self.settings, self.draws.0, self.draws.1, &self.lanes)
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), VectorError> {
        let common =
            Common { game: &*self.game, opponents: self.settings.opponents.as_ref(), interrupt: &self.interrupt };
        let (seed, draws, lanes) = checkpoint::read(&common, &self.settings, bytes)?;
        (self.draws, self.lanes) = ((seed, draws), lanes);
        self.find_legal();
        Ok(())
    }
}
