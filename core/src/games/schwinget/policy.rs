//! A policy for Schwinget: a softmax over what the legal actions look like to the player to act.
//!
//! The [weights](super::policy_weights) are those with which the decisions of a search become likeliest. Features are numbers
//! between -1 and 1 or so. Values of scaled-down decks count from the top: the highest is always a six here.

use crate::actions::Action;
use crate::bits;

use super::cards::{Card, NO_TRUMP};
use super::rules::Scoring;
use super::state::{Neutral, Phase, State};
use super::{Schwinget, policy_weights};

/// Kinds of cards: trumps by value, other suits by value, the referee, the counter.
const KINDS: usize = 14;
const REFEREE: usize = 12;
const COUNTER: usize = 13;

/// Features of each stage of a bout: cards are drawn, the pile is locked, the pile is empty.
const STAGES: usize = 3;
const LEAD: usize = 0;
const LEAD_MORE: usize = LEAD + KINDS;
/// By outcome: lost, won, neutral.
const FOLLOW: usize = LEAD_MORE + 16;
const FOLLOW_MORE: usize = FOLLOW + 3 * KINDS;
const DECIDE: usize = FOLLOW_MORE + 12;
const STAGE: usize = DECIDE + 3;
/// By scoring.
const ATTACK: usize = STAGES * STAGE;
const ATTACKS: usize = 20;

/// How many features there are.
pub(super) const FEATURES: usize = ATTACK + 2 * ATTACKS;

const _: () = assert!(policy_weights::WEIGHTS.len() == FEATURES);

/// What the player to act knows of a state.
struct Known<'a> {
    game: &'a Schwinget,
    state: &'a State,
    me: usize,
    hand: u32,
    /// Cards that may be in the opponent's hand.
    unseen: u32,
}

impl Schwinget {
    /// Calls `add` with the features of a legal action. Reads only what the player to act knows.
    #[inline]
    pub(super) fn policy_features(&self, state: &State, action: Action, add: &mut impl FnMut(usize, f32)) {
        let me = usize::from(state.mover & 1);
        let known = Known { game: self, state, me, hand: state.hands[me], unseen: state.pool | state.hands[me ^ 1] };
        let stage = match (state.attacked(), state.pile > 0) {
            (true, _) => 1,
            (false, true) => 0,
            (false, false) => 2,
        };
        let mut in_stage = |feature: usize, value: f32| add(stage * STAGE + feature, value);
        match state.phase {
            Phase::Lead if action.0 == self.deck.size => known.attack(add),
            Phase::Lead => known.lead(action.0, &mut in_stage),
            Phase::Follow => known.follow(action.0, &mut in_stage),
            Phase::Decide if action == self.deck.decisions()[0] => {
                let strength = known.strength();
                in_stage(DECIDE, 1.0);
                in_stage(DECIDE + 1, strength);
                in_stage(DECIDE + 2, strength * strength);
            }
            _ => {}
        }
    }
}

impl Known<'_> {
    fn suit(&self, card: Card) -> u32 {
        self.game.deck.suit[usize::from(self.game.deck.suit_of[usize::from(card)])]
    }

    fn trumps(&self) -> u32 {
        self.game.deck.suit[usize::from(self.state.trump)]
    }

    fn kind(&self, card: Card) -> usize {
        let deck = &self.game.deck;
        match deck.suit_of[usize::from(card)] {
            NO_TRUMP if deck.referee >> card & 1 == 1 => REFEREE,
            NO_TRUMP => COUNTER,
            suit => {
                let below_top = self.game.rules.values - deck.value(card);
                5 - usize::from(below_top.min(5)) + if suit == self.state.trump { 0 } else { 6 }
            }
        }
    }

    /// What it costs to part with a card, as an order: plain cards by value, the specials, trumps by value.
    fn price(&self, card: Card) -> usize {
        match self.kind(card) {
            trump @ 0..=5 => 20 + trump,
            plain @ 6..=11 => plain,
            REFEREE => 14,
            _ => 12,
        }
    }

    fn cheapest(&self, cards: u32) -> Option<Card> {
        bits::members(cards).min_by_key(|&card| self.price(card))
    }

    /// The share of the unseen cards that do not beat this one when it is led.
    fn holds(&self, card: Card) -> f32 {
        let beaten = self.unseen & self.game.deck.winners(self.state.trump, card);
        1.0 - beaten.count_ones() as f32 / self.unseen.count_ones().max(1) as f32
    }

    /// The mean of [`holds`](Self::holds) over the hand.
    fn strength(&self) -> f32 {
        let cards = self.hand.count_ones().max(1) as f32;
        bits::members(self.hand).map(|card| self.holds(card)).sum::<f32>() / cards
    }

    fn lead(&self, card: Card, add: &mut impl FnMut(usize, f32)) {
        let state = self.state;
        let (kind, holds) = (self.kind(card), self.holds(card));
        let sure = f32::from(u8::from(holds == 1.0));
        let neutral = f32::from(u8::from(state.neutral != Neutral::None));
        let more = |feature: usize| LEAD_MORE + feature;
        add(LEAD + kind, 1.0);
        add(more(0), holds);
        add(more(1), sure);
        add(more(2), neutral * holds);
        add(more(3), neutral * sure);
        if kind < REFEREE {
            let suit = self.suit(card);
            let length = (self.hand & suit).count_ones();
            let higher = (self.unseen & suit & !((2_u32 << card) - 1)).count_ones().min(3);
            add(more(4), length as f32 / 5.0);
            add(more(5), f32::from(u8::from(length == 1)));
            add(more(6 + higher as usize), 1.0);
            add(more(10), (self.unseen & suit).count_ones() as f32 / 5.0);
        }
        if kind >= 6 {
            add(more(11), (self.unseen & self.trumps()).count_ones() as f32 / 5.0);
        } else {
            add(more(12), (self.hand & self.trumps()).count_ones() as f32 / 5.0);
        }
        if state.attacked() {
            let mine = usize::from(state.attacker) == self.me;
            let all = state.after_attack[self.me] > 0 && state.after_attack[self.me ^ 1] == 0;
            add(more(if mine { 13 } else { 14 }), sure);
            add(more(15), if all { sure } else { 0.0 });
        }
    }

    fn follow(&self, card: Card, add: &mut impl FnMut(usize, f32)) {
        let (deck, state) = (&self.game.deck, self.state);
        let legal = deck.replies(state.trump, state.led, self.hand);
        let winners = legal & deck.winners(state.trump, state.led) & !deck.referee;
        let kind = self.kind(card);
        let neutral = (1 << card | 1 << state.led) & deck.referee != 0;
        let wins = winners >> card & 1 == 1 && !neutral;
        let outcome = if neutral { 2 } else { usize::from(wins) };
        let more = |feature: usize| FOLLOW_MORE + feature;
        add(FOLLOW + outcome * KINDS + kind, 1.0);
        if wins {
            let led = self.kind(state.led);
            add(more(0), f32::from(u8::from(self.cheapest(winners) == Some(card))));
            add(more(1), f32::from(u8::from(state.neutral != Neutral::None)));
            add(more(2), (led % 6) as f32 / 5.0);
            add(more(3), f32::from(u8::from(led < 6)));
            add(more(4), (f32::from(state.taken[self.me]) - f32::from(state.taken[self.me ^ 1])) / 5.0);
            let thrown = state.after_attack[self.me] == 0 && state.after_attack[self.me ^ 1] > 0;
            add(more(5), f32::from(u8::from(thrown)));
        } else if !neutral {
            add(more(6), f32::from(u8::from(winners != 0)));
            add(more(7), f32::from(u8::from(self.cheapest(legal & !winners) == Some(card))));
        }
        if (6..REFEREE).contains(&kind) {
            let suit = self.suit(card);
            let length = (self.hand & suit).count_ones();
            let higher = self.unseen & suit & !((2_u32 << card) - 1);
            add(more(8), f32::from(u8::from(length == 1)));
            add(more(9), length as f32 / 5.0);
            add(more(10), f32::from(u8::from(higher == 0)));
            add(more(11), (self.hand & self.trumps()).count_ones() as f32 / 5.0);
        }
    }

    fn attack(&self, add: &mut impl FnMut(usize, f32)) {
        let state = self.state;
        let first = ATTACK
            + match self.game.rules.scoring {
                Scoring::Points => 0,
                Scoring::Schwinger => ATTACKS,
            };
        let strength = self.strength();
        let share = |cards: u32| cards.count_ones() as f32 / 5.0;
        let trumps = share(self.hand & self.trumps());
        let sure = bits::members(self.hand).filter(|&card| self.holds(card) == 1.0).count() as f32 / 5.0;
        let ahead = f32::from(state.taken[self.me]) - f32::from(state.taken[self.me ^ 1]);
        let truth = |condition: bool| f32::from(u8::from(condition));
        let values = [
            strength,
            strength * strength,
            strength * strength * strength,
            trumps,
            trumps * trumps,
            sure,
            sure * strength,
            ahead / 5.0,
            ahead / 5.0 * strength,
            truth(state.neutral != Neutral::None),
            truth(self.hand & self.game.deck.referee != 0),
            truth(self.hand & self.game.deck.counter != 0),
            truth(state.trump == NO_TRUMP),
            f32::from(state.tricks) / 5.0 * strength,
        ];
        add(first + usize::from(state.tricks.min(5)), 1.0);
        for (feature, value) in values.into_iter().enumerate() {
            add(first + 6 + feature, value);
        }
    }
}
