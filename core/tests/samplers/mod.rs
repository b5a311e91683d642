//! Shared parts of the comparisons of samplers with enumerations: the choice of information sets, and a summary of
//! the results.

use stier_core::{Game, History, Notation, Rng, Sampler as _, Seat};
use stier_testing::{chance_sampling, sampling};

/// Lower bound on p-values. With some hundred tests, a correct program violates it once in ten thousand runs; the
/// seeds are fixed, so all runs make the same draws.
pub(crate) const SMALLEST_P: f64 = 1e-6;
/// The number of games that are searched for suitable information sets.
const MAX_GAMES: u64 = 20_000;

/// A summary of the comparisons of many information sets.
#[derive(Debug)]
pub(crate) struct Found {
    /// The number of information sets compared.
    pub(crate) sets: u32,
    /// The number of those whose worlds differ in weight.
    pub(crate) unequal: u32,
    /// The number of all their worlds, and of the worlds of the largest set.
    worlds: usize,
    largest: usize,
    smallest_p: f64,
}

impl Found {
    /// An empty summary.
    pub(crate) fn none() -> Self {
        Self { sets: 0, unequal: 0, worlds: 0, largest: 0, smallest_p: 1.0 }
    }

    /// Adds an information set with this number of worlds. Panics if its samples do not match the expected
    /// distribution.
    pub(crate) fn add(&mut self, worlds: usize, p_values: [f64; 2], context: &str) {
        for p in p_values {
            assert!(p > SMALLEST_P, "{context}: p-values {p_values:?}");
            self.smallest_p = self.smallest_p.min(p);
        }
        self.sets += 1;
        self.worlds += worlds;
        self.largest = self.largest.max(worlds);
    }

    /// Compares the sampler of an information set with the enumeration of all histories.
    pub(crate) fn compare<G: Notation>(
        &mut self,
        game: &G,
        (history, seat): (&History<G>, Seat),
        samples: usize,
        rng: &mut Rng,
        context: &str,
    ) {
        let (worlds, p_values) = sampling(game, history, seat, samples, rng);
        self.add(worlds, p_values, context);
        let sampler = game.sampler(&game.view(history, seat));
        let weights: Vec<u64> = sampler.worlds().map(|world| world.weight).collect();
        self.unequal += u32::from(weights.iter().any(|&weight| weight != weights[0]));
    }
}

/// Shows one information set of a random seat in each of many games, until `take` has accepted enough of them. `take`
/// also gets a description of the set. Each game has its own stream, given by `seed` and `rules`, and ends where
/// `somewhere` stops it.
pub(crate) fn information_sets<G: Game>(
    game: &G,
    (seed, rules, wanted): (u64, &str, u32),
    somewhere: impl Fn(&G, &mut Rng) -> History<G>,
    mut take: impl FnMut(&History<G>, Seat, &mut Rng, &str) -> bool,
) {
    let mut taken = 0;
    for index in 0..MAX_GAMES {
        if taken == wanted {
            return;
        }
        let mut rng = Rng::stream(seed, rules, index);
        let history = somewhere(game, &mut rng);
        let seat = Seat(rng.below(game.num_seats() as u32) as u8);
        taken += u32::from(take(&history, seat, &mut rng, &format!("{rules}, game {index}, {seat:?}")));
    }
    panic!("{rules}: only {taken} suitable information sets in {MAX_GAMES} games");
}

/// Compares `sample_chance` with the explicit probabilities in games under these rules, at no fewer than `least`
/// random events.
pub(crate) fn fast_path_follows<G: Game>(game: &G, rules: &str, samples: usize, least: usize) {
    let p_values = chance_sampling(game, 6, samples);
    assert!(p_values.len() >= least, "{rules}");
    assert!(p_values.iter().all(|&p| p > SMALLEST_P), "{rules}: {p_values:?}");
}
