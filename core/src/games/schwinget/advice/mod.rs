//! Playing Schwinget well: a fitted policy, an estimate of open cards, an exact solver, and a rule of thumb for the
//! attack.

mod evaluate;
mod hints;
mod policy;
mod solve;
mod thumb;
