//! The inputs that fuzzing keeps: one of each kind that parsers accept or refuse, and every one that a bug was found
//! with. See `agents/fuzz`.

#[expect(unreachable_pub, reason = "the crate of the fuzzer exports them")]
#[path = "../fuzz/src/lib.rs"]
mod parsers;

use std::fs;
use std::path::{Path, PathBuf};

/// The entries of a folder in the corpus, in ascending order.
fn entries(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(folder);
    let mut entries: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    entries
}

#[test]
fn parsers_survive_the_corpus() {
    let folders = entries("");
    assert!(folders.iter().map(|path| path.file_name().expect("a name")).eq(parsers::PARSERS.map(|(name, _)| name)));
    for (name, parse) in parsers::PARSERS {
        let inputs = entries(name);
        assert!(!inputs.is_empty(), "{name} has inputs");
        for path in inputs {
            println!("{}", path.display());
            parse(&fs::read(path).expect("a file"));
        }
    }
}
