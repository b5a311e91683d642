//! The structure of the sources: no circles between files, and a floor for each room.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms of each crate from bottom to top: each uses only itself and those below it. Among the agents, networks are
/// below beliefs and rollouts, because a network may be the model of other players in a belief, the policy of a rollout and
/// the value at its cutoff.
const ROOMS: [(&str, &str); 3] = [
    (
        "core",
        "hash list seats float word rng fact encode names utility processor scene dyn_pen options bits error actions symmetry \
         game dealer filter record playout plain games",
    ),
    ("agents", "agent network belief rollout solve search catalogue arena batch erased tell"),
    (
        "python",
        "errors run scene judgement processor stats values arrays python_game game state properties listing serial search \
         policy pit_result game_methods state_methods agent python_agent worlds vector_settings entrants vector pit solve tree \
         public",
    ),
];

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// A module by the names of its path within the crate.
type Module = Vec<String>;

/// The modules of a crate, each with the paths that it uses.
fn modules(crate_folder: &str) -> BTreeMap<Module, BTreeSet<Module>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(crate_folder).join("src");
    let mut found = BTreeMap::new();
    for file in files(&source).into_iter().filter(|file| file.extension().is_some_and(|ext| ext == "rs")) {
        let inside = file.strip_prefix(&source).expect("a file of the crate").with_extension("");
        let mut module: Module = inside.iter().map(|name| name.to_str().expect("a name").to_string()).collect();
        module.pop_if(|last| *last == "mod" || *last == "lib");
        if module.last().is_some_and(|last| last == "tests") {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a text");
        let code = text.split("#[cfg(test)]\nmod tests {").next().expect("a part");
        let code: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        found.insert(module.clone(), paths(&code.join("\n"), &module));
    }
    found
}

/// The paths within the crate that a text names, in use declarations and elsewhere.
fn paths(code: &str, module: &Module) -> BTreeSet<Module> {
    let mut found = BTreeSet::new();
    for (root, base) in [("crate::", &[][..]), ("self::", &module[..])] {
        for (at, _) in code.match_indices(root) {
            if !code[..at].ends_with(|symbol: char| symbol.is_alphanumeric() || "_$:".contains(symbol)) {
                tree(&code[at + root.len()..], base.to_vec(), &mut found);
            }
        }
    }
    for (at, _) in code.match_indices("super::") {
        if !code[..at].ends_with(|symbol: char| symbol.is_alphanumeric() || "_$:".contains(symbol)) {
            let rest = code[at..].trim_start_matches("super::");
            let steps = (code.len() - at - rest.len()) / "super::".len();
            tree(rest, module[..module.len().saturating_sub(steps)].to_vec(), &mut found);
        }
    }
    found
}

/// Reads the paths of a use tree, such as `a::{b, c::D}`, and returns the rest of the text.
fn tree<'a>(text: &'a str, mut path: Module, found: &mut BTreeSet<Module>) -> &'a str {
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = tree(rest.trim_start(), path.clone(), found).trim_start();
            rest = match rest.strip_prefix(',') {
                Some(rest) if !rest.trim_start().starts_with('}') => rest,
                Some(rest) => return rest.trim_start().strip_prefix('}').unwrap_or(rest),
                None => return rest.strip_prefix('}').unwrap_or(rest),
            };
        }
    }
    let end = text.find(|symbol: char| !symbol.is_alphanumeric() && symbol != '_').unwrap_or(text.len());
    path.push(text[..end].to_string());
    match text[end..].strip_prefix("::") {
        Some(rest) if end > 0 => tree(rest, path, found),
        _ => {
            found.insert(path);
            &text[end..]
        }
    }
}

/// The modules that each one uses. A folder and the files in it belong together, so they do not count.
fn arrows(modules: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeMap<&Module, BTreeSet<&Module>> {
    let known = |path: &Module| {
        let mut prefixes = (1..=path.len()).rev().filter_map(|length| modules.get_key_value(&path[..length]));
        prefixes.next().map(|(module, _)| module)
    };
    // Names that the crate exports from its modules.
    let exported = |path: &Module| modules[&Module::new()].iter().find(|known| known.last() == path.first());
    let owner = |path: &Module| known(path).or_else(|| exported(path).and_then(known));
    let targets = |(module, paths): (_, &BTreeSet<Module>)| {
        let module: &Module = module;
        let others = paths.iter().filter_map(owner);
        let others = others.filter(|other| !other.starts_with(module) && !module.starts_with(other));
        (module, others.collect())
    };
    modules.iter().map(targets).collect()
}

/// The modules in circles and between them: what remains once those are taken away that use no others or are not used.
fn circles(modules: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<String> {
    let mut left = arrows(modules);
    loop {
        let used: BTreeSet<&Module> = left.values().flatten().copied().collect();
        let before = left.len();
        left.retain(|module, others| !others.is_empty() && used.contains(module));
        let names: BTreeSet<&Module> = left.keys().copied().collect();
        left.values_mut().for_each(|others| others.retain(|other| names.contains(other)));
        if left.len() == before {
            let shown = |(module, others): (&Module, BTreeSet<&Module>)| {
                let others: Vec<String> = others.into_iter().map(|other| other.join("::")).collect();
                format!("{} uses {}", module.join("::"), others.join(", "))
            };
            return left.into_iter().map(shown).collect();
        }
    }
}

#[test]
fn no_modules_use_each_other() {
    for (folder, _) in ROOMS {
        let modules = modules(folder);
        let arrows: usize = arrows(&modules).values().map(BTreeSet::len).sum();
        assert!(arrows > modules.len(), "{folder}: {arrows} arrows between {} modules", modules.len());
        let circles = circles(&modules);
        assert!(circles.is_empty(), "{folder}:\n{}", circles.join("\n"));
    }
}

#[test]
fn rooms_use_only_those_below_them() {
    for (folder, rooms) in ROOMS {
        let rooms: Vec<&str> = rooms.split_whitespace().collect();
        let level = |module: &Module| {
            let place = rooms.iter().position(|other| other == &module[0]);
            place.unwrap_or_else(|| panic!("{folder}: {} is not in the list of rooms", module[0]))
        };
        let modules = modules(folder);
        let named: BTreeSet<&str> = modules.keys().filter_map(|module| Some(module.first()?.as_str())).collect();
        assert_eq!(named, rooms.iter().copied().collect(), "{folder}");
        for (module, others) in arrows(&modules).into_iter().filter(|(module, _)| !module.is_empty()) {
            for other in others {
                assert!(
                    level(other) <= level(module),
                    "{folder}: {} must not use {}",
                    module.join("::"),
                    other.join("::")
                );
            }
        }
    }
}
