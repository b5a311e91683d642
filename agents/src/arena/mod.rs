//! Matches between agents.
//!
//! Every table of agents plays every deal in each of its arrangements, with the same cards. Such a *paired* deal
//! cancels the luck of the cards. The arrangements are all cyclic orders of the agents, each in every rotation of the
//! seats, so every agent has every seat and every neighbour equally often. A deal takes 2 games with two agents, 6
//! with three and 24 with four. Exchanging copies of an agent does not make a new arrangement: one agent against
//! copies of another plays once per seat. At tables of five the cyclic order is drawn for each deal.
//!
//! Deals have their own streams. The streams of an agent come from its [identity](Entrant::identity), so changing one
//! agent leaves the others' draws as they were, and the order in which agents are named does not matter. Results do
//! not depend on the number of threads. Some agents, such as networks, are faster when many positions are evaluated
//! together. If all agents decide without a search and one of them is of this kind, games are played side by side.
//! The results are the same.
//!
//! A *Schwingfest*, the rulebook's tournament for three and more players, is one deal with [`Settings::paired`] off.
//! Every pair meets once per seat rotation, each time with new cards, and [`PitResult::totals`] ranks the agents by
//! their total returns.

pub mod judgement;
pub mod properties;

mod play;
mod schedule;
mod stats;
mod table;

use serde::Serialize;
use stier_core::list::Listing as _;
use stier_core::{Action, BySeat, Game, Hints, Seat};
use thiserror::Error;

use crate::agent::batch_agent::BatchAgent;
use crate::agent::player::Player;
use crate::agent::threads::{self, Halted, Watch, each, stopping_all};
use crate::catalogue::AgentSpec;

use play::GameRunner;
use schedule::Schedule;

pub use schedule::number_of_games;
pub use stats::{Estimate, Share, ShareSums, win_share};
pub use table::{PitResult, Standing};

/// A participant in a match, which creates its own players.
pub trait Entrant<G: Game>: Sync {
    /// The name in result tables.
    fn label(&self) -> String;
    /// The text from which the random streams are derived. Entrants with the same identity are copies of one agent
    /// and differ only in their random numbers.
    fn identity(&self) -> String {
        self.label()
    }
    /// Checks that the entrant can play this game, and returns the reason if it cannot. Called before any game is
    /// played.
    fn suits(&self, _game: &G) -> Result<(), String> {
        Ok(())
    }
    /// Creates a player. [`Player::restart`] seeds it before every game.
    fn enter(&self, game: &G) -> Player<G>;
    /// Returns true if the players decide without a search. Games can then be played side by side.
    fn is_instant(&self) -> bool {
        false
    }
    /// Creates one player for many tables, if that is faster than one player per table. It must play exactly as
    /// separate players would.
    fn batch_agent(&self, _game: &G) -> Option<Box<dyn BatchAgent<G>>> {
        None
    }
}

impl<G: Hints> Entrant<G> for AgentSpec {
    fn label(&self) -> String {
        self.to_string()
    }

    fn suits(&self, game: &G) -> Result<(), String> {
        self.check(game).map_err(|error| error.to_string())
    }

    fn enter(&self, game: &G) -> Player<G> {
        self.player(game, 0)
    }

    fn is_instant(&self) -> bool {
        self.facts().is_instant
    }

    fn batch_agent(&self, game: &G) -> Option<Box<dyn BatchAgent<G>>> {
        self.network_agent(game).map(|agent| Box::new(agent) as _)
    }
}

/// The settings of a match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Settings {
    /// Deals per table, at least 1. Each is played in every [arrangement](self) of the table.
    pub deals: u64,
    /// The seed of deals and agents.
    pub seed: u64,
    /// True if all games of a deal have the same cards.
    pub paired: bool,
    /// The number of threads; 0 uses all cores. It does not change the results.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { deals: 1000, seed: 0, paired: true, threads: 0 }
    }
}

/// One finished game.
#[derive(Clone, PartialEq, Debug)]
pub struct Played {
    /// The entrant at each seat.
    pub agents: BySeat<usize>,
    /// The number of the deal. Games with the same number had the same cards.
    pub deal: u64,
    /// Returns by seat.
    pub returns: BySeat<f64>,
    /// Everything that happened, including chance.
    pub events: Vec<Action>,
}

/// The reason why a match was not played.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PitError {
    /// Too few agents for one table.
    #[error("{game} has {seats} seats, so it needs at least {seats} agents, got {given}")]
    TooFew {
        /// The game.
        game: String,
        /// The number of its seats.
        seats: usize,
        /// The number of agents given.
        given: usize,
    },
    /// An agent that cannot play this game.
    #[error("{agent}: {reason}")]
    Unsuited {
        /// The agent.
        agent: String,
        /// The reason.
        reason: String,
    },
    /// No deal to play.
    #[error("deals must be at least 1")]
    NoDeals,
    /// Too many deals to number.
    #[error("deals must be at most {most} with these agents, got {deals}")]
    TooManyDeals {
        /// The limit.
        most: u64,
        /// The number of deals requested.
        deals: u64,
    },
    /// Interrupted, or the threads could not be started.
    #[error(transparent)]
    Halted(#[from] Halted),
}

/// Plays every table of entrants. There is one table if the entrants fill the seats exactly, and one for every
/// combination of entrants otherwise.
///
/// `watch` is called after every game, from any thread, and may stop the match.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use stier_agents::AgentSpec;
/// use stier_agents::arena::{Settings, pit};
/// use stier_core::FromRules;
/// use stier_core::games::schwinget::{Rules, Schwinget};
///
/// let game = Schwinget::new(Rules::default())?;
/// let [greedy, random]: [AgentSpec; 2] = ["greedy".parse()?, "random".parse()?];
/// let settings = Settings { deals: 50, ..Settings::default() };
/// let result = pit(&game, &[&greedy, &random], &settings, &|| ControlFlow::Continue(()))?;
/// assert_eq!(result.games.len(), 100);
/// assert!(result.standing(0).mean.mean > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pit<G: Game>(
    game: &G,
    entrants: &[&dyn Entrant<G>],
    settings: &Settings,
    watch: Watch<'_>,
) -> Result<PitResult, PitError> {
    let seats = game.num_seats();
    if entrants.len() < seats {
        return Err(PitError::TooFew { game: game.name().to_string(), seats, given: entrants.len() });
    }
    if settings.deals == 0 {
        return Err(PitError::NoDeals);
    }
    for entrant in entrants {
        entrant.suits(game).map_err(|reason| PitError::Unsuited { agent: entrant.label(), reason })?;
    }
    let identities: Vec<String> = entrants.iter().map(|entrant| entrant.identity()).list();
    let schedule = Schedule::new(seats, &identities, settings);
    let most = schedule.most_deals();
    if settings.deals > most {
        return Err(PitError::TooManyDeals { most, deals: settings.deals });
    }
    let games = schedule.games();
    let batch = GameRunner::batch(game, entrants, games.div_ceil(threads::resolve(settings.threads) as u64));
    let watch = stopping_all(watch);
    let runner = || GameRunner::new(game, entrants, settings.seed);
    let played: Vec<Vec<Played>> = each(settings.threads, games.div_ceil(batch), runner, |runner, number| {
        let numbers = number * batch..games.min((number + 1) * batch);
        runner.play(numbers.map(|number| schedule.seating(number)).list(), &watch)
    })?;
    // Moved and not copied: a copy of the events would take as much memory again.
    let mut all = Vec::with_capacity(games as usize);
    all.extend(played.into_iter().flatten());
    Ok(PitResult {
        game: game.name().to_string(),
        rules: game.rules().to_text(),
        range: game.info().utility_range,
        settings: settings.clone(),
        agents: numbered(&entrants.iter().map(|entrant| entrant.label()).list()),
        games: all,
    })
}

/// The labels of a match, all different: the n-th of equal ones ends with "#n", or with the next number that is free.
fn numbered(labels: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (place, label) in labels.iter().enumerate() {
        let is_free = |name: &String| !labels.contains(name) && !names.contains(name);
        let mut numbers = (2..).map(|number| format!("{label} #{number}"));
        let again = labels[..place].contains(label);
        let name = if again { numbers.find(is_free).expect("the numbers do not end") } else { label.clone() };
        names.push(name);
    }
    names
}

/// The entrant's seat in a game.
fn seat_of(played: &Played, entrant: usize) -> Option<Seat> {
    played.agents.iter().position(|&sitting| sitting == entrant).map(|seat| Seat(seat as u8))
}
