//! The questions and answers as the page knows them.

use std::fs;
use std::path::Path;

#[test]
fn the_page_knows_the_questions_and_answers_as_they_are() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("page/src/protocol.ts");
    let found = stier_web::protocol();
    if std::env::var_os("STIER_UPDATE").is_some() {
        fs::write(&path, &found).expect("the file can be written");
    }
    let kept = fs::read_to_string(&path).expect("the kept types");
    for (found, kept) in found.lines().zip(kept.lines()) {
        assert_eq!(found, kept, "STIER_UPDATE=1 writes python/web/page/src/protocol.ts anew");
    }
    assert_eq!(found.len(), kept.len());
}
