//! The checksums that a web page must reproduce, and the questions natively.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use stier_agents::network::NetworkFile;
use stier_core::games::NAMES;

use crate::Engine;

/// An engine with all networks.
fn engine() -> Engine {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../core/src/games");
    for game in NAMES {
        // Not every game comes with a network.
        if let Ok(network) = fs::read(games.join(game).join("advice/network.safetensors")) {
            NetworkFile::provide(game, &network).expect("a network");
        }
    }
    Engine::default()
}

fn ask(engine: &mut Engine, method: &str, arguments: &Value) -> Value {
    let answer = engine.call(method, &arguments.to_string()).unwrap_or_else(|error| panic!("{method}: {error}"));
    serde_json::from_str(&answer).expect("JSON")
}

#[test]
fn games_searches_and_solutions_have_these_bits() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("checksums.json");
    let found = ask(&mut engine(), "checksums", &json!([1000]));
    if std::env::var_os("STIER_UPDATE").is_some() {
        fs::write(&path, serde_json::to_string_pretty(&found).expect("JSON") + "\n").expect("the file can be written");
    }
    let kept: Value = serde_json::from_str(&fs::read_to_string(&path).expect("the kept checksums")).expect("JSON");
    let (found, kept) = (found.as_array().expect("a list"), kept.as_array().expect("a list"));
    assert!(found.len() > 100, "{} checksums", found.len());
    for (found, kept) in found.iter().zip(kept) {
        assert_eq!(found, kept, "STIER_UPDATE=1 writes python/web/checksums.json anew");
    }
    assert_eq!(found.len(), kept.len());
    // Their solutions are met, or these deals have no choice in their endings.
    let endings = found.iter().filter(|one| one["name"].as_str().is_some_and(|name| name.contains("endings=ranges")));
    let hashes: HashSet<&str> = endings.filter_map(|one| one["hash"].as_str()).collect();
    assert_eq!(hashes.len(), 3);
}

#[test]
fn agents_with_more_memory_than_a_page_has_are_refused() {
    let mut engine = Engine::default();
    let position = json!({"game": "schwinget", "rules": "", "seed": "1", "moves": []});
    let mut refused = |agent: &str| {
        let arguments = [
            ("check", json!([position, agent])),
            ("decide", json!([position, agent, "1"])),
            ("analyse", json!([position, agent])),
        ];
        let errors = arguments.map(|(method, arguments)| engine.call(method, &arguments.to_string()).err());
        errors.map(|error| error.map(|error| error.to_string()))
    };
    let words = Some("memory_mb must be at most 1024 in a web page, got 1048576".to_string());
    let agents = ask(&mut Engine::default(), "agents", &json!([]));
    let options = |agent: &Value| agent["options"].as_array().expect("a list").clone();
    let limited = agents.as_array().expect("a list").iter().filter_map(|agent| {
        let has = options(agent).iter().any(|option| option["name"] == "memory_mb");
        has.then(|| agent["name"].as_str().expect("a name"))
    });
    let limited: Vec<String> = limited.map(|name| format!("{name}:memory_mb=1048576")).collect();
    assert!(limited.len() > 5, "{limited:?}");
    for agent in limited.iter().map(String::as_str).chain(["rule:cards=(ismcts:memory_mb=1048576)"]) {
        assert_eq!(refused(agent), [words.clone(), words.clone(), words.clone()], "{agent}");
    }
    assert_eq!(refused("ismcts:iterations=2,memory_mb=1024"), [None, None, None]);
}
