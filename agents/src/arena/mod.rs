//! Agents against each other.
//!
//! Every table of agents plays every deal in each of its arrangements, with the same cards: a *paired* deal, in which the luck of the
//! cards cancels. The arrangements are all cyclic orders of the agents, each in every rotation of the seats, so that every agent has
//! every seat and every neighbour equally often: 2 games of a deal for two agents, 6 for three, 24 for four. Exchanging copies of an
//! agent makes no new arrangement: one agent against copies of another plays once per seat. At tables of five the cyclic order is
//! drawn for each deal.
//!
//! Deals come from their own streams. The streams of an agent come from its [identity](Entrant::identity), so a change of one agent
//! changes nothing else, and naming the agents in another order gives the same games. Results do not depend on the number of threads.
//! Where all agents decide at once and one of them is faster when asked about many positions together, as a network is, games are
//! played side by side: the same games.
//!
//! A *Schwingfest*, the rulebook's tournament for three and more, is [`Settings::paired`] off with one deal: every pair meets
//! once per seat rotation, each time with new cards, and [`PitResult::totals`] ranks by the sum of the returns.

pub mod properties;
pub(crate) mod survey;
pub mod tssr;

mod play;
mod schedule;
mod stats;
mod table;

pub use survey::survey;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::{IntoParallelIterator as _, ParallelIterator as _};
use serde::Serialize;
use stier_core::{Action, BySeat, Game, Hints, Options as _, Seat};
use thiserror::Error;

use crate::agent::crowd::Crowd;
use crate::agent::player::Player;
use crate::agent::threads::{self, ThreadsError};
use crate::catalogue::spec::AgentSpec;

use play::Room;
use schedule::Schedule;

pub use schedule::number_of_games;
pub use stats::{Estimate, Share, ShareSums, win_share};
pub use table::{PitResult, Standing};

/// Somebody who can send an agent to a table.
pub trait Entrant<G: Game>: Sync {
    /// How results call it.
    fn label(&self) -> String;
    /// The text from which its random streams are derived. Entrants with the same identity count as copies of one agent, which differ by
    /// their random numbers alone.
    fn identity(&self) -> String {
        self.label()
    }
    /// Why it cannot play this game, if it cannot; called before anything is played.
    fn suits(&self, _game: &G) -> Result<(), String> {
        Ok(())
    }
    /// A player; [`Player::restart`] seeds it before every game.
    fn enter(&self) -> Player<G>;
    /// Whether its players decide at once, so that many can be waited for together.
    fn is_instant(&self) -> bool {
        false
    }
    /// The players for many tables in one, if that is faster than one for each. It plays as they would, to the bit.
    fn crowd(&self) -> Option<Box<dyn Crowd<G>>> {
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

    fn enter(&self) -> Player<G> {
        self.player(0)
    }

    fn is_instant(&self) -> bool {
        AgentSpec::is_instant(self)
    }

    fn crowd(&self) -> Option<Box<dyn Crowd<G>>> {
        self.network_agent().map(|agent| Box::new(agent) as _)
    }
}

/// How to play.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Settings {
    /// Deals per table, at least 1; each is played in every [arrangement](self) of the table.
    pub deals: u64,
    /// The seed of deals and agents.
    pub seed: u64,
    /// Whether all games of a deal have the same cards.
    pub paired: bool,
    /// Threads; 0 for all cores. No influence on the results.
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
    /// `agents[seat]`: which entrant sat there.
    pub agents: BySeat<usize>,
    /// Which cards: games with one number had the same.
    pub deal: u64,
    /// Returns by seat.
    pub returns: BySeat<f64>,
    /// Everything that happened, chance included.
    pub events: Vec<Action>,
}

/// Why nothing was played.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PitError {
    /// Not enough agents for one table.
    #[error("{game} has {seats} seats, so it takes {seats} agents or more (cross-table), not {given}")]
    TooFew {
        /// The game.
        game: String,
        /// Its seats.
        seats: usize,
        /// Agents given.
        given: usize,
    },
    /// An agent that cannot play this game.
    #[error("{agent}: {reason}")]
    Unsuited {
        /// Which.
        agent: String,
        /// Why not.
        reason: String,
    },
    /// No deal to play.
    #[error("deals must be at least 1")]
    NoDeals,
    /// More deals than can be numbered.
    #[error("deals must be at most {most} with these agents, got {deals}")]
    TooManyDeals {
        /// The limit.
        most: u64,
        /// Deals asked for.
        deals: u64,
    },
    /// The watcher asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The threads could not be started.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
}

/// Plays every table of entrants: all of them at one table if they fill the seats exactly, every combination otherwise.
///
/// `watch` is called after every game, from any thread, and may break off.
pub fn pit<G: Game>(
    game: &G,
    entrants: &[&dyn Entrant<G>],
    settings: &Settings,
    watch: &(dyn Fn() -> ControlFlow<()> + Sync),
) -> Result<PitResult, PitError> {
    let seats = game.num_seats();
    if entrants.len() < seats {
        return Err(PitError::TooFew { game: G::NAME.to_string(), seats, given: entrants.len() });
    }
    if settings.deals == 0 {
        return Err(PitError::NoDeals);
    }
    for entrant in entrants {
        entrant.suits(game).map_err(|reason| PitError::Unsuited { agent: entrant.label(), reason })?;
    }
    let identities: Vec<String> = entrants.iter().map(|entrant| entrant.identity()).collect();
    let schedule = Schedule::new(seats, &identities, settings);
    let most = schedule.most_deals();
    if settings.deals > most {
        return Err(PitError::TooManyDeals { most, deals: settings.deals });
    }
    let games = schedule.games();
    let stop = AtomicBool::new(false);
    let play = || {
        let batch = Room::batch(entrants, games.div_ceil(rayon::current_num_threads() as u64));
        (0..games.div_ceil(batch))
            .into_par_iter()
            .map_init(
                || Room::new(game, entrants, settings.seed),
                |room, number| {
                    if stop.load(Ordering::Relaxed) {
                        return None;
                    }
                    let numbers = number * batch..games.min((number + 1) * batch);
                    let played = room.play(numbers.map(|number| schedule.seating(number)).collect(), watch);
                    if played.is_none() {
                        stop.store(true, Ordering::Relaxed);
                    }
                    played
                },
            )
            .collect::<Option<Vec<Vec<Played>>>>()
    };
    let played = if settings.threads == 0 { play() } else { threads::pool(settings.threads)?.install(play) };
    if stop.load(Ordering::Relaxed) {
        return Err(PitError::Interrupted);
    }
    Ok(PitResult {
        game: G::NAME.to_string(),
        rules: game.rules().to_text(),
        settings: settings.clone(),
        agents: entrants.iter().map(|entrant| entrant.label()).collect(),
        games: played.ok_or(PitError::Interrupted)?.concat(),
    })
}

/// The seat that an entrant has in a game.
fn seat_of(played: &Played, entrant: usize) -> Option<Seat> {
    played.agents.iter().position(|&sitting| sitting == entrant).map(|seat| Seat(seat as u8))
}
