//! The engine as a Python module: conversions, errors, threads.
//!
//! One class each for games, states and agents, whatever the game. They wrap the type-erased layer of `stier_agents`.
//! This layer checks every argument, runs long calls on a thread of their own without the GIL ([`run`]), and raises the
//! exceptions of `stier/errors.py`.

#![expect(clippy::too_many_arguments, reason = "Python names its arguments")]

use pyo3::prelude::*;

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
mod public;
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
mod _native {
    use pyo3::prelude::*;

    /// Comes first: to add classes takes instructions that older processors lack.
    #[pymodule]
    mod processor {
        #[pymodule_init]
        fn init() -> pyo3::PyResult<()> {
            crate::processor::check()
        }
    }

    #[pymodule_export]
    use crate::{
        agent::{Agent, load_agent, networks_of},
        arrays::Batch,
        game::{Game, load_game, make_python_game, split_game},
        judgement::{judge, judgement_seed, verdict},
        listing::{agent_options, alternatives, game_options, registered_agents, registered_names},
        pit::{games_per_deal, pit},
        pit_result::{PitResult, Played, restore_pit_result},
        policy::TabularPolicy,
        properties::properties,
        public::{Play, PublicState, PublicTree},
        python_agent::PythonAgent,
        serial::{deserialize_game_and_state, read_record, restore_state, serialize_game_and_state},
        solve::{best_response, load_solution, next_look, restore_policy, solve},
        state::State,
        stats::{estimate, share},
        tree::GameTree,
        values::derive_seed,
        vector::VectorEnv,
        worlds::{Worlds, resample_many, search_many},
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.delattr("processor")?;
        module.index()?.call_method1("remove", ("processor",))?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("CHANCE", crate::values::CHANCE)?;
        module.add("TERMINAL", crate::values::TERMINAL)
    }
}
