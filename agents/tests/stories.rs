//! The story of a game tells a seat all that it may know, and nothing else.

use std::collections::BTreeSet;

use stier_agents::erased::DynState;
use stier_agents::tell::{Said, Sentence, story};
use stier_core::scene::is_told;
use stier_core::{Rng, Seat, Turn, games};

/// Plays a random action. Returns false at the end.
fn play(state: &mut dyn DynState, rng: &mut Rng) -> bool {
    let legal = state.possible();
    state.turn().seat().is_some() && state.apply(legal[rng.below(legal.len() as u32) as usize]).is_ok()
}

fn own_actions(state: &dyn DynState, seat: Seat) -> usize {
    state.events().iter().filter(|event| event.turn == Turn::Seat(seat)).count()
}

/// The true events by name, with the actors as a story for `seat` calls them.
fn truth(state: &dyn DynState, seat: Seat) -> Vec<(Option<String>, String)> {
    let mut past = state.game().new_state(None);
    let told = |event: &stier_core::Event| {
        let who = event.turn.seat().map(|actor| if actor == seat { "you:".into() } else { format!("{actor:?}:") });
        let name = past.event_name(event.action);
        past.apply(event.action).expect("legal");
        (who, name)
    };
    state.events().iter().map(told).collect()
}

#[test]
fn stories_are_true_and_the_same_in_all_worlds_that_a_seat_cannot_tell_apart() {
    for name in games::NAMES {
        let game = stier_games::load(name, "").expect("default rules");
        let (mut others, mut hidden, mut lengths) = (0, 0, BTreeSet::new());
        let (mut likely, mut certain) = (0, 0);
        for index in 0..4 {
            let mut rng = Rng::stream(41, name, index);
            let mut state = game.new_state(Some(index));
            while play(&mut *state, &mut rng) {
                let seat = Seat(rng.below(game.info().num_seats as u32) as u8);
                let own = own_actions(&*state, seat);
                let since = (own > 0).then(|| rng.below(own as u32) as usize);
                let told = story(&*state, seat, since);
                for seed in 1..3 {
                    let other = state.resample(seat, seed);
                    others += usize::from(!other.same(&*state));
                    lengths.insert(other.events().len().abs_diff(state.events().len()));
                    assert_eq!(story(&*other, seat, since), told, "{name}, {seat:?}");
                }
                hidden += told.lines.iter().filter(|line| line.said == Said::HiddenMove).count();
                let is_true = |line: &Sentence, (who, event): &(Option<String>, String)| {
                    line.event.as_ref() == Some(event) && who.as_ref().is_none_or(|who| *who == line.text(seat))
                };
                likely += told.lines.iter().filter(|line| line.likely).count();
                certain += told.lines.iter().filter(|line| line.event.is_some()).count();
                for seed in 0..20 {
                    let world = if seed == 0 { state.duplicate() } else { state.resample(seat, 100 + seed) };
                    let truth = truth(&*world, seat);
                    let mut rest = truth.iter();
                    for line in told.lines.iter().filter(|line| line.event.is_some()) {
                        let holds = line.likely || rest.any(|event| is_true(line, event));
                        assert!(holds, "{name}, {seat:?}: {line:?} in {truth:?}");
                    }
                }
                let acted = told.lines.iter().filter(|line| line.event.is_some() && line.mover == Some(seat)).count();
                assert_eq!(acted, own, "{name}, {seat:?}");
            }
        }
        assert!(likely < certain / 10, "{name}: {likely} of {certain} lines are likely only");
        assert!(others > 0, "{name}: the worlds differ");
        assert_eq!(lengths.len() > 1, game.info().hidden_moves, "{name}");
        assert_eq!(hidden > 0, game.info().hidden_moves || game.info().simultaneous, "{name}");
    }
}

/// Facts whose words may name a seat. Stories leave them out, and so does the web page, which shows them as pictures.
const NAMING_SEATS: [&str; 2] = ["first_player", "pile"];

#[test]
fn facts_are_told_without_the_numbers_of_seats() {
    assert!(!NAMING_SEATS.iter().any(|&fact| is_told(fact)));
    for name in games::NAMES {
        let game = stier_games::load(name, "").expect("default rules");
        for index in 0..4 {
            let mut rng = Rng::stream(43, name, index);
            let mut state = game.new_state(Some(index));
            loop {
                for perspective in Seat::all(game.info().num_seats).map(Some).chain([None]) {
                    for (fact, words) in state.scene(perspective).told() {
                        assert!(!words.contains("seat ") || NAMING_SEATS.contains(&fact), "{name}: {fact}: {words}");
                    }
                }
                if !play(&mut *state, &mut rng) {
                    break;
                }
            }
        }
    }
}

/// The lines that a seat reads after moves by name; `*` stands for the first legal move.
fn lines(game: &str, rules: &str, moves: &str, seat: u8, since: Option<usize>) -> Vec<String> {
    let mut state = stier_games::load(game, rules).expect("a game").new_state(Some(7));
    let seat = Seat(seat);
    for name in moves.split_whitespace() {
        let action = if name == "*" { state.possible()[0] } else { state.parse_event(name).expect("a move") };
        state.apply(action).expect("legal");
    }
    let told = story(&*state, seat, since);
    let text = |line: &Sentence| {
        let margin = if line.follows { "  " } else { "" };
        let note = if line.forced { " (forced)" } else { "" };
        format!(
            "{margin}{}{}{note}",
            line.text(seat),
            line.event.iter().map(|name| format!(" {name}")).collect::<String>()
        )
    };
    told.news().map(text).collect()
}

#[test]
fn a_story_is_told_in_short_sentences() {
    let games = [
        ("dark_hex", "a1 a1 b1 b1 c1", 0),
        ("goofspiel", "* * * *", 1),
        ("kuhn_poker", "pass bet", 0),
        ("leduc_poker", "call call raise", 0),
        ("liars_dice", "1x2 2x6 liar", 0),
        ("schweins_galopp", "* * * * * * * *", 0),
        ("schwimmen", "* * * * * *", 0),
        ("schwinget", "* * * *", 0),
        ("up_and_down", "* * * * * * * *", 0),
    ];
    let told = games.map(|(game, moves, seat)| format!("{game}\n{}\n", lines(game, "", moves, seat, None).join("\n")));
    assert_eq!(told.concat(), GOLDEN);
}

const GOLDEN: &str = "\
dark_hex
you: a1
seat 1 makes a hidden move
you: b1
  you: known stones b1
you: c1
goofspiel
seat 0: 1
you: 1
  prize: 3
seat 0: 2
you: 2
  prize: 2
kuhn_poker
you: pass
seat 1: bet
leduc_poker
you: call
seat 1: call
turned up: J2
you: raise
liars_dice
you: 1x2
seat 1: 2x6
you: liar (forced)
schweins_galopp
you: a
  you: at risk 1
seat 1: a
  seat 1: at risk 1
seat 2: a
  seat 2: at risk 1
seat 3: a
  seat 3: at risk 1
you: b
seat 1: a
  seat 1: at risk 2
seat 2: b
seat 3: b
schwimmen
seat 2: keep
you: take:S7
you: give:HJ
  you: worth 25
seat 1: take:HJ
seat 1: give:DT
seat 2: take:DT
schwinget
you: G4
you draw Y2
seat 1: G3
seat 1 draws a card
  you win the trick
you: R5
you draw R6
seat 1: R2
seat 1 draws a card
  you win the trick
up_and_down
seat 2: flip
  side: DOWN, the lowest wins
seat 2: D3
seat 3: D2
you: D4
seat 1: D7
  seat 3 wins the trick
seat 3: flip
  side: UP, the highest wins
seat 3 makes a hidden move
you: D8
";

#[test]
fn hidden_moves_come_out_when_they_are_shown() {
    let told = |moves, since| lines("goofspiel", "impinfo=off", moves, 1, since);
    assert_eq!(told("2", None), ["seat 0 makes a hidden move"]);
    assert_eq!(told("2 3", Some(0))[..2], ["seat 0 had chosen: 2", "you: 3"]);
    assert_eq!(told("2 3", None)[..2], ["seat 0: 2", "you: 3"]);
}
