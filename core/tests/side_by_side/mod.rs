//! Shared parts of the comparisons of an engine with its naive reference: random rules, and the properties that must
//! agree at every node of every game.

use stier_core::{Action, FromRules, History, Notation, Options, Rng, Seat, Turn, record};

/// The reference's description of a node.
pub(crate) struct Node {
    /// The seat to act; `None` if `possible` is up to chance, or empty.
    pub(crate) seat: Option<usize>,
    /// The possible events, by name and in order, with probabilities if chance acts.
    pub(crate) possible: Vec<(String, f64)>,
    /// The returns of all seats.
    pub(crate) returns: Vec<f64>,
    /// The largest allowed difference between returns.
    pub(crate) tolerance: f64,
}

/// Equally likely names, for [`Node::possible`].
pub(crate) fn equally<S: ToString>(names: Vec<S>) -> Vec<(String, f64)> {
    let probability = 1.0 / names.len() as f64;
    names.iter().map(|name| (name.to_string(), probability)).collect()
}

/// Compares the engine with the reference's description; returns the possible events with names.
#[track_caller]
pub(crate) fn same_node<G: Notation>(game: &G, history: &History<G>, said: &Node) -> Vec<(Action, String)> {
    let state = history.state();
    let context = || record::write(game, history);
    let turn = match said.seat {
        Some(seat) => Turn::Seat(Seat(seat as u8)),
        None if said.possible.is_empty() => Turn::Over,
        None => Turn::Chance,
    };
    assert_eq!(game.turn(state), turn, "the player to act\n{}", context());
    let possible: Vec<(Action, String)> =
        game.possible(state).into_iter().map(|action| (action, game.event_name(state, action))).collect();
    let names = possible.iter().map(|(_, name)| name);
    let expected = said.possible.iter().map(|(name, _)| name);
    assert!(names.clone().eq(expected), "possible events: {names:?}, not {:?}\n{}", said.possible, context());
    let chance = game.chance(state);
    assert_eq!(chance.len(), if turn == Turn::Chance { possible.len() } else { 0 }, "odds\n{}", context());
    for (outcome, (name, probability)) in chance.iter().zip(&said.possible) {
        assert!((outcome.probability / probability - 1.0).abs() < 1e-12, "the probability of {name}\n{}", context());
    }
    let returns = game.returns(state);
    assert_eq!(returns.len(), said.returns.len(), "one return per seat\n{}", context());
    for (&own, expected) in returns.iter().zip(&said.returns) {
        let differ = (own - expected).abs() > said.tolerance;
        assert!(!differ, "returns {returns:?}, not {:?}\n{}", said.returns, context());
    }
    possible
}

/// Plays under `count` random sets of rules that are valid in both implementations. Returns the number of sets that
/// are valid in neither.
#[track_caller]
pub(crate) fn under_random_rules<G: FromRules, V>(
    (seed, purpose, count): (u64, &str, u64),
    mut rules: impl FnMut(u64, &mut Rng) -> String,
    variant: impl Fn(&str) -> Option<V>,
    mut play: impl FnMut(&G, &V, &mut Rng),
) -> u32 {
    let mut refused = 0;
    for index in 0..count {
        let mut rng = Rng::stream(seed, purpose, index);
        let text = rules(index, &mut rng);
        let game = G::new(G::Rules::from_text(&text).expect("the options exist"));
        let variant = variant(&text);
        assert_eq!(game.is_ok(), variant.is_some(), "both must agree whether these rules are valid: {text}");
        match (game, variant) {
            (Ok(game), Some(variant)) => play(&game, &variant, &mut rng),
            _ => refused += 1,
        }
    }
    refused
}

/// A value for every option, drawn uniformly from the listed ones, in which values may be repeated.
pub(crate) fn any_of(options: &[(&str, &[&str])], rng: &mut Rng) -> String {
    let pick = |(name, values): &(&str, &[&str])| format!("{name}={}", values[rng.below(values.len() as u32) as usize]);
    options.iter().map(pick).collect::<Vec<_>>().join(",")
}
