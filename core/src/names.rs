//! Names in messages: the one that was meant, and the known ones.

/// The name that is most like a text, ignoring case: the first with the fewest insertions, deletions, replacements and
/// exchanges of neighbours. If even this takes more than a third of the letters, the first name that begins with the
/// text, which must have three letters or more. An abbreviation comes before all: `dcfr` is `discounted_cfr`.
pub fn closest<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let text = text.trim().to_lowercase();
    let letters = text.chars().count();
    let names: Vec<&str> = names.into_iter().collect();
    let shortened =
        |name: &str| name.split_once('_').map(|(word, rest)| word.chars().take(1).collect::<String>() + rest);
    if let Some(name) = names.iter().find(|name| shortened(name).is_some_and(|short| short == text)) {
        return Some(name);
    }
    let distance = |name: &'a str| {
        let most = letters.max(name.chars().count()) / 3;
        let near = letters.abs_diff(name.chars().count()) <= most;
        let distance = near.then(|| strsim::osa_distance(&text, &name.to_lowercase()))?;
        (distance <= most).then_some((distance, name))
    };
    let near = names.iter().copied().filter_map(distance).min_by_key(|&(distance, _)| distance).map(|(_, name)| name);
    near.or_else(|| names.into_iter().find(|name| letters >= 3 && name.to_lowercase().starts_with(&text)))
}

/// The end of an error about a text that may be one of these names, misspelt: `; did you mean 'deal'?`, or nothing.
pub fn meant<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    closest(text, names).map_or(String::new(), |name| format!("; did you mean '{name}'?"))
}

/// The end of an error about an unknown name, from the names that are known, separated by commas.
///
/// ```
/// # use stier_core::names::alternatives;
/// assert_eq!(alternatives("greedi", "agents", "greedy, random"), "; did you mean 'greedy'? Agents: greedy, random");
/// assert_eq!(alternatives("rand", "agents", "greedy, random"), "; did you mean 'random'? Agents: greedy, random");
/// assert_eq!(alternatives("best", "agents", "greedy, random"), "; agents: greedy, random");
/// assert_eq!(alternatives("fmc", "agents", "pimc, flat_mc"), "; did you mean 'flat_mc'? Agents: pimc, flat_mc");
/// ```
pub fn alternatives(text: &str, kind: &str, known: &str) -> String {
    match closest(text, known.split(", ")) {
        Some(name) => format!("; did you mean '{name}'? {}{}: {known}", kind[..1].to_uppercase(), &kind[1..]),
        None => format!("; {kind}: {known}"),
    }
}

/// The end of an error about text that is not a name, from the names that are known, separated by blanks.
pub(crate) fn expected(text: &str, known: &str) -> String {
    match closest(text, known.split(' ')) {
        Some(name) => format!("; did you mean '{name}'? Expected one of {known}"),
        None => format!("; expected one of {known}"),
    }
}

/// Words with a gap between them. Generic code calls this instead of `join`, which would be compiled for each game.
pub(crate) fn joined(words: &[String], gap: &str) -> String {
    words.join(gap)
}

pub(crate) fn none_if_empty(names: &[String]) -> String {
    if names.is_empty() { "none".to_string() } else { names.join(", ") }
}
