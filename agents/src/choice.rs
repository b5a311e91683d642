//! Which action is played after a search.

use std::cmp::Ordering;

use stier_core::{Action, Rng, choice};

use crate::agent::{ActionStats, Decision, Search};

choice! {
    /// Which action is played after the search.
    pub enum Choose {
        /// The one visited most often.
        Visits = "visits",
        /// The one with the highest mean return.
        Value = "value",
        /// One drawn in proportion to the visits.
        Sample = "sample",
    }
}

impl Choose {
    /// Chooses by what a search found, of equals the first, and says so in the `probability` of every action. `rng` draws where the
    /// choice is random. There must be an action.
    pub fn decide(self, mut search: Search, rng: &mut Rng) -> Decision {
        let actions = &mut search.actions;
        let total: u64 = actions.iter().map(|stats| stats.visits).sum();
        let chosen = match self {
            Choose::Visits => best(actions, |a, b| a.visits.cmp(&b.visits).then(a.value.total_cmp(&b.value))),
            Choose::Value => {
                best(actions, |a, b| (a.visits > 0).cmp(&(b.visits > 0)).then(a.value.total_cmp(&b.value)))
            }
            Choose::Sample if total == 0 => 0,
            Choose::Sample => {
                let mut drawn = rng.below_wide(total);
                let here = |stats: &ActionStats| {
                    let here = drawn < stats.visits;
                    drawn = drawn.wrapping_sub(if here { 0 } else { stats.visits });
                    here
                };
                actions.iter().position(here).expect("one of the visits")
            }
        };
        let spread = self == Choose::Sample && total > 0;
        for (index, stats) in actions.iter_mut().enumerate() {
            stats.probability =
                if spread { stats.visits as f64 / total as f64 } else { f64::from(u8::from(index == chosen)) };
        }
        Decision {
            action: Action(actions[chosen].action),
            policy: actions.iter().map(|stats| (Action(stats.action), stats.probability)).collect(),
            search: Some(search),
        }
    }
}

/// The first of the best.
fn best(actions: &[ActionStats], order: impl Fn(&ActionStats, &ActionStats) -> Ordering) -> usize {
    (1..actions.len()).fold(0, |best, next| if order(&actions[next], &actions[best]).is_gt() { next } else { best })
}

#[cfg(test)]
mod tests {
    use stier_core::Rng;

    use super::Choose;
    use crate::agent::{ActionStats, Search};

    fn found(stats: &[(u64, f64)]) -> Search {
        let actions = stats.iter().zip(0..).map(|(&(visits, value), action)| ActionStats {
            action,
            visits,
            value,
            availability: 0,
            probability: 0.0,
        });
        Search { actions: actions.collect(), iterations: 0, nodes: 0, seconds: 0.0 }
    }

    #[test]
    fn choices_are_by_visits_by_value_or_drawn() {
        let mut rng = Rng::stream(1, "choice", 0);
        let stats = [(2, 0.5), (5, -0.5), (0, 9.0), (5, -0.25), (2, 0.5)];
        let mut action = |choose: Choose| choose.decide(found(&stats), &mut rng).action.0;
        assert_eq!(action(Choose::Visits), 3);
        assert_eq!(action(Choose::Value), 0, "untried actions have no value");
        let mut drawn = [0.0_f64; 5];
        (0..14_000).for_each(|_| drawn[usize::from(action(Choose::Sample))] += 1.0 / 1000.0);
        assert!(drawn.iter().zip([2.0, 5.0, 0.0, 5.0, 2.0]).all(|(found, visits)| (found - visits).abs() < 0.2));
    }

    #[test]
    fn probabilities_say_how_it_was_chosen() {
        let mut rng = Rng::stream(1, "choice", 0);
        let mut policy = |choose: Choose, stats: &[(u64, f64)]| -> Vec<f64> {
            let decision = choose.decide(found(stats), &mut rng);
            assert!(decision.search.unwrap().actions.iter().zip(&decision.policy).all(|(a, p)| a.probability == p.1));
            decision.policy.iter().map(|&(_, probability)| probability).collect()
        };
        assert_eq!(policy(Choose::Visits, &[(1, 0.0), (3, 0.0)]), [0.0, 1.0]);
        assert_eq!(policy(Choose::Sample, &[(1, 0.0), (3, 0.0)]), [0.25, 0.75]);
        assert_eq!(policy(Choose::Sample, &[(0, 0.0), (0, 0.0)]), [1.0, 0.0]);
    }
}
