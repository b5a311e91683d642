//! Collects the measurements of criterion in one table, for the terminal and for `benches/RESULTS.md`.

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

/// Explanations of the benchmarks.
const NOTES: &str = "\
- `playout`: random play from the first decision to the end, chance included. `random` is `Game::playout`, uniform over the legal actions (short
  in Schwinget, where it attacks in most bouts). `hints` is `Hints::hinted_playout`, which never attacks in Schwinget. `steps` plays one
  decision after another through the trait, as any caller can.
- `ending`: `Hints::ending` over 2,000 deals attacked at the first lead; `plain` is without referee and counter.
- `open`: a whole bout with a pile drawn in advance, and the evaluation of a state.
- `sample`: the middle of a random game. `state` and `history` are drawn from a `sampler`, which is made from a `view`.
- `encode`: the observation of the player to move, as floats.
- `bits`: the position of the n-th bit of a set, by an instruction and by its portable twin.
- `vector`: one decision in one of 1,024 environments of random play, with actions drawn and masks written. From Rust without observations
  (`blind`) and with floats or bytes. From Python the whole loop of `sample_actions` and `step` into new arrays, `step_into` arrays of the
  caller (`into`), and against random players in all other seats (`opponents`).
- `worlds`: `resample_many` of one state: positions or whole histories. From Python positions, alone and with all holdings.
- `python`: single games. Known actions applied, and random games through the loops of PettingZoo and Gymnasium, including the random choice
  of the caller. Gymnasium's other seats are played by random players, whose decisions are not counted.
- `ismcts`: one iteration of a search from the first decision of 16 deals in turn, with a random or hinted playout to the end. Iterations
  in Schwinget are shorter where the tree or a random playout attacks.
- `network`: networks with random weights. A forward pass of 200 inputs, 30 of them ones, two layers of 256 and 41 logits, for one
  position or 64; `game`, the evaluation of a state of Schwinget; `ismcts`, 1,000 iterations with a prior and value for every leaf; `pit`, games
  of the network against itself, side by side. `mmds-450`: one decision of `mmds` with 450 rollouts over the game's own network, on average
  over four bouts (added at commit 7ab5f76, on a slower day of the same machine: `game` took 2996 ns).
- `pit`: whole games between two agents.
- `solve`: a Schwinget of two suits of four with hands of one card (199,921 histories), on all cores: the tree, values, best responses and one
  iteration of each CFR algorithm. `traverse` is one traversal of MCCFR in it.
- `train`: one decision of PPO with default settings, played and learned from, and the share of the environment in it. CPU time of all
  threads.
";

/// One line: nanoseconds per element, the median with its 95 % interval.
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
        return Err(io::Error::other("there are no measurements; run `cargo bench` first"));
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

/// Reads every folder `new` below `folder`. Criterion keeps older runs beside it.
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

/// The unit of a benchmark.
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
        Some("network") if id.contains("/mmds") => "decision",
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
