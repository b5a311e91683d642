//! The engine, for every game through the traits: random play, determinization, views and the bit tricks below them.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use stier_core::bits::{deposit, deposit_portable};
use stier_core::games::schwinget::{Rules, Schwinget, State};
use stier_core::{
    ActionSet as _, FromRules, Game, Hints, History, Options as _, Rng, Sampler as _, Seat, Turn, encode,
    for_each_fast_game,
};

/// Playouts per measured iteration.
const PLAYOUTS: u64 = 1000;

/// A dealt game before its first decision.
fn start<G: Game>(game: &G) -> History<G> {
    History::dealt(game, &mut Rng::stream(1, "bench", 0))
}

/// A random game, played by hints, cut at the middle one of its decisions.
fn middle<G: Hints>(game: &G) -> History<G> {
    let mut rng = Rng::stream(1, "bench", 0);
    let mut history = start(game);
    let mut decisions = Vec::new();
    while game.turn(history.state()) != Turn::Over {
        let state = history.state();
        decisions.push(history.events().len());
        let action = game.rollout(state, game.legal(state)).pick(&mut rng);
        history.push(game, action);
        history.settle(game, &mut rng);
    }
    history.prefix(game, decisions[decisions.len() / 2])
}

/// A playout function to measure.
type Playout<G> = fn(&G, &mut <G as Game>::State, &mut Rng) -> u32;

/// Plays one decision after another through the trait, as any caller can.
fn step_by_step<G: Game>(game: &G, state: &mut G::State, rng: &mut Rng) -> u32 {
    let mut decisions = 0;
    while let Turn::Seat(_) = game.turn(state) {
        let action = game.legal(state).pick(rng);
        game.step(state, action, rng);
        decisions += 1;
    }
    decisions
}

fn playouts<G: Hints + FromRules>(criterion: &mut Criterion) {
    let game = G::from_text("").expect("default rules");
    let start = *start(&game).state();
    let mut group = criterion.benchmark_group(format!("playout/{}", G::NAME));
    let ways: [(&str, Playout<G>); 3] =
        [("random", G::playout), ("hints", G::hinted_playout), ("steps", step_by_step::<G>)];
    for (name, play) in ways {
        // The playouts are the same every time, so the number of plies is known.
        let batch = || {
            let mut rng = Rng::stream(2, "bench playouts", 0);
            (0..PLAYOUTS)
                .map(|_| {
                    let mut state = start;
                    let plies = play(&game, &mut state, &mut rng);
                    black_box(game.returns(&state));
                    u64::from(plies)
                })
                .sum::<u64>()
        };
        let plies = batch();
        group.throughput(Throughput::Elements(plies));
        group.bench_function(name, |bencher| bencher.iter(|| assert_eq!(batch(), plies)));
    }
    group.finish();
}

/// Deals of a variant, each before its first decision.
fn deals(game: &Schwinget, count: u64) -> Vec<History<Schwinget>> {
    (0..count).map(|deal| History::dealt(game, &mut Rng::stream(5, "bench deals", deal))).collect()
}

fn schwinget_solvers(criterion: &mut Criterion) {
    let of = |rules: &str| Schwinget::new(Rules::from_text(rules).expect("rules")).expect("a game");
    let game = of("");
    // Many deals, so that the branch predictor cannot learn them.
    const ENDINGS: u64 = 2000;
    let mut group = criterion.benchmark_group("ending/schwinget");
    group.throughput(Throughput::Elements(ENDINGS));
    for (name, rules) in [("5v5", ""), ("5v5-plain", "referee=off,counter=off,set_aside=2")] {
        let game = of(rules);
        let attack = game.legal(deals(&game, 1)[0].state()).iter().last().expect("an attack is legal");
        let attacked = |history: &History<Schwinget>| {
            let mut state = *history.state();
            game.apply(&mut state, attack);
            state
        };
        let states: Vec<State> = deals(&game, ENDINGS).iter().map(attacked).collect();
        group.bench_function(name, |bencher| {
            bencher.iter(|| states.iter().for_each(|state| drop(black_box(game.ending(black_box(state))))));
        });
    }
    group.finish();

    let states: Vec<State> = deals(&game, 100).iter().map(|history| *history.state()).collect();
    let mut group = criterion.benchmark_group("open");
    group.throughput(Throughput::Elements(states.len() as u64));
    group.bench_function("schwinget/evaluate", |bencher| {
        bencher.iter(|| states.iter().for_each(|state| drop(black_box(game.evaluate(black_box(state))))));
    });
    group.finish();
}

fn samples<G: Hints + FromRules>(criterion: &mut Criterion) {
    let game = G::from_text("").expect("default rules");
    let history = middle(&game);
    let seat = game.turn(history.state()).seat().expect("a decision");
    let view = game.view(&history, seat);
    let sampler = game.sampler(&view);
    let mut rng = Rng::stream(3, "bench samples", 0);
    let mut group = criterion.benchmark_group(format!("sample/{}", G::NAME));
    group.throughput(Throughput::Elements(1));
    group.bench_function("state", |bencher| bencher.iter(|| black_box(sampler.sample(&mut rng))));
    group.bench_function("history", |bencher| bencher.iter(|| black_box(sampler.sample_history(&game, &mut rng))));
    group.bench_function("sampler", |bencher| bencher.iter(|| black_box(game.sampler(black_box(&view)))));
    group.bench_function("view", |bencher| bencher.iter(|| black_box(game.view(black_box(&history), seat))));
    group.finish();
}

/// All states of a random game in which a player has to decide, with that player.
fn decisions<G: Hints>(game: &G, index: u64) -> Vec<(G::State, Seat)> {
    let mut rng = Rng::stream(7, "bench encodings", index);
    let mut state = game.root();
    let mut all = Vec::new();
    game.settle(&mut state, &mut rng);
    while let Turn::Seat(seat) = game.turn(&state) {
        all.push((state, seat));
        let action = game.rollout(&state, game.legal(&state)).pick(&mut rng);
        game.step(&mut state, action, &mut rng);
    }
    all
}

fn encodings<G: Hints + FromRules>(criterion: &mut Criterion) {
    let game = G::from_text("").expect("default rules");
    // Many states, so that the branch predictor cannot learn them.
    let states: Vec<(G::State, Seat)> = (0..64).flat_map(|index| decisions(&game, index)).collect();
    let mut row = vec![0.0; encode::size(&game.observation_layout())];
    let mut group = criterion.benchmark_group(format!("encode/{}", G::NAME));
    group.throughput(Throughput::Elements(states.len() as u64));
    group.bench_function("observation", |bencher| {
        bencher.iter(|| {
            for (state, seat) in &states {
                game.observation(state, *seat, &mut row);
                black_box(&mut row);
            }
        });
    });
    let history = middle(&game);
    let views: Vec<G::View> = Seat::all(game.num_seats()).map(|seat| game.view(&history, seat)).collect();
    let mut row = vec![0.0; encode::size(&game.information_state_layout())];
    group.throughput(Throughput::Elements(views.len() as u64));
    group.bench_function("information-state", |bencher| {
        bencher.iter(|| {
            for view in &views {
                game.information_state(view, &mut row);
                black_box(&mut row);
            }
        });
    });
    group.finish();
}

/// The bit-deposit instruction against its portable twin: the reason for the exception from `unsafe_code = "deny"`.
fn bit_tricks(criterion: &mut Criterion) {
    let mut rng = Rng::stream(4, "bench bits", 0);
    // The sizes occur in playouts: one of up to 6 cards among 26, one of up to 15.
    let picks: Vec<(u64, u64)> = (0..256)
        .map(|i| {
            let size = if i % 2 == 0 { 1 + rng.below(6) } else { 1 + rng.below(15) };
            let set = stier_core::bits::random_subset((1_u64 << 26) - 1, size, &mut rng);
            (1 << rng.below(size), set)
        })
        .collect();
    let mut group = criterion.benchmark_group("bits/nth");
    group.throughput(Throughput::Elements(picks.len() as u64));
    group.bench_function("instruction", |bencher| {
        bencher.iter(|| picks.iter().fold(0, |sum, &(source, set)| sum ^ deposit(source, black_box(set))));
    });
    group.bench_function("portable", |bencher| {
        bencher.iter(|| picks.iter().fold(0, |sum, &(source, set)| sum ^ deposit_portable(source, black_box(set))));
    });
    group.finish();
}

fn engine(criterion: &mut Criterion) {
    macro_rules! bench {
        ($name:ident, $game:ty) => {
            playouts::<$game>(criterion);
            samples::<$game>(criterion);
            encodings::<$game>(criterion);
        };
    }
    for_each_fast_game!(bench);
    schwinget_solvers(criterion);
    bit_tricks(criterion);
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = engine
}
criterion_main!(benches);
