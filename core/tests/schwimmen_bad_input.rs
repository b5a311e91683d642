//! Bad input to Schwimmen: a clear error that names the valid choices, no change of state, no panic.

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any};
use proptest::{prop_assert_eq, proptest};
use stier_core::games::schwimmen::{Rules, Schwimmen};
use stier_core::{
    Action, ActionSet, FromRules as _, Game, History, Notation, OptionError, Options, Rng, RulesError, record,
};

/// A match with few turns, played to the end at random.
fn finished() -> (Schwimmen, History<Schwimmen>) {
    let game = Schwimmen::new(Rules::from_text("play=match,max_turns=5,max_deals=4").unwrap()).unwrap();
    let mut rng = Rng::stream(5, "bad input", 0);
    let mut history = History::dealt(&game, &mut rng);
    while game.turn(history.state()).seat().is_some() {
        history.push(&game, game.legal(history.state()).pick(&mut rng));
        history.settle(&game, &mut rng);
    }
    (game, history)
}

#[test]
fn errors_for_bad_values_name_the_allowed_values() {
    for (text, allowed) in [
        ("players=1", "between 2 and 5"),
        ("players=6", "between 2 and 5"),
        ("three_of_a_kind=yes", "on or off"),
        ("dealer_swap=hidden", "blind, open or off"),
        ("max_turns=0", "between 1 and 200"),
        ("play=bout", "deal or match"),
        ("dealer=first", "last, 0, 1, 2, 3 or 4"),
        ("max_deals=201", "between 1 and 200"),
        ("utility=margin", "stakes or win"),
        ("suits=1", "between 2 and 4"),
        ("ranks=2", "between 3 and 8"),
    ] {
        let error = Rules::from_text(text).unwrap_err();
        assert!(matches!(error, OptionError::Value { .. }), "{text}: {error:?}");
        assert!(error.to_string().contains(allowed), "{error}");
    }
}

#[test]
fn inconsistent_rules_are_refused() {
    for (text, says) in [
        ("suits=2,ranks=5", "10 cards; 3 players need 15 or more"),
        ("players=5,ranks=5", "20 cards; 5 players need 23 or more"),
        ("players=2,dealer=2", "seat 2 cannot deal among 2 players; dealer must be last or 0 to 1"),
    ] {
        let error = Schwimmen::new(Rules::from_text(text).unwrap()).unwrap_err();
        assert!(matches!(error, RulesError::Misfit(_)));
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[test]
fn errors_for_illegal_actions_name_the_rule_and_the_legal_actions() {
    let (game, over) = finished();
    let mut history = History::new(&game);
    for event in over.events() {
        let state = history.state();
        let possible = game.possible(state);
        for id in (0..=u8::MAX).map(Action).filter(|id| !possible.contains(id)) {
            let error = game.check(state, id).unwrap_err();
            assert_eq!(error.legal.len(), possible.len());
            assert!(error.to_string().contains(&id.0.to_string()) && !error.rule.is_empty(), "{error}");
        }
        history.push(&game, event.action);
    }
    let error = game.check(over.state(), game.parse_action("push").unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "illegal action push (65): the game is over; legal here: none");
}

#[test]
fn errors_for_unknown_action_text_list_all_names() {
    let (game, _) = finished();
    for text in ["", "take:D6", "take:d7", "D7", "swap-all", "pass"] {
        let error = game.parse_action(text).unwrap_err();
        assert!(error.known.starts_with("take:D7 take:D8") && error.known.ends_with("push knock keep swap"), "{error}");
    }
    assert!(game.parse_outcome("push").unwrap_err().known.ends_with("CK CA"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Events replaced by other events of the game: an error, or a record that is written back unchanged; never a
    /// panic.
    #[test]
    fn replaced_events_never_panic(edits in vec((any::<proptest::sample::Index>(), 0..101_u8), 1..4)) {
        let (game, history) = finished();
        let text = record::write(&game, &history);
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        let mut words: Vec<String> = lines[3].split(' ').map(str::to_string).collect();
        for (place, id) in edits {
            let place = 1 + place.index(words.len() - 1);
            words[place] = if id < 69 { game.action_name(Action(id)) } else { game.outcome_name(Action(id - 69)) };
        }
        lines[3] = words.join(" ");
        let changed = lines.join("\n");
        if let Ok((_, again)) = record::read::<Schwimmen>(&changed) {
            let written = record::write(&game, &again);
            prop_assert_eq!(written.trim_end(), changed.trim_end());
        }
    }
}
