//! Best play with all cards open once the pile is locked or empty, so that chance plays no further part.
//!
//! The result of a bout then depends only on how many of the remaining tricks go to each player. More tricks are
//! never worse, because each player's score increases with its tricks under every scoring (a flat throw is all of
//! them). So the question is how many tricks a player can force, and only as precisely as the scores distinguish.
//! Each question is a null-window alpha-beta search (Knuth and Moore 1975): can the leader collect at least this
//! many?
//!
//! Four things keep the tree small. Adjacent cards of one suit, with regard to both hands, are represented by one of
//! them. Highest trumps, and highest cards of a suit led against a hand without trump, are certain tricks. The
//! specials are considered only while one of them is in hand. The last trick is computed directly.
//!
//! Results are optimistic: both players know what no player at the table knows, so that leading into the unknown
//! costs nothing.

use arrayvec::ArrayVec;

use crate::bits;
use crate::games::schwinget::Schwinget;
use crate::games::schwinget::cards::NO_TRUMP;
use crate::games::schwinget::rules::Specials;
use crate::games::schwinget::state::{Neutral, Phase, State};
use crate::games::schwinget::verdict::Verdict;
use crate::seats::BySeat;

/// The largest hands for which [`Hints::ending`](crate::Hints::ending) uses this search, because it must be fast.
const MAX_ENDING: u32 = 6;
/// The number of possible counts of remaining tricks, from 0 to the largest hand and a neutral trick in the middle.
const MAX_LEFT: usize = 14;

/// The highest value of each suit.
const HIGHEST: u32 = 0x4040_4040;
/// The values below it.
const LOWER: u32 = 0x1f1f_1f1f;
/// All suited cards.
const SUITED: u32 = HIGHEST | LOWER;
/// The referee.
const REFEREE: u32 = 1 << 7;
/// The counter.
const COUNTER: u32 = 1 << 15;
/// Both specials.
const SPECIAL: u32 = REFEREE | COUNTER;

/// Cards with one byte for each suit: bits 0 to 4 are the values below the highest, bit 6 is the highest. Bits 5 and
/// 7 are gaps that separate values that must not count as adjacent.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// The bits of the suited cards, in the order of their ids.
    spread: u32,
    /// The ids of the suited cards, of the referee and of the counter.
    suited: u32,
    referee: u32,
    counter: u32,
}

impl Layout {
    /// The layout of a game's cards.
    fn of(game: &Schwinget) -> Self {
        let (rules, deck) = (&game.rules, &game.deck);
        let suit = ((1 << (rules.values - 1)) - 1) | 0x40;
        let spread = (0..rules.suits).fold(0, |spread, index| spread | suit << (8 * index));
        Self { spread, suited: (1 << (rules.suits * rules.values)) - 1, referee: deck.referee, counter: deck.counter }
    }

    /// Converts card ids to this layout.
    #[inline(always)]
    fn cards(&self, ids: u32) -> u32 {
        let suited = bits::deposit(u64::from(ids & self.suited), u64::from(self.spread)) as u32;
        let referee = if ids & self.referee != 0 { REFEREE } else { 0 };
        let counter = if ids & self.counter != 0 { COUNTER } else { 0 };
        suited | referee | counter
    }

    /// The cards of the trump suit.
    fn trump(&self, trump: u8) -> u32 {
        if trump == NO_TRUMP { 0 } else { 0x5f << (8 * trump) }
    }
}

/// The rules of a bout that affect play.
#[derive(Clone, Copy, Debug)]
struct TrickRules {
    /// The trump suit.
    trump: u32,
    /// The cards that may be played even if the suit led could be followed.
    free: u32,
}

/// Sets all bits at and below the highest bit of each byte; the top bit of each byte must be clear.
#[inline(always)]
fn fill_down(cards: u32) -> u32 {
    let mut filled = cards | cards >> 1 & 0x3f3f_3f3f;
    filled |= filled >> 2 & 0x1f1f_1f1f;
    filled | filled >> 4 & 0x0707_0707
}

/// Keeps, of the `cards` of a player, the lowest of each run not interrupted by a card of the `other` player. If
/// `counter` is set, the highest value of a suit is not part of a run.
#[inline(always)]
fn distinct(cards: u32, other: u32, counter: bool) -> u32 {
    let gap = if counter { 0 } else { 0x2020_2020 };
    let open = (SUITED | gap) & !other;
    let suited = cards & SUITED;
    cards & !(open.wrapping_add(suited) & suited)
}

impl TrickRules {
    fn new(trump: u32, specials: Specials) -> Self {
        let anytime = if specials == Specials::Anytime { SPECIAL } else { 0 };
        Self { trump, free: trump | anytime }
    }

    /// The legal replies to `led`, and the cards that would win. The referee counts as in the last trick.
    #[inline(always)]
    fn replies<const SPECIALS: bool>(&self, led: u32, follow: u32) -> (u32, u32) {
        if SPECIALS && led & SPECIAL != 0 {
            let winners = if led == REFEREE { !0 } else { LOWER };
            return (follow, winners);
        }
        let suit = 0x5f << (led.trailing_zeros() & 24);
        let bound = follow & (suit | self.free);
        let legal = if follow & suit == 0 { follow } else { bound };
        let higher = suit & (led << 1).wrapping_neg();
        let mut winners = higher | self.trump & !suit;
        if SPECIALS && led & HIGHEST != 0 {
            winners |= COUNTER;
        }
        (legal, winners)
    }

    /// True if the player on lead can collect at least `need` of the remaining tricks. These are one for each of its
    /// `cards` and the neutral one, if any (`waiting` is 1 or 0). `SPECIALS` must be set if a special may be in hand.
    #[inline(always)]
    fn lead<const SPECIALS: bool>(&self, lead: u32, follow: u32, need: i32, cards: i32, waiting: i32) -> bool {
        debug_assert!(lead.count_ones() == cards as u32 && follow.count_ones() == cards as u32);
        if need <= 0 || need > cards + waiting {
            return need <= 0;
        }
        if cards == 1 {
            return self.keeps_last::<SPECIALS>(lead, follow);
        }
        if SPECIALS && (lead | follow) & SPECIAL == 0 {
            return self.search::<false>(lead, follow, need, cards, waiting);
        }
        self.search::<SPECIALS>(lead, follow, need, cards, waiting)
    }

    /// True if the last trick goes to its leader.
    #[inline(always)]
    fn keeps_last<const SPECIALS: bool>(&self, lead: u32, follow: u32) -> bool {
        let (_, winners) = self.replies::<SPECIALS>(lead, follow);
        follow & winners == 0
    }

    /// The same for two cards and more, if the number of tricks does not rule it out.
    #[inline(never)]
    fn search<const SPECIALS: bool>(&self, lead: u32, follow: u32, need: i32, cards: i32, waiting: i32) -> bool {
        // Certain tricks: highest trumps, and highest cards of other suits once these draw all trumps. The counter
        // threatens the highest values. The referee may turn one trick neutral and then take over the lead.
        let lead_above = lead & SUITED & !fill_down(follow & SUITED);
        let follow_above = follow & self.trump & !fill_down(lead & SUITED);
        let (drawing, cashable, kept, withheld) = if SPECIALS {
            let bound = |cards: u32, other: u32| if other & COUNTER == 0 { cards } else { cards & !HIGHEST };
            let cashable = bound(lead_above, follow);
            let drawing = if follow & SPECIAL & (REFEREE | self.free) == 0 { cashable & self.trump } else { 0 };
            let lost = |other: u32| i32::from(other & REFEREE != 0);
            (drawing, cashable, bound(follow_above, lead).count_ones() as i32 - lost(lead), lost(follow))
        } else {
            (lead_above & self.trump, lead_above, follow_above.count_ones() as i32, 0)
        };
        let trumps = follow & self.trump;
        let draws_all = trumps.count_ones() <= drawing.count_ones() && (!SPECIALS || withheld == 0);
        let cashed = if draws_all { cashable } else { cashable & self.trump };
        let sure = cashed.count_ones() as i32 - withheld;
        // The first certain trick collects the waiting one.
        if sure + waiting * i32::from(sure > 0) >= need {
            return true;
        }
        if kept > cards + waiting - need {
            return false;
        }
        let mut leads = distinct(lead, follow, SPECIALS && (lead | follow) & COUNTER != 0);
        while leads != 0 {
            // First the referee, then cards that cannot be beaten in their suit.
            let first = if SPECIALS && leads & REFEREE != 0 {
                REFEREE
            } else if leads & lead_above != 0 {
                leads & lead_above
            } else {
                leads
            };
            let led = 1 << (31 - first.leading_zeros());
            leads ^= led;
            if self.answer::<SPECIALS>(led, lead ^ led, follow, need, cards, waiting) {
                return true;
            }
        }
        false
    }

    /// True if the player who led `led`, and now holds `lead`, can collect at least `need` after any reply.
    #[inline(always)]
    fn answer<const SPECIALS: bool>(
        &self,
        led: u32,
        lead: u32,
        follow: u32,
        need: i32,
        cards: i32,
        waiting: i32,
    ) -> bool {
        let (legal, winners) = self.replies::<SPECIALS>(led, follow);
        let mut replies = distinct(legal, lead | led, SPECIALS && (lead | led | follow) & COUNTER != 0);
        while replies != 0 {
            // First the referee, then winning cards.
            let first = if SPECIALS && replies & REFEREE != 0 {
                REFEREE
            } else if replies & winners != 0 {
                replies & winners
            } else {
                replies
            };
            let reply = first & first.wrapping_neg();
            replies ^= reply;
            if !self.settled::<SPECIALS>(led, reply, winners & reply != 0, lead, follow ^ reply, need, cards, waiting) {
                return false;
            }
        }
        true
    }

    /// The same once `reply` has been played.
    #[expect(clippy::too_many_arguments, reason = "inlined: a trick in registers")]
    #[inline(always)]
    fn settled<const SPECIALS: bool>(
        &self,
        led: u32,
        reply: u32,
        won: bool,
        lead: u32,
        follow: u32,
        need: i32,
        cards: i32,
        waiting: i32,
    ) -> bool {
        let left = cards - 1;
        if SPECIALS && (led | reply) & REFEREE != 0 && cards > 1 {
            return self.decide(lead, follow, led & REFEREE != 0, need, left);
        }
        if won {
            !self.lead::<SPECIALS>(follow, lead, left - need + 1, left, 0)
        } else {
            self.lead::<SPECIALS>(lead, follow, need - 1 - waiting, left, 0)
        }
    }

    /// True if the player who holds `lead` can collect at least `need` while a neutral trick waits. `own` is true if
    /// it decides who leads.
    #[inline(never)]
    fn decide(&self, lead: u32, follow: u32, own: bool, need: i32, cards: i32) -> bool {
        let to_lead = || self.lead::<true>(lead, follow, need, cards, 1);
        let to_follow = || !self.lead::<true>(follow, lead, cards + 1 - need + 1, cards, 1);
        if own { to_lead() || to_follow() } else { to_lead() && to_follow() }
    }
}

/// A position after the last chance event, from the perspective of the player who leads or, after the referee,
/// decides.
#[derive(Clone, Copy, Debug)]
struct Ending {
    rules: TrickRules,
    /// The seat of this player.
    seat: u8,
    own: u32,
    other: u32,
    /// Tricks still to be played, including the current one.
    cards: i32,
    waiting: i32,
    /// The card led, if it waits for a reply.
    led: u32,
    deciding: bool,
}

impl Ending {
    /// The ending at this decision; there must be no more chance events.
    fn new(game: &Schwinget, state: &State) -> Self {
        let follows = state.phase == Phase::Follow;
        let seat = state.mover ^ u8::from(follows);
        let layout = Layout::of(game);
        let [own, other] = [seat, seat ^ 1].map(|seat| layout.cards(state.hands[usize::from(seat & 1)]));
        Self {
            rules: TrickRules::new(layout.trump(state.trump), game.rules.specials),
            seat,
            own,
            other,
            cards: other.count_ones() as i32,
            waiting: i32::from(state.neutral != Neutral::None),
            led: if follows { layout.cards(1 << state.led) } else { 0 },
            deciding: state.phase == Phase::Decide,
        }
    }

    /// True if the player can collect at least `need` tricks, including the waiting one.
    fn can_collect(&self, need: i32) -> bool {
        let Self { rules, own, other, cards, waiting, led, deciding, .. } = *self;
        if need <= 0 || need > cards + waiting {
            return need <= 0;
        }
        if deciding {
            rules.decide(own, other, true, need, cards)
        } else if led != 0 {
            rules.answer::<true>(led, own, other, need, cards, waiting)
        } else {
            rules.lead::<true>(own, other, need, cards, waiting)
        }
    }
}

/// The result of the bout if the player in `seat` collects `tricks` of the remaining tricks `left`, including the
/// waiting one.
#[inline(always)]
pub(super) fn tricks_worth(game: &Schwinget, state: &State, seat: u8, left: u8, tricks: u8) -> Verdict {
    let (own, other) = (usize::from(seat & 1), usize::from(seat & 1 ^ 1));
    let mut taken = state.taken;
    taken[own] += tricks;
    taken[other] += left - tricks;
    let mut after_attack = state.after_attack;
    if state.attacked() {
        // A neutral trick from before the attack is not part of a flat throw; a player who wins all others collects
        // it too.
        let thrown = left - u8::from(state.neutral == Neutral::BeforeAttack);
        after_attack[own] += if tricks == left { thrown } else { 0 };
        after_attack[other] += if tricks == 0 { thrown } else { 0 };
    }
    game.verdicts.look_up(state.attacker, taken, after_attack)
}

/// Numbers of tricks grouped by the returns that they are worth.
#[derive(Clone, Debug)]
struct Stakes {
    /// `steps[i]`: the smallest number of tricks worth `worth[i + 1]`.
    steps: ArrayVec<u8, MAX_LEFT>,
    /// Returns of both seats, increasing for the player of the [`Ending`].
    worth: ArrayVec<[f32; 2], MAX_LEFT>,
}

impl Stakes {
    /// Groups the remaining tricks of this state, in the last bout of the match, for the player in `seat`.
    fn new(game: &Schwinget, state: &State, seat: u8) -> Self {
        let (own, other) = (usize::from(seat & 1), usize::from(seat & 1 ^ 1));
        let waiting = u8::from(state.neutral != Neutral::None);
        let left = state.hands[0].count_ones().max(state.hands[1].count_ones()) as u8 + waiting;
        let mut stakes = Self { steps: ArrayVec::new(), worth: ArrayVec::new() };
        for tricks in 0..=left {
            let verdict = tricks_worth(game, state, seat, left, tricks);
            let worth = game.rounded_utility_of([0, 1].map(|seat: usize| state.scores[seat] + verdict.scores[seat]));
            if tricks == 0 {
                stakes.worth.push(worth);
            } else if stakes.worth[stakes.worth.len() - 1] != worth {
                stakes.steps.push(tricks);
                stakes.worth.push(worth);
            }
        }
        debug_assert!(stakes.worth.windows(2).all(|w| w[0][own] <= w[1][own] && w[0][other] >= w[1][other]));
        stakes
    }

    /// The number of steps that the player can reach. The search begins at `guess`.
    #[inline(always)]
    fn reached(&self, guess: usize, can_collect: impl Fn(i32) -> bool) -> usize {
        let can = |step: usize| can_collect(i32::from(self.steps[step]));
        let mut reached = guess;
        if reached < self.steps.len() && can(reached) {
            reached += 1;
            while reached < self.steps.len() && can(reached) {
                reached += 1;
            }
        } else {
            while reached > 0 && !can(reached - 1) {
                reached -= 1;
            }
        }
        reached
    }

    /// The returns of both seats after this number of steps.
    #[inline(always)]
    fn worth(&self, reached: usize) -> [f32; 2] {
        self.worth[reached]
    }

    /// A first guess for the search when nothing is known.
    #[inline(always)]
    fn middle(&self) -> usize {
        self.steps.len() / 2
    }
}

impl Schwinget {
    /// True if a player must act and there are no more chance events.
    fn chance_is_done(&self, state: &State) -> bool {
        let decision = matches!(state.phase, Phase::Lead | Phase::Follow | Phase::Decide);
        decision && (state.attacked() || state.pile == 0) && state.bout + 1 == self.rules.bouts
    }

    /// The returns of best play with all cards open. Returns `None` unless a player must act in the last bout of the
    /// match, the pile is locked or empty, and no hand has more than six cards.
    ///
    /// Under `utility=margin` and `win` this is the value of a zero-sum game. Under `score`, where the sum is not
    /// fixed, it is the return that each player can guarantee. A player's score increases with its own tricks and
    /// never with the opponent's, so playing for tricks guarantees both values at once, and they are the returns if
    /// both players do so.
    pub fn open_ending(&self, state: &State) -> Option<BySeat<f32>> {
        let most = state.hands[0].count_ones().max(state.hands[1].count_ones());
        if !self.chance_is_done(state) || most > MAX_ENDING {
            return None;
        }
        let ending = Ending::new(self, state);
        let stakes = Stakes::new(self, state, ending.seat);
        let reached = stakes.reached(stakes.middle(), |need| ending.can_collect(need));
        Some(BySeat::from(stakes.worth(reached)))
    }
}
