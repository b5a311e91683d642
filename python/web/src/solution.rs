//! Equilibria of small games.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use stier_agents::belief::Beliefs;
use stier_agents::erased::DynPolicy;
use stier_agents::solve::{self, NashConv, Progress, Settings};
use stier_core::{Action, Scene, Seat};

use crate::engine::Problem;
use crate::progress::{tell, tell_at_times};

/// The largest number of histories of a game that is solved here: about a gigabyte.
const MAX_HISTORIES: usize = 20_000_000;

/// A solved game.
pub(crate) struct Solved {
    policy: Arc<dyn DynPolicy>,
    iterations: u64,
    distance: NashConv,
    uniform: f64,
    /// The information sets, most often reached first.
    order: Vec<usize>,
    reach: Vec<f64>,
    probabilities: Vec<f64>,
    values: Vec<f64>,
    legal: Vec<bool>,
    knowledge: Vec<String>,
    movers: Vec<Seat>,
}

/// A description of the solution.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Solution"))]
pub(crate) struct About {
    histories: usize,
    sets: usize,
    iterations: u64,
    /// The value of the game for each seat.
    values: Vec<f64>,
    /// The gain of all best responses together, in the game's utility; 0 in an equilibrium.
    nash_conv: f64,
    /// The same for uniformly random play: the scale.
    uniform: f64,
}

/// An information set.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "InformationSet"))]
pub(crate) struct Described {
    seat: u8,
    knowledge: String,
    /// The probability that play by the equilibrium leads here.
    reach: f64,
    actions: Vec<Weighed>,
}

/// An action at an information set.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct Weighed {
    name: String,
    probability: f64,
    value: f64,
}

/// An information set of the first decision of a game, with the table as its player sees it.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Opening {
    #[serde(flatten)]
    set: Described,
    scene: Scene,
}

/// Some of the information sets.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Found {
    found: usize,
    sets: Vec<Described>,
}

/// Solves a game by CFR+ on one thread.
pub(crate) fn solve(name: &str, rules: &str, iterations: NonZero<u64>) -> Result<Solved, Problem> {
    let game = stier_games::load(name, rules)?;
    let grown = |histories| {
        tell_at_times(|| format!("{histories} histories"));
        ControlFlow::Continue(())
    };
    let tree = game.enumerate(MAX_HISTORIES, 1, &grown)?;
    let settings = Settings { iterations: iterations.get(), threads: 1, ..Settings::default() };
    let iterated = |progress: Progress| {
        tell_at_times(|| format!("iteration {} of {}", progress.iterations, settings.iterations));
        ControlFlow::Continue(())
    };
    let solve::Solved { policy, iterations, .. } =
        tree.solve(&settings, &Arc::new(AtomicBool::new(false)), &iterated)?;
    tell("distance from equilibrium");
    let (sets, actions) = (tree.information_sets(), game.info().num_actions);
    let mut legal = vec![false; sets * actions];
    tree.legal(0..sets, &mut legal);
    let even: Vec<f64> = legal.chunks(actions).flat_map(even).collect();
    let uniform = tree.policy(&even).expect("a distribution at every information set").nash_conv(1)?.total();
    let reach = policy.reach();
    let mut order: Vec<usize> = (0..sets).collect();
    order.sort_by(|&one, &other| reach[other].total_cmp(&reach[one]).then(one.cmp(&other)));
    Ok(Solved {
        distance: policy.nash_conv(1)?,
        probabilities: policy.rows(),
        values: policy.action_values(Beliefs::Policy, 1)?,
        knowledge: tree.knowledge(0..sets),
        movers: tree.movers(),
        policy,
        iterations,
        uniform,
        order,
        reach,
        legal,
    })
}

/// The uniform distribution over the legal actions.
fn even(legal: &[bool]) -> impl Iterator<Item = f64> + use<'_> {
    let share = 1.0 / legal.iter().filter(|&&is_legal| is_legal).count() as f64;
    legal.iter().map(move |&is_legal| if is_legal { share } else { 0.0 })
}

impl Solved {
    /// Describes it.
    pub(crate) fn about(&self) -> About {
        let tree = self.policy.tree();
        About {
            histories: tree.histories(),
            sets: tree.information_sets(),
            iterations: self.iterations,
            values: self.distance.values.as_slice().to_vec(),
            nash_conv: self.distance.total(),
            uniform: self.uniform,
        }
    }

    /// The information sets whose knowledge has all words of the filter, from one on.
    pub(crate) fn sets(&self, filter: &str, from: usize, count: usize) -> Found {
        let words: Vec<String> = filter.split_whitespace().map(str::to_lowercase).collect();
        let fits = |&&set: &&usize| {
            words.is_empty() || {
                let knowledge = self.knowledge[set].to_lowercase();
                words.iter().all(|word| knowledge.contains(word.as_str()))
            }
        };
        let found: Vec<usize> = self.order.iter().filter(fits).copied().collect();
        let sets = found.iter().skip(from).take(count).map(|&set| self.described(set)).collect();
        Found { found: found.len(), sets }
    }

    /// The information sets of the first decision of the game, most often reached first.
    pub(crate) fn openings(&self) -> Vec<Opening> {
        let tree = self.policy.tree();
        let opening = |&set: &usize| Some(Opening { scene: tree.opening(set)?, set: self.described(set) });
        self.order.iter().filter_map(opening).collect()
    }

    fn described(&self, set: usize) -> Described {
        let tree = self.policy.tree();
        let game = tree.game();
        let actions = game.info().num_actions;
        let cells = (0..actions).map(|action| (action, set * actions + action)).filter(|&(_, cell)| self.legal[cell]);
        let weighed = |(action, cell): (usize, usize)| Weighed {
            name: game.action_name(Action(action as u8)),
            probability: self.probabilities[cell],
            value: self.values[cell],
        };
        Described {
            seat: self.movers[set].0,
            knowledge: self.knowledge[set].clone(),
            reach: self.reach[set],
            actions: cells.map(weighed).collect(),
        }
    }
}
