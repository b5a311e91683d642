//! The tests of the programs of this package.

mod survey;
mod tssr;
