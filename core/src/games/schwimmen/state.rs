//! The state of a game: bit sets of cards and a few counters.

use crate::bits;

use super::cards::{Card, NO_CARD};

/// The largest number of players at a table.
pub(super) const PLAYERS: usize = 5;
/// Marks the absence of a player where a seat index is stored.
pub(super) const NOBODY: u8 = u8::MAX;
/// The number of deals a player must lose to be out: three for the stakes, and one swimming.
pub(super) const LIVES: u8 = 4;

/// The next kind of event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub(super) enum Phase {
    /// A player has a turn.
    Turn,
    /// The player who took a table card gives one for it.
    Give,
    /// The dealer keeps or swaps the dealt hand.
    Swap,
    /// The game has ended.
    Over,
    /// Chance deals a card into a hand.
    Deal,
    /// Chance deals a card to the table, for the first time in this deal.
    Table,
    /// Chance deals a replacement card to the table.
    Refresh,
    /// Chance deals a card to a player who cuts.
    Cut,
}

/// A game of Schwimmen: all hands, the table, the stakes.
///
/// The pile has no order: `pool` is the set of its cards, and a card gets its identity when it is drawn. Cards of
/// earlier rounds of a cut are in none of the sets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// `hands[seat]`: the cards the seat holds, without the card just taken while another must be given for it.
    pub(super) hands: [u32; PLAYERS],
    /// The cards on the table.
    pub(super) table: u32,
    /// The cards laid away.
    pub(super) away: u32,
    /// The cards in hands that were taken from the table face up: all players know them.
    pub(super) open: u32,
    /// The cards in the pile.
    pub(super) pool: u32,
    /// `lives[seat]`: the number of deals the seat can still lose, which is one more than its stakes; 1 swimming, 0
    /// out.
    pub(super) lives: [u8; PLAYERS],
    /// `cut[seat]`: the seat's card in this round of cutting, or [`NO_CARD`].
    pub(super) cut: [Card; PLAYERS],
    /// The seats that cut, as a set.
    pub(super) cutters: u8,
    /// The seats still in, as a set.
    pub(super) active: u8,
    /// The number of players still in.
    pub(super) players: u8,
    /// The next kind of event.
    pub(super) phase: Phase,
    /// The player to act or, in phases of chance, the player who receives the card or acts after it.
    pub(super) mover: u8,
    /// The seat that deals.
    pub(super) dealer: u8,
    /// The card taken from the table while another must be given for it, or [`NO_CARD`].
    pub(super) taken: Card,
    /// The number of turns played in this deal.
    pub(super) turns: u8,
    /// The number of turns after which the deal ends.
    pub(super) end: u8,
    /// The number of consecutive turns without an exchange since the table was last renewed.
    pub(super) quiet: u8,
    /// The seat that has knocked, or [`NOBODY`].
    pub(super) knocker: u8,
    /// The seat that lost the deal, at the end of the game, or [`NOBODY`].
    pub(super) loser: u8,
    /// The number of finished deals.
    pub(super) deals: u8,
}

const _: () = assert!(size_of::<State>() <= 64, "a state must fit into a cache line");

impl State {
    /// Creates a deal before its first card, among the players with lives left.
    pub(super) fn new(deck: u32, lives: [u8; PLAYERS], dealer: u8, deals: u8, max_turns: u8) -> Self {
        let active = (0..PLAYERS).fold(0, |set, seat| set | u8::from(lives[seat] > 0) << seat);
        Self {
            hands: [0; PLAYERS],
            table: 0,
            away: 0,
            open: 0,
            pool: deck,
            lives,
            cut: [NO_CARD; PLAYERS],
            cutters: 0,
            active,
            players: active.count_ones() as u8,
            phase: Phase::Deal,
            mover: after(active, dealer),
            dealer,
            taken: NO_CARD,
            turns: 0,
            end: max_turns,
            quiet: 0,
            knocker: NOBODY,
            loser: NOBODY,
            deals,
        }
    }

    /// True if the deal is over and the hands are shown.
    pub(super) fn is_shown(&self) -> bool {
        matches!(self.phase, Phase::Cut | Phase::Over)
    }

    /// The seats still in, in ascending order.
    pub(super) fn seats_in(&self) -> impl Iterator<Item = usize> + use<> {
        bits::members(u32::from(self.active)).map(usize::from)
    }
}

/// The first seat of a set to the left of `seat`; `seat` itself if no other seat is in the set.
#[inline(always)]
pub(super) fn after(set: u8, seat: u8) -> u8 {
    debug_assert!(set != 0);
    let left = set & (0xfe << seat);
    let first = if left != 0 { left } else { set };
    first.trailing_zeros() as u8
}

#[cfg(test)]
mod tests {
    use super::after;

    #[test]
    fn turns_pass_among_the_players_still_in() {
        assert_eq!([0, 1, 2].map(|seat| after(0b111, seat)), [1, 2, 0]);
        assert_eq!([0, 1, 2, 3, 4].map(|seat| after(0b11010, seat)), [1, 3, 3, 4, 1]);
        assert_eq!(after(0b00100, 2), 2);
    }
}
