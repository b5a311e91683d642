//! Matches between agents on one thread, for every game.

use std::ops::ControlFlow;
use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use stier_agents::AgentSpec;
use stier_agents::arena::{self, Entrant, Settings, number_of_games};
use stier_core::{FromRules, Hints, for_each_fast_game};

/// Pairings: label, first agent, agent of all other seats, and enough deals to measure.
const PAIRS: [(&str, &str, &str, u64); 4] = [
    ("random-random", "random", "random", 500),
    ("greedy-random", "greedy", "random", 500),
    ("ismcts100-greedy", "ismcts:iterations=100", "greedy", 20),
    ("ismcts1k-ismcts1k", "ismcts:iterations=1000", "ismcts:iterations=1000", 4),
];

fn matches<G: Hints + FromRules>(criterion: &mut Criterion) {
    let game = G::from_text("").expect("default rules");
    let mut group = criterion.benchmark_group(format!("pit/{}", G::NAME));
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    for (label, first, others, deals) in PAIRS {
        let specs: Vec<AgentSpec> = (0..game.num_seats())
            .map(|seat| if seat == 0 { first } else { others }.parse().expect("an agent"))
            .collect();
        let entrants: Vec<&dyn Entrant<G>> = specs.iter().map(|spec| spec as _).collect();
        let settings = Settings { deals, threads: 1, ..Settings::default() };
        let identities: Vec<String> = entrants.iter().map(|entrant| entrant.identity()).collect();
        let games = number_of_games(game.num_seats(), &identities, deals);
        group.throughput(Throughput::Elements(games));
        group.bench_function(label, |bencher| {
            bencher.iter(|| {
                let result = arena::pit(&game, &entrants, &settings, &|| ControlFlow::Continue(()));
                assert_eq!(result.expect("a match").games.len() as u64, games);
            });
        });
    }
    group.finish();
}

fn pit(criterion: &mut Criterion) {
    macro_rules! bench {
        ($name:ident, $game:ty) => {
            matches::<$game>(criterion);
        };
    }
    for_each_fast_game!(bench);
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = pit
}
criterion_main!(benches);
