//! Exact sampling in Schwimmen. Samplers are compared with the enumeration of all histories from the first card on.
//! With more cards and players, they are compared with a trial of every deal of the cards that a seat does not know.

use std::collections::HashMap;

use crate::samplers::{Found, SMALLEST_P, fast_path_follows, information_sets};
use stier_core::games::schwimmen::{Rules, Schwimmen, State};
use stier_core::{Action, ActionSet, FromRules as _, Game, History, Notation, Options, Rng, Sampler, Seat, Turn};
use stier_testing::chi_square;

fn game(rules: &str) -> Schwimmen {
    Schwimmen::new(Rules::from_text(rules).unwrap()).unwrap()
}

/// The number of events up to the dealer's decision, or the first turn.
fn dealt(game: &Schwimmen) -> usize {
    3 * game.num_seats() + 3
}

/// A random game up to a random event after the deal. Swaps of whole hands and knocks are rare, so that cards stay
/// hidden while others change hands.
fn somewhere(game: &Schwimmen, rng: &mut Rng) -> History<Schwimmen> {
    let rare = ["swap_all", "knock"].map(|name| game.parse_action(name).unwrap());
    let mut history = History::dealt(game, rng);
    while game.turn(history.state()).seat().is_some() {
        let mut action = game.legal(history.state()).pick(rng);
        if rare.contains(&action) && rng.below(6) > 0 {
            action = game.legal(history.state()).nth(0);
        }
        history.push(game, action);
        history.settle(game, rng);
    }
    let length = history.events().len();
    history.prefix(game, dealt(game) + rng.below((length - dealt(game)).max(1) as u32) as usize)
}

#[test]
fn samplers_match_the_enumeration_of_all_histories() {
    let mut found = Found::none();
    for (rules, wanted) in [
        ("players=2,suits=4,ranks=3", 10),
        ("players=2,suits=4,ranks=3,dealer_swap=open,dealer=0", 8),
        ("players=2,suits=2,ranks=6,dealer_swap=off", 8),
        ("players=2,suits=3,ranks=4", 8),
        ("players=2,suits=4,ranks=3,three_of_a_kind=on,dealer=0", 6),
    ] {
        let game = game(rules);
        let mut sets = 0;
        information_sets(&game, (91, rules, wanted), somewhere, |history, seat, rng, context| {
            // Before the dealer's decision there are as many worlds as deals; a few of these information sets are
            // enough.
            let count = game.sampler(&game.view(history, seat)).count();
            let fits = count >= 3 && (count <= 100 || sets % 4 == 0);
            if fits {
                found.compare(&game, (history, seat), 20_000, rng, context);
                sets += 1;
            }
            fits
        });
    }
    println!("{found:?}");
    assert!(found.sets >= 40, "{found:?}");
}

/// All ways to deal `sizes[i]` of the cards to the `i`-th place.
fn deals(cards: &[Action], sizes: &[usize]) -> Vec<Vec<Vec<Action>>> {
    let Some((&size, others)) = sizes.split_first() else { return vec![vec![]] };
    let mut all = Vec::new();
    for set in 0_u32..1 << cards.len() {
        if set.count_ones() as usize != size {
            continue;
        }
        let (here, rest): (Vec<_>, Vec<_>) = cards.iter().enumerate().partition(|(index, _)| set >> index & 1 == 1);
        let values = |part: Vec<(usize, &Action)>| part.into_iter().map(|(_, &card)| card).collect::<Vec<_>>();
        let here = values(here);
        for mut deal in deals(&values(rest), others) {
            deal.insert(0, here.clone());
            all.push(deal);
        }
    }
    all
}

/// The states after these deals that the seat cannot distinguish from the true one, and whether a deal was left out
/// because it would have ended early. Every hand but the seat's own is exchanged for every other possible one, and so
/// is the table if `table` says that it was dealt face down. Then the game is played as it was.
fn tried(game: &Schwimmen, truth: &History<Schwimmen>, seat: Seat, table: bool) -> (HashMap<State, f64>, bool) {
    let players = game.num_seats();
    let events = truth.events();
    let view = game.view(truth, seat);
    let first = (game.num_seats() + seat.index() - first_seat(game)) % players;
    let is_free = |index: usize| if index < 3 * players { index % players != first } else { table };
    let fixed: Vec<Action> = (0..dealt(game)).filter(|&i| !is_free(i)).map(|i| events[i].action).collect();
    let deck: Vec<Action> = game.possible(&game.root()).into_iter().filter(|card| !fixed.contains(card)).collect();
    // For simplicity, cards that the seat has seen elsewhere are tried too, although they cannot fit.
    let sizes = vec![3; players - 1 + usize::from(table)];
    let mut found = HashMap::new();
    let mut excluded = false;
    for mut deal in deals(&deck, &sizes) {
        let mut places = deal.iter_mut();
        let mut by_place: Vec<Option<&mut Vec<Action>>> =
            (0..players).map(|place| if place == first { None } else { places.next() }).collect();
        by_place.push(places.next());
        let mut state = game.root();
        let mut actions = Vec::with_capacity(events.len());
        for (index, event) in events.iter().enumerate() {
            let place = if index < 3 * players { index % players } else { players };
            let action = match &mut by_place[place] {
                Some(cards) if index < dealt(game) && is_free(index) => cards.pop().unwrap(),
                _ => event.action,
            };
            if game.check(&state, action).is_err() || game.turn(&state) != event.turn {
                // Only the end of the deal can change the player to act.
                excluded |= game.turn(&state) == Turn::Over;
                break;
            }
            game.apply(&mut state, action);
            actions.push(action);
        }
        // A history takes longer to build than a state, and most deals do not fit.
        if actions.len() == events.len() {
            let mut history = History::new(game);
            actions.into_iter().for_each(|action| history.push(game, action));
            if game.view(&history, seat) == view {
                *found.entry(state).or_default() += 1.0;
            }
        }
    }
    (found, excluded)
}

/// The seat that is dealt the first card, to the left of the dealer.
fn first_seat(game: &Schwimmen) -> usize {
    let mut history = History::new(game);
    history.push(game, game.possible(&game.root())[0]);
    let knows = |seat: u8| game.knowledge(&game.view(&history, Seat(seat))) != format!("seat {seat} | deal: ?");
    (0..game.num_seats()).find(|&seat| knows(seat as u8)).unwrap()
}

#[test]
fn samplers_match_the_trial_of_all_deals() {
    let mut found = Found::none();
    let mut excluding = 0;
    for (rules, wanted) in [
        ("players=2,suits=4,ranks=5", 2),
        ("players=2,suits=4,ranks=4", 10),
        ("players=2,suits=3,ranks=5,three_of_a_kind=on,dealer=0", 8),
        ("players=3,suits=3,ranks=5,dealer_swap=open", 12),
        ("players=3,suits=3,ranks=5,dealer_swap=off,dealer=1", 8),
        ("players=3,suits=3,ranks=5", 1),
        ("players=3,suits=4,ranks=4,dealer_swap=open", 8),
    ] {
        let game = game(rules);
        information_sets(&game, (92, rules, wanted), somewhere, |history, seat, rng, context| {
            let sampler = game.sampler(&game.view(history, seat));
            let is_open = rules.contains("open") || rules.contains("off");
            if !(5..=3000).contains(&sampler.count()) || history.events().len() < dealt(&game) + 3 {
                return false;
            }
            // Face down at first: a keep has since shown the table, a swap has not.
            let table = !is_open;
            let (exact, some_excluded) = tried(&game, history, seat, table);
            assert_eq!(sampler.count(), exact.len() as u128, "{context}");
            let worlds: HashMap<State, u64> = sampler.worlds().map(|world| (world.state, world.weight)).collect();
            assert_eq!(worlds.len(), exact.len(), "{context}");
            assert!(exact.iter().all(|(state, &deals)| deals == 1.0 && worlds.get(state) == Some(&1)), "{context}");
            let (mut drawn, mut last) = (HashMap::new(), HashMap::new());
            // Twenty draws for each world of small sets: redrawing one half of a world in 15 % of draws fails.
            let draws = (20 * exact.len()).min(10_000).max(10 * exact.len()).max(3000);
            for _ in 0..draws {
                *drawn.entry(sampler.sample(rng)).or_default() += 1;
                *last.entry(*sampler.sample_history(&game, rng).state()).or_default() += 1;
            }
            found.add(exact.len(), [chi_square(&drawn, &exact), chi_square(&last, &exact)], context);
            excluding += u32::from(some_excluded);
            true
        });
    }
    println!("{found:?}, in {excluding} some deals would have ended early");
    assert!(found.sets >= 40 && excluding >= 25, "{found:?}, {excluding}");
}

/// Counts by formula and world by world must agree, also where this takes long: five players, most cards hidden.
#[test]
fn counts_are_the_number_of_worlds() {
    let mut compared = 0;
    for (rules, most) in [("players=5,ranks=6", 400_000), ("players=4", 400_000), ("", 400_000), ("players=2", 400_000)]
    {
        let game = game(rules);
        for index in 0..60 {
            let mut rng = Rng::stream(93, rules, index);
            let history = somewhere(&game, &mut rng);
            let seat = Seat(rng.below(game.num_seats() as u32) as u8);
            let sampler = game.sampler(&game.view(&history, seat));
            if (100..most).contains(&sampler.count()) {
                assert_eq!(sampler.worlds().count() as u128, sampler.count(), "{rules}, game {index}, {seat:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 40, "{compared}");
}

#[test]
fn all_orders_of_a_dealt_set_are_equally_likely() {
    let game = game("players=2,suits=4,ranks=3,dealer_swap=off");
    let mut rng = Rng::stream(94, "orders", 0);
    let history = History::dealt(&game, &mut rng);
    let seat = Seat(0);
    let sampler = game.sampler(&game.view(&history, seat));
    let mut drawn: HashMap<Vec<Action>, u64> = HashMap::new();
    for _ in 0..60_000 {
        let sampled = sampler.sample_history(&game, &mut rng);
        let own_and_table = sampled.events().iter().enumerate().filter(|(index, _)| index % 2 == 0 || *index >= 6);
        *drawn.entry(own_and_table.map(|(_, event)| event.action).collect()).or_default() += 1;
    }
    // Six orders of the own hand times six of the table.
    assert_eq!(drawn.len(), 36);
    let expected = drawn.keys().map(|order| (order.clone(), 1.0)).collect();
    let p = chi_square(&drawn, &expected);
    assert!(p > SMALLEST_P, "{p}");
}

#[test]
fn sampled_chance_follows_the_explicit_distribution() {
    for rules in ["", "players=5,ranks=6,dealer_swap=off", "players=2,suits=4,ranks=3"] {
        fast_path_follows(&game(rules), rules, 20_000, 5);
    }
}
