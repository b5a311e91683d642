//! Variants: players, rounds, deck and hand size.

use crate::error::RulesError;
use crate::options;
use crate::utility::Utility;

options! {
    /// The options of Up & Down.
    #[derive(Eq, Hash)]
    pub struct Rules for "up_and_down" {
        /// Number of players.
        players: u8 = 4, 2..=4;
        /// Rounds in a game; the rulebook suggests one for each player.
        rounds: u8 = 1, 1..=8;
        /// Maximum number of further rounds while first place is shared.
        tie_break_rounds: u8 = 0, 0..=8;
        /// Definition of a player's return at the end.
        utility: Utility = Utility::Margin, ();
        /// Faces on each of the two dice; the values of the deck are 2 to twice this number.
        die_faces: u8 = 6, 2..=6;
        /// Cards in a hand; 0 for the rulebook's 15, 14 or 11 with 2, 3 or 4 players, or fewer if the deck is too
        /// small.
        hand_size: u8 = 0, 0..=15;
    }
}

impl Rules {
    /// The number of values in each suit, and of different dice sums.
    pub fn values(&self) -> u8 {
        2 * self.die_faces - 1
    }

    /// The number of cards in the deck.
    pub fn deck_size(&self) -> u8 {
        4 * self.values()
    }

    /// The number of cards dealt to each player, or an error if there are not enough.
    pub fn cards_each(&self) -> Result<u8, RulesError> {
        let most = self.deck_size() / self.players;
        match self.hand_size {
            0 => Ok(most.min(if self.players == 2 { 15 } else { 14 })),
            size if size <= most => Ok(size),
            size => Err(RulesError::Misfit(format!(
                "up_and_down: the deck of {} cards has at most {most} for each of {} players, not {size}",
                self.deck_size(),
                self.players
            ))),
        }
    }

    /// The largest possible number of rounds.
    pub fn most_rounds(&self) -> u8 {
        self.rounds + self.tie_break_rounds
    }
}

#[cfg(test)]
mod tests {
    use super::{Rules, Utility};
    use crate::options::Options as _;

    fn rules(text: &str) -> Rules {
        Rules::from_text(text).unwrap()
    }

    #[test]
    fn hand_sizes_follow_the_rulebook() {
        assert_eq!(rules("").deck_size(), 44);
        assert_eq!(rules("players=2").cards_each(), Ok(15));
        assert_eq!(rules("players=3").cards_each(), Ok(14));
        assert_eq!(rules("players=4").cards_each(), Ok(11));
    }

    #[test]
    fn smaller_decks_have_smaller_hands() {
        assert_eq!(rules("die_faces=2").deck_size(), 12);
        assert_eq!(rules("die_faces=2,players=2").cards_each(), Ok(6));
        assert_eq!(rules("die_faces=2,players=4").cards_each(), Ok(3));
        assert_eq!(rules("die_faces=3,players=3").cards_each(), Ok(6));
        assert_eq!(rules("die_faces=2,hand_size=2").cards_each(), Ok(2));
        let error = rules("die_faces=2,hand_size=4").cards_each().unwrap_err().to_string();
        assert!(error.contains("the deck of 12 cards has at most 3 for each of 4 players, not 4"), "{error}");
    }

    #[test]
    fn rules_round_trip() {
        let text = "players=3,rounds=3,tie_break_rounds=1,utility=win";
        assert_eq!(rules(text).utility, Utility::Win);
        assert_eq!(rules(text).most_rounds(), 4);
        assert_eq!(rules(text).to_text(), text);
    }
}
