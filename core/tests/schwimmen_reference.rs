//! Engine and naive reference side by side: random games under random rules, compared at every node.

#[path = "naive/schwimmen.rs"]
mod naive;

use naive::{Match, Next, Variant};
use stier_core::games::schwimmen::{Rules, Schwimmen};
use stier_core::{Game, History, Notation, Options, Rng, Seat, Turn, record};

/// What the random games went through, so that the comparison is known to have met the rare cases.
#[derive(Default, Debug)]
struct Met {
    games: u32,
    nodes: u32,
    knocks: u32,
    renewals: u32,
    piles_run_out: u32,
    cuts: u32,
    second_cuts: u32,
    early_ends: u32,
    sunk: u32,
    refused_rules: u32,
}

/// A value for every option, small decks and large ones.
fn random_rules(rng: &mut Rng) -> String {
    let mut pick = |values: &[&str]| values[rng.below(values.len() as u32) as usize].to_string();
    [
        ("players", pick(&["2", "3", "4", "5"])),
        ("three_of_a_kind", pick(&["off", "on"])),
        ("dealer_swap", pick(&["blind", "open", "off"])),
        ("max_turns", pick(&["1", "2", "5", "12", "30", "60", "60", "60", "200"])),
        ("play", pick(&["deal", "deal", "match"])),
        ("dealer", pick(&["last", "last", "0", "1", "2", "3", "4"])),
        ("max_deals", pick(&["1", "3", "8", "200", "200"])),
        ("utility", pick(&["stakes", "stakes", "win"])),
        ("suits", pick(&["2", "3", "4", "4", "4"])),
        ("ranks", pick(&["3", "4", "5", "6", "7", "8", "8", "8"])),
    ]
    .map(|(name, value)| format!("{name}={value}"))
    .join(",")
}

/// Plays one game in both; a taste for pushing lets piles run out.
fn compare(game: &Schwimmen, variant: &Variant, rng: &mut Rng, met: &mut Met) {
    let pushes = rng.below(3) == 0;
    let mut history = History::new(game);
    let mut naive = Match::new(variant.clone());
    loop {
        let state = *history.state();
        let context = || record::write(game, &history);
        let turn = match naive.next {
            Next::DealTo(_) | Next::DealTable | Next::Renew | Next::CutBy(_) => Turn::Chance,
            Next::Swap(seat) | Next::Turn(seat) | Next::Give(seat) => Turn::Seat(Seat(seat as u8)),
            Next::Over => Turn::Over,
        };
        assert_eq!(game.turn(&state), turn, "whose turn it is\n{}", context());
        let possible = game.possible(&state);
        let names: Vec<String> = possible.iter().map(|&action| game.event_name(&state, action)).collect();
        assert_eq!(names, naive.possible(), "what is possible\n{}", context());
        for outcome in game.chance(&state) {
            assert!((outcome.probability * possible.len() as f64 - 1.0).abs() < 1e-12, "unequal odds\n{}", context());
        }
        for (ours, theirs) in game.returns(&state).iter().zip(naive.returns()) {
            assert!((ours - theirs).abs() < 1e-5, "returns {ours} and {theirs}\n{}", context());
        }
        met.nodes += 1;
        if turn == Turn::Over {
            met.games += 1;
            met.sunk += naive.sunk() as u32;
            return;
        }
        let mut chosen = rng.below(names.len() as u32) as usize;
        if let Some(push) = names.iter().position(|name| name == "push")
            && pushes
            && rng.below(20) > 0
        {
            chosen = push;
        }
        let before = naive.next;
        naive.apply(&names[chosen]);
        history.push(game, possible[chosen]);
        met.knocks += u32::from(names[chosen] == "knock");
        met.renewals += u32::from(naive.next == Next::Renew && before != Next::Renew);
        let (pile, away) = naive.piles();
        met.piles_run_out += u32::from(naive.next == Next::Renew && before != Next::Renew && away == 0 && pile > 3);
        let cuts = matches!(naive.next, Next::CutBy(_));
        met.cuts += u32::from(cuts && !matches!(before, Next::CutBy(_)));
        met.second_cuts += u32::from(matches!((before, naive.next), (Next::CutBy(a), Next::CutBy(b)) if a >= b));
        met.early_ends += u32::from(matches!(before, Next::Swap(_)) && !matches!(naive.next, Next::Turn(_)));
    }
}

#[test]
fn engine_and_reference_agree_at_every_node_of_random_games() {
    let mut met = Met::default();
    for index in 0..8000 {
        let mut rng = Rng::stream(2024, "against reference", index);
        // Every fourth rule set is the full deck with the usual options.
        let text = if index % 4 == 0 {
            let players = ["2", "3", "4", "5"][rng.below(4) as usize];
            let play = ["deal", "match"][rng.below(2) as usize];
            format!("players={players},play={play}")
        } else {
            random_rules(&mut rng)
        };
        let game = Schwimmen::new(Rules::from_text(&text).unwrap());
        let variant = Variant::from_text(&text);
        assert_eq!(game.is_ok(), variant.is_some(), "whether these rules make a game: {text}");
        match (game, variant) {
            (Ok(game), Some(variant)) => compare(&game, &variant, &mut rng, &mut met),
            _ => met.refused_rules += 1,
        }
    }
    println!("{met:?}");
    assert!(met.games > 4000 && met.refused_rules > 1000, "{met:?}");
    assert!(met.knocks > 3000 && met.renewals > 3000 && met.piles_run_out > 500, "{met:?}");
    assert!(met.cuts > 500 && met.second_cuts > 50 && met.early_ends > 100 && met.sunk > 1000, "{met:?}");
}
