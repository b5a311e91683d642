//! Engine and naive reference of Up & Down side by side: random games under random rules, compared at every node.

#[path = "naive/up_and_down.rs"]
mod naive;

use naive::{Match, Met, Next, Variant};
use stier_core::games::up_and_down::{Rules, UpAndDown};
use stier_core::{Game, History, Notation, Options, Rng, Seat, Turn, record};

/// A value for every option, small decks and large ones.
fn random_rules(rng: &mut Rng) -> String {
    let mut pick = |values: &[&str]| values[rng.below(values.len() as u32) as usize].to_string();
    [
        ("players", pick(&["2", "3", "4"])),
        ("rounds", pick(&["1", "1", "1", "2", "3", "8"])),
        ("tie_break_rounds", pick(&["0", "0", "1", "2", "8"])),
        ("utility", pick(&["margin", "score", "win"])),
        ("die_faces", pick(&["2", "3", "4", "5", "6", "6"])),
        ("hand_size", pick(&["0", "0", "1", "2", "3", "4", "7", "15"])),
    ]
    .map(|(name, value)| format!("{name}={value}"))
    .join(",")
}

fn turn_of(next: Next) -> Turn {
    match next {
        Next::Boss(seat) | Next::Card(seat) => Turn::Seat(Seat(seat as u8)),
        Next::Over => Turn::Over,
        Next::Deal(_) | Next::Dice | Next::Side | Next::Orientation | Next::Roll => Turn::Chance,
    }
}

/// What the reference says of each player, as the words that the picture has.
fn row(naive: &Match, seat: usize) -> [String; 3] {
    let mut hand = naive.hands[seat].clone();
    hand.sort_by_key(|card| "DHSC".find(&card[..1]).unwrap() * 11 + "23456789TJQ".find(&card[1..]).unwrap());
    [
        format!("hand: {} ", hand.join(" ")),
        format!("tricks: {} ", naive.taken[seat]),
        match &naive.face_down[seat] {
            Some(card) => format!("card: {card} "),
            None => "card: ".to_string(),
        },
    ]
}

/// Plays one game in both; returns the number of nodes.
fn compare(game: &UpAndDown, variant: &Variant, rng: &mut Rng, met: &mut Met) -> u32 {
    let mut history = History::new(game);
    let mut naive = Match::new(variant.clone());
    let mut nodes = 0;
    loop {
        let state = *history.state();
        let context = || record::write(game, &history);
        assert_eq!(game.turn(&state), turn_of(naive.next()), "whose turn it is\n{}", context());
        let possible = game.possible(&state);
        let names: Vec<String> = possible.iter().map(|&action| game.event_name(&state, action)).collect();
        let expected = naive.possible();
        assert!(names.iter().eq(expected.iter().map(|(name, _)| name)), "{names:?}, {expected:?}\n{}", context());
        for (outcome, (name, probability)) in game.chance(&state).iter().zip(&expected) {
            assert!((outcome.probability - probability).abs() < 1e-12, "the odds of {name}\n{}", context());
        }
        let returns = naive.returns();
        for (seat, &value) in returns.iter().enumerate() {
            let own = f64::from(game.returns(&state)[Seat(seat as u8)]);
            assert!((own - value).abs() < 1e-5, "returns {returns:?}\n{}", context());
        }
        let text = game.text(&state, None);
        assert!(text.contains(&format!("pot: {}", naive.pot)), "{text}\n{}", context());
        for (seat, line) in text.lines().skip(1).take(variant.players).enumerate() {
            for words in row(&naive, seat) {
                assert!(line.contains(&words), "'{words}' in '{line}'\n{}", context());
            }
        }
        nodes += 1;
        if naive.next() == Next::Over {
            add(met, &naive.met);
            return nodes;
        }
        let chosen = rng.below(names.len() as u32) as usize;
        naive.apply(&names[chosen]);
        history.push(game, possible[chosen]);
    }
}

fn add(all: &mut Met, one: &Met) {
    all.neutralised_trumps += one.neutralised_trumps;
    all.three_equal += one.three_equal;
    all.four_equal += one.four_equal;
    all.won_by_trump += one.won_by_trump;
    all.into_the_pot += one.into_the_pot;
    all.pots_won += one.pots_won;
    all.pots_for_nobody += one.pots_for_nobody;
    all.clubs_at_an_empty_side += one.clubs_at_an_empty_side;
    all.tie_break_rounds += one.tie_break_rounds;
    all.later_rounds += one.later_rounds;
}

#[test]
fn engine_and_reference_agree_at_every_node_of_random_games() {
    let (mut met, mut games, mut nodes, mut refused) = (Met::default(), 0, 0, 0);
    for index in 0..4000 {
        let mut rng = Rng::stream(2024, "against reference", index);
        // Every fourth rule set is the full deck, where the rules are as the box has them.
        let text = if index % 4 == 0 { format!("players={}", 2 + rng.below(3)) } else { random_rules(&mut rng) };
        let game = UpAndDown::new(Rules::from_text(&text).unwrap());
        let variant = Variant::from_text(&text);
        assert_eq!(game.is_ok(), variant.is_some(), "whether these rules make a game: {text}");
        match (game, variant) {
            (Ok(game), Some(variant)) => {
                games += 1;
                nodes += compare(&game, &variant, &mut rng, &mut met);
            }
            _ => refused += 1,
        }
    }
    println!("{games} games, {nodes} nodes, {refused} refused, {met:?}");
    assert!(games > 3000 && refused > 200, "{games}, {refused}");
    assert!(met.neutralised_trumps > 500 && met.won_by_trump > 500 && met.pots_won > 500, "{met:?}");
    assert!(met.three_equal > 500 && met.four_equal > 5 && met.pots_for_nobody > 500, "{met:?}");
    assert!(met.clubs_at_an_empty_side > 500 && met.tie_break_rounds > 100 && met.later_rounds > 1000, "{met:?}");
}
