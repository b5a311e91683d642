//! Endings solved over ranges.

use stier_agents::AgentSpec;
use stier_core::games::schwimmen::Schwimmen;
use stier_core::games::schwinget::Schwinget;
use stier_core::{Action, ActionSet as _, Actions64, FromRules as _, Game as _, History, Rng, Turn};

/// Schwinget's attack.
const ATTACK: Action = Action(26);
/// The tricks of an ending without and after an attack.
const TRICKS: [u8; 2] = [3, 2];

fn spec(gadget: &str) -> AgentSpec {
    let [without, after] = TRICKS;
    let tricks = format!("ending_tricks={without},attack_tricks={after},ending_iterations=20");
    format!("network:endings=ranges,gadget={gadget},{tricks}").parse().expect("an agent")
}

/// A new agent finds the same policy at any decision of an ending, for any seat, and with any seed, in bouts with and without
/// an attack.
#[test]
fn a_new_agent_finds_the_same_policy() {
    let game = Schwinget::from_text("").expect("rules");
    for gadget in ["unsafe", "resolve", "max_margin"] {
        let mut live = spec(gadget).build(&game, 1);
        let mut solved = [0; 2];
        for number in 0..2 {
            live.restart(number);
            let mut rng = Rng::stream(number, "endings", 0);
            let mut history = History::dealt(&game, &mut rng);
            while let Turn::Seat(seat) = game.turn(history.state()) {
                let (view, legal) = (game.view(&history, seat), game.legal(history.state()));
                let is_ending = game.course(&view, TRICKS).is_some();
                let cards = legal.without(Actions64::default().with(ATTACK));
                let action = if is_ending && legal.len() > 1 {
                    let decision = live.act(&game, &view, legal);
                    let other = spec(gadget).build(&game, 2).act(&game, &view, legal);
                    assert_eq!(decision.policy, other.policy);
                    let sum: f64 = decision.policy.iter().map(|(_, share)| share).sum();
                    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
                    // Of the other actions, each has its share.
                    let first = decision.policy[0].0;
                    let rest = live.act(&game, &view, legal.without(Actions64::default().with(first))).policy;
                    let left = 1.0 - decision.policy[0].1;
                    for (&(action, share), &(other, whole)) in rest.iter().zip(&decision.policy[1..]) {
                        assert_eq!(action, other);
                        assert!(left < 1e-6 || (share * left - whole).abs() < 1e-9, "{share} {whole}");
                    }
                    solved[number as usize] += 1;
                    decision.action
                } else if number == 1 && legal.contains(ATTACK) {
                    ATTACK
                } else {
                    cards.pick(&mut rng)
                };
                history.push(&game, action);
                history.settle(&game, &mut rng);
            }
        }
        assert!(solved.iter().all(|&count| count > 0), "{solved:?}");
    }
}

#[test]
fn other_games_have_no_endings() {
    let refused = |spec: &AgentSpec| {
        let rules = Schwinget::from_text("bouts=4").expect("rules");
        [spec.check(&rules), spec.check(&Schwimmen::from_text("").expect("rules"))]
            .map(|found| found.expect_err("it is refused").to_string())
    };
    for message in refused(&spec("resolve")) {
        assert!(message.contains("endings=ranges is not possible in"), "{message}");
    }
    assert!(!spec("resolve").facts().is_instant);
}
