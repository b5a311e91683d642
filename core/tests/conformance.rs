//! The conformance suite for every game of the list, under random rules.

use stier_core::games::schwinget::{Rules, Schwinget};
use stier_core::testing::{FullGame, circumstances, conformance};
use stier_core::{Circumstances, Game, Options, Rng, for_each_game};

/// A random one of the values that an option's description allows: `a | b`, or `lo..=hi`, the lower half preferred if `small`.
fn random_value(allowed: &str, small: bool, rng: &mut Rng) -> String {
    let Some((low, high)) = allowed.split_once(" to ") else {
        let names: Vec<&str> = allowed.split(" | ").collect();
        return names[rng.below(names.len() as u32) as usize].to_string();
    };
    if let (Ok(low), Ok(high)) = (low.parse::<u64>(), high.parse::<u64>()) {
        let top = if small { (low + high) / 2 } else { high }.min(low + 64);
        return (low + rng.below_wide(top - low + 1)).to_string();
    }
    let (low, high): (f64, f64) = (low.parse().expect("a number"), high.parse().expect("a number"));
    (low + rng.unit() * (high - low)).to_string()
}

/// Rules with about half of the options set at random that make a game, or `None` after many attempts.
fn random_game<G: Game>(small: bool, rng: &mut Rng) -> Option<G> {
    (0..1000).find_map(|_| {
        let mut rules = G::Rules::default();
        for info in G::Rules::describe() {
            if rng.below(2) == 0 {
                let value = random_value(&info.allowed, small, rng);
                rules.set(info.name, &value).expect("the description tells the values allowed");
            }
        }
        G::new(rules).ok()
    })
}

/// Default rules and sixty random sets of them, half with small numbers.
fn conforms<G: FullGame + Circumstances>() {
    conformance(&G::new(G::Rules::default()).expect("the defaults make a game"), 1, 10);
    let mut texts = Vec::new();
    for index in 0..60 {
        let mut rng = Rng::stream(11, G::NAME, index);
        let game: G = random_game(index % 2 == 0, &mut rng).expect("random rules make a game now and then");
        conformance(&game, index, 3);
        circumstances(&game, index, 10);
        texts.push(game.rules().to_text());
    }
    texts.sort();
    texts.dedup();
    assert!(texts.len() > 30 || G::Rules::describe().len() < 6, "the rule sets differ: {texts:?}");
}

macro_rules! conforms {
    ($module:ident, $game:ty) => {
        mod $module {
            #[test]
            fn conforms() {
                super::conforms::<$game>();
            }
        }
    };
}
for_each_game!(conforms);

#[test]
fn the_short_match_of_schwinget_conforms() {
    let rules = Rules::from_text("scoring=schwinger,bouts=4").unwrap();
    conformance(&Schwinget::new(rules).unwrap(), 3, 10);
}

#[test]
fn every_option_of_schwinget_is_reached() {
    for info in Rules::describe() {
        let mut rng = Rng::stream(2, info.name, 0);
        let values: Vec<String> = (0..200).map(|_| random_value(&info.allowed, false, &mut rng)).collect();
        let changed = |value: &String| *value != info.default.to_string();
        assert!(values.iter().any(changed), "{} is always {}", info.name, info.default);
    }
}
