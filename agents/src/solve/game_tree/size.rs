//! Estimates of the size of a tree before it is enumerated, by random probing (Knuth 1975, "Estimating the efficiency
//! of backtrack programs").
//!
//! A probe plays one game with uniformly random actions and random events. Each history on the way is weighted by the
//! number of actions and outcomes available so far. The expected sum of these weights is the number of histories.
//! Consecutive random events are one chance node, so an outcome is divided by the number of orders of the same events
//! with the same result. This is exact if only the order of cards dealt together is lost.

use stier_core::list::sort_few;
use stier_core::{Action, ActionSet as _, Game, History, Rng, Seat, Turn};

/// The number of histories of a game, estimated from random games.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TreeSize {
    /// The mean of all probes. It is unbiased, but often too low if a few probes are much larger than the rest.
    pub histories: f64,
    /// The standard error of the mean.
    pub error: f64,
    /// The median of the probes.
    pub median: f64,
}

impl TreeSize {
    fn of(probe: &mut dyn FnMut(u64) -> f64, probes: u64) -> Self {
        let mut found: Vec<f64> = (0..probes).map(probe).collect();
        sort_few(&mut found, |one, other| one < other);
        let count = probes as f64;
        let mean = found.iter().sum::<f64>() / count;
        let squares: f64 = found.iter().map(|one| (one - mean) * (one - mean)).sum();
        Self { histories: mean, error: (squares / (count - 1.0) / count).sqrt(), median: found[found.len() / 2] }
    }

    /// Returns true if the tree almost certainly has more histories than `most`. To avoid rejecting small trees, the
    /// mean must be three standard errors above twice `most`, or the median four times as large. By Markov's
    /// inequality, a probe exceeds four times the truth with a probability of at most a quarter, so the median of
    /// many probes does not.
    pub(crate) fn exceeds(&self, most: usize) -> bool {
        let most = most as f64;
        self.histories - 3.0 * self.error > 2.0 * most || self.median > 4.0 * most
    }
}

/// Estimates the number of histories from this many random games, at least 2. The result is always the same.
pub fn estimate_size<G: Game>(game: &G, probes: u64) -> TreeSize {
    assert!(probes >= 2, "a standard error needs at least 2 probes, got {probes}");
    TreeSize::of(&mut |index| probe(game, &mut Rng::stream(0, "tree size", index)), probes)
}

/// The number of histories along one random game, each weighted by the number that it represents.
fn probe<G: Game>(game: &G, rng: &mut Rng) -> f64 {
    let mut history = History::new(game);
    let (mut weight, mut sum) = (1.0, 1.0);
    loop {
        match game.turn(history.state()) {
            Turn::Over => return sum,
            Turn::Seat(_) => {
                let legal = game.legal(history.state());
                weight *= legal.len() as f64;
                history.push(game, legal.pick(rng));
            }
            Turn::Chance => {
                let before = history.clone();
                while game.turn(history.state()) == Turn::Chance {
                    let outcomes = game.chance(history.state());
                    weight *= outcomes.len() as f64;
                    history.push(game, outcomes[rng.below(outcomes.len() as u32) as usize].action);
                }
                if !game.foreign().is_some_and(|game| game.states_are_histories()) {
                    let events = history.events()[before.events().len()..].iter().map(|event| event.action).collect();
                    weight /= orders(events, &mut |events| same_result(game, &before, &history, events));
                }
            }
        }
        sum += weight;
    }
}

/// The number of orders of random events that lead to the same result. Events that can trade places form classes; every
/// order within a class has the same result.
fn orders(events: Vec<Action>, have_same_result: &mut dyn FnMut(&[Action]) -> bool) -> f64 {
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for place in 0..events.len() {
        // Exchanging two equal events changes nothing, so only a different event can show whether the event belongs
        // to the class.
        let belongs = |class: &mut Vec<usize>| {
            class.iter().find(|&&other| events[other] != events[place]).is_some_and(|&other| {
                let mut swapped = events.clone();
                swapped.swap(other, place);
                have_same_result(&swapped)
            })
        };
        let mut class: Vec<usize> = classes.extract_if(.., belongs).flatten().collect();
        class.push(place);
        classes.push(class);
    }
    classes.iter().map(|class| permutations(class.iter().map(|&place| events[place]))).product()
}

/// The number of different orders of some events.
fn permutations(events: impl Iterator<Item = Action>) -> f64 {
    let (mut orders, mut seen) = (1.0, Vec::new());
    for event in events {
        seen.push(event);
        let equal = seen.iter().filter(|&&other| other == event).count();
        orders *= seen.len() as f64 / equal as f64;
    }
    orders
}

/// Returns true if other random events can happen and lead to the same state, with the same views.
fn same_result<G: Game>(game: &G, before: &History<G>, after: &History<G>, events: &[Action]) -> bool {
    let mut history = before.clone();
    for &event in events {
        if !game.chance(history.state()).iter().any(|outcome| outcome.action == event) {
            return false;
        }
        history.push(game, event);
    }
    history.state() == after.state()
        && Seat::all(game.num_seats()).all(|seat| game.view(&history, seat) == game.view(after, seat))
}
