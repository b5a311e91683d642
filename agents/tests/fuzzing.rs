//! The inputs that fuzzing keeps: one of each kind that parsers accept or refuse, and every one that a bug was found
//! with. See `agents/fuzz`.

#[expect(unreachable_pub, reason = "the crate of the fuzzer exports them")]
#[path = "../fuzz/src/lib.rs"]
mod parsers;

use std::fs;
use std::path::Path;

/// Calls a parser with every input of a folder.
fn replay(folder: &str, parse: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(folder);
    let mut count = 0;
    for entry in fs::read_dir(&folder).expect("a folder of inputs") {
        let path = entry.expect("an input").path();
        println!("{}", path.display());
        parse(&fs::read(path).expect("a file"));
        count += 1;
    }
    assert!(count > 0, "there are inputs");
}

#[test]
fn parsers_survive_the_corpus() {
    replay("record", parsers::record);
    replay("rules", parsers::rules);
    replay("agent", parsers::agent);
    replay("network", parsers::network);
    replay("solution", parsers::solution);
    replay("checkpoint", parsers::checkpoint);
}
