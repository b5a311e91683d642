//! Plays games from the first card to the last, one after another or many side by side.

use std::ops::ControlFlow;

use stier_core::list::Listing as _;
use stier_core::{Action, ActionSet as _, BySeat, Dealer, Game, History, Seat, Turn};

use super::schedule::Seating;
use super::{Entrant, Played};
use crate::agent::batch_agent::{BatchAgent, Query};
use crate::agent::player::Player;
use crate::agent::streams::Streams;
use crate::agent::threads::{Halted, goes_on};

/// The number of games played side by side. About half as many positions per player must fit in the cache.
const SIDE_BY_SIDE: u64 = 128;

/// The players of one thread.
pub(super) struct GameRunner<'a, G: Game> {
    game: &'a G,
    entrants: &'a [&'a dyn Entrant<G>],
    seed: u64,
    /// The many-table players, by entrant, if they have one.
    batch_agents: Vec<Option<Box<dyn BatchAgent<G>>>>,
    /// The single-table players, by table and entrant, created when first needed.
    players: Vec<Vec<Option<Player<G>>>>,
}

impl<'a, G: Game> GameRunner<'a, G> {
    /// The number of games to give to [`play`](Self::play) at a time, when each thread plays `games` in all.
    pub(super) fn batch(game: &G, entrants: &[&dyn Entrant<G>], games: u64) -> u64 {
        let side_by_side = entrants.iter().all(|entrant| entrant.is_instant())
            && entrants.iter().any(|entrant| entrant.batch_agent(game).is_some());
        if side_by_side { games.clamp(1, SIDE_BY_SIDE) } else { 1 }
    }

    /// Creates the runner, before any game.
    pub(super) fn new(game: &'a G, entrants: &'a [&'a dyn Entrant<G>], seed: u64) -> Self {
        let batch_agents = entrants.iter().map(|entrant| entrant.batch_agent(game)).list();
        Self { game, entrants, seed, batch_agents, players: Vec::new() }
    }

    /// Plays these games, each exactly as it would be played alone. `watch` is called after each game and may stop the
    /// match.
    pub(super) fn play(
        &mut self,
        seatings: Vec<Seating>,
        watch: &dyn Fn() -> ControlFlow<()>,
    ) -> Result<Vec<Played>, Halted> {
        let sit_down = |(number, seating)| self.sit_down(number, seating);
        let mut tables: Vec<Playing<G>> = seatings.iter().enumerate().map(sit_down).list();
        // The tables at which each entrant must act, with its seat there.
        let mut waiting: Vec<Vec<(usize, Seat)>> = vec![Vec::new(); self.entrants.len()];
        let mut actions = Vec::new();
        let mut open: Vec<usize> = (0..tables.len()).list();
        while !open.is_empty() {
            waiting.iter_mut().for_each(Vec::clear);
            let before = open.len();
            open.retain(|&number| {
                let table = &mut tables[number];
                table.dealer.settle(self.game, &mut table.history);
                let Turn::Seat(seat) = self.game.turn(table.history.state()) else { return false };
                waiting[seatings[number].agents[seat]].push((number, seat));
                true
            });
            (open.len()..before).try_for_each(|_| goes_on(watch()))?;
            for (entrant, positions) in waiting.iter().enumerate() {
                if let Some(batch_agent) = &mut self.batch_agents[entrant] {
                    let query = |&(number, seat): &(usize, Seat)| tables[number].query(seat);
                    let queries: Vec<Query<'_, G>> = positions.iter().map(query).collect();
                    actions.clear();
                    if !queries.is_empty() {
                        batch_agent.decide(self.game, &queries, &mut actions);
                    }
                    for (&(number, seat), &action) in positions.iter().zip(&actions) {
                        tables[number].streams[seat].advance();
                        tables[number].push(self.game, action);
                    }
                } else {
                    for &(number, _) in positions {
                        let action = self.ask(number, entrant, &tables[number]);
                        tables[number].push(self.game, action);
                    }
                }
            }
        }
        Ok(tables.into_iter().zip(seatings).map(|(table, seating)| table.played(self.game, seating)).collect())
    }

    /// Sets up a table before its first event. Agents that decide table by table get a player here, restarted for the
    /// game.
    fn sit_down(&mut self, table: usize, seating: &Seating) -> Playing<G> {
        let seats = seating.agents.len();
        if self.players.len() <= table {
            self.players.resize_with(table + 1, || self.entrants.iter().map(|_| None).list());
        }
        let streams = BySeat::from_fn(seats, |seat| {
            let (index, seed) = (seating.agents[seat], seating.seeds[seat]);
            if self.batch_agents[index].is_none() {
                self.players[table][index].get_or_insert_with(|| self.entrants[index].enter(self.game)).restart(seed);
            }
            Streams::new(seed)
        });
        Playing { dealer: Dealer::new(self.seed, seating.deal), history: History::new(self.game), streams }
    }

    /// Asks the entrant's player at this table for its action.
    fn ask(&mut self, number: usize, entrant: usize, table: &Playing<G>) -> Action {
        let legal = self.game.legal(table.history.state());
        let player = self.players[number][entrant].as_mut().expect("the player to act has been seated");
        player.act(self.game, &table.history, Some(&table.dealer), legal).action
    }
}

/// A game in progress.
struct Playing<G: Game> {
    dealer: Dealer,
    history: History<G>,
    /// The streams of agents that decide at many tables at once.
    streams: BySeat<Streams>,
}

impl<G: Game> Playing<G> {
    fn query(&self, seat: Seat) -> Query<'_, G> {
        Query::new(self.history.state(), seat, self.streams[seat])
    }

    fn push(&mut self, game: &G, action: Action) {
        debug_assert!(game.legal(self.history.state()).contains(action), "agents choose legal actions");
        self.history.push(game, action);
    }

    fn played(self, game: &G, seating: Seating) -> Played {
        Played {
            agents: seating.agents,
            deal: seating.deal,
            returns: game.returns(self.history.state()),
            events: self.history.events().iter().map(|event| event.action).collect(),
        }
    }
}
