//! Many at once: vector environments, searches and worlds for many positions.

pub mod resample_many;
pub mod search_many;
pub mod vector;
