//! The timing of Schwinget's attack, in play.
//!
//! Agents play games against copies of themselves. Every decision at which the mover may attack is a *position*. From
//! there the game continues in three ways ([`Arm`]): the mover attacks now, does not attack now, or never attacks in
//! this bout. All three use common random numbers: the same hidden cards, the same order of the pile and agents with
//! the same seeds. They differ by the consequences of the choice and by little else (L'Ecuyer, *Efficiency improvement
//! and variance reduction*, 1994). The opponent plays freely in all three.
//!
//! With [`Hidden::Truth`], hidden cards are those of the game. The mean over positions is then exactly the mean over
//! the hidden cards, given how the players play, and needs no model of them. With [`Hidden::Beliefs`], they are drawn
//! from what the mover can infer with the [fitted](stier_agents::belief::policy_model::FittedModel) policy. Many
//! continuations then give the value of a single position, as far as that model is right.
//!
//! Other agents, the [advisers](Settings::advisers), may be queried at every position for the values that their search
//! gives to attacking now and to the best other action.
//!
//! Values are returns of the mover in the units of the game. Known weakness: the value of a position depends on the
//! players that continue it.

use std::ops::ControlFlow;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use stier_agents::agent::Stop;
use stier_agents::agent::threads::{Halted, each, goes_on};
use stier_agents::belief::policy_model::Model;
use stier_agents::belief::{BeliefSettings, Beliefs, Kept};
use stier_agents::catalogue::Unsuited;
use stier_agents::{Agent, AgentSpec, Decision};
use stier_core::games::schwinget::{PARTS_OF_RETURN, Schwinget, View};
use stier_core::{Action, ActionSet as _, Actions64, BySeat, Dealer, Game as _, History, Rng, Seat, Turn, choice};
use stier_schwinget::agent;
use thiserror::Error;

choice! {
    /// The hidden cards of a continuation.
    pub enum Hidden {
        /// The cards of the game.
        Truth = "truth",
        /// Cards drawn for each continuation from what the mover can infer.
        Beliefs = "beliefs",
    }
}

/// The settings of a study.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The agent that plays the games, at every seat.
    pub players: AgentSpec,
    /// The agent that continues from the positions, at every seat.
    pub continuation: AgentSpec,
    /// Continuations per position and arm, at least 1.
    pub repeats: u64,
    /// The hidden cards of the continuations.
    pub hidden: Hidden,
    /// The agents to query at every position. They must search.
    pub advisers: Vec<AgentSpec>,
    /// The share of positions to study.
    pub share: f64,
    /// The seed.
    pub seed: u64,
    /// The number of threads; 0 for all cores. It does not change the results.
    pub threads: usize,
}

/// A way to continue from a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arm {
    /// The mover attacks.
    Now,
    /// The mover chooses another action and plays freely later.
    Wait,
    /// The mover does not attack in this bout. Where it would, it plays its best other action.
    Never,
}

impl Arm {
    /// Every arm, in the order of [`Position::arms`].
    pub const ALL: [Arm; 3] = [Arm::Now, Arm::Wait, Arm::Never];
}

/// The results of one arm at a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The mean return of the mover over the continuations with even numbers, and over those with odd numbers: two
    /// independent estimates. NaN without continuations.
    pub halves: [f64; 2],
    /// The mean of each of the [parts of the return](PARTS_OF_RETURN) over all continuations.
    pub parts: Vec<f64>,
    /// The share of the continuations in which the mover attacks in this bout, now or later.
    pub committed: f64,
    /// The share of the continuations in which the opponent attacks in this bout.
    pub others_committed: f64,
}

/// The evaluation of a position by an agent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Opinion {
    /// The value of attacking now; NaN if the search did not try it.
    pub now: f64,
    /// The value of the most visited other action, and the best one of equals.
    pub wait: f64,
    /// The probability of an attack.
    pub share: f64,
}

impl Opinion {
    /// The opinion in a decision; `None` if the agent did not search.
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
    /// The number of the game. Positions of the same game are not independent.
    pub game: u64,
    /// The number of decisions before this one.
    pub decision: u32,
    /// The mover.
    pub seat: Seat,
    /// The circumstances, in the order of [`CIRCUMSTANCES`](stier_core::games::schwinget::CIRCUMSTANCES).
    pub circumstances: Vec<f32>,
    /// The probability of an attack according to the player's decision.
    pub share: f64,
    /// True if the player attacked.
    pub committed: bool,
    /// The advice of the rule of thumb: [`Schwinget::should_attack`].
    pub rule: bool,
    /// The results of each [`Arm`].
    pub arms: [Outcome; 3],
    /// The opinions of the advisers, in order.
    pub opinions: Vec<Opinion>,
}

/// The reasons for which a study cannot be made.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TimingError {
    /// There are no continuations.
    #[error("repeats must be at least 1")]
    NoRepeats,
    /// An adviser does not search.
    #[error("{0} does not search, so it has no values")]
    Blind(String),
    /// An agent cannot play the game.
    #[error(transparent)]
    Unsuited(#[from] Unsuited),
    /// Interrupted by the watcher, or the threads could not be started.
    #[error(transparent)]
    Halted(#[from] Halted),
}

/// Returns the positions of these games in order. They are a function of the settings and do not depend on the range of
/// games. `watch` is called after every game, from any thread, and may stop the run.
pub fn positions(
    game: &Schwinget,
    settings: &Settings,
    games: Range<u64>,
    watch: &(dyn Fn() -> ControlFlow<()> + Sync),
) -> Result<Vec<Position>, TimingError> {
    if settings.repeats == 0 {
        return Err(TimingError::NoRepeats);
    }
    let agents = [&settings.players, &settings.continuation].into_iter().chain(&settings.advisers);
    agents.into_iter().try_for_each(|agent| agent.check(game))?;
    let count = games.end.saturating_sub(games.start);
    let found = each(
        settings.threads,
        count,
        || (),
        |(), index| {
            let found = Table::new(game, settings, games.start + index).play()?;
            goes_on(watch())?;
            Ok::<_, TimingError>(found)
        },
    )?;
    Ok(found.concat())
}

/// One game with its agents.
struct Table<'a> {
    game: &'a Schwinget,
    settings: &'a Settings,
    number: u64,
    players: BySeat<Box<dyn Agent<Schwinget>>>,
    continuation: BySeat<Box<dyn Agent<Schwinget>>>,
    advisers: Vec<Box<dyn Agent<Schwinget>>>,
}

impl<'a> Table<'a> {
    fn new(game: &'a Schwinget, settings: &'a Settings, number: u64) -> Self {
        let agents = |spec: &AgentSpec| BySeat::from_fn(game.num_seats(), |_| agent(spec, game, 0));
        Self {
            game,
            settings,
            number,
            players: agents(&settings.players),
            continuation: agents(&settings.continuation),
            advisers: settings.advisers.iter().map(|spec| agent(spec, game, 0)).collect(),
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

    /// Returns a history for each continuation.
    fn worlds(&self, truth: &History<Schwinget>, view: &View, decision: u32) -> Vec<History<Schwinget>> {
        let repeats = self.settings.repeats;
        if self.settings.hidden == Hidden::Truth {
            return vec![truth.clone(); repeats as usize];
        }
        let mut rng = self.stream("worlds of a study", u64::from(decision));
        let beliefs = BeliefSettings {
            beliefs: Beliefs::Policy,
            model: Model::Fitted,
            model_temperature: 1.0,
            model_epsilon: 0.02,
            ..BeliefSettings::default()
        };
        let never = AtomicBool::new(false);
        let stop = Stop::new(Instant::now(), 0, &never);
        let worlds = beliefs.worlds(&*beliefs.policy_model(), Kept::Histories, self.game, view, &stop, &mut rng);
        (0..repeats).map(|_| worlds.draw_history(self.game, &mut rng)).collect()
    }

    /// Plays one continuation.
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
        let mut opinions = Vec::with_capacity(self.advisers.len());
        for index in 0..self.advisers.len() {
            let seed = self.stream("lights of a study", u64::from(decision) << 32 | index as u64).bits();
            let adviser = &mut self.advisers[index];
            adviser.restart(seed);
            let decision = adviser.act(self.game, view, legal);
            let opinion = Opinion::of(&decision, self.game.attack());
            opinions.push(opinion.ok_or_else(|| TimingError::Blind(self.settings.advisers[index].to_string()))?);
        }
        Ok(opinions)
    }
}

/// The end of a continuation for the mover.
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
