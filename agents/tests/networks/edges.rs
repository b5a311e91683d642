//! A network for another game is refused in every place where an agent meets a game.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stier_agents::AgentSpec;
use stier_agents::arena::{Settings, pit};
use stier_agents::batch::search_many;
use stier_agents::batch::vector::{self, Autoreset, LearnerSeat, Opponents, TensorKind};
use stier_agents::erased::{AskSettings, DynEntrant, DynGame};
use stier_core::games::schwinget::Schwinget;
use stier_core::{FromRules as _, Options as _, Seat};
use stier_games::load;

use super::files::{Draft, Saved};

fn small() -> Arc<dyn DynGame> {
    load("schwinget", "suits=2,values=2,hand_size=1").unwrap()
}

/// A network for the small game, and one for the full one.
fn networks() -> [Saved; 2] {
    ["suits=2,values=2,hand_size=1", ""].map(|rules| {
        let game = Schwinget::from_text(rules).expect("a game");
        Draft::new(&game, &[4], 1).saved()
    })
}

/// Agents that use this network in every possible way.
fn agents(file: &Saved) -> Vec<AgentSpec> {
    let path = file.path();
    [
        format!("network:path={path}"),
        format!("ismcts:iterations=8,selection=puct,prior=network,network={path}"),
        format!("flat_mc:iterations=8,rollout=network,network={path}"),
        format!("pimc:worlds=2,nodes=8,iterations=4,beliefs=policy,model=network,network={path}"),
        format!("epimc:worlds=2,nodes=8,iterations=4,rollout=network,network={path}"),
        format!("presumed_pimc:worlds=2,nodes=8,iterations=4,rollout=network,network={path}"),
        format!("recursive_pimc:worlds=1,inner_worlds=1,plies=1,rollout=network,network={path}"),
        format!("ris_mcts:iterations=8,rollout=network,network={path}"),
        format!("mmds:rollouts=8,particles=64,network={path}"),
        format!("rule:cards=(network:path={path})"),
        format!("lbr:worlds=2,particles=0,against=(network:path={path})"),
        format!("ismcts_br:iterations=4,particles=0,against=(network:path={path})"),
        format!("lbr:worlds=2,particles=0,against=random,continuation=network,network={path}"),
    ]
    .map(|text| text.parse().unwrap())
    .to_vec()
}

const GO_ON: &(dyn Fn() -> ControlFlow<()> + Sync) = &|| ControlFlow::Continue(());

/// The result of each place where an agent meets a game.
fn answers(game: &Arc<dyn DynGame>, spec: &AgentSpec) -> Vec<(&'static str, Result<(), String>)> {
    let flag = Arc::new(AtomicBool::new(false));
    let entrants = [DynEntrant::Spec(spec.clone()), DynEntrant::Spec("random".parse().unwrap())];
    let pit = game.pit(&entrants, &Settings { deals: 1, threads: 1, ..Settings::default() }, &flag, GO_ON);
    let opponents = Opponents { agents: vec![spec.clone()], learner: LearnerSeat::Fixed(Seat(0)) };
    let lanes = vector::Settings {
        lanes: 2,
        seed: 1,
        threads: 1,
        autoreset: Autoreset::SameStep,
        tensor: TensorKind::Observation,
        opponents: Some(opponents),
        opening: None,
        barred: None,
        beliefs: None,
    };
    let state = game.new_state(Some(1));
    let many = search_many::Settings { seed: 1, threads: 1 };
    let mut found = vec![
        ("load", game.agent(spec).map(|_| ()).map_err(|error| error.to_string())),
        ("pit", pit.map(|_| ()).map_err(|error| error.to_string())),
        ("vector", game.vector(lanes, flag.clone()).map(|_| ()).map_err(|error| error.to_string())),
        (
            "search_many",
            game.search_many(spec, &[&*state], &many, &flag, GO_ON).map(|_| ()).map_err(|error| error.to_string()),
        ),
    ];
    let tree = game.enumerate(100_000, 1, &|_| ControlFlow::Continue(()));
    if let Ok(tree) = tree {
        let asked = tree.policy_of(&entrants[0], &AskSettings { seed: 1, seeds: 1, threads: 1 }, &flag, GO_ON);
        found.push(("exploitability", asked.map(|_| ()).map_err(|error| error.to_string())));
    }
    found
}

#[test]
fn every_place_refuses_a_network_for_another_game() {
    let (game, [own, other]) = (small(), networks());
    for (right, wrong) in agents(&own).iter().zip(&agents(&other)) {
        let answers_to_wrong = answers(&game, wrong);
        assert_eq!(answers_to_wrong.len(), 5);
        for (place, answer) in answers_to_wrong {
            let error = answer.expect_err(place);
            assert!(error.contains("was trained for the rules 'schwinget', not for 'schwinget:"), "{place}: {error}");
        }
        for (place, answer) in answers(&game, right) {
            assert_eq!(answer, Ok(()), "{right} at {place}");
        }
    }
}

#[test]
fn matches_in_rust_refuse_it_too() {
    let [_, other] = networks();
    let game =
        Schwinget::new(<Schwinget as stier_core::FromRules>::Rules::from_text("suits=2,values=2,hand_size=1").unwrap());
    let game = game.unwrap();
    let entrants: Vec<AgentSpec> = vec![agents(&other).remove(0), "random".parse().unwrap()];
    let sitting = [&entrants[0] as _, &entrants[1] as _];
    let error = pit(&game, &sitting, &Settings { deals: 1, ..Settings::default() }, GO_ON).unwrap_err();
    assert!(error.to_string().contains("was trained for the rules"), "{error}");
}
