//! The state of a match: bit sets of cards and a few counters.

use crate::seats::Seat;

use super::cards::{Card, NO_CARD, NO_TRUMP};

/// The next kind of event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub(super) enum Phase {
    /// A player leads, or attacks first.
    Lead,
    /// The other player answers.
    Follow,
    /// The player of the referee decides who leads next.
    Decide,
    /// The match has ended.
    Over,
    /// Chance deals a card into a hand.
    Deal,
    /// Chance turns up the card that fixes trump.
    TurnUp,
    /// Chance gives the leader a card.
    LeaderDraws,
    /// Chance gives the follower a card.
    FollowerDraws,
}

/// A trick that the referee has made neutral, which waits in the middle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub(super) enum Neutral {
    /// There is no neutral trick.
    None,
    /// The trick was played before the attack, or there is no attack yet.
    BeforeAttack,
    /// The trick was played after the attack and counts towards a flat throw.
    AfterAttack,
}

/// Marks the absence of a player where a seat index is stored.
pub(super) const NOBODY: u8 = 2;

/// A match of Schwinget: both hands, the table, the score.
///
/// Unseen cards outside the hands have no order: `pool` is the set of them, in the pile or set aside. A card gets its
/// identity when it is drawn. `played`, `turned`, `pool` and `hands` together are the deck.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// `hands[seat]`: the cards the seat holds.
    pub(super) hands: [u32; 2],
    /// `played[seat]`: the cards the seat has played in this bout.
    pub(super) played: [u32; 2],
    /// Cards that no player has seen or holds.
    pub(super) pool: u32,
    /// `scores[seat]`: points from the finished bouts, in hundredths.
    pub(super) scores: [u16; 2],
    /// The card turned up for trump, or [`NO_CARD`] before.
    pub(super) turned: Card,
    /// The trump suit, or [`NO_TRUMP`].
    pub(super) trump: u8,
    /// The next kind of event.
    pub(super) phase: Phase,
    /// The player to act or, in phases of chance, the player who receives the card.
    pub(super) mover: u8,
    /// The leader of the current trick.
    pub(super) leader: u8,
    /// The card led in the current trick, or [`NO_CARD`].
    pub(super) led: Card,
    /// The reply to it, or [`NO_CARD`].
    pub(super) reply: Card,
    /// The number of cards in the pile. An attack locks it.
    pub(super) pile: u8,
    /// The number of tricks played in this bout, including a neutral one.
    pub(super) tricks: u8,
    /// `taken[seat]`: the number of tricks won in this bout.
    pub(super) taken: [u8; 2],
    /// `after_attack[seat]`: the number of these tricks played after the attack.
    pub(super) after_attack: [u8; 2],
    /// The seat that attacked in this bout, or [`NOBODY`].
    pub(super) attacker: u8,
    /// The neutral trick.
    pub(super) neutral: Neutral,
    /// The number of finished bouts.
    pub(super) bout: u8,
    /// The leader of the first trick of this bout.
    pub(super) opener: u8,
}

const _: () = assert!(size_of::<State>() <= 64, "a state must fit into a cache line");

impl State {
    /// Creates the match before the first card is dealt.
    pub(super) fn new(deck: u32, pile: u8) -> Self {
        Self {
            hands: [0; 2],
            played: [0; 2],
            pool: deck,
            scores: [0; 2],
            turned: NO_CARD,
            trump: NO_TRUMP,
            phase: Phase::Deal,
            mover: 0,
            leader: 0,
            led: NO_CARD,
            reply: NO_CARD,
            pile,
            tricks: 0,
            taken: [0; 2],
            after_attack: [0; 2],
            attacker: NOBODY,
            neutral: Neutral::None,
            bout: 0,
            opener: 0,
        }
    }

    /// Creates the next bout of the match, before its first card is dealt.
    pub(super) fn next_bout(&self, deck: u32, pile: u8, opener: u8) -> Self {
        Self { scores: self.scores, bout: self.bout + 1, opener, leader: opener, ..Self::new(deck, pile) }
    }

    /// True if a player has attacked, which locks the pile.
    #[inline(always)]
    pub(super) fn attacked(&self) -> bool {
        self.attacker != NOBODY
    }

    /// Removes the opponent's cards: leaves what `seat` sees on the table and in its hand.
    pub(super) fn seen_by(&self, seat: Seat) -> Self {
        let mut seen = *self;
        let other = seat.index() ^ 1;
        seen.pool |= seen.hands[other];
        seen.hands[other] = 0;
        seen
    }
}
