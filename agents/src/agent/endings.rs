//! Options about the last part of a deal.

use stier_core::{choice, options};

choice! {
    /// The play in endings.
    pub enum Endings {
        /// As before.
        Off = "off",
        /// By a solution for all hands that both players may hold.
        Ranges = "ranges",
    }
}

choice! {
    /// The hands with which the opponent of a player begins a part of a game that is solved anew. The *alternative* of a
    /// hand is its value against the policy before.
    pub enum Gadget {
        /// Those that it has if it follows the policy before: exact then, but not safe.
        Unsafe = "unsafe",
        /// All hands alike. With each, it may take the alternative instead (Burch, Johanson and Bowling 2014).
        Resolve = "resolve",
        /// The hand that wins most, compared with the alternative (Moravčík et al. 2016).
        MaxMargin = "max_margin",
    }
}

options! {
    /// The last part of a deal.
    pub struct EndingSettings for "endings" {
        /// The play in endings, once few tricks are left. No limit of time ends a solution.
        endings: Endings = Endings::Off, ();
        /// The number of tricks of an ending, which begins once no cards are drawn any more; fewer where its solution would
        /// take more than a gigabyte by estimate. With 0, endings are solved only after an action that binds for the rest of
        /// the deal; with 1 there is no choice.
        ending_tricks: u8 = 3, 0..=12, "endings=ranges";
        /// The same after an action that binds for the rest of the deal, an attack, when more cards are unseen.
        attack_tricks: u8 = 2, 0..=12, "endings=ranges";
        /// The assumption about the opponent's hands at the beginning of an ending.
        gadget: Gadget = Gadget::Resolve, (), "endings=ranges";
        /// The probability that the opponent's hand comes from its range, and not from the gadget's assumption. Above 0 it is
        /// less safe; hands that the opponent seldom has count less.
        range_share: f64 = 0.1, 0.0..=1.0, "endings=ranges and gadget=resolve|max_margin";
        /// The seat's own hands that a solution leaves out: the least likely ones, with this total probability. With such a
        /// hand the agent plays on without the solution.
        range_cut: f64 = 0.001, 0.0..=0.5, "endings=ranges";
        /// The iterations of counterfactual regret minimization in an ending. A network near an equilibrium needs more, and
        /// so does `max_margin`.
        ending_iterations: u64 = 20, 1..=1_000_000, "endings=ranges";
    }
}
