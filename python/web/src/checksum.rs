//! Checksums of games, searches and solutions: equal bits on every platform give equal checksums.

use std::num::NonZero;
use std::ops::Range;

use serde::Serialize;
use stier_agents::{AgentSpec, Search};
use stier_core::hash::fnv1a;
use stier_core::{Rng, Seat, Turn, games};

use crate::engine::Problem;
use crate::solution::Solutions;

/// A checksum.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Checksum {
    /// The games, searches or solution that it stands for.
    pub name: String,
    /// The FNV-1a hash, in hexadecimal.
    pub hash: String,
}

impl Checksum {
    fn of(name: String, bytes: &[u8]) -> Self {
        Self { name, hash: format!("{:016x}", fnv1a(bytes.iter().copied())) }
    }
}

/// The agents of the checksums, in every game that they can play.
const AGENTS: [&str; 17] = [
    "best:iterations=100",
    "epimc:worlds=10",
    "flat_mc:iterations=100",
    "greedy",
    "ismcts:iterations=300",
    "ismcts:iterations=300,observer=multi,draws=branch",
    "ismcts:iterations=300,rollout=hints,beliefs=policy,self_determination=0.2",
    "ismcts:iterations=300,selection=puct,threads=2",
    "ismcts:iterations=20,rollout=network,cutoff=2,evaluation=network",
    "ismcts:iterations=300,selection=regret_matching",
    "mmds:rollouts=20,beliefs=exact",
    "mmds:rollouts=20,beliefs=uniform",
    "network",
    "pimc:iterations=300,worlds=3",
    "presumed_pimc:worlds=3",
    "recursive_pimc:worlds=2",
    "ris_mcts:iterations=100",
];

/// Agents with endings in Schwinget, and the deals that each plays to the end.
const ENDINGS: [(&str, Range<u64>); 3] = [
    ("network:endings=ranges,attack_tricks=2", 11..17),
    ("network:endings=ranges,attack_tricks=2,gadget=unsafe", 11..17),
    ("network:endings=ranges,attack_tricks=3,ending_iterations=2", 12..13),
];
/// The deal of every other agent, and the number of decisions.
const DECISIONS: (Range<u64>, usize) = (11..12, 3);

/// The iterations of each solution.
const ITERATIONS: NonZero<u64> = NonZero::new(30).expect("not 0");
/// The games that are solved.
const SOLVED: [(&str, &str); 3] =
    [("kuhn_poker", ""), ("leduc_poker", ""), ("schwinget", "suits=2,values=3,referee=off,hand_size=2,set_aside=3")];

/// The checksums of this many games played at random, of searches by every agent, and of equilibria.
pub(crate) fn all(random_games: u64) -> Result<Vec<Checksum>, Problem> {
    let mut found = Vec::new();
    let count = games::NAMES.len() as u64;
    for (place, game) in (0..).zip(games::NAMES) {
        found.push(played(game, random_games / count + u64::from(place < random_games % count))?);
    }
    for game in games::NAMES {
        for agent in AGENTS {
            found.extend(searched(game, agent, DECISIONS)?);
        }
    }
    for (agent, deals) in ENDINGS {
        found.extend(searched("schwinget", agent, (deals, usize::MAX))?);
    }
    for (game, rules) in SOLVED {
        found.push(solved(game, rules)?);
    }
    Ok(found)
}

/// Games played at random: their records, returns, and what every seat knows.
fn played(name: &str, count: u64) -> Result<Checksum, Problem> {
    let game = stier_games::load(name, "")?;
    let mut bytes = Vec::new();
    let mut tensor = vec![0.0; game.facts().observation_layout.iter().map(|field| field.size()).sum()];
    for index in 0..count {
        let mut state = game.new_state(Some(index));
        let mut rng = Rng::stream(index, "checksum", 0);
        while let Turn::Seat(seat) = state.turn() {
            state.observation(seat, &mut tensor);
            bytes.extend(tensor.iter().flat_map(|value: &f32| value.to_le_bytes()));
            let legal = state.possible();
            state.apply(legal[rng.below(legal.len() as u32) as usize])?;
        }
        bytes.extend(state.record().bytes());
        bytes.extend(state.returns().iter().flat_map(|value| value.to_le_bytes()));
        for seat in Seat::all(game.info().num_seats) {
            bytes.extend(state.knowledge(seat).bytes());
            bytes.extend(state.resample(seat, index).record().bytes());
            bytes.extend(state.beliefs(seat).expected.iter().flat_map(|value| value.to_le_bytes()));
        }
    }
    Ok(Checksum::of(format!("{name}: {count} random games"), &bytes))
}

/// An agent's first decisions of these deals, with their policies and statistics; `None` if it cannot play the game.
fn searched(name: &str, agent: &str, (deals, decisions): (Range<u64>, usize)) -> Result<Option<Checksum>, Problem> {
    let game = stier_games::load(name, "")?;
    let spec: AgentSpec = agent.parse()?;
    let Ok(mut player) = game.agent(&spec) else { return Ok(None) };
    let mut bytes = Vec::new();
    for deal in deals {
        player.restart(7);
        let mut state = game.new_state(Some(deal));
        for _ in 0..decisions {
            if !matches!(state.turn(), Turn::Seat(_)) {
                break;
            }
            let decision = player.decide(&*state)?;
            bytes.push(decision.action.0);
            bytes.extend(decision.policy.iter().flat_map(|(_, share)| share.to_le_bytes()));
            bytes.extend(decision.search.iter().flat_map(statistics));
            state.apply(decision.action)?;
        }
    }
    Ok(Some(Checksum::of(format!("{name}: {agent}"), &bytes)))
}

/// All numbers of a search but its duration.
fn statistics(search: &Search) -> Vec<u8> {
    let actions = search.actions.iter().flat_map(|one| {
        [u64::from(one.action), one.visits, one.value.to_bits(), one.availability, one.probability.to_bits()]
    });
    actions.chain([search.iterations, search.nodes]).flat_map(u64::to_le_bytes).collect()
}

/// A solved game: the policy, and what is known about it.
fn solved(name: &str, rules: &str) -> Result<Checksum, Problem> {
    let mut solutions = Solutions::default();
    let found = solutions.solve(name, rules, ITERATIONS)?;
    let bytes = [found.bytes(), serde_json::to_vec(&found.about()).expect("JSON")].concat();
    Ok(Checksum::of(format!("{name}:{rules} solved"), &bytes))
}
