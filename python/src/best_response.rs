//! `stier.solving.best_response` and, through it, `stier.solving.nash_conv` and `stier.exploitability`.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use pyo3::prelude::*;
use stier_agents::erased::{AskError, AskSettings, DynEntrant, DynTree};
use stier_agents::solve::NashConv;

use crate::entrants::{Player, Question};
use crate::enumeration::{enumerate, most_histories};
use crate::errors;
use crate::game::{AnyGame, Game};
use crate::policy::{Measured, TabularPolicy, origin};
use crate::run::Progress;
use crate::values::{Number, Seed};

/// `on_progress(done, total)` is called about ten times a second while the agent is queried at the information sets,
/// and after the last. While the histories of the game are counted, `on_count(histories, estimate)` is called instead.
/// See `stier.solving.best_response` for the other arguments.
#[pyfunction]
#[pyo3(signature = (game, agent, seed, seeds, max_histories, threads, on_progress=None, on_count=None))]
pub(crate) fn best_response(
    py: Python<'_>,
    game: AnyGame,
    agent: &Bound<'_, PyAny>,
    seed: Seed,
    seeds: Number,
    max_histories: Number,
    threads: Number,
    on_progress: Option<Py<PyAny>>,
    on_count: Option<Py<PyAny>>,
) -> PyResult<TabularPolicy> {
    let AnyGame(game) = &game;
    let settings = settings_of(seed, &seeds, threads.cores()?)?;
    let most = most_histories(&max_histories)?;
    let progress = Progress::new(0, on_progress, on_count);
    let (asked, found) = ask(py, game, agent, &settings, Trees::Grow(most), &progress)?;
    let response = py.detach(|| asked.inner().best_response(settings.threads)).map_err(errors::halted)?;
    let origin = origin(format!("best response to {}", asked.name()));
    let (values, against) = (found.responses.as_slice().to_vec(), Some(Py::new(py, asked)?));
    let measured = Measured { values, nash_conv: None, seeds: 0, against };
    Ok(TabularPolicy::new(game.clone(), origin, response, settings.seed, measured))
}

/// More seeds than this are a mistake.
const MAX_SEEDS: i64 = 1_000_000;

/// The settings of a query.
pub(crate) fn settings_of(seed: Seed, seeds: &Number, threads: usize) -> PyResult<AskSettings> {
    Ok(AskSettings { seed: seed.0, seeds: seeds.between("seeds", 1, MAX_SEEDS)?, threads })
}

/// The tree whose information sets an agent is asked about.
pub(crate) enum Trees {
    Given(Arc<dyn DynTree>),
    /// That of a policy, or a new one of at most so many histories.
    Grow(usize),
}

/// Queries an agent at every information set of a tree. Returns its policy, with its distance from equilibrium.
pub(crate) fn ask(
    py: Python<'_>,
    game: &Game,
    agent: &Bound<'_, PyAny>,
    settings: &AskSettings,
    trees: Trees,
    progress: &Progress,
) -> PyResult<(TabularPolicy, NashConv)> {
    let players = [Player::of(game, agent)?];
    let plan = players[0].plan();
    let work = |sender: Sender<Question>| {
        let entrant = plan.entrant(0, &sender);
        let tree = match (trees, &entrant) {
            (Trees::Given(tree), _) => tree,
            (Trees::Grow(_), DynEntrant::Table(_, policy)) => policy.tree(),
            (Trees::Grow(most), _) => {
                let hint = "; `stier exploit` gives a lower bound without a tree";
                enumerate(game, most, settings.threads, progress, hint)?
            }
        };
        let seeds = entrant.num_seeds(settings);
        progress.expect(tree.information_sets() as u64 * seeds.max(1));
        let policy = tree.policy_of(&entrant, settings, &progress.interrupt, &|| progress.advance());
        let policy = policy.map_err(|error| match error {
            AskError::Oracle(_) | AskError::OtherGame(_) | AskError::Unsuited(_) => errors::agent(error),
            _ => errors::halted(error),
        })?;
        let found = policy.nash_conv(settings.threads).map_err(errors::halted)?;
        let measured = Measured { seeds, ..Measured::of(&found) };
        Ok::<_, PyErr>((
            TabularPolicy::new(game.clone(), origin(entrant.label()), policy, settings.seed, measured),
            found,
        ))
    };
    progress.run(py, work, |question| question.ask(py, game, &players), |error| error)
}
