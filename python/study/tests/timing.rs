//! The study of timing: what its positions are worth is what enumeration says, and chance is common to all ways of playing on.

use std::ops::{ControlFlow, Range};

use stier_agents::AgentSpec;
use stier_agents::agent::threads::Halted;
use stier_agents::arena::Estimate;
use stier_agents::belief::Beliefs;
use stier_agents::solve::{GameTree, Policy};
use stier_agents::solve::{Iterative as _, action_values, nash_conv};
use stier_agents::solve::{Solver, Variant};
use stier_core::games::schwinget::Schwinget;
use stier_core::{Action, ActionSet as _, FromRules as _, Seat};
use stier_study::equilibrium::attack_sets;
use stier_study::timing::{Hidden, Position, Settings, TimingError, positions};

fn game(rules: &str) -> Schwinget {
    Schwinget::from_text(rules).expect("a game")
}

fn spec(text: &str) -> AgentSpec {
    text.parse().expect("an agent")
}

fn settings(players: &str, continuation: &str) -> Settings {
    Settings {
        players: spec(players),
        continuation: spec(continuation),
        repeats: 1,
        hidden: Hidden::Truth,
        advisers: Vec::new(),
        share: 1.0,
        seed: 7,
        threads: 1,
    }
}

fn study(game: &Schwinget, settings: &Settings, games: Range<u64>) -> Result<Vec<Position>, TimingError> {
    positions(game, settings, games, &|| ControlFlow::Continue(()))
}

/// Positions in a form that can be compared: what is not a number is equal to itself.
fn text(positions: &[Position]) -> String {
    format!("{positions:?}")
}

#[test]
fn positions_depend_on_the_game_alone() {
    let settings = Settings {
        repeats: 3,
        advisers: vec![spec("ismcts:iterations=30"), spec("pimc:worlds=3,nodes=50,iterations=10")],
        hidden: Hidden::Beliefs,
        share: 0.5,
        ..settings("greedy", "ismcts:iterations=10")
    };
    let game = game("");
    let all = study(&game, &settings, 0..30).unwrap();
    let parts = [0..11, 11..30].map(|games| study(&game, &Settings { threads: 2, ..settings.clone() }, games).unwrap());
    assert_eq!(text(&all), text(&parts.concat()));
    let opinions = |position: &Position| position.opinions.len() == 2 && position.opinions[1].wait.is_finite();
    assert!(all.len() > 10 && all.iter().all(opinions));
}

#[test]
fn chance_is_common_to_all_ways_of_playing_on() {
    let found = study(&game("scoring=schwinger"), &settings("rule:when=random", "greedy"), 0..300).unwrap();
    let mut alike = 0;
    for position in &found {
        let [now, wait, never] = &position.arms;
        assert_eq!((now.committed, now.others_committed, never.committed), (1.0, 0.0, 0.0));
        assert!(wait.committed == 0.0 || wait.others_committed == 0.0, "only one player can attack");
        for arm in [now, wait, never] {
            assert!((arm.parts.iter().sum::<f64>() - arm.halves[0]).abs() < 1e-6 && arm.halves[1].is_nan());
        }
        // Who would not have attacked later loses nothing by never attacking.
        if wait.committed == 0.0 {
            assert_eq!(wait.parts, never.parts);
            alike += 1;
        }
    }
    assert!(found.len() > 300 && alike > 50, "{} positions, {alike} alike", found.len());
}

#[test]
fn studies_that_make_no_sense_are_refused() {
    let error = |found: Result<Vec<Position>, TimingError>| found.unwrap_err().to_string();
    let none = Settings { repeats: 0, ..settings("greedy", "greedy") };
    assert!(error(study(&game(""), &none, 0..1)).contains("at least 1"));
    let blind = Settings { advisers: vec![spec("greedy")], ..settings("greedy", "greedy") };
    assert!(error(study(&game(""), &blind, 0..1)).starts_with("greedy does not search"));
    let interrupted = positions(&game(""), &settings("greedy", "greedy"), 0..5, &|| ControlFlow::Break(()));
    assert_eq!(interrupted, Err(TimingError::Halted(Halted::Interrupted)));
}

/// Small enough to enumerate, with a pile to lock.
const SMALL: &str = "suits=2,values=4,referee=off,counter=off,hand_size=2,set_aside=2";

/// The uniform policy, but that `never` does not attack.
fn uniform(tree: &GameTree<Schwinget>, attack: Action, never: Option<Seat>) -> Policy {
    Policy::from_fn(tree, |set| {
        let barred = |action: Action| Some(set.seat()) == never && action == attack;
        let open = set.legal().iter().filter(|&action| !barred(action)).count() as f64;
        set.legal().iter().map(|action| if barred(action) { 0.0 } else { 1.0 / open }).collect()
    })
}

/// Random players: what the three ways of playing on from the first lead come to is known exactly.
#[test]
fn positions_are_worth_what_enumeration_says() {
    let game = game(SMALL);
    let attack = game.attack();
    let tree = GameTree::new(&game, 1_000_000).expect("a small game");
    // Over the sets of the first lead: the value of the attack, and of a random one of the other actions.
    let exact = |policy: &Policy| {
        let values = action_values(&tree, policy, Beliefs::Policy);
        let first = tree.sets().filter(|set| set.previous().is_none() && set.seat() == Seat(0));
        let weighed = first.map(|set| {
            let others =
                set.legal().iter().zip(&values.rows[set.number() as usize]).filter(|&(action, _)| action != attack);
            let sum: f64 = others.map(|(_, value)| value).sum();
            let now =
                values.rows[set.number() as usize][set.legal().iter().position(|action| action == attack).unwrap()];
            let reach = values.reach[set.number() as usize];
            (reach * now, reach * sum / (set.legal().len() - 1) as f64)
        });
        weighed.fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
    };
    let (now, wait) = exact(&uniform(&tree, attack, None));
    let (_, never) = exact(&uniform(&tree, attack, Some(Seat(0))));
    let found = study(&game, &settings("random", "random"), 0..20_000).unwrap();
    let first: Vec<_> = found.iter().filter(|position| position.decision == 0).collect();
    assert_eq!(first.len(), 20_000);
    for (arm, exact) in [now, wait, never].into_iter().enumerate() {
        let values: Vec<f64> = first.iter().map(|position| position.arms[arm].halves[0]).collect();
        let estimate = Estimate::of(&values).unwrap();
        assert!((estimate.mean - exact).abs() < 2.0 * estimate.ci95, "arm {arm}: {estimate:?}, exactly {exact}");
        assert!(estimate.ci95 < 0.1, "the estimate says something");
    }
}

/// At an equilibrium nobody does what is worse.
#[test]
fn equilibria_attack_where_it_is_right() {
    let tree = GameTree::new(&game(SMALL), 1_000_000).expect("a small game");
    let mut solver = Solver::new(&tree, Variant::CfrPlus);
    let _ = solver.run(400, &|_| ControlFlow::Continue(()));
    let policy = solver.average();
    assert!(nash_conv(&tree, &policy).exploitability() < 0.01);
    let advisers = [spec("ismcts:iterations=20")];
    let sets = attack_sets(&tree, &policy, &advisers, 1, 0, &|| ControlFlow::Continue(())).unwrap();
    let (mut attacks, mut waits, mut mixed) = (0, 0, 0);
    for set in sets.iter().filter(|set| set.reach > 0.003) {
        // What is off by more than this would cost more than the policy is exploited for.
        let slack = 0.02 / set.reach;
        assert!(set.share < 0.05 || set.now >= set.wait - slack, "{set:?}");
        assert!(set.share > 0.95 || set.wait >= set.now - slack, "{set:?}");
        assert!(set.never <= set.now.max(set.wait) + slack, "{set:?}");
        assert_eq!(set.opinions.len(), 1);
        match set.share {
            share if share > 0.95 => attacks += 1,
            share if share < 0.05 => waits += 1,
            _ => mixed += 1,
        }
    }
    assert!(attacks > 0 && waits > 0, "{attacks} attacks, {waits} waits, {mixed} mixed of {}", sets.len());
}
