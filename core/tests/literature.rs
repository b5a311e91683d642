//! The games of the literature, all of them on the defaults: samplers against the enumeration of all histories,
//! information sets as published.

use std::collections::{HashMap, HashSet};
use std::mem::take;

use stier_core::filter::information_sets;
use stier_core::games::dark_hex::{DarkHex, State};
use stier_core::games::goofspiel::Goofspiel;
use stier_core::games::kuhn_poker::KuhnPoker;
use stier_core::games::leduc_poker::LeducPoker;
use stier_core::games::liars_dice::LiarsDice;
use stier_core::{ActionSet as _, FromRules, FullGame, Game, History, Rng, Seat, Turn};
use stier_testing::{conformance, sampling};

fn game<G: FromRules>(rules: &str) -> G {
    G::from_text(rules).expect("a game")
}

#[test]
fn kuhn_poker_conforms() {
    let game: KuhnPoker = game("");
    conformance(&game, 1, 100);
    let history = History::dealt(&game, &mut Rng::stream(1, "kuhn", 0));
    for seat in Seat::all(2) {
        let (worlds, p_values) = sampling(&game, &history, seat, 10_000, &mut Rng::stream(1, "kuhn", 1));
        assert_eq!(worlds, 2);
        assert!(p_values.iter().all(|&p| p > 1e-6), "{p_values:?}");
    }
}

/// At every decision of some random games, as every seat sees it.
fn samplers_follow_enumeration<G: FullGame + FromRules>(rules: &str, games: u64) {
    let game: G = game(rules);
    for index in 0..games {
        let mut rng = Rng::stream(5, G::NAME, index);
        let mut history = History::dealt(&game, &mut rng);
        while let Turn::Seat(_) = game.turn(history.state()) {
            for seat in Seat::all(game.num_seats()) {
                let (worlds, p_values) = sampling(&game, &history, seat, 500, &mut rng);
                assert!(p_values.iter().all(|&p| p > 1e-6), "{} {rules}, {worlds} worlds: {p_values:?}", G::NAME);
            }
            history.push(&game, game.legal(history.state()).pick(&mut rng));
            history.settle(&game, &mut rng);
        }
    }
}

#[test]
fn worlds_are_those_of_all_histories() {
    samplers_follow_enumeration::<KuhnPoker>("players=3", 10);
    samplers_follow_enumeration::<LeducPoker>("", 10);
    samplers_follow_enumeration::<LiarsDice>("sides=3", 6);
    samplers_follow_enumeration::<LiarsDice>("dice=2,sides=2", 6);
    samplers_follow_enumeration::<Goofspiel>("cards=4", 3);
    samplers_follow_enumeration::<Goofspiel>("cards=3,points=random,impinfo=off", 6);
    samplers_follow_enumeration::<DarkHex>("rows=2,columns=2", 6);
    samplers_follow_enumeration::<DarkHex>("rows=2,columns=3", 2);
    samplers_follow_enumeration::<DarkHex>("rows=2,columns=3,obstruction=abrupt", 2);
}

/// As OpenSpiel counts them.
#[test]
fn information_sets_are_as_many_as_published() {
    fn both<G: FromRules>(rules: &str) -> [u64; 2] {
        [0, 1].map(|seat| information_sets(&game::<G>(rules), Seat(seat)))
    }
    assert_eq!(both::<KuhnPoker>(""), [6, 6]);
    assert_eq!(both::<LeducPoker>(""), [468, 468]);
    assert_eq!(both::<LiarsDice>("sides=3"), [96, 96]);
    assert_eq!(both::<LiarsDice>(""), [12_288, 12_288]);
    assert_eq!(both::<Goofspiel>("cards=4"), [81, 81]);
}

/// The views of all histories, one by one.
fn views<G: Game>(game: &G, history: &History<G>, found: &mut [HashSet<G::View>; 2]) {
    if let Turn::Seat(seat) = game.turn(history.state()) {
        found[seat.index()].insert(game.view(history, seat));
        for action in game.legal(history.state()).iter() {
            let mut next = history.clone();
            next.push(game, action);
            views(game, &next, found);
        }
    }
}

#[test]
fn hidden_moves_are_counted_as_all_histories_count_them() {
    let counts = [
        ("rows=2,columns=2", [17, 53]),
        ("rows=2,columns=2,obstruction=abrupt", [59, 35]),
        ("rows=2", [697, 1811]),
        ("rows=2,obstruction=abrupt", [4033, 2725]),
    ];
    for (rules, expected) in counts {
        let game: DarkHex = game(rules);
        let mut found = [HashSet::new(), HashSet::new()];
        views(&game, &History::new(&game), &mut found);
        let counted = [0, 1].map(|seat| information_sets(&game, Seat(seat)));
        assert_eq!(counted, found.map(|views| views.len() as u64), "{rules}");
        assert_eq!(counted, expected, "{rules}");
    }
}

/// States of Dark Hex with their probabilities.
type Belief = HashMap<State, f64>;

/// Plays on uniformly until it is the turn of `seat`, or to the end: the expected return of `of` in the games that end, and
/// the other states.
fn settle(game: &DarkHex, seat: Option<Seat>, of: Seat, mut open: Belief) -> (f64, Belief) {
    let (mut value, mut settled) = (0.0, Belief::new());
    while !open.is_empty() {
        for (state, weight) in take(&mut open) {
            match game.turn(&state) {
                Turn::Over => value += weight * game.returns(&state)[of],
                Turn::Seat(mover) if Some(mover) == seat => *settled.entry(state).or_default() += weight,
                _ => {
                    let legal = game.legal(&state);
                    for action in legal.iter() {
                        let mut next = state;
                        game.apply(&mut next, action);
                        *open.entry(next).or_default() += weight / legal.len() as f64;
                    }
                }
            }
        }
    }
    (value, settled)
}

/// The most that a seat expects against uniform play in these states, which look the same to it. Counts information sets. A
/// uniform player's future depends on the state alone, so histories of a set that lead to one state count as one.
fn best(game: &DarkHex, seat: Seat, belief: &Belief, sets: &mut u64) -> f64 {
    let Some(first) = belief.keys().next() else { return 0.0 };
    *sets += 1;
    let mut value = |action| {
        let (mut obstructed, mut theirs) = (Belief::new(), Belief::new());
        for (state, weight) in belief {
            let mut next = *state;
            game.apply(&mut next, action);
            let moves_again = game.turn(&next) == Turn::Seat(seat);
            *if moves_again { &mut obstructed } else { &mut theirs }.entry(next).or_default() += weight;
        }
        let (ended, free) = settle(game, Some(seat), seat, theirs);
        ended + best(game, seat, &obstructed, sets) + best(game, seat, &free, sets)
    };
    game.legal(first).iter().map(&mut value).fold(f64::NEG_INFINITY, f64::max)
}

/// By seat: its expected return against uniform play, by uniform play and by a best response, and its information sets.
fn against_uniform_play(rules: &str) -> [([f64; 2], u64); 2] {
    let game: DarkHex = game(rules);
    [Seat(0), Seat(1)].map(|seat| {
        let root = || Belief::from([(game.root(), 1.0)]);
        let (uniform, _) = settle(&game, None, seat, root());
        let (ended, belief) = settle(&game, Some(seat), seat, root());
        let mut sets = 0;
        ([uniform, ended + best(&game, seat, &belief, &mut sets)], sets)
    })
}

/// The gains are those of OpenSpiel's `exploitability.nash_conv` for uniform play.
#[test]
fn dark_hex_is_as_exploitable_as_published() {
    for (rules, gains) in [("rows=2,columns=2", [1.0, 0.25]), ("columns=2", [1.2, 0.4]), ("rows=2", [0.4, 0.35])] {
        let found = against_uniform_play(rules).map(|([uniform, best], _)| best - uniform);
        assert!(found.iter().zip(gains).all(|(found, gain)| (found - gain).abs() < 1e-12), "{rules}: {found:?}");
    }
}

/// Information sets and best responses as by G. Farina's exp-a-spiel, which gives the value of uniform play as 0.333684,
/// where it is 1/3, and gains over it of 0.666318 and 1.166488.
#[test]
#[ignore = "long"]
fn dark_hex_is_as_exploitable_as_published_for_long() {
    let [(first, first_sets), (second, second_sets)] = against_uniform_play("");
    assert_eq!([first_sets, second_sets], [3_720_850, 2_352_067]);
    let published = 0.333_684;
    for (found, expected) in [
        (first[0], 1.0 / 3.0),
        (first[1], 0.666_318 + published),
        (second[0], -1.0 / 3.0),
        (second[1], 1.166_488 - published),
    ] {
        assert!((found - expected).abs() < 3e-6, "{first:?} {second:?}");
    }
}
