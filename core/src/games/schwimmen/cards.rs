//! The deck and the values of hands.

use crate::options::Switch;

use super::rules::Rules;

/// A card id: suit * 8 + rank, in every deck.
pub(super) type Card = u8;

/// The letters of the suits: diamonds, hearts, spades, clubs.
pub(super) const SUITS: [char; 4] = ['D', 'H', 'S', 'C'];
/// The letters of the ranks, lowest first.
pub(super) const RANKS: [char; 8] = ['7', '8', '9', 'T', 'J', 'Q', 'K', 'A'];
/// Upper bound on card ids, exclusive.
pub(super) const CARDS: usize = 32;
/// Marks the absence of a card.
pub(super) const NO_CARD: Card = u8::MAX;

/// The four aces.
pub(super) const ACES: u32 = 0x8080_8080;
/// The ranks that count less than ten.
const LOW: u32 = 0x0707_0707;
/// The value of three of a kind, in half points.
const THREE_OF_A_KIND: u8 = 61;
/// The value of a blitz (three aces), in half points: more than the 62 of thirty-one.
const BLITZ: u8 = 64;

/// `SUMS[byte]`: the sum of a set of cards of one suit, in half points.
pub(super) const SUMS: [u8; 256] = {
    let values = [7, 8, 9, 10, 10, 10, 10, 11];
    let mut sums = [0; 256];
    let mut set = 1;
    while set < 256_usize {
        let lowest = set.trailing_zeros() as usize;
        sums[set] = sums[set & (set - 1)] + 2 * values[lowest];
        set += 1;
    }
    sums
};

/// The deck under these rules.
pub(super) fn deck(rules: &Rules) -> u32 {
    let suit = 0xff_u32 & (0xff << (8 - rules.ranks));
    (0..rules.suits).fold(0, |cards, index| cards | suit << (8 * index))
}

/// True if this hand of three ends the deal at once: thirty-one in a suit, or three aces.
#[inline(always)]
pub(super) fn ends(hand: u32) -> bool {
    let aces = hand & ACES;
    // Either one ace and no low card, all in the ace's suit, or three aces.
    let suit = (aces << 1).wrapping_sub(aces >> 7);
    let thirty_one = (hand & (LOW | !suit)) == 0;
    let count = aces.count_ones();
    (count == 1 && thirty_one) || count == 3
}

/// The value of a hand of three, in half points.
#[inline(always)]
pub(super) fn score(hand: u32, three_of_a_kind: Switch) -> u8 {
    let [a, b, c, d] = hand.to_le_bytes();
    let sum = |byte: u8| SUMS[usize::from(byte)];
    let best = sum(a).max(sum(b)).max(sum(c).max(sum(d)));
    // Only three cards of one rank leave a single bit when their suits are laid over each other.
    if (a | b | c | d).is_power_of_two() && hand.count_ones() == 3 {
        if hand & ACES == hand {
            return BLITZ;
        }
        if three_of_a_kind == Switch::On {
            return THREE_OF_A_KIND;
        }
    }
    best
}

/// The number of aces.
#[inline(always)]
pub(super) fn aces(cards: u32) -> u32 {
    (cards & ACES).count_ones()
}

/// The best value of the suit of `card` after an exchange that adds `card` to a hand of three, in half points. The
/// card given is the one whose loss costs this suit least.
#[inline(always)]
pub(super) fn best_with(hand: u32, card: Card) -> u8 {
    let own = hand.to_le_bytes()[usize::from((card / 8) & 3)];
    // A hand of one suit gives away its lowest card.
    let given = if own.count_ones() == 3 { own & own.wrapping_neg() } else { 0 };
    SUMS[usize::from(own ^ given | 1 << (card % 8))]
}

/// The best value of any suit after exchanging at most one card of a hand of three for one of the offered cards, in
/// half points.
#[inline(always)]
pub(super) fn best_exchange(hand: u32, offered: u32) -> u8 {
    let mut best = 0;
    for (own, offered) in hand.to_le_bytes().into_iter().zip(offered.to_le_bytes()) {
        let top = if offered == 0 { 0 } else { 0x80_u8 >> offered.leading_zeros() };
        // A hand of one suit gives away its lowest card.
        let lowest = own & own.wrapping_neg();
        let given = if own.count_ones() == 3 && top > lowest { lowest } else { 0 };
        best = best.max(SUMS[usize::from(own ^ given | top)]);
    }
    best
}

/// The name of a card, such as `D7`.
pub(super) fn name(card: Card) -> String {
    let card = usize::from(card) % CARDS;
    format!("{}{}", SUITS[card / 8], RANKS[card % 8])
}

/// Half points, in words.
pub(super) fn score_text(score: u8) -> String {
    match score {
        BLITZ => "blitz".to_string(),
        _ if score % 2 == 1 => format!("{}\u{bd}", score / 2),
        _ => (score / 2).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{CARDS, best_exchange, deck, ends, name, score};
    use crate::bits::subsets;
    use crate::games::schwimmen::Rules;
    use crate::options::{Options, Switch};

    fn hand(names: &str) -> u32 {
        names.split(' ').fold(0, |hand, text| {
            hand | 1 << (0..CARDS as u8).find(|&card| name(card) == text).expect("the deck must have the card")
        })
    }

    #[test]
    fn a_hand_is_worth_its_best_suit() {
        for (names, off, on) in [
            ("D7 D8 D9", 48, 48),
            ("D7 HK SA", 22, 22),
            ("HT HJ SA", 40, 40),
            ("CA CK CT", 62, 62),
            ("CA CK HT", 42, 42),
            ("D8 H8 S8", 16, 61),
            ("DK HK CK", 20, 61),
            ("DA HA CA", 64, 64),
            ("DA HA CK", 22, 22),
        ] {
            assert_eq!((score(hand(names), Switch::Off), score(hand(names), Switch::On)), (off, on), "{names}");
        }
    }

    #[test]
    fn only_thirty_one_and_the_blitz_end_a_deal() {
        let mut ending = 0;
        for cards in subsets(u32::MAX, 3) {
            for switch in [Switch::Off, Switch::On] {
                assert_eq!(ends(cards), score(cards, switch) >= 62, "{cards:x}");
            }
            ending += u32::from(ends(cards));
        }
        // In each of four suits the ace with two of four ten-point cards, and the four blitzes.
        assert_eq!(ending, 4 * 6 + 4);
    }

    #[test]
    fn the_best_exchange_is_the_best_of_all() {
        let hands = ["D7 D8 D9", "DA HA CK", "HT HJ SA", "CA CK CT", "D7 H8 S9"];
        for own in hands.map(hand) {
            for table in hands.into_iter().chain(["D8 DT H7", "SK SQ SJ"]).map(hand).filter(|table| table & own == 0) {
                let members = |set: u32| (0..32).filter(move |card| set >> card & 1 == 1);
                let exchanges =
                    members(table).flat_map(|taken| members(own).map(move |given| own ^ 1 << given | 1 << taken));
                // Here three aces count only by suit.
                let by_suit = |hand: u32| {
                    hand.to_le_bytes().map(|byte| super::SUMS[usize::from(byte)]).into_iter().max().unwrap()
                };
                let best = exchanges.chain([own]).map(by_suit).max().unwrap();
                assert_eq!(best_exchange(own, table), best, "{own:x} {table:x}");
            }
        }
    }

    #[test]
    fn small_decks_keep_the_high_ranks() {
        let rules = |text| Rules::from_text(text).unwrap();
        assert_eq!(deck(&rules("")), u32::MAX);
        assert_eq!(deck(&rules("suits=3,ranks=5")), hand("DT DJ DQ DK DA HT HJ HQ HK HA ST SJ SQ SK SA"));
    }
}
