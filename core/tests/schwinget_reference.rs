//! Engine and naive reference side by side: random games under random rules, compared at every node.

#[path = "naive/schwinget.rs"]
mod naive;

use naive::{Match, Next, Variant};
use stier_core::games::schwinget::{Rules, Schwinget};
use stier_core::{Game, History, Notation, Options, Rng, Seat, Turn, record};

/// What the random games went through, so that the comparison is known to have met the rare cases.
#[derive(Default, Debug)]
struct Met {
    games: u32,
    nodes: u32,
    attacks: u32,
    referee_decisions: u32,
    later_bouts: u32,
    refused_rules: u32,
}

/// A value for every option, small decks and large ones.
fn random_rules(rng: &mut Rng) -> String {
    let mut pick = |values: &[&str]| values[rng.below(values.len() as u32) as usize].to_string();
    [
        ("scoring", pick(&["points", "schwinger"])),
        ("bouts", pick(&["1", "1", "1", "2", "3", "4", "12"])),
        ("specials", pick(&["void_only", "anytime"])),
        ("utility", pick(&["margin", "score", "win"])),
        ("suits", pick(&["1", "2", "3", "4", "4", "4"])),
        ("values", pick(&["1", "2", "3", "4", "5", "6", "6", "6"])),
        ("referee", pick(&["on", "on", "off"])),
        ("counter", pick(&["on", "on", "off"])),
        ("hand_size", pick(&["1", "2", "3", "4", "5", "5", "5", "8", "12"])),
        ("set_aside", pick(&["1", "2", "3", "4", "4", "5", "6"])),
        ("consolation_tricks", pick(&["0", "2", "3", "3", "13"])),
    ]
    .map(|(name, value)| format!("{name}={value}"))
    .join(",")
}

/// Plays one game in both, with or without a taste for attacking.
fn compare(game: &Schwinget, variant: &Variant, rng: &mut Rng, met: &mut Met) {
    let attacks = rng.below(2) == 0;
    let mut history = History::new(game);
    let mut naive = Match::new(variant.clone());
    loop {
        let state = *history.state();
        let context = || record::write(game, &history);
        let turn = match naive.next() {
            Next::Deal(_) | Next::TurnUp | Next::Draw(_) => Turn::Chance,
            Next::Lead(seat) | Next::Follow(seat) | Next::Decide(seat) => Turn::Seat(Seat(seat as u8)),
            Next::Over => Turn::Over,
        };
        assert_eq!(game.turn(&state), turn, "whose turn it is\n{}", context());
        let possible = game.possible(&state);
        let names: Vec<String> = possible.iter().map(|&action| game.event_name(&state, action)).collect();
        assert_eq!(names, naive.possible(), "what is possible\n{}", context());
        for outcome in game.chance(&state) {
            assert!((outcome.probability * possible.len() as f64 - 1.0).abs() < 1e-12, "unequal odds\n{}", context());
        }
        assert_eq!(game.returns(&state).as_slice(), naive.returns(), "returns\n{}", context());
        met.nodes += 1;
        if turn == Turn::Over {
            met.games += 1;
            return;
        }
        let mut chosen = rng.below(names.len() as u32) as usize;
        if !attacks && names[chosen] == "attack" {
            chosen = 0;
        }
        met.attacks += u32::from(names[chosen] == "attack");
        met.referee_decisions += u32::from(names[chosen].starts_with("lead:"));
        let name = &names[chosen];
        naive.apply(name);
        history.push(game, possible[chosen]);
        met.later_bouts += u32::from(turn != Turn::Chance && naive.next() == Next::Deal(0));
    }
}

#[test]
fn engine_and_reference_agree_at_every_node_of_random_games() {
    let mut met = Met::default();
    for index in 0..6000 {
        let mut rng = Rng::stream(2024, "against reference", index);
        // Every fourth rule set is the full deck, where the rules are as the box has them.
        let text = if index % 4 == 0 {
            let scoring = ["points", "schwinger"][rng.below(2) as usize];
            let specials = ["void_only", "anytime"][rng.below(2) as usize];
            format!("scoring={scoring},specials={specials}")
        } else {
            random_rules(&mut rng)
        };
        let game = Schwinget::new(Rules::from_text(&text).unwrap());
        let variant = Variant::from_text(&text);
        assert_eq!(game.is_ok(), variant.is_some(), "whether these rules make a game: {text}");
        match (game, variant) {
            (Ok(game), Some(variant)) => {
                for _ in 0..2 {
                    compare(&game, &variant, &mut rng, &mut met);
                }
            }
            _ => met.refused_rules += 1,
        }
    }
    println!("{met:?}");
    assert!(met.games > 4000 && met.refused_rules > 1000, "{met:?}");
    assert!(met.attacks > 1000 && met.referee_decisions > 1000 && met.later_bouts > 1000, "{met:?}");
}
