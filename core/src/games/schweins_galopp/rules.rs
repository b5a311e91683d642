//! Variants: players, food and the length of the race.

use crate::error::RulesError;
use crate::options::Switch;
use crate::utility::Utility;
use crate::{choice, options};

choice! {
    /// Placement of the pigs at the start of a round.
    pub enum Placement {
        /// In random order. Before the deal all colours are alike, so no decision is lost.
        Random = "random",
        /// The first player of the round chooses, from the front.
        Choice = "choice",
    }
}

options! {
    /// The options of Schweins-Galopp.
    #[derive(Eq, Hash)]
    pub struct Rules for "schweins_galopp" {
        /// Number of players.
        players: u8 = 4, 2..=4;
        /// Pieces of food in the supply: 55 in the Abacus edition, 50 in the Ravensburger edition.
        food: u8 = 55, 1..=255;
        /// Rounds in a game.
        rounds: u8 = 3, 1..=9;
        /// Placement of the pigs at the start of a round.
        placement: Placement = Placement::Random, ();
        /// Players lay out food on the track before each deal (a variant of the rulebook).
        track_food: Switch = Switch::Off, ();
        /// Definition of a player's return at the end.
        utility: Utility = Utility::Margin, ();
        /// Pigs, each with cards of its colour; the box has 5.
        colours: u8 = 5, 2..=5;
        /// Race cards of each colour; the box has 7.
        cards_per_colour: u8 = 7, 1..=7;
        /// Cards in a hand; the rulebook has 7.
        hand_size: u8 = 7, 1..=7;
        /// Spaces of the track; the box has 22.
        track: u8 = 22, 6..=22;
    }
}

/// Spaces directly in front of the leading pig on which food must not be laid.
pub(super) const KEPT_CLEAR: u8 = 4;

impl Rules {
    /// Checks that the options are compatible.
    pub(super) fn check(&self) -> Result<(), RulesError> {
        let (needed, deck) = (self.players * self.hand_size, self.colours * self.cards_per_colour);
        if needed > deck {
            return Err(RulesError::Misfit(format!(
                "schweins_galopp: {} hands of {} cards are more than the {deck} race cards of {} colours x {}",
                self.players, self.hand_size, self.colours, self.cards_per_colour
            )));
        }
        let spaces = self.colours + KEPT_CLEAR + self.players;
        if self.track_food == Switch::On && self.track < spaces {
            return Err(RulesError::Misfit(format!(
                "schweins_galopp: with track_food=on the track has at least {spaces} spaces ({} pigs, {KEPT_CLEAR} kept \
                 clear, {} with food), not {}",
                self.colours, self.players, self.track
            )));
        }
        Ok(())
    }

    /// The number of cards played in a round.
    pub(super) fn plays(&self) -> u8 {
        self.players * self.hand_size
    }

    /// The number of pieces of food that players lay on the track in a round, if the supply lasts.
    pub(super) fn laid(&self) -> u8 {
        if self.track_food == Switch::On { self.players } else { 0 }
    }

    /// Upper bound on the food that a player can take in a round.
    pub(super) fn most_in_a_round(&self) -> u8 {
        (self.hand_size + self.laid()).min(self.food)
    }

    /// Upper bound on the food that a player can bank.
    pub(super) fn most_banked(&self) -> u8 {
        let takes = u16::from(self.rounds) * u16::from(self.hand_size + self.laid());
        takes.min(u16::from(self.food)) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::{Placement, Rules};
    use crate::options::Options;

    #[test]
    fn too_many_cards_and_too_short_tracks_are_rejected() {
        let error = |text| Rules::from_text(text).unwrap().check().unwrap_err().to_string();
        assert!(error("cards_per_colour=5").contains("4 hands of 7 cards are more than the 25 race cards"));
        assert!(error("track_food=on,track=12").contains("at least 13 spaces"));
        assert!(Rules::from_text("track_food=on,track=13").unwrap().check().is_ok());
        assert!(Rules::default().check().is_ok());
    }

    #[test]
    fn the_upper_bound_on_banked_food() {
        let most = |text| Rules::from_text(text).unwrap().most_banked();
        assert_eq!(most(""), 21);
        assert_eq!(most("track_food=on"), 33);
        assert_eq!(most("food=9"), 9);
        assert_eq!(most("rounds=9,food=255"), 63);
    }

    #[test]
    fn rules_round_trip() {
        let rules = Rules::from_text("placement=choice,players=2").unwrap();
        assert_eq!((rules.placement, rules.players), (Placement::Choice, 2));
        assert_eq!(rules.to_text(), "players=2,placement=choice");
    }
}
