//! All tests of the engine in one program, so that it is linked only once.

mod bad_input;
mod conformance;
mod encodings;
mod estimates;
mod fuzz;
mod literature;
mod naive;
mod perft;
mod plain;
mod playthroughs;
mod samplers;
mod schweins_galopp_reference;
mod schweins_galopp_rulebook;
mod schweins_galopp_sampling;
mod schwimmen_bad_input;
mod schwimmen_reference;
mod schwimmen_rulebook;
mod schwimmen_sampling;
mod schwinget_reference;
mod schwinget_rulebook;
mod schwinget_sampling;
mod schwinget_solver;
mod side_by_side;
mod up_and_down_reference;
mod up_and_down_rulebook;
mod up_and_down_sampling;
