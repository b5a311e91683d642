//! `stier.public`: public states with ranges of hands.

mod play;
mod state;
mod tree;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use stier_core::Seat;

pub(crate) use self::play::Play;
pub(crate) use self::state::PublicState;
pub(crate) use self::tree::PublicTree;
use crate::arrays::PerPlayer;

/// One array (rows,) or (hands,) for each player.
type Policies<'py> = PerPlayer<'py, f32>;

/// The error for a leaf, which has neither rows nor public states that follow.
const CUT_OFF: &str = "the tree is cut off at this public state";

/// The error for a pickle.
fn unpicklable(what: &str) -> PyErr {
    let remedy = match what {
        "tree" => "pass the game and the settings, and build it again",
        "state" => "pass the game and `history`, which `child` follows from a root of its tree",
        _ => "pass the game and the policy, which `PublicTree.follow` follows again",
    };
    PyTypeError::new_err(format!("cannot pickle a public {what}: {remedy}"))
}

const PLAYERS: [Seat; 2] = [Seat(0), Seat(1)];
