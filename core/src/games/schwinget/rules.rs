//! Variants: deck, scoring and length of a match.

use crate::error::RulesError;
use crate::options::Switch;
use crate::utility::Utility;
use crate::{choice, options};

choice! {
    /// Scoring of a bout.
    pub enum Scoring {
        /// Simplified: only the winner scores, 1 to 7 points, and a loser with enough tricks gets 1.
        Points = "points",
        /// As in wrestling: both score, 8.50 to 10.00.
        Schwinger = "schwinger",
    }
}

choice! {
    /// Restriction on playing referee and counter when a suit is led.
    pub enum Specials {
        /// Only by a player who holds no card of that suit. This is the letter of the rulebook, which exempts only
        /// trumps.
        VoidOnly = "void_only",
        /// At any time, like a trump.
        Anytime = "anytime",
    }
}

options! {
    /// The options of Schwinget.
    #[derive(Eq, Hash)]
    pub struct Rules for "schwinget" {
        /// Scoring of a bout.
        scoring: Scoring = Scoring::Points, ();
        /// Bouts in a match; the rulebook has 4 (short) and 6 (long).
        bouts: u8 = 1, 1..=12;
        /// Restriction on playing referee and counter when a suit is led.
        specials: Specials = Specials::VoidOnly, ();
        /// Definition of a player's return at the end.
        utility: Utility = Utility::Margin, ();
        /// Suits in the deck.
        suits: u8 = 4, 1..=4;
        /// Values in each suit, from 1.
        values: u8 = 6, 1..=6;
        /// Puts the referee into the deck.
        referee: Switch = Switch::On, ();
        /// Puts the counter into the deck.
        counter: Switch = Switch::On, ();
        /// Cards in a hand, and tricks in a flat throw.
        hand_size: u8 = 5, 1..=12;
        /// Cards set aside, including the one turned up for trump.
        set_aside: u8 = 4, 1..=24;
        /// Tricks with which the loser of a bout scores a point (scoring=points).
        consolation_tricks: u8 = 3, 0..=13;
    }
}

impl Rules {
    /// The number of cards in the deck.
    pub fn deck_size(&self) -> u8 {
        let special = |switch| u8::from(switch == Switch::On);
        self.suits * self.values + special(self.referee) + special(self.counter)
    }

    /// The size of the pile after the deal, or an error if it would be odd or negative.
    pub fn pile_size(&self) -> Result<u8, RulesError> {
        let deck = self.deck_size();
        let away = 2 * self.hand_size + self.set_aside;
        match deck.checked_sub(away) {
            Some(pile) if pile % 2 == 0 => Ok(pile),
            Some(pile) => Err(RulesError::Misfit(format!(
                "schwinget: {deck} cards minus 2 x {} in hand and {} set aside leave a pile of {pile}, which must be even",
                self.hand_size, self.set_aside
            ))),
            None => Err(RulesError::Misfit(format!(
                "schwinget: 2 x {} cards in hand and {} set aside are more than the {deck} cards of the deck",
                self.hand_size, self.set_aside
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Rules, Scoring};
    use crate::options::Options;

    #[test]
    fn the_full_deck_leaves_a_pile_of_twelve() {
        assert_eq!(Rules::default().deck_size(), 26);
        assert_eq!(Rules::default().pile_size(), Ok(12));
    }

    #[test]
    fn odd_and_impossible_piles_are_rejected() {
        let error = |text| Rules::from_text(text).unwrap().pile_size().unwrap_err().to_string();
        assert!(error("set_aside=3").contains("leave a pile of 13, which must be even"));
        assert!(error("suits=1").contains("more than the 8 cards of the deck"));
    }

    #[test]
    fn rules_round_trip() {
        let rules = Rules::from_text("scoring=schwinger,bouts=4").unwrap();
        assert_eq!((rules.scoring, rules.bouts), (Scoring::Schwinger, 4));
        assert_eq!(rules.to_text(), "scoring=schwinger,bouts=4");
    }
}
