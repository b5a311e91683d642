//! Searches from the first decision of every game.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use stier_agents::{Agent, AgentSpec};
use stier_core::{FromRules, Hints, History, Rng, for_each_fast_game};

/// The number of deals each search is measured on, in turn.
const DEALS: u64 = 16;

fn ismcts<G: Hints + FromRules>(criterion: &mut Criterion) {
    let game = G::from_text("").expect("default rules");
    // Several deals, because the cost of a search depends on the cards: it goes where they are good.
    let starts: Vec<(G::View, G::Actions)> = (0..DEALS)
        .map(|deal| {
            let history = History::dealt(&game, &mut Rng::stream(1, "bench", deal));
            let seat = game.turn(history.state()).seat().expect("a decision");
            (game.view(&history, seat), game.legal(history.state()))
        })
        .collect();
    let mut group = criterion.benchmark_group(format!("ismcts/{}", G::NAME));
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    let budgets = [("1k", 1_000), ("10k", 10_000), ("100k", 100_000)];
    let plain = ["random", "hints"].into_iter().flat_map(|rollout| {
        budgets.map(|(label, iterations)| (format!("{rollout}-{label}"), iterations, format!("rollout={rollout}")))
    });
    let others = [
        ("threads-2", "threads=2"),
        ("multi", "observer=multi"),
        ("branch", "draws=branch"),
        ("puct-fitted", "selection=puct,prior=fitted"),
        ("regret-matching", "selection=regret_matching"),
        ("fitted", "rollout=fitted,opponents=fitted"),
    ];
    let others = others.map(|(label, options)| (format!("{label}-10k"), 10_000, options.to_string()));
    for (label, iterations, options) in plain.chain(others) {
        let text = format!("ismcts:iterations={iterations},{options}");
        let spec: AgentSpec = text.parse().expect("an agent");
        let mut agent: Box<dyn Agent<G>> = spec.build(&game, 1);
        group.throughput(Throughput::Elements(iterations));
        group.bench_function(label, |bencher| {
            let mut deals = starts.iter().cycle();
            bencher.iter(|| {
                let (view, legal) = deals.next().expect("a cycle has no end");
                agent.restart(1);
                let search = agent.act(&game, black_box(view), *legal).search.expect("a search");
                assert_eq!(search.iterations, iterations);
                search.nodes
            });
        });
    }
    group.finish();
}

fn search(criterion: &mut Criterion) {
    macro_rules! bench {
        ($name:ident, $game:ty) => {
            ismcts::<$game>(criterion);
        };
    }
    for_each_fast_game!(bench);
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = search
}
criterion_main!(benches);
