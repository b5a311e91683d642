//! Trained networks: from a file to a player, and into searches.
//!
//! A network is a multilayer perceptron on the observation tensor of the player to act ([`Encode::observation`](stier_core::Encode::observation)), with a logit for each
//! action and the return that this player expects. It is trained elsewhere; here it is read from a file ([`mod@file`]), checked against the
//! game, and asked: by a [player](agent::NetworkAgent), and in searches as policy of rollouts, as value where a rollout is
//! cut off, as prior of PUCT with the values of leaves (D. Silver et al., *Mastering Chess and Shogi by Self-Play with a General
//! Reinforcement Learning Algorithm*, 2017; here on information sets), and as model of what other players do.
//!
//! The observation of a world that a search draws is what its mover would see there, and nothing else: a network shows no more of a
//! world than a player could know in it.

pub(crate) mod agent;
pub(crate) mod evaluator;
pub(crate) mod file;
mod forward;
pub(crate) mod option;

pub use evaluator::Evaluator;
pub use file::{Fault, LARGEST, Network, NetworkError};
pub use option::{Guide, NetworkFile, quoted};
