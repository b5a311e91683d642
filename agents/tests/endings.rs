//! Endings solved over ranges.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stier_agents::AgentSpec;
use stier_core::endings::Endings;
use stier_core::games::schwimmen::Schwimmen;
use stier_core::games::schwinget::Schwinget;
use stier_core::{Action, ActionSet as _, Actions64, FromRules as _, Game as _, History, Rng, Turn};

/// Schwinget's attack.
const ATTACK: Action = Action(26);
/// The tricks of an ending without and after an attack.
const TRICKS: [u8; 2] = [3, 2];

fn endings_of(game: &Schwinget) -> &dyn Endings<Schwinget> {
    game.endings().expect("it has endings")
}

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
                let is_ending = endings_of(&game).public_play(&view, TRICKS).is_some();
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

/// Every agent plays the same solution, and its own policy before the ending.
#[test]
fn searches_play_endings_like_the_network() {
    let game = Schwinget::from_text("").expect("rules");
    let endings = "endings=ranges,ending_tricks=0,attack_tricks=2,range_cut=0,ending_iterations=20";
    let agent = |spec: &str| spec.parse::<AgentSpec>().expect("an agent").build(&game, 1);
    let mut network = agent(&format!("network:choose=sample,{endings}"));
    let mut searches = ["mmds:rollouts=20", "best:iterations=20"].map(|search| agent(&format!("{search},{endings}")));
    let mut rng = Rng::stream(5, "endings", 0);
    let mut history = History::dealt(&game, &mut rng);
    let mut solved = 0;
    while let Turn::Seat(seat) = game.turn(history.state()) {
        let (view, legal) = (game.view(&history, seat), game.legal(history.state()));
        let is_ending = endings_of(&game).public_play(&view, [0, 2]).is_some() && legal.len() > 1;
        let expected = network.act(&game, &view, legal).policy;
        for search in &mut searches {
            let found = search.act(&game, &view, legal).policy;
            assert_eq!(found == expected, is_ending || legal.len() == 1);
        }
        solved += u32::from(is_ending);
        history.push(&game, if legal.contains(ATTACK) { ATTACK } else { legal.pick(&mut rng) });
        history.settle(&game, &mut rng);
    }
    assert!(solved > 0);
}

/// Five tricks without an attack would take more than a gigabyte, so the last four are solved. An agent that is interrupted plays on without a
/// solution, and finds it when it is asked again.
#[test]
fn the_largest_ending_that_fits_is_solved() {
    let game = Schwinget::from_text("").expect("rules");
    let agent = |tricks: u8| {
        let options = "attack_tricks=0,gadget=unsafe,range_cut=0,ending_iterations=1";
        let spec = format!("network:choose=sample,endings=ranges,ending_tricks={tricks},{options}");
        spec.parse::<AgentSpec>().expect("an agent").build(&game, 1)
    };
    let mut rng = Rng::stream(3, "endings", 0);
    let mut history = History::dealt(&game, &mut rng);
    let (view, legal) = loop {
        let Turn::Seat(seat) = game.turn(history.state()) else { unreachable!("the bout goes on") };
        let (view, legal) = (game.view(&history, seat), game.legal(history.state()));
        if endings_of(&game).public_play(&view, [4, 0]).is_some() && legal.len() > 1 {
            break (view, legal);
        }
        history.push(&game, legal.without(Actions64::default().with(ATTACK)).pick(&mut rng));
        history.settle(&game, &mut rng);
    };
    let [mut four, mut five] = [4, 5].map(agent);
    let network = "network:choose=sample".parse::<AgentSpec>().expect("an agent");
    let alone = network.build(&game, 1).act(&game, &view, legal).policy;
    let flag = Arc::new(AtomicBool::new(true));
    four.interrupt_with(flag.clone());
    assert_eq!(four.act(&game, &view, legal).policy, alone);
    flag.store(false, Ordering::Relaxed);
    let found = four.act(&game, &view, legal);
    assert_ne!(found.policy, alone);
    assert_eq!(found.policy, five.act(&game, &view, legal).policy);
    assert_eq!(found.search.expect("it tells its probabilities").actions.len(), found.policy.len());
}

/// With hands that a solution leaves out, the network plays alone.
#[test]
fn unlikely_hands_play_as_without_endings() {
    let game = Schwinget::from_text("").expect("rules");
    let agent = |options: &str| {
        let spec = format!("network:choose=sample{options}").parse::<AgentSpec>().expect("an agent");
        spec.build(&game, 1)
    };
    let endings = "endings=ranges,attack_tricks=2,ending_iterations=20";
    let mut alone = agent("");
    let [mut all, mut likely] = ["0", "0.3"].map(|cut| agent(&format!(",{endings},range_cut={cut}")));
    let mut left_out = [0; 2];
    for number in 0..6 {
        let mut rng = Rng::stream(number, "endings", 0);
        let mut history = History::dealt(&game, &mut rng);
        while let Turn::Seat(seat) = game.turn(history.state()) {
            let (view, legal) = (game.view(&history, seat), game.legal(history.state()));
            let decision = alone.act(&game, &view, legal);
            if legal.len() > 1 && endings_of(&game).public_play(&view, [0, 2]).is_some() {
                let [all, likely] = [&mut all, &mut likely].map(|agent| agent.act(&game, &view, legal).policy);
                assert_ne!(all, decision.policy);
                left_out[usize::from(likely == decision.policy)] += 1;
            }
            history.push(&game, decision.action);
            history.settle(&game, &mut rng);
        }
    }
    assert!(left_out.iter().all(|&count| count > 0), "{left_out:?}");
}

/// Before an ending, responders simulate the network alone.
#[test]
fn responders_play_on_by_the_network_before_an_ending() {
    let game = Schwinget::from_text("").expect("rules");
    let responder = |endings: &str| {
        let spec = format!("lbr:worlds=8,particles=64,against=(network:choose=sample{endings})");
        spec.parse::<AgentSpec>().expect("an agent").build(&game, 1)
    };
    let [mut alone, mut solving] = ["", ",endings=ranges,range_cut=0,ending_iterations=5"].map(responder);
    let (mut same, mut different) = (0, 0);
    for number in 0..3 {
        let mut rng = Rng::stream(number, "responders", 0);
        let mut history = History::dealt(&game, &mut rng);
        while let Turn::Seat(seat) = game.turn(history.state()) {
            let (view, legal) = (game.view(&history, seat), game.legal(history.state()));
            let [one, other] = [&mut alone, &mut solving].map(|responder| {
                let search = responder.act(&game, &view, legal).search;
                search.map(|search| search.actions.iter().map(|stats| stats.value).collect::<Vec<f64>>())
            });
            if endings_of(&game).public_play(&view, TRICKS).is_none() {
                assert_eq!(one, other);
                same += u32::from(legal.len() > 1);
            } else {
                different += u32::from(one != other);
            }
            let cards = legal.without(Actions64::default().with(ATTACK));
            history.push(&game, if number == 0 { legal.pick(&mut rng) } else { cards.pick(&mut rng) });
            history.settle(&game, &mut rng);
        }
    }
    assert!(same > 10 && different > 0, "{same} {different}");
}

#[test]
fn players_do_not_hold_cards_that_they_are_said_to_lack() {
    let game = Schwinget::from_text("").expect("rules");
    let mut voids = 0;
    for number in 0..20 {
        let mut rng = Rng::stream(number, "endings", 1);
        let (mut history, mut held) = (History::dealt(&game, &mut rng), Vec::new());
        while let Turn::Seat(seat) = game.turn(history.state()) {
            let view = game.view(&history, seat);
            if let Some(play) = endings_of(&game).public_play(&view, [3, 3]) {
                for (action, &hand) in play.actions.iter().zip(&held) {
                    assert_eq!(hand & action.lacking, 0);
                    voids += u32::from(action.lacking != 0);
                }
            }
            held.push(endings_of(&game).held(&view));
            let action = game.legal(history.state()).pick(&mut rng);
            history.push(&game, action);
            history.settle(&game, &mut rng);
        }
    }
    assert!(voids > 0);
}

#[test]
fn other_games_have_no_endings() {
    let refused = |spec: &AgentSpec| {
        let rules = Schwinget::from_text("bouts=4").expect("rules");
        [spec.check(&rules), spec.check(&Schwimmen::from_text("").expect("rules"))]
            .map(|found| found.expect_err("it is refused").to_string())
    };
    for agent in ["network:endings=ranges", "mmds:endings=ranges", "best:endings=ranges"] {
        for message in refused(&agent.parse().expect("an agent")) {
            assert!(
                message.contains("endings=ranges is possible in Schwinget with bouts=1 alone, not in"),
                "{message}"
            );
        }
    }
    assert!(!spec("resolve").facts().is_instant);
}
