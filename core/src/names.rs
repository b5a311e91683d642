//! Names in messages: the one that was meant, and the known ones.

use crate::list::Listing as _;

/// The name that is most like a text, ignoring case: the first with the fewest insertions, deletions, replacements and
/// exchanges of neighbours. If even this takes more than a third of the letters, the first name that begins with the
/// text, which must have three letters or more. An abbreviation comes before all: `dcfr` is `discounted_cfr`.
pub fn closest<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    closest_of(text, &names.into_iter().list())
}

fn closest_of<'a>(text: &str, names: &[&'a str]) -> Option<&'a str> {
    let text = text.trim().to_lowercase();
    let letters = text.chars().count();
    let mut near: Option<(usize, &str)> = None;
    for &name in names {
        if let Some((word, rest)) = name.split_once('_') {
            let rest_of_text = word.chars().next().map_or(Some(&*text), |first| text.strip_prefix(first));
            if rest_of_text == Some(rest) {
                return Some(name);
            }
        }
        let size = name.chars().count();
        let most = letters.max(size) / 3;
        if letters.abs_diff(size) > most {
            continue;
        }
        let distance = strsim::osa_distance(&text, &name.to_lowercase());
        if distance <= most && near.is_none_or(|(nearest, _)| distance < nearest) {
            near = Some((distance, name));
        }
    }
    let begins = |name: &&&str| letters >= 3 && name.to_lowercase().starts_with(&text);
    near.map(|(_, name)| name).or_else(|| names.iter().find(begins).copied())
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
