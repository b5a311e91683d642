//! One call in one lane: a state machine that stops when the lane waits for an agent that decides for many lanes at once.

use std::sync::atomic::{AtomicBool, Ordering};

use stier_core::{Action, FullGame, Rng};

use super::agents::Agents;
use super::lane::{Lane, Stage};
use super::rows::{self, Cells, Rows, Shape};
use super::{Autoreset, Seeds, Settings};

/// The work of a call.
#[derive(Clone, Copy)]
pub(super) enum Task<'a> {
    /// Deals a new game in all lanes, or in those of the mask.
    Reset { seeds: Seeds<'a>, mask: Option<&'a [bool]> },
    /// Plays one action in each lane.
    Step { actions: &'a [i64] },
    /// Plays nothing.
    Observe,
}

/// A call, as all lanes see it.
pub(super) struct Call<'a, G: FullGame> {
    pub(super) game: &'a G,
    pub(super) settings: &'a Settings,
    pub(super) shape: Shape,
    pub(super) every_action: G::Actions,
    pub(super) task: Task<'a>,
    /// Once this flag is set, lanes stay where they are.
    pub(super) interrupt: Option<&'a AtomicBool>,
}

impl<G: FullGame> Call<'_, G> {
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed))
    }

    /// Cuts the tensor of the lane's viewer off a row and writes it. What remains is for beliefs, which are 0 so far.
    #[inline(always)]
    fn write_observation(&self, row: &mut Cells<'_>, lane: &Lane<G>) {
        row.take(self.shape.tensor - self.shape.beliefs).write(
            self.settings.tensor,
            self.game,
            &lane.history,
            lane.viewer,
        );
        row.clear();
    }
}

/// The report of a lane at its next decision or at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Report {
    /// The result of the action that was played.
    Result,
    /// No rewards, as no action was played.
    NoResult,
    /// Nothing: a new game has begun, and the result of the last one is written.
    Written,
}

/// The progress of a lane in a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// The lane waits for an agent that decides in many lanes at once.
    Waiting,
    /// The call is done.
    Done,
}

/// A call in one lane.
pub(super) struct LaneStep<'a, G: FullGame> {
    pub(super) lane: &'a mut Lane<G>,
    /// Receives the legal actions.
    pub(super) legal: &'a mut G::Actions,
    /// One row of each array.
    pub(super) rows: Rows<'a>,
    report: Report,
}

impl<'a, G: FullGame> LaneStep<'a, G> {
    #[inline]
    pub(super) fn new(lane: &'a mut Lane<G>, legal: &'a mut G::Actions, rows: Rows<'a>) -> Self {
        Self { lane, legal, rows, report: Report::NoResult }
    }

    /// Begins the call and continues as far as possible.
    #[inline(always)]
    pub(super) fn begin(&mut self, call: &Call<'_, G>, agents: &mut Agents<G>) -> Progress {
        let plays = self.start(call) || self.write_result(call);
        self.go_on(plays, call, agents)
    }

    /// Continues after a batch of agents' decisions, as far as possible.
    #[inline(never)]
    pub(super) fn resume(&mut self, call: &Call<'_, G>, agents: &mut Agents<G>) -> Progress {
        self.go_on(true, call, agents)
    }

    #[inline(always)]
    fn go_on(&mut self, mut plays: bool, call: &Call<'_, G>, agents: &mut Agents<G>) -> Progress {
        while plays {
            if self.play(call, agents) == Progress::Waiting {
                return Progress::Waiting;
            }
            plays = self.write_result(call);
        }
        self.finish(call, agents)
    }

    /// Lets chance and agents act until the learner must decide (without opponents, any player), until the game is over,
    /// or until the lane waits for an agent that decides for many lanes at once.
    #[inline(always)]
    fn play(&mut self, call: &Call<'_, G>, agents: &mut Agents<G>) -> Progress {
        while let Some(seat) = self.lane.advance(call.game)
            && !call.is_interrupted()
        {
            let Some(action) = agents.decide(call.game, self.lane, seat) else { return Progress::Waiting };
            self.lane.push_of_agent(call.game, action);
        }
        Progress::Done
    }

    /// Plays the action or clears the table for the next game. Returns true if it did either.
    #[inline(always)]
    fn start(&mut self, call: &Call<'_, G>) -> bool {
        let lane = &mut *self.lane;
        match call.task {
            Task::Observe => return false,
            Task::Reset { mask: Some(mask), .. } if !mask[lane.number] => return false,
            Task::Reset { seeds, .. } => match seeds {
                Seeds::Next => lane.prepare_next(call.game, call.settings),
                Seeds::One(seed) => {
                    let root = Rng::stream(seed, "lane", lane.number as u64).bits();
                    lane.prepare(call.game, call.settings, root, 0);
                }
                Seeds::Each(seeds) => lane.prepare(call.game, call.settings, seeds[lane.number], 0),
            },
            Task::Step { actions } => {
                let deals = lane.stage == Stage::Finished && call.settings.autoreset == Autoreset::NextStep;
                if deals {
                    lane.prepare_next(call.game, call.settings);
                    return true;
                }
                self.report = Report::Result;
                if lane.stage != Stage::Running {
                    return false;
                }
                lane.push(call.game, Action(actions[lane.number] as u8));
            }
        }
        true
    }

    /// Writes rewards and ends. Returns true if the next game begins in the same step.
    #[inline(always)]
    fn write_result(&mut self, call: &Call<'_, G>) -> bool {
        if self.report == Report::Written {
            return false;
        }
        let (lane, rows) = (&mut *self.lane, &mut self.rows);
        let ends = self.report == Report::Result && lane.stage == Stage::Ended;
        if ends {
            rows.write_rewards(Some(call.game.returns(lane.history.state()).as_slice()));
            lane.stage = Stage::Finished;
        } else {
            rows.write_rewards(None);
        }
        rows.write_terminated(lane.stage == Stage::Finished);
        let deals = ends && call.settings.autoreset == Autoreset::SameStep;
        if deals {
            if let Some(row) = &mut rows.final_observation {
                call.write_observation(row, lane);
            }
            lane.prepare_next(call.game, call.settings);
            self.report = Report::Written;
        }
        deals
    }

    /// Writes the position that the lane has come to.
    #[inline(always)]
    fn finish(&mut self, call: &Call<'_, G>, agents: &mut Agents<G>) -> Progress {
        let (lane, rows) = (&*self.lane, &mut self.rows);
        *self.legal = lane.legal(call.game, call.settings, call.every_action);
        rows.write_mask(*self.legal);
        if let Some(row) = &mut rows.observation {
            call.write_observation(row, lane);
            if let (Cells::Floats(row), Some(believer)) = (row, &mut agents.believer) {
                believer.write(call.game, lane, row);
            }
        }
        if let Some(players) = &mut rows.current_player {
            players[0] = rows::player_number(lane.player());
        }
        Progress::Done
    }
}
