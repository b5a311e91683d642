//! The effect of the exploration constant: UCB1 on a bandit with constant payoffs, compared with the UCB1 of the
//! literature.

use crate::toys::{BANDIT, bandit::REWARDS};
use stier_agents::{Agent, AgentSpec};
use stier_core::{Game, History, Plain, Seat};

const PULLS: u64 = 500;

/// The pulls of each arm: all arms once, then the one with the highest mean + c x spread x sqrt(ln(pulls so far) /
/// pulls of the arm). The spread is twice the standard deviation of all rewards at the last power of two of pulls,
/// from 16 on, and the whole range before that. It does not shrink.
fn ucb1(c: f64) -> [u64; REWARDS.len()] {
    let rewards = REWARDS.map(f64::from);
    let mut pulls = [1_u64; REWARDS.len()];
    let mut seen = rewards.to_vec();
    let mut spread: Option<f64> = None;
    while (seen.len() as u64) < PULLS {
        let log = (seen.len() as f64).ln();
        let bound = |arm: usize| rewards[arm] + c * spread.unwrap_or(1.0) * (log / pulls[arm] as f64).sqrt();
        let arm = (0..rewards.len()).max_by(|&a, &b| bound(a).total_cmp(&bound(b))).expect("an arm");
        pulls[arm] += 1;
        seen.push(rewards[arm]);
        if seen.len() >= 16 && seen.len().is_power_of_two() {
            let mean = seen.iter().sum::<f64>() / seen.len() as f64;
            let variance = seen.iter().map(|reward| (reward - mean).powi(2)).sum::<f64>() / seen.len() as f64;
            spread = Some(spread.unwrap_or(0.0).max(2.0 * variance.sqrt()));
        }
    }
    pulls
}

/// The number of times that an agent tries each arm.
fn visits(agent: &str) -> [u64; REWARDS.len()] {
    let mut agent: Box<dyn Agent<Plain>> = agent.parse::<AgentSpec>().expect("an agent").build(&*BANDIT, 1);
    let history = History::new(&*BANDIT);
    let view = BANDIT.view(&history, Seat(0));
    let search = agent.act(&*BANDIT, &view, BANDIT.legal(history.state())).search.expect("a search");
    std::array::from_fn(|arm| search.actions[arm].visits)
}

#[test]
fn little_exploration_keeps_to_the_best_arm_and_much_tries_the_others() {
    let (little, much) = (ucb1(0.3), ucb1(1.0));
    // By the formula, the best arm gets 95 % and 71 %.
    assert!(little[1] > 470 && (340..370).contains(&much[1]), "{little:?} and {much:?}");
    for agent in [
        "ismcts:iterations=500",
        "ismcts:iterations=500,observer=multi",
        "ris_mcts:iterations=500",
        "flat_mc:iterations=500,allocation=ucb1",
    ] {
        let [found_little, found_much] = ["0.3", "1"].map(|c| visits(&format!("{agent},c={c}")));
        for (found, expected) in [(found_little, little), (found_much, much)] {
            assert_eq!(found.iter().sum::<u64>(), PULLS);
            // Searches that count the current pull are a pull or two ahead.
            let close = found.iter().zip(expected).all(|(&found, expected)| found.abs_diff(expected) <= 3);
            assert!(close, "{agent}: {found:?}, by the formula {expected:?}");
            // The payoffs are 0.9, 0.85, 0.7 and 0.1.
            assert!(found[1] > found[3] && found[3] > found[2] && found[2] >= found[0], "{agent}: {found:?}");
        }
        assert!(found_little[1] > found_much[1] + 80, "{agent}: {found_little:?} and {found_much:?}");
        assert!(found_little[3] * 3 < found_much[3] && found_little[2] * 3 < found_much[2], "{agent}");
    }
}
