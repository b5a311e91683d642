//! Players that decide by the rules, by hints or by search: one algorithm per file.

pub(crate) mod algorithm;
pub(crate) mod determinized;
pub(crate) mod endings;
pub(crate) mod epimc;
pub(crate) mod flat_mc;
pub(crate) mod future;
pub(crate) mod greedy;
pub(crate) mod ismcts;
pub(crate) mod mmds;
pub(crate) mod network_rollouts;
pub(crate) mod open_cards;
pub(crate) mod oracle;
pub(crate) mod pimc;
pub(crate) mod presumed;
pub(crate) mod random;
pub(crate) mod recursive;
pub(crate) mod responders;
pub(crate) mod ris_mcts;
pub(crate) mod rule;
pub(crate) mod spread;
pub(crate) mod ucb;
pub(crate) mod uct;
