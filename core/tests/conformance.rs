//! The conformance suite for every game, under random rules.

use stier_core::games::schwinget::{Rules, Schwinget};
use stier_core::options::Allowed;
use stier_core::{FromRules, FullGame, OptionValue, Options, Rng, for_each_game};
use stier_testing::conformance;

/// A random value of an option. With `small`, only the lower half of a range of whole numbers.
fn random_value(allowed: &Allowed, small: bool, rng: &mut Rng) -> String {
    match allowed {
        Allowed::Names(names) => names[rng.below(names.len() as u32) as usize].to_string(),
        &Allowed::Range(OptionValue::Int(low), OptionValue::Int(high)) => {
            let top = if small { (low + high) / 2 } else { high }.min(low + 64);
            (low + rng.below_wide((top - low + 1) as u64) as i64).to_string()
        }
        &Allowed::Range(OptionValue::Float(low), OptionValue::Float(high)) => {
            (low + rng.unit() * (high - low)).to_string()
        }
        other => panic!("no random value of {other:?}"),
    }
}

/// Valid rules with about half of the options set at random, or `None` after many attempts.
fn random_game<G: FromRules>(small: bool, rng: &mut Rng) -> Option<G> {
    (0..1000).find_map(|_| {
        let mut rules = G::Rules::default();
        for info in G::Rules::describe() {
            if rng.below(2) == 0 {
                let value = random_value(&info.allowed, small, rng);
                rules.set(info.name, &value).expect("the description lists the allowed values");
            }
        }
        G::new(rules).ok()
    })
}

/// The default rules with one option at an end of its range, for each end that is valid and at most 64 above the lowest number.
fn games_at_ends<G: FromRules>() -> Vec<G> {
    let mut games = Vec::new();
    for info in G::Rules::describe() {
        let Allowed::Range(low, high) = &info.allowed else { continue };
        for end in [low, high] {
            if matches!((low, end), (OptionValue::Int(low), OptionValue::Int(end)) if *end > low + 64) {
                continue;
            }
            let mut rules = G::Rules::default();
            rules.set(info.name, &end.to_string()).expect("the description lists the allowed values");
            games.extend(G::new(rules));
        }
    }
    games
}

/// Checks `of_default` games under the default rules, one with each option at either end of its range, and `of_random` games
/// under each of `sets` random sets of rules, three quarters of them with small numbers: games with large ones are long.
fn conforms<G: FullGame + FromRules>(of_default: u64, sets: u64, of_random: u64) {
    conformance(&G::new(G::Rules::default()).expect("the defaults make a game"), 1, of_default);
    for game in games_at_ends::<G>() {
        conformance(&game, 2, 1);
    }
    let mut texts = Vec::new();
    for index in 0..sets {
        let mut rng = Rng::stream(11, G::NAME, index);
        let game: G = random_game(index % 4 > 0, &mut rng).expect("random rules are sometimes valid");
        conformance(&game, index, of_random);
        texts.push(game.rules().to_text());
    }
    texts.sort();
    texts.dedup();
    assert!(texts.len() as u64 > sets / 2 || G::Rules::describe().len() < 6, "too few different rule sets: {texts:?}");
}

macro_rules! conforms {
    ($module:ident, $game:ty) => {
        mod $module {
            #[test]
            fn conforms() {
                super::conforms::<$game>(2, 40, 1);
            }

            #[test]
            #[ignore = "long"]
            fn conforms_for_long() {
                super::conforms::<$game>(30, 120, 10);
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
fn random_rules_change_every_option_of_schwinget() {
    for info in Rules::describe() {
        let mut rng = Rng::stream(2, info.name, 0);
        let values: Vec<String> = (0..200).map(|_| random_value(&info.allowed, false, &mut rng)).collect();
        let changed = |value: &String| *value != info.default.to_string();
        assert!(values.iter().any(changed), "{} is always {}", info.name, info.default);
    }
}
