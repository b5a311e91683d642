//! The questions by name.

use std::num::NonZero;

use serde::Serialize;
use serde::de::DeserializeOwned;
use stier_agents::SpecError;
use stier_agents::agent::DecideError;
use stier_agents::agent::threads::Halted;
use stier_agents::catalogue::Unsuited;
use stier_agents::erased::{BadSeat, check_seat};
use stier_agents::solve::solution_file::SolutionFileError;
use stier_agents::solve::{PassError, RangesTooLarge};
use stier_agents::tell::{Move, Story, Table};
use stier_core::public::NoPublicForm;
use stier_core::{Action, IllegalAction, RecordError, RulesError, Turn};
use thiserror::Error;

use crate::analysis::{Analysis, Analyst, Judged};
use crate::catalogue::{AgentInfo, GameInfo, Rules};
use crate::checksum::Checksum;
use crate::knowledge::Beliefs;
use crate::position::Position;
use crate::review::Reviewed;
use crate::solution::{PublicNode, Size, Solutions};
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
    #[error("the game cannot be solved: {0}")]
    NoForm(#[from] NoPublicForm),
    #[error(transparent)]
    Ranges(#[from] RangesTooLarge),
    #[error(transparent)]
    Pass(#[from] PassError),
    #[error(transparent)]
    File(#[from] SolutionFileError),
    #[error(
        "this game needs about {needs} MB of memory, and a web page may use {most} MB; choose a smaller game or deck"
    )]
    Large { needs: u64, most: u64 },
    #[error("this game needs far more than the {most} MB of memory of a web page; choose a smaller game or deck")]
    TooLarge { most: u64 },
    #[error("the solution has no such public state or hand; the link may be damaged. Choose another place below")]
    NoNode,
    #[error(transparent)]
    Halted(#[from] Halted),
    #[error("arguments of {method}: {error}")]
    Arguments { method: String, error: serde_json::Error },
    #[error("unknown question '{0}'")]
    Unknown(String),
    #[error("move {0} is not possible in this deal: the link was changed, or an opponent now plays differently")]
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
    #[error("no player makes a choice after {0} events of the record")]
    NoChoice(usize),
    #[error("cards that nobody has seen are shown at the end of the game")]
    NotOver,
    #[error("the record is of {record}, not of {wanted}")]
    OtherGame { record: String, wanted: String },
    #[error("seat {0} knows its own cards: name another seat")]
    SameSeat(i64),
}

/// All that is kept between questions.
#[derive(Default)]
pub struct Engine {
    analyst: Option<Analyst>,
    pub(crate) solutions: Solutions,
}

/// Makes a method of the engine of each question, and a description of them all for the page. A question has the same name
/// and the same arguments there.
macro_rules! questions {
    ($engine:ident; $($(#[doc = $doc:literal])+ $name:ident($($argument:ident: $type:ty),*) -> $answer:ty $body:block)+) => {
        impl Engine {
            /// Answers a question: see [`call`](crate::call).
            pub fn call(&mut self, method: &str, arguments: &str) -> Result<String, Problem> {
                let $engine = self;
                let given = Arguments { method, text: arguments };
                match method {
                    $(stringify!($name) => {
                        questions!(read given; $($argument: $type),*);
                        let answer: $answer = $body;
                        json(answer)
                    })+
                    _ => Err(Problem::Unknown(method.to_string())),
                }
            }
        }

        /// All questions, in TypeScript.
        #[cfg(test)]
        pub(crate) fn describe(to: &mut crate::protocol::Questions) {
            $(
                let arguments = [$((stringify!($argument), to.name_of::<$type>())),*];
                to.add::<$answer>(&[$($doc),+], stringify!($name), &arguments);
            )+
        }
    };
    (read $given:ident;) => {};
    (read $given:ident; $($argument:ident: $type:ty),+) => {
        let ($($argument,)+): ($($type,)+) = $given.read()?;
    };
}

questions! { engine;
    /// All games, the four card games first.
    games() -> Vec<GameInfo> { catalogue::games() }

    /// All agents.
    agents() -> Vec<AgentInfo> { catalogue::agents() }

    /// True if the agent, or one that it uses, plays by a network.
    has_network(agent: String) -> bool { analysis::has_network(&agent) }

    /// The name that is most like a text; none if all are far from it.
    closest(text: String, names: Vec<String>) -> Option<String> {
        stier_core::names::closest(&text, names.iter().map(String::as_str)).map(str::to_string)
    }

    /// A game under these rules.
    rules(game: String, rules: String) -> Rules { catalogue::rules(&game, &rules)? }

    /// The table as a seat sees it.
    table(position: Position, seat: i64) -> Table {
        let state = position.state()?;
        Table::of(&*state, Some(check_seat(&*state.game(), seat)?))
    }

    /// The course of the game in words, as a seat may know it.
    story(position: Position, seat: i64) -> Story { story::story(&position, seat)? }

    /// The table with all cards open.
    open_table(position: Position) -> Table { Table::of(&*position.state()?, None) }

    /// The cards in no hand that nobody has seen, once the game is over.
    unseen(position: Position) -> Vec<String> {
        let state = position.state()?;
        if state.turn() != Turn::Over {
            return Err(Problem::NotOver);
        }
        state.unseen()
    }

    /// The record of the game so far, for `stier replay` and for the review. It contains all cards.
    record(position: Position) -> String { position.state()?.record() }

    /// An agent's decision for the player to act. It begins afresh: the answer depends on the arguments alone.
    decide(position: Position, agent: String, seed: String) -> Move { analysis::decide(&position, &agent, &seed)? }

    /// Exact beliefs of a seat about the cards, from what it knows and how the cards were dealt.
    beliefs(position: Position, seat: i64) -> Beliefs { knowledge::beliefs(&position, seat)? }

    /// The beliefs that `other` can have about the cards of `seat`, as far as `seat` can tell: the mean over worlds.
    known(position: Position, seat: i64, other: i64, worlds: NonZero<u64>) -> Beliefs {
        knowledge::known(&position, seat, other, worlds)?
    }

    /// An error if the agent cannot play here.
    check(position: Position, agent: String) -> () {
        analysis::agent(&*position.state()?, &agent)?;
    }

    /// Begins an analysis of a position; `search` goes on with it.
    analyse(position: Position, agent: String) -> () {
        engine.analyst = Some(Analyst::new(&*position.state()?, &agent)?);
    }

    /// One more search of the analysis.
    search() -> Analysis {
        engine.analyst.as_mut().ok_or(Problem::NotBegun("no position is being analysed"))?.search()?
    }

    /// The cost of a choice at a position, by this number of searches of an agent.
    judge(position: Position, action: u8, agent: String, searches: NonZero<usize>) -> Judged {
        Analyst::new(&*position.state()?, &agent)?.judge(Action(action), searches)?
    }

    /// The best choice at a position and the cost of the second best, by this number of searches of an agent.
    hint(position: Position, agent: String, searches: NonZero<usize>) -> Judged {
        Analyst::new(&*position.state()?, &agent)?.hint(searches)?
    }

    /// Describes a recorded game.
    open(record: String) -> review::About { review::about(&record)? }

    /// The table of a recorded game after so many events, as a seat sees it; null opens all cards.
    moment(record: String, number: usize, seat: Option<i64>) -> Table { review::moment(&record, number, seat)? }

    /// The choice of a recorded game after so many events, judged like any other.
    review(record: String, number: usize, agent: String, searches: NonZero<usize>) -> Reviewed {
        review::review(&record, number, &agent, searches)?
    }

    /// The size of a game on public states; an error if it is too large to be solved.
    size(game: String, rules: String) -> Size { solution::size(&game, &rules)? }

    /// Goes on with solving a game for a moment, and tells how many iterations are done. `solve` goes on from there.
    iterate(game: String, rules: String, iterations: NonZero<u64>) -> u64 {
        engine.solutions.iterate(&game, &rules, iterations.get())?
    }

    /// Solves a game in memory by CFR+, unless the solution is known already. Tells its progress in the meantime.
    solve(game: String, rules: String, iterations: NonZero<u64>) -> solution::About {
        engine.solutions.solve(&game, &rules, iterations)?.about()
    }

    /// The public states of the solution in which a player acts first.
    openings() -> Vec<PublicNode> { engine.solutions.current()?.openings()? }

    /// A public state of the solution, or the one that follows where all that can follow looks the same to a spectator.
    node(path: Vec<usize>) -> PublicNode { engine.solutions.current()?.node(&path)? }

    /// The table of a public state of the solution, as a seat sees it with one of its hands.
    held_table(path: Vec<usize>, seat: u8, hand: usize) -> Table { engine.solutions.current()?.table(&path, seat, hand)? }

    /// Checksums of so many random games, of searches and of solutions: the same natively and here.
    checksums(games: u64) -> Vec<Checksum> { checksum::all(games)? }
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
