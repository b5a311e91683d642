//! The rooms of the library: each uses only itself and those below it. Networks are below beliefs and rollouts, because
//! a network may be the model of other players in a belief, the policy of a rollout and the value at its cutoff.

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms from bottom to top.
const ROOMS: [&str; 11] =
    ["agent", "network", "belief", "rollout", "solve", "search", "catalogue", "arena", "batch", "erased", "tell"];

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The names that follow `crate::` in the text.
fn used(text: &str) -> impl Iterator<Item = &str> {
    let end = |rest: &str| rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    text.split("crate::").skip(1).map(move |rest| &rest[..end(rest)])
}

#[test]
fn rooms_use_only_those_below_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src");
    let level = |room: &str| ROOMS.iter().position(|&other| other == room);
    let mut paths = 0;
    for path in files(&source) {
        let inside = path.strip_prefix(&source).expect("a file of the library");
        let Some(own) = inside.parent().and_then(|folder| folder.iter().next()) else { continue };
        let own = level(own.to_str().expect("a name")).unwrap_or_else(|| panic!("{own:?} is not in the list of rooms"));
        for room in used(&fs::read_to_string(&path).expect("a text")) {
            let other = level(room).unwrap_or_else(|| panic!("{}: crate::{room} is not a room", inside.display()));
            assert!(other <= own, "{}: {} must not use {room}", inside.display(), ROOMS[own]);
            paths += 1;
        }
    }
    assert!(paths > 200, "{paths}");
}
