//! The positions of `stier.study.attack_timing`.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use numpy::IntoPyArray as _;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stier_agents::{AgentSpec, erased};
use stier_core::games::schwinget::{CIRCUMSTANCES, PARTS_OF_RETURN, Rules, Schwinget};
use stier_core::options::OptionType as _;
use stier_core::{FromRules as _, Options as _};
use stier_study::equilibrium::attack_sets;
use stier_study::timing::{Arm, Hidden, Opinion, Position, Settings, TimingError, positions};

use crate::agent::parse_spec;
use crate::errors;
use crate::game::Game;
use crate::run::watched;
use crate::solution::Solution;
use crate::values::{Number, Seed};

const MAX_GAMES: i64 = 1_000_000_000_000;
const MAX_REPEATS: i64 = 1_000_000;

/// Runs `work`, which calls its argument between games or passes over a tree, and stops if that says so.
fn watching<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&(dyn Fn() -> ControlFlow<()> + Sync)) -> Result<T, TimingError> + Send,
) -> PyResult<T> {
    let interrupt = AtomicBool::new(false);
    let watch = || if interrupt.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    watched::<_, ()>(py, &interrupt, |_| work(&watch), |_| Ok(()))?.map_err(|error| match error {
        TimingError::Unsuited(_) => errors::agent(error),
        TimingError::NoRepeats | TimingError::Blind(_) => errors::argument(error.to_string()),
        TimingError::Halted(_) => PyRuntimeError::new_err(error.to_string()),
    })
}

/// The error for another game than Schwinget.
fn no_attack(game: &Game) -> PyErr {
    errors::argument(format!("the study is about {}, not {}", Schwinget::NAME, game.face().facts().name))
}

fn specs(texts: &[String]) -> PyResult<Vec<AgentSpec>> {
    texts.iter().map(|text| parse_spec(text, None)).collect()
}

/// The positions of the games `first` to `first + games - 1` as columns. `stier.study` explains the arguments and columns.
#[pyfunction]
#[pyo3(signature = (game, *, players, continuation, repeats, hidden, lights, share, seed, first, games, threads))]
#[expect(clippy::too_many_arguments, reason = "the settings, one by one")]
pub(crate) fn timing_positions<'py>(
    py: Python<'py>,
    game: &Game,
    players: &str,
    continuation: &str,
    repeats: Number,
    hidden: &str,
    lights: Vec<String>,
    share: f64,
    seed: Seed,
    first: Number,
    games: Number,
    threads: Number,
) -> PyResult<Bound<'py, PyDict>> {
    let unknown = |problem| errors::argument(format!("hidden {problem}"));
    if !(0.0..=1.0).contains(&share) {
        return Err(errors::argument(format!("share must be between 0 and 1, got {share}")));
    }
    let settings = Settings {
        players: parse_spec(players, None)?,
        continuation: parse_spec(continuation, None)?,
        repeats: repeats.between("repeats", 1, MAX_REPEATS)?,
        hidden: Hidden::parse(hidden, &()).map_err(unknown)?,
        advisers: specs(&lights)?,
        share,
        seed: seed.0,
        threads: threads.threads()?,
    };
    let first = first.between("first", 0, MAX_GAMES)?;
    let games = games.between("games", 0, MAX_GAMES)?;
    let rules = &game.face().facts().rules_text;
    let rules =
        (game.face().facts().name == Schwinget::NAME).then(|| Rules::from_text(rules).expect("rules of a game"));
    let schwinget = Schwinget::new(rules.ok_or_else(|| no_attack(game))?).expect("rules of a game");
    let found = watching(py, |watch| positions(&schwinget, &settings, first..first + games, watch))?;
    columns(py, &found, settings.advisers.len())
}

/// Every information set of a solved game at which the player to move may attack, as columns. `stier.study` explains the
/// arguments and columns.
#[pyfunction]
#[pyo3(signature = (solution, *, lights, seed, threads))]
pub(crate) fn timing_sets<'py>(
    py: Python<'py>,
    solution: PyRef<'py, Solution>,
    lights: Vec<String>,
    seed: Seed,
    threads: Number,
) -> PyResult<Bound<'py, PyDict>> {
    let lights = specs(&lights)?;
    let threads = threads.threads()?;
    let table = erased::tabular::<Schwinget>(&**solution.table().inner());
    let table = table.ok_or_else(|| no_attack(solution.table().game()))?;
    let (tree, policy) = (table.tree().tree(), table.policy());
    let found = watching(py, |watch| attack_sets(tree, policy, &lights, seed.0, threads, watch))?;
    let columns = Columns { table: PyDict::new(py), rows: &found };
    columns.add("set", |set| set.set)?;
    columns.add("seat", |set| set.seat.0)?;
    columns.add("reach", |set| set.reach)?;
    columns.circumstances(|set| &set.circumstances)?;
    columns.add("share", |set| set.share)?;
    columns.add("rule", |set| set.rule)?;
    columns.add("now", |set| set.now)?;
    columns.add("wait", |set| set.wait)?;
    columns.add("never", |set| set.never)?;
    columns.opinions(lights.len(), |set| &set.opinions)?;
    Ok(columns.table)
}

/// The positions as a table from names to columns.
fn columns<'py>(py: Python<'py>, found: &[Position], lights: usize) -> PyResult<Bound<'py, PyDict>> {
    let columns = Columns { table: PyDict::new(py), rows: found };
    columns.add("game", |position| position.game)?;
    columns.add("decision", |position| position.decision)?;
    columns.add("seat", |position| position.seat.0)?;
    columns.circumstances(|position| &position.circumstances)?;
    columns.add("share", |position| position.share)?;
    columns.add("committed", |position| position.committed)?;
    columns.add("rule", |position| position.rule)?;
    for (index, (arm, name)) in Arm::ALL.into_iter().zip(["now", "wait", "never"]).enumerate() {
        columns.add(&format!("{name}_even"), |position| position.arms[index].halves[0])?;
        columns.add(&format!("{name}_odd"), |position| position.arms[index].halves[1])?;
        for (place, part) in PARTS_OF_RETURN.iter().enumerate() {
            columns.add(&format!("{name}_{part}"), |position| position.arms[index].parts[place])?;
        }
        if arm == Arm::Wait {
            columns.add("wait_committed", |position| position.arms[index].committed)?;
        }
        if arm != Arm::Now {
            columns.add(&format!("{name}_others_committed"), |position| position.arms[index].others_committed)?;
        }
    }
    columns.opinions(lights, |position| &position.opinions)?;
    Ok(columns.table)
}

/// A table under construction.
struct Columns<'py, 'a, R> {
    table: Bound<'py, PyDict>,
    rows: &'a [R],
}

impl<R> Columns<'_, '_, R> {
    fn add<T: numpy::Element>(&self, name: &str, value: impl Fn(&R) -> T) -> PyResult<()> {
        self.table.set_item(name, self.rows.iter().map(value).collect::<Vec<T>>().into_pyarray(self.table.py()))
    }

    fn circumstances(&self, values: impl Fn(&R) -> &[f32]) -> PyResult<()> {
        CIRCUMSTANCES.iter().enumerate().try_for_each(|(index, name)| self.add(name, |row| values(row)[index]))
    }

    fn opinions(&self, lights: usize, opinions: impl Fn(&R) -> &[Opinion]) -> PyResult<()> {
        (0..lights).try_for_each(|light| {
            self.add(&format!("light{light}_now"), |row| opinions(row)[light].now)?;
            self.add(&format!("light{light}_wait"), |row| opinions(row)[light].wait)?;
            self.add(&format!("light{light}_share"), |row| opinions(row)[light].share)
        })
    }
}
