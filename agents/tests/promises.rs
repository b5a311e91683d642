//! Promises of every agent in the list: a restart forgets everything, only the given actions are chosen or searched,
//! and every search can be ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use stier_agents::catalogue::{self, AgentInfo};
use stier_agents::rollout::{Roller, RolloutSettings};
use stier_agents::{AgentSpec, Decision, Player};
use stier_core::games::schwinget::Schwinget;
use stier_core::options::Allowed;
use stier_core::plain::PlainState;
use stier_core::{
    Action, ActionSet, Actions256, Dealer, FromRules as _, Game, Hints, History, Rng, Seat, Turn, for_each_default_game,
};

use crate::networks::files::{Draft, Saved};
use crate::toys::{BANDIT, bandit::REWARDS};

/// Options for every agent in the list that use each of its methods at least once. `FILE` stands for a network.
fn options(name: &str) -> &'static [&'static str] {
    match name {
        "best" => &["iterations=40"],
        "epimc" => &[
            "worlds=3,nodes=300",
            "worlds=3,depth=2,nodes=50,iterations=4,sweeps=5,mixed=on",
            "worlds=3,depth=1,solver=search,iterations=20,rollout=hints",
            "worlds=3,depth=1,nodes=50,iterations=4,mixed=on",
            "worlds=3,depth=2,nodes=30,fallback=evaluate,beliefs=policy,particles=80",
        ],
        "flat_mc" => &[
            "iterations=60",
            "iterations=60,allocation=ucb1,rollout=hints,epsilon=0.2,choose=sample,threads=2",
            "iterations=60,rollout=network,network=FILE",
        ],
        "greedy" | "random" => &[""],
        "ismcts" => &[
            "iterations=100",
            "iterations=100,rollout=hints,threads=2",
            "iterations=60,observer=multi,selection=regret_matching,choose=mixed,self_determination=0.3",
            "iterations=60,observer=multi,draws=branch,selection=puct,reuse=on",
            "iterations=60,selection=exp3,reuse=on,choose=sample",
            "iterations=60,selection=ucb1,opponents=fitted,beliefs=policy,model=greedy,particles=80",
            "iterations=60,selection=smooth_uct,self_determination=0.3",
            "iterations=30,selection=puct,prior=network,cutoff=0,evaluation=network,network=FILE",
        ],
        "ismcts_br" => &[
            "iterations=40,particles=80",
            "iterations=10,draws=branch,particles=64,replies=2,seeds=2,against=(pimc:worlds=2,nodes=20,iterations=2)",
            "iterations=10,particles=64,continuation=network,network=FILE,against=random",
            "iterations=10,particles=64,cutoff=deal,evaluation=hints,against=random",
        ],
        "lbr" => &[
            "worlds=5,particles=80",
            "worlds=2,continuation=against,particles=64,replies=2,against=(pimc:worlds=2,nodes=20,iterations=2)",
            "worlds=3,margin=1,particles=80,continuation=network,network=FILE,against=(network:path=FILE,choose=sample)",
            "worlds=3,particles=80,cutoff=2,evaluation=network,network=FILE",
        ],
        "mmds" => &[
            "rollouts=20,particles=64,network=FILE",
            "rollouts=40,choose=sample,step=5,magnet=0.1,cutoff=2,beliefs=uniform,network=FILE",
            "rollouts=20,cutoff=deal,evaluation=hints,model=rollout,particles=80,network=FILE",
        ],
        "network" => &["path=FILE", "path=FILE,choose=sample"],
        "oracle" => &[
            "worlds=2,nodes=50,iterations=30",
            "worlds=2,nodes=500,fallback=evaluate",
            "future=known,nodes=500,iterations=30",
            "future=known,nodes=500,fallback=evaluate",
            "solver=search,iterations=60,rollout=hints",
        ],
        "pimc" => &[
            "worlds=3,nodes=300",
            "worlds=3,nodes=200,fallback=evaluate",
            "worlds=3,nodes=50,iterations=15",
            "worlds=3,solver=rollouts,iterations=40,rollout=hints",
            "worlds=3,solver=search,iterations=40,rollout=hints,beliefs=policy,model=fitted,particles=80",
        ],
        "presumed_pimc" => {
            &["worlds=3,nodes=300", "worlds=2,guesses=2,replies=3,nodes=20,fallback=search,iterations=20,rollout=hints"]
        }
        "recursive_pimc" => &[
            "worlds=1,inner_worlds=1,plies=3",
            "worlds=2,inner_worlds=2,inner_solver=exact,inner_nodes=50,plies=2,rollout=hints",
        ],
        "ris_mcts" => &[
            "iterations=30,self_determination=0.2,rollout=hints",
            "iterations=60,redeterminization=off,self_determination=0.3",
            "iterations=60,redeterminization=off,beliefs=policy,particles=80",
        ],
        "rule" => &[
            "when=random,chance=0.5,cards=(pimc:worlds=3,nodes=200,fallback=evaluate)",
            "when=never,cards=(ismcts:iterations=40)",
        ],
        other => panic!("no options for the agent {other}"),
    }
}

/// Every agent in the list, without those that need a network if there is none.
fn agents(network: Option<&Saved>) -> Vec<AgentSpec> {
    let texts =
        catalogue::NAMES.iter().flat_map(|name| options(name).iter().map(move |options| format!("{name}:{options}")));
    texts
        .filter(|text| network.is_some() || !text.contains("FILE"))
        .map(|text| text.replace("FILE", network.map_or("", Saved::path)).parse().expect("an agent"))
        .collect()
}

/// A network with random weights, for a game.
fn network<G: Hints>(game: &G) -> Saved {
    Draft::new(game, &[8], 1).saved()
}

/// The decision without its duration.
fn essence(mut decision: Decision) -> Decision {
    if let Some(search) = &mut decision.search {
        search.seconds = 0.0;
    }
    decision
}

/// Plays a random game and calls `each` at the first decisions with a choice.
fn decisions<G: Hints>(game: &G, deal: u64, most: usize, mut each: impl FnMut(&History<G>, &Dealer, G::Actions)) {
    let mut rng = Rng::stream(4, "promises", deal);
    let mut dealer = Dealer::new(4, deal);
    let mut history = History::new(game);
    let mut done = 0;
    while done < most {
        dealer.settle(game, &mut history);
        let Turn::Seat(_) = game.turn(history.state()) else { return };
        let legal = game.legal(history.state());
        if legal.len() > 1 {
            each(&history, &dealer, legal);
            done += 1;
        }
        history.push(game, legal.pick(&mut rng));
    }
}

/// A player's first decisions in a random game, to the last statistic.
fn game_of<G: Hints>(game: &G, player: &mut Player<G>, deal: u64, most: usize) -> Vec<Decision> {
    let mut found = Vec::new();
    decisions(game, deal, most, |history, dealer, legal| {
        found.push(essence(player.act(game, history, Some(dealer), legal)));
    });
    found
}

fn a_restarted_agent_is_a_new_one<G: Hints>(game: &G) {
    let file = network(game);
    for spec in agents(Some(&file)).into_iter().filter(|spec| spec.check(game).is_ok()) {
        let new = game_of(game, &mut spec.player(game, 1), 0, 5);
        let mut used = spec.player(game, 2);
        game_of(game, &mut used, 1, 2);
        used.restart(1);
        assert_eq!(game_of(game, &mut used, 0, 5), new, "{spec} after another game with another seed");
        used.restart(1);
        assert_eq!(game_of(game, &mut used, 0, 3), new[..3.min(new.len())], "{spec} after the same game");
    }
}

/// Checks that the decision is about these actions and no others.
fn is_about<A: ActionSet>(decision: &Decision, allowed: A, spec: &AgentSpec) {
    let allowed_ids: Vec<Action> = allowed.iter().collect();
    assert!(allowed.contains(decision.action), "{spec} chose {:?} of {allowed_ids:?}", decision.action);
    assert!(decision.policy.iter().map(|&(action, _)| action).eq(allowed_ids.iter().copied()), "{spec}: {decision:?}");
    assert!((decision.policy.iter().map(|&(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-9, "{spec}: {decision:?}");
    if let Some(search) = &decision.search {
        assert!(search.actions.iter().map(|stats| Action(stats.action)).eq(allowed_ids), "{spec}: {decision:?}");
    }
}

fn withheld_actions_are_left_alone<G: Hints>(game: &G) {
    let file = network(game);
    let mut rng = Rng::stream(1, "withheld", 0);
    for spec in agents(Some(&file)).into_iter().filter(|spec| spec.check(game).is_ok()) {
        let mut player = spec.player(game, 1);
        decisions(game, 2, 5, |history, dealer, legal| {
            let mut some = legal.iter().filter(|_| rng.below(3) > 0).fold(G::Actions::default(), ActionSet::with);
            if some.is_empty() {
                some = some.with(legal.pick(&mut rng));
            }
            is_about(&player.act(game, history, Some(dealer), some), some, &spec);
        });
    }
}

macro_rules! every_game {
    ($module:ident, $game:expr) => {
        mod $module {
            #[test]
            fn a_restarted_agent_is_a_new_one() {
                super::a_restarted_agent_is_a_new_one(&$game);
            }

            #[test]
            fn withheld_actions_are_left_alone() {
                super::withheld_actions_are_left_alone(&$game);
            }
        }
    };
}
for_each_default_game!(every_game);

/// Every arm has a constant payoff, so values show which action was tried. The commitment is the action with id 0.
#[test]
fn values_belong_to_the_actions_that_were_not_withheld() {
    let history = History::new(&*BANDIT);
    for arms in 1..16_u64 {
        let allowed = Actions256([arms, 0, 0, 0]);
        let best = allowed.iter().max_by(|a, b| REWARDS[a.index()].total_cmp(&REWARDS[b.index()])).expect("an arm");
        for spec in &agents(None) {
            let decision = spec.player(&*BANDIT, 1).act(&*BANDIT, &history, None, allowed);
            is_about(&decision, allowed, spec);
            let Some(search) = &decision.search else { continue };
            for stats in search.actions.iter().filter(|stats| stats.visits > 0) {
                let paid = REWARDS[usize::from(stats.action)];
                assert!((stats.value - paid).abs() < 1e-6, "{spec} of {allowed:?}: {stats:?}");
            }
            // Every iteration tries an allowed action.
            let counts = ["ismcts", "ris_mcts", "flat_mc", "ismcts_br"].contains(&spec.name());
            let tried: u64 = search.actions.iter().map(|stats| stats.visits).sum();
            if counts && allowed.len() > 1 {
                assert_eq!(tried, search.iterations, "{spec} of {allowed:?}");
            }
            let draws = ["choose=", "mixed=", "chance="].iter().any(|option| spec.to_string().contains(option));
            let close = REWARDS[best.index()] - REWARDS[decision.action.index()] < 0.06;
            assert!(draws || spec.name() == "rule" || close, "{spec} of {allowed:?}: {decision:?}");
            // A policy found by regret matching prefers the better arms.
            let policy = decision.policy.iter().map(|&(action, share)| share * REWARDS[action.index()]).sum::<f64>();
            let uniform = decision.policy.iter().map(|&(action, _)| REWARDS[action.index()]).sum::<f64>();
            let prefers = policy > uniform / decision.policy.len() as f64;
            let is_mixed = spec.to_string().contains("mixed=on");
            assert!(!is_mixed || allowed.len() == 1 || prefers, "{spec} of {allowed:?}: {decision:?}");
        }
        for cards in ["pimc", "epimc", "ismcts", "oracle", "flat_mc", "ris_mcts", "presumed_pimc", "recursive_pimc"] {
            let spec: AgentSpec = format!("rule:when=never,cards={cards}").parse().expect("an agent");
            let decision = spec.player(&*BANDIT, 1).act(&*BANDIT, &history, None, allowed);
            is_about(&decision, allowed, &spec);
            let others = allowed.without(Actions256([1, 0, 0, 0]));
            assert!(others.is_empty() || decision.action != Action(0), "{spec} of {allowed:?}");
            let close = REWARDS[best.index()] - REWARDS[decision.action.index()] < 0.06;
            assert!(close, "{spec} of {allowed:?}: {decision:?}");
        }
    }
}

/// The options of budgets. At their largest values a search would take years.
const ENDLESS: [&str; 10] = [
    "worlds",
    "iterations",
    "rollouts",
    "guesses",
    "inner_worlds",
    "inner_iterations",
    "inner_nodes",
    "nodes",
    "particles",
    "ending_iterations",
];

/// The other numbers among the options.
const BOUNDED: [&str; 26] = [
    "time_ms",
    "memory_mb",
    "threads",
    "depth",
    "sweeps",
    "replies",
    "plies",
    "seeds",
    "c",
    "gamma",
    "eta",
    "d",
    "epsilon",
    "temperature",
    "chance",
    "step",
    "magnet",
    "margin",
    "model_epsilon",
    "model_temperature",
    "belief_share",
    "self_determination",
    "ending_tricks",
    "attack_tricks",
    "range_share",
    "range_cut",
];

/// Every agent that searches, with every way of valuing worlds and with budgets that never end.
fn endless_agents() -> Vec<String> {
    let mut texts = Vec::new();
    for AgentInfo { name, options, facts, .. } in catalogue::describe() {
        if facts.is_instant || name == "rule" {
            continue;
        }
        let names = |wanted: &str| {
            let option = options.iter().find(|option| option.name == wanted);
            option.map_or(Vec::new(), |option| match &option.allowed {
                Allowed::Names(names) => names.clone(),
                other => panic!("{other}"),
            })
        };
        let mut ways = vec![String::new()];
        for option in ["solver", "fallback", "inner_solver", "beliefs"] {
            let way = |way: &String| names(option).into_iter().map(|value| format!("{way},{option}={value}")).collect();
            let longer: Vec<String> = ways.iter().flat_map(|own| -> Vec<String> { way(own) }).collect();
            // An option without effect beside the others is refused.
            ways.extend(longer.into_iter().filter(|own| format!("{name}:{}", &own[1..]).parse::<AgentSpec>().is_ok()));
        }
        for way in ways {
            let mut text = format!("{name}:{}", way.trim_start_matches(','));
            for option in &options {
                let Allowed::Range(_, high) = &option.allowed else { continue };
                assert!(ENDLESS.contains(&option.name) || BOUNDED.contains(&option.name), "{name}: {}", option.name);
                let longer = format!("{text}{}{}={high}", if text.ends_with(':') { "" } else { "," }, option.name);
                if ENDLESS.contains(&option.name) && longer.parse::<AgentSpec>().is_ok() {
                    text = longer;
                }
            }
            texts.push(text);
        }
    }
    texts
}

/// If this test does not end, an agent does not look at the flag or at the clock.
#[test]
fn searches_without_end_are_ended() {
    let game = Schwinget::from_text("").expect("a game");
    let texts = endless_agents();
    assert!(texts.len() > 40, "{}", texts.len());
    for text in texts {
        let interrupted: AgentSpec = text.parse().expect("an agent");
        // A time limit takes the place of some budgets.
        let timed = format!("{text},time_ms=2").parse::<AgentSpec>();
        let timed = timed.or_else(|_| {
            let parts = text.split_once(':').expect("options");
            let rest: Vec<&str> = parts.1.split(',').filter(|part| !part.starts_with("iterations=")).collect();
            format!("{}:{},time_ms=2", parts.0, rest.join(",")).parse()
        });
        let both = [(Some(interrupted), true), (timed.ok(), false)];
        for (spec, is_interrupted) in both.into_iter().filter_map(|(spec, flag)| Some((spec?, flag))) {
            println!("{spec}");
            let mut player = spec.player(&game, 1);
            let flag = Arc::new(AtomicBool::new(false));
            player.interrupt_with(flag.clone());
            thread::scope(|scope| {
                scope.spawn(|| {
                    thread::sleep(Duration::from_millis(5));
                    flag.store(is_interrupted, Ordering::Relaxed);
                });
                decisions(&game, 1, 1, |history, dealer, legal| {
                    let decision = player.act(&game, history, Some(dealer), legal);
                    assert!(legal.contains(decision.action), "{spec}");
                });
            });
        }
    }
}

/// In single precision, a sum of a million returns is wrong in the third decimal place.
#[test]
fn means_of_a_million_returns_are_accurate() {
    let history = History::new(&*BANDIT);
    for agent in [
        "pimc:solver=search,worlds=1,iterations=1000000",
        "pimc:solver=rollouts,worlds=1,iterations=4000000",
        "oracle:solver=search,iterations=1000000",
        "ismcts:iterations=1000000",
        "ris_mcts:iterations=1000000",
        "flat_mc:iterations=1000000",
    ] {
        let spec: AgentSpec = agent.parse().expect("an agent");
        let decision = spec.player(&*BANDIT, 1).act(&*BANDIT, &history, None, BANDIT.legal(history.state()));
        let best = decision.search.expect("a search").actions[1];
        assert!(best.visits > 200_000, "{agent}: {best:?}");
        assert!((best.value - REWARDS[1]).abs() < 1e-6, "{agent}: {best:?}");
    }
    let settings = RolloutSettings { rollouts: 10_000, ..RolloutSettings::default() };
    let mean =
        Roller::new(settings).returns(&*BANDIT, &mut PlainState::new(Some(1_u8)), &mut Rng::stream(1, "rollouts", 0));
    assert_eq!(mean[Seat(0)], REWARDS[1] as f32);
}
