//! All hands of one size, as sets of the cards that are left, which are numbered from the lowest.

use stier_core::bits;
use stier_core::list::Listing as _;

/// All hands of so many out of so many cards, ascending.
pub(super) struct Hands {
    pub(super) all: Vec<u32>,
    /// By card: the numbers of the hands that have it, of which the first becomes the first hand of one card less, and so on.
    pub(super) with: Vec<Vec<usize>>,
    /// For each of these: the place of the card among the cards of all hands, one hand after another.
    pub(super) places: Vec<Vec<usize>>,
    /// By card: the numbers of the hands that do not have it, which are in order once it has left.
    pub(super) without: Vec<Vec<usize>>,
}

impl Hands {
    pub(super) fn new(size: u32, cards: u32) -> Self {
        let all: Vec<u32> = bits::subsets_wide((1 << cards) - 1, size).map(|hand| hand as u32).collect();
        let numbers = |card: u32, has_it: u32| -> Vec<usize> {
            (0..).zip(&all).filter(|&(_, hand)| hand >> card & 1 == has_it).map(|(number, _)| number).collect()
        };
        let [with, without] = [1, 0].map(|has_it| (0..cards).map(|card| numbers(card, has_it)).list());
        let rank = |card: u32, hand: u32| (hand & ((1 << card) - 1)).count_ones() as usize;
        let places_of = |(card, hands): (u32, &Vec<usize>)| -> Vec<usize> {
            hands.iter().map(|&hand| hand * size as usize + rank(card, all[hand])).collect()
        };
        let places = (0..).zip(&with).map(places_of).list();
        Self { all, with, places, without }
    }
}

#[cfg(test)]
mod tests {
    use super::Hands;

    /// The numbers of cards after one has left: of a set without it.
    fn without(set: u32, card: u32) -> u32 {
        let below = (1 << card) - 1;
        set & below | set >> 1 & !below
    }

    #[test]
    fn hands_without_a_card_are_in_order() {
        for (size, cards) in [(1, 3), (2, 7), (3, 9), (4, 8)] {
            let [hands, less, fewer] =
                [(size, cards), (size - 1, cards - 1), (size, cards - 1)].map(|(size, cards)| Hands::new(size, cards));
            for card in 0..cards {
                let of = |numbers: &[usize], has_it: u32| -> Vec<u32> {
                    let hands = numbers.iter().map(|&number| hands.all[number]);
                    hands.inspect(|hand| assert_eq!(hand >> card & 1, has_it)).map(|hand| without(hand, card)).collect()
                };
                assert_eq!(of(&hands.with[card as usize], 1), less.all);
                assert_eq!(of(&hands.without[card as usize], 0), fewer.all);
            }
        }
    }
}
