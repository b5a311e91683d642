//! What agents must get right, in one program: every agent is compiled for every game once.

mod arena;
mod beliefs;
mod exploitability;
mod exploration;
mod flat_mc;
mod game_tree;
mod ismcts;
mod ismcts_family;
mod kuhn;
mod many;
mod no_peeking;
mod open_cards;
mod pimc;
mod properties;
mod responders;
mod ris_mcts;
mod rollout;
mod rule;
mod signature;
mod solutions;
mod solvers;
mod survey;
mod timing;
mod toy_games;
mod toys;
mod vector;
