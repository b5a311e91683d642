//! A rule decides the attack, and another agent the cards.

use std::ops::ControlFlow;
use stier_agents::arena::{Settings, pit};
use stier_agents::{Agent, AgentSpec, Decision};
use stier_core::games::dark_hex::DarkHex;
use stier_core::games::schwimmen::Schwimmen;
use stier_core::games::schwinget::Schwinget;
use stier_core::{Action, ActionSet as _, Actions64, FromRules, Game, Hints, History, Rng, Turn};

/// Every decision of an agent in games against itself, with the legal actions.
fn decisions<G: Hints + FromRules>(agent: &str, games: u64) -> Vec<(Decision, G::Actions)> {
    let game = G::new(Default::default()).expect("default rules");
    let spec: AgentSpec = agent.parse().expect("an agent");
    let mut found = Vec::new();
    for index in 0..games {
        let mut player: Box<dyn Agent<G>> = spec.build(&game, index);
        let mut rng = Rng::stream(2, "rule", index);
        let mut history = History::dealt(&game, &mut rng);
        while let Turn::Seat(seat) = game.turn(history.state()) {
            let legal = game.legal(history.state());
            let decision = player.act(&game, &game.view(&history, seat), legal);
            history.push(&game, decision.action);
            history.settle(&game, &mut rng);
            found.push((decision, legal));
        }
    }
    found
}

fn attack() -> Action {
    Schwinget::new(Default::default()).expect("default rules").attack()
}

/// The share of attacks among the decisions at which the agent can attack or not.
fn attacks(agent: &str, games: u64) -> f64 {
    let offered = decisions::<Schwinget>(agent, games).into_iter().filter(|(_, legal)| legal.contains(attack()));
    let attacked: Vec<bool> = offered.map(|(decision, _)| decision.action == attack()).collect();
    attacked.iter().filter(|&&attacked| attacked).count() as f64 / attacked.len() as f64
}

#[test]
fn rules_decide_the_attack() {
    assert_eq!(attacks("rule:when=never,cards=(ismcts:iterations=50)", 20), 0.0);
    assert_eq!(attacks("rule:when=always", 20), 1.0);
    let sometimes = attacks("rule:when=random,chance=0.3,cards=random", 300);
    assert!((sometimes - 0.3).abs() < 0.07, "{sometimes}");
    assert_eq!(attacks("rule:when=cards,cards=(rule:when=always)", 20), 1.0);
    assert_eq!(attacks("rule:when=timing,timing=(rule:when=always),cards=(rule:when=never)", 20), 1.0);
    assert_eq!(attacks("rule:when=timing,timing=(rule:when=never),cards=(rule:when=always)", 20), 0.0);
}

/// An agent whose decisions about the attack and the cards are its own has the same policy.
#[test]
fn an_agent_is_its_timing_and_its_cards() {
    let game = Schwinget::new(Default::default()).expect("default rules");
    let build =
        |text: &str| -> Box<dyn Agent<Schwinget>> { text.parse::<AgentSpec>().expect("an agent").build(&game, 1) };
    for agent in ["random", "greedy", "rule:when=random,chance=0.25,cards=random"] {
        let (mut whole, mut parts) =
            (build(agent), build(&format!("rule:when=timing,timing=({agent}),cards=({agent})")));
        for index in 0..20 {
            let mut rng = Rng::stream(2, "timing", index);
            let mut history = History::dealt(&game, &mut rng);
            while let Turn::Seat(seat) = game.turn(history.state()) {
                let (legal, view) = (game.legal(history.state()), game.view(&history, seat));
                let [one, other] = [&mut whole, &mut parts].map(|player| player.act(&game, &view, legal).policy);
                let close = |(a, b): (&(Action, f64), &(Action, f64))| a.0 == b.0 && (a.1 - b.1).abs() < 1e-6;
                assert!(one.len() == other.len() && one.iter().zip(&other).all(close), "{agent}: {one:?}, {other:?}");
                history.push(&game, legal.pick(&mut rng));
                history.settle(&game, &mut rng);
            }
        }
    }
}

/// The policy has the probability by which the timing agent draws, and the action is the one that it drew.
#[test]
fn a_timing_agent_that_draws_has_its_probabilities_in_the_policy() {
    let drawn = "rule:when=timing,timing=(rule:when=random,chance=0.25),cards=greedy";
    for (decision, legal) in decisions::<Schwinget>(drawn, 20) {
        let share = decision.policy.iter().find(|&&(action, _)| action == attack()).map(|&(_, share)| share);
        assert_eq!(share, legal.contains(attack()).then_some(0.25));
    }
    let share = attacks(drawn, 300);
    assert!((share - 0.25).abs() < 0.07, "{share}");
}

#[test]
fn options_of_other_rules_are_refused() {
    for (agent, error) in [
        ("rule:when=never,timing=greedy", "agent rule: timing has no effect without when=timing"),
        ("rule:when=always,chance=0.5", "agent rule: chance has no effect without when=random"),
        ("rule:when=timing,timing=greedy,chance=0.5", "agent rule: chance has no effect without when=random"),
    ] {
        assert_eq!(agent.parse::<AgentSpec>().unwrap_err().to_string(), error);
    }
    let game = DarkHex::new(Default::default()).expect("default rules");
    assert!("rule:when=never,cards=random".parse::<AgentSpec>().unwrap().check(&game).is_ok(), "no policy is needed");
}

#[test]
fn policies_and_statistics_cover_all_legal_actions() {
    for (decision, legal) in decisions::<Schwinget>("rule:when=random,chance=0.25,cards=(ismcts:iterations=50)", 20) {
        let policy: Vec<Action> = decision.policy.iter().map(|&(action, _)| action).collect();
        assert_eq!(policy, legal.iter().collect::<Vec<_>>());
        assert!((decision.policy.iter().map(|(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-9);
        let searched: Vec<Action> =
            decision.search.expect("a search").actions.iter().map(|stats| Action(stats.action)).collect();
        assert_eq!(searched, policy);
        let share = decision.policy.iter().find(|&&(action, _)| action == attack()).map(|&(_, share)| share);
        assert_eq!(share, legal.contains(attack()).then_some(0.25));
    }
}

#[test]
fn decisions_by_the_rule_have_no_lines() {
    let game = Schwinget::new(Default::default()).expect("default rules");
    let mut rng = Rng::stream(2, "lines", 0);
    let mut history = History::dealt(&game, &mut rng);
    while !game.legal(history.state()).contains(attack()) {
        history.push(&game, game.legal(history.state()).nth(0));
        history.settle(&game, &mut rng);
    }
    let view = game.view(&history, game.turn(history.state()).seat().expect("a decision"));
    let mut player: Box<dyn Agent<Schwinget>> =
        "rule:when=never,cards=(ismcts:iterations=50)".parse::<AgentSpec>().expect("an agent").build(&game, 1);
    player.note_lines(2);
    player.act(&game, &view, game.legal(history.state()));
    player.act(&game, &view, Actions64::default().with(attack()));
    assert!(player.lines().is_empty());
    player.act(&game, &view, game.legal(history.state()));
    assert!(!player.lines().is_empty());
}

#[test]
fn games_without_such_an_action_are_left_to_the_cards() {
    for (decision, _) in decisions::<Schwimmen>("rule:when=always,cards=greedy", 5) {
        assert!(decision.search.is_none());
    }
}

/// An agent that never attacks plays the same deals worse than one that otherwise plays the same way.
#[test]
fn rules_meet_in_the_arena() {
    let game = Schwinget::new(Default::default()).expect("default rules");
    let agents: [AgentSpec; 2] = ["rule:when=never", "rule:when=cards"].map(|text| text.parse().expect("an agent"));
    let settings = Settings { deals: 2000, seed: 5, ..Settings::default() };
    let result = pit(&game, &[&agents[0], &agents[1]], &settings, &|| ControlFlow::Continue(())).expect("played");
    let never = result.standing(0);
    assert!(never.mean.mean + never.mean.ci95 < 0.0, "{never:?}");
}
