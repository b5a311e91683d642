//! The games of the literature, all of them on the defaults: samplers against the enumeration of all histories,
//! information sets as published.

use std::collections::HashSet;

use stier_core::filter::information_sets;
use stier_core::games::dark_hex::DarkHex;
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
