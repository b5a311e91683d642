//! Games, their rules, and agents.

use std::collections::BTreeMap;

use serde::Serialize;
use stier_agents::catalogue::describe;
use stier_agents::erased::options;
use stier_core::options::Allowed;
use stier_core::scene::Face;
use stier_core::{FromRules, Notation, OptionInfo, OptionValue, games, with_game};

use crate::analysis;
use crate::engine::Problem;

/// An option of a game or an agent.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Option"))]
struct Choice {
    name: &'static str,
    about: &'static str,
    /// Its default, as text.
    default: String,
    /// The values that it allows, in words, such as "2 to 4" or "points, schwinger".
    allowed: String,
    /// The values, if they are a list of names.
    names: Vec<&'static str>,
    /// The range, if the values are numbers.
    range: Option<[f64; 2]>,
}

impl Choice {
    fn of(info: OptionInfo) -> Self {
        let allowed = info.allowed.to_string();
        let (names, range) = match info.allowed {
            Allowed::Names(names) => (names, None),
            Allowed::Range(low, high) => (Vec::new(), number(&low).zip(number(&high)).map(|(low, high)| [low, high])),
            Allowed::Other(_) => (Vec::new(), None),
        };
        Self { name: info.name, about: info.about, default: info.default.to_string(), allowed, names, range }
    }
}

fn number(value: &OptionValue) -> Option<f64> {
    match value {
        OptionValue::Int(value) => Some(*value as f64),
        OptionValue::Float(value) => Some(*value),
        OptionValue::Name(name) => name.parse().ok(),
    }
}

/// A game.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct GameInfo {
    name: &'static str,
    /// The name in its own language.
    title: &'static str,
    /// A game of the literature rather than one of the four.
    literature: bool,
    rules: Vec<Choice>,
}

/// The four card games, which this project is about.
const OWN: [&str; 4] = ["schwinget", "up_and_down", "schweins_galopp", "schwimmen"];

/// All games, the four card games first.
pub(crate) fn games() -> Vec<GameInfo> {
    fn of<G: FromRules + Notation>() -> GameInfo {
        let game = G::from_text("").expect("default rules are valid");
        let rules = options::<G>().into_iter().map(Choice::of).collect();
        GameInfo {
            name: G::NAME,
            title: game.scene(&game.root(), None).title,
            literature: !OWN.contains(&G::NAME),
            rules,
        }
    }
    let others = games::NAMES.iter().copied().filter(|name| !OWN.contains(name));
    let names = OWN.into_iter().chain(others);
    names.filter_map(|name| with_game!(name, G => of::<G>())).collect()
}

/// An agent.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Agent"))]
pub(crate) struct AgentInfo {
    name: &'static str,
    about: &'static str,
    /// True if it cannot play with its default options before a network is there.
    needs_network: bool,
    options: Vec<Choice>,
}

/// All agents.
pub(crate) fn agents() -> Vec<AgentInfo> {
    let of = |info: stier_agents::catalogue::AgentInfo| AgentInfo {
        name: info.name,
        about: info.about,
        needs_network: analysis::has_network(info.name),
        options: info.options.into_iter().map(Choice::of).collect(),
    };
    describe().into_iter().map(of).collect()
}

/// A game under its rules.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Rules {
    game: String,
    /// The rules as text, without the defaults.
    rules: String,
    seats: usize,
    /// The smallest and the largest return of a seat.
    range: (f64, f64),
    /// The faces of the cards by name; empty in a game without cards.
    faces: BTreeMap<String, Face>,
    /// The names of the agents that can play it with their default options.
    agents: Vec<&'static str>,
}

/// A game under these rules.
pub(crate) fn rules(name: &str, rules: &str) -> Result<Rules, Problem> {
    let game = stier_games::load(name, rules)?;
    let (info, facts) = (game.info(), game.facts());
    Ok(Rules {
        game: facts.name.to_string(),
        rules: facts.rules_text.clone(),
        seats: info.num_seats,
        range: info.utility_range,
        faces: facts.faces.iter().cloned().collect(),
        agents: game.agents(),
    })
}
