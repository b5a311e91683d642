//! Exact counts of event sequences of Schwimmen, kept as data in `perft/schwimmen.perft` and counted twice: by the engine to
//! every depth, by the naive reference as far as it gets in reasonable time.

#[expect(dead_code, reason = "counting asks for no returns")]
mod schwimmen_reference;

use schwimmen_reference::{Match, Variant};
use stier_core::games::schwimmen::{Rules, Schwimmen};
use stier_core::testing::perft;
use stier_core::{Game, History, Notation, Options, Turn};

/// One position of the file.
struct Position<'a> {
    id: &'a str,
    rules: &'a str,
    events: Vec<&'a str>,
    /// Depths and counts.
    counts: Vec<(usize, u64)>,
}

/// Blocks of `id`, `rules`, `events` and `perft` lines, with blank lines between them; `#` starts a comment.
fn positions(text: &str) -> Vec<Position<'_>> {
    let mut found: Vec<Position> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        if key == "id" {
            found.push(Position { id: value, rules: "", events: vec![], counts: vec![] });
            continue;
        }
        let position = found.last_mut().expect("a position starts with its id");
        match key {
            "rules" => position.rules = value,
            "events" => position.events = value.split(' ').filter(|name| !name.is_empty()).collect(),
            "perft" => {
                let (depth, count) = value.split_once(' ').expect("a depth and a count");
                position.counts.push((depth.parse().unwrap(), count.parse().unwrap()));
            }
            other => panic!("'{other}' in the block of {}", position.id),
        }
    }
    found
}

fn file() -> Vec<Position<'static>> {
    positions(include_str!("perft/schwimmen.perft"))
}

#[test]
fn the_engine_counts_what_the_file_says() {
    let mut total = 0;
    for position in file() {
        let game = Schwimmen::new(Rules::from_text(position.rules).unwrap()).unwrap();
        let mut history = History::new(&game);
        for name in position.events {
            let state = history.state();
            let action = match game.turn(state) {
                Turn::Chance => game.parse_outcome(name).unwrap(),
                _ => game.parse_action(name).unwrap(),
            };
            game.check(state, action).unwrap();
            history.push(&game, action);
        }
        assert!(!position.counts.is_empty(), "{} has counts", position.id);
        for (depth, count) in position.counts {
            assert_eq!(perft(&game, history.state(), depth), count, "{}, depth {depth}", position.id);
            total += count;
        }
    }
    println!("{total} sequences");
}

/// The most sequences that the reference is asked to count at once.
const FEASIBLE: u64 = 400_000;

#[test]
fn the_reference_counts_what_the_file_says() {
    for position in file() {
        let mut start = Match::new(Variant::from_text(position.rules).unwrap());
        position.events.iter().for_each(|name| start.apply(name));
        let feasible: Vec<_> = position.counts.iter().filter(|(_, count)| *count <= FEASIBLE).collect();
        assert!(feasible.len() >= 3, "{} has counts that can be checked", position.id);
        for &(depth, count) in feasible {
            assert_eq!(sequences(&start, depth), count, "{}, depth {depth}", position.id);
        }
    }
}

/// As `stier_core::testing::perft` counts: games that end earlier count once.
fn sequences(game: &Match, depth: usize) -> u64 {
    let possible = game.possible();
    match depth {
        _ if possible.is_empty() => return 1,
        0 => return 1,
        1 => return possible.len() as u64,
        _ => {}
    }
    let after = |name: &String| {
        let mut next = game.clone();
        next.apply(name);
        sequences(&next, depth - 1)
    };
    possible.iter().map(after).sum()
}
