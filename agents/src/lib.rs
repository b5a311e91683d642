#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

/// Declares an object-safe trait and implements it for the type that knows the game. Every method is written once.
macro_rules! dyn_trait {
    (
        $(#[$about:meta])*
        pub trait $trait:ident: [$($bounds:tt)+] for $type:ident<G: $game:ident $(+ $more:ident)*> {
            $($(#[$doc:meta])* fn $name:ident $arguments:tt $(-> $result:ty)? $body:block)+
        }
    ) => {
        $(#[$about])*
        pub trait $trait: $($bounds)+ {
            $($(#[$doc])* fn $name $arguments $(-> $result)?;)+
        }

        impl<G: $game $(+ $more)*> $trait for $type<G> {
            $($(#[$doc])* fn $name $arguments $(-> $result)? $body)+
        }
    };
}

pub mod agent;
pub mod arena;
#[cfg(feature = "threads")]
pub mod batch;
pub mod belief;
pub mod catalogue;
pub mod erased;
pub mod network;
pub mod rollout;
pub(crate) mod search;
pub mod solve;

pub use agent::{ActionStats, Agent, Decision, OracleAgent, Player, Search};
pub use catalogue::{AgentSpec, SpecError};
