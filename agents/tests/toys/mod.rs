//! Small games with known answers, made of nothing but the public traits.

pub(crate) mod kuhn;
