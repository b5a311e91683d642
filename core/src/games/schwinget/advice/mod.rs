//! Playing Schwinget well: a fitted policy, an estimate of open cards, exact solvers, and the attack: a rule of thumb
//! and what a study of it looks at.

mod attack;
mod evaluate;
mod hints;
mod policy;
mod solve;
mod thumb;

pub use attack::{CIRCUMSTANCES, PARTS_OF_RETURN};
