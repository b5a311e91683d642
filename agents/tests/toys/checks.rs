//! What every game promises, checked with the public traits alone: the part of [`stier_core::testing::conformance`] that needs
//! neither tensors nor names, and the samplers against the enumeration of all histories.

use std::collections::HashMap;

use stier_core::testing::{chi_square, enumerate};
use stier_core::{ActionSet as _, Game, History, Rng, Sampler as _, Seat, SeatView as _, Turn};

/// Below this a p-value means that something is wrong. The seeds are fixed, so that these are always the same draws.
const SMALLEST_P: f64 = 1e-6;
/// Draws from each sampler.
const SAMPLES: u64 = 2000;

/// Plays random games and checks every decision of them as every seat sees it, and the end.
pub(crate) fn keeps_its_promises<G: Game>(game: &G, games: u64) {
    for index in 0..games {
        let mut rng = Rng::stream(5, "toy", index);
        let mut history = History::new(game);
        let mut decisions = 0;
        loop {
            let state = *history.state();
            let turn = game.turn(&state);
            assert_eq!(game.legal(&state).is_empty(), turn.seat().is_none());
            assert_eq!(game.chance(&state).is_empty(), turn != Turn::Chance);
            let event = match turn {
                Turn::Over => break,
                Turn::Chance => {
                    let sum: f64 = game.chance(&state).iter().map(|outcome| outcome.probability).sum();
                    assert!((sum - 1.0).abs() < 1e-12);
                    game.sample_chance(&state, &mut rng)
                }
                Turn::Seat(_) => {
                    assert!(game.returns(&state).iter().all(|&value| value == 0.0));
                    for seat in Seat::all(game.num_seats()) {
                        sampler_follows_enumeration(game, &history, seat, &mut rng);
                        observations_are_views(game, &history, seat, &mut rng);
                    }
                    decisions += 1;
                    game.legal(&state).pick(&mut rng)
                }
            };
            history.push(game, event);
        }
        assert!(decisions <= game.max_decisions());
        let (returns, (low, high)) = (game.returns(history.state()), game.utility_range());
        assert!(returns.iter().all(|value| (low..=high).contains(value)));
        assert_eq!(game.utility_sum(), Some(returns.iter().sum()));
    }
}

/// Worlds and their number exactly, samples by chi-square; nothing in a sampled world tells the seat that it is another.
fn sampler_follows_enumeration<G: Game>(game: &G, truth: &History<G>, seat: Seat, rng: &mut Rng) {
    let exact = enumerate(game, truth, seat);
    let total: f64 = exact.values().sum();
    let view = game.view(truth, seat);
    assert_eq!(view.seat(), seat);
    let sampler = game.sampler(&view);
    assert_eq!(sampler.count(), exact.len() as u128, "{view:?}");
    let worlds: HashMap<G::State, u64> = sampler.worlds().map(|world| (world.state, world.weight)).collect();
    let weight: u64 = worlds.values().sum();
    for (state, reach) in &exact {
        let claimed = worlds.get(state).map_or(0.0, |&w| w as f64 / weight as f64);
        assert!((claimed - reach / total).abs() < 1e-9, "{view:?}");
    }
    let (mut drawn, mut last) = (HashMap::new(), HashMap::new());
    for _ in 0..SAMPLES {
        *drawn.entry(sampler.sample(rng)).or_default() += 1;
        let history = sampler.sample_history(game, rng);
        assert_eq!(game.view(&history, seat), view);
        *last.entry(*history.state()).or_default() += 1;
    }
    for counts in [drawn, last] {
        let p = chi_square(&counts, &exact);
        assert!(p > SMALLEST_P, "{view:?}: p-value {p}");
    }
    for state in exact.keys() {
        assert_eq!(game.turn(state), game.turn(truth.state()));
        assert_eq!(game.sight(state, seat), game.sight(truth.state(), seat));
        if game.turn(state) == Turn::Seat(seat) {
            assert_eq!(game.legal(state), game.legal(truth.state()));
        }
    }
}

/// What a seat observes of each action, in two worlds that it cannot tell apart: equal numbers if and only if equal views.
fn observations_are_views<G: Game>(game: &G, history: &History<G>, seat: Seat, rng: &mut Rng) {
    let twin = game.sampler(&game.view(history, seat)).sample_history(game, rng);
    let mut seen: Vec<(u64, G::View)> = Vec::new();
    for world in [history, &twin] {
        for action in game.legal(world.state()).iter() {
            let observed = game.observed(world.state(), action, seat);
            assert!(observed >= 256 || observed == u64::from(action.0), "observations below 256 are the action");
            let mut next = world.clone();
            next.push(game, action);
            let view = game.view(&next, seat);
            assert!(seen.iter().all(|(other, other_view)| (observed == *other) == (view == *other_view)), "{view:?}");
            seen.push((observed, view));
        }
    }
}
