//! The world of a match: bit sets of cards and a few counters.

use crate::seats::Seat;

use super::cards::{Card, NO_CARD, NO_TRUMP};

/// What happens next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub(super) enum Phase {
    /// A player leads, or attacks first.
    Lead,
    /// The other player answers.
    Follow,
    /// The player of the referee says who leads next.
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

/// A trick that the referee has made neutral, waiting in the middle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub(super) enum Neutral {
    /// There is none.
    None,
    /// It was played before the attack (or there is no attack yet).
    BeforeAttack,
    /// It was played after the attack and counts towards a flat throw.
    AfterAttack,
}

/// Nobody, where a seat index is stored.
pub(super) const NOBODY: u8 = 2;

/// A match of Schwinget: both hands, the table, the score.
///
/// Cards that nobody holds and that have not been seen have no place of their own: `pool` is the set of them, the pile and
/// the cards set aside alike, and a card gets its identity when it is drawn. All of `played`, `turned`, `pool` and `hands`
/// together are the deck.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// `hands[seat]`: the cards it holds.
    pub(super) hands: [u32; 2],
    /// `played[seat]`: the cards it has played in this bout.
    pub(super) played: [u32; 2],
    /// Cards without an identity: nobody has seen where they lie.
    pub(super) pool: u32,
    /// `scores[seat]` of the finished bouts, in hundredths of a point.
    pub(super) scores: [u16; 2],
    /// The card turned up, or [`NO_CARD`] before it is.
    pub(super) turned: Card,
    /// The trump suit, or [`NO_TRUMP`].
    pub(super) trump: u8,
    /// What happens next.
    pub(super) phase: Phase,
    /// Who acts in the phases of players; who receives the card in those of chance.
    pub(super) mover: u8,
    /// Who led, or leads, the present trick.
    pub(super) leader: u8,
    /// The card led in the present trick, or [`NO_CARD`].
    pub(super) led: Card,
    /// The answer to it, or [`NO_CARD`].
    pub(super) reply: Card,
    /// Cards in the pile; an attack locks it as it is.
    pub(super) pile: u8,
    /// Tricks played in this bout, a neutral one included.
    pub(super) tricks: u8,
    /// `taken[seat]`: tricks in this bout.
    pub(super) taken: [u8; 2],
    /// `after_attack[seat]`: those of them that were played after the attack.
    pub(super) after_attack: [u8; 2],
    /// Who attacked in this bout, or [`NOBODY`].
    pub(super) attacker: u8,
    /// The neutral trick.
    pub(super) neutral: Neutral,
    /// Finished bouts.
    pub(super) bout: u8,
    /// Who led the first trick of this bout.
    pub(super) opener: u8,
}

const _: () = assert!(size_of::<State>() <= 64, "a state fits a cache line");

impl State {
    /// The match before the first card is dealt.
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

    /// The next bout of the match, before its first card is dealt.
    pub(super) fn next_bout(&self, deck: u32, pile: u8, opener: u8) -> Self {
        Self { scores: self.scores, bout: self.bout + 1, opener, leader: opener, ..Self::new(deck, pile) }
    }

    /// Whether the pile is locked.
    #[inline(always)]
    pub(super) fn attacked(&self) -> bool {
        self.attacker != NOBODY
    }

    /// The state with the opponent's cards taken away from it: what `seat` sees on the table and in its hand.
    pub(super) fn seen_by(&self, seat: Seat) -> Self {
        let mut seen = *self;
        let other = seat.index() ^ 1;
        seen.pool |= seen.hands[other];
        seen.hands[other] = 0;
        seen
    }
}
