//! The cost of a choice, by the searches of an agent that begins the decision afresh with different seeds.

use stier_core::list::Listing as _;
use stier_core::{Action, Rng};

use crate::agent::ActionStats;
use crate::arena::stats::Estimate;

/// With fewer searches there is neither an interval nor a verdict.
const FEWEST: usize = 3;

/// The seed of the first search: large, so that an agent with a small seed is not judged by the searches it played by.
const SEED: u64 = 1 << 32;

/// The seed of one of the searches of a decision before which there were `events` events.
pub fn seed(search: usize, events: usize) -> u64 {
    Rng::stream(SEED + search as u64, "replay", events as u64).bits()
}

/// The judgement of an action by several searches.
#[derive(Clone, PartialEq, Debug)]
pub struct Judgement {
    /// The judged action.
    pub action: Action,
    /// The action that most of the searches choose; of several the judged one, or else the lowest. The judged action if
    /// there are no searches.
    pub best: Action,
    /// The number of searches that choose it.
    pub agreed: usize,
    /// The number of searches.
    pub searches: usize,
    /// The value of the agent's own choice less that of the judged action, on average over the searches, each of which
    /// chooses once and has its choice valued by all the others. 0 without searches, because there was no choice.
    /// `None` for a single search, and if some search has not tried one of these actions.
    pub cost: Option<f64>,
    /// Half the width of a 95 % interval around the cost; `None` for fewer than three searches.
    pub ci95: Option<f64>,
}

impl Judgement {
    /// The judgement of `action` by searches: their choices, and their statistics at the root.
    pub fn of(found: &[(Action, &[ActionStats])], action: Action) -> Self {
        let chosen_by = |one: Action| found.iter().filter(|(choice, _)| *choice == one).count();
        let choices = found.iter().map(|&(choice, _)| choice);
        let best = choices.max_by_key(|&one| (chosen_by(one), one == action, std::cmp::Reverse(one))).unwrap_or(action);
        let (cost, ci95) = if found.is_empty() { (Some(0.0), None) } else { cost(found, action) };
        Self { action, best, agreed: chosen_by(best), searches: found.len(), cost, ci95 }
    }

    /// The judgement in words, given the names of the judged action and of the best one.
    pub fn verdict(&self, name: &str, best_name: &str) -> String {
        let Self { agreed, searches, .. } = *self;
        let chose = format!("chose {name}");
        if searches == 0 {
            return format!("{chose}, the only legal action");
        }
        if searches < FEWEST {
            return format!("{chose} (a verdict needs {FEWEST} searches)");
        }
        let all = agreed == searches;
        if self.action == self.best {
            let who = if all { format!("all {searches}") } else { format!("{agreed} of {searches}") };
            return format!("{chose}, like {who} searches");
        }
        let found = if all {
            format!("All {searches} searches choose {best_name}")
        } else {
            format!("The searches disagree ({agreed} of {searches}: {best_name})")
        };
        let compared = match (self.cost, self.ci95) {
            (Some(cost), Some(ci95)) if cost.abs() > ci95 => {
                let whose = if all { format!("{best_name} is") } else { "Their choices are".to_string() };
                let word = if cost > 0.0 { "better" } else { "worse" };
                format!("{whose} {word} by {:.3} ± {ci95:.3} on average", cost.abs())
            }
            (Some(cost), Some(ci95)) => format!("No difference shown ({cost:+.3} ± {ci95:.3})"),
            _ => format!("{name} has no value: not every search found one"),
        };
        format!("{chose}. {found}. {compared}")
    }
}

/// The gain of the agent's own choice over an action, and half the width of its interval.
fn cost(found: &[(Action, &[ActionStats])], action: Action) -> (Option<f64>, Option<f64>) {
    let mut gains = Vec::with_capacity(found.len());
    for &(choice, _) in found {
        let gain = |search: &[ActionStats]| Some(value(search, choice)? - value(search, action)?);
        match found.iter().map(|&(_, search)| gain(search)).collect::<Option<Vec<f64>>>() {
            Some(row) => gains.push(row),
            None => return (None, None),
        }
    }
    cross_fitted(&gains)
}

/// The value of an action; `None` if the search never tried it.
fn value(search: &[ActionStats], action: Action) -> Option<f64> {
    search.iter().find(|one| one.action == action.0 && one.visits > 0).map(|one| one.value)
}

/// Averages the gains of choices by the searches that did not make them, because the highest of several noisy values is
/// too high on average.
///
/// `gains` has a row for each search: the gain of its choice by the values of each search. Returns the mean off the
/// diagonal, `None` for a single search, and half the width of its 95 % interval by the jackknife over searches, `None`
/// for fewer than three.
fn cross_fitted(gains: &[Vec<f64>]) -> (Option<f64>, Option<f64>) {
    let count = gains.len();
    if count < 2 {
        return (None, None);
    }
    let off = |row: usize, column: usize| if row == column { 0.0 } else { gains[row][column] };
    let sum_of = |one: usize| (0..count).map(|other| off(one, other) + off(other, one)).sum::<f64>();
    let total = (0..count).map(sum_of).sum::<f64>() / 2.0;
    let mean = total / (count * (count - 1)) as f64;
    if count < FEWEST {
        return (Some(mean), None);
    }
    let without = |one: usize| (total - sum_of(one)) / ((count - 1) * (count - 2)) as f64;
    let pseudo = |one: usize| count as f64 * mean - (count - 1) as f64 * without(one);
    let pseudo: Vec<f64> = (0..count).map(pseudo).list();
    (Some(mean), Estimate::of(&pseudo).map(|estimate| estimate.ci95))
}
