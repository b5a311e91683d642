//! Fits the weights of a game's policy to the decisions of an agent by maximum likelihood.
//!
//! The agent plays against itself. Now and then a random action replaces its own, so that positions it would avoid are
//! covered too. L-BFGS minimises the cross-entropy of its choices plus a small square penalty. Every fifth game is held
//! out for evaluation.

use std::path::PathBuf;
use std::process::ExitCode;

use argmin::core::{CostFunction, Error, Executor, Gradient, State as _};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use clap::Parser;
use indicatif::{ParallelProgressIterator as _, ProgressStyle};
use rayon::prelude::{IntoParallelIterator as _, ParallelIterator as _};
use stier_agents::AgentSpec;
use stier_agents::catalogue::{SpecError, Unsuited};
use stier_benches::files::{self, FileError};
use stier_core::{ActionSet as _, FromRules, Hints, History, Rng, RulesError, Turn, for_each_fast_game, games};
use thiserror::Error as ThisError;

/// Fits the policy of a game to the decisions of an agent and writes its weights.
#[derive(Parser)]
#[command(name = "fit_policy")]
struct Arguments {
    /// The game.
    game: String,
    /// Rules, such as `scoring=schwinger`. May be repeated; every rules text gets the same number of games.
    #[arg(long, default_value = "")]
    rules: Vec<String>,
    /// The agent to imitate.
    #[arg(long, default_value = "ismcts:iterations=2000")]
    agent: String,
    /// Games per rules text.
    #[arg(long, default_value_t = 4000)]
    games: u32,
    /// The seed of deals and agents.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Replaces one decision in this many by a random one.
    #[arg(long, default_value_t = 10)]
    random: u32,
    /// The weight of the square penalty.
    #[arg(long, default_value_t = 1e-5)]
    penalty: f64,
    /// The file to write.
    #[arg(long)]
    out: PathBuf,
}

#[derive(Debug, ThisError)]
enum Failure {
    #[error(transparent)]
    Rules(#[from] RulesError),
    #[error(transparent)]
    Agent(#[from] SpecError),
    #[error(transparent)]
    Unsuited(#[from] Unsuited),
    #[error("{0} has no features")]
    NoFeatures(String),
    #[error("cannot fit: {0}")]
    Fit(#[from] Error),
    #[error(transparent)]
    File(#[from] FileError),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut done = None;
    macro_rules! if_named {
        ($module:ident, $game:ty) => {
            if arguments.game == <$game as FromRules>::NAME {
                done = Some(run::<$game>(&arguments));
            }
        };
    }
    for_each_fast_game!(if_named);
    let done = done.unwrap_or_else(|| {
        Err(RulesError::UnknownGame { name: arguments.game.clone(), known: games::FAST.join(", ") }.into())
    });
    stier_benches::exit_code("fit_policy", done)
}

/// The number of decisions per piece of work of a thread.
const PIECE: usize = 8192;

/// The decisions of some games as a sparse matrix with a row for each legal action.
#[derive(Clone, Default)]
struct Decisions {
    /// The first row of each decision, and the end of the last.
    starts: Vec<u32>,
    /// The chosen row of each decision.
    chosen: Vec<u32>,
    /// The first entry of each row, and the end of the last.
    rows: Vec<u32>,
    features: Vec<u16>,
    values: Vec<f32>,
}

impl Decisions {
    fn new() -> Self {
        Self { starts: vec![0], rows: vec![0], ..Self::default() }
    }

    fn len(&self) -> usize {
        self.chosen.len()
    }

    fn append(&mut self, other: &Self) {
        let (rows, entries) = (self.rows.len() as u32 - 1, self.values.len() as u32);
        self.starts.extend(other.starts[1..].iter().map(|start| start + rows));
        self.chosen.extend(other.chosen.iter().map(|row| row + rows));
        self.rows.extend(other.rows[1..].iter().map(|row| row + entries));
        self.features.extend_from_slice(&other.features);
        self.values.extend_from_slice(&other.values);
    }

    /// The probabilities of the rows of a decision.
    fn probabilities(&self, decision: usize, weights: &[f64], out: &mut Vec<f64>) {
        out.clear();
        for row in self.starts[decision]..self.starts[decision + 1] {
            out.push(self.entries(row).map(|(feature, value)| weights[feature] * value).sum());
        }
        let most = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        out.iter_mut().for_each(|logit| *logit = (*logit - most).exp());
        let sum: f64 = out.iter().sum();
        out.iter_mut().for_each(|value| *value /= sum);
    }

    fn entries(&self, row: u32) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.rows[row as usize] as usize..self.rows[row as usize + 1] as usize;
        range.map(|entry| (usize::from(self.features[entry]), f64::from(self.values[entry])))
    }

    /// Sums `sums` quantities over all decisions; `add` gets the sums, a decision and its probabilities. Threads share
    /// the decisions in pieces, which are added up in order so that the result does not depend on the threads.
    fn sum(&self, weights: &[f64], sums: usize, add: impl Fn(&mut [f64], usize, &[f64]) + Sync) -> Vec<f64> {
        let pieces: Vec<Vec<f64>> = (0..self.len().div_ceil(PIECE))
            .into_par_iter()
            .map(|piece| {
                let (mut sums, mut row) = (vec![0.0; sums], Vec::new());
                for decision in piece * PIECE..((piece + 1) * PIECE).min(self.len()) {
                    self.probabilities(decision, weights, &mut row);
                    add(&mut sums, decision, &row);
                }
                sums
            })
            .collect();
        pieces.into_iter().fold(vec![0.0; sums], |mut all, piece| {
            all.iter_mut().zip(piece).for_each(|(sum, part)| *sum += part);
            all
        })
    }

    /// The mean cross-entropy in nats, the same for the uniform policy, and the share of decisions in which the
    /// likeliest action was chosen.
    fn judge(&self, weights: &[f64]) -> [f64; 3] {
        let sums = self.sum(weights, 3, |sums, decision, row| {
            let chosen = (self.chosen[decision] - self.starts[decision]) as usize;
            sums[0] -= row[chosen].max(1e-12).ln();
            sums[1] += (row.len() as f64).ln();
            sums[2] += f64::from(row.iter().all(|&other| other <= row[chosen]));
        });
        [0, 1, 2].map(|index| sums[index] / self.len() as f64)
    }
}

/// The cross-entropy plus the penalty.
struct Likelihood<'a> {
    decisions: &'a Decisions,
    penalty: f64,
}

impl CostFunction for Likelihood<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, weights: &Vec<f64>) -> Result<f64, Error> {
        let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
        Ok(self.decisions.judge(weights)[0] + self.penalty * squares)
    }
}

impl Gradient for Likelihood<'_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, weights: &Vec<f64>) -> Result<Vec<f64>, Error> {
        let gradient = self.decisions.sum(weights, weights.len(), |gradient, decision, row| {
            for (index, probability) in (self.decisions.starts[decision]..).zip(row) {
                let error = probability - f64::from(index == self.decisions.chosen[decision]);
                for (feature, value) in self.decisions.entries(index) {
                    gradient[feature] += error * value;
                }
            }
        });
        let count = self.decisions.len() as f64;
        let slope = |(sum, weight): (f64, &f64)| sum / count + 2.0 * self.penalty * weight;
        Ok(gradient.into_iter().zip(weights).map(slope).collect())
    }
}

/// The decisions of one game.
fn one_game<G: Hints>(game: &G, spec: &AgentSpec, arguments: &Arguments, index: u64) -> Decisions {
    let mut rng = Rng::stream(arguments.seed, "policy", index);
    let mut history = History::dealt(game, &mut rng);
    let mut agent = spec.build(game, rng.bits());
    let mut found = Decisions::new();
    while let Turn::Seat(seat) = game.turn(history.state()) {
        let legal = game.legal(history.state());
        let mut action = agent.act(game, &game.view(&history, seat), legal).action;
        if legal.len() > 1 {
            for option in legal.iter() {
                if option == action {
                    found.chosen.push(found.rows.len() as u32 - 1);
                }
                game.features(history.state(), option, &mut |feature, value| {
                    found.features.push(feature as u16);
                    found.values.push(value);
                });
                found.rows.push(found.values.len() as u32);
            }
            found.starts.push(found.rows.len() as u32 - 1);
            if rng.below(arguments.random) == 0 {
                action = legal.pick(&mut rng);
            }
        }
        history.push(game, action);
        history.settle(game, &mut rng);
    }
    found
}

fn run<G: Hints + FromRules>(arguments: &Arguments) -> Result<(), Failure> {
    let spec: AgentSpec = arguments.agent.parse()?;
    let [mut learned, mut held_out] = [Decisions::new(), Decisions::new()];
    let mut features = 0;
    for rules in &arguments.rules {
        let game = G::from_text(rules)?;
        spec.check(&game)?;
        features = game.weights().len();
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len} games, {eta} left").expect("a template");
        let games: Vec<Decisions> = (0..arguments.games)
            .into_par_iter()
            .progress_with_style(style)
            .map(|index| one_game(&game, &spec, arguments, u64::from(index)))
            .collect();
        for (index, decisions) in games.iter().enumerate() {
            if index % 5 == 4 { held_out.append(decisions) } else { learned.append(decisions) }
        }
    }
    if features == 0 {
        return Err(Failure::NoFeatures(arguments.game.clone()));
    }
    let search: LBFGS<_, Vec<f64>, Vec<f64>, f64> = LBFGS::new(MoreThuenteLineSearch::new(), 10);
    let problem = Likelihood { decisions: &learned, penalty: arguments.penalty };
    let result =
        Executor::new(problem, search).configure(|state| state.param(vec![0.0; features]).max_iters(300)).run()?;
    let weights = result.state().get_best_param().cloned().unwrap_or_default();
    let [entropy, uniform, hits] = held_out.judge(&weights);
    let facts = format!(
        "{} decisions; held out {}: {entropy:.3} nats per decision (uniform {uniform:.3}), {:.1} % predicted",
        learned.len(),
        held_out.len(),
        100.0 * hits
    );
    println!("{facts}");
    let numbers: Vec<String> = weights.iter().map(|weight| format!("{weight:.3}")).collect();
    let text = format!(
        "// Made by `fit_policy` from the decisions of `{}`: {} games each of {}, seed {}.\n//\n// {facts}.\n[\n{}]\n",
        arguments.agent,
        arguments.games,
        arguments.rules.iter().map(|rules| format!("`{rules}`")).collect::<Vec<_>>().join(" and "),
        arguments.seed,
        numbers.chunks(16).map(|line| format!("    {},\n", line.join(", "))).collect::<String>()
    );
    Ok(files::write(&arguments.out, &text)?)
}
