//! The search over every player's own information sets, on Kuhn poker, which shows the purpose of each option.

use crate::toys::KUHN;
use stier_agents::{Agent, AgentSpec, Search};
use stier_core::games::dark_hex::DarkHex;
use stier_core::games::kuhn_poker::{BET, PASS};
use stier_core::{Action, ActionSet as _, FromRules as _, Game as _, History, Plain, Rng, Seat, Turn};

fn search(cards: [u8; 2], actions: &[Action], agent: &mut dyn Agent<Plain>) -> Search {
    let mut history = History::new(&*KUHN);
    cards.map(Action).into_iter().chain(actions.iter().copied()).for_each(|action| history.push(&*KUHN, action));
    let seat = KUHN.turn(history.state()).seat().expect("a decision");
    let mut found =
        agent.act(&*KUHN, &KUHN.view(&history, seat), KUHN.legal(history.state())).search.expect("a search");
    found.seconds = 0.0;
    found
}

fn agent(text: &str) -> Box<dyn Agent<Plain>> {
    text.parse::<AgentSpec>().expect("an agent").build(&*KUHN, 1)
}

/// The mean return of betting first with a king.
fn value_of_a_kings_bet(text: &str) -> f64 {
    search([2, 0], &[], agent(text).as_mut()).actions[BET.index()].value
}

#[test]
fn without_redeterminization_the_others_know_the_searchers_card() {
    // The searcher has the king in every world, so the queen learns to fold like the jack.
    let plain = value_of_a_kings_bet("ris_mcts:iterations=20000,redeterminization=off");
    assert!((plain - 1.0).abs() < 0.05, "{plain}");
    // In redrawn worlds the queen meets a king or a jack, and loses less by calling.
    let redrawn = value_of_a_kings_bet("ris_mcts:iterations=20000");
    assert!((redrawn - 1.5).abs() < 0.05, "{redrawn}");
}

#[test]
fn imagined_worlds_have_their_own_roots() {
    let nodes = |text: &str| search([2, 0], &[], agent(text).as_mut()).nodes;
    let plain = nodes("ris_mcts:iterations=5000,redeterminization=off");
    let imagined = nodes("ris_mcts:iterations=5000,redeterminization=off,self_determination=0.3");
    // The first count includes the king's root, its second decision, and two decisions for each of the other cards.
    // The second count also includes the roots and second decisions of jack and queen, and the decisions of the third
    // card.
    assert!(plain <= 6 && imagined > 6 && imagined <= 12, "{plain} and {imagined}");
}

#[test]
fn beliefs_are_those_before_self_determination() {
    let mut history = History::new(&*KUHN);
    [1, 0].map(Action).into_iter().for_each(|card| history.push(&*KUHN, card));
    let (view, mut rng) = (KUHN.view(&history, Seat(0)), Rng::stream(1, "beliefs", 0));
    for text in ["ismcts:observer=multi,self_determination=1", "ris_mcts:self_determination=1"] {
        let worlds = agent(text).beliefs(&*KUHN, &view);
        for _ in 0..50 {
            let world = worlds.draw(&mut rng);
            assert_eq!(KUHN.sight(&world, Seat(0)), KUHN.sight(history.state(), Seat(0)), "{text}");
        }
    }
}

#[test]
fn dominated_actions_die_out() {
    for options in ["", ",redeterminization=off", ",redeterminization=off,self_determination=0.3"] {
        let bets = |cards, actions: &[Action]| {
            let found = search(cards, actions, agent(&format!("ris_mcts:iterations=5000{options}")).as_mut());
            let visits: u64 = found.actions.iter().map(|stats| stats.visits).sum();
            found.actions[BET.index()].visits as f64 / visits as f64
        };
        for other in [0, 1] {
            assert!(bets([other, 2], &[BET]) > 0.9, "a king calls{options}");
            assert!(bets([2, other], &[PASS, BET]) > 0.9, "a king calls{options}");
        }
        for other in [1, 2] {
            assert!(bets([other, 0], &[BET]) < 0.1, "a jack folds{options}");
            assert!(bets([0, other], &[PASS, BET]) < 0.1, "a jack folds{options}");
        }
    }
}

#[test]
fn counts_add_up_and_decisions_depend_on_the_seed() {
    for text in ["ris_mcts:iterations=777", "ris_mcts:iterations=777,redeterminization=off"] {
        let found = search([1, 0], &[], agent(text).as_mut());
        assert_eq!(found.iterations, 777);
        assert_eq!(found.actions.iter().map(|stats| stats.visits).sum::<u64>(), 777, "every iteration leaves the root");
        assert!(found.actions.iter().all(|stats| stats.availability <= 777 && stats.availability >= 776));
        assert_eq!(found, search([1, 2], &[], agent(text).as_mut()), "the other card does not matter");
        let mut used = agent(text);
        search([1, 0], &[], used.as_mut());
        assert_ne!(found, search([1, 0], &[], used.as_mut()), "each decision draws from its own streams");
        used.restart(1);
        assert_eq!(found, search([1, 0], &[], used.as_mut()), "a restarted agent is the same as a new one");
    }
    // Iterations in worlds that another player imagines start from other roots.
    let found = search([1, 0], &[], agent("ris_mcts:iterations=1000,self_determination=0.5").as_mut());
    let visits: u64 = found.actions.iter().map(|stats| stats.visits).sum();
    assert!(
        (550..950).contains(&visits),
        "half of the visits, and those in which the searcher happens to hold its true card: {visits}"
    );
}

/// The searcher does not notice the opponent's failed attempts, so histories redrawn from either view differ in length.
/// A debug assertion of the search compares the mover's information sets.
#[test]
fn redrawn_histories_may_have_other_unnoticed_events() {
    let game = DarkHex::new(Default::default()).expect("default rules");
    let mut agent = "ris_mcts:iterations=200".parse::<AgentSpec>().expect("an agent").build(&game, 1);
    for index in 0..5 {
        let mut rng = Rng::stream(1, "redrawn", index);
        let mut history = History::new(&game);
        while let Turn::Seat(seat) = game.turn(history.state()) {
            let legal = game.legal(history.state());
            let decision = agent.act(&game, &game.view(&history, seat), legal);
            assert!(legal.contains(decision.action));
            history.push(&game, legal.pick(&mut rng));
        }
    }
}
