//! What an exact solution says about the timing of the action that binds its player.
//!
//! Scaled-down games are solved ([`cfr`](crate::solve::cfr), [`sequence_form`](crate::solve::sequence_form)); then every information set at which
//! the mover may commit itself has exact values against the others' policy: of committing now and of the best of the rest, everybody
//! going on by the policy; and of never committing in this deal or a later one, the mover going on as well as it can without. At an
//! equilibrium a set that is reached has the better of the first two as its value.
//!
//! Agents may be asked about the same sets, so that what they [think](Opinion) can be held against what is so.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::{IntoParallelIterator as _, ParallelIterator as _};
use stier_core::{Action, ActionSet as _, Circumstances, Rng, Seat};

use super::timing::{Opinion, TimingError};
use crate::agent::Agent;
use crate::catalogue::spec::AgentSpec;
use crate::solve::best_response::{action_values, response_values};
use crate::solve::game_tree::{GameTree, InformationSet, Policy};

/// An information set at which the mover may commit itself. Values are returns of the mover in the game's utility.
#[derive(Clone, PartialEq, Debug)]
pub struct CommitmentSet {
    /// Its number in the tree.
    pub set: u32,
    /// Who is to move.
    pub seat: Seat,
    /// The probability of getting there if everybody follows the policy.
    pub reach: f64,
    /// What there is to consider, in the order of [`Circumstances::circumstances`].
    pub circumstances: Vec<f32>,
    /// The probability with which the policy commits the mover.
    pub share: f64,
    /// The value of committing now.
    pub now: f64,
    /// The value of the best of the other actions.
    pub wait: f64,
    /// The value of the best response, from here on, that never commits itself.
    pub never: f64,
    /// Whether the game's rule of thumb says that the mover should: [`Hints::commits`](stier_core::Hints::commits).
    pub rule: bool,
    /// By light.
    pub opinions: Vec<Opinion>,
}

/// All sets of the tree at which the mover may commit itself and to which the others let it come, in ascending order. `lights` are asked
/// at each, with seeds hashed from `seed`. `watch` is called after every set, from any thread, and may break off. Uses the threads of
/// the pool that it is called in; they change nothing.
pub fn commitment_sets<G: Circumstances>(
    tree: &GameTree<G>,
    policy: &Policy,
    lights: &[AgentSpec],
    seed: u64,
    watch: &(dyn Fn() -> ControlFlow<()> + Sync),
) -> Result<Vec<CommitmentSet>, TimingError> {
    let game = tree.game();
    lights.iter().try_for_each(|light| light.check(game))?;
    let commitment = game.commitment().ok_or(TimingError::NoCommitment(G::NAME))?;
    let binding = G::Actions::default().with(commitment);
    let values = action_values(tree, policy);
    let free = |set: InformationSet<'_, G>| {
        let free = set.legal().without(binding);
        if free.is_empty() { set.legal() } else { free }
    };
    let mut never = vec![f64::NAN; tree.num_sets()];
    for seat in Seat::all(tree.num_seats()) {
        let found = response_values(tree, policy, seat, &free);
        never.iter_mut().zip(found).for_each(|(value, found)| *value = if found.is_nan() { *value } else { found });
    }
    let stop = AtomicBool::new(false);
    let study = |number: u32| -> Option<Result<CommitmentSet, TimingError>> {
        let set = tree.set(number);
        let legal = set.legal();
        let row = values.row(number);
        if !legal.contains(commitment) || legal.len() < 2 || row.iter().any(|value| value.is_nan()) {
            return None;
        }
        if stop.load(Ordering::Relaxed) {
            return Some(Err(TimingError::Interrupted));
        }
        let rank = legal.iter().position(|action| action == commitment).expect("it is legal");
        let others = row.iter().enumerate().filter(|&(other, _)| other != rank);
        let wait = others.map(|(_, &value)| value).fold(f64::NEG_INFINITY, f64::max);
        let view = set.view();
        let opinions = opinions(tree, number, &view, lights, commitment, seed);
        if watch().is_break() {
            stop.store(true, Ordering::Relaxed);
        }
        Some(opinions.map(|opinions| CommitmentSet {
            set: number,
            seat: set.seat(),
            reach: values.reach[number as usize],
            circumstances: game.circumstances_of(&view),
            share: policy.row(number)[rank],
            now: row[rank],
            wait,
            never: never[number as usize],
            rule: game.commits(&view),
            opinions,
        }))
    };
    let found = (0..tree.num_sets() as u32).into_par_iter().filter_map(study).collect::<Result<Vec<_>, _>>()?;
    if stop.load(Ordering::Relaxed) { Err(TimingError::Interrupted) } else { Ok(found) }
}

fn opinions<G: Circumstances>(
    tree: &GameTree<G>,
    number: u32,
    view: &G::View,
    lights: &[AgentSpec],
    commitment: Action,
    seed: u64,
) -> Result<Vec<Opinion>, TimingError> {
    let legal = tree.set(number).legal();
    let seed = Rng::stream(seed, "lights at information sets", u64::from(number)).bits();
    let ask = |(index, light): (usize, &AgentSpec)| {
        let mut agent: Box<dyn Agent<G>> = light.build(Rng::stream(seed, "light", index as u64).bits());
        Opinion::of(&agent.act(tree.game(), view, legal), commitment)
            .ok_or_else(|| TimingError::Blind(light.to_string()))
    };
    lights.iter().enumerate().map(ask).collect()
}
