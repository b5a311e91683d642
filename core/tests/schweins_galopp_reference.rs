//! Engine and naive reference side by side: random games under random rules, compared at every node.

use crate::naive::schweins_galopp::{Next, Table, Variant};
use crate::side_by_side::{Node, any_of, same_node, under_random_rules};
use stier_core::games::schweins_galopp::{Rules, SchweinsGalopp};
use stier_core::{FromRules as _, History, Notation, Options, Rng, record};
use stier_testing::conformance;

/// Counts of rare cases in the random games, to show that the comparison covers them.
#[derive(Default, Debug)]
struct Coverage {
    games: u32,
    nodes: u32,
    refused_rules: u32,
    long_jumps: u32,
    lapped_pigs_jumped: u32,
    found: u32,
    found_and_took: u32,
    nothing_to_take: u32,
    banked: u32,
    lost: u32,
    nothing_to_lay: u32,
}

/// Values for every option, for small and large games.
const OPTIONS: &[(&str, &[&str])] = &[
    ("players", &["2", "3", "4"]),
    ("food", &["1", "2", "5", "12", "30", "50", "55", "255"]),
    ("rounds", &["1", "1", "2", "3", "9"]),
    ("placement", &["random", "choice"]),
    ("track_food", &["off", "on"]),
    ("utility", &["margin", "score", "win"]),
    ("colours", &["2", "3", "4", "5", "5"]),
    ("cards_per_colour", &["2", "3", "5", "7", "7"]),
    ("hand_size", &["1", "2", "3", "5", "7"]),
    ("track", &["6", "8", "11", "13", "17", "22"]),
];

/// The numbers after a word in the text picture, seat by seat.
fn shown(text: &str, word: &str) -> Vec<usize> {
    let behind = |line: &str| line.split(word).nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap();
    text.lines().filter(|line| line.starts_with("seat ")).map(behind).collect()
}

fn compare(game: &SchweinsGalopp, variant: &Variant, rng: &mut Rng, coverage: &mut Coverage) {
    let mut history = History::new(game);
    let mut naive = Table::new(variant.clone());
    // Some players run with one pig as long as they can, so that it laps the others.
    let racing = rng.below(2) == 0;
    loop {
        let before = history.clone();
        let context = || record::write(game, &before);
        let said = Node {
            seat: match naive.next() {
                Next::Place(seat) | Next::Lay(seat) | Next::Play(seat) => Some(seat),
                Next::PlaceByChance | Next::Deal(_) | Next::Over => None,
            },
            possible: naive.odds(),
            returns: naive.returns(),
            tolerance: 1e-14,
        };
        let possible = same_node(game, &history, &said);
        let text = game.text(history.state(), None);
        assert_eq!(shown(&text, "banked: "), naive.banked(), "banked\n{}", context());
        assert_eq!(shown(&text, "at risk: "), naive.at_risk(), "at risk\n{}", context());
        let facts = text.lines().next().unwrap();
        assert!(format!("{facts} ").contains(&format!("supply: {} ", naive.supply())), "supply\n{}", context());
        coverage.nodes += 1;
        if naive.next() == Next::Over {
            coverage.games += 1;
            return;
        }
        let mut chosen = rng.below(possible.len() as u32) as usize;
        if racing && matches!(naive.next(), Next::Play(_)) {
            chosen = 0;
        }
        let plays = matches!(naive.next(), Next::Play(_));
        coverage.nothing_to_lay += u32::from(matches!(naive.next(), Next::Deal(_)) && naive.supply() == 0);
        let (action, name) = &possible[chosen];
        naive.apply(name);
        history.push(game, *action);
        if let Some(effect) = naive.last.filter(|_| plays) {
            // Food lies only where no pig has been, so a pig that finds it is first.
            assert!(!effect.found || effect.leads, "{}", context());
            coverage.long_jumps += u32::from(effect.moved > 3);
            coverage.lapped_pigs_jumped += u32::from(effect.jumped_a_lapped_pig);
            coverage.found += u32::from(effect.found);
            coverage.found_and_took += u32::from(effect.found && effect.took);
            coverage.nothing_to_take += u32::from(effect.leads && !effect.took);
            coverage.banked += u32::from(effect.banked > 0);
            coverage.lost += u32::from(effect.lost > 0);
        }
    }
}

#[test]
fn engine_and_reference_agree_at_every_node_of_random_games() {
    let mut coverage = Coverage::default();
    let rules = |index, rng: &mut Rng| {
        // Every fifth rule set is one of the box.
        if index % 5 == 0 {
            let players = 2 + rng.below(3);
            let food = ["50", "55"][rng.below(2) as usize];
            let track_food = ["on", "off"][rng.below(2) as usize];
            format!("players={players},food={food},track_food={track_food}")
        } else {
            any_of(OPTIONS, rng)
        }
    };
    let play = |game: &SchweinsGalopp, variant: &Variant, rng: &mut Rng| compare(game, variant, rng, &mut coverage);
    coverage.refused_rules =
        under_random_rules((2025, "galopp against reference", 5000), rules, Variant::from_text, play);
    println!("{coverage:?}");
    assert!(coverage.games > 2000 && coverage.refused_rules > 500, "{coverage:?}");
    let rare = [
        coverage.long_jumps,
        coverage.lapped_pigs_jumped,
        coverage.found,
        coverage.found_and_took,
        coverage.nothing_to_take,
    ];
    assert!(rare.iter().all(|&times| times > 500), "{coverage:?}");
    assert!(coverage.banked > 5000 && coverage.lost > 5000 && coverage.nothing_to_lay > 100, "{coverage:?}");
}

#[test]
fn every_table_of_the_box_conforms() {
    for players in 2..=4 {
        for more in ["track_food=on", "placement=choice", "utility=win,food=50"] {
            let rules = Rules::from_text(&format!("players={players},rounds=2,{more}")).unwrap();
            conformance(&SchweinsGalopp::new(rules).unwrap(), players, 1);
        }
    }
}
