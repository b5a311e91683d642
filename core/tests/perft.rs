//! Exact counts of event sequences, stored in `perft/<game>.perft` and counted twice: by the engine to every depth,
//! and by the naive reference of the game to the depths that it can count in reasonable time.

use stier_core::{Action, ActionSet as _, FromRules, FullGame, Game, History, Options, Turn};

/// The number of event sequences of length `depth` from a state. Random events count once per outcome, and games that
/// end earlier count once.
fn perft<G: Game>(game: &G, state: &G::State, depth: usize) -> u64 {
    if depth == 0 {
        return 1;
    }
    let after = |action: Action| {
        let mut next = *state;
        game.apply(&mut next, action);
        perft(game, &next, depth - 1)
    };
    match game.turn(state) {
        Turn::Over => 1,
        Turn::Chance => game.chance(state).iter().map(|outcome| after(outcome.action)).sum(),
        Turn::Seat(_) => game.legal(state).iter().map(after).sum(),
    }
}

/// One position of a file.
struct Position<'a> {
    id: &'a str,
    rules: &'a str,
    events: Vec<&'a str>,
    /// Depths and counts.
    counts: Vec<(usize, u64)>,
}

/// Reads blocks of `id`, `rules`, `events` and `perft` lines, separated by blank lines; `#` starts a comment.
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
            "events" => position.events = value.split_whitespace().collect(),
            "perft" => {
                let (depth, count) = value.split_once(' ').expect("a depth and a count");
                position.counts.push((depth.parse().unwrap(), count.parse().unwrap()));
            }
            other => panic!("unknown key '{other}' in the block of {}", position.id),
        }
    }
    found
}

/// Compares the engine's counts with the file.
fn engine_counts<G: FullGame + FromRules>(file: &str) {
    for position in positions(file) {
        let game = G::new(G::Rules::from_text(position.rules).unwrap()).unwrap();
        let mut history = History::new(&game);
        for name in position.events {
            let action = game.parse_event(history.state(), name).unwrap();
            game.check(history.state(), action).unwrap();
            history.push(&game, action);
        }
        assert!(!position.counts.is_empty(), "{} must have counts", position.id);
        for (depth, count) in position.counts {
            assert_eq!(perft(&game, history.state(), depth), count, "{}, depth {depth}", position.id);
        }
    }
}

/// A naive implementation of a game.
trait Naive: Clone {
    /// The game before the first event.
    fn start(rules: &str) -> Self;
    /// The names of the possible events; none at the end.
    fn possible(&self) -> Vec<String>;
    /// Applies an event.
    fn apply(&mut self, name: &str);
}

macro_rules! naive {
    ($module:ident, $table:ident, $name:ident => $text:expr) => {
        impl Naive for crate::naive::$module::$table {
            fn start(rules: &str) -> Self {
                Self::new(crate::naive::$module::Variant::from_text(rules).expect("valid rules"))
            }
            fn possible(&self) -> Vec<String> {
                self.possible().into_iter().map(|$name| $text).collect()
            }
            fn apply(&mut self, name: &str) {
                self.apply(name);
            }
        }
    };
}
naive!(schweins_galopp, Table, name => name);
naive!(schwimmen, Match, name => name);
naive!(schwinget, Match, name => name.to_string());
naive!(up_and_down, Match, option => option.0);

/// The largest count that a reference is asked to reproduce.
const FEASIBLE: u64 = 300_000;

/// Compares the reference's counts with the file.
fn reference_counts<N: Naive>(file: &str) {
    for position in positions(file) {
        let mut start = N::start(position.rules);
        position.events.iter().for_each(|name| start.apply(name));
        let feasible: Vec<_> = position.counts.iter().filter(|(_, count)| *count <= FEASIBLE).collect();
        assert!(feasible.len() >= 3, "{} must have counts small enough to check", position.id);
        for &(depth, count) in feasible {
            assert_eq!(sequences(&start, depth), count, "{}, depth {depth}", position.id);
        }
    }
}

/// Counts like [`perft`]: games that end earlier count once.
fn sequences<N: Naive>(game: &N, depth: usize) -> u64 {
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

macro_rules! counted_twice {
    ($module:ident, $game:ident, $table:ident) => {
        mod $module {
            use stier_core::games::$module::$game;

            use crate::naive::$module::$table;

            const FILE: &str = include_str!(concat!("perft/", stringify!($module), ".perft"));

            #[test]
            fn the_engine_agrees_with_the_file() {
                super::engine_counts::<$game>(FILE);
            }

            #[test]
            fn the_reference_agrees_with_the_file() {
                super::reference_counts::<$table>(FILE);
            }
        }
    };
}

/// Plain games have no reference: their counts are small enough to be checked by hand.
macro_rules! counted_once {
    ($module:ident, $game:ident) => {
        #[test]
        fn $module() {
            engine_counts::<stier_core::games::$module::$game>(include_str!(concat!(
                "perft/",
                stringify!($module),
                ".perft"
            )));
        }
    };
}
counted_once!(dark_hex, DarkHex);
counted_once!(goofspiel, Goofspiel);
counted_once!(kuhn_poker, KuhnPoker);
counted_once!(leduc_poker, LeducPoker);
counted_once!(liars_dice, LiarsDice);
counted_twice!(schweins_galopp, SchweinsGalopp, Table);
counted_twice!(schwimmen, Schwimmen, Match);
counted_twice!(schwinget, Schwinget, Match);
counted_twice!(up_and_down, UpAndDown, Match);
