//! Errors in agents as text, and reasons why an agent cannot play a game.

use stier_core::names::alternatives;
use stier_core::options::Allowed;
use stier_core::{OptionError, OptionValue};
use thiserror::Error;

use crate::network::file::NetworkError;

/// The largest number of agents nested in each other's options.
pub(super) const MAX_NESTED: usize = 8;

/// An error in the text of an agent.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SpecError {
    /// An unknown agent.
    #[error("unknown agent '{name}'{}", alternatives(.name, "agents", .known))]
    UnknownAgent {
        /// The unknown name.
        name: String,
        /// The names of all agents.
        known: String,
    },
    /// An unknown option or value.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// Agents nested too deeply in each other's options.
    #[error("agents are nested too deeply; at most {MAX_NESTED} levels are allowed")]
    TooDeep,
    /// A seed that is not a whole number.
    #[error("{agent}: seed {}", Allowed::Range(OptionValue::Int(0), OptionValue::Name(u64::MAX.to_string())).refuse(.value))]
    Seed {
        /// The agent.
        agent: String,
        /// The value given.
        value: String,
    },
    /// A network that must value positions has no value head.
    #[error(
        "agent {agent}: evaluation=network needs a network with a value head; '{path}' has none (value=none in its metadata)"
    )]
    NoValue {
        /// The agent.
        agent: String,
        /// The network's file.
        path: String,
    },
    /// Exact beliefs by a model that needs more than states.
    #[error("agent {agent}: exact beliefs need {needed}, whose policy depends on the present state alone")]
    NotExact {
        /// The agent.
        agent: String,
        /// The policies that can be used.
        needed: &'static str,
    },
    /// Endings of no tricks at all.
    #[error("agent {agent}: endings=ranges needs ending_tricks or attack_tricks of at least 1; both are 0")]
    NoTricks {
        /// The agent.
        agent: String,
    },
    /// An option that has no effect beside the values of others.
    #[error("agent {agent}: {option} has no effect without {needed}")]
    Idle {
        /// The agent.
        agent: String,
        /// The option.
        option: &'static str,
        /// The values of other options that give it one.
        needed: String,
    },
}

/// The reason why an agent cannot play a game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Unsuited {
    /// Its network was trained for something else.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// Its network was trained for other rules, and an option would let it play these.
    #[error("agent {agent}: {error}; with {option}=any it plays these rules, too")]
    OtherRules {
        /// The agent.
        agent: &'static str,
        /// The rules that differ.
        error: Box<NetworkError>,
        /// The option.
        option: &'static str,
    },
    /// A required network is not given, and the game has none of its own.
    #[error("agent {agent}: {what} needs the path of a network: {needed}=FILE; {game} has none of its own: train one")]
    NoNetwork {
        /// The agent.
        agent: String,
        /// The option, with its value, that needs the network.
        what: String,
        /// The option that names it.
        needed: &'static str,
        /// The game.
        game: &'static str,
    },
    /// The game has no policy that the agent could play.
    #[error("{game} has no built-in policy, so '{agent}' cannot play it; agents: {}", .playing.join(", "))]
    NoPolicy {
        /// The game.
        game: &'static str,
        /// The agent.
        agent: String,
        /// The names of the agents that can play it.
        playing: Vec<&'static str>,
    },
    /// The game cannot carry beliefs forward.
    #[error(
        "agent {agent}: exact beliefs are possible in Schwinget, where hands are few enough to be listed, not in {game}; particles are"
    )]
    NoExactBeliefs {
        /// The agent.
        agent: &'static str,
        /// The game.
        game: &'static str,
    },
    /// The game has no endings.
    #[error(
        "agent {agent}: endings=ranges is possible in Schwinget with bouts=1 alone, not in {game} under these rules"
    )]
    NoEndings {
        /// The agent.
        agent: &'static str,
        /// The game.
        game: &'static str,
    },
}
