//! Small games with known answers, made of nothing but the public traits.
#![allow(dead_code, reason = "each test has its own use of them")]

pub(crate) mod guess;
pub(crate) mod kuhn;
