//! A rule of thumb for people: when to attack.
//!
//! *Without a trump suit, attack. Otherwise count two for every trump in your hand, one for every card of your
//! longest other suit, and one for the referee; subtract one for each trump that no unseen trump beats. Attack with
//! four or more.*
//!
//! It is the best rule found among integer combinations of what a player can count, judged by the gain of attacking
//! over waiting if the fitted policy plays on. The same rule holds for both scorings and for every number of finished
//! tricks. Four is one less than the number of cards in a hand, and small decks count accordingly.

use crate::actions::Action;
use crate::games::schwinget::{Schwinget, View};

use super::policy::Known;

impl Schwinget {
    /// The action that locks the pile.
    pub fn attack(&self) -> Action {
        self.deck.attack()
    }

    /// The rule's advice to the player on lead: true to attack.
    pub fn should_attack(&self, view: &View) -> bool {
        let known = Known::new(&self.deck, &view.seen);
        let trumps = known.hand & known.trumps;
        let longest = self.deck.suit.iter().map(|suit| (known.hand & suit & !trumps).count_ones()).max().unwrap_or(0);
        let referee = (known.hand & self.deck.referee).count_ones();
        let count = 2 * trumps.count_ones() + longest + referee;
        known.trumps == 0 || count >= known.boss_trumps() + u32::from(self.rules.hand_size) - 1
    }
}

#[cfg(test)]
mod tests {
    use crate::games::schwinget::Schwinget;
    use crate::record::{self, HEADER};
    use crate::{Game as _, Seat};

    /// True if seat 0 attacks before the first trick with this hand and this card turned up.
    fn attacks(hand: [&str; 5], turned: &str) -> bool {
        let all = (0..4).flat_map(|suit| (1..=6).map(move |value| format!("{}{value}", ['G', 'R', 'B', 'Y'][suit])));
        let others: Vec<String> = all.filter(|card| !hand.contains(&card.as_str()) && card != turned).take(5).collect();
        let dealt: Vec<&str> = (0..5).flat_map(|place| [hand[place], &others[place]]).collect();
        let text = format!("{HEADER}\ngame: schwinget\nrules:\nevents: {} {turned}\nresult: open\n", dealt.join(" "));
        let (game, history) = record::read::<Schwinget>(&text).expect("a record");
        game.should_attack(&game.view(&history, Seat(0)))
    }

    #[test]
    fn hands_are_counted_by_the_rule() {
        // Two trumps, neither the highest: 4 + 1.
        assert!(attacks(["G2", "G3", "R1", "B1", "Y1"], "G1"));
        // One trump, two cards of a suit: 2 + 2.
        assert!(attacks(["G2", "R1", "R3", "B1", "Y1"], "G1"));
        // One trump, three suits: 2 + 1; with the referee 4.
        assert!(!attacks(["G2", "R1", "B1", "Y1", "BK"], "G1"));
        assert!(attacks(["G2", "R1", "B1", "Y1", "KR"], "G1"));
        // The highest trump: 2 + 2 - 1; the two highest: 4 + 1 - 2; with the six turned up, the five is the highest.
        assert!(!attacks(["G6", "R1", "R3", "B1", "Y1"], "G1"));
        assert!(!attacks(["G6", "G5", "R1", "B1", "Y1"], "G1"));
        assert!(!attacks(["G5", "R1", "R3", "B1", "Y1"], "G6"));
        // No trump in hand: four of a suit or three and the referee.
        assert!(attacks(["R1", "R2", "R3", "R4", "Y1"], "G1"));
        assert!(!attacks(["R1", "R2", "R3", "B4", "Y1"], "G1"));
        // No trump suit.
        assert!(attacks(["G1", "R2", "B3", "B4", "Y1"], "KR"));
    }
}
