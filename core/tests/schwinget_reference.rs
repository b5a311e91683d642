//! Engine and naive reference side by side: random games under random rules, compared at every node.

use crate::naive::schwinget::{Match, Next, Variant};
use crate::side_by_side::{Node, any_of, equally, same_node, under_random_rules};
use stier_core::games::schwinget::Schwinget;
use stier_core::{History, Rng};

/// Counts of rare cases in the random games, to show that the comparison covers them.
#[derive(Default, Debug)]
struct Coverage {
    games: u32,
    nodes: u32,
    attacks: u32,
    referee_decisions: u32,
    later_bouts: u32,
    refused_rules: u32,
}

/// Values for every option, for small and large decks.
const OPTIONS: &[(&str, &[&str])] = &[
    ("scoring", &["points", "schwinger"]),
    ("bouts", &["1", "1", "1", "2", "3", "4", "12"]),
    ("specials", &["void_only", "anytime"]),
    ("utility", &["margin", "score", "win"]),
    ("suits", &["1", "2", "3", "4", "4", "4"]),
    ("values", &["1", "2", "3", "4", "5", "6", "6", "6"]),
    ("referee", &["on", "on", "off"]),
    ("counter", &["on", "on", "off"]),
    ("hand_size", &["1", "2", "3", "4", "5", "5", "5", "8", "12"]),
    ("set_aside", &["1", "2", "3", "4", "4", "5", "6"]),
    ("consolation_tricks", &["0", "2", "3", "3", "13"]),
];

/// Plays one game in both, with frequent or rare attacks.
fn compare(game: &Schwinget, variant: &Variant, rng: &mut Rng, coverage: &mut Coverage) {
    let attacks = rng.below(2) == 0;
    let mut history = History::new(game);
    let mut naive = Match::new(variant.clone());
    loop {
        let said = Node {
            seat: match naive.next() {
                Next::Lead(seat) | Next::Follow(seat) | Next::Decide(seat) => Some(seat),
                Next::Deal(_) | Next::TurnUp | Next::Draw(_) | Next::Over => None,
            },
            possible: equally(naive.possible()),
            returns: naive.returns().to_vec(),
            tolerance: 0.0,
        };
        let possible = same_node(game, &history, &said);
        coverage.nodes += 1;
        if naive.next() == Next::Over {
            coverage.games += 1;
            return;
        }
        let mut chosen = rng.below(possible.len() as u32) as usize;
        if !attacks && possible[chosen].1 == "attack" {
            chosen = 0;
        }
        let (action, name) = &possible[chosen];
        coverage.attacks += u32::from(name == "attack");
        coverage.referee_decisions += u32::from(name.starts_with("lead:"));
        naive.apply(name);
        history.push(game, *action);
        coverage.later_bouts += u32::from(said.seat.is_some() && naive.next() == Next::Deal(0));
    }
}

#[test]
fn engine_and_reference_agree_at_every_node_of_random_games() {
    let mut coverage = Coverage::default();
    let rules = |index, rng: &mut Rng| {
        // Every fourth rule set is the full deck with the rules of the box.
        if index % 4 == 0 {
            let scoring = ["points", "schwinger"][rng.below(2) as usize];
            let specials = ["void_only", "anytime"][rng.below(2) as usize];
            format!("scoring={scoring},specials={specials}")
        } else {
            any_of(OPTIONS, rng)
        }
    };
    let play = |game: &Schwinget, variant: &Variant, rng: &mut Rng| {
        for _ in 0..2 {
            compare(game, variant, rng, &mut coverage);
        }
    };
    coverage.refused_rules = under_random_rules((2024, "against reference", 6000), rules, Variant::from_text, play);
    println!("{coverage:?}");
    assert!(coverage.games > 4000 && coverage.refused_rules > 1000, "{coverage:?}");
    assert!(
        coverage.attacks > 1000 && coverage.referee_decisions > 1000 && coverage.later_bouts > 1000,
        "{coverage:?}"
    );
}
