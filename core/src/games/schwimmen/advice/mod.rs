//! Playing Schwimmen well: an estimate of open cards and a fitted policy.

mod hints;
mod policy;
