//! Gathers what criterion measured into one table, for the terminal and for `benches/RESULTS.md`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, io};

use serde::Deserialize;
use stier_benches::{circumstances, files};

#[derive(Deserialize)]
struct Benchmark {
    full_id: String,
    throughput: Option<Throughput>,
}

#[derive(Deserialize)]
enum Throughput {
    Elements(u64),
}

#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
    confidence_interval: Interval,
}

#[derive(Deserialize)]
struct Interval {
    lower_bound: f64,
    upper_bound: f64,
}

/// What the lines are.
const NOTES: &str = "\
`playout` plays from the first decision to the end, chance included: `random` is `Game::playout` (uniform over the legal actions; in
Schwinget 17.8 plies on average, for it attacks in most bouts), `hints` is `Hints::hinted_playout` (in Schwinget it never attacks: 22
cards and now and then a referee's decision), `steps` is one decision after the other through the trait, as any caller can. `ending` is
`Hints::ending` over 2,000 deals attacked at the first lead, `plain` without referee and counter; `open` is a whole bout with a pile
drawn beforehand, and the estimate of a state. `sample` is
from the middle of a random game: `state` and `history` drawn from a `sampler`, which is made from a `view`. `encode` is the observation
of the player to act, as floats. `vector` is one decision in one of 1,024 lanes that play at random, legal actions drawn and masks
written: from Rust without observations (`blind`) and with them as floats or bytes; from Python the whole loop of `sample_actions` and
`step` into new arrays, `step_into` the caller's own (floats), and `opponents` with random players in all other seats. `worlds` is
`resample_many` of one state: positions, or whole histories; from Python positions, alone and with all holdings. `python` is single
games: known actions applied, and random games through PettingZoo's and Gymnasium's loops, the players' own choices at random included
(there are random players in Gymnasium's other seats, whose decisions are not counted). `ismcts` searches from the
first decision of 16 deals in turn, with that many iterations, each rolled out to the end, at random or by hints; in Schwinget an
iteration is shorter where the tree or a random rollout attacks. `network` has random weights: a forward pass of 200 inputs, 30 of them
ones, two layers of 256 and 41 logits, one position at a time or 64; with `game`, the network of the default Schwinget (likewise), asked
about a state; with `ismcts` for prior and value of every leaf, 1,000 iterations from the first decision; with `pit`, its games against
itself, side by side. `pit` is whole games. `solve` is a Schwinget of two suits of four with hands of one card, 199,921 histories, on all
cores: the tree, values and best responses, one iteration of each CFR; `traverse` is one traversal of MCCFR in it. `train` is a
decision of PPO as it is by default, played and learned from, and the part of that which the environment takes, both in CPU time of all
threads.
";

/// One line: nanoseconds per element, median with its 95 % interval.
struct Row {
    median: f64,
    low: f64,
    high: f64,
}

fn main() -> ExitCode {
    stier_benches::exit_code("table", run())
}

fn run() -> io::Result<()> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let mut rows = BTreeMap::new();
    collect(&target.join("criterion"), &mut rows)?;
    if rows.is_empty() {
        return Err(io::Error::other("nothing measured yet: run `cargo bench` first"));
    }
    let table = table(&rows);
    print!("{table}");
    let page = format!(
        "# Benchmarks\n\nMade by `make bench`: one core, default rules, median with 95 % interval.\n\n{}\n{NOTES}\n{table}",
        circumstances()
    );
    let results = Path::new("benches/RESULTS.md");
    files::write(results, &page).map_err(io::Error::other)
}

/// Reads every `new` folder below; criterion keeps older runs beside it.
fn collect(folder: &Path, rows: &mut BTreeMap<String, Row>) -> io::Result<()> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        if !path.is_dir() {
            continue;
        }
        if path.file_name().is_some_and(|name| name == "new") {
            let benchmark: Benchmark = serde_json::from_slice(&fs::read(path.join("benchmark.json"))?)?;
            let estimates: Estimates = serde_json::from_slice(&fs::read(path.join("estimates.json"))?)?;
            let elements = benchmark.throughput.map_or(1, |Throughput::Elements(count)| count) as f64;
            let Estimate { point_estimate, confidence_interval: Interval { lower_bound, upper_bound } } =
                estimates.median;
            let [median, low, high] = [point_estimate, lower_bound, upper_bound].map(|time| time / elements);
            rows.insert(benchmark.full_id, Row { median, low, high });
        } else {
            collect(&path, rows)?;
        }
    }
    Ok(())
}

/// What one element of a group is.
fn unit(id: &str) -> &'static str {
    match id.split('/').next() {
        Some("playout") => "ply",
        Some("sample") => "sample",
        Some("encode") => "observation",
        Some("vector" | "python" | "train") => "decision",
        Some("worlds") => "world",
        Some("ending") => "ending",
        Some("open") => "state",
        Some("network") if id.contains("/ismcts") => "iteration",
        Some("network") if id.contains("/pit") => "game",
        Some("network") => "position",
        Some("ismcts") => "iteration",
        Some("pit") => "game",
        Some("solve") => "history",
        Some("traverse") => "traversal",
        _ => "call",
    }
}

fn table(rows: &BTreeMap<String, Row>) -> String {
    let mut lines = vec![
        "| benchmark | unit | ns per unit | 95 % interval | units per second |".to_string(),
        "| --- | --- | ---: | ---: | ---: |".to_string(),
    ];
    for (id, Row { median, low, high }) in rows {
        let interval = format!("{} .. {}", digits(*low), digits(*high));
        lines.push(format!("| {id} | {} | {} | {interval} | {} |", unit(id), digits(*median), rate(1e9 / median)));
    }
    lines.join("\n") + "\n"
}

fn digits(nanoseconds: f64) -> String {
    if nanoseconds < 100.0 { format!("{nanoseconds:.2}") } else { format!("{nanoseconds:.0}") }
}

fn rate(per_second: f64) -> String {
    match per_second {
        rate if rate >= 1e6 => format!("{:.2} M", rate / 1e6),
        rate if rate >= 1e3 => format!("{:.1} k", rate / 1e3),
        rate => format!("{rate:.1}"),
    }
}
