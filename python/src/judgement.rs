//! The judgement of a choice by searches, for `stier.replay`.

use pyo3::prelude::*;
use stier_agents::agent::ActionStats;
use stier_agents::arena::judgement::{self, Judgement};
use stier_core::Action;

/// A `stier.Search` that judges.
#[derive(FromPyObject)]
pub(crate) struct Judge {
    action: u8,
    actions: Vec<Tried>,
}

/// A `stier.playing.ActionStats` of it.
#[derive(FromPyObject)]
struct Tried {
    action: u8,
    visits: u64,
    value: f64,
}

/// The action that most of the searches choose, what `action` costs against their own choices, and half the width of
/// its 95 % interval; see `stier.replays.Decision`.
#[pyfunction]
pub(crate) fn judge(searches: Vec<Judge>, action: u8) -> (u8, Option<f64>, Option<f64>) {
    let tried = |&Tried { action, visits, value }: &Tried| ActionStats {
        action,
        visits,
        value,
        availability: visits,
        probability: 0.0,
    };
    let found = searches.iter().map(|judge| (Action(judge.action), judge.actions.iter().map(tried).collect()));
    let found: Vec<(Action, Vec<ActionStats>)> = found.collect();
    let found: Vec<(Action, &[ActionStats])> = found.iter().map(|(choice, own)| (*choice, &own[..])).collect();
    let judged = Judgement::of(&found, Action(action));
    (judged.best.0, judged.cost, judged.ci95)
}

/// A judgement in words: the names of the judged action and of the best one, whether they are the same, how many of the
/// searches choose the best one, and the cost with half the width of its interval.
#[pyfunction]
pub(crate) fn verdict(
    names: (String, String),
    is_best: bool,
    agreed: usize,
    searches: usize,
    cost: Option<f64>,
    ci95: Option<f64>,
) -> String {
    let (action, best) = (Action(0), Action(u8::from(!is_best)));
    Judgement { action, best, agreed, searches, cost, ci95 }.verdict(&names.0, &names.1)
}

/// The seed of one of the searches of a decision with so many events before it.
#[pyfunction]
pub(crate) fn judgement_seed(search: usize, events: usize) -> u64 {
    judgement::seed(search, events)
}
