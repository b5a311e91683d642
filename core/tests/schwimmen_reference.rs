//! Engine and naive reference side by side: random games under random rules, compared at every node.

use crate::naive::schwimmen::{Match, Next, Variant};
use crate::side_by_side::{Node, any_of, equally, same_node, under_random_rules};
use stier_core::games::schwimmen::Schwimmen;
use stier_core::{History, Rng};

/// Counts of rare cases in the random games, to show that the comparison covers them.
#[derive(Default, Debug)]
struct Coverage {
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

/// Values for every option, for small and large decks.
const OPTIONS: &[(&str, &[&str])] = &[
    ("players", &["2", "3", "4", "5"]),
    ("three_of_a_kind", &["off", "on"]),
    ("dealer_swap", &["blind", "open", "off"]),
    ("max_turns", &["1", "2", "5", "12", "30", "60", "60", "60", "200"]),
    ("play", &["deal", "deal", "match"]),
    ("dealer", &["last", "last", "0", "1", "2", "3", "4"]),
    ("max_deals", &["1", "3", "8", "200", "200"]),
    ("utility", &["stakes", "stakes", "win"]),
    ("suits", &["2", "3", "4", "4", "4"]),
    ("ranks", &["3", "4", "5", "6", "7", "8", "8", "8"]),
];

/// Plays one game in both. Frequent pushes make piles run out.
fn compare(game: &Schwimmen, variant: &Variant, rng: &mut Rng, coverage: &mut Coverage) {
    let pushes = rng.below(3) == 0;
    let mut history = History::new(game);
    let mut naive = Match::new(variant.clone());
    loop {
        let said = Node {
            seat: match naive.next {
                Next::Swap(seat) | Next::Turn(seat) | Next::Give(seat) => Some(seat),
                Next::DealTo(_) | Next::DealTable | Next::Renew | Next::CutBy(_) | Next::Over => None,
            },
            possible: equally(naive.possible()),
            returns: naive.returns(),
            tolerance: 1e-14,
        };
        let possible = same_node(game, &history, &said);
        coverage.nodes += 1;
        if naive.next == Next::Over {
            coverage.games += 1;
            coverage.sunk += naive.sunk() as u32;
            return;
        }
        let mut chosen = rng.below(possible.len() as u32) as usize;
        if let Some(push) = possible.iter().position(|(_, name)| name == "push")
            && pushes
            && rng.below(20) > 0
        {
            chosen = push;
        }
        let before = naive.next;
        let (action, name) = &possible[chosen];
        naive.apply(name);
        history.push(game, *action);
        coverage.knocks += u32::from(name == "knock");
        coverage.renewals += u32::from(naive.next == Next::Renew && before != Next::Renew);
        let (pile, away) = naive.piles();
        coverage.piles_run_out +=
            u32::from(naive.next == Next::Renew && before != Next::Renew && away == 0 && pile > 3);
        let cuts = matches!(naive.next, Next::CutBy(_));
        coverage.cuts += u32::from(cuts && !matches!(before, Next::CutBy(_)));
        coverage.second_cuts += u32::from(matches!((before, naive.next), (Next::CutBy(a), Next::CutBy(b)) if a >= b));
        coverage.early_ends += u32::from(matches!(before, Next::Swap(_)) && !matches!(naive.next, Next::Turn(_)));
    }
}

#[test]
fn engine_and_reference_agree_at_every_node_of_random_games() {
    let mut coverage = Coverage::default();
    let rules = |index, rng: &mut Rng| {
        // Every fourth rule set is the full deck with the usual options.
        if index % 4 == 0 {
            let players = ["2", "3", "4", "5"][rng.below(4) as usize];
            let play = ["deal", "match"][rng.below(2) as usize];
            format!("players={players},play={play}")
        } else {
            any_of(OPTIONS, rng)
        }
    };
    let play = |game: &Schwimmen, variant: &Variant, rng: &mut Rng| compare(game, variant, rng, &mut coverage);
    coverage.refused_rules = under_random_rules((2024, "against reference", 8000), rules, Variant::from_text, play);
    println!("{coverage:?}");
    assert!(coverage.games > 4000 && coverage.refused_rules > 1000, "{coverage:?}");
    assert!(coverage.knocks > 3000 && coverage.renewals > 3000 && coverage.piles_run_out > 500, "{coverage:?}");
    assert!(
        coverage.cuts > 500 && coverage.second_cuts > 50 && coverage.early_ends > 100 && coverage.sunk > 1000,
        "{coverage:?}"
    );
}
