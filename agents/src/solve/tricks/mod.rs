//! A solver for the last tricks of a deal, in which nobody draws, for all hands that both players may hold.
//!
//! It does what solvers on [public states](super::ranges) do, and stores less: the events that follow a public state and
//! how hands change are the same wherever as many cards are left. What is left to compute is mostly the
//! [last two tricks](last_two), for all hands at once.

mod hands;
mod last_two;
mod pass;
mod solver;
mod squares;
mod tree;

pub(crate) use solver::{Ask, Table, TrickPolicy, TrickSolver, fits};
pub(crate) use tree::Question;
