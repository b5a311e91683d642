//! Values at information sets of Kuhn poker, compared with those of the whole game and with arithmetic.

use stier_agents::belief::Beliefs;
use stier_agents::solve::{GameTree, Policy, action_values, best_response, values};
use stier_core::games::kuhn_poker::{KuhnPoker, Rules};
use stier_core::{Action, FromRules as _, Seat, Turn};
use stier_study::values::response_values;

fn kuhn() -> GameTree<KuhnPoker> {
    GameTree::new(&KuhnPoker::new(Rules::default()).expect("default rules"), 1000).expect("a small game")
}

/// If a player's own policy does not lead to a set, the others' policies still determine the probabilities of its
/// histories. If the others never lead there, nothing does.
#[test]
fn action_values_off_the_path() {
    let tree = kuhn();
    // All players always pass.
    let passive = Policy::from_fn(&tree, |_| vec![1.0, 0.0]);
    let found = action_values(&tree, &passive, Beliefs::Policy);
    for set in tree.sets() {
        let history = set.history();
        let card = history.events()[set.seat().index()].action.0;
        let played = history.events().iter().filter(|event| event.turn != Turn::Chance);
        let actions: Vec<Action> = played.map(|event| event.action).collect();
        let number = set.number() as usize;
        let [pass, bet] = [found.rows[number][0], found.rows[number][1]];
        match actions.len() {
            // A pass is followed by a pass, a bet by a fold.
            0 => assert_eq!((found.reach[number], pass, bet), (1.0 / 3.0, f64::from(card) - 1.0, 1.0)),
            1 if actions[0].0 == 0 => assert_eq!((pass, bet), (f64::from(card) - 1.0, 1.0)),
            _ => assert!(found.reach[number] == 0.0 && pass.is_nan() && bet.is_nan()),
        }
    }
}

/// Every game of Kuhn poker leads to one of a seat's first sets, so their values add up to that of the game.
#[test]
fn values_add_up_to_those_of_the_game() {
    let tree = kuhn();
    let policy = Policy::from_fn(&tree, |set| {
        let pass = 0.2 + 0.05 * f64::from(set.number());
        vec![pass, 1.0 - pass]
    });
    let found = action_values(&tree, &policy, Beliefs::Policy);
    for seat in [Seat(0), Seat(1)] {
        let first = || tree.sets().filter(|set| set.seat() == seat && set.previous().is_none());
        let reach = |number: u32| found.reach[number as usize];
        let row = |number: u32| policy.row(number).iter().zip(&found.rows[number as usize]);
        let mean = |number: u32| row(number).map(|(share, value)| share * value).sum::<f64>();
        let total: f64 = first().map(|set| reach(set.number()) * mean(set.number())).sum();
        assert!((total - values(&tree, &policy)[seat]).abs() < 1e-12);
        let best = response_values(&tree, &policy, seat, |_, _| true);
        let total: f64 = first().map(|set| reach(set.number()) * best[set.number() as usize]).sum();
        assert!((total - best_response(&tree, &policy, seat).value).abs() < 1e-12);
        assert!(tree.sets().all(|set| best[set.number() as usize].is_nan() == (set.seat() != seat)));
    }
}
