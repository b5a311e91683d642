//! Engine and naive reference of Up & Down side by side: random games under random rules, compared at every node.

use crate::naive::up_and_down::{Coverage, Match, Next, Variant};
use crate::side_by_side::{Node, any_of, same_node, under_random_rules};
use stier_core::games::up_and_down::UpAndDown;
use stier_core::{History, Notation, Rng, record};

/// Values for every option, for small and large decks.
const OPTIONS: &[(&str, &[&str])] = &[
    ("players", &["2", "3", "4"]),
    ("rounds", &["1", "1", "1", "2", "3", "8"]),
    ("tie_break_rounds", &["0", "0", "1", "2", "8"]),
    ("utility", &["margin", "score", "win"]),
    ("die_faces", &["2", "3", "4", "5", "6", "6"]),
    ("hand_size", &["0", "0", "1", "2", "3", "4", "7", "15"]),
];

/// The reference's data of each player, as in the text picture.
fn row(naive: &Match, seat: usize) -> [String; 3] {
    let mut hand = naive.hands[seat].clone();
    hand.sort_by_key(|card| "DHSC".find(&card[..1]).unwrap() * 11 + "23456789TJQ".find(&card[1..]).unwrap());
    [
        format!("hand: {} ", if hand.is_empty() { "-".to_string() } else { hand.join(" ") }),
        format!("tricks: {} ", naive.taken[seat]),
        match &naive.face_down[seat] {
            Some(card) => format!("card: {card} "),
            None => "card: ".to_string(),
        },
    ]
}

/// Plays one game in both; returns the number of nodes.
fn compare(game: &UpAndDown, variant: &Variant, rng: &mut Rng, coverage: &mut Coverage) -> u32 {
    let mut history = History::new(game);
    let mut naive = Match::new(variant.clone());
    let mut nodes = 0;
    loop {
        let context = || record::write(game, &history);
        let said = Node {
            seat: match naive.next() {
                Next::Boss(seat) | Next::Card(seat) => Some(seat),
                Next::Deal(_) | Next::Dice | Next::Side | Next::Orientation | Next::Roll | Next::Over => None,
            },
            possible: naive.possible(),
            returns: naive.returns(),
            tolerance: 1e-14,
        };
        let possible = same_node(game, &history, &said);
        let text = game.text(history.state(), None);
        assert!(text.contains(&format!("pot: {}", naive.pot)), "{text}\n{}", context());
        for (seat, line) in text.lines().skip(1).take(variant.players).enumerate() {
            for words in row(&naive, seat) {
                assert!(line.contains(&words), "'{words}' in '{line}'\n{}", context());
            }
        }
        nodes += 1;
        if naive.next() == Next::Over {
            add(coverage, &naive.coverage);
            return nodes;
        }
        let (action, name) = &possible[rng.below(possible.len() as u32) as usize];
        naive.apply(name);
        history.push(game, *action);
    }
}

fn add(all: &mut Coverage, one: &Coverage) {
    all.neutralised_trumps += one.neutralised_trumps;
    all.three_equal += one.three_equal;
    all.four_equal += one.four_equal;
    all.won_by_trump += one.won_by_trump;
    all.into_the_pot += one.into_the_pot;
    all.pots_won += one.pots_won;
    all.pots_lost += one.pots_lost;
    all.clubs_at_an_empty_side += one.clubs_at_an_empty_side;
    all.tie_break_rounds += one.tie_break_rounds;
    all.later_rounds += one.later_rounds;
}

#[test]
fn engine_and_reference_agree_at_every_node_of_random_games() {
    let (mut coverage, mut games, mut nodes) = (Coverage::default(), 0, 0);
    // Every fourth rule set is the full deck with the rules of the box.
    let rules = |index, rng: &mut Rng| {
        if index % 4 == 0 { format!("players={}", 2 + rng.below(3)) } else { any_of(OPTIONS, rng) }
    };
    let play = |game: &UpAndDown, variant: &Variant, rng: &mut Rng| {
        games += 1;
        nodes += compare(game, variant, rng, &mut coverage);
    };
    let refused = under_random_rules((2024, "against reference", 2000), rules, Variant::from_text, play);
    println!("{games} games, {nodes} nodes, {refused} refused, {coverage:?}");
    assert!(games > 1500 && refused > 100, "{games}, {refused}");
    assert!(
        coverage.neutralised_trumps > 200 && coverage.won_by_trump > 500 && coverage.pots_won > 500,
        "{coverage:?}"
    );
    assert!(coverage.three_equal > 200 && coverage.four_equal > 2 && coverage.pots_lost > 500, "{coverage:?}");
    assert!(
        coverage.clubs_at_an_empty_side > 200 && coverage.tie_break_rounds > 50 && coverage.later_rounds > 1000,
        "{coverage:?}"
    );
}
