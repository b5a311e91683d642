//! The open-card solver compared with brute force through the game's own trait.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::toys::KUHN;
use stier_agents::agent::Stop;
use stier_agents::rollout::{Roller, Rollout};
use stier_agents::search::open_cards::{Future, Leaf, Limits, OpenCards, OpenPosition, Solution, known_future};
use stier_core::games::kuhn_poker::{BET, PASS};
use stier_core::games::{
    schweins_galopp::SchweinsGalopp, schwimmen::Schwimmen, schwinget::Schwinget, up_and_down::UpAndDown,
};
use stier_core::{Action, ActionSet as _, BySeat, Game, Hints, History, Options as _, Rng, Seat, Turn};

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

fn solve<G: Hints>(
    solver: &mut OpenCards,
    game: &G,
    state: &G::State,
    future: &Future,
    (nodes, depth): (u64, u32),
) -> Solution {
    let never = AtomicBool::new(false);
    let limits = Limits { nodes, depth, stop: Stop::new(Instant::now(), 0, &never) };
    solver.solve(game, OpenPosition { state, legal: game.legal(state) }, future, &Leaf::Evaluate, &limits)
}

/// Plays random games and solves their endings, from the last decision back to where brute force would take more than
/// `most` nodes. Returns the number of endings, the number with a random event to come, and the number that the
/// game's own solver solved.
fn agrees<G: Hints>(rules: &str, endings: u64, most: u64) -> [u64; 3] {
    let game = G::new(G::Rules::from_text(rules).expect("rules")).expect("a game");
    let mut solver = OpenCards::default();
    let (mut done, mut random, mut known) = (0, 0, 0);
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
            let found = solve(&mut solver, &game, state, &future, (u64::MAX, u32::MAX));
            let by_game = known_future(&game, OpenPosition { state, legal: game.legal(state) }, &future);
            for found in [&found].into_iter().chain(&by_game) {
                assert!(found.exact);
                assert_eq!(found.actions.len(), expected.len());
                for (found, expected) in found.actions.iter().zip(&expected) {
                    assert_eq!(found.0, expected.0);
                    let close = found.1.iter().zip(expected.1.iter()).all(|(a, b)| (a - b).abs() < 1e-4);
                    assert!(close, "{rules} {state:?}: {found:?}, by brute force {expected:?}");
                }
            }
            done += 1;
            random += u64::from(found.chance);
            known += u64::from(by_game.is_some_and(|by_game| by_game.chance));
        }
        if done >= endings {
            return [done, random, known];
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
    let [small, random, known] = agrees::<Schwinget>("suits=2,values=4,hand_size=2,set_aside=2", 1000, 100_000);
    assert!(random > 100, "{random} endings with cards to draw");
    assert!(known > 100, "{known} of them by the game's own solver");
    assert!(done + small >= 5000);
}

#[test]
fn up_and_down_agrees_with_brute_force() {
    for rules in
        ["players=2", "die_faces=2,players=3,hand_size=3", "die_faces=2,hand_size=2", "players=2,utility=score"]
    {
        agrees::<UpAndDown>(rules, 500, 4000);
    }
    let [_, random, known] = agrees::<UpAndDown>("players=2,die_faces=2,hand_size=2,rounds=2,utility=win", 300, 50_000);
    assert!(random > 30, "{random} endings with dice to roll");
    assert_eq!(known, 0, "it does not have its own solver");
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
    let game = KUHN.clone();
    let mut solver = OpenCards::default();
    for (first, second) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
        let mut state = game.root();
        game.apply(&mut state, Action(first));
        game.apply(&mut state, Action(second));
        let found = solve(&mut solver, &game, &state, &Future::drawn(1), (1000, u32::MAX));
        assert!(found.exact && !found.chance);
        // The higher card wins the antes whatever it does. The lower one loses another bet by betting into a call.
        let (pass, bet) = if first > second { (1.0, 1.0) } else { (-1.0, -2.0) };
        assert_eq!(found.actions, [(PASS, BySeat::from([pass, -pass])), (BET, BySeat::from([bet, -bet]))]);
        assert_eq!(found.best(Seat(0)).map(|best| best.0), Some(PASS));
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
    let mut shallow = 0;
    for nodes in [1, 100, 10_000] {
        let found = solve(&mut solver, &game, history.state(), &future, (nodes, u32::MAX));
        assert!(!found.exact && found.nodes <= nodes.max(1) + 1 && found.depth >= shallow);
        assert_eq!(found.actions.len(), game.legal(history.state()).len());
        shallow = found.depth;
    }
    assert!(shallow > 1);
    let found = solve(&mut solver, &game, history.state(), &future, (u64::MAX, 3));
    assert_eq!((found.depth, found.exact), (3, false));
    // An interrupt leaves the result of the first depth.
    let flag = AtomicBool::new(true);
    let limits = Limits { nodes: u64::MAX, depth: u32::MAX, stop: Stop::new(Instant::now(), 0, &flag) };
    let roller = Leaf::Rollout(Box::new(Roller::of(&game, Rollout::Random)));
    let position = OpenPosition { state: history.state(), legal: game.legal(history.state()) };
    let found = solver.solve(&game, position, &future, &roller, &limits);
    assert_eq!(found.depth, 1);
    assert_eq!(found, solver.solve(&game, position, &future, &roller, &limits), "leaves are repeatable");
}
