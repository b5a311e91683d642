//! Playouts in batches against playouts one by one: whole distributions of what comes out, by chi-square.

use std::collections::BTreeMap;

use stier_core::games::schwinget::{Rules, Schwinget, State};
use stier_core::{ActionSet, Game, Hints, History, Options, Rng, Seat, Turn};

const RULES: &[(&str, usize)] = &[
    ("utility=score", 60_000),
    ("utility=score,specials=anytime,scoring=schwinger", 40_000),
    ("utility=score,referee=off,counter=off,set_aside=2", 40_000),
    ("suits=3,values=4,hand_size=3,set_aside=4,specials=anytime", 60_000),
    ("utility=score,bouts=3,hand_size=2,values=3,set_aside=2", 40_000),
    ("hand_size=7,set_aside=2,consolation_tricks=5", 30_000),
    ("suits=1,values=6,hand_size=1,set_aside=2", 60_000),
    ("hand_size=6,values=3,set_aside=2", 40_000),
];

fn game(rules: &str) -> Schwinget {
    Schwinget::new(Rules::from_text(rules).unwrap()).unwrap()
}

/// States to play on from: the deal itself, or some random steps later, now and then in the middle of a trick.
fn somewhere(game: &Schwinget, deal: u64, steps: u32) -> State {
    let mut rng = Rng::stream(deal, "batch test", u64::from(steps));
    let mut state = *History::dealt(game, &mut rng).state();
    for _ in 0..rng.below(steps + 1) {
        if game.turn(&state) == Turn::Over {
            break;
        }
        match game.turn(&state).seat() {
            Some(_) => {
                let action = game.legal(&state).pick(&mut rng);
                game.apply(&mut state, action);
            }
            None => game.settle(&mut state, &mut rng),
        }
    }
    state
}

/// What a game ended with: the scores in hundredths.
type Outcome = [i32; 2];

fn outcome(game: &Schwinget, state: &State) -> Outcome {
    assert_eq!(game.turn(state), Turn::Over);
    let returns = game.returns(state);
    [0, 1].map(|seat| (100.0 * returns[Seat(seat)]).round() as i32)
}

/// The p-value of both samples coming from one distribution is above one in a million.
fn alike(first: &BTreeMap<Outcome, f64>, second: &BTreeMap<Outcome, f64>, about: &str) {
    let keys: std::collections::BTreeSet<_> = first.keys().chain(second.keys()).collect();
    let of = |counts: &BTreeMap<Outcome, f64>, key| counts.get(key).copied().unwrap_or(0.0);
    // Rare outcomes together.
    let (mut rare, mut statistic, mut degrees) = ([0.0; 2], 0.0, -1.0);
    let mut add = |a: f64, b: f64| {
        statistic += (a - b) * (a - b) / (a + b);
        degrees += 1.0;
    };
    for key in keys {
        let (a, b) = (of(first, key), of(second, key));
        if a + b < 20.0 {
            rare = [rare[0] + a, rare[1] + b];
        } else {
            add(a, b);
        }
    }
    if rare[0] + rare[1] >= 20.0 {
        add(rare[0], rare[1]);
    }
    // Wilson and Hilferty 1931.
    let normal = ((statistic / f64::max(degrees, 1.0)).cbrt() - 1.0 + 2.0 / (9.0 * f64::max(degrees, 1.0)))
        / (2.0 / (9.0 * f64::max(degrees, 1.0))).sqrt();
    assert!(normal < 4.75, "{about}: chi-square {statistic:.1} with {degrees} degrees of freedom");
}

#[test]
fn batches_are_distributed_as_single_playouts() {
    for &(rules, count) in RULES {
        let game = game(rules);
        for hinted in [false, true] {
            // One deal again and again; many deals; many positions.
            for (deals, steps) in [(1, 0), (count as u64, 0), (count as u64, 14)] {
                let mut counts: [BTreeMap<Outcome, f64>; 2] = Default::default();
                let mut plies = [0.0; 2];
                let mut rng = Rng::stream(1, "batches", 0);
                let starts: Vec<State> = (0..count).map(|i| somewhere(&game, i as u64 % deals, steps)).collect();
                let mut batched = starts.clone();
                // Sizes that fill lanes and sizes that do not.
                let mut rest = batched.as_mut_slice();
                for size in [1, 7, 32, 33, 64, 100, 128, 129, 1000].into_iter().cycle() {
                    let (batch, others) = rest.split_at_mut(size.min(rest.len()));
                    plies[0] += match hinted {
                        false => game.playouts(batch, &mut rng),
                        true => game.hinted_playouts(batch, &mut rng),
                    } as f64;
                    rest = others;
                    if rest.is_empty() {
                        break;
                    }
                }
                for (start, end) in starts.iter().zip(&batched) {
                    let mut single = *start;
                    plies[1] += f64::from(match hinted {
                        false => game.playout(&mut single, &mut rng),
                        true => game.hinted_playout(&mut single, &mut rng),
                    });
                    *counts[0].entry(outcome(&game, end)).or_default() += 1.0;
                    *counts[1].entry(outcome(&game, &single)).or_default() += 1.0;
                }
                let about = format!("{rules}, hinted {hinted}, {deals} deals, {steps} steps");
                alike(&counts[0], &counts[1], &about);
                // The number of decisions varies by about six at most.
                let (mean, bound) = ((plies[0] - plies[1]) / count as f64, 6.0 * 6.0 / (count as f64).sqrt());
                let bouts = f64::from(game.rules().bouts).sqrt();
                assert!(mean.abs() < bound * bouts, "{about}: {mean} decisions more");
            }
        }
    }
}

/// The end of a match is a state as play makes it: every card in its place, nothing left over from the last trick.
#[test]
fn ends_are_whole_states() {
    for &(rules, _) in RULES {
        let game = game(rules);
        let mut rng = Rng::stream(2, "batches", 0);
        let starts: Vec<State> = (0..300).map(|deal| somewhere(&game, deal, 9)).collect();
        let mut ends = starts.clone();
        game.playouts(&mut ends, &mut rng);
        let mut shapes: [std::collections::BTreeSet<String>; 2] = Default::default();
        for (start, end) in starts.iter().zip(&ends) {
            let mut single = *start;
            game.playout(&mut single, &mut rng);
            for (index, state) in [end, &single].into_iter().enumerate() {
                shapes[index].insert(shape(&game, state));
            }
        }
        assert_eq!(shapes[0], shapes[1], "{rules}");
    }
}

/// What is always the same at an end, from the picture that `Debug` gives.
fn shape(game: &Schwinget, state: &State) -> String {
    let text = format!("{state:?}");
    let field = |name: &str| text.split(&format!("{name}: ")).nth(1).expect("a field").to_string();
    let number = |text: &str| text.trim_matches(|c: char| !c.is_ascii_digit()).parse::<u64>().expect("a number");
    let pair = |name: &str| {
        let inside = field(name).split(']').next().expect("a pair").trim_start_matches('[').to_string();
        inside.split(", ").map(number).collect::<Vec<_>>()
    };
    let one = |name: &str| field(name).split([',', ' ', '}']).next().expect("a value").to_string();
    let (hands, played, taken) = (pair("hands"), pair("played"), pair("taken"));
    let pool = number(&one("pool"));
    let turned = number(&one("turned"));
    assert_eq!(played[0] & played[1], 0);
    assert_eq!(pool & (played[0] | played[1]), 0);
    let cards = (pool | played[0] | played[1] | 1 << turned).count_ones() as usize;
    assert_eq!(cards, game.info().num_outcomes, "all cards are somewhere: {text}");
    assert_eq!(taken[0] + taken[1], number(&one("tricks")), "{text}");
    assert_eq!(2 * number(&one("tricks")), u64::from((played[0] | played[1]).count_ones()));
    let left = u64::from(game.rules().pile_size().expect("a pile")) + 2 * u64::from(game.rules().hand_size)
        - 2 * number(&one("tricks"));
    assert_eq!(number(&one("pile")), left, "{text}");
    format!("{hands:?} {} {} {} {} {}", one("phase"), one("led"), one("reply"), one("neutral"), one("bout"))
}

#[test]
fn a_batch_repeats_with_its_seed() {
    let game = game("");
    let play = |seed| {
        let mut states: Vec<State> = (0..100).map(|deal| somewhere(&game, deal, 5)).collect();
        let plies = game.playouts(&mut states, &mut Rng::stream(seed, "batches", 0));
        (states, plies)
    };
    assert_eq!(play(3), play(3));
    assert_ne!(play(3), play(4));
    assert_eq!(game.playouts(&mut [], &mut Rng::stream(3, "batches", 0)), 0);
}
