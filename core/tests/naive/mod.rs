//! Naive implementations of the games from their rules pages: plain, slow, independent of the engine.

pub(crate) mod schweins_galopp;
pub(crate) mod schwimmen;
pub(crate) mod schwinget;
pub(crate) mod up_and_down;
