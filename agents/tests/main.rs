//! Tests of the agents in one program, so that every agent is compiled for every game only once.

mod arena;
mod beliefs;
mod endings;
mod exact_beliefs;
mod exploitability;
mod exploration;
mod flat_mc;
mod fuzzing;
mod game_tree;
mod ismcts;
mod ismcts_family;
mod kuhn;
mod many;
mod naming_order;
mod networks;
mod no_peeking;
mod pimc;
mod promises;
mod properties;
mod resources;
mod responders;
mod ris_mcts;
mod rollout;
mod rooms;
mod rule;
mod signature;
mod solutions;
mod solvers;
mod stories;
mod toy_games;
mod toys;
mod vector;

use stier_agents::AgentSpec;
use stier_agents::solve::{GameTree, Policy};
use stier_core::{Hints, Rng};

/// The policy of an agent. A new copy, with its own seed, is built for every information set.
fn policy_of<G: Hints>(game: &G, tree: &GameTree<G>, agent: &AgentSpec, seed: u64) -> Policy {
    let mut number = 0;
    Policy::from_fn(tree, |set| {
        let mut agent = agent.build(game, Rng::stream(seed, "policy of an agent", number).bits());
        number += 1;
        agent.act(game, &set.view(), set.legal()).policy.iter().map(|&(_, share)| share).collect()
    })
}
