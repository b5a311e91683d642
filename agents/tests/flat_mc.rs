//! The estimates of flat Monte Carlo are correct.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::toys::KUHN;
use stier_agents::{Agent, AgentSpec, Search};
use stier_core::games::schwimmen::Schwimmen;
use stier_core::games::up_and_down::UpAndDown;
use stier_core::{ActionSet as _, FromRules as _, Game, Hints, History, Rng, Sampler as _, Seat, Turn};

fn agent<G: Hints>(game: &G, text: &str, seed: u64) -> Box<dyn Agent<G>> {
    text.parse::<AgentSpec>().expect("an agent").build(game, seed)
}

fn search<G: Hints>(game: &G, history: &History<G>, text: &str, seed: u64) -> Search {
    let seat = game.turn(history.state()).seat().expect("a player must be to act");
    agent(game, text, seed).act(game, &game.view(history, seat), game.legal(history.state())).search.expect("a search")
}

/// The mean and mean square of the return of `seat` under random play.
fn random_play<G: Game>(game: &G, state: &G::State, seat: Seat) -> (f64, f64) {
    let after = |action, share: f64| {
        let mut next = *state;
        game.apply(&mut next, action);
        let (mean, square) = random_play(game, &next, seat);
        (share * mean, share * square)
    };
    let add = |a: (f64, f64), b: (f64, f64)| (a.0 + b.0, a.1 + b.1);
    match game.turn(state) {
        Turn::Over => {
            let value = game.returns(state)[seat];
            (value, value * value)
        }
        Turn::Chance => {
            game.chance(state).iter().map(|outcome| after(outcome.action, outcome.probability)).fold((0.0, 0.0), add)
        }
        Turn::Seat(_) => {
            let legal = game.legal(state);
            legal.iter().map(|action| after(action, 1.0 / legal.len() as f64)).fold((0.0, 0.0), add)
        }
    }
}

/// At every decision of random games, the value of each action must be that of random play in all worlds. Returns the
/// number of values compared.
fn values_are_expectations<G: Hints>(game: &G, text: &str, games: u64) -> usize {
    let mut compared = 0;
    for index in 0..games {
        let mut rng = Rng::stream(4, "expectations", index);
        let mut history = History::dealt(game, &mut rng);
        while let Turn::Seat(seat) = game.turn(history.state()) {
            let legal = game.legal(history.state());
            if legal.len() > 1 {
                let found = search(game, &history, text, index);
                let worlds: Vec<_> = game.sampler(&game.view(&history, seat)).worlds().collect();
                let total: u64 = worlds.iter().map(|world| world.weight).sum();
                for (action, stats) in legal.iter().zip(&found.actions) {
                    let (mut mean, mut square) = (0.0, 0.0);
                    for world in &worlds {
                        let mut next = world.state;
                        game.apply(&mut next, action);
                        let share = world.weight as f64 / total as f64;
                        let value = random_play(game, &next, seat);
                        (mean, square) = (mean + share * value.0, square + share * value.1);
                    }
                    let error = ((square - mean * mean).max(0.0) / stats.visits as f64).sqrt();
                    assert!((stats.value - mean).abs() <= 5.0 * error + 1e-6, "{stats:?}: {mean} ± {error}");
                    compared += 1;
                }
            }
            history.push(game, legal.pick(&mut rng));
            history.settle(game, &mut rng);
        }
    }
    compared
}

#[test]
fn values_are_the_enumerated_expectations() {
    assert!(values_are_expectations(&*KUHN, "flat_mc:iterations=4000", 60) > 200);
    values_are_expectations(&*KUHN, "flat_mc:iterations=1000,rollouts=4,threads=3", 20);
    let rules = "die_faces=2,players=2,hand_size=2";
    let game = UpAndDown::from_text(rules).expect("a game");
    assert!(values_are_expectations(&game, "flat_mc:iterations=4000", 8) > 50);
}

#[test]
fn the_action_with_the_best_mean_is_played() {
    // With a jack facing a bet, a fold loses 1 and a call 2. With a king, a call wins 2.
    let mut decided = 0;
    for index in 0..40 {
        let mut rng = Rng::stream(9, "bets", index);
        let mut history = History::dealt(&*KUHN, &mut rng);
        history.push(&*KUHN, stier_core::games::kuhn_poker::BET);
        for allocation in ["uniform", "ucb1"] {
            let found = search(&*KUHN, &history, &format!("flat_mc:iterations=200,allocation={allocation}"), index);
            let [fold, call] = [found.actions[0], found.actions[1]];
            assert_eq!(fold.value, -1.0);
            let (best, other) = if call.value > fold.value { (call, fold) } else { (fold, call) };
            assert_eq!((best.probability, other.probability), (1.0, 0.0));
            decided += usize::from(call.value.abs() == 2.0);
        }
    }
    assert!(decided > 20);
}

#[test]
fn allocations_are_even_or_follow_the_bound() {
    let game = Schwimmen::new(Default::default()).expect("a game");
    let history = History::dealt(&game, &mut Rng::stream(2, "allocation", 0));
    let mut history = history;
    history.push(&game, game.legal(history.state()).nth(0));
    let visits = |text: &str| -> Vec<u64> {
        let found = search(&game, &history, text, 1);
        let visits: Vec<u64> = found.actions.iter().map(|stats| stats.visits).collect();
        assert_eq!((visits.iter().sum::<u64>(), found.nodes), (found.iterations, 1));
        assert!(found.actions.iter().all(|stats| stats.availability == found.iterations && stats.visits > 0));
        visits
    };
    let even = visits("flat_mc:iterations=1003");
    assert_eq!(even.len(), 5, "three cards, the table, a push");
    assert_eq!(even.iter().max().unwrap() - even.iter().min().unwrap(), 1);
    let most = |text: &str| *visits(text).iter().max().expect("visits");
    let [narrow, wide] = ["0.1", "3"].map(|c| most(&format!("flat_mc:iterations=5000,allocation=ucb1,c={c}")));
    assert!(narrow > wide && wide > 1000, "{narrow} against {wide}");
}

#[test]
fn decisions_depend_on_seed_and_threads_but_not_on_restarts() {
    let game = Schwimmen::new(Default::default()).expect("a game");
    let history = History::dealt(&game, &mut Rng::stream(2, "seeds", 0));
    let run = |text: &str, seed| search(&game, &history, text, seed).actions;
    for text in ["flat_mc", "flat_mc:threads=3", "flat_mc:allocation=ucb1,choose=sample", "flat_mc:rollout=hints"] {
        assert_eq!(run(text, 1), run(text, 1), "{text}");
        assert_ne!(run(text, 1), run(text, 2), "{text}");
    }
    let view = game.view(&history, game.turn(history.state()).seat().expect("a player"));
    let mut used = agent(&game, "flat_mc", 9);
    used.act(&game, &view, game.legal(history.state()));
    used.restart(1);
    let again = used.act(&game, &view, game.legal(history.state())).search.expect("a search");
    assert_eq!(again.actions, run("flat_mc", 1));
}

#[test]
fn budgets_end_a_search() {
    let game = Schwimmen::new(Default::default()).expect("a game");
    let history = History::dealt(&game, &mut Rng::stream(1, "budget", 0));
    let found = search(&game, &history, "flat_mc:time_ms=20", 1);
    assert!(found.seconds >= 0.02 && found.iterations > 0);
    let view = game.view(&history, game.turn(history.state()).seat().expect("a player"));
    let mut endless = agent(&game, "flat_mc:iterations=1000000000", 1);
    endless.interrupt_with(Arc::new(AtomicBool::new(true)));
    let found = endless.act(&game, &view, game.legal(history.state())).search.expect("a search");
    assert!(found.iterations > 0 && found.iterations < 1_000_000);
}
