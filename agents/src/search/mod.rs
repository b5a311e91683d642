//! Players that decide by the rules, by hints or by search: one algorithm per file.

pub mod determinized;
pub mod epimc;
pub mod flat_mc;
pub mod greedy;
pub mod ismcts;
pub mod open_cards;
pub mod oracle;
pub mod pimc;
pub mod presumed;
pub mod random;
pub mod recursive;
pub mod ris_mcts;
pub mod spread;
pub mod ucb;
pub mod uct;
