//! Arbitrary input for every game: nothing panics, nothing illegal is accepted, and errors change nothing.

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any, proptest};
use stier_core::options::Allowed;
use stier_core::{Action, FromRules, FullGame, History, OptionValue, Options, Turn, for_each_game, record};

/// Options from bytes: each pair picks an option and either one of the values in its description or an invalid one.
fn rules_from<O: Options>(bytes: &[u8]) -> O {
    let infos = O::describe();
    let mut options = O::default();
    for pair in bytes.chunks_exact(2) {
        let Some(info) = infos.get(usize::from(pair[0]) % infos.len().max(1)) else { break };
        let value = match &info.allowed {
            Allowed::Range(OptionValue::Int(low), _) => (low + i64::from(pair[1] % 16)).to_string(),
            Allowed::Names(names) => names.get(usize::from(pair[1] % 4)).unwrap_or(&"nonsense").to_string(),
            other => panic!("no values for {other:?}"),
        };
        let before = options.clone();
        if options.set(info.name, &value).is_err() {
            assert_eq!(options, before, "an error must not change the options");
        }
    }
    options
}

/// Plays a game from bytes: each is tried as an action id, and then as an index into the possible events.
fn any_bytes_play<G: FullGame + FromRules>(rules: &[u8], bytes: &[u8]) {
    let rules: G::Rules = rules_from(rules);
    assert_eq!(G::Rules::from_text(&rules.to_text()), Ok(rules.clone()));
    let Ok(game) = G::new(rules) else { return };
    let mut history = History::new(&game);
    for &byte in bytes {
        let state = *history.state();
        let possible = game.possible(&state);
        let tried = Action(byte);
        match game.check(&state, tried) {
            Ok(()) => assert!(possible.contains(&tried)),
            Err(error) => {
                assert!(!possible.contains(&tried));
                assert!(error.to_string().contains("legal here"));
            }
        }
        if game.turn(&state) == Turn::Over {
            break;
        }
        history.push(&game, possible[usize::from(byte) % possible.len()]);
    }
    let text = record::write(&game, &history);
    assert!(record::read::<G>(&text).expect("the record can be read").1 == history);
    // A record with one byte changed is either another valid record or an error.
    if let Some(&byte) = bytes.last() {
        let mut changed = text.into_bytes();
        let place = usize::from(byte) * 7 % changed.len();
        changed[place] = changed[place].wrapping_add(1 + byte % 20);
        if let Ok(changed) = String::from_utf8(changed) {
            let _ = record::read::<G>(&changed);
        }
    }
}

macro_rules! fuzz {
    ($module:ident, $game:ty) => {
        mod $module {
            use super::{ProptestConfig, any, any_bytes_play, proptest, vec};

            proptest! {
                #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]
                #[test]
                fn takes_any_bytes(rules in vec(any::<u8>(), 0..16), bytes in vec(any::<u8>(), 0..200)) {
                    any_bytes_play::<$game>(&rules, &bytes);
                }
            }
        }
    };
}
for_each_game!(fuzz);
