//! The timing of the attack in an exact solution.
//!
//! In a solved game every information set at which the mover may attack has exact values against the opponent's policy.
//! One is the value of attacking now, and one the value of the best other action, with both players following the
//! policy afterwards. A third is the value of never attacking in this bout or a later one, with the mover's best play
//! otherwise. At an equilibrium the value of a reached set is the larger of the first two.
//!
//! Agents can be queried at the same sets to compare their [opinions](Opinion) with the exact values.

use std::ops::ControlFlow;

use stier_agents::AgentSpec;
use stier_agents::agent::threads::{Halted, each, goes_on, install};
use stier_agents::belief::Beliefs;
use stier_agents::solve::{GameTree, Policy, action_values};
use stier_core::games::schwinget::{Schwinget, View};
use stier_core::{Action, ActionSet as _, Rng, Seat};
use stier_schwinget::agent;

use crate::timing::{Opinion, TimingError};
use crate::values::response_values;

/// An information set at which the mover may attack. Values are returns of the mover in the game's utility.
#[derive(Clone, PartialEq, Debug)]
pub struct AttackSet {
    /// The number of the set in the tree.
    pub set: u32,
    /// The mover.
    pub seat: Seat,
    /// The probability of reaching the set if all players follow the policy.
    pub reach: f64,
    /// The circumstances, in the order of [`CIRCUMSTANCES`](stier_core::games::schwinget::CIRCUMSTANCES).
    pub circumstances: Vec<f32>,
    /// The probability with which the policy attacks.
    pub share: f64,
    /// The value of attacking now.
    pub now: f64,
    /// The value of the best of the other actions.
    pub wait: f64,
    /// The value of the best response, from here on, that never attacks.
    pub never: f64,
    /// The advice of the rule of thumb: [`Schwinget::should_attack`].
    pub rule: bool,
    /// The opinions of the advisers, in order.
    pub opinions: Vec<Opinion>,
}

/// Returns all sets of the tree at which the mover may attack and which the opponent's policy can reach, in ascending
/// order. `advisers` are queried at each, with seeds derived from `seed`. `watch` is called after every pass over the tree
/// and after every set, from any thread, and may stop the run. The result does not depend on the number of threads; 0 uses all cores.
pub fn attack_sets(
    tree: &GameTree<Schwinget>,
    policy: &Policy,
    advisers: &[AgentSpec],
    seed: u64,
    threads: usize,
    watch: &(dyn Fn() -> ControlFlow<()> + Sync),
) -> Result<Vec<AttackSet>, TimingError> {
    let game = tree.game();
    advisers.iter().try_for_each(|adviser| adviser.check(game))?;
    let attack = game.attack();
    // The attack is withheld, except where it is the only action.
    let free = |set: u32, action: Action| action != attack || tree.width(set) == 1;
    let passes = || {
        let values = action_values(tree, policy, Beliefs::Policy);
        let mut never = vec![f64::NAN; tree.num_sets()];
        for seat in Seat::all(tree.num_seats()) {
            goes_on(watch())?;
            let found = response_values(tree, policy, seat, free);
            never.iter_mut().zip(found).for_each(|(value, found)| *value = if found.is_nan() { *value } else { found });
        }
        goes_on(watch())?;
        Ok::<_, Halted>((values, never))
    };
    let (values, never) = install(threads, passes)??;
    let is_open = |&set: &u32| {
        let legal = tree.set(set).legal();
        legal.contains(attack) && legal.len() > 1 && !values.rows[set as usize].iter().any(|value| value.is_nan())
    };
    let sets: Vec<u32> = tree.set_numbers().filter(is_open).collect();
    each(
        threads,
        sets.len() as u64,
        || (),
        |(), index| {
            let number = sets[index as usize];
            let set = tree.set(number);
            let row = &values.rows[number as usize];
            let rank = set.legal().iter().position(|action| action == attack).expect("it is legal");
            let others = row.iter().enumerate().filter(|&(other, _)| other != rank);
            let wait = others.map(|(_, &value)| value).fold(f64::NEG_INFINITY, f64::max);
            let view = set.view();
            let opinions = opinions(tree, number, &view, advisers, attack, seed)?;
            goes_on(watch())?;
            Ok(AttackSet {
                set: number,
                seat: set.seat(),
                reach: values.reach[number as usize],
                circumstances: game.circumstances(&view).to_vec(),
                share: policy.row(number)[rank],
                now: row[rank],
                wait,
                never: never[number as usize],
                rule: game.should_attack(&view),
                opinions,
            })
        },
    )
}

fn opinions(
    tree: &GameTree<Schwinget>,
    number: u32,
    view: &View,
    advisers: &[AgentSpec],
    attack: Action,
    seed: u64,
) -> Result<Vec<Opinion>, TimingError> {
    let legal = tree.set(number).legal();
    let seed = Rng::stream(seed, "lights at information sets", u64::from(number)).bits();
    let ask = |(index, adviser): (usize, &AgentSpec)| {
        let mut agent = agent(adviser, tree.game(), Rng::stream(seed, "light", index as u64).bits());
        Opinion::of(&agent.act(tree.game(), view, legal), attack).ok_or_else(|| TimingError::Blind(adviser.to_string()))
    };
    advisers.iter().enumerate().map(ask).collect()
}
