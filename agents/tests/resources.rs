//! Threads and memory of agents.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::toys::claims::{Claims, Hooks};
use stier_agents::catalogue;
use stier_agents::{Agent, AgentSpec, Search};
use stier_core::games::schwinget::Schwinget;
use stier_core::{Action, FromRules as _, Game as _, History, Plain, Rng, Seat};

/// A decision of the first player.
fn claim(game: &Plain, agent: &mut dyn Agent<Plain>) {
    let mut history = History::new(game);
    history.push(game, Action(7));
    agent.act(game, &game.view(&history, Seat(0)), game.legal(history.state()));
}

/// The game, and the hooks to watch and disturb it.
fn claims() -> (Plain, Arc<Hooks>) {
    let game = Claims::from_text("").expect("a game");
    let hooks = game.hooks.clone();
    (Plain::new(game), hooks)
}

/// Agents whose searches have their own threads.
const THREADED: [&str; 2] = ["ismcts:iterations=300,threads=3", "flat_mc:iterations=300,threads=3"];

#[test]
fn threads_are_kept_from_decision_to_decision() {
    for text in THREADED {
        let (game, hooks) = claims();
        let mut agent = text.parse::<AgentSpec>().expect("an agent").build(&game, 1);
        for seed in 0..20 {
            claim(&game, agent.as_mut());
            if seed % 7 == 0 {
                agent.restart(seed);
            }
        }
        // A thread may take over the search of another one that wakes up late.
        let threads = hooks.threads.lock().expect("no panic").len();
        assert!((2..=3).contains(&threads), "{text}: {threads} threads");
    }
}

#[test]
fn panics_of_searches_keep_their_message() {
    for text in THREADED {
        let (game, hooks) = claims();
        let mut agent = text.parse::<AgentSpec>().expect("an agent").build(&game, 1);
        claim(&game, agent.as_mut());
        hooks.panics.store(true, Ordering::Relaxed);
        let panic = catch_unwind(AssertUnwindSafe(|| claim(&game, agent.as_mut()))).expect_err("a panic");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"the cards fell off the table"), "{text}");
    }
}

/// Agents that search a tree, with enough iterations to take more than a mebibyte.
const TREES: [&str; 18] = [
    "ismcts:iterations=20000",
    "ismcts:iterations=20000,c=3,threads=3",
    "ismcts:iterations=20000,draws=branch,threads=2",
    "ismcts:iterations=20000,observer=multi",
    "ismcts:iterations=20000,observer=multi,self_determination=0.5",
    "ismcts:iterations=20000,observer=multi,reuse=on",
    "ismcts:iterations=20000,observer=multi,selection=puct",
    "ismcts:iterations=20000,observer=multi,selection=exp3",
    "ismcts:iterations=20000,observer=multi,selection=regret_matching",
    "ismcts:iterations=20000,observer=multi,selection=smooth_uct",
    "best:iterations=20000",
    "ris_mcts:iterations=9000",
    "ris_mcts:iterations=15000,redeterminization=off",
    "ismcts_br:iterations=15000,against=random,continuation=random,draws=branch,particles=0",
    "pimc:worlds=1,solver=search,iterations=40000",
    "epimc:worlds=1,depth=1,solver=search,iterations=40000",
    "presumed_pimc:worlds=1,solver=search,iterations=40000",
    "oracle:solver=search,iterations=40000",
];

/// The first decision of a game.
fn search(text: &str, options: &str) -> Search {
    let game = Schwinget::new(Default::default()).expect("a game");
    let history = History::dealt(&game, &mut Rng::stream(3, "memory", 0));
    let seat = game.turn(history.state()).seat().expect("a player must be to act");
    let mut agent: Box<dyn Agent<_>> =
        format!("{text}{options}").parse::<AgentSpec>().expect("an agent").build(&game, 1);
    let decision = agent.act(&game, &game.view(&history, seat), game.legal(history.state()));
    decision.search.expect("a search")
}

#[test]
fn searches_continue_without_new_nodes_once_memory_is_used_up() {
    for text in TREES {
        let (full, free) = (search(text, ",memory_mb=1"), search(text, ""));
        assert!(full.nodes < free.nodes && full.nodes > 200, "{text}: {} of {} nodes", full.nodes, free.nodes);
        assert!(full.nodes * 64 <= 1 << 20 || text.starts_with("presumed"), "{text}: {} nodes", full.nodes);
        assert_eq!(full.iterations, free.iterations, "{text}");
        let visits = |search: &Search| search.actions.iter().map(|stats| stats.visits).sum::<u64>();
        assert!(visits(&full) * 2 > visits(&free), "{text}: {full:?} for {free:?}");
        assert!(full.actions.iter().all(|stats| stats.availability > 0), "{text}: {full:?}");
        assert_eq!(
            search(text, ",memory_mb=512").actions,
            free.actions,
            "{text}: enough memory does not change the search"
        );
    }
}

/// With less memory fewer worlds are built in full.
#[test]
fn worlds_built_in_full_stay_within_their_memory() {
    let text = "epimc:worlds=100,depth=3,solver=rollouts,iterations=1,sweeps=1";
    let (full, free) = (search(text, ",memory_mb=1"), search(text, ""));
    assert!((1..100).contains(&full.iterations), "{full:?}");
    assert_eq!(free.iterations, 100);
}

#[test]
fn every_agent_with_a_tree_has_a_memory_limit() {
    for agent in catalogue::describe() {
        let limited = agent.options.iter().any(|option| option.name == "memory_mb");
        // These agents do not search a tree, or leave it to an agent in their options.
        let treeless = ["flat_mc", "greedy", "lbr", "mmds", "network", "random", "rule"];
        assert_eq!(limited, !treeless.contains(&agent.name), "{}", agent.name);
    }
}
