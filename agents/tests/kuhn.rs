//! Agents on a foreign game: in Kuhn poker, dominated actions die out in the search.

use crate::toys::KUHN;
use stier_agents::{Agent, AgentSpec};
use stier_core::games::kuhn_poker::{BET, PASS};
use stier_core::{Action, Game, History, Plain, Seat};

/// The share of visits of betting after a deal and some actions.
fn share_of_bets(cards: [u8; 2], actions: &[Action], agent: &str) -> f64 {
    let game = KUHN.clone();
    let mut history = History::new(&game);
    for card in cards.map(Action) {
        history.push(&game, card);
    }
    for &action in actions {
        history.push(&game, action);
    }
    let seat = game.turn(history.state()).seat().expect("a decision");
    let mut agent: Box<dyn Agent<Plain>> = agent.parse::<AgentSpec>().expect("an agent").build(&game, 1);
    let search = agent.act(&game, &game.view(&history, seat), game.legal(history.state())).search.expect("a search");
    search.actions[BET.index()].visits as f64 / search.iterations as f64
}

#[test]
fn dominated_actions_die_out() {
    let agent = "ismcts:iterations=20000";
    for other in [0, 1] {
        assert!(share_of_bets([other, 2], &[BET], agent) > 0.95, "a king calls");
        assert!(share_of_bets([2, other], &[PASS, BET], agent) > 0.95, "a king calls");
    }
    for other in [1, 2] {
        assert!(share_of_bets([other, 0], &[BET], agent) < 0.05, "a jack folds");
        assert!(share_of_bets([0, other], &[PASS, BET], agent) < 0.05, "a jack folds");
    }
}

#[test]
fn the_opponents_card_does_not_matter() {
    let agent = "ismcts:iterations=500";
    for own in 0..3 {
        let others: Vec<u8> = (0..3).filter(|&card| card != own).collect();
        let as_first = others.iter().map(|&other| share_of_bets([own, other], &[], agent));
        let as_second = others.iter().map(|&other| share_of_bets([other, own], &[PASS], agent));
        for shares in [as_first.collect::<Vec<_>>(), as_second.collect()] {
            assert_eq!(shares[0], shares[1]);
        }
    }
}

#[test]
fn returns_are_those_of_the_paper() {
    let game = KUHN.clone();
    let value = |events: &[u8]| {
        let mut state = game.root();
        for &event in events {
            game.apply(&mut state, Action(event));
        }
        assert_eq!(game.turn(&state), stier_core::Turn::Over);
        game.returns(&state)[Seat(0)]
    };
    assert_eq!(value(&[2, 0, 0, 0]), 1.0);
    assert_eq!(value(&[0, 1, 1, 1]), -2.0);
    assert_eq!(value(&[0, 1, 1, 0]), 1.0);
    assert_eq!(value(&[1, 0, 0, 1, 1]), 2.0);
    assert_eq!(value(&[1, 2, 0, 1, 0]), -1.0);
}
