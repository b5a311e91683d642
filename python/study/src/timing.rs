//! The timing of Schwinget's attack, in play.
//!
//! Agents play games against copies of themselves. Every decision at which the mover may attack is a *position*. From there
//! the game is played on three ways ([`Arm`]): the mover attacks now; it does not now; it never does in this bout. All three
//! have common random numbers: the same hidden cards, the same order of the pile, agents with the same seeds, so that they differ
//! by what the choice brings about and by little else (L'Ecuyer, *Efficiency improvement and variance reduction*, 1994). What the
//! others do is up to them in all three.
//!
//! Hidden cards are those of the game ([`Hidden::Truth`]): then the mean over positions is exactly the mean over what those who
//! play like that cannot know, and needs no model of them. Or they are drawn from what the mover can infer ([`Hidden::Beliefs`]), by
//! the [fitted](stier_agents::belief::policy_model::FittedModel) policy: then many continuations show what a single position is worth, as far as
//! that model is right.
//!
//! Other agents may be asked about every position, too ([`Settings::lights`]): the values of their search for attacking now and for the
//! best other action.
//!
//! Values are returns of the mover in the game's utility. Known weakness: a position is worth what these players make of it.

use std::ops::ControlFlow;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rayon::prelude::{IntoParallelIterator as _, ParallelIterator as _};
use stier_agents::agent::Stop;
use stier_agents::agent::threads::{ThreadsError, pool, resolve};
use stier_agents::belief::policy_model::{FittedModel, Model};
use stier_agents::belief::{BeliefSettings, Beliefs, infer_histories};
use stier_agents::network::NetworkError;
use stier_agents::{Agent, AgentSpec, Decision};
use stier_core::games::schwinget::{PARTS_OF_RETURN, Schwinget, View};
use stier_core::{
    Action, ActionSet as _, Actions64, BySeat, Dealer, Game as _, History, Rng, Sampler as _, Seat, Turn, choice,
};
use thiserror::Error;

choice! {
    /// Which hidden cards a position is played on with.
    pub enum Hidden {
        /// Those of the game.
        Truth = "truth",
        /// Drawn anew for each continuation, from what the mover can infer.
        Beliefs = "beliefs",
    }
}

/// What to play.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// Who plays the games, at every seat.
    pub players: AgentSpec,
    /// Who plays on from the positions, at every seat.
    pub continuation: AgentSpec,
    /// Continuations per position and arm, at least 1.
    pub repeats: u64,
    /// Which hidden cards they have.
    pub hidden: Hidden,
    /// Agents that are asked about every position. They must search.
    pub lights: Vec<AgentSpec>,
    /// The share of positions that are studied; the others are only played through.
    pub share: f64,
    /// The seed of everything.
    pub seed: u64,
    /// Threads; 0 for all cores. No influence on the results.
    pub threads: usize,
}

/// A way to play on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arm {
    /// The mover attacks.
    Now,
    /// It does something else; later it does as it likes.
    Wait,
    /// It does not attack in this bout: where it would, it plays its best other action.
    Never,
}

impl Arm {
    /// Every arm, in the order of [`Position::arms`].
    pub const ALL: [Arm; 3] = [Arm::Now, Arm::Wait, Arm::Never];
}

/// What one way of playing on came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The mean return of the mover over the continuations with even numbers, and over those with odd ones (not a number if there
    /// are none): two independent estimates of the same.
    pub halves: [f64; 2],
    /// The mean of each of the [parts of the return](PARTS_OF_RETURN) over all continuations.
    pub parts: Vec<f64>,
    /// The share of the continuations in which the mover attacks in this bout, now or later.
    pub committed: f64,
    /// The share in which the opponent does.
    pub others_committed: f64,
}

/// What an agent thinks of a position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Opinion {
    /// The value it gives to attacking now; not a number if it did not try.
    pub now: f64,
    /// The value it gives to the most visited of the other actions, of equals the best.
    pub wait: f64,
    /// The probability with which it attacks.
    pub share: f64,
}

impl Opinion {
    /// What a decision says; `None` if nothing was searched.
    pub fn of(decision: &Decision, attack: Action) -> Option<Self> {
        let actions = &decision.search.as_ref()?.actions;
        let now = actions.iter().find(|stats| Action(stats.action) == attack);
        let others = actions.iter().filter(|stats| Action(stats.action) != attack);
        let liked = others.max_by(|a, b| a.visits.cmp(&b.visits).then(a.value.total_cmp(&b.value)));
        Some(Self {
            now: now.filter(|stats| stats.visits > 0).map_or(f64::NAN, |stats| stats.value),
            wait: liked.map_or(f64::NAN, |stats| stats.value),
            share: now.map_or(0.0, |stats| stats.probability),
        })
    }
}

/// A decision at which the mover could attack.
#[derive(Clone, PartialEq, Debug)]
pub struct Position {
    /// Which game: positions of one game are not independent.
    pub game: u64,
    /// How many of the game's decisions came before.
    pub decision: u32,
    /// Who is to move.
    pub seat: Seat,
    /// The circumstances, in the order of [`CIRCUMSTANCES`](stier_core::games::schwinget::CIRCUMSTANCES).
    pub circumstances: Vec<f32>,
    /// The probability with which the player attacked, as its decision says.
    pub share: f64,
    /// Whether it did.
    pub committed: bool,
    /// The advice of the rule of thumb: [`Schwinget::should_attack`].
    pub rule: bool,
    /// What came of each [`Arm`].
    pub arms: [Outcome; 3],
    /// By light.
    pub opinions: Vec<Opinion>,
}

/// Why there is no study.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TimingError {
    /// Nothing to play on with.
    #[error("repeats must be at least 1")]
    NoRepeats,
    /// A light does not search.
    #[error("{0} does not search: it has no values to tell")]
    Blind(String),
    /// An agent asks a network that was trained for something else.
    #[error(transparent)]
    Unsuited(#[from] NetworkError),
    /// The watcher asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The threads could not be started.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
}

/// The positions of these games, in their order: a function of the settings, whichever games are asked for together. `watch` is called
/// after every game, from any thread, and may break off.
pub fn positions(
    game: &Schwinget,
    settings: &Settings,
    games: Range<u64>,
    watch: &(dyn Fn() -> ControlFlow<()> + Sync),
) -> Result<Vec<Position>, TimingError> {
    if settings.repeats == 0 {
        return Err(TimingError::NoRepeats);
    }
    let agents = [&settings.players, &settings.continuation].into_iter().chain(&settings.lights);
    agents.into_iter().try_for_each(|agent| agent.check(game))?;
    let stop = AtomicBool::new(false);
    let study = |number: u64| {
        if stop.load(Ordering::Relaxed) {
            return Err(TimingError::Interrupted);
        }
        let found = Table::new(game, settings, number).play()?;
        if watch().is_break() {
            stop.store(true, Ordering::Relaxed);
        }
        Ok(found)
    };
    let found = pool(resolve(settings.threads))?
        .install(|| games.into_par_iter().map(study).collect::<Result<Vec<_>, TimingError>>())?;
    if stop.load(Ordering::Relaxed) {
        return Err(TimingError::Interrupted);
    }
    Ok(found.concat())
}

/// One game and all who have to do with it.
struct Table<'a> {
    game: &'a Schwinget,
    settings: &'a Settings,
    number: u64,
    players: BySeat<Box<dyn Agent<Schwinget>>>,
    continuation: BySeat<Box<dyn Agent<Schwinget>>>,
    lights: Vec<Box<dyn Agent<Schwinget>>>,
}

impl<'a> Table<'a> {
    fn new(game: &'a Schwinget, settings: &'a Settings, number: u64) -> Self {
        let agents = |spec: &AgentSpec| BySeat::from_fn(game.num_seats(), |_| spec.build(0));
        Self {
            game,
            settings,
            number,
            players: agents(&settings.players),
            continuation: agents(&settings.continuation),
            lights: settings.lights.iter().map(|spec| spec.build(0)).collect(),
        }
    }

    /// The stream of this game for a purpose.
    fn stream(&self, purpose: &str, index: u64) -> Rng {
        Rng::stream(Rng::stream(self.settings.seed, purpose, self.number).bits(), "timing", index)
    }

    fn play(mut self) -> Result<Vec<Position>, TimingError> {
        let mut found = Vec::new();
        let mut dealer = Dealer::new(self.settings.seed, self.number);
        let mut history = History::new(self.game);
        for (seat, player) in self.players.iter_mut().enumerate() {
            let seed = Rng::stream(self.settings.seed, "players of a study", self.number);
            player.restart(Rng::stream({ seed }.bits(), "seat", seat as u64).bits());
        }
        let mut chosen = self.stream("positions of a study", 0);
        let mut decisions = 0;
        loop {
            dealer.settle(self.game, &mut history);
            let Turn::Seat(seat) = self.game.turn(history.state()) else { return Ok(found) };
            let legal = self.game.legal(history.state());
            let view = self.game.view(&history, seat);
            let decision = self.players[seat].act(self.game, &view, legal);
            let is_position = legal.contains(self.game.attack()) && legal.len() > 1;
            if is_position && chosen.unit() < self.settings.share {
                found.push(self.study(&history, seat, decisions, &decision)?);
            }
            history.push(self.game, decision.action);
            decisions += 1;
        }
    }

    fn study(
        &mut self,
        history: &History<Schwinget>,
        seat: Seat,
        decision: u32,
        made: &Decision,
    ) -> Result<Position, TimingError> {
        let view = self.game.view(history, seat);
        let worlds = self.worlds(history, &view, decision);
        let mut tallies = Arm::ALL.map(|_| Tally::new(PARTS_OF_RETURN.len()));
        for (repeat, world) in worlds.iter().enumerate() {
            let index = u64::from(decision) << 32 | repeat as u64;
            for (arm, tally) in Arm::ALL.into_iter().zip(&mut tallies) {
                let end = self.play_on(world, seat, arm, index);
                tally.add(repeat, &end);
            }
        }
        Ok(Position {
            game: self.number,
            decision,
            seat,
            circumstances: self.game.circumstances(&view).to_vec(),
            share: made
                .policy
                .iter()
                .find(|(action, _)| *action == self.game.attack())
                .map_or(0.0, |&(_, share)| share),
            committed: made.action == self.game.attack(),
            rule: self.game.should_attack(&view),
            arms: tallies.map(Tally::finish),
            opinions: self.opinions(&view, history, decision)?,
        })
    }

    /// A history for each continuation.
    fn worlds(&self, truth: &History<Schwinget>, view: &View, decision: u32) -> Vec<History<Schwinget>> {
        let repeats = self.settings.repeats;
        if self.settings.hidden == Hidden::Truth {
            return vec![truth.clone(); repeats as usize];
        }
        let mut rng = self.stream("worlds of a study", u64::from(decision));
        let sampler = self.game.sampler(view);
        let beliefs = BeliefSettings {
            beliefs: Beliefs::Policy,
            model: Model::Fitted,
            model_temperature: 1.0,
            model_epsilon: 0.02,
            ..BeliefSettings::default()
        };
        let never = AtomicBool::new(false);
        let stop = Stop::new(Instant::now(), 0, &never);
        let belief = infer_histories(self.game, view, &sampler, &beliefs, &FittedModel, &stop, &mut rng);
        let draw = |_| match &belief {
            Ok(belief) => belief.draw_history(&mut rng).expect("histories were asked for").clone(),
            Err(_) => sampler.sample_history(self.game, &mut rng),
        };
        (0..repeats).map(draw).collect()
    }

    /// One continuation.
    fn play_on(&mut self, from: &History<Schwinget>, mover: Seat, arm: Arm, index: u64) -> End {
        let game = self.game;
        let mut dealer = Dealer::new(self.stream("deals of a study", index).bits(), 0);
        let seeds = self.stream("continuations of a study", index).bits();
        for (seat, player) in self.continuation.iter_mut().enumerate() {
            player.restart(Rng::stream(seeds, "seat", seat as u64).bits());
        }
        let mut history = from.clone();
        let deal = game.deal_number(history.state());
        let attack_only = Actions64::default().with(self.game.attack());
        let (mut committed, mut others_committed, mut first) = (false, false, true);
        loop {
            dealer.settle(game, &mut history);
            let Turn::Seat(seat) = game.turn(history.state()) else { break };
            let legal = game.legal(history.state());
            let same_deal = game.deal_number(history.state()) == deal;
            let view = game.view(&history, seat);
            let free = legal.without(attack_only);
            let action = if first && arm == Arm::Now {
                self.game.attack()
            } else {
                let player = &mut self.continuation[seat];
                let withheld = seat == mover && same_deal && !free.is_empty();
                let liked = player.act(game, &view, if first { free } else { legal }).action;
                if liked == self.game.attack() && withheld && arm == Arm::Never {
                    player.act(game, &view, free).action
                } else {
                    liked
                }
            };
            if action == self.game.attack() && same_deal {
                *if seat == mover { &mut committed } else { &mut others_committed } = true;
            }
            history.push(game, action);
            first = false;
        }
        End { parts: game.parts_of_return(history.state(), mover), committed, others_committed }
    }

    fn opinions(
        &mut self,
        view: &View,
        history: &History<Schwinget>,
        decision: u32,
    ) -> Result<Vec<Opinion>, TimingError> {
        let legal = self.game.legal(history.state());
        let mut opinions = Vec::with_capacity(self.lights.len());
        for index in 0..self.lights.len() {
            let seed = self.stream("lights of a study", u64::from(decision) << 32 | index as u64).bits();
            let light = &mut self.lights[index];
            light.restart(seed);
            let decision = light.act(self.game, view, legal);
            let opinion = Opinion::of(&decision, self.game.attack());
            opinions.push(opinion.ok_or_else(|| TimingError::Blind(self.settings.lights[index].to_string()))?);
        }
        Ok(opinions)
    }
}

/// How a continuation ended for the mover.
struct End {
    parts: [f32; PARTS_OF_RETURN.len()],
    committed: bool,
    others_committed: bool,
}

/// The sums of an [`Outcome`].
struct Tally {
    halves: [(f64, f64); 2],
    parts: Vec<f64>,
    committed: f64,
    others_committed: f64,
}

impl Tally {
    fn new(parts: usize) -> Self {
        Self { halves: [(0.0, 0.0); 2], parts: vec![0.0; parts], committed: 0.0, others_committed: 0.0 }
    }

    fn add(&mut self, repeat: usize, end: &End) {
        let half = &mut self.halves[repeat % 2];
        *half = (half.0 + end.parts.iter().map(|&part| f64::from(part)).sum::<f64>(), half.1 + 1.0);
        self.parts.iter_mut().zip(&end.parts).for_each(|(sum, &part)| *sum += f64::from(part));
        self.committed += f64::from(end.committed);
        self.others_committed += f64::from(end.others_committed);
    }

    fn finish(self) -> Outcome {
        let count: f64 = self.halves.iter().map(|(_, count)| count).sum();
        Outcome {
            halves: self.halves.map(|(sum, count)| sum / count),
            parts: self.parts.into_iter().map(|sum| sum / count).collect(),
            committed: self.committed / count,
            others_committed: self.others_committed / count,
        }
    }
}
