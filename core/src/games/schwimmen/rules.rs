//! Variants: players, the dealer's options and the length of the game.

use crate::error::RulesError;
use crate::{choice, options};

use crate::options::Switch;

choice! {
    /// Cards for which the dealer may swap the dealt hand.
    pub enum DealerSwap {
        /// The three table cards, face down for everyone; they are turned up afterwards.
        Blind = "blind",
        /// The three table cards, face up.
        Open = "open",
        /// None.
        Off = "off",
    }
}

choice! {
    /// A single deal or a match.
    pub enum Play {
        /// One deal.
        Deal = "deal",
        /// Deals for three stakes each, until one player is left.
        Match = "match",
    }
}

choice! {
    /// The seat that deals first.
    pub enum FirstDealer {
        /// The last seat, so that seat 0 begins.
        Last = "last",
        /// Seat 0.
        Seat0 = "0",
        /// Seat 1.
        Seat1 = "1",
        /// Seat 2.
        Seat2 = "2",
        /// Seat 3.
        Seat3 = "3",
        /// Seat 4.
        Seat4 = "4",
    }
}

choice! {
    /// Definition of a player's return at the end.
    pub enum Payoff {
        /// A deal: -1 for the loser, shared by the opponents. A match: the stakes won or lost.
        Stakes = "stakes",
        /// The winners of the match (of a deal: the highest hands) share one win. The return is the own share minus
        /// the mean of the others' shares.
        Win = "win",
    }
}

options! {
    /// The options of Schwimmen.
    #[derive(Eq, Hash)]
    pub struct Rules for "schwimmen" {
        /// Players at the table.
        players: u8 = 3, 2..=5;
        /// Three cards of one rank count 30 1/2 points.
        three_of_a_kind: Switch = Switch::Off, ();
        /// Cards for which the dealer may swap the dealt hand.
        dealer_swap: DealerSwap = DealerSwap::Blind, ();
        /// Maximum number of turns in a deal; after the last one the hands are shown.
        max_turns: u8 = 60, 1..=200;
        /// A single deal or a match.
        play: Play = Play::Deal, ();
        /// The seat that deals first.
        dealer: FirstDealer = FirstDealer::Last, ();
        /// Maximum number of deals in a match; after the last one the players still in share the pot (play=match).
        max_deals: u8 = 200, 1..=200;
        /// Definition of a player's return at the end.
        utility: Payoff = Payoff::Stakes, ();
        /// Suits in the deck, from diamonds.
        suits: u8 = 4, 2..=4;
        /// Ranks in each suit, from the ace down.
        ranks: u8 = 8, 3..=8;
    }
}

impl Rules {
    /// The number of cards in the deck.
    pub fn deck_size(&self) -> u8 {
        self.suits * self.ranks
    }

    /// The seat that deals first, or an error if these rules are inconsistent.
    pub(super) fn checked(&self) -> Result<u8, RulesError> {
        let (deck, players) = (self.deck_size(), self.players);
        // Hands, table, and a card for each player to cut with.
        let least = 4 * players + 3;
        if deck < least {
            return Err(RulesError::Misfit(format!(
                "schwimmen: {} suits of {} ranks are {deck} cards; {players} players need {least} or more",
                self.suits, self.ranks
            )));
        }
        let dealer = match self.dealer {
            FirstDealer::Last => players - 1,
            FirstDealer::Seat0 => 0,
            FirstDealer::Seat1 => 1,
            FirstDealer::Seat2 => 2,
            FirstDealer::Seat3 => 3,
            FirstDealer::Seat4 => 4,
        };
        if dealer >= players {
            return Err(RulesError::Misfit(format!(
                "schwimmen: seat {dealer} cannot deal among {players} players; dealer must be last or 0 to {}",
                players - 1
            )));
        }
        Ok(dealer)
    }

    /// Upper bound on the deals of a match: every player but one loses four, and that one at most three.
    pub(super) fn most_deals(&self) -> usize {
        match self.play {
            Play::Deal => 1,
            Play::Match => usize::from(self.max_deals.min(4 * self.players - 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rules;
    use crate::options::Options;

    #[test]
    fn the_last_seat_deals_by_default() {
        let dealer = |text| Rules::from_text(text).unwrap().checked();
        assert_eq!(dealer(""), Ok(2));
        assert_eq!(dealer("players=5"), Ok(4));
        assert_eq!(dealer("players=2,dealer=0"), Ok(0));
    }

    #[test]
    fn errors_name_the_allowed_values() {
        let error = |text| Rules::from_text(text).unwrap().checked().unwrap_err().to_string();
        assert!(error("dealer=3").contains("dealer must be last or 0 to 2"));
        assert!(error("players=5,ranks=5").contains("20 cards; 5 players need 23 or more"));
    }
}
