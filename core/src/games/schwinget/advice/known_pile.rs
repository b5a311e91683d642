//! Best play of a whole bout with all cards open and the pile in a known order, with leads, replies, attacks and the
//! referee's decisions.
//!
//! Null-window alpha-beta search (Knuth and Moore 1975), which asks: does seat 0 get at least this result? The
//! questions run over the few different results of a bout. A transposition table keeps bounds from one question to
//! the next (Plaat et al. 1996). Once the pile is locked or empty, the search of `solve` takes over. Attacks are
//! tried before leads.
//!
//! The value measures perfect foresight, which no player has: here both players see all hands and all cards to come.

use crate::actions::{Action, ActionSet as _};
use crate::game::{Game as _, Turn};
use crate::games::schwinget::Schwinget;
use crate::games::schwinget::state::{NOBODY, Neutral, Phase, State};
use crate::games::schwinget::verdict::Verdict;
use crate::key::mix;
use crate::seats::BySeat;
use crate::utility::Utility;

use super::solve::{Layout, MAX_ENDING, REFEREE, TrickRules, distinct};

/// The number of entries of the transposition table, a power of two.
const ENTRIES: usize = 1 << 12;

/// A position with a player on lead while cards are drawn, with bounds on its result.
#[derive(Clone, Copy, Default)]
struct Entry {
    lead: u32,
    follow: u32,
    /// The rest of the position plus one, so that no position is all zeros.
    rest: u16,
    /// Bounds on the result for seat 0.
    low: i16,
    high: i16,
}

/// A position with a player on lead while cards are drawn.
#[derive(Clone, Copy)]
struct Node {
    lead: u32,
    follow: u32,
    /// The seat on lead.
    seat: u8,
    /// The number of cards drawn from the pile.
    drawn: u8,
    /// Tricks taken by the seat on lead and by the other one, without waiting ones.
    taken: [u8; 2],
    waiting: bool,
}

impl Node {
    /// The same cards with the other player on lead.
    fn turned(self) -> Self {
        let [own, other] = self.taken;
        Self { lead: self.follow, follow: self.lead, seat: self.seat ^ 1, taken: [other, own], ..self }
    }

    fn rest(&self) -> u16 {
        let flags = u16::from(self.seat) | u16::from(self.waiting) << 1;
        1 + (flags | u16::from(self.drawn) << 2 | u16::from(self.taken[usize::from(self.seat)]) << 8)
    }
}

struct Search<'a> {
    game: &'a Schwinget,
    rules: TrickRules,
    /// The cards to come, in order, and the set of cards still to come at each point.
    pile: &'a [u32],
    to_come: Vec<u32>,
    cards: i32,
    /// Scores of the previous bouts.
    scores: [u16; 2],
    /// The result that seat 0 must reach.
    goal: i16,
    known: Vec<Entry>,
}

/// Converts a result to a number that increases with its value to seat 0.
fn rank(game: &Schwinget, before: [u16; 2], verdict: Verdict) -> i16 {
    let [a, b] = [0, 1].map(|seat: usize| (before[seat] + verdict.scores[seat]) as i16);
    if game.rules.utility == Utility::Win { (a - b).signum() } else { a - b }
}

impl Search<'_> {
    /// True if the player on lead reaches its goal: for seat 0 to get at least `goal`, for seat 1 to prevent it.
    fn lead(&mut self, node: Node) -> bool {
        if usize::from(node.drawn) == self.pile.len() {
            return self.ending(node, NOBODY);
        }
        let index = mix(u64::from(node.lead) << 32 | u64::from(node.follow), u64::from(node.rest())) as usize % ENTRIES;
        let mut entry = self.known[index];
        if (entry.lead, entry.follow, entry.rest) != (node.lead, node.follow, node.rest()) {
            entry = Entry { lead: node.lead, follow: node.follow, rest: node.rest(), low: i16::MIN, high: i16::MAX };
        }
        if entry.low >= self.goal || entry.high < self.goal {
            return (entry.low >= self.goal) == (node.seat == 0);
        }
        let reached = self.ending(node, node.seat) || self.any_lead(node);
        if reached == (node.seat == 0) {
            entry.low = self.goal;
        } else {
            entry.high = self.goal - 1;
        }
        // Deeper positions may have overwritten the entry; the one nearer to the root is worth more.
        self.known[index] = entry;
        reached
    }

    fn any_lead(&mut self, node: Node) -> bool {
        let drawn = usize::from(node.drawn);
        let mut leads = distinct(node.lead, node.follow | self.to_come[drawn], true);
        while leads != 0 {
            let led = 1 << (31 - leads.leading_zeros());
            leads ^= led;
            let lead = node.lead ^ led | self.pile[drawn];
            if self.answers(led, Node { lead, drawn: node.drawn + 1, ..node }) {
                return true;
            }
        }
        false
    }

    /// The same for a player who has led and drawn, for every reply.
    fn answers(&mut self, led: u32, node: Node) -> bool {
        let drawn = usize::from(node.drawn);
        let (legal, winners) = self.rules.replies::<true>(led, node.follow);
        let mut replies = distinct(legal, node.lead | led | self.to_come[drawn], true);
        while replies != 0 {
            let first = if replies & winners != 0 { replies & winners } else { replies };
            let reply = first & first.wrapping_neg();
            replies ^= reply;
            let follow = node.follow ^ reply | self.pile[drawn];
            let next = Node { follow, drawn: node.drawn + 1, ..node };
            let reached = if (led | reply) & REFEREE != 0 {
                self.decided(Node { waiting: true, ..next }, led == REFEREE)
            } else {
                let worth = 1 + u8::from(node.waiting);
                let [own, other] = node.taken;
                if winners & reply != 0 {
                    !self.lead(Node { taken: [own, other + worth], waiting: false, ..next }.turned())
                } else {
                    self.lead(Node { taken: [own + worth, other], waiting: false, ..next })
                }
            };
            if !reached {
                return false;
            }
        }
        true
    }

    /// The same after a neutral trick. `own` is true if the player decides who leads.
    fn decided(&mut self, node: Node, own: bool) -> bool {
        if own { self.lead(node) || !self.lead(node.turned()) } else { self.lead(node) && !self.lead(node.turned()) }
    }

    /// The same once no player draws any more: the pile is empty, or the player on lead locks it now.
    fn ending(&self, node: Node, attacker: u8) -> bool {
        let waiting = u8::from(node.waiting);
        let left = self.cards as u8 + waiting;
        let (own, other) = (usize::from(node.seat & 1), usize::from(node.seat & 1 ^ 1));
        let reached = |tricks: u8| {
            let mut taken = [0; 2];
            taken[own] = node.taken[0] + tricks;
            taken[other] = node.taken[1] + left - tricks;
            let mut after_attack = [0; 2];
            after_attack[own] = if tricks == left { self.cards as u8 } else { 0 };
            after_attack[other] = if tricks == 0 { self.cards as u8 } else { 0 };
            let verdict = self.game.verdicts.look_up(attacker, taken, after_attack);
            (rank(self.game, self.scores, verdict) >= self.goal) == (node.seat == 0)
        };
        let Some(need) = (0..=left).find(|&tricks| reached(tricks)) else { return false };
        self.rules.lead::<true>(node.lead, node.follow, i32::from(need), self.cards, i32::from(waiting))
    }
}

impl Schwinget {
    /// The returns of best play if the pile holds these cards, the next one first, and both players know the pile and
    /// each other's hand. Returns `None` unless all of the following hold: a player must act in the last bout of the
    /// match; the cards are different cards of the pool, as many as are still to be drawn (none once the pile is
    /// locked); hands have at most six cards; returns sum to zero (`utility` is `margin` or `win`), since otherwise
    /// both players may prefer the same result.
    pub fn known_pile(&self, state: &State, pile: &[Action]) -> Option<BySeat<f32>> {
        let cards = pile.iter().fold(0, |set, card| set | 1_u32.checked_shl(u32::from(card.0)).unwrap_or(0));
        let to_draw = if state.attacked() { 0 } else { usize::from(state.pile) };
        let fits = cards & !state.pool == 0 && cards.count_ones() as usize == pile.len() && pile.len() == to_draw;
        let decision = matches!(state.phase, Phase::Lead | Phase::Follow | Phase::Decide);
        let last_bout = state.bout + 1 == self.rules.bouts;
        if !fits
            || !decision
            || !last_bout
            || self.info.utility_sum.is_none()
            || u32::from(self.rules.hand_size) > MAX_ENDING
        {
            return None;
        }
        if to_draw == 0 {
            return self.open_ending(state);
        }
        let layout = Layout::of(self);
        let pile: Vec<u32> = pile.iter().map(|card| layout.cards(1 << card.0)).collect();
        let to_come = (0..=pile.len()).map(|drawn| pile[drawn..].iter().fold(0, |set, card| set | card)).collect();
        let mut search = Search {
            game: self,
            rules: TrickRules::new(layout.trump(state.trump), self.rules.specials),
            pile: &pile,
            to_come,
            cards: i32::from(self.rules.hand_size),
            scores: state.scores,
            goal: 0,
            known: vec![Entry::default(); ENTRIES],
        };
        let follows = state.phase == Phase::Follow;
        let seat = state.mover ^ u8::from(follows);
        let (own, other) = (usize::from(seat & 1), usize::from(seat & 1 ^ 1));
        let [lead, follow] = [own, other].map(|seat| layout.cards(state.hands[seat]));
        let node = Node {
            lead,
            follow,
            seat,
            drawn: 0,
            taken: [state.taken[own], state.taken[other]],
            waiting: state.neutral != Neutral::None,
        };
        let led = if follows { layout.cards(1 << state.led) } else { 0 };
        let mut results: Vec<(i16, Verdict)> =
            self.verdicts.all().map(|verdict| (rank(self, state.scores, verdict), verdict)).collect();
        results.sort_unstable_by_key(|&(rank, _)| rank);
        results.dedup_by_key(|&mut (rank, _)| rank);
        // The highest result that seat 0 can force; the lowest result is certain.
        let (mut certain, mut excluded) = (0, results.len());
        while certain + 1 < excluded {
            let asked = (certain + excluded) / 2;
            search.goal = results[asked].0;
            let reached = match state.phase {
                Phase::Follow => search.answers(led, node),
                Phase::Decide => search.decided(node, true),
                _ => search.lead(node),
            };
            if reached == (seat == 0) {
                certain = asked;
            } else {
                excluded = asked;
            }
        }
        let scores = results[certain].1.scores;
        Some(BySeat::from(self.rounded_utility_of([0, 1].map(|seat: usize| state.scores[seat] + scores[seat]))))
    }

    /// The pile of the last bout, drawn from chance. The same cards come in the same order after any play.
    pub(super) fn pile_to_come(&self, state: &State, next: &mut impl FnMut(&State) -> Action) -> Vec<Action> {
        let (mut state, mut pile) = (*state, Vec::new());
        loop {
            match self.turn(&state) {
                Turn::Over => return pile,
                // The first legal action is a card, so nobody attacks.
                Turn::Seat(_) => {
                    let card = self.legal(&state).nth(0);
                    self.apply(&mut state, card);
                }
                Turn::Chance => {
                    let card = next(&state);
                    pile.push(card);
                    self.apply(&mut state, card);
                }
            }
        }
    }
}
