//! The deck, and the rules of single cards as tables.

use std::hint::select_unpredictable;

use crate::actions::Action;
use crate::options::Switch;

use super::rules::{Rules, Specials};

/// A card id: suit * number of values + (value - 1), then the referee, then the counter.
pub(super) type Card = u8;

/// The letters of the suits: green, red, blue, yellow.
pub(super) const SUITS: [char; 4] = ['G', 'R', 'B', 'Y'];
/// The trump index of a bout without a trump suit.
pub(super) const NO_TRUMP: u8 = 4;
/// Marks the absence of a card.
pub(super) const NO_CARD: Card = u8::MAX;
/// Upper bound on card ids, exclusive.
const CARDS: usize = 32;

/// Kinds of cards: trumps by value from 0 to 5, where 5 is the highest of any deck; then, from [`PLAIN`], cards of
/// other suits in the same way; the referee; the counter.
pub(super) const KINDS: usize = 14;
/// The first kind that is not a trump.
pub(super) const PLAIN: usize = 6;
/// The kind of the referee.
pub(super) const REFEREE: usize = 12;
/// The kind of the counter.
pub(super) const COUNTER: usize = 13;

/// Tables of cards that follow from the rules, computed once.
#[derive(Clone, Debug)]
pub(super) struct Deck {
    /// The number of cards in the deck; the ids of the other actions follow.
    pub(super) size: u8,
    values: u8,
    /// All cards.
    pub(super) all: u32,
    /// The referee, if it is in the deck.
    pub(super) referee: u32,
    /// The counter, if it is in the deck.
    pub(super) counter: u32,
    /// `suit_of[card]`; [`NO_TRUMP`] for the referee and the counter.
    pub(super) suit_of: [u8; CARDS],
    /// `suit[suit]`: the cards of the suit; empty for [`NO_TRUMP`].
    pub(super) suit: [u32; 5],
    /// `suit_led[card]`: the suit that must be followed when the card is led; empty for the specials.
    suit_led: [u32; CARDS],
    /// `follow[trump][led]`: the cards that may be played even if the suit led could be followed, including that
    /// suit.
    follow: [[u32; CARDS]; 5],
    /// `beats[trump][led]`: the replies that win the trick. The referee counts as in the last trick of a bout.
    beats: [[u32; CARDS]; 5],
    /// `kinds[trump][card]`.
    kinds: [[u8; CARDS]; 5],
}

impl Deck {
    pub(super) fn new(rules: &Rules) -> Self {
        let size = rules.deck_size();
        let suited = rules.suits * rules.values;
        let referee = if rules.referee == Switch::On { 1 << suited } else { 0 };
        let counter = if rules.counter == Switch::On { 1 << (size - 1) } else { 0 };
        let mut deck = Self {
            size,
            values: rules.values,
            all: (1_u64 << size).wrapping_sub(1) as u32,
            referee,
            counter,
            suit_of: [NO_TRUMP; CARDS],
            suit: [0; 5],
            suit_led: [0; CARDS],
            follow: [[0; CARDS]; 5],
            beats: [[0; CARDS]; 5],
            kinds: [[0; CARDS]; 5],
        };
        for card in 0..suited {
            let suit = card / rules.values;
            deck.suit_of[usize::from(card)] = suit;
            deck.suit[usize::from(suit)] |= 1 << card;
        }
        for card in 0..suited {
            let suit = usize::from(deck.suit_of[usize::from(card)]);
            deck.suit_led[usize::from(card)] = deck.suit[suit];
        }
        let anytime = match rules.specials {
            Specials::VoidOnly => 0,
            Specials::Anytime => referee | counter,
        };
        for trump in 0..=NO_TRUMP {
            for led in 0..size {
                let (t, l) = (usize::from(trump), usize::from(led));
                deck.kinds[t][l] = deck.kind(trump, led);
                deck.follow[t][l] = deck.suit[usize::from(deck.suit_of[l])] | deck.suit[t] | anytime;
                deck.beats[t][l] = (0..size)
                    .filter(|&reply| reply != led && deck.reply_wins(trump, led, reply))
                    .fold(0, |set, reply| set | 1 << reply);
            }
        }
        deck
    }

    /// Applies the rules one by one to find the winner of a trick that is not neutral.
    fn reply_wins(&self, trump: u8, led: Card, reply: Card) -> bool {
        let is = |set: u32, card: Card| set >> card & 1 == 1;
        let suit = |card: Card| self.suit_of[usize::from(card)];
        let highest = |card: Card| suit(card) != NO_TRUMP && card % self.values == self.values - 1;
        if is(self.referee, led) || is(self.referee, reply) {
            return is(self.referee, led);
        }
        if is(self.counter, led) {
            return !highest(reply);
        }
        if is(self.counter, reply) {
            return highest(led);
        }
        if suit(led) == suit(reply) {
            return reply > led;
        }
        trump != NO_TRUMP && suit(reply) == trump
    }

    fn kind(&self, trump: u8, card: Card) -> u8 {
        let kind = match self.suit_of[usize::from(card)] {
            NO_TRUMP if self.referee >> card & 1 == 1 => REFEREE,
            NO_TRUMP => COUNTER,
            suit => {
                let below_top = usize::from(self.values - self.value(card)).min(5);
                5 - below_top + if suit == trump { 0 } else { PLAIN }
            }
        };
        kind as u8
    }

    /// `kinds[card]` under this trump.
    #[inline(always)]
    pub(super) fn kinds(&self, trump: u8) -> &[u8; CARDS] {
        &self.kinds[usize::from(trump)]
    }

    /// The cards of `hand` that may answer `led`.
    #[inline(always)]
    pub(super) fn replies(&self, trump: u8, led: Card, hand: u32) -> u32 {
        let [suit, follow] = self.binding(trump, led);
        select_unpredictable(hand & suit == 0, hand, hand & follow)
    }

    /// The cards that bind a reply, and those that may be played then.
    #[inline(always)]
    pub(super) fn binding(&self, trump: u8, led: Card) -> [u32; 2] {
        [self.suit_led[usize::from(led & 31)], self.follow[usize::from(trump)][usize::from(led & 31)]]
    }

    /// True if `reply` beats `led`. The referee counts as in the last trick of a bout.
    #[inline(always)]
    pub(super) fn beats(&self, trump: u8, led: Card, reply: Card) -> bool {
        self.beats[usize::from(trump)][usize::from(led & 31)] >> reply & 1 == 1
    }

    /// The replies that beat `led`.
    #[inline(always)]
    pub(super) fn winners(&self, trump: u8, led: Card) -> u32 {
        self.beats[usize::from(trump)][usize::from(led & 31)]
    }

    /// The suit that a reply shows to be missing from its player's hand, or [`NO_TRUMP`] if it shows nothing.
    pub(super) fn void_shown(&self, trump: u8, led: Card, reply: Card) -> u8 {
        if self.follow[usize::from(trump)][usize::from(led)] >> reply & 1 == 1 {
            NO_TRUMP
        } else {
            self.suit_of[usize::from(led)]
        }
    }

    /// The trump suit when this card is turned up.
    pub(super) fn trump_when_turned(&self, card: Card) -> u8 {
        self.suit_of[usize::from(card)]
    }

    /// The action that locks the pile.
    pub(super) fn attack(&self) -> Action {
        Action(self.size)
    }

    /// The referee's decisions: to lead, or to let the opponent lead.
    pub(super) fn decisions(&self) -> [Action; 2] {
        [Action(self.size + 1), Action(self.size + 2)]
    }

    /// The name of a card.
    pub(super) fn name(&self, card: Card) -> String {
        match self.suit_of[usize::from(card)] {
            NO_TRUMP if self.referee >> card & 1 == 1 => "KR".to_string(),
            NO_TRUMP => "BK".to_string(),
            suit => format!("{}{}", SUITS[usize::from(suit)], self.value(card)),
        }
    }

    /// The value of a suited card, from 1.
    pub(super) fn value(&self, card: Card) -> u8 {
        card % self.values + 1
    }
}

#[cfg(test)]
mod tests {
    use super::{Deck, NO_TRUMP};
    use crate::games::schwinget::rules::Rules;
    use crate::options::Options;

    fn card(deck: &Deck, name: &str) -> u8 {
        (0..deck.size).find(|&c| deck.name(c) == name).expect("the deck must have the card")
    }

    /// (trump, led, reply, reply wins)
    const TRICKS: &[(char, &str, &str, bool)] = &[
        // Same suit: the higher value wins.
        ('B', "G3", "G5", true),
        ('B', "G5", "G3", false),
        ('G', "G5", "G6", true),
        // A trump beats every other suit; only a higher trump beats a trump led.
        ('B', "G6", "B1", true),
        ('B', "B1", "G6", false),
        // Failing to follow loses.
        ('B', "G1", "R6", false),
        ('-', "G1", "R6", false),
        // The counter beats a six of any suit, including trump, and nothing else.
        ('B', "G6", "BK", true),
        ('B', "B6", "BK", true),
        ('B', "G5", "BK", false),
        ('B', "BK", "B6", false),
        ('B', "BK", "R6", false),
        ('B', "BK", "R1", true),
        ('B', "BK", "B5", true),
        // In the last trick the referee loses, even to the counter.
        ('B', "KR", "G1", true),
        ('B', "G1", "KR", false),
        ('B', "KR", "BK", true),
        ('B', "BK", "KR", false),
    ];

    #[test]
    fn the_winner_of_a_trick_follows_the_rules() {
        let deck = Deck::new(&Rules::default());
        for &(trump, led, reply, wins) in TRICKS {
            let suit = super::SUITS.iter().position(|&s| s == trump).map_or(NO_TRUMP, |s| s as u8);
            let (l, r) = (card(&deck, led), card(&deck, reply));
            assert_eq!(deck.beats(suit, l, r), wins, "trump {trump}: {led} {reply}");
        }
    }

    #[test]
    fn the_suit_led_binds_unless_trumped() {
        let hand = |deck: &Deck, names: &[&str]| names.iter().fold(0, |h, n| h | 1 << card(deck, n));
        let strict = Deck::new(&Rules::default());
        let loose = Deck::new(&Rules::from_text("specials=anytime").unwrap());
        let blue = 2;
        let cards = ["G2", "R1", "B4", "KR", "BK"];
        let replies = |deck: &Deck, led: &str| deck.replies(blue, card(deck, led), hand(deck, &cards));
        assert_eq!(replies(&strict, "G5"), hand(&strict, &["G2", "B4"]));
        assert_eq!(replies(&loose, "G5"), hand(&loose, &["G2", "B4", "KR", "BK"]));
        assert_eq!(replies(&strict, "B1"), hand(&strict, &["B4"]));
        assert_eq!(replies(&loose, "B1"), hand(&loose, &["B4", "KR", "BK"]));
        // Any card may be played if the suit led is missing or does not bind.
        for deck in [&strict, &loose] {
            for led in ["Y3", "KR", "BK"] {
                assert_eq!(replies(deck, led), hand(deck, &cards));
            }
        }
    }

    #[test]
    fn only_failing_to_follow_shows_a_void() {
        let strict = Deck::new(&Rules::default());
        let loose = Deck::new(&Rules::from_text("specials=anytime").unwrap());
        let shown = |deck: &Deck, led, reply| deck.void_shown(2, card(deck, led), card(deck, reply));
        let green = 0;
        assert_eq!(shown(&strict, "G5", "R1"), green);
        assert_eq!(shown(&strict, "G5", "B1"), NO_TRUMP);
        assert_eq!(shown(&strict, "G5", "G1"), NO_TRUMP);
        assert_eq!(shown(&strict, "G5", "KR"), green);
        assert_eq!(shown(&loose, "G5", "KR"), NO_TRUMP);
        assert_eq!(shown(&strict, "B5", "R1"), 2);
        assert_eq!(shown(&strict, "KR", "R1"), NO_TRUMP);
    }

    #[test]
    fn small_decks_are_packed_in_the_same_way() {
        let deck = Deck::new(&Rules::from_text("suits=2,values=3,counter=off").unwrap());
        let names: Vec<_> = (0..deck.size).map(|c| deck.name(c)).collect();
        assert_eq!(names, ["G1", "G2", "G3", "R1", "R2", "R3", "KR"]);
        let top = Deck::new(&Rules::from_text("suits=2,values=3").unwrap());
        assert!(top.beats(NO_TRUMP, card(&top, "R3"), card(&top, "BK")));
        assert!(!top.beats(NO_TRUMP, card(&top, "R2"), card(&top, "BK")));
    }
}
