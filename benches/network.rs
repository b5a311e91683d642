//! Networks: the forward pass, searches with one, and games of one against itself.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, process};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, serialize};
use stier_agents::arena::{self, Settings};
use stier_agents::network::Evaluator;
use stier_agents::network::NetworkFile;
use stier_agents::{Agent, AgentSpec};
use stier_core::games::schwinget::Schwinget;
use stier_core::{ActionSet as _, FromRules as _, Game as _, History, Rng, SeatView as _, encode};

/// Hidden layers in single precision.
const HIDDEN: [usize; 2] = [256, 256];
/// Hidden layers in integers.
const IN_INTEGERS: [usize; 3] = [512, 32, 32];
/// The number of nonzero inputs of 200, about as many as in Schwinget.
const ONES: u32 = 30;

/// Writes a network with random weights for a game with these signatures to a file.
fn network(inputs: usize, observation: &str, actions: &str) -> PathBuf {
    let mut rng = Rng::stream(1, "weights", 0);
    let logits = actions.split_once(':').and_then(|(_, count)| count.parse().ok()).expect("a number of actions");
    let mut tensors: Vec<(String, Vec<usize>, Vec<u8>)> = Vec::new();
    let mut from = inputs;
    for (name, to) in [("hidden.0", HIDDEN[0]), ("hidden.1", HIDDEN[1]), ("policy", logits), ("value", 1)] {
        let scale = (6.0 / from as f32).sqrt();
        let mut numbers = |count: usize| -> Vec<u8> {
            (0..count).flat_map(|_| (scale * (2.0 * rng.unit() as f32 - 1.0)).to_le_bytes()).collect()
        };
        tensors.push((format!("{name}.weight"), vec![from, to], numbers(from * to)));
        tensors.push((format!("{name}.bias"), vec![to], numbers(to)));
        if name.starts_with("hidden") {
            from = to;
        }
    }
    let metadata = [
        ("format", "stier.network"),
        ("version", "1"),
        ("architecture", "mlp"),
        ("activation", "relu"),
        ("game", "schwinget"),
        ("rules", "schwinget"),
        ("observation", observation),
        ("actions", actions),
        ("value_scale", "1"),
    ];
    let metadata = metadata.into_iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let view = |(name, shape, data): &'static (String, Vec<usize>, Vec<u8>)| {
        (name.clone(), TensorView::new(Dtype::F32, shape.clone(), data).expect("a tensor"))
    };
    let bytes = serialize(Vec::leak(tensors).iter().map(view), Some(metadata)).expect("a file");
    let path = env::temp_dir().join(format!("stier-bench-{}-{inputs}.safetensors", process::id()));
    fs::write(&path, bytes).expect("a file is written");
    path
}

/// Writes a network in integers with random weights for Schwinget to a file.
fn network_in_integers(game: &Schwinget) -> PathBuf {
    let mut rng = Rng::stream(1, "integers", 0);
    let mut tensors: Vec<(String, Dtype, Vec<usize>, Vec<u8>)> = Vec::new();
    let mut from = encode::size(&game.observation_layout());
    let hidden = IN_INTEGERS.iter().zip(0..).map(|(&width, index)| (format!("hidden.{index}"), width));
    for (name, to) in hidden.chain([("policy".to_string(), game.num_actions()), ("value".to_string(), 1)]) {
        let weights = (0..from * to).map(|_| (rng.below(61) as u8).wrapping_sub(30)).collect();
        tensors.push((format!("{name}.weight"), Dtype::I8, vec![from, to], weights));
        let (kind, bytes) = if name == "hidden.0" { (Dtype::I16, 2) } else { (Dtype::I32, 4) };
        tensors.push((format!("{name}.bias"), kind, vec![to], vec![0; bytes * to]));
        match name.as_str() {
            "hidden.0" => from = to / 2,
            "policy" | "value" => {}
            _ => from = to,
        }
    }
    let metadata = [
        ("format", "stier.network".to_string()),
        ("version", "2".to_string()),
        ("architecture", "integers".to_string()),
        ("activation", "products".to_string()),
        ("shifts", "0,7,6".to_string()),
        ("scales", "0.001,0.001".to_string()),
        ("game", "schwinget".to_string()),
        ("rules", "schwinget".to_string()),
        ("observation", game.observation_signature()),
        ("actions", game.action_signature()),
        ("value_scale", "1".to_string()),
    ];
    let metadata = metadata.into_iter().map(|(key, value)| (key.to_string(), value)).collect();
    let view = |(name, kind, shape, data): &'static (String, Dtype, Vec<usize>, Vec<u8>)| {
        (name.clone(), TensorView::new(*kind, shape.clone(), data).expect("a tensor"))
    };
    let bytes = serialize(Vec::leak(tensors).iter().map(view), Some(metadata)).expect("a file");
    let path = env::temp_dir().join(format!("stier-bench-{}-integers.safetensors", process::id()));
    fs::write(&path, bytes).expect("a file is written");
    path
}

/// The forward pass in single precision and in integers, at the positions of bouts in order, alone and in batches.
fn architectures(criterion: &mut Criterion) {
    let game = Schwinget::new(Default::default()).expect("default rules");
    let size = encode::size(&game.observation_layout());
    let paths = [network(size, &game.observation_signature(), &game.action_signature()), network_in_integers(&game)];
    let mut positions: Vec<f32> = Vec::new();
    let mut player: Box<dyn Agent<Schwinget>> = "network".parse::<AgentSpec>().expect("an agent").build(&game, 1);
    for deal in 0.. {
        let mut rng = Rng::stream(1, "bench", deal);
        let mut history = History::dealt(&game, &mut rng);
        while let Some(seat) = game.turn(history.state()).seat() {
            let start = positions.len();
            positions.resize(start + size, 0.0);
            game.observation(history.state(), seat, &mut positions[start..]);
            let action = player.act(&game, &game.view(&history, seat), game.legal(history.state())).action;
            history.push(&game, action);
            history.settle(&game, &mut rng);
        }
        if positions.len() >= 64 * size {
            break;
        }
    }
    positions.truncate(64 * size);
    let mut group = criterion.benchmark_group("network/schwinget/forward");
    group.throughput(Throughput::Elements(64));
    for (name, path) in ["256-256", "integers-512-32-32"].into_iter().zip(&paths) {
        let mut asked = evaluator(path);
        for rows in [1, 64] {
            group.bench_function(BenchmarkId::new(name, rows), |bencher| {
                bencher.iter(|| {
                    for rows in black_box(&positions).chunks_exact(rows * size) {
                        black_box(asked.forward(rows)[0]);
                    }
                });
            });
        }
    }
    group.finish();
    for path in paths {
        fs::remove_file(path).expect("the file was there");
    }
}

fn evaluator(path: &Path) -> Evaluator {
    let file = NetworkFile::load(path.to_str().expect("a path")).expect("a network");
    Evaluator::new(file.network().expect("a network").clone())
}

fn networks(criterion: &mut Criterion) {
    let path = network(200, "1:cards:200", "1:41");
    let mut asked = evaluator(&path);
    let mut group = criterion.benchmark_group("network/forward-200-256-256-41");
    for rows in [1, 64] {
        let mut rng = Rng::stream(2, "inputs", rows as u64);
        // New positions every time, as in play.
        let batches: Vec<Vec<f32>> =
            (0..32).map(|_| (0..rows * 200).map(|_| f32::from(rng.below(200) < ONES)).collect()).collect();
        group.throughput(Throughput::Elements(rows as u64));
        group.bench_function(BenchmarkId::from_parameter(rows), |bencher| {
            let mut batches = batches.iter().cycle();
            bencher.iter(|| asked.forward(black_box(batches.next().expect("a cycle has no end")))[0]);
        });
    }
    group.finish();
    fs::remove_file(path).expect("the file was there");

    let game = Schwinget::new(Default::default()).expect("default rules");
    let size = encode::size(&game.observation_layout());
    let path = network(size, &game.observation_signature(), &game.action_signature());
    let mut asked = evaluator(&path);
    let history = History::dealt(&game, &mut Rng::stream(1, "bench", 0));
    let seat = game.turn(history.state()).seat().expect("a decision");
    let mut group = criterion.benchmark_group("network/schwinget");
    group.throughput(Throughput::Elements(1));
    group.bench_function("game", |bencher| {
        bencher.iter(|| asked.evaluate(&game, black_box(history.state()), seat).value);
    });
    let options = "selection=puct,prior=network,cutoff=0,evaluation=network";
    let text = format!("ismcts:iterations=1000,{options},network={}", path.display());
    let mut agent: Box<dyn Agent<Schwinget>> = text.parse::<AgentSpec>().expect("an agent").build(&game, 1);
    let (view, legal) = (game.view(&history, seat), game.legal(history.state()));
    group.sample_size(10).throughput(Throughput::Elements(1000));
    group.bench_function("ismcts-1k", |bencher| {
        bencher.iter(|| {
            agent.restart(1);
            agent.act(&game, black_box(&view), legal).search.expect("a search").nodes
        });
    });
    let player: AgentSpec = format!("network:choose=sample,path={}", path.display()).parse().expect("an agent");
    let settings = Settings { deals: 256, threads: 1, ..Settings::default() };
    let play = || {
        arena::pit(&game, &[&player, &player], &settings, &|| ControlFlow::Continue(())).expect("a match").games.len()
    };
    group.throughput(Throughput::Elements(play() as u64));
    group.bench_function("pit", |bencher| bencher.iter(play));
    group.finish();
    fs::remove_file(path).expect("the file was there");
}

/// Search steps over the game's own network, at all its decisions with a choice in a few bouts against itself.
fn steps(criterion: &mut Criterion) {
    let game = Schwinget::new(Default::default()).expect("default rules");
    let mut positions = Vec::new();
    for deal in 0..4 {
        let mut rng = Rng::stream(1, "bench", deal);
        let mut history = History::dealt(&game, &mut rng);
        let mut player: Box<dyn Agent<Schwinget>> = "network".parse::<AgentSpec>().expect("an agent").build(&game, 1);
        while let Some(seat) = game.turn(history.state()).seat() {
            let (view, legal) = (game.view(&history, seat), game.legal(history.state()));
            if legal.len() > 1 {
                positions.push((view.clone(), legal));
            }
            let action = player.act(&game, &view, legal).action;
            history.push(&game, action);
            history.settle(&game, &mut rng);
        }
    }
    let mut group = criterion.benchmark_group("network/schwinget/mmds-450");
    group.sample_size(10).throughput(Throughput::Elements(positions.len() as u64));
    for beliefs in ["particles=200", "particles=1000", "beliefs=exact"] {
        let spec: AgentSpec = format!("mmds:step=100,rollouts=450,{beliefs}").parse().expect("an agent");
        let mut agents: [Box<dyn Agent<Schwinget>>; 2] = [(); 2].map(|()| spec.build(&game, 1));
        let (name, value) = beliefs.split_once('=').expect("an option");
        group.bench_function(BenchmarkId::new(name, value), |bencher| {
            bencher.iter(|| {
                for (view, legal) in &positions {
                    let agent = &mut agents[view.seat().index()];
                    agent.restart(1);
                    black_box(agent.act(&game, view, *legal).action);
                }
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = networks, architectures, steps
}
criterion_main!(benches);
