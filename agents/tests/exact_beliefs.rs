//! Exact beliefs are those of all histories, one by one, and the same whether they are carried on or found anew.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use stier_agents::agent::{Stop, Weighing};
use stier_agents::belief::policy_model::Model;
use stier_agents::belief::{BeliefSettings, Beliefs, Kept, Weigher};
use stier_agents::{Agent, AgentSpec};
use stier_core::games::schwimmen::Schwimmen;
use stier_core::games::schwinget::{Schwinget, State, View};
use stier_core::{ActionSet as _, FromRules as _, Game as _, History, Rng, Seat, Turn};

/// Decks with and without referee and counter, drawn cards, shown voids, and a second bout.
const DECKS: [&str; 4] = [
    "suits=2,values=3,referee=off,hand_size=2,set_aside=1",
    "suits=2,values=2,hand_size=1,set_aside=2",
    "suits=3,values=2,counter=off,referee=off,hand_size=1,set_aside=2",
    "suits=2,values=2,referee=off,counter=off,hand_size=1,set_aside=2,bouts=2",
];

/// All histories of the seat's information set, found by trying every outcome of chance.
fn histories(game: &Schwinget, true_one: &History<Schwinget>, seat: Seat) -> Vec<(History<Schwinget>, f64)> {
    let view = game.view(true_one, seat);
    let mut open = vec![(History::new(game), 1.0)];
    for event in true_one.events() {
        let mut next = Vec::new();
        for (history, weight) in open {
            let mut add = |action, weight| {
                let mut longer: History<Schwinget> = history.clone();
                longer.push(game, action);
                next.push((longer, weight));
            };
            match game.turn(history.state()) {
                Turn::Chance => {
                    let outcomes = game.chance(history.state());
                    outcomes.iter().for_each(|outcome| add(outcome.action, weight * outcome.probability));
                }
                turn if turn == event.turn && game.legal(history.state()).contains(event.action) => {
                    add(event.action, weight);
                }
                _ => {}
            }
        }
        open = next;
    }
    open.retain(|(history, _)| game.view(history, seat) == view);
    open
}

fn each_decision(game: &Schwinget, games: u64, mut check: impl FnMut(&History<Schwinget>, Seat, u64)) {
    for number in 0..games {
        let mut rng = Rng::stream(number, "exact beliefs", 0);
        let mut history = History::dealt(game, &mut rng);
        while let Turn::Seat(seat) = game.turn(history.state()) {
            check(&history, seat, number);
            history.push(game, game.legal(history.state()).pick(&mut rng));
            history.settle(game, &mut rng);
        }
    }
}

#[test]
fn they_are_those_of_all_histories() {
    let flag = AtomicBool::new(false);
    for rules in DECKS {
        let game = Schwinget::from_text(rules).expect("rules");
        for model in [Model::Rollout, Model::Fitted] {
            let settings = BeliefSettings {
                beliefs: Beliefs::Exact,
                model,
                model_epsilon: 0.2,
                model_temperature: 0.7,
                ..BeliefSettings::default()
            };
            let own = settings.policy_model();
            let mut compared = 0;
            each_decision(&game, 8, |history, seat, _| {
                let mut expected: HashMap<State, f64> = HashMap::new();
                let mut weigher = Weigher::new(&game, seat, &settings, &*own);
                let mut acted = false;
                for (history, weight) in histories(&game, history, seat) {
                    let log = weigher.log_likelihood(&history);
                    acted |= log.is_some();
                    *expected.entry(*history.state()).or_default() += weight * log.unwrap_or(0.0).exp();
                }
                let total: f64 = expected.values().sum();
                let (stop, rng) = (Stop::new(Instant::now(), 0, &flag), &mut Rng::stream(1, "unused", 0));
                let view = game.view(history, seat);
                let worlds = settings.worlds(None, Kept::States, &game, &view, &stop, rng);
                let Some(belief) = worlds.belief() else {
                    assert!(!acted, "there is something to infer");
                    return;
                };
                assert_eq!(belief.weighing(), Weighing::Exact);
                assert_eq!(belief.worlds().count(), expected.len(), "{rules}");
                for (state, share) in belief.worlds() {
                    assert!((share - expected[state] / total).abs() < 1e-12, "{rules}: {share}");
                }
                compared += 1;
            });
            assert!(compared > 8, "{rules}: {compared}");
        }
    }
}

/// The states of an agent's belief with their probabilities; `None` if there is nothing to infer.
fn listed(agent: &mut dyn Agent<Schwinget>, game: &Schwinget, view: &View) -> Option<Vec<(State, f64)>> {
    agent.beliefs(game, view).belief().map(|belief| belief.worlds().map(|(&state, share)| (state, share)).collect())
}

#[test]
fn they_go_on_from_decision_to_decision_with_the_same_bits() {
    let spec: AgentSpec = "pimc:worlds=1,beliefs=exact,model=fitted".parse().expect("an agent");
    for rules in [DECKS[0], DECKS[3], ""] {
        let game = Schwinget::from_text(rules).expect("rules");
        let [mut first, mut second] = [(); 2].map(|()| spec.build(&game, 1));
        let mut inferred = 0;
        each_decision(&game, 4, |history, seat, _| {
            let view = game.view(history, seat);
            let agent = if seat == Seat(0) { &mut first } else { &mut second };
            let carried = listed(&mut **agent, &game, &view);
            let fresh = listed(&mut *spec.build(&game, 1), &game, &view);
            inferred += usize::from(carried.is_some());
            assert!(carried == fresh, "{rules}");
        });
        assert!(inferred > 2, "{rules}: {inferred}");
    }
}

#[test]
fn they_do_not_go_on_in_the_same_bout_of_another_match() {
    let spec: AgentSpec = "pimc:worlds=1,beliefs=exact,model=fitted".parse().expect("an agent");
    let rules = "suits=2,values=3,referee=off,counter=off,hand_size=2,set_aside=2,bouts=2";
    let game = Schwinget::from_text(rules).expect("rules");
    let mut agents = [(); 2].map(|()| spec.build(&game, 1));
    // Agents that are asked in few places: the last belief can be one of another game.
    each_decision(&game, 3000, |history, seat, number| {
        if game.legal(history.state()).len() > 1 {
            let view = game.view(history, seat);
            let fresh = listed(&mut *spec.build(&game, 1), &game, &view);
            assert!(listed(&mut *agents[seat.index()], &game, &view) == fresh, "game {number}");
        }
    });
}

#[test]
fn what_cannot_be_exact_is_refused() {
    let agent = |text: &str| text.parse::<AgentSpec>();
    let greedy = agent("ismcts:beliefs=exact,model=greedy").unwrap_err().to_string();
    assert!(greedy.ends_with("need model=rollout, fitted or network, whose policy depends on the present state alone"));
    let search = agent("lbr:against=pimc,particles=exact").unwrap_err().to_string();
    assert!(search.contains("against=network"), "{search}");
    let particles = agent("ismcts:beliefs=exact,particles=100").unwrap_err().to_string();
    assert!(particles.contains("particles has no effect"), "{particles}");
    let spec = agent("ismcts:beliefs=exact,model=fitted").expect("an agent");
    assert!(spec.check(&Schwinget::from_text("").expect("rules")).is_ok());
    let refused = spec.check(&Schwimmen::from_text("").expect("rules")).unwrap_err().to_string();
    assert_eq!(
        refused,
        "agent ismcts: exact beliefs are possible in Schwinget, where hands are few enough to be listed, not in schwimmen; \
         particles are"
    );
}
