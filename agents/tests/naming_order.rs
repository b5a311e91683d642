//! The order in which a match's agents are named does not change any number.

use std::ops::ControlFlow;
use std::sync::Arc;

use stier_agents::arena::{PitResult, Settings};
use stier_agents::erased::{self, AskSettings, DynEntrant, DynGame};
use stier_core::games::NAMES;

fn named(text: &str) -> DynEntrant {
    DynEntrant::Spec(text.parse().expect("an agent"))
}

/// A function that plays the first or the last legal action.
fn callback(label: &str, last: bool) -> DynEntrant {
    let choose = move |state: Box<dyn erased::DynState>, _| {
        let possible = state.possible();
        possible[if last { possible.len() - 1 } else { 0 }]
    };
    DynEntrant::Callback(label.to_string(), format!("{label}:seed=0"), Arc::new(choose))
}

fn pit(game: &dyn DynGame, entrants: &[DynEntrant], settings: &Settings) -> PitResult {
    game.pit(entrants, settings, &Arc::default(), &|| ControlFlow::Continue(())).expect("a match")
}

/// Every order of the numbers below `count`.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        let longer = |order: Vec<usize>| {
            let free = (0..count).filter(|number| !order.contains(number)).collect::<Vec<_>>();
            free.into_iter().map(move |number| [&order[..], &[number]].concat())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

/// Checks that the games and all numbers are those of another order, agent by agent.
fn same(expected: &PitResult, found: &PitResult, order: &[usize]) {
    assert_eq!(expected.games.len(), found.games.len());
    for (one, other) in expected.games.iter().zip(&found.games) {
        let renumbered: Vec<usize> = other.agents.iter().map(|&entrant| order[entrant]).collect();
        assert_eq!((one.agents.as_slice(), one.deal), (&renumbered[..], other.deal), "{order:?}");
        assert_eq!((&one.returns, &one.events), (&other.returns, &other.events), "{order:?}");
    }
    for (entrant, &was) in order.iter().enumerate() {
        // Equal labels are numbered in the order in which they are named.
        let label = |label: &str| label.split(" #").next().map(str::to_string);
        assert_eq!(label(&expected.agents[was]), label(&found.agents[entrant]));
        assert_eq!(expected.standing(was), found.standing(entrant), "{order:?}: {}", found.agents[entrant]);
        for (opponent, &met) in order.iter().enumerate() {
            assert_eq!(expected.meeting(was, met), found.meeting(entrant, opponent));
        }
    }
    let mut totals: Vec<(usize, f64)> =
        found.totals().into_iter().map(|(entrant, sum)| (order[entrant], sum)).collect();
    let mut sums = expected.totals();
    totals.sort_by_key(|&(entrant, _)| entrant);
    sums.sort_by_key(|&(entrant, _)| entrant);
    assert_eq!(sums, totals);
}

/// Checks all orders of the agents, or some of them if there are many.
fn order_changes_nothing(game: &dyn DynGame, entrants: &[DynEntrant], settings: &Settings) {
    let expected = pit(game, entrants, settings);
    let orders = permutations(entrants.len());
    for order in orders.iter().step_by(orders.len().div_ceil(6)).skip(1).chain(orders.last()) {
        let entrants: Vec<DynEntrant> = order.iter().map(|&entrant| entrants[entrant].clone()).collect();
        same(&expected, &pit(game, &entrants, settings), order);
    }
}

/// The greedy agent, or a random one in games that it refuses.
fn instant(game: &dyn DynGame) -> DynEntrant {
    named(if game.agents().contains(&"greedy") { "greedy" } else { "random:seed=4" })
}

/// All games with all numbers of players.
fn games() -> Vec<Arc<dyn DynGame>> {
    let with = |name: &&str| {
        let (name, counts) = (name.to_string(), 2..=5);
        let games: Vec<_> =
            counts.filter_map(|players| stier_games::load(&name, &format!("players={players}")).ok()).collect();
        if games.is_empty() { vec![stier_games::load(&name, "").expect("a game")] } else { games }
    };
    NAMES.iter().flat_map(with).collect()
}

#[test]
fn one_table_gives_the_same_numbers_in_every_order() {
    for game in games() {
        let entrants = [
            named("random"),
            instant(&*game),
            named("ismcts:iterations=10"),
            callback("first", false),
            named("random:seed=3"),
        ];
        for paired in [true, false] {
            let settings = Settings { deals: 2, seed: 5, paired, threads: 1 };
            order_changes_nothing(&*game, &entrants[..game.info().num_seats], &settings);
        }
    }
}

#[test]
fn cross_tables_give_the_same_numbers_in_every_order() {
    for game in games().iter().filter(|game| game.info().num_seats < 4) {
        let entrants = [named("random"), instant(&**game), named("ismcts:iterations=10"), callback("first", false)];
        let settings = Settings { deals: 3, seed: 6, paired: true, threads: 2 };
        order_changes_nothing(&**game, &entrants, &settings);
    }
}

/// Copies with the same text keep their order here, because nothing else distinguishes them.
#[test]
fn copies_of_an_agent_leave_the_numbers_of_the_others_alone() {
    let game = stier_games::load("schwimmen", "players=4").expect("a game");
    let settings = Settings { deals: 10, seed: 7, ..Settings::default() };
    let entrants = ["random", "greedy", "random", "greedy"].map(named);
    let expected = pit(&*game, &entrants, &settings);
    for order in [[1, 0, 2, 3], [0, 2, 1, 3], [1, 3, 0, 2], [0, 1, 3, 2]] {
        let entrants = order.map(|entrant| entrants[entrant].clone());
        let found = pit(&*game, &entrants, &settings);
        same(&expected, &found, &order);
    }
    assert_ne!(expected.standing(0), expected.standing(2), "copies have different random numbers");
}

#[test]
fn tables_and_functions_are_identified_by_their_contents() {
    let game = stier_games::load("schwinget", "suits=2,values=2,counter=off,hand_size=1,set_aside=1").expect("a game");
    let tree = game.enumerate(100_000, 1, &|_| ControlFlow::Continue(())).expect("small");
    let table = |text: &str| {
        let settings = AskSettings { seed: 1, seeds: 1, threads: 1 };
        let policy = tree.policy_of(&named(text), &settings, &Arc::default(), &|| ControlFlow::Continue(()));
        DynEntrant::Table("table".to_string(), policy.expect("asked"))
    };
    let entrants = [table("random"), table("greedy"), callback("last", true), named("random")];
    order_changes_nothing(&*game, &entrants, &Settings { deals: 40, seed: 8, ..Settings::default() });
}
