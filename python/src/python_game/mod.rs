//! A game whose rules are Python functions: see `stier.register_game`.
//!
//! A [position](position::Position) is the path that leads to a state. The Python object and everything that was asked
//! about it stand in a [node](nodes), so each question is asked once, and searches and solvers run without Python
//! wherever play has been before. If Python raises, or says what cannot be, the game [fails](stier_core::failure::fail)
//! with the exception.

mod encode;
mod game;
mod listing;
mod nodes;
mod options;
mod position;
mod sheet;
mod source;
mod thread;

pub(crate) use self::game::PythonGame;
pub(crate) use self::options::options;
