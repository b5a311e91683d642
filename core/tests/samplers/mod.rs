//! What the games' comparisons of samplers with enumerations have in common: which information sets, and what came of them.

use stier_core::testing::{chance_sampling, sampling};
use stier_core::{Game, History, Notation, Rng, Sampler as _, Seat};

/// Below this a p-value means that something is wrong: with some hundred tests, by accident once in ten thousand runs. The
/// seeds are fixed, so that these are always the same draws.
pub(crate) const SMALLEST_P: f64 = 1e-6;
/// Games that are tried for information sets of the kind that is wanted.
const MOST_GAMES: u64 = 20_000;

/// What the comparison of many information sets came to.
#[derive(Debug)]
pub(crate) struct Found {
    /// Information sets compared.
    pub(crate) sets: u32,
    /// Those whose worlds do not all weigh the same.
    pub(crate) unequal: u32,
    /// The number of all their worlds, and of the worlds of the largest.
    worlds: usize,
    largest: usize,
    smallest_p: f64,
}

impl Found {
    /// Nothing yet.
    pub(crate) fn none() -> Self {
        Self { sets: 0, unequal: 0, worlds: 0, largest: 0, smallest_p: 1.0 }
    }

    /// Counts an information set with so many worlds; panics if its samples are not those that were expected.
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

/// Shows one information set of each of many games, of a random seat, until `take` has taken so many of them. It is told where they
/// are from. The games have streams of their own by `seed` and `rules`, and end where `somewhere` ends them.
pub(crate) fn information_sets<G: Game>(
    game: &G,
    (seed, rules, wanted): (u64, &str, u32),
    somewhere: impl Fn(&G, &mut Rng) -> History<G>,
    mut take: impl FnMut(&History<G>, Seat, &mut Rng, &str) -> bool,
) {
    let mut taken = 0;
    for index in 0..MOST_GAMES {
        if taken == wanted {
            return;
        }
        let mut rng = Rng::stream(seed, rules, index);
        let history = somewhere(game, &mut rng);
        let seat = Seat(rng.below(game.num_seats() as u32) as u8);
        taken += u32::from(take(&history, seat, &mut rng, &format!("{rules}, game {index}, {seat:?}")));
    }
    panic!("{rules}: {taken} such information sets in {MOST_GAMES} games");
}

/// Random events in the games under these rules: the fast path against the explicit one, at no fewer events than `least`.
pub(crate) fn fast_path_follows<G: Game>(game: &G, rules: &str, samples: usize, least: usize) {
    let p_values = chance_sampling(game, 6, samples);
    assert!(p_values.len() >= least, "{rules}");
    assert!(p_values.iter().all(|&p| p > SMALLEST_P), "{rules}: {p_values:?}");
}
