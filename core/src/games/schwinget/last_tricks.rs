//! The last tricks of a bout, in which nobody draws.

use crate::actions::Action;
use crate::game::endings::Tricks;
use crate::seats::Seat;

use super::Schwinget;
use super::public::{NEUTRAL, TRICK, Tally};
use super::state::State;

/// The tricks from a lead on after which nobody draws.
pub(super) struct LastTricks<'a> {
    pub(super) game: &'a Schwinget,
    pub(super) root: &'a State,
}

impl Tricks for LastTricks<'_> {
    fn cards(&self) -> u64 {
        let State { turned, played: [first, second], .. } = self.root;
        u64::from(self.game.deck.all & !(1 << turned | first | second))
    }

    fn count(&self) -> u32 {
        self.game.tricks_to_play(self.root).into()
    }

    fn leader(&self) -> Seat {
        Seat(self.root.leader)
    }

    fn binding(&self, led: u8) -> [u64; 2] {
        self.game.deck.binding(self.root.trump, led).map(u64::from)
    }

    fn winners(&self, led: u8) -> u64 {
        self.game.deck.winners(self.root.trump, led).into()
    }

    fn neutral(&self) -> Option<u8> {
        let referee = self.game.deck.referee;
        (self.cards() & u64::from(referee) != 0).then(|| referee.trailing_zeros() as u8)
    }

    fn decisions(&self) -> [Action; 2] {
        self.game.deck.decisions()
    }

    fn returns(&self, winners: &[Option<Seat>]) -> [f64; 2] {
        let State { taken, after_attack, attacker, neutral, .. } = *self.root;
        let tally = Tally { taken, after_attack, attacker, neutral: neutral as u8 };
        let gain = |winner: &Option<Seat>| winner.map_or(NEUTRAL, |seat| TRICK[seat.index()]);
        self.game.returns_of(winners.iter().map(gain).fold(tally, Tally::after))
    }
}
