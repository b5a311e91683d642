//! Vector environments and bulk determinization: the work behind Python's arrays, without Python.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use stier_agents::batch::resample_many;
use stier_agents::batch::vector::{Autoreset, Cells, Rows, Settings, TensorKind};
use stier_benches::load;
use stier_core::games;

/// The number of lanes in a batch.
const LANES: usize = 1024;
/// The number of worlds per call.
const WORLDS: usize = 10_000;

fn lanes(criterion: &mut Criterion, name: &str) {
    let game = load(name).expect("default rules");
    let settings = Settings {
        lanes: LANES,
        seed: 1,
        threads: 1,
        autoreset: Autoreset::SameStep,
        tensor: TensorKind::Observation,
        opponents: None,
        opening: None,
        barred: None,
        beliefs: None,
    };
    let mut vector = game.vector(settings, Arc::default()).expect("lanes");
    let shape = vector.shape();
    let mut actions = vec![0; LANES];
    let (mut floats, mut bytes) = (vec![0.0; LANES * shape.tensor], vec![0; LANES * shape.tensor]);
    let mut mask = vec![0; LANES * shape.actions];
    let mut group = criterion.benchmark_group(format!("vector/{name}"));
    group.throughput(Throughput::Elements(LANES as u64));
    for kind in ["blind", "float32", "uint8"] {
        group.bench_function(kind, |bencher| {
            bencher.iter(|| {
                vector.sample_actions(&mut actions).expect("actions");
                let observation = match kind {
                    "float32" => Some(Cells::Floats(&mut floats)),
                    "uint8" => Some(Cells::Bytes(&mut bytes)),
                    _ => None,
                };
                let rows = Rows { observation, action_mask: Some(&mut mask), ..Rows::default() };
                vector.step(&actions, rows).expect("legal actions");
            });
        });
    }
    group.finish();
}

/// Measures a position after eight events, in games that have a decision there.
fn worlds(criterion: &mut Criterion, name: &str) {
    let game = load(name).expect("default rules");
    let mut state = game.new_state(Some(1));
    for _ in 0..8 {
        let possible = state.possible();
        if possible.is_empty() {
            return;
        }
        state.apply(possible[possible.len() / 2]).expect("a legal action");
    }
    let Some(seat) = state.turn().seat() else { return };
    let mut group = criterion.benchmark_group(format!("worlds/{name}"));
    group.throughput(Throughput::Elements(WORLDS as u64));
    for (kind, histories) in [("positions", false), ("histories", true)] {
        let settings = resample_many::Settings { agent: None, worlds: WORLDS, seed: 1, histories, threads: 1 };
        let never = AtomicBool::new(false);
        group.bench_function(kind, |bencher| {
            bencher.iter(|| black_box(game.resample_many(&[(&*state, seat)], &settings, &never).expect("worlds")));
        });
    }
    group.finish();
}

fn bulk(criterion: &mut Criterion) {
    for name in games::NAMES {
        lanes(criterion, name);
        worlds(criterion, name);
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = bulk
}
criterion_main!(benches);
