//! The engine as a Python module: conversions, errors, threads.
//!
//! One class each for games, states and agents, whatever the game. They wrap the type-erased layer of `stier_agents`.
//! This layer checks every argument, runs long calls on a thread of their own without the GIL ([`run`]), and raises the
//! exceptions of `stier/errors.py`.

#![expect(clippy::too_many_arguments, reason = "Python names its arguments")]

use pyo3::prelude::*;
use pyo3::wrap_pyfunction;

mod agent;
mod arrays;
mod entrants;
mod errors;
mod game;
mod game_methods;
mod judgement;
mod listing;
mod pit;
mod pit_result;
mod policy;
mod processor;
mod properties;
mod python_agent;
mod python_game;
mod run;
mod scene;
mod search;
mod serial;
mod solve;
mod state;
mod state_methods;
mod stats;
mod tree;
mod values;
mod vector;
mod vector_settings;
mod worlds;

/// The compiled part of the package `stier`. Import its contents from there.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    processor::check()?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("CHANCE", values::CHANCE)?;
    module.add("TERMINAL", values::TERMINAL)?;
    module.add_class::<game::Game>()?;
    module.add_class::<state::State>()?;
    module.add_class::<agent::Agent>()?;
    module.add_class::<python_agent::PythonAgent>()?;
    module.add_class::<pit_result::PitResult>()?;
    module.add_class::<pit_result::Played>()?;
    module.add_class::<policy::TabularPolicy>()?;
    module.add_class::<tree::GameTree>()?;
    module.add_class::<vector::VectorEnv>()?;
    module.add_class::<arrays::Batch>()?;
    module.add_class::<worlds::Worlds>()?;
    module.add_function(wrap_pyfunction!(game::load_game, module)?)?;
    module.add_function(wrap_pyfunction!(game::make_python_game, module)?)?;
    module.add_function(wrap_pyfunction!(agent::load_agent, module)?)?;
    module.add_function(wrap_pyfunction!(agent::networks_of, module)?)?;
    module.add_function(wrap_pyfunction!(serial::read_record, module)?)?;
    module.add_function(wrap_pyfunction!(serial::serialize_game_and_state, module)?)?;
    module.add_function(wrap_pyfunction!(serial::deserialize_game_and_state, module)?)?;
    module.add_function(wrap_pyfunction!(serial::restore_state, module)?)?;
    module.add_function(wrap_pyfunction!(pit_result::restore_pit_result, module)?)?;
    module.add_function(wrap_pyfunction!(pit::pit, module)?)?;
    module.add_function(wrap_pyfunction!(pit::games_per_deal, module)?)?;
    module.add_function(wrap_pyfunction!(judgement::judge, module)?)?;
    module.add_function(wrap_pyfunction!(judgement::verdict, module)?)?;
    module.add_function(wrap_pyfunction!(judgement::cross_fitted, module)?)?;
    module.add_function(wrap_pyfunction!(judgement::judgement_seed, module)?)?;
    module.add_function(wrap_pyfunction!(stats::estimate, module)?)?;
    module.add_function(wrap_pyfunction!(stats::share, module)?)?;
    module.add_function(wrap_pyfunction!(properties::properties, module)?)?;
    module.add_function(wrap_pyfunction!(solve::solve, module)?)?;
    module.add_function(wrap_pyfunction!(solve::next_look, module)?)?;
    module.add_function(wrap_pyfunction!(solve::load_solution, module)?)?;
    module.add_function(wrap_pyfunction!(solve::restore_policy, module)?)?;
    module.add_function(wrap_pyfunction!(solve::best_response, module)?)?;
    module.add_function(wrap_pyfunction!(worlds::resample_many, module)?)?;
    module.add_function(wrap_pyfunction!(worlds::search_many, module)?)?;
    module.add_function(wrap_pyfunction!(values::derive_seed, module)?)?;
    module.add_function(wrap_pyfunction!(listing::registered_names, module)?)?;
    module.add_function(wrap_pyfunction!(listing::registered_agents, module)?)?;
    module.add_function(wrap_pyfunction!(listing::game_options, module)?)?;
    module.add_function(wrap_pyfunction!(listing::agent_options, module)?)?;
    module.add_function(wrap_pyfunction!(listing::alternatives, module)?)?;
    Ok(())
}
