//! The text form of options, compiled once for all sets of options.

use std::str::FromStr;

use crate::list::Listing as _;

use super::{OptionError, OptionInfo, OptionValue};

/// Splits a text at commas into trimmed parts, without empty ones. Commas within parentheses do not count, because a
/// value may itself be a list of options.
pub fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let between = move |symbol: char| {
        match symbol {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        symbol == ',' && depth == 0
    };
    text.split(between).map(str::trim).filter(|part| !part.is_empty())
}

/// Parses a number. Underscores between digits are skipped, as in Rust and Python.
pub fn number<T: FromStr>(text: &str) -> Option<T> {
    without_underscores(text)?.parse().ok()
}

/// The text of a number without underscores; `None` if one is not between digits.
fn without_underscores(text: &str) -> Option<String> {
    let digit = |place: Option<usize>| place.and_then(|at| text.as_bytes().get(at)).is_some_and(u8::is_ascii_digit);
    let mut rest = String::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        if letter != '_' {
            rest.push(letter);
        } else if !digit(at.checked_sub(1)) || !digit(Some(at + 1)) {
            return None;
        }
    }
    Some(rest)
}

pub(super) fn names(infos: &[OptionInfo]) -> String {
    let names = infos.iter().map(|info| info.name).list();
    if names.is_empty() { "none".to_string() } else { names.join(", ") }
}

/// Looks up the value of an option.
type Get<'a> = &'a dyn Fn(&str) -> Result<OptionValue, OptionError>;

pub(super) fn values(infos: &[OptionInfo], get: Get<'_>) -> Vec<(&'static str, OptionValue)> {
    infos.iter().filter_map(|info| Some((info.name, get(info.name).ok()?))).list()
}

pub(super) fn idle(
    infos: &[OptionInfo],
    values: &[(&'static str, OptionValue)],
) -> Option<(&'static str, &'static str)> {
    let is_idle = |(info, (_, value)): &(&OptionInfo, _)| *value != info.default && !info.has_effect(values);
    infos.iter().zip(values.iter().cloned()).find(is_idle).map(|(info, _)| (info.name, info.needs))
}

pub(super) fn text_form(infos: &[OptionInfo], get: Get<'_>) -> String {
    let changed = |info: &&OptionInfo| get(info.name).is_ok_and(|value| value != info.default);
    let part =
        |info: &OptionInfo| get(info.name).map_or_else(|_| String::new(), |value| format!("{}={value}", info.name));
    infos.iter().filter(changed).map(part).list().join(",")
}

/// Sets the options of a text form. Where the text before a comma is not a value, and values of the option may contain
/// commas, the value goes on after the comma.
pub(super) fn read(
    parts: &[&str],
    owner: &str,
    infos: &dyn Fn() -> Vec<OptionInfo>,
    set: &mut dyn FnMut(&str, &str) -> Result<(), OptionError>,
) -> Result<(), OptionError> {
    let owner = || owner.to_string();
    let mut given = Vec::new();
    let mut rest = parts.iter();
    while let Some(&part) = rest.next() {
        let (name, value) = part.split_once('=').ok_or_else(|| OptionError::Syntax {
            owner: owner(),
            text: part.to_string(),
            known: names(&infos()),
        })?;
        let name = name.trim();
        if let Err(error) = set(name, value.trim()) {
            let mut longer = value.trim().to_string();
            let fits = |&part: &&str| {
                longer = format!("{longer},{part}");
                set(name, &longer).is_ok()
            };
            let has_commas = infos().iter().any(|info| info.name == name && info.has_commas);
            let more = if has_commas { rest.clone().position(fits) } else { None };
            let more = more.ok_or(error)?;
            rest.nth(more);
        }
        if given.contains(&name) {
            return Err(OptionError::Twice { owner: owner(), name: name.to_string() });
        }
        given.push(name);
    }
    Ok(())
}
