//! Bad input of every kind: a clear error that names the valid choices, no change of state, no panic.

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any};
use proptest::{prop_assert_eq, proptest};
use stier_core::games::schwimmen::Schwimmen;
use stier_core::games::schwinget::{Rules, Schwinget};
use stier_core::record::{self, HEADER};
use stier_core::{
    Action, ActionSet, BySeat, FromRules as _, Game, History, IllegalAction, Notation, OptionError, Options,
    RecordError, Rng, RulesError,
};

/// The default game, played to the end at random.
fn finished() -> (Schwinget, History<Schwinget>) {
    let game = Schwinget::new(Rules::default()).unwrap();
    let mut rng = Rng::stream(5, "bad input", 0);
    let mut history = History::dealt(&game, &mut rng);
    while game.turn(history.state()).seat().is_some() {
        history.push(&game, game.legal(history.state()).pick(&mut rng));
        history.settle(&game, &mut rng);
    }
    (game, history)
}

/// The position after these events.
fn after(game: &Schwinget, events: &str) -> History<Schwinget> {
    let mut history = History::new(game);
    for name in events.split_whitespace() {
        let state = history.state();
        let action = if game.turn(state).seat().is_some() {
            game.parse_action(name).unwrap()
        } else {
            game.parse_outcome(name).unwrap()
        };
        game.check(state, action).unwrap();
        history.push(game, action);
    }
    history
}

const DEAL: &str = "G1 R1 G2 R2 G3 R3 B4 R4 B5 Y5 Y1";

#[test]
fn errors_for_unknown_options_name_the_options() {
    let error = Rules::from_text("scorring=points").unwrap_err();
    assert!(matches!(&error, OptionError::Unknown { name, .. } if name == "scorring"));
    let text = error.to_string();
    for info in Rules::describe() {
        assert!(text.contains(info.name), "{text}");
    }
}

#[test]
fn errors_for_bad_values_name_the_allowed_values() {
    for (text, allowed) in [
        ("scoring=wrestling", "points or schwinger"),
        ("bouts=0", "between 1 and 12"),
        ("bouts=13", "between 1 and 12"),
        ("bouts=-1", "between 1 and 12"),
        ("bouts=four", "between 1 and 12"),
        ("bouts=", "between 1 and 12"),
        ("bouts=4.0", "between 1 and 12"),
        ("suits=999999999999", "between 1 and 4"),
        ("referee=yes", "on or off"),
    ] {
        let error = Rules::from_text(text).unwrap_err();
        assert!(matches!(error, OptionError::Value { .. }), "{text}: {error:?}");
        assert!(error.to_string().contains(allowed), "{error}");
    }
}

#[test]
fn a_failed_set_changes_nothing() {
    let mut rules = Rules::from_text("bouts=4").unwrap();
    assert!(rules.set("bouts", "13").is_err());
    assert!(rules.set("bout", "3").is_err());
    assert_eq!(rules.to_text(), "bouts=4");
}

#[test]
fn text_that_is_not_a_list_of_options_is_refused() {
    assert!(matches!(Rules::from_text("bouts"), Err(OptionError::Syntax { .. })));
    assert!(matches!(Rules::from_text("bouts=4,bouts=4"), Err(OptionError::Twice { .. })));
    assert!(matches!(Rules::from_text("=4"), Err(OptionError::Unknown { .. })));
    assert!(matches!(Rules::from_text("bouts=4;scoring=points"), Err(OptionError::Value { .. })));
}

#[test]
fn an_odd_pile_is_refused() {
    let error = Schwinget::new(Rules::from_text("set_aside=5").unwrap()).unwrap_err();
    assert!(matches!(error, RulesError::Misfit(_)));
    assert!(error.to_string().contains("a pile of 11, which must be even"), "{error}");
}

#[test]
fn a_deck_that_is_too_small_is_refused() {
    let error = Schwinget::new(Rules::from_text("suits=2,values=4").unwrap()).unwrap_err();
    assert!(matches!(error, RulesError::Misfit(_)));
    assert!(error.to_string().contains("more than the 10 cards of the deck"), "{error}");
}

/// The error for an action in a position, after checks that it lists the legal actions.
fn illegal(history: &History<Schwinget>, name: &str) -> IllegalAction {
    let game = Schwinget::new(Rules::default()).unwrap();
    let before = *history.state();
    let error = game.check(history.state(), game.parse_action(name).unwrap()).unwrap_err();
    assert_eq!(*history.state(), before, "the state must not change");
    let legal: Vec<String> =
        game.legal(&before).iter().map(|action| format!("{} ({})", game.action_name(action), action.0)).collect();
    assert_eq!(error.legal, legal);
    let text = error.to_string();
    assert!(text.contains(name) && text.contains(&error.rule), "{text}");
    assert!(legal.iter().all(|name| text.contains(name.as_str())), "{text}");
    error
}

#[test]
fn errors_for_illegal_actions_name_the_rule_and_the_legal_actions() {
    let game = Schwinget::new(Rules::default()).unwrap();
    let lead = after(&game, DEAL);
    assert!(illegal(&lead, "R1").rule.contains("not in hand"));
    assert!(illegal(&lead, "lead:self").rule.contains("no referee"));
    let attacked = after(&game, &format!("{DEAL} attack"));
    assert!(illegal(&attacked, "attack").rule.contains("one attack"));
    let follow = after(&game, "G1 G2 R1 R2 R3 R4 R5 R6 B1 B2 Y1 G1 B3");
    assert!(illegal(&follow, "attack").rule.contains("only the player on lead"));
    assert!(illegal(&follow, "R2").rule.contains("G1 was led"), "{}", illegal(&follow, "R2"));
    let decide = after(&game, "G1 G2 R1 R2 R3 R4 R5 R6 KR B2 Y1 KR B3 B2 B4");
    assert!(illegal(&decide, "G1").rule.contains("who leads"));
    assert_eq!(illegal(&decide, "G1").legal, ["lead:self (27)", "lead:opponent (28)"]);
    let (_, over) = finished();
    assert!(illegal(&over, "G1").rule.contains("over"));
    assert!(illegal(&over, "G1").to_string().ends_with("legal here: none"));
}

#[test]
fn the_error_for_an_attack_without_a_pile_names_the_pile() {
    let game = Schwinget::new(Rules::from_text("set_aside=16").unwrap()).unwrap();
    let lead = after(&game, DEAL);
    let error = game.check(lead.state(), game.parse_action("attack").unwrap()).unwrap_err();
    assert!(error.rule.contains("pile is empty"), "{error}");
}

#[test]
fn ids_beyond_the_last_are_illegal_in_every_phase() {
    let game = Schwinget::new(Rules::default()).unwrap();
    for history in [after(&game, ""), after(&game, DEAL), finished().1] {
        for id in [29, 64, 200, 255] {
            let error = game.check(history.state(), Action(id)).unwrap_err();
            assert!(error.to_string().contains(&id.to_string()), "{error}");
        }
    }
}

#[test]
fn errors_for_unknown_action_text_list_all_names() {
    let game = Schwinget::new(Rules::from_text("suits=2,values=3,hand_size=2,set_aside=2").unwrap()).unwrap();
    for text in ["", "g1", "G4", "B1", "Attack", "lead", "G1 ", "27"] {
        let error = game.parse_action(text).unwrap_err();
        assert_eq!(error.known, "G1 G2 G3 R1 R2 R3 KR BK attack lead:self lead:opponent");
        assert!(error.to_string().contains("action of schwinget"), "{error}");
    }
    let error = game.parse_outcome("attack").unwrap_err();
    assert_eq!(error.known, "G1 G2 G3 R1 R2 R3 KR BK");
}

/// The error from reading this record.
fn refused(text: &str) -> RecordError {
    record::read::<Schwinget>(text).map(|(_, history)| history).expect_err(text)
}

#[test]
fn truncated_records_are_refused() {
    let (game, history) = finished();
    let text = record::write(&game, &history);
    for lines in 0..5 {
        let cut: String = text.lines().take(lines).map(|line| format!("{line}\n")).collect();
        let error = refused(&cut);
        assert!(matches!(error, RecordError::Header { line, .. } if line == lines + 1), "{error}");
        assert!(error.to_string().contains("the end of the text"), "{error}");
    }
    let (events, result) = text.split_once("\nresult").unwrap();
    let fewer_events = format!("{}\nresult{result}", &events[..events.rfind(' ').unwrap()]);
    assert!(matches!(refused(&fewer_events), RecordError::Result { actual, .. } if actual == "open"));
    let longer = format!("{text}more\n");
    assert!(matches!(refused(&longer), RecordError::Header { line: 6, .. }));
}

#[test]
fn records_of_other_games_and_versions_are_refused() {
    let (game, history) = finished();
    let text = record::write(&game, &history);
    let error = refused(&text.replace("schwinget", "jass"));
    assert!(matches!(&error, RecordError::OtherGame { found, .. } if found == "jass"));
    assert!(error.to_string().contains("schwinget"), "{error}");
    let error = refused(&text.replace(HEADER, "stier-record 2"));
    assert!(matches!(&error, RecordError::Header { line: 1, expected, .. } if expected == HEADER));
    assert!(error.to_string().contains("stier-record 2"), "{error}");
    assert_eq!(record::game(&text.replace("schwinget", "jass")).unwrap().0, "jass");
}

#[test]
fn records_with_bad_rules_are_refused() {
    let (game, history) = finished();
    let text = record::write(&game, &history);
    let error = refused(&text.replace("rules:", "rules: bouts=13"));
    assert!(matches!(error, RecordError::Rules(RulesError::Option(OptionError::Value { .. }))), "{error}");
    let error = refused(&text.replace("rules:", "rules: set_aside=5"));
    assert!(matches!(error, RecordError::Rules(RulesError::Misfit(_))), "{error}");
}

#[test]
fn records_with_changed_events_are_refused() {
    let with = |events: &str| format!("{HEADER}\ngame: schwinget\nrules:\nevents: {events}\nresult: open\n");
    assert!(record::read::<Schwinget>(&with(DEAL)).is_ok());
    let error = refused(&with("G1 R1 G2 attack"));
    assert!(matches!(error, RecordError::Event { index: 4, .. }), "{error}");
    let error = refused(&with("G1 R1 G2 G7"));
    assert!(error.to_string().contains("event 4: 'G7' is not a valid chance outcome of schwinget"), "{error}");
    let error = refused(&with("G1 R1 G1"));
    assert!(matches!(error, RecordError::Illegal { index: 3, .. }), "{error}");
    let error = refused(&with(&format!("{DEAL} R1")));
    assert!(matches!(&error, RecordError::Illegal { index: 12, .. }), "{error}");
    assert!(error.to_string().contains("legal here: G1 (0), G2 (1)"), "{error}");
}

/// Earlier versions wrote returns in single precision.
#[test]
fn records_with_returns_in_single_precision_are_read() {
    let text = include_str!("playthroughs/schwimmen_a_tied_cut.txt");
    let text: String = text.lines().take(5).map(|line| format!("{line}\n")).collect();
    let read = |thirds: &str| record::read::<Schwimmen>(&text.replace("0.3333333333333333", thirds));
    let (_, history) = read("0.33333334").expect("a record");
    assert_eq!(history.events(), read("0.3333333333333333").expect("a record").1.events());
    for wrong in ["0.3334", "0.33333334 0.33333334", "third"] {
        assert!(matches!(read(wrong), Err(RecordError::Result { .. })), "{wrong}");
    }
}

#[test]
fn records_with_a_changed_result_are_refused() {
    let (game, history) = finished();
    let text = record::write(&game, &history);
    let stated = text.lines().last().unwrap();
    for result in ["result: open", "result: 0 0", "result:", "result: 1e99 nonsense"] {
        assert_ne!(stated, result, "the game must not be a draw");
        let error = refused(&text.replace(stated, result));
        assert!(matches!(&error, RecordError::Result { .. }), "{error}");
        assert!(error.to_string().contains(&stated["result: ".len()..]), "{error}");
    }
}

#[test]
fn events_after_the_end_are_refused() {
    let (game, history) = finished();
    let text = record::write(&game, &history);
    let count = history.events().len();
    let error = refused(&text.replace("\nresult", " G1 G2\nresult"));
    assert_eq!(error, RecordError::AfterTheEnd { index: count + 1, after: count });
}

#[test]
fn records_are_read_back_as_written() {
    let (game, history) = finished();
    let (_, again) = record::read::<Schwinget>(&record::write(&game, &history)).unwrap();
    assert_eq!(again, history);
    assert_eq!(game.returns(again.state()), game.returns(history.state()));
    assert_ne!(game.returns(again.state()), BySeat::from([0.0; 2]), "the records above must not be of a draw");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Bytes changed, removed and inserted at random: an error, or a record that is written back unchanged; never a
    /// panic.
    #[test]
    fn mutated_records_never_panic(edits in vec((any::<proptest::sample::Index>(), any::<u8>(), 0..4_u8), 1..4)) {
        let (game, history) = finished();
        let mut bytes = record::write(&game, &history).into_bytes();
        for (place, byte, kind) in edits {
            let place = place.index(bytes.len());
            match kind {
                0 => bytes[place] = byte,
                1 => { bytes.remove(place); }
                2 => bytes.insert(place, byte),
                // A byte from elsewhere in the record, so that mutants get past the header.
                _ => bytes[place] = bytes[(place + usize::from(byte)) % bytes.len()],
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        match record::read::<Schwinget>(&text) {
            Ok((game, history)) => {
                let (_, again) = record::read::<Schwinget>(&record::write(&game, &history)).unwrap();
                prop_assert_eq!(again, history);
            }
            Err(error) => prop_assert_eq!(error.to_string().is_empty(), false),
        }
    }

    /// Events replaced by other events of the game.
    #[test]
    fn replaced_events_never_panic(edits in vec((any::<proptest::sample::Index>(), 0..29_u8), 1..4)) {
        let (game, history) = finished();
        let text = record::write(&game, &history);
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        let mut words: Vec<String> = lines[3].split(' ').map(str::to_string).collect();
        for (place, id) in edits {
            let place = 1 + place.index(words.len() - 1);
            words[place] = game.action_name(Action(id));
        }
        lines[3] = words.join(" ");
        let changed = lines.join("\n");
        if let Ok((_, again)) = record::read::<Schwinget>(&changed) {
            let written = record::write(&game, &again);
            prop_assert_eq!(written.trim_end(), changed.trim_end());
        }
    }

    /// Arbitrary text.
    #[test]
    fn any_options_text_is_read_or_refused(text in "[a-z_=,0-9 .-]{0,60}") {
        if let Ok(rules) = Rules::from_text(&text) {
            prop_assert_eq!(Rules::from_text(&rules.to_text()), Ok(rules));
        }
    }
}
