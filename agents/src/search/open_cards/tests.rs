//! The solver compared with brute force through the game's own trait.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use stier_core::games::kuhn_poker::{BET, KuhnPoker, PASS};
use stier_core::games::{
    schweins_galopp::SchweinsGalopp, schwimmen::Schwimmen, schwinget::Schwinget, up_and_down::UpAndDown,
};
use stier_core::{Action, ActionSet as _, BySeat, FromRules, Game, Hints, History, Rng, Turn};

use super::{OpenCards, Solution};
use crate::agent::Stop;
use crate::search::future::{Future, OpenPosition, WorldValues};

/// Best play by all players, with the first of equal actions; `None` if there are more decisions than `left`.
fn brute_force<G: Game>(game: &G, mut state: G::State, mut future: Future, left: &mut u64) -> Option<BySeat<f32>> {
    future.settle(game, &mut state);
    let Turn::Seat(seat) = game.turn(&state) else { return Some(game.rounded_returns(&state)) };
    *left = left.checked_sub(1)?;
    let mut best: Option<BySeat<f32>> = None;
    for action in game.legal(&state).iter() {
        let mut next = state;
        game.apply(&mut next, action);
        let values = brute_force(game, next, future.clone(), left)?;
        if best.as_ref().is_none_or(|best| values[seat] > best[seat]) {
            best = Some(values);
        }
    }
    best
}

fn solve<G: Hints>(solver: &mut OpenCards, game: &G, state: &G::State, future: &Future, nodes: u64) -> Solution {
    let never = AtomicBool::new(false);
    let stop = Stop::new(Instant::now(), 0, &never);
    solver.solve(game, OpenPosition { state, legal: game.legal(state) }, future, nodes, &stop)
}

/// Plays random games and solves their endings, from the last decision back to where brute force would take more
/// than `most` nodes. Returns the number of endings, and the number with a random event to come.
fn agrees<G: Hints + FromRules>(rules: &str, endings: u64, most: u64) -> [u64; 2] {
    let game = G::from_text(rules).expect("a game");
    let mut solver = OpenCards::default();
    let (mut done, mut random) = (0, 0);
    for index in 0.. {
        let mut rng = Rng::stream(8, "endings", index);
        let mut history = History::dealt(&game, &mut rng);
        let mut states = Vec::new();
        while let Turn::Seat(_) = game.turn(history.state()) {
            states.push(*history.state());
            history.push(&game, game.legal(history.state()).pick(&mut rng));
            history.settle(&game, &mut rng);
        }
        for (state, seed) in states.iter().rev().zip(index..) {
            let future = Future::drawn(seed);
            let mut left = most;
            let expected: Option<Vec<(Action, BySeat<f32>)>> = game
                .legal(state)
                .iter()
                .map(|action| {
                    let mut next = *state;
                    game.apply(&mut next, action);
                    Some((action, brute_force(&game, next, future.clone(), &mut left)?))
                })
                .collect();
            let Some(expected) = expected else { break };
            let found = solve(&mut solver, &game, state, &future, u64::MAX);
            assert!(found.exact);
            assert_eq!(found.actions.len(), expected.len());
            for (found, expected) in found.actions.iter().zip(&expected) {
                assert_eq!(found.action, expected.0);
                let close = found.values.iter().zip(expected.1.iter()).all(|(a, b)| (a - b).abs() < 1e-4);
                assert!(close, "{rules} {state:?}: {found:?}, by brute force {expected:?}");
            }
            done += 1;
            random += u64::from(found.chance);
        }
        if done >= endings {
            return [done, random];
        }
    }
    unreachable!("games do not run out")
}

#[test]
fn schwinget_agrees_with_brute_force() {
    let mut done = 0;
    for rules in [
        "",
        "suits=3,values=4,hand_size=3,set_aside=2,utility=win",
        "suits=2,values=4,hand_size=2,set_aside=2,specials=anytime",
        "suits=2,values=3,hand_size=2,set_aside=2,bouts=2,scoring=schwinger",
        "suits=3,values=4,hand_size=3,set_aside=2,scoring=schwinger",
    ] {
        done += agrees::<Schwinget>(rules, 800, 4000)[0];
    }
    let [small, random] = agrees::<Schwinget>("suits=2,values=4,hand_size=2,set_aside=2", 1000, 100_000);
    assert!(random > 100, "{random} endings with cards to draw");
    assert!(done + small >= 5000);
}

#[test]
fn up_and_down_agrees_with_brute_force() {
    for rules in
        ["players=2", "die_faces=2,players=3,hand_size=3", "die_faces=2,hand_size=2", "players=2,utility=score"]
    {
        agrees::<UpAndDown>(rules, 500, 4000);
    }
    let [_, random] = agrees::<UpAndDown>("players=2,die_faces=2,hand_size=2,rounds=2,utility=win", 300, 50_000);
    assert!(random > 30, "{random} endings with dice to roll");
}

#[test]
fn schweins_galopp_agrees_with_brute_force() {
    for rules in ["", "players=2", "players=3,utility=win", "players=2,track_food=on,rounds=2"] {
        agrees::<SchweinsGalopp>(rules, 500, 4000);
    }
}

#[test]
fn schwimmen_agrees_with_brute_force() {
    for rules in
        ["max_turns=4", "max_turns=3,players=2", "max_turns=3,players=5,utility=win", "max_turns=5,suits=2,players=2"]
    {
        agrees::<Schwimmen>(rules, 400, 4000);
    }
}

#[test]
fn kuhn_with_open_cards_is_a_simple_game() {
    let game = KuhnPoker::new(Default::default()).expect("default rules");
    let mut solver = OpenCards::default();
    for (first, second) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
        let mut state = game.root();
        game.apply(&mut state, Action(first));
        game.apply(&mut state, Action(second));
        let found = solve(&mut solver, &game, &state, &Future::drawn(1), 1000);
        assert!(found.exact && !found.chance);
        // The higher card wins the antes whatever it does. The lower one loses another bet by betting into a call.
        let (pass, bet) = if first > second { (1.0, 1.0) } else { (-1.0, -2.0) };
        let values = |(action, value): (Action, f32)| WorldValues::once(action, BySeat::from([value, -value]));
        assert_eq!(found.actions, [(PASS, pass), (BET, bet)].map(values));
    }
}

#[test]
fn the_results_of_chance_are_fixed() {
    let game = Schwinget::new(Default::default()).expect("default rules");
    let history = History::dealt(&game, &mut Rng::stream(2, "future", 0));
    // The cards left before every draw, without attacks: the pile's order does not depend on play.
    let pools = |seed, choices| {
        let mut rng = Rng::stream(3, "choices", choices);
        let (mut state, mut future, mut pools) = (*history.state(), Future::drawn(seed), Vec::new());
        let attack: <Schwinget as Game>::Actions = [Action(26)].into_iter().collect();
        while let Turn::Seat(_) = game.turn(&state) {
            let action = game.legal(&state).without(attack).pick(&mut rng);
            game.apply(&mut state, action);
            if game.turn(&state) == Turn::Chance {
                pools.push(game.chance(&state));
            }
            future.settle(&game, &mut state);
        }
        (pools, state)
    };
    let (fixed, end) = pools(5, 0);
    assert_eq!(fixed.len(), 12);
    for choices in 1..5 {
        let (other, other_end) = pools(5, choices);
        assert_eq!(other, fixed);
        assert_ne!(other_end, end);
    }
    assert_ne!(pools(6, 0).0, fixed);
}

#[test]
fn budgets_cut_the_depth_not_the_answer() {
    let game = SchweinsGalopp::new(Default::default()).expect("default rules");
    let history = History::dealt(&game, &mut Rng::stream(2, "budget", 0));
    let mut solver = OpenCards::default();
    let future = Future::drawn(1);
    let [first, middle, last] = [1, 100, 10_000].map(|nodes| {
        let found = solve(&mut solver, &game, history.state(), &future, nodes);
        assert!(!found.exact && found.nodes <= nodes.max(1) + 1);
        assert_eq!(found.actions.len(), game.legal(history.state()).len());
        found
    });
    assert!(first.nodes < middle.nodes && middle.nodes < last.nodes);
    assert_ne!(first.actions, last.actions, "deeper searches know more");
    // An interrupt leaves the result of the first depth.
    let flag = AtomicBool::new(true);
    let position = OpenPosition { state: history.state(), legal: game.legal(history.state()) };
    let found = solver.solve(&game, position, &future, u64::MAX, &Stop::new(Instant::now(), 0, &flag));
    assert_eq!(found.actions, first.actions);
}
