#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod actions;
pub mod bits;
pub mod dealer;
pub mod encode;
pub mod error;
pub mod fact;
pub mod failure;
pub mod filter;
pub mod float;
pub mod game;
#[cfg(feature = "games")]
pub mod games;
pub mod hash;
pub mod hints;
pub mod history;
pub mod key;
pub mod listed;
pub mod log;
pub mod notation;
pub mod options;
pub mod plain;
#[cfg(feature = "games")]
mod playout;
pub mod processor;
pub mod record;
pub mod rng;
pub mod scene;
pub mod seats;
pub mod symmetry;
pub mod utility;

pub use actions::{Action, ActionSet, Actions64, Actions128, Actions256};
pub use dealer::Dealer;
pub use encode::{BlockPen, Cell, Field, Pen, Tensor};
pub use error::{IllegalAction, ParseError, RecordError, RulesError};
pub use fact::{Fact, Value};
pub use filter::Filter;
pub use game::{Chance, FromRules, FullGame, Game, GameInfo, Observer, Outcome, Sampler, SeatView, Turn, World};
pub use hints::{Hints, RuleOfThumb};
pub use history::{Event, History};
pub use log::Log;
pub use notation::Notation;
pub use options::{DynOptions, OptionError, OptionInfo, OptionValue, Options};
pub use plain::Plain;
pub use rng::Rng;
pub use scene::Scene;
pub use seats::{BySeat, Seat};
pub use symmetry::Symmetry;
pub use utility::Utility;
