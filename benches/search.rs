//! Searches from the first decision of every game, and solutions of endings.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use stier_agents::{Agent, AgentSpec};
use stier_core::games::schwinget::{Schwinget, View};
use stier_core::{
    Action, ActionSet as _, Actions64, FromRules, Game as _, Hints, History, Rng, Turn, for_each_fast_game,
};

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

/// The first decision of an ending in each deal of random play, with an attack at once or with none.
fn endings_of(game: &Schwinget, attacks: bool, tricks: u8) -> Vec<(View, Actions64)> {
    const ATTACK: Action = Action(26);
    /// More than an agent remembers.
    const ENDINGS: usize = 20;
    let endings = game.endings().expect("it has endings");
    let first = |deal| {
        let mut rng = Rng::stream(1, "bench", deal);
        let mut history = History::dealt(game, &mut rng);
        while let Turn::Seat(seat) = game.turn(history.state()) {
            let (view, legal) = (game.view(&history, seat), game.legal(history.state()));
            if legal.len() > 1 && endings.public_play(&view, [tricks; 2]).is_some() {
                return Some((view, legal));
            }
            let cards = legal.without(Actions64::default().with(ATTACK));
            let action = if attacks && legal.contains(ATTACK) { ATTACK } else { cards.pick(&mut rng) };
            history.push(game, action);
            history.settle(game, &mut rng);
        }
        None
    };
    (0..).filter_map(first).take(ENDINGS).collect()
}

fn endings(criterion: &mut Criterion) {
    let game = Schwinget::from_text("").expect("default rules");
    let mut group = criterion.benchmark_group("endings/schwinget");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    for (kind, attacks, tricks) in [("pile", false, 3), ("attack", true, 2), ("pile", false, 4), ("attack", true, 3)] {
        let found = endings_of(&game, attacks, tricks);
        for gadget in ["resolve", "unsafe"] {
            let options = format!("endings=ranges,ending_tricks={tricks},attack_tricks={tricks},gadget={gadget}");
            let text = format!("network:choose=sample,{options}");
            let spec: AgentSpec = text.parse().expect("an agent");
            let mut agent: Box<dyn Agent<Schwinget>> = spec.build(&game, 1);
            let mut endings = found.iter().cycle();
            group.bench_function(format!("{kind}-{tricks}-{gadget}"), |bencher| {
                bencher.iter(|| {
                    let (view, legal) = endings.next().expect("a cycle has no end");
                    agent.act(&game, black_box(view), *legal).policy.len()
                });
            });
        }
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
    targets = search, endings
}
criterion_main!(benches);
