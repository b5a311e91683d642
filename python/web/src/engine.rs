//! The questions by name.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use stier_agents::SpecError;
use stier_agents::agent::DecideError;
use stier_agents::agent::threads::Halted;
use stier_agents::catalogue::Unsuited;
use stier_agents::erased::{BadSeat, check_seat};
use stier_agents::solve::{BuildError, SolveError};
use stier_agents::tell::Table;
use stier_core::{IllegalAction, RecordError, RulesError};
use thiserror::Error;

use crate::analysis::Analyst;
use crate::position::Position;
use crate::review::Reviewer;
use crate::solution::Solved;
use crate::{analysis, catalogue, checksum, knowledge, review, solution, story};

/// The reason why there is no answer.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the errors have their own documentation")]
pub enum Problem {
    #[error(transparent)]
    Rules(#[from] RulesError),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Illegal(#[from] IllegalAction),
    #[error(transparent)]
    Seat(#[from] BadSeat),
    #[error(transparent)]
    Agent(#[from] SpecError),
    #[error(transparent)]
    Unsuited(#[from] Unsuited),
    #[error(transparent)]
    Decide(#[from] DecideError),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Solve(#[from] SolveError),
    #[error(transparent)]
    Halted(#[from] Halted),
    #[error("arguments of {method}: {error}")]
    Arguments { method: String, error: serde_json::Error },
    #[error("unknown question '{0}'")]
    Unknown(String),
    #[error("move {0} does not fit the deal: the link was changed, or an opponent has decided otherwise")]
    BadMove(usize),
    #[error("seed must be a whole number from 0 to 2^64 - 1, got '{0}'")]
    BadSeed(String),
    #[error("{agent} does not search; take an agent with iterations")]
    NoSearch { agent: String },
    #[error("memory_mb must be at most {most} in a web page, got {given}")]
    Memory { most: u64, given: u64 },
    #[error("an oracle decides by the cards that the seat cannot know; take an agent that sees views")]
    Oracle,
    #[error("{0}")]
    NotBegun(&'static str),
    #[error("the record is of {record}, not of {wanted}")]
    OtherGame { record: String, wanted: String },
    #[error("seat {0} knows its own cards: name another seat")]
    SameSeat(i64),
}

/// All that is kept between questions.
#[derive(Default)]
pub struct Engine {
    analyst: Option<Analyst>,
    opened: Option<review::Opened>,
    reviewer: Option<Reviewer>,
    solved: Option<Solved>,
}

impl Engine {
    /// Answers a question: see [`call`](crate::call).
    pub fn call(&mut self, method: &str, arguments: &str) -> Result<String, Problem> {
        let given = Arguments { method, text: arguments };
        match method {
            "games" => json(catalogue::games()),
            "agents" => json(catalogue::agents()),
            "has_network" => given.read().and_then(|(agent,): (String,)| json(analysis::has_network(&agent))),
            "rules" => given.read().and_then(|(game, rules): (String, String)| json(catalogue::rules(&game, &rules)?)),
            "table" => given.read().and_then(|(position, seat): (Position, i64)| {
                let state = position.state()?;
                json(Table::of(&*state, Some(check_seat(&*state.game(), seat)?)))
            }),
            "story" => given.read().and_then(|(position, seat)| json(story::story(&position, seat)?)),
            "open_table" => {
                given.read().and_then(|(position,): (Position,)| json(Table::of(&*position.state()?, None)))
            }
            "record" => given.read().and_then(|(position,): (Position,)| json(position.state()?.record())),
            "decide" => given.read().and_then(|(position, agent, seed): (_, String, String)| {
                json(analysis::decide(&position, &agent, &seed)?)
            }),
            "beliefs" => given.read().and_then(|(position, seat)| json(knowledge::beliefs(&position, seat)?)),
            "known" => given
                .read()
                .and_then(|(position, seat, other, worlds)| json(knowledge::known(&position, seat, other, worlds)?)),
            "check" => {
                let (position, agent): (Position, String) = given.read()?;
                analysis::agent(&*position.state()?, &agent)?;
                json(Value::Null)
            }
            "analyse" => {
                let (position, agent): (_, String) = given.read()?;
                self.analyst = Some(Analyst::new(&position, &agent)?);
                json(Value::Null)
            }
            "search" => {
                let analyst = self.analyst.as_mut().ok_or(Problem::NotBegun("no position is being analysed"))?;
                json(analyst.search()?)
            }
            "open" => {
                let (record,): (String,) = given.read()?;
                json(self.opened.insert(review::Opened::new(&record)?).about())
            }
            "review" => {
                let (seat, agent, searches): (_, String, _) = given.read()?;
                let opened = self.opened.as_ref().ok_or(Problem::NotBegun("no record is open"))?;
                self.reviewer = Some(opened.review(seat, &agent, searches)?);
                json(Value::Null)
            }
            "reviewed" => {
                let reviewer = self.reviewer.as_mut().ok_or(Problem::NotBegun("no review has begun"))?;
                json(reviewer.decision()?)
            }
            "solve" => {
                let (game, rules, iterations): (String, String, _) = given.read()?;
                json(self.solved.insert(solution::solve(&game, &rules, iterations)?).about())
            }
            "sets" => {
                let (filter, from, count): (String, usize, usize) = given.read()?;
                json(self.solution()?.sets(&filter, from, count))
            }
            "openings" => json(self.solution()?.openings()),
            "checksums" => given.read().and_then(|(games,)| json(checksum::all(games)?)),
            _ => Err(Problem::Unknown(method.to_string())),
        }
    }

    fn solution(&self) -> Result<&Solved, Problem> {
        self.solved.as_ref().ok_or(Problem::NotBegun("no game has been solved"))
    }
}

/// The arguments of a question.
struct Arguments<'a> {
    method: &'a str,
    text: &'a str,
}

impl Arguments<'_> {
    fn read<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        serde_json::from_str(self.text).map_err(|error| Problem::Arguments { method: self.method.to_string(), error })
    }
}

fn json(answer: impl Serialize) -> Result<String, Problem> {
    Ok(serde_json::to_string(&answer).expect("answers are plain data"))
}
