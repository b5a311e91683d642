//! The choice of an action after a search.

use std::cmp::Ordering;

use stier_core::list::Listing as _;
use stier_core::{Action, Rng, choice};

use crate::agent::{ActionStats, Decision, Search, sampling};

choice! {
    /// The rule by which an action is chosen after the search.
    pub(crate) enum Choose {
        /// The action with the most visits.
        Visits = "visits",
        /// The action with the highest mean return.
        Value = "value",
        /// An action drawn in proportion to the visits.
        Sample = "sample",
        /// An action drawn from the average strategy of the search, if it keeps one. Otherwise it is drawn in
        /// proportion to the visits, from the actions whose mean return is at most two standard errors of the
        /// difference below that of the most visited one.
        Mixed = "mixed",
    }
}

impl Choose {
    /// Chooses from the results of a search, the first of equals, and fills in the `probability` of every action.
    /// `spread` is twice the standard deviation of returns, in the game's utility. `average` is the search's average
    /// strategy as weights, if it keeps one. `rng` draws if the choice is random. There must be at least one action.
    pub(crate) fn decide(self, mut search: Search, spread: f64, average: Option<Vec<f64>>, rng: &mut Rng) -> Decision {
        let actions = &mut search.actions;
        let mixture = match (self, average) {
            (Choose::Mixed, None) => without_noise(actions, spread),
            (_, average) => average.unwrap_or_default(),
        };
        let visits: Vec<f64> = actions.iter().map(|stats| stats.visits as f64).list();
        let (chosen, weights) = match self {
            Choose::Sample if visits.iter().any(|&visits| visits > 0.0) => {
                let point = rng.below_wide(actions.iter().map(|stats| stats.visits).sum());
                (sampling::place(actions.iter().map(|stats| stats.visits), point), &visits[..])
            }
            Choose::Mixed if mixture.iter().sum::<f64>() > 0.0 => (sampling::draw(&mixture, rng), &mixture[..]),
            Choose::Value => {
                (best(actions, |a, b| (a.visits > 0).cmp(&(b.visits > 0)).then(a.value.total_cmp(&b.value))), &[][..])
            }
            Choose::Visits | Choose::Sample | Choose::Mixed => {
                (best(actions, |a, b| a.visits.cmp(&b.visits).then(a.value.total_cmp(&b.value))), &[][..])
            }
        };
        let total: f64 = weights.iter().sum();
        for (index, stats) in actions.iter_mut().enumerate() {
            stats.probability = weights.get(index).map_or(f64::from(index == chosen), |weight| weight / total);
        }
        Decision::searched(Action(actions[chosen].action), search)
    }
}

/// The visits, with 0 for actions that are clearly worse than the most visited one: their mean return is lower by
/// more than two standard errors of the difference. `spread` is twice the standard deviation of returns, in the
/// game's utility.
fn without_noise(actions: &[ActionStats], spread: f64) -> Vec<f64> {
    let Some(most) = actions.iter().max_by_key(|stats| stats.visits) else { return Vec::new() };
    let share = |stats: &ActionStats| 1.0 / stats.visits.max(1) as f64;
    let weight = |stats: &ActionStats| {
        let error = spread * (share(stats) + share(most)).sqrt();
        if most.value - stats.value > error { 0.0 } else { stats.visits as f64 }
    };
    actions.iter().map(weight).list()
}

/// The first of the best actions.
fn best(actions: &[ActionStats], order: impl Fn(&ActionStats, &ActionStats) -> Ordering) -> usize {
    (1..actions.len()).fold(0, |best, next| if order(&actions[next], &actions[best]).is_gt() { next } else { best })
}

#[cfg(test)]
mod tests {
    use stier_core::Rng;

    use super::{Choose, without_noise};
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
        let mut action = |choose: Choose| choose.decide(found(&stats), 1.0, None, &mut rng).action.0;
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
            let decision = choose.decide(found(stats), 1.0, Some(vec![1.0, 1.0]), &mut rng);
            assert!(decision.search.unwrap().actions.iter().zip(&decision.policy).all(|(a, p)| a.probability == p.1));
            decision.policy.iter().map(|&(_, probability)| probability).collect()
        };
        assert_eq!(policy(Choose::Visits, &[(1, 0.0), (3, 0.0)]), [0.0, 1.0]);
        assert_eq!(policy(Choose::Sample, &[(1, 0.0), (3, 0.0)]), [0.25, 0.75]);
        assert_eq!(policy(Choose::Sample, &[(0, 0.0), (0, 0.0)]), [1.0, 0.0]);
        assert_eq!(policy(Choose::Mixed, &[(1, 0.0), (3, 0.0)]), [0.5, 0.5]);
    }

    #[test]
    fn mixed_choices_follow_the_mixture() {
        let mut rng = Rng::stream(1, "choice", 0);
        let mut drawn = [0.0_f64; 3];
        for _ in 0..10_000 {
            let stats = found(&[(9, 1.0), (5, 0.0), (5, 0.0)]);
            let decision = Choose::Mixed.decide(stats, 1.0, Some(vec![1.0, 0.0, 3.0]), &mut rng);
            drawn[usize::from(decision.action.0)] += 1.0 / 10_000.0;
        }
        assert!(drawn[1] == 0.0 && (drawn[2] - 0.75).abs() < 0.02, "{drawn:?}");
        let none = Choose::Mixed.decide(found(&[(2, 1.0), (5, 0.0)]), 1.0, Some(vec![0.0, 0.0]), &mut rng);
        assert_eq!(none.action.0, 1, "without a mixture: the most visited");
        let visits = Choose::Mixed.decide(found(&[(4, 1.0), (1, 1.0), (3, -9.0)]), 1.0, None, &mut rng);
        let shares: Vec<f64> = visits.policy.iter().map(|&(_, share)| share).collect();
        assert_eq!(shares, [0.8, 0.2, 0.0], "without an average: by visits, without clearly worse actions");
    }

    #[test]
    fn clearly_worse_actions_get_no_visits() {
        // The error of the difference of about 100 visits each is sqrt(2 / 100) = 0.141.
        let actions = found(&[(101, 1.0), (100, 0.87), (100, 0.85), (0, 0.0)]).actions;
        assert_eq!(without_noise(&actions, 1.0), [101.0, 100.0, 0.0, 0.0]);
        assert_eq!(without_noise(&actions, 0.5), [101.0, 0.0, 0.0, 0.0]);
        assert!(without_noise(&[], 1.0).is_empty());
    }
}
