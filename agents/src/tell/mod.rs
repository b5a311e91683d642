//! A game for people: its events in words, and a state as one seat sees it.

mod story;
mod table;

pub use story::{Said, Sentence, Story, story};
pub use table::{Move, Table};
