//! A game once more, decision by decision, as `stier replay` has it: the same searches, the same figures.

use std::num::NonZero;

use serde::Serialize;
use stier_agents::Search;
use stier_agents::agent::ActionStats;
use stier_agents::arena::judgement::{self, Judgement};
use stier_agents::erased::{DynAgent, DynState, check_seat};
use stier_agents::tell::{Move, Table};
use stier_core::{Action, Seat, Turn};

use crate::analysis::{Analysis, searcher};
use crate::engine::Problem;
use crate::knowledge::Beliefs;
use crate::position::Position;

/// A game to be reviewed.
pub(crate) struct Opened {
    end: Box<dyn DynState>,
    decisions: Vec<Taken>,
}

/// A decision of the game.
#[derive(Clone, Copy)]
struct Taken {
    seat: Seat,
    /// The number of events before it.
    number: usize,
    action: Action,
}

/// A description of the game.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Reviewing"))]
pub(crate) struct About {
    game: String,
    rules: String,
    seats: usize,
    /// The number of events, chance included.
    events: usize,
    moves: Vec<Made>,
    returns: Option<Vec<f64>>,
}

/// A move of the game.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct Made {
    seat: u8,
    /// The number of events before it.
    number: usize,
    name: String,
}

impl Opened {
    /// Reads a record.
    pub(crate) fn new(record: &str) -> Result<Self, Problem> {
        let end = stier_games::read_record(record)?;
        let taken = |(number, event): (usize, &stier_core::Event)| {
            event.turn.seat().map(|seat| Taken { seat, number, action: event.action })
        };
        let decisions = end.events().iter().enumerate().filter_map(taken).collect();
        Ok(Self { end, decisions })
    }

    /// Describes it.
    pub(crate) fn about(&self) -> About {
        let game = self.end.game();
        let made =
            |&Taken { seat, number, action }: &Taken| Made { seat: seat.0, number, name: game.action_name(action) };
        About {
            game: game.facts().name.to_string(),
            rules: game.facts().rules_text.clone(),
            seats: game.info().num_seats,
            events: self.end.events().len(),
            moves: self.decisions.iter().map(made).collect(),
            returns: (self.end.turn() == Turn::Over).then(|| self.end.returns()),
        }
    }

    /// Begins the review of a seat's decisions.
    pub(crate) fn review(&self, seat: i64, agent: &str, searches: NonZero<usize>) -> Result<Reviewer, Problem> {
        let game = self.end.game();
        let seat = check_seat(&*game, seat)?;
        let own = self.decisions.iter().copied().filter(|taken| taken.seat == seat);
        Ok(Reviewer {
            state: game.new_state(None),
            events: self.end.events().iter().map(|event| event.action).collect(),
            own: own.collect::<Vec<_>>().into_iter(),
            agent: searcher(&*self.end, agent)?,
            name: agent.to_string(),
            searches: searches.get(),
        })
    }
}

/// The table of a recorded game after so many events, as a seat sees it, or with all cards open.
pub(crate) fn moment(record: &str, number: usize, seat: Option<i64>) -> Result<Table, Problem> {
    let end = stier_games::read_record(record)?;
    let game = end.game();
    let eyes = seat.map(|seat| check_seat(&*game, seat)).transpose()?;
    let mut state = game.new_state(None);
    for event in end.events().iter().take(number) {
        state.apply(event.action)?;
    }
    Ok(Table::of(&*state, eyes))
}

/// A review in progress.
pub(crate) struct Reviewer {
    /// The game up to the decision last reviewed.
    state: Box<dyn DynState>,
    events: Vec<Action>,
    own: std::vec::IntoIter<Taken>,
    agent: Box<dyn DynAgent>,
    name: String,
    searches: usize,
}

/// A decision with its judgement.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Reviewed {
    /// Its number among the moves of the game, chance included.
    number: usize,
    /// The game up to here, for "what if". Its record may hold cards that the seat could not know.
    position: Position,
    /// The table as the seat saw it.
    table: Table,
    action: Move,
    /// The action that most of the searches choose.
    best: Move,
    /// The loss of the choice against the agent's own choice; `None` if it is not known.
    cost: Option<f64>,
    ci95: Option<f64>,
    analysis: Analysis,
    /// Without `cards` in games without cards.
    beliefs: Beliefs,
}

impl Reviewer {
    /// Reviews the next decision; `None` at the end.
    pub(crate) fn decision(&mut self) -> Result<Option<Reviewed>, Problem> {
        let Some(Taken { seat, number, action }) = self.own.next() else { return Ok(None) };
        for &event in &self.events[self.state.events().len()..number] {
            self.state.apply(event)?;
        }
        let view = self.state.resample(seat, 0);
        self.agent.restart(0);
        let beliefs = self.agent.beliefs(&*view, seat)?.into();
        let mut found: Vec<(Action, Search)> = Vec::new();
        if view.possible().len() > 1 {
            for search in 0..self.searches {
                self.agent.restart(judgement::seed(search, view.events().len()));
                let decision = self.agent.decide(&*view)?;
                let search = decision.search.ok_or_else(|| Problem::NoSearch { agent: self.name.clone() })?;
                found.push((decision.action, search));
            }
        }
        let statistics: Vec<(Action, &[ActionStats])> =
            found.iter().map(|(choice, search)| (*choice, &search.actions[..])).collect();
        let judged = Judgement::of(&statistics, action);
        let (own, best) = (Move::of(&*view, action), Move::of(&*view, judged.best));
        let game = self.state.game();
        Ok(Some(Reviewed {
            number: view.events().len(),
            position: Position {
                game: game.facts().name.to_string(),
                rules: game.facts().rules_text.clone(),
                seed: "0".to_string(),
                moves: Vec::new(),
                record: Some(self.state.record()),
            },
            table: Table::of(&*view, Some(seat)),
            action: own,
            best,
            cost: judged.cost,
            ci95: judged.ci95,
            analysis: Analysis::of(&*view, &found),
            beliefs,
        }))
    }
}
