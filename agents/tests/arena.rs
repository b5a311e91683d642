//! Matches are paired, reproducible and fair.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use stier_agents::AgentSpec;
use stier_agents::agent::threads::Halted;
use stier_agents::arena::{self, Entrant, PitError, PitResult, Settings};
use stier_core::{FromRules as _, Game, Seat, Turn, games::schwinget::Schwinget};

fn game(rules: &str) -> Schwinget {
    Schwinget::from_text(rules).expect("a game")
}

fn pit(rules: &str, agents: &[&str], settings: &Settings) -> Result<PitResult, PitError> {
    let specs: Vec<AgentSpec> = agents.iter().map(|text| text.parse().expect("an agent")).collect();
    let entrants: Vec<&dyn Entrant<Schwinget>> = specs.iter().map(|spec| spec as _).collect();
    arena::pit(&game(rules), &entrants, settings, &|| ControlFlow::Continue(()))
}

fn settings(deals: u64, threads: usize) -> Settings {
    Settings { deals, threads, seed: 4, paired: true }
}

#[test]
fn results_do_not_depend_on_threads() {
    let agents = ["random", "greedy", "ismcts:iterations=60"];
    let one = pit("", &agents, &settings(30, 1)).unwrap();
    let many = pit("", &agents, &settings(30, 5)).unwrap();
    assert_eq!(one.games, many.games);
    assert_eq!(one.games.len(), 3 * 30 * 2);
    assert_ne!(one.games, pit("", &agents, &Settings { seed: 5, ..settings(30, 1) }).unwrap().games);
}

/// The cards that chance dealt, by bout.
fn cards(game: &Schwinget, played: &arena::Played) -> Vec<Vec<u8>> {
    let mut state = game.root();
    let mut bouts: Vec<Vec<u8>> = Vec::new();
    for &action in &played.events {
        if game.turn(&state) == Turn::Chance {
            let bout = game.deal_number(&state) as usize;
            bouts.resize(bouts.len().max(bout + 1), Vec::new());
            bouts[bout].push(action.0);
        }
        game.apply(&mut state, action);
    }
    bouts
}

#[test]
fn rotations_have_the_same_cards() {
    let rules = "bouts=3";
    let result = pit(rules, &["random", "greedy"], &settings(40, 0)).unwrap();
    for pair in result.games.chunks(2) {
        let [a, b] = pair else { panic!("pairs") };
        assert_eq!(a.deal, b.deal);
        assert_eq!((a.agents[Seat(0)], a.agents[Seat(1)]), (b.agents[Seat(1)], b.agents[Seat(0)]));
        // As far as both drew from the pile, they drew the same cards in the same order, in every bout.
        for (cards_a, cards_b) in cards(&game(rules), a).iter().zip(cards(&game(rules), b)) {
            assert!(cards_a.len() >= 11);
            assert!(cards_a.iter().zip(&cards_b).all(|(x, y)| x == y));
        }
    }
    let unpaired = pit(rules, &["random", "greedy"], &Settings { paired: false, ..settings(40, 0) }).unwrap();
    assert!(unpaired.games.chunks(2).all(|pair| pair[0].deal != pair[1].deal));
}

#[test]
fn an_agent_against_itself_is_even() {
    let result = pit("", &["random", "random"], &settings(2000, 0)).unwrap();
    let standing = result.standing(0);
    assert!(standing.mean.mean.abs() < 2.0 * standing.mean.ci95, "{standing:?}");
    assert_eq!(standing.mean.units, 2000);
    assert!((standing.wins.mean + result.standing(1).wins.mean - 1.0).abs() < 1e-12);
    assert!((standing.mean.mean + result.standing(1).mean.mean).abs() < 1e-9);
}

/// A search that knows the greedy player's policy.
const SEARCH: &str = "ismcts:iterations=300,opponents=fitted,rollout=fitted,beliefs=policy,model=fitted,model_temperature=0.5,\
                      particles=200";

#[test]
fn search_beats_hints_beat_chance() {
    for rules in ["", "scoring=schwinger"] {
        let result = pit(rules, &["random", "greedy", SEARCH], &settings(250, 0)).unwrap();
        for (better, worse) in [(1, 0), (2, 0), (2, 1)] {
            let mean = result.meeting(better, worse).unwrap().mean;
            assert!(mean.mean > mean.ci95, "{rules}: {better} against {worse}: {mean:?}");
        }
        assert_eq!(result.meeting(1, 1), None);
        let text = result.to_string();
        assert!(text.contains("ismcts:iterations=300") && text.contains("row against column"), "{text}");
    }
}

#[test]
fn a_schwingfest_sums_scores() {
    // Four wrestlers: every pair meets twice, and each leads once. That is six bouts for each.
    let agents = ["random", "greedy", "ismcts:iterations=50", "random:seed=2"];
    let fest = Settings { deals: 1, paired: false, ..settings(1, 1) };
    let result = pit("scoring=schwinger,utility=score", &agents, &fest).unwrap();
    for entrant in 0..4 {
        let bouts = result.games.iter().filter(|played| played.agents.iter().any(|&a| a == entrant));
        assert_eq!(bouts.clone().count(), 6);
        assert_eq!(bouts.filter(|played| played.agents.as_slice()[0] == entrant).count(), 3, "leads in half of them");
    }
    let totals = result.totals();
    assert!(totals.windows(2).all(|pair| pair[0].1 >= pair[1].1));
    assert!(totals.iter().all(|&(_, total)| (6.0 * 8.5..=60.0).contains(&total)), "{totals:?}");
}

#[test]
fn errors_say_what_is_needed() {
    let error = pit("", &["random"], &settings(1, 1)).unwrap_err();
    assert_eq!(error.to_string(), "schwinget has 2 seats, so it needs at least 2 agents, got 1");
    assert_eq!(pit("", &["random", "greedy"], &settings(0, 1)).unwrap_err(), PitError::NoDeals);
}

#[test]
fn too_many_deals_to_number_are_refused() {
    // Three tables, two rotations and two seats need 12 numbers per deal.
    let agents = ["random", "greedy", "random:seed=1"];
    let error = |deals: u64| pit("", &agents, &settings(deals, 1)).unwrap_err().to_string();
    let most = u64::MAX / 12;
    for deals in [most + 1, 1 << 63, u64::MAX] {
        assert_eq!(error(deals), format!("deals must be at most {most} with these agents, got {deals}"));
    }
}

#[test]
fn a_match_can_be_watched_and_interrupted() {
    let specs: Vec<AgentSpec> = ["random", "greedy"].map(|text| text.parse().expect("an agent")).to_vec();
    let entrants: Vec<&dyn Entrant<Schwinget>> = specs.iter().map(|spec| spec as _).collect();
    let watched = AtomicU64::new(0);
    let watch = || {
        if watched.fetch_add(1, Ordering::Relaxed) == 20 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let result = arena::pit(&game(""), &entrants, &settings(100_000, 2), &watch);
    assert_eq!(result.unwrap_err(), Halted::Interrupted.into());
    assert!(watched.load(Ordering::Relaxed) < 1000);
    assert_eq!(arena::number_of_games(2, &["a", "b", "c"], 10), 60);
}

#[test]
fn equal_labels_are_numbered() {
    let agents = ["random", "greedy", "random", "random:seed=1", "random"];
    let result = pit("", &agents, &settings(1, 1)).unwrap();
    assert_eq!(result.agents, ["random", "greedy", "random #2", "random:seed=1", "random #3"]);
}
