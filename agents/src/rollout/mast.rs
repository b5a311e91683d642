//! The average result of each action of each seat.

use stier_core::{Action, ActionSet, BySeat, Rng, Seat};

use crate::agent::sampling;

/// Untried actions count as this many standard deviations better than the average, so that they are tried early.
const UNTRIED: f64 = 1.0;
/// The number of simulations before actions are distinguished.
const FIRST_LOOK: u64 = 16;
/// The smallest standard deviation that is assumed, in the game's utility.
const MIN_DEVIATION: f64 = 1e-3;
/// The largest magnitude of exponents in the Gibbs distribution.
const STEEPEST: f64 = 30.0;

/// One action of one seat.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The sum of the returns of the simulations in which the seat played the action, once for each time.
    sum: f64,
    times: f64,
    /// The merit by which actions are chosen. In a Gibbs distribution it is the weight, otherwise the number of
    /// standard deviations by which the mean is above the average.
    merit: f32,
}

/// The average returns of one seat, over simulations.
#[derive(Clone, Copy, Debug, Default)]
struct Average {
    sum: f64,
    squares: f64,
    /// The mean and standard deviation at the last power of two of simulations.
    mean: f64,
    deviation: f64,
}

/// The table of MAST: see the documentation of the [parent](super).
#[derive(Clone, Debug)]
pub(super) struct Mast {
    temperature: f64,
    /// The number of actions.
    actions: usize,
    /// `entries[seat x actions + action]`.
    entries: Vec<Entry>,
    averages: BySeat<Average>,
    simulations: u64,
    /// True once actions are distinguished.
    informed: bool,
    /// The actions of this simulation, as indices of entries.
    noted: Vec<u32>,
}

impl Mast {
    /// Creates a table in which nothing has been tried.
    pub(super) fn new(seats: usize, actions: usize, temperature: f64) -> Self {
        let mut mast = Self {
            temperature,
            actions,
            entries: Vec::new(),
            averages: BySeat::filled(seats, Average::default()),
            simulations: 0,
            informed: false,
            noted: Vec::with_capacity(256),
        };
        let untried = Entry { sum: 0.0, times: 0.0, merit: mast.merit(UNTRIED) };
        mast.entries = vec![untried; seats * actions];
        mast
    }

    /// The number of recorded actions of this simulation.
    pub(super) fn noted(&self) -> usize {
        self.noted.len()
    }

    #[inline(always)]
    pub(super) fn note(&mut self, seat: Seat, action: Action) {
        self.noted.push((seat.index() * self.actions + action.index()) as u32);
    }

    /// Credits the actions recorded from index `from` on with these returns, and forgets them.
    pub(super) fn learn(&mut self, from: usize, returns: &BySeat<f32>) {
        for at in from..self.noted.len() {
            let index = self.noted[at] as usize;
            let seat = Seat((index / self.actions) as u8);
            let entry = &mut self.entries[index];
            entry.sum += f64::from(returns[seat]);
            entry.times += 1.0;
            if self.informed {
                let mean = entry.sum / entry.times;
                let Average { mean: average, deviation, .. } = self.averages[seat];
                let merit = self.merit((mean - average) / deviation);
                self.entries[index].merit = merit;
            }
        }
        self.noted.truncate(from);
    }

    /// Counts a simulation with these returns. At powers of two all merits are computed again from the averages so
    /// far.
    pub(super) fn count(&mut self, returns: &BySeat<f32>) {
        for (average, &value) in self.averages.iter_mut().zip(returns.iter()) {
            average.sum += f64::from(value);
            average.squares += f64::from(value) * f64::from(value);
        }
        self.simulations += 1;
        if self.simulations.is_power_of_two() && self.simulations >= FIRST_LOOK {
            self.look();
        }
    }

    fn look(&mut self) {
        self.informed = true;
        let count = self.simulations as f64;
        for average in self.averages.iter_mut() {
            let mean = average.sum / count;
            average.mean = mean;
            average.deviation = (average.squares / count - mean * mean).max(0.0).sqrt().max(MIN_DEVIATION);
        }
        for index in 0..self.entries.len() {
            let Entry { sum, times, .. } = self.entries[index];
            let average = self.averages[Seat((index / self.actions) as u8)];
            let above = if times == 0.0 { UNTRIED } else { (sum / times - average.mean) / average.deviation };
            self.entries[index].merit = self.merit(above);
        }
    }

    /// The merit of a mean that is this many standard deviations above the average.
    #[inline(always)]
    fn merit(&self, above: f64) -> f32 {
        if self.temperature == 0.0 {
            return above as f32;
        }
        sampling::exp((above / self.temperature).clamp(-STEEPEST, STEEPEST) as f32)
    }

    /// Draws an action by merit, or uniformly before actions are distinguished.
    #[inline]
    pub(super) fn pick<A: ActionSet>(&self, seat: Seat, legal: A, rng: &mut Rng) -> Action {
        if !self.informed || legal.len() == 1 {
            return legal.pick(rng);
        }
        let merits = &self.entries[seat.index() * self.actions..][..self.actions];
        let merit = |action: Action| merits[action.index()].merit;
        if self.temperature == 0.0 {
            // Ties are broken uniformly: each further one replaces the previous choice with the probability that
            // makes all equally likely.
            let mut best = (f32::NEG_INFINITY, legal.nth(0));
            let mut equals = 0;
            for action in legal.iter() {
                let merit = merit(action);
                equals = if merit > best.0 { 1 } else { equals + u32::from(merit == best.0) };
                if merit > best.0 || merit == best.0 && rng.below(equals) == 0 {
                    best = (merit, action);
                }
            }
            return best.1;
        }
        let all: f32 = legal.iter().map(merit).sum();
        legal.nth(sampling::place(legal.iter().map(merit), rng.unit() as f32 * all))
    }
}

#[cfg(test)]
mod tests {
    use stier_core::{Action, ActionSet as _, Actions64, BySeat, Rng, Seat};

    use super::{Entry, Mast};

    /// Two seats and four actions: seat 0 gains 1 with action 2 and loses 1 with the others; for seat 1 it is the
    /// other way round.
    fn taught(temperature: f64) -> Mast {
        let mut mast = Mast::new(2, 5, temperature);
        for round in 0..64 {
            let action = round % 4;
            let value = if action == 2 { 1.0 } else { -1.0 };
            for seat in [Seat(0), Seat(1)] {
                mast.note(seat, Action(action));
            }
            let returns = BySeat::from([value, -value]);
            mast.learn(0, &returns);
            mast.count(&returns);
        }
        mast
    }

    fn shares(mast: &Mast, seat: Seat, legal: &[u8]) -> [f64; 5] {
        let legal: Actions64 = legal.iter().map(|&id| Action(id)).collect();
        let mut rng = Rng::stream(1, "mast", 0);
        let mut times = [0; 5];
        for _ in 0..20_000 {
            let action = mast.pick(seat, legal, &mut rng);
            assert!(legal.contains(action));
            times[action.index()] += 1;
        }
        times.map(|times| f64::from(times) / 20_000.0)
    }

    #[test]
    fn gibbs_weighs_by_standard_deviations() {
        // Mean -1/2, standard deviation sqrt(3)/2: the good action is sqrt(3) above, the bad ones 1/sqrt(3) below.
        for temperature in [0.5, 1.0, 3.0] {
            let found = shares(&taught(temperature), Seat(0), &[0, 1, 2]);
            let ratio = (4.0 / 3.0_f64.sqrt() / temperature).exp();
            let expected = ratio / (ratio + 2.0);
            assert!((found[2] - expected).abs() < 0.015, "{temperature}: {found:?}, expected {expected}");
            assert!((found[0] - found[1]).abs() < 0.015);
        }
        let found = shares(&taught(1.0), Seat(1), &[0, 2]);
        assert!(found[0] > 0.85, "an action that is good for one seat is bad for the other: {found:?}");
    }

    #[test]
    fn without_temperature_the_best_is_chosen_and_ties_are_even() {
        let mast = taught(0.0);
        assert_eq!(shares(&mast, Seat(0), &[0, 1, 2, 3])[2], 1.0);
        let ties = shares(&mast, Seat(1), &[0, 1, 2, 3]);
        assert!(ties[2] == 0.0 && [0, 1, 3].iter().all(|&action| (ties[action] - 1.0 / 3.0).abs() < 0.015), "{ties:?}");
    }

    #[test]
    fn untried_actions_are_tried() {
        assert!(shares(&taught(1.0), Seat(0), &[0, 1, 4])[4] > 0.5);
        assert_eq!(shares(&taught(0.0), Seat(0), &[0, 1, 4])[4], 1.0);
    }

    #[test]
    fn means_of_a_million_returns_are_accurate() {
        let mut mast = Mast::new(1, 2, 0.0);
        let returns = BySeat::from_fn(1, |_| 0.1);
        for _ in 0..1_000_000 {
            mast.note(Seat(0), Action(0));
            mast.learn(0, &returns);
        }
        let Entry { sum, times, .. } = mast.entries[0];
        assert!((sum / times - 0.1).abs() < 1e-6, "{sum} in {times}");
    }

    #[test]
    fn paths_are_credited_separately_from_their_rollouts() {
        let mut mast = Mast::new(2, 5, 1.0);
        mast.note(Seat(0), Action(0));
        let path = mast.noted();
        for (action, value) in [(1, 1.0), (2, -3.0)] {
            mast.note(Seat(0), Action(action));
            mast.learn(path, &BySeat::from([value, -value]));
        }
        mast.learn(0, &BySeat::from([-1.0, 1.0]));
        let found: Vec<(f64, f64)> = mast.entries[..4].iter().map(|entry| (entry.sum, entry.times)).collect();
        assert_eq!(found, [(-1.0, 1.0), (1.0, 1.0), (-3.0, 1.0), (0.0, 0.0)]);
        assert!(mast.entries[5..].iter().all(|entry| entry.times == 0.0));
        assert_eq!(mast.noted(), 0);
    }
}
