//! Playing Schwinget well: a fitted policy, an estimate of open cards, exact solvers and a rule of thumb.

mod attack;
mod evaluate;
mod hints;
mod known_pile;
mod policy;
mod policy_weights;
mod solve;
mod thumb;

pub use known_pile::KnownPile;
pub(super) use solve::Layout;
