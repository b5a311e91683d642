//! Golden transcripts: whole games with everything that is shown of them, compared byte by byte.
//!
//! Each file in `playthroughs/` starts with a record, from which the rest is generated. To rewrite the files, use
//! `STIER_UPDATE=1 cargo test -p stier-core --test core playthroughs`. Look at the difference before you commit it.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

use stier_core::{FromRules, History, Notation, Seat, Turn, record, with_game};

/// The new part of a seat's knowledge: the words after `previous`, or all of them.
fn news(previous: &mut String, knowledge: String) -> String {
    let text = match knowledge.strip_prefix(previous.as_str()) {
        Some(added) if !previous.is_empty() => format!("...{added}"),
        _ => knowledge.clone(),
    };
    *previous = knowledge;
    text
}

/// The record, then the game event by event. In a run of random events, the state is shown before the first only.
fn transcript<G: Notation + FromRules>(record: &str) -> String {
    let (game, history) = record::read::<G>(record).unwrap();
    let mut out = record::write(&game, &history);
    let mut known = vec![String::new(); game.num_seats()];
    let mut now = History::new(&game);
    let mut before = None;
    for event in history.events().iter().map(Some).chain([None]) {
        let state = *now.state();
        let turn = game.turn(&state);
        if turn != Turn::Chance || before != Some(Turn::Chance) {
            let possible: Vec<String> = game.possible(&state).iter().map(|&a| game.event_name(&state, a)).collect();
            writeln!(out, "\n{}", game.text(&state, None)).unwrap();
            for seat in Seat::all(game.num_seats()) {
                let knowledge = game.knowledge(&game.view(&now, seat));
                writeln!(out, "{seat} knows: {}", news(&mut known[seat.index()], knowledge)).unwrap();
            }
            writeln!(out, "possible: {}", if possible.is_empty() { "nothing".into() } else { possible.join(" ") })
                .unwrap();
            writeln!(out, "returns: {:?}", game.returns(&state)).unwrap();
        }
        if let Some(event) = event {
            let actor = match turn {
                Turn::Seat(seat) => format!("seat {seat}"),
                _ => "chance".to_string(),
            };
            writeln!(out, "-> {actor}: {}", game.event_name(&state, event.action)).unwrap();
            now.push(&game, event.action);
        }
        before = Some(turn);
    }
    for seat in Seat::all(game.num_seats()) {
        writeln!(out, "in the end {}", game.knowledge(&game.view(&now, seat))).unwrap();
    }
    out
}

#[test]
fn transcripts_do_not_change() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/playthroughs");
    let mut files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 7, "transcripts are missing: {files:?}");
    let mut differing = Vec::new();
    for file in files {
        let golden = fs::read_to_string(&file).unwrap();
        let record: String = golden.lines().take(5).map(|line| format!("{line}\n")).collect();
        let name = record::game(&record).unwrap().0;
        let told = with_game!(name, G => transcript::<G>(&record))
            .unwrap_or_else(|| panic!("{}: unknown game '{name}'", file.display()));
        assert!(told.len() < 60_000, "{} has grown to {} bytes", file.display(), told.len());
        if env::var_os("STIER_UPDATE").is_some() {
            fs::write(&file, &told).unwrap();
        } else if told != golden {
            let line = told.lines().zip(golden.lines()).position(|(told, golden)| told != golden);
            let line = line.unwrap_or_else(|| told.lines().count().min(golden.lines().count()));
            differing.push(format!(
                "{}, line {}:\n  found:  {}\n  golden: {}",
                file.display(),
                line + 1,
                told.lines().nth(line).unwrap_or("(the end)"),
                golden.lines().nth(line).unwrap_or("(the end)")
            ));
        }
    }
    assert!(differing.is_empty(), "STIER_UPDATE=1 rewrites them.\n{}", differing.join("\n"));
}
