//! Solvers on public states with ranges: a number for each hand that a player may hold.
//!
//! Public states from which on the same can happen have one shape, whatever was played before. A shape is stored once. Its
//! *lanes* are the public states of this shape, side by side: the numbers of one hand in all lanes are adjacent, so loops
//! over lanes use vector registers, and only numbers and returns take memory for each public state.
//!
//! A public state may stand for several that differ only by names. Its numbers are those of one of them: only sums over the
//! whole game count it more than once. Hands that differ only by names have the same probability and value, and one policy.
//!
//! A pass goes down with the probabilities of hands, then up with their values, which are summed over all hands of the
//! other player that fit (M. Johanson, K. Waugh, M. Bowling and M. Zinkevich, *Accelerating Best Response Calculation in
//! Large Extensive Games*, 2011). Numbers are in single precision; values of policies are measured in double precision.

mod ask;
mod excerpt;
mod file;
mod known;
mod measure;
mod parts;
mod passes;
mod policy;
mod public_tree;
mod rows;
mod shapes;
mod size;
mod solver;
#[cfg(test)]
mod tests;

pub(crate) use ask::{InGame, Respondent};
pub use excerpt::Route;
pub use file::{game_of_ranges, read_ranges, write_ranges};
pub use parts::{RangeTree, TreeState};
pub use policy::RangePolicy;
pub(crate) use policy::normalized;
pub use public_tree::{Play, PublicTree};
pub use rows::{LeafValues, PassError};
pub use size::{RangeSize, RangesTooLarge};
pub use solver::RangeSolver;
