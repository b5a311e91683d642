//! Estimates must predict the results of hinted playouts.

use stier_core::games::schweins_galopp::SchweinsGalopp;
use stier_core::games::schwimmen::Schwimmen;
use stier_core::games::up_and_down::UpAndDown;
use stier_core::{ActionSet as _, FromRules, Hints, Rng, Seat, Turn};

const POSITIONS: u64 = 400;
const PLAYOUTS: u32 = 32;

/// The correlation of the estimates with the mean results of hinted playouts, and the slope of the results over the
/// estimates, at positions from hinted play with one action in five random.
fn correlation_and_slope<G: Hints + FromRules>(rules: &str) -> (f64, f64) {
    let game = G::from_text(rules).expect("a game");
    let mut pairs = Vec::new();
    for index in 0..POSITIONS {
        let mut rng = Rng::stream(21, "estimates", index);
        let mut state = game.root();
        game.settle(&mut state, &mut rng);
        let mut passed = Vec::new();
        while let Turn::Seat(_) = game.turn(&state) {
            passed.push(state);
            let legal = game.legal(&state);
            let options = if rng.below(5) == 0 { legal } else { game.rollout(&state, legal) };
            game.step(&mut state, options.pick(&mut rng), &mut rng);
        }
        let start = passed[rng.below(passed.len() as u32) as usize];
        let estimate = game.evaluate(&start);
        let mut sums = [0.0; stier_core::seats::MAX_SEATS];
        for _ in 0..PLAYOUTS {
            let mut end = start;
            game.hinted_playout(&mut end, &mut rng);
            sums.iter_mut().zip(game.returns(&end).iter()).for_each(|(sum, &value)| *sum += value);
        }
        for seat in Seat::all(game.num_seats()) {
            pairs.push((f64::from(estimate[seat]), sums[seat.index()] / f64::from(PLAYOUTS)));
        }
    }
    let count = pairs.len() as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(&|pair| pair.0), mean(&|pair| pair.1));
    let (xx, yy) = (mean(&|pair| (pair.0 - x).powi(2)), mean(&|pair| (pair.1 - y).powi(2)));
    let xy = mean(&|pair| (pair.0 - x) * (pair.1 - y));
    (xy / (xx * yy).sqrt(), xy / xx)
}

/// Checks that the correlation exceeds a bound and that the estimates are of the right scale.
fn estimates_predict_results<G: Hints + FromRules>(rules: &[(&str, f64)]) {
    for &(rules, least) in rules {
        let (correlation, slope) = correlation_and_slope::<G>(rules);
        assert!(correlation > least, "{} {rules}: correlation {correlation}", G::NAME);
        assert!((0.6..=1.4).contains(&slope), "{} {rules}: slope {slope}", G::NAME);
    }
}

#[test]
fn estimates_of_up_and_down() {
    estimates_predict_results::<UpAndDown>(&[
        ("", 0.9),
        ("players=2", 0.9),
        ("players=3,rounds=2", 0.9),
        ("utility=score", 0.9),
        ("utility=win", 0.85),
    ]);
}

#[test]
fn estimates_of_schweins_galopp() {
    estimates_predict_results::<SchweinsGalopp>(&[
        ("", 0.82),
        ("players=2", 0.82),
        ("utility=score,track_food=on", 0.8),
        ("utility=win", 0.75),
    ]);
}

#[test]
fn estimates_of_schwimmen() {
    estimates_predict_results::<Schwimmen>(&[
        ("", 0.57),
        ("players=2", 0.62),
        ("players=5", 0.53),
        ("utility=win", 0.47),
        ("play=match", 0.8),
        ("play=match,utility=win", 0.75),
    ]);
}
