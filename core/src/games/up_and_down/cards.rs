//! The deck and the dice as tables, and the winner of a trick.

use std::hint::select_unpredictable;

use crate::game::Outcome;
use crate::list::Listing as _;
use crate::rng::Rng;

use super::rules::Rules;
use super::{Action, Chance};

/// A card id: suit * number of values + (value - 2).
pub(super) type Card = u8;

/// The letters of the suits, clockwise around the UP&DOWN card: diamonds, hearts, spades, clubs.
pub(super) const SUITS: [char; 4] = ['D', 'H', 'S', 'C'];
/// The suit that points at the first boss.
pub(super) const CLUBS: u8 = 3;
/// The letters of the values, from 2.
const VALUES: [char; 11] = ['2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q'];
/// Upper bound on card ids, exclusive.
const CARDS: usize = 64;

/// Tables of cards and dice that follow from the rules, computed once.
#[derive(Clone, Debug)]
pub(super) struct Deck {
    /// The number of cards in the deck; the ids of the other actions follow.
    pub(super) size: u8,
    /// The number of values in each suit; also the number of different dice sums.
    pub(super) values: u8,
    /// All cards.
    pub(super) all: u64,
    /// `suit[suit]`: the cards of the suit.
    pub(super) suit: [u64; 4],
    /// `value[value]`: the four cards of the value.
    pub(super) value: [u64; 16],
    /// `below[value]`: the cards with lower values.
    below: [u64; 16],
    /// `value_of[card]`, counted from 0.
    value_of: [u8; CARDS],
    /// The name of each card.
    names: Vec<String>,
    /// The number of ways in which two dice can fall.
    ways: u32,
    /// `ways_of[sum]`: the number of ways to roll this sum, counted from 0.
    ways_of: [u32; 16],
    /// `ways_below[sum]`: the number of ways to roll a lower sum.
    ways_below: [u32; 16],
    /// `sum_of[way]`: the sum, counted from 0. The ways are sorted by sum.
    sum_of: [u8; 36],
}

impl Deck {
    pub(super) fn new(rules: &Rules) -> Self {
        let (size, values) = (rules.deck_size(), rules.values());
        let mut deck = Self {
            size,
            values,
            all: (1 << size) - 1,
            suit: [0; 4],
            value: [0; 16],
            below: [0; 16],
            value_of: [0; CARDS],
            names: Vec::new(),
            ways: 0,
            ways_of: [0; 16],
            ways_below: [0; 16],
            sum_of: [0; 36],
        };
        for card in 0..size {
            let (suit, value) = (usize::from(card / values), card % values);
            deck.suit[suit] |= 1 << card;
            deck.value[usize::from(value)] |= 1 << card;
            deck.value_of[usize::from(card)] = value;
            deck.names.push(format!("{}{}", SUITS[suit], VALUES[usize::from(value)]));
        }
        for value in 1..usize::from(values) {
            deck.below[value] = deck.below[value - 1] | deck.value[value - 1];
        }
        for sum in 0..values {
            deck.ways_below[usize::from(sum)] = deck.ways;
            for first in 0..rules.die_faces {
                if sum.checked_sub(first).is_some_and(|second| second < rules.die_faces) {
                    deck.sum_of[deck.ways as usize] = sum;
                    deck.ways_of[usize::from(sum)] += 1;
                    deck.ways += 1;
                }
            }
        }
        deck
    }

    /// The suit of a card.
    pub(super) fn suit_of(&self, card: Card) -> u8 {
        card / self.values
    }

    /// The value of a card, counted from 0.
    #[inline(always)]
    pub(super) fn value_of(&self, card: Card) -> u8 {
        self.value_of[usize::from(card & 63)]
    }

    /// The name of a card.
    pub(super) fn name(&self, card: Card) -> &str {
        &self.names[usize::from(card)]
    }

    /// The letter of a value.
    pub(super) fn value_letter(&self, value: u8) -> char {
        VALUES[usize::from(value)]
    }

    /// The cards that can win for a player to whom `suit` points.
    #[inline(always)]
    pub(super) fn able(&self, suit: u8, trump: u8) -> u64 {
        self.suit[usize::from(suit & 3)] | self.value[usize::from(trump & 15)]
    }

    /// The cards with higher values, or with lower values if the lowest wins.
    #[inline(always)]
    pub(super) fn beyond(&self, value: u8, down: bool) -> u64 {
        let value = usize::from(value & 15);
        let below = self.below[value];
        if down { below } else { self.all & !(below | self.value[value]) }
    }

    /// The cards that beat a card of this value, provided that they can win.
    #[inline(always)]
    pub(super) fn better(&self, value: u8, trump: u8, down: bool) -> u64 {
        if value == trump { 0 } else { self.beyond(value, down) | self.value[usize::from(trump & 15)] }
    }

    /// The sums of two dice other than `but`, with their probabilities. Ids start at `first`.
    pub(super) fn sums(&self, but: Option<u8>, first: u8) -> Chance {
        let excluded = but.map_or(0, |sum| self.ways_of[usize::from(sum)]);
        let all = f64::from(self.ways - excluded);
        (0..self.values)
            .filter(|&sum| Some(sum) != but)
            .map(|sum| Outcome {
                action: Action(first + sum),
                probability: f64::from(self.ways_of[usize::from(sum)]) / all,
            })
            .list()
    }

    /// Rolls two dice.
    #[inline(always)]
    pub(super) fn roll(&self, rng: &mut Rng) -> u8 {
        self.sum_of[rng.below(self.ways) as usize]
    }

    /// Rolls two dice until their sum differs from `but`.
    #[inline(always)]
    pub(super) fn roll_again(&self, but: u8, rng: &mut Rng) -> u8 {
        let but = usize::from(but & 15);
        let way = rng.below(self.ways - self.ways_of[but]);
        let skipped = select_unpredictable(way >= self.ways_below[but], self.ways_of[but], 0);
        self.sum_of[(way + skipped) as usize]
    }
}

/// The cards of one trick, added one at a time.
#[derive(Clone, Copy, Default)]
pub(super) struct Trick {
    /// The values played, as bits.
    once: u32,
    /// The values played more than once, as bits.
    again: u32,
    /// The values of cards that can win, as bits.
    able: u32,
    /// Four bits per value: the player of that value, if only one player played it.
    owners: u64,
}

impl Trick {
    /// Adds the card that `player` shows. `able` cards can win, by their suit or as trumps.
    #[inline(always)]
    pub(super) fn add(&mut self, player: u8, value: u8, able: bool) {
        let bit = 1 << value;
        self.again |= self.once & bit;
        self.once |= bit;
        self.able |= u32::from(able) << value;
        self.owners |= u64::from(player) << (4 * value);
    }

    /// Returns true and the winner, or false and a meaningless seat if nobody wins.
    #[inline(always)]
    pub(super) fn winner(self, trump: u8, down: bool) -> (bool, u8) {
        // Equal values cancel each other, including trumps.
        let standing = self.able & !self.again;
        let trumps = standing & 1 << trump;
        let best = select_unpredictable(trumps != 0, trumps, standing);
        // Guard bits for tricks that nobody wins.
        let highest = 31 - (best | 1).leading_zeros();
        let lowest = (best | 1 << 15).trailing_zeros();
        let value = select_unpredictable(down, lowest, highest);
        (standing != 0, (self.owners >> (4 * value)) as u8 & 3)
    }
}

#[cfg(test)]
mod tests {
    use super::{Deck, Trick};
    use crate::games::up_and_down::Rules;
    use crate::options::Options as _;

    #[test]
    fn dice_fall_in_a_triangle() {
        let deck = Deck::new(&Rules::default());
        let ways = |but| -> Vec<f64> { deck.sums(but, 44).iter().map(|o| o.probability).collect() };
        let exact = [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1].map(|ways| f64::from(ways) / 36.0);
        assert_eq!(ways(None), exact);
        assert_eq!(ways(Some(5)).len(), 10);
        assert_eq!(ways(Some(5))[0], 1.0 / 30.0);
        let small = Deck::new(&Rules::from_text("die_faces=2").unwrap());
        let sums: Vec<f64> = small.sums(None, 12).iter().map(|o| o.probability).collect();
        assert_eq!(sums, [0.25, 0.5, 0.25]);
    }

    #[test]
    fn a_better_card_wins_the_trick() {
        let deck = Deck::new(&Rules::default());
        for (trump, down) in [(0, false), (4, true), (10, false), (6, true)] {
            for card in 0..deck.size {
                for other in (0..deck.size).filter(|&other| deck.value_of(other) != deck.value_of(card)) {
                    let mut trick = Trick::default();
                    trick.add(0, deck.value_of(card), true);
                    trick.add(1, deck.value_of(other), true);
                    let better = deck.better(deck.value_of(card), trump, down) >> other & 1 == 1;
                    assert_eq!(trick.winner(trump, down), (true, u8::from(better)));
                }
            }
        }
    }

    #[test]
    fn a_trick_without_a_card_that_can_win_has_no_winner() {
        assert!(!Trick::default().winner(0, false).0);
        let mut trick = Trick::default();
        trick.add(0, 3, false);
        trick.add(1, 5, true);
        trick.add(2, 5, true);
        assert!(!trick.winner(5, false).0);
        trick.add(3, 0, true);
        assert_eq!(trick.winner(5, false), (true, 3));
        assert_eq!(trick.winner(5, true), (true, 3));
    }
}
