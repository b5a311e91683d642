//! Exact sampling: samplers against the enumeration of all histories, and against rejection sampling with all 35
//! cards.

use std::array::from_fn;
use std::collections::HashMap;

use crate::samplers::{Found, SMALLEST_P, fast_path_follows, information_sets};
use stier_core::games::schweins_galopp::{Rules, SchweinsGalopp, State};
use stier_core::{Action, ActionSet, FromRules as _, Game, History, Notation, Options, Rng, Sampler, Seat, Turn};
use stier_testing::chi_square;

fn game(rules: &str) -> SchweinsGalopp {
    SchweinsGalopp::new(Rules::from_text(rules).unwrap()).unwrap()
}

/// A random game, up to a random event of the last round's deal or play.
fn somewhere(game: &SchweinsGalopp, rng: &mut Rng) -> History<SchweinsGalopp> {
    let mut history = History::dealt(game, rng);
    while game.turn(history.state()).seat().is_some() {
        history.push(game, game.legal(history.state()).pick(rng));
        history.settle(game, rng);
    }
    let rules = game.rules().downcast_ref::<Rules>().expect("its rules");
    let cards = usize::from(rules.players * rules.hand_size);
    let end = history.events().len();
    history.prefix(game, end - 1 - rng.below(2 * cards as u32 - 1) as usize)
}

#[test]
fn samplers_match_the_enumeration_of_all_histories() {
    let mut found = Found::none();
    let mut after_plays = 0;
    for (rules, sets) in [
        ("players=2,colours=3,cards_per_colour=3,hand_size=3,rounds=1", 12),
        ("players=2,colours=3,cards_per_colour=4,hand_size=4,rounds=1", 8),
        ("players=2,colours=2,cards_per_colour=7,hand_size=5,rounds=1", 6),
        ("players=2,colours=2,cards_per_colour=3,hand_size=2,rounds=2", 6),
        ("players=2,colours=3,cards_per_colour=2,hand_size=2,rounds=1,placement=choice,track_food=on,track=9", 6),
        ("players=3,colours=3,cards_per_colour=3,hand_size=2,rounds=1", 12),
        ("players=3,colours=2,cards_per_colour=6,hand_size=3,rounds=1", 8),
        ("players=4,colours=2,cards_per_colour=5,hand_size=2,rounds=1", 10),
        ("players=4,colours=3,cards_per_colour=3,hand_size=2,rounds=1", 8),
        // Too many hands to list: these are drawn colour by colour.
        ("players=4,colours=4,cards_per_colour=2,hand_size=2,rounds=1", 8),
        ("players=4,colours=3,cards_per_colour=4,hand_size=3,rounds=1", 3),
    ] {
        let game = game(rules);
        information_sets(&game, (81, rules, sets), somewhere, |history, seat, rng, context| {
            let fits = game.sampler(&game.view(history, seat)).count() >= 3;
            if fits {
                found.compare(&game, (history, seat), 20_000, rng, context);
                after_plays += u32::from(game.turn(history.state()).seat().is_some());
            }
            fits
        });
    }
    println!("{found:?}, {after_plays} after plays");
    assert!(found.sets >= 80 && found.unequal >= 40 && after_plays >= 30, "{found:?}, {after_plays} after plays");
}

/// The number of cards of each colour, from `a` to `e`.
type Colours = [u8; 5];

fn colours(cards: &[u8]) -> Colours {
    let mut counts = Colours::default();
    cards.iter().for_each(|&card| counts[usize::from(card - b'a')] += 1);
    counts
}

/// The hands of seats 1 to 3 in a state.
fn hands(game: &SchweinsGalopp, state: &State) -> [Colours; 3] {
    [1, 2, 3].map(|seat| {
        let mut counts = Colours::default();
        game.holdings(state, Seat(seat), &mut counts);
        counts
    })
}

/// After eight cards, seat 0 of four considers the other hands. They are dealt at random again and again; deals in
/// which all players could play the cards they did are accepted.
#[test]
fn with_all_cards_and_four_players_samples_match_rejection() {
    let game = game("");
    let mut rng = Rng::stream(82, "rejection", 0);
    assert_eq!(game.cards(), ["a", "b", "c", "d", "e"]);
    let own = *b"aabccde";
    let plays = *b"abccbbec";
    let played = [1, 2, 3].map(|seat| colours(&[plays[seat], plays[4 + seat]]));

    // The cards that the opponents may still hold: neither seat 0's own nor played by seats 1 to 3.
    let mut unseen: Vec<u8> = (b'a'..=b'e').flat_map(|card| [card; 7]).collect();
    for card in own {
        let place = unseen.iter().position(|&other| other == card).unwrap();
        unseen.remove(place);
    }
    let (mut accepted, mut deal) = (HashMap::new(), None);
    for _ in 0..1_500_000 {
        for place in 0..21 {
            let other = place + rng.below((unseen.len() - place) as u32) as usize;
            unseen.swap(place, other);
        }
        let dealt = [0, 7, 14].map(|first| colours(&unseen[first..first + 7]));
        let left = |seat: usize, colour: usize| dealt[seat][colour].checked_sub(played[seat][colour]);
        if (0..3).all(|seat| (0..5).all(|colour| left(seat, colour).is_some())) {
            deal.get_or_insert_with(|| unseen[..21].to_vec());
            let hands = from_fn(|seat| from_fn(|colour| left(seat, colour).unwrap()));
            *accepted.entry(kind(&hands)).or_default() += 1;
        }
    }

    let deal = deal.unwrap();
    let mut history = History::new(&game);
    let push = |history: &mut History<SchweinsGalopp>, name: &[u8]| {
        let name = str::from_utf8(name).unwrap();
        let action = game.parse_event(history.state(), name).unwrap();
        game.check(history.state(), action).unwrap();
        history.push(&game, action);
    };
    for pig in [b"place:a", b"place:b", b"place:c", b"place:d", b"place:e"] {
        push(&mut history, pig);
    }
    for (turn, card) in own.into_iter().enumerate() {
        push(&mut history, &[card]);
        (0..3).for_each(|seat| push(&mut history, &[deal[7 * seat + turn]]));
    }
    for card in plays {
        push(&mut history, &[card]);
    }
    let sampler = game.sampler(&game.view(&history, Seat(0)));
    let (mut exact, mut sampled, mut careless) = (HashMap::new(), HashMap::new(), HashMap::new());
    for world in sampler.worlds() {
        *exact.entry(kind(&hands(&game, &world.state))).or_default() += world.weight as f64;
    }
    for _ in 0..200_000 {
        *sampled.entry(kind(&hands(&game, &sampler.sample(&mut rng)))).or_default() += 1;
    }
    // The distribution of a careless sampler that deals the unseen cards and ignores earlier play.
    for card in [0, 1, 2, 4, 5, 6].map(|play| plays[1 + play]) {
        let place = unseen.iter().position(|&other| other == card).unwrap();
        unseen.swap_remove(place);
    }
    for _ in 0..200_000 {
        rng.shuffle(&mut unseen);
        let hands = [0, 5, 10].map(|first| colours(&unseen[first..first + 5]));
        *careless.entry(kind(&hands)).or_default() += 1;
    }
    let total: u64 = accepted.values().sum();
    let p_values = [chi_square(&accepted, &exact), chi_square(&sampled, &exact)];
    println!("{total} accepted, {} kinds, {} worlds, p-values {p_values:?}", exact.len(), sampler.count());
    assert!(total > 100_000 && sampler.count() > 100_000, "{total} {}", sampler.count());
    assert!(p_values.into_iter().all(|p| p > SMALLEST_P), "{p_values:?}");
    assert!(chi_square(&careless, &exact) < SMALLEST_P, "the test must reject a careless sampler");
}

/// A summary of three hands that shows their dependence: the number of `b` in the first hand, of `c` in the second,
/// and of different colours in the third.
fn kind(hands: &[Colours; 3]) -> [u8; 3] {
    [hands[0][1], hands[1][2], hands[2].iter().map(|&count| count.min(1)).sum()]
}

/// All histories that the seat cannot distinguish from the true one, by their actions, with their chance reach
/// probabilities.
fn histories(game: &SchweinsGalopp, truth: &History<SchweinsGalopp>, seat: Seat) -> HashMap<Vec<Action>, f64> {
    let view = game.view(truth, seat);
    let mut found = vec![(History::new(game), 1.0)];
    for event in truth.events() {
        let mut longer = Vec::new();
        for (history, reach) in found {
            let state = history.state();
            // Public events are the same; dealt cards may differ until the views are compared at the end.
            let options: Vec<(Action, f64)> = match game.turn(state) {
                Turn::Chance => game.chance(state).iter().map(|o| (o.action, o.probability)).collect(),
                _ => game.legal(state).iter().filter(|&action| action == event.action).map(|a| (a, 1.0)).collect(),
            };
            for (action, probability) in options {
                let mut next = history.clone();
                next.push(game, action);
                longer.push((next, reach * probability));
            }
        }
        found = longer;
    }
    let same = found.into_iter().filter(|(history, _)| game.view(history, seat) == view);
    same.map(|(history, reach)| (actions(&history), reach)).collect()
}

fn actions(history: &History<SchweinsGalopp>) -> Vec<Action> {
    history.events().iter().map(|event| event.action).collect()
}

#[test]
fn sampled_histories_match_the_enumeration() {
    let mut smallest: f64 = 1.0;
    for rules in [
        "players=2,colours=2,cards_per_colour=4,hand_size=3,rounds=1",
        "players=3,colours=2,cards_per_colour=4,hand_size=2,rounds=1",
        "players=2,colours=2,cards_per_colour=3,hand_size=2,rounds=2,placement=choice",
    ] {
        let game = game(rules);
        information_sets(&game, (83, rules, 4), somewhere, |history, seat, rng, context| {
            let all = histories(&game, history, seat);
            let fits = (4..=1000).contains(&all.len());
            if fits {
                let sampler = game.sampler(&game.view(history, seat));
                let mut sampled = HashMap::new();
                for _ in 0..200 * all.len() {
                    *sampled.entry(actions(&sampler.sample_history(&game, rng))).or_default() += 1;
                }
                let p = chi_square(&sampled, &all);
                assert!(p > SMALLEST_P, "{context}: p-value {p} over {} histories", all.len());
                smallest = smallest.min(p);
            }
            fits
        });
    }
    println!("smallest p-value {smallest}");
}

#[test]
fn sampled_chance_follows_the_explicit_distribution() {
    for rules in ["", "players=2,rounds=1,colours=3,cards_per_colour=4,hand_size=5"] {
        fast_path_follows(&game(rules), rules, 10_000, 13);
    }
}
