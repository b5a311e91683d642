//! PIMC and its repairs: the information that each of them uses.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::toys::{
    self, KUHN,
    guess::{Guess, PLAY, SAFE},
};
use stier_agents::{Agent, AgentSpec, Decision, Player};
use stier_core::games::kuhn_poker::{BET, PASS};
use stier_core::games::{schwimmen::Schwimmen, schwinget::Schwinget, up_and_down::UpAndDown};
use stier_core::{
    Action, ActionSet as _, Dealer, FromRules, Game, Hints, History, Rng, Sampler as _, Turn, for_each_default_game,
};

fn game<G: FromRules>(rules: &str) -> G {
    G::from_text(rules).expect("a game")
}

fn decide<G: Hints>(game: &G, history: &History<G>, agent: &str) -> Decision {
    let seat = game.turn(history.state()).seat().expect("a decision");
    let mut agent: Box<dyn Agent<G>> = agent.parse::<AgentSpec>().expect("an agent").build(game, 1);
    agent.act(game, &game.view(history, seat), game.legal(history.state()))
}

fn after<G: Game>(game: &G, events: &[u8]) -> History<G> {
    let mut history = History::new(game);
    events.iter().for_each(|&event| history.push(game, Action(event)));
    history
}

fn value(decision: &Decision, action: Action) -> f64 {
    let stats = &decision.search.as_ref().expect("a search").actions;
    stats.iter().find(|stats| stats.action == action.0).expect("a legal action").value
}

/// Everything except the duration and the nodes.
fn essence(decision: Decision) -> (Action, Vec<(u8, f64)>) {
    let search = decision.search.expect("a search");
    (decision.action, search.actions.iter().map(|stats| (stats.action, stats.value)).collect())
}

#[test]
fn pimc_fuses_strategies_and_postponed_reasoning_does_not() {
    let game = toys::plain::<Guess>("");
    let history = after(&game, &[0]);
    let expect = |agent: &str, action: Action, worth: f64| {
        let decision = decide(&game, &history, agent);
        assert_eq!(decision.action, action, "{agent}");
        assert!((value(&decision, PLAY) - worth).abs() < 1e-6, "{agent}: {decision:?}");
        assert_eq!(value(&decision, SAFE), 0.5);
    };
    expect("pimc", PLAY, 1.0);
    expect("presumed_pimc", PLAY, 1.0);
    expect("epimc:depth=1", PLAY, 1.0);
    expect("epimc:depth=2", SAFE, 0.0);
    expect("epimc:depth=3", SAFE, 0.0);
    // Level 0 does not know the coin either.
    let level_one = decide(&game, &history, "recursive_pimc:worlds=400");
    assert_eq!(level_one.action, SAFE);
    assert!(value(&level_one, PLAY).abs() < 0.2);
}

#[test]
fn presumed_values_use_the_opponents_own_knowledge() {
    let game = toys::plain::<Guess>("guesser=1");
    for coin in 0..2 {
        let history = after(&game, &[coin]);
        for (agent, action, worth) in [
            ("pimc", SAFE, -1.0),
            // The searcher's side of the coin is the same in all of its worlds.
            ("epimc:depth=2", SAFE, -1.0),
            ("presumed_pimc:worlds=400", PLAY, 0.0),
        ] {
            let decision = decide(&game, &history, agent);
            assert_eq!(decision.action, action, "{agent}");
            assert!((value(&decision, PLAY) - worth).abs() < 0.2, "{agent}: {decision:?}");
            assert_eq!(value(&decision, SAFE), -0.5);
        }
        // Among equal actions level 0 takes the first, so it guesses heads whatever the coin shows.
        let level_one = decide(&game, &history, "recursive_pimc:inner_solver=exact");
        assert_eq!(value(&level_one, PLAY), if coin == 0 { -1.0 } else { 1.0 });
    }
}

#[test]
fn pimc_plays_kuhn_as_the_literature_says() {
    let game = KUHN.clone();
    // With open cards a losing bet is never called. Betting is worth no less than passing with a king, and loses more
    // with a jack.
    let king = decide(&game, &after(&game, &[2, 0]), "pimc");
    assert_eq!((value(&king, PASS), value(&king, BET)), (1.0, 1.0));
    let jack = decide(&game, &after(&game, &[0, 1]), "pimc");
    assert_eq!((value(&jack, PASS), value(&jack, BET)), (-1.0, -2.0));
    let queen = decide(&game, &after(&game, &[1, 0]), "pimc");
    assert_eq!((value(&queen, PASS), value(&queen, BET)), (0.0, -0.5));
    assert_eq!(queen.search.expect("a search").iterations, 2, "both worlds, each once");
    // Half of the worlds are won when facing a bet.
    let call = decide(&game, &after(&game, &[0, 1, 1]), "pimc");
    assert_eq!((value(&call, PASS), value(&call, BET)), (-1.0, 0.0));
}

/// Calls `each` at all decisions of a random game.
fn decisions<G: Hints>(game: &G, seed: u64, mut each: impl FnMut(&History<G>)) {
    let mut rng = Rng::stream(seed, "pimc", 0);
    let mut history = History::dealt(game, &mut rng);
    while let Turn::Seat(_) = game.turn(history.state()) {
        each(&history);
        history.push(game, game.legal(history.state()).pick(&mut rng));
        history.settle(game, &mut rng);
    }
}

macro_rules! one_decision_deep {
    ($name:ident, $game:expr) => {
        #[test]
        fn $name() {
            let game = $game;
            for solver in [
                "nodes=300,worlds=5,solver=exact,fallback=rollouts,iterations=20",
                "worlds=5,iterations=30,solver=search",
                "worlds=3,nodes=40,fallback=evaluate",
            ] {
                decisions(&game, 5, |history| {
                    let [pimc, epimc] = [format!("pimc:{solver}"), format!("epimc:depth=1,{solver}")]
                        .map(|agent| essence(decide(&game, history, &agent)));
                    assert_eq!(pimc, epimc);
                });
            }
        }
    };
}
mod epimc_of_one_decision_is_pimc {
    use super::{decide, decisions, essence, for_each_default_game};
    for_each_default_game!(one_decision_deep);
}

#[test]
fn few_worlds_are_all_searched() {
    let game: Schwinget = game("");
    let mut enumerated = 0;
    for seed in 0..10 {
        decisions(&game, seed, |history| {
            let seat = game.turn(history.state()).seat().expect("a decision");
            let worlds = game.sampler(&game.view(history, seat)).count() as u64;
            if game.legal(history.state()).len() == 1 || worlds > 100 {
                return;
            }
            // There is nothing left to draw, so each world always gives the same result.
            let decision = decide(&game, history, "pimc:worlds=200,nodes=100000");
            let [other, more] = ["pimc:worlds=400,nodes=100000", "pimc:worlds=399,nodes=100000,fallback=rollouts"]
                .map(|agent| decide(&game, history, agent));
            let search = decision.search.as_ref().expect("a search");
            if search.iterations == worlds {
                enumerated += 1;
                assert!(search.actions.iter().all(|stats| stats.visits == worlds));
                let close = |a: &Decision, b: &Decision| {
                    essence(a.clone()).1.iter().zip(essence(b.clone()).1).all(|(a, b)| (a.1 - b.1).abs() < 1e-5)
                };
                assert!(close(&decision, &other) && close(&decision, &more));
            } else {
                // Cards are still drawn: two rounds or more, with other futures.
                assert_eq!(search.iterations, 200 / worlds * worlds);
            }
        });
    }
    assert!(enumerated > 10, "{enumerated}");
}

#[test]
fn interrupts_and_time_end_a_search() {
    let game: UpAndDown = game("");
    let history = History::dealt(&game, &mut Rng::stream(1, "time", 0));
    let seat = game.turn(history.state()).seat().expect("a decision");
    let view = game.view(&history, seat);
    for agent in [
        "pimc:worlds=1000000",
        "pimc:worlds=1000000,nodes=1000000000,fallback=evaluate",
        "pimc:solver=search,iterations=1000000000",
        "epimc:worlds=1000000,depth=4",
        "epimc:worlds=1000000,sweeps=100000",
        "presumed_pimc:worlds=1000000,replies=3,guesses=100000",
        "recursive_pimc:worlds=1000000,inner_worlds=100000",
    ] {
        let spec: AgentSpec = agent.parse().expect("an agent");
        let mut agent: Box<dyn Agent<UpAndDown>> = spec.build(&game, 1);
        agent.interrupt_with(Arc::new(AtomicBool::new(true)));
        let decision = agent.act(&game, &view, game.legal(history.state()));
        assert_eq!(decision.search.expect("a search").iterations, 1, "{spec}");
        let timed = format!("{spec},time_ms=20");
        let mut agent: Box<dyn Agent<UpAndDown>> = timed.parse::<AgentSpec>().expect("an agent").build(&game, 1);
        let decision = agent.act(&game, &view, game.legal(history.state()));
        assert!(decision.search.expect("a search").iterations >= 1);
    }
}

#[test]
fn only_oracles_use_hidden_cards() {
    let game: Schwinget = game("");
    let spec: AgentSpec = "oracle:nodes=5000,iterations=200,worlds=3".parse().expect("an agent");
    let (mut differ, mut blind_differ) = (0, 0);
    for seed in 0..4 {
        decisions(&game, seed, |history| {
            let seat = game.turn(history.state()).seat().expect("a decision");
            let view = game.view(history, seat);
            let other = game.sampler(&view).sample_history(&game, &mut Rng::stream(seed, "other", 0));
            let see = |history: &History<Schwinget>| {
                let mut player = spec.player(&game, 1);
                assert!(matches!(player, Player::Oracle(_)));
                essence(player.act(&game, history, None, game.legal(history.state())))
            };
            differ += usize::from(see(history) != see(&other));
            let blind = |history: &History<Schwinget>| {
                let mut agent: Box<dyn Agent<Schwinget>> = spec.build(&game, 1);
                essence(agent.act(&game, &game.view(history, seat), game.legal(history.state())))
            };
            blind_differ += usize::from(blind(history) != blind(&other));
        });
    }
    assert!(differ > 20, "{differ}");
    assert_eq!(blind_differ, 0);
}

#[test]
fn a_known_pile_gives_the_exact_value() {
    let game: Schwinget = game("suits=2,values=4,hand_size=2,set_aside=2");
    let spec: AgentSpec = "oracle:future=known,nodes=10000000".parse().expect("an agent");
    let mut decided = 0;
    for index in 0..20 {
        let mut dealer = Dealer::new(3, index);
        let mut history = History::new(&game);
        dealer.settle(&game, &mut history);
        // Both are oracles that know the pile, so their expectation at the start is the result.
        let mut player = spec.player(&game, 1);
        let mut expected = None;
        while let Turn::Seat(seat) = game.turn(history.state()) {
            let legal = game.legal(history.state());
            let decision = player.act(&game, &history, Some(&dealer), legal);
            if legal.len() > 1 {
                let value = value(&decision, decision.action);
                let from_first = if seat.0 == 0 { value } else { -value };
                assert_eq!(*expected.get_or_insert(from_first), from_first);
                decided += 1;
            }
            history.push(&game, decision.action);
            dealer.settle(&game, &mut history);
        }
        if let Some(expected) = expected {
            assert_eq!(expected, game.returns(history.state()).as_slice()[0]);
        }
    }
    assert!(decided > 20, "{decided} decisions");
}

#[test]
fn every_table_size_can_be_played() {
    for players in 2..=5 {
        let game: Schwimmen = game(&format!("players={players},max_turns=6"));
        for agent in [
            "pimc:worlds=3,iterations=20",
            "epimc:worlds=3,depth=3,iterations=2,sweeps=3",
            "presumed_pimc:worlds=2,guesses=2,replies=4,iterations=2",
            "recursive_pimc:worlds=2",
            "oracle:iterations=50",
        ] {
            decisions(&game, players, |history| {
                assert!(game.legal(history.state()).contains(decide(&game, history, agent).action));
            });
        }
    }
}
