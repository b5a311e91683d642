#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod actions;
pub mod bits;
pub mod dealer;
mod dyn_pen;
pub mod encode;
pub mod error;
pub mod fact;
pub mod filter;
pub mod float;
pub mod game;
#[cfg(feature = "games")]
pub mod games;
pub mod hash;
pub mod list;
pub mod names;
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
mod word;

pub use actions::{Action, ActionSet, Actions64, Actions128, Actions256};
pub use dealer::Dealer;
pub use encode::{BlockPen, Cell, Field, Pen, Tensor};
pub use error::{IllegalAction, ParseError, RecordError, RulesError};
pub use fact::{Fact, Value};
pub use filter::Filter;
pub use game::hints::{Hints, RuleOfThumb};
pub use game::history::{Event, History};
pub use game::log::Log;
pub use game::notation::Notation;
pub use game::{Chance, FromRules, FullGame, Game, GameInfo, Observer, Outcome, Sampler, SeatView, Turn, World};
pub use game::{endings, failure, hints, history, key, listed, log, notation, public};
pub use options::{DynOptions, OptionError, OptionInfo, OptionValue, Options};
pub use plain::Plain;
pub use rng::Rng;
pub use scene::Scene;
pub use seats::{BySeat, Seat};
pub use symmetry::Symmetry;
pub use utility::Utility;
