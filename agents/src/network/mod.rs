//! Trained networks as players and in searches.
//!
//! A network is a multilayer perceptron on the observation tensor of the player to act
//! ([`Game::observation`](stier_core::Game::observation)). Its outputs are a logit for each action and that
//! player's expected return. It is trained elsewhere; here it is read from a file, checked against the game and
//! evaluated. There is a network player, and the search `mmds` improves on it. In other searches a network is a rollout
//! policy, the value at a rollout's cutoff, a prior for PUCT with leaf values (D. Silver et al., *Mastering Chess and
//! Shogi by Self-Play with a General Reinforcement Learning Algorithm*, 2017; here on information sets), and a model of
//! other players.
//!
//! In a world that a search draws, the network gets only the mover's observation. It cannot reveal more of the world
//! than a player could know there.

pub(crate) mod agent;
mod classes;
pub(crate) mod evaluator;
pub(crate) mod file;
mod forward;
mod integers;
mod layers;
pub(crate) mod option;
#[cfg(feature = "files")]
mod shared;

pub use evaluator::{Evaluator, Output};
pub use file::{Fault, MAX_FILE_BYTES, Network, NetworkError};
pub use option::{Guide, NetworkFile, RulesOf, quoted};
