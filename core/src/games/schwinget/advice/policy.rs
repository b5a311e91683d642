//! A policy for Schwinget: a softmax over features of the legal actions, as seen by the player to act.
//!
//! The [weights](WEIGHTS) maximise the likelihood of a search's decisions. Nearly every feature is an indicator of a
//! cell of a table, so an action needs only a few loads. Values of small decks count from the top: the highest is
//! always a six here.

use crate::actions::{Action, ActionSet as _, Actions64};
use crate::bits;
use crate::games::schwinget::Schwinget;
use crate::games::schwinget::cards::{Card, Deck, KINDS, PLAIN, REFEREE};
use crate::games::schwinget::rules::Scoring;
use crate::games::schwinget::state::{Neutral, Phase, State};

/// The number of stages: cards are drawn, the pile is locked, the pile is empty.
const STAGES: usize = 3;
/// The number of moments. While cards are drawn: by tricks played, from 0 to 5. While the pile is locked: by cards in
/// hand, from 1 to 5. While the pile is empty: the same.
const MOMENTS: usize = 16;
const LOCKED: usize = 6;
const EMPTY: usize = 11;
/// The number of outcomes: lost, won, neutral.
const OUTCOMES: usize = 3;
/// The number of classes of a hand's strength, in eighths.
const STRENGTHS: usize = 8;

/// The first feature of each table. Each comment lists the dimensions of the table.
mod at {
    use super::{KINDS, MOMENTS, OUTCOMES, STAGES, STRENGTHS};
    use crate::game::hints::tables;

    // The attack has one set of tables for each scoring after all others.
    tables! { ATTACK;
        /// Lead: moment, kind of card.
        LEAD: MOMENTS * KINDS,
        /// Stage, trump or not, unseen cards that beat it.
        BEATEN: STAGES * 2 * 8,
        /// With a neutral trick waiting: stage, unseen cards that beat it.
        WAITING: STAGES * 4,
        /// Stage, trump or not, cards of the suit in hand, higher ones unseen.
        SUIT: STAGES * 2 * 5 * 4,
        /// Not a trump: stage, trumps unseen, whether a higher card of the suit is unseen.
        TRUMPS_OUT: STAGES * 7 * 2,
        /// Not a trump: stage, cards of the suit unseen.
        SUIT_OUT: STAGES * 6,
        /// Stage, trump or not, trumps in hand.
        TRUMPS_IN: STAGES * 2 * 6,
        /// The pile is locked: seat that locked it, seats that have taken tricks since, whether the card may be beaten.
        AFTER: 2 * 4 * 2,
        /// Tricks ahead, whether the card may be beaten.
        AHEAD: 5 * 2,
        /// Reply: moment, outcome, kind of card.
        REPLY: MOMENTS * OUTCOMES * KINDS,
        /// Stage, whether it wins, kind of the card led, kind of card.
        PAIR: STAGES * 2 * KINDS * KINDS,
        /// Stage; a win with the cheapest card or another; a loss with the cheapest card or another, with a win in hand
        /// or without.
        CHEAPEST: STAGES * 6,
        /// Neither a trump nor a special: stage, whether it wins, cards of the suit in hand, whether a higher one is
        /// unseen.
        SUIT_LEFT: STAGES * 2 * 5 * 2,
        /// Stage, whether it wins, trump or not, trumps in hand.
        TRUMPS_LEFT: STAGES * 2 * 2 * 6,
        /// A win: whether a neutral trick waits, tricks ahead.
        TAKEN: 2 * 5,
        /// The pile is locked: seat that locked it, seats that have taken tricks since, whether the card wins.
        THROWN: 2 * 4 * 2,
        /// Stage, whether it wins, the strength of the hand.
        NEXT: STAGES * 2 * STRENGTHS,
        /// Decision to lead after the referee: moment, strength of the hand.
        DECIDE: MOMENTS * STRENGTHS,
    }
    tables! { ATTACKS;
        /// Tricks played, tenths of the strength of the hand, interpolated between the two nearest.
        STRENGTH: 6 * 11,
        /// Seat that is ahead, tenths of the strength in the same way.
        LEADER: 3 * 11,
        /// Trumps in hand, cards that nothing beats.
        SURE: 6 * 6,
        /// Kinds of cards in hand.
        HOLDS: KINDS,
        /// Tricks ahead, from -5 to 5.
        MARGIN: 11,
        /// A neutral trick waits; no suit is trump.
        NEUTRAL: 1,
        NO_TRUMPS: 1,
    }
}

/// The total number of features.
const FEATURES: usize = at::ATTACK + 2 * at::ATTACKS;

/// The weight of each feature. The program `fit_policy` writes the file.
#[allow(clippy::approx_constant, reason = "fitted numbers")]
pub(super) const WEIGHTS: [f32; FEATURES] = include!("policy_weights.txt");

/// The player to act's knowledge of a state.
pub(super) struct Known<'a> {
    deck: &'a Deck,
    state: &'a State,
    pub(super) me: usize,
    pub(super) hand: u32,
    /// Cards that may be in the opponent's hand.
    pub(super) unseen: u32,
    /// The kind of each card.
    kinds: &'a [u8; 32],
    pub(super) trumps: u32,
    stage: usize,
    moment: usize,
}

/// Values shared by all replies to a card.
struct Replies {
    winners: u32,
    cheapest_winner: Card,
    cheapest_loser: Card,
    strength: usize,
}

impl Schwinget {
    /// Calls `add` with the features of a legal action. Reads only what the player to act knows.
    pub(super) fn policy_features(&self, state: &State, action: Action, add: &mut impl FnMut(usize, f32)) {
        let known = Known::new(&self.deck, state);
        match state.phase {
            Phase::Lead if action == self.deck.attack() => known.attack(self.rules.scoring, add),
            Phase::Lead => known.lead(action.0, add),
            Phase::Follow => known.reply(action.0, &known.replies(), add),
            Phase::Decide if action == self.deck.decisions()[0] => known.decide(add),
            _ => {}
        }
    }

    /// Calls `each` with the weighted features of every legal action, ascending by action.
    #[inline]
    pub(super) fn policy_logits(&self, state: &State, legal: Actions64, each: &mut impl FnMut(f32)) {
        let known = Known::new(&self.deck, state);
        let weighted = |sum: &mut f32, feature: usize, value: f32| *sum += WEIGHTS[feature] * value;
        let cards = legal.0 as u32 & self.deck.all;
        match state.phase {
            Phase::Lead => {
                for card in bits::members(cards) {
                    let mut logit = 0.0;
                    known.lead(card, &mut |feature, value| weighted(&mut logit, feature, value));
                    each(logit);
                }
                if legal.contains(self.deck.attack()) {
                    let mut logit = 0.0;
                    known.attack(self.rules.scoring, &mut |feature, value| weighted(&mut logit, feature, value));
                    each(logit);
                }
            }
            Phase::Follow => {
                let replies = known.replies();
                for card in bits::members(cards) {
                    let mut logit = 0.0;
                    known.reply(card, &replies, &mut |feature, value| weighted(&mut logit, feature, value));
                    each(logit);
                }
            }
            _ => {
                for action in legal.iter() {
                    let mut logit = 0.0;
                    self.policy_features(state, action, &mut |feature, value| weighted(&mut logit, feature, value));
                    each(logit);
                }
            }
        }
    }
}

impl<'a> Known<'a> {
    #[inline(always)]
    pub(super) fn new(deck: &'a Deck, state: &'a State) -> Self {
        let me = usize::from(state.mover & 1);
        let hand = state.hands[me];
        let cards = (hand.count_ones() as usize).clamp(1, 5) - 1;
        let (stage, moment) = match (state.attacked(), state.pile > 0) {
            (true, _) => (1, LOCKED + cards),
            (false, true) => (0, usize::from(state.tricks.min(5))),
            (false, false) => (2, EMPTY + cards),
        };
        let unseen = state.pool | state.hands[me ^ 1];
        let (kinds, trumps) = (deck.kinds(state.trump), deck.suit[usize::from(state.trump)]);
        Self { deck, state, me, hand, unseen, kinds, trumps, stage, moment }
    }

    #[inline(always)]
    pub(super) fn kind(&self, card: Card) -> usize {
        usize::from(self.kinds[usize::from(card & 31)])
    }

    #[inline(always)]
    fn suit(&self, card: Card) -> u32 {
        self.deck.suit[usize::from(self.deck.suit_of[usize::from(card & 31)])]
    }

    /// The number of higher unseen cards of the suit.
    #[inline(always)]
    pub(super) fn higher(&self, card: Card, suit: u32) -> usize {
        (self.unseen & suit & ((u32::MAX - 1) << card)).count_ones() as usize
    }

    /// The number of unseen cards that beat this one when it is led.
    #[inline(always)]
    pub(super) fn beaten_by(&self, card: Card) -> usize {
        (self.unseen & self.deck.winners(self.state.trump, card)).count_ones() as usize
    }

    #[inline(always)]
    fn trumps_held(&self) -> usize {
        count(self.hand & self.trumps, 5)
    }

    /// The number of trumps in hand that no unseen trump beats.
    pub(super) fn boss_trumps(&self) -> u32 {
        bits::members(self.hand & self.trumps).map(|card| u32::from(self.higher(card, self.trumps) == 0)).sum()
    }

    /// The share of the unseen cards that do not beat a card when it is led, on average over the hand.
    #[inline(always)]
    pub(super) fn strength(&self) -> f32 {
        let beaten: usize = bits::members(self.hand).map(|card| self.beaten_by(card)).sum();
        1.0 - beaten as f32 / (self.unseen.count_ones() * self.hand.count_ones()).max(1) as f32
    }

    #[inline(always)]
    fn eighths(&self) -> usize {
        ((self.strength() * STRENGTHS as f32) as usize).min(STRENGTHS - 1)
    }

    /// The player's tricks minus the opponent's.
    #[inline(always)]
    fn margin(&self) -> i8 {
        let taken = self.state.taken;
        taken[self.me] as i8 - taken[self.me ^ 1] as i8
    }

    /// From 0 to 4: behind by two tricks or more, behind by one, level, and so on.
    #[inline(always)]
    fn ahead(&self) -> usize {
        (self.margin().clamp(-2, 2) + 2) as usize
    }

    /// From 0 to 7: the seat that attacked, and the seats that have taken tricks since.
    #[inline(always)]
    fn since_attack(&self) -> usize {
        let state = self.state;
        let truth = |condition: bool| usize::from(condition);
        let mine = truth(usize::from(state.attacker) == self.me);
        mine * 4 + truth(state.after_attack[self.me] > 0) * 2 + truth(state.after_attack[self.me ^ 1] > 0)
    }

    #[inline(always)]
    fn lead(&self, card: Card, add: &mut impl FnMut(usize, f32)) {
        let (state, stage) = (self.state, self.stage);
        let (kind, beaten) = (self.kind(card), self.beaten_by(card));
        let (plain, exposed) = (usize::from(kind >= PLAIN), usize::from(beaten > 0));
        let mut cell = |feature: usize| add(feature, 1.0);
        cell(at::LEAD + self.moment * KINDS + kind);
        cell(at::AHEAD + self.ahead() * 2 + exposed);
        if state.neutral != Neutral::None {
            cell(at::WAITING + stage * 4 + beaten.min(3));
        }
        if stage == 1 {
            cell(at::AFTER + self.since_attack() * 2 + exposed);
        }
        if kind >= REFEREE {
            return;
        }
        let suit = self.suit(card);
        let (length, higher) = (count(self.hand & suit, 5) - 1, self.higher(card, suit));
        cell(at::BEATEN + (stage * 2 + plain) * 8 + beaten.min(7));
        cell(at::SUIT + ((stage * 2 + plain) * 5 + length) * 4 + higher.min(3));
        cell(at::TRUMPS_IN + (stage * 2 + plain) * 6 + self.trumps_held());
        if plain == 1 {
            let out = count(self.unseen & self.trumps, 6);
            cell(at::TRUMPS_OUT + (stage * 7 + out) * 2 + usize::from(higher > 0));
            cell(at::SUIT_OUT + stage * 6 + count(self.unseen & suit, 5));
        }
    }

    #[inline(always)]
    fn replies(&self) -> Replies {
        let (deck, state) = (self.deck, self.state);
        let legal = deck.replies(state.trump, state.led, self.hand);
        let winners = legal & deck.winners(state.trump, state.led) & !deck.referee;
        Replies {
            winners,
            cheapest_winner: self.cheapest(winners),
            cheapest_loser: self.cheapest(legal & !winners),
            strength: self.eighths(),
        }
    }

    /// The card that is least costly to give up: plain cards by value, the counter, the referee, trumps by value. Any
    /// card if the set is empty.
    #[inline(always)]
    fn cheapest(&self, cards: u32) -> Card {
        const PRICE: [u8; KINDS] = [8, 9, 10, 11, 12, 13, 0, 1, 2, 3, 4, 5, 7, 6];
        bits::members(cards).min_by_key(|&card| PRICE[self.kind(card)]).unwrap_or(0)
    }

    #[inline(always)]
    fn reply(&self, card: Card, replies: &Replies, add: &mut impl FnMut(usize, f32)) {
        let (state, stage) = (self.state, self.stage);
        let kind = self.kind(card);
        let neutral = (1 << card | 1 << state.led) & self.deck.referee != 0;
        let wins = replies.winners >> card & 1 == 1 && !neutral;
        let (outcome, win) = (if neutral { 2 } else { usize::from(wins) }, usize::from(wins));
        let mut cell = |feature: usize| add(feature, 1.0);
        cell(at::REPLY + (self.moment * OUTCOMES + outcome) * KINDS + kind);
        cell(at::PAIR + ((stage * 2 + win) * KINDS + self.kind(state.led)) * KINDS + kind);
        cell(at::NEXT + (stage * 2 + win) * STRENGTHS + replies.strength);
        if wins {
            cell(at::CHEAPEST + stage * 6 + usize::from(card == replies.cheapest_winner));
            cell(at::TAKEN + usize::from(state.neutral != Neutral::None) * 5 + self.ahead());
        } else if !neutral {
            let could = usize::from(replies.winners != 0);
            cell(at::CHEAPEST + stage * 6 + 2 + could * 2 + usize::from(card == replies.cheapest_loser));
        }
        if stage == 1 {
            cell(at::THROWN + self.since_attack() * 2 + win);
        }
        if kind < REFEREE {
            let plain = usize::from(kind >= PLAIN);
            cell(at::TRUMPS_LEFT + ((stage * 2 + win) * 2 + plain) * 6 + self.trumps_held());
            if plain == 1 {
                let suit = self.suit(card);
                let (length, higher) = (count(self.hand & suit, 5) - 1, usize::from(self.higher(card, suit) > 0));
                cell(at::SUIT_LEFT + ((stage * 2 + win) * 5 + length) * 2 + higher);
            }
        }
    }

    fn decide(&self, add: &mut impl FnMut(usize, f32)) {
        add(at::DECIDE + self.moment * STRENGTHS + self.eighths(), 1.0);
    }

    #[inline(always)]
    fn attack(&self, scoring: Scoring, add: &mut impl FnMut(usize, f32)) {
        let first = at::ATTACK
            + match scoring {
                Scoring::Points => 0,
                Scoring::Schwinger => at::ATTACKS,
            };
        let mut add = |feature: usize, value: f32| add(first + feature, value);
        let tenths = self.strength() * 10.0;
        let below = (tenths as usize).min(9);
        let over = tenths - below as f32;
        let margin = self.margin();
        for (table, row) in [(at::STRENGTH, self.state.tricks.min(5)), (at::LEADER, (margin.signum() + 1) as u8)] {
            let cell = table + usize::from(row) * 11 + below;
            add(cell, 1.0 - over);
            add(cell + 1, over);
        }
        let sure = bits::members(self.hand).filter(|&card| self.beaten_by(card) == 0).count();
        add(at::SURE + self.trumps_held() * 6 + sure.min(5), 1.0);
        bits::members(self.hand).map(|card| self.kind(card)).fold(0_u32, |held, kind| {
            // A plain kind may be held in several suits; counted once, so that no feature is repeated.
            if held >> kind & 1 == 0 {
                add(at::HOLDS + kind, 1.0);
            }
            held | 1 << kind
        });
        add(at::MARGIN + (margin.clamp(-5, 5) + 5) as usize, 1.0);
        if self.state.neutral != Neutral::None {
            add(at::NEUTRAL, 1.0);
        }
        if self.trumps == 0 {
            add(at::NO_TRUMPS, 1.0);
        }
    }
}

/// The number of cards, but at most `most`.
#[inline(always)]
fn count(cards: u32, most: u32) -> usize {
    cards.count_ones().min(most) as usize
}
