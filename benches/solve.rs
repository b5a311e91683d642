//! The solvers, on a Schwinget that fits into memory.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use stier_agents::solve::{BATCH, Mccfr, Sampling};
use stier_agents::solve::{GameTree, Policy};
use stier_agents::solve::{Iterative as _, nash_conv};
use stier_agents::solve::{Solver, Variant};
use stier_core::games::schwinget::{Rules, Schwinget};
use stier_core::{FromRules as _, Game, Options as _};

/// Two suits of four cards, one card in each hand, and four in the pile.
const RULES: &str = "suits=2,values=4,referee=off,counter=off,hand_size=1,set_aside=2";

fn solve(criterion: &mut Criterion) {
    let game = Schwinget::new(Rules::from_text(RULES).expect("rules")).expect("a game");
    let tree = GameTree::new(&game, 1_000_000).expect("a small game");
    let uniform = Policy::uniform(&tree);
    let mut group = criterion.benchmark_group("solve/schwinget");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.throughput(Throughput::Elements(tree.num_nodes() as u64));
    group.bench_function("tree", |bencher| {
        bencher.iter(|| GameTree::new(black_box(&game), 1_000_000).expect("a small game"));
    });
    group.bench_function("nash-conv", |bencher| bencher.iter(|| nash_conv(&tree, black_box(&uniform)).total()));
    for variant in Variant::ALL {
        let mut solver = Solver::new(&tree, variant, 1000);
        group.bench_function(variant.name(), |bencher| {
            bencher.iter(|| solver.run(1, &|_| ControlFlow::Continue(())));
        });
    }
    group.finish();
    let mut group = criterion.benchmark_group("traverse/schwinget");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.throughput(Throughput::Elements(BATCH * game.num_seats() as u64));
    for (label, sampling) in [("external", Sampling::External), ("outcome", Sampling::Outcome)] {
        let mut solver = Mccfr::new(&game, sampling, 1);
        group.bench_function(label, |bencher| {
            bencher.iter(|| solver.run(1, &|_| ControlFlow::Continue(())));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = solve
}
criterion_main!(benches);
