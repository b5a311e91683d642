//! A policy for Up & Down: a softmax over features of the legal actions, as seen by the player to act.
//!
//! The [weights](WEIGHTS) maximise the likelihood of a search's decisions, with one set for each number of players.
//! Features lie between about -1 and 1. Values are counted from the losing end: with every deck and either side of the
//! UP&DOWN card, the best one is 10 and the worst 0.

use crate::actions::Action;
use crate::float;
use crate::game::hints::tables;
use crate::games::up_and_down::cards::Card;
use crate::games::up_and_down::state::{NO_CARD, Phase, SEATS, State};
use crate::games::up_and_down::{CHANGES, Change, UpAndDown};

/// The number of values on this scale.
const VALUES: usize = 11;
/// Cards of the own suit, trumps and others, each by value.
const KINDS: usize = 3 * VALUES;

// One set of tables for each number of players.
tables! { TABLE;
    /// The kind of a card.
    KIND: KINDS,
    /// The same, scaled by the share of tricks left.
    KIND_EARLY: KINDS,
    /// A card that can win.
    ABLE: 23,
    /// A card that cannot.
    IDLE: 20,
    /// A change, and the same scaled by the share of tricks left.
    CHANGE: 2 * CHANGES as usize,
    /// The rules after a change without dice.
    RULES: 15,
    ROLL: 9,
}

/// The total number of features.
const FEATURES: usize = (SEATS - 1) * TABLE;

/// The weight of each feature. The program `fit_policy` writes the file.
#[allow(clippy::approx_constant, reason = "fitted numbers")]
pub(super) const WEIGHTS: [f32; FEATURES] = include!("policy_weights.txt");

/// The player to act's knowledge of a state, under the rules of a trick.
#[derive(Clone, Copy)]
struct Known<'a> {
    game: &'a UpAndDown,
    state: &'a State,
    me: u8,
    hand: u64,
    /// Cards that may be in the opponents' hands or face down on the table.
    unseen: u64,
    trump: u8,
    down: bool,
    orientation: u8,
}

/// The chances of a card to win.
#[derive(Clone, Copy, Default)]
struct Odds {
    /// If each opponent plays a random unseen card that can win.
    aimed: f32,
    /// The chance that no opponent holds a card that prevents it.
    safe: f32,
}

impl UpAndDown {
    /// Calls `add` with the features of a legal action. Reads only what the player to act knows.
    #[inline]
    pub(super) fn policy_features(&self, state: &State, action: Action, add: &mut impl FnMut(usize, f32)) {
        let me = state.mover & 3;
        let mut unseen = state.pool;
        for seat in 0..SEATS {
            if seat == usize::from(me) {
                continue;
            }
            unseen |= state.hands[seat];
            if state.phase == Phase::Choose && state.table[seat] < self.deck.size {
                unseen |= 1 << state.table[seat];
            }
        }
        let known = Known {
            game: self,
            state,
            me,
            hand: state.hands[usize::from(me)],
            unseen,
            trump: state.trump,
            down: state.down == 1,
            orientation: state.orientation,
        };
        let table = usize::from(self.players - 2) * TABLE;
        let mut at_table = |feature: usize, value: f32| add(table + feature, value);
        match self.change_of(action) {
            Some(change) => {
                let number = usize::from(action.0 - self.deck.size);
                at_table(CHANGE + number, 1.0);
                at_table(CHANGE + usize::from(CHANGES) + number, known.left());
                match change {
                    Change::Flip => Known { down: !known.down, ..known }.rules(&mut at_table),
                    Change::Rotate(quarters) => {
                        Known { orientation: (known.orientation + quarters) & 3, ..known }.rules(&mut at_table);
                    }
                    Change::Roll => known.roll(&mut at_table),
                }
            }
            None => {
                debug_assert_eq!(state.table[usize::from(me)], NO_CARD);
                known.card(action.0, &mut at_table);
            }
        }
    }
}

/// The number of cards as a share of `most`.
#[inline(always)]
fn share(cards: u64, most: f32) -> f32 {
    cards.count_ones() as f32 / most
}

impl Known<'_> {
    /// The share of the round's tricks still to be played, including the current one.
    #[inline(always)]
    fn left(&self) -> f32 {
        share(self.hand, 15.0)
    }

    #[inline(always)]
    fn able(&self, seat: u8) -> u64 {
        self.game.deck.able(self.game.suit_at(self.orientation, seat), self.trump)
    }

    /// The suit that points at the player to act.
    #[inline(always)]
    fn own_suit(&self) -> u64 {
        self.game.deck.suit[usize::from(self.game.suit_at(self.orientation, self.me))]
    }

    #[inline(always)]
    fn trumps(&self) -> u64 {
        self.game.deck.value[usize::from(self.trump & 15)]
    }

    /// Maps a value to the scale from 0 (worst) to 10 (best). Small decks leave out the middle of the scale.
    #[inline(always)]
    fn rank(&self, value: u8) -> usize {
        let last = self.game.deck.values - 1;
        let rank = if self.down { last - value } else { value };
        usize::from(if rank > last / 2 { rank + VALUES as u8 - 1 - last } else { rank })
    }

    /// The chances of a card of this value, which can win, to win.
    #[inline(always)]
    fn odds(&self, value: u8) -> Odds {
        let deck = &self.game.deck;
        let (better, equal) = (deck.better(value, self.trump, self.down), deck.value[usize::from(value & 15)]);
        let each = 1.0 / self.unseen.count_ones().max(1) as f32;
        let cards = self.hand.count_ones();
        let mut odds = Odds { aimed: 1.0, safe: 1.0 };
        for other in (0..self.game.players).filter(|&other| other != self.me) {
            let able = self.able(other) & self.unseen;
            let beaten = (better & able | equal & self.unseen).count_ones() as f32;
            let aimed = ((better | equal) & able).count_ones() as f32 / able.count_ones().max(1) as f32;
            odds.aimed *= 1.0 - aimed;
            odds.safe *= float::power(1.0 - beaten * each, cards);
        }
        odds
    }

    fn card(&self, card: Card, add: &mut impl FnMut(usize, f32)) {
        let deck = &self.game.deck;
        let value = deck.value_of(card);
        let able = self.able(self.me);
        let mine = self.hand & able;
        let wins = able >> card & 1 == 1;
        let trump = value == self.trump;
        let class = if trump {
            1
        } else if wins {
            0
        } else {
            2
        };
        let kind = class * VALUES + self.rank(value);
        let left = self.left();
        let pot = f32::from(self.state.pot.min(4)) / 4.0;
        let equal = deck.value[usize::from(value)];
        let rivals = (equal & self.unseen).count_ones().min(3) as usize;
        let boss = f32::from(self.me == self.state.boss);
        let next = f32::from(self.game.left_of(self.state.boss) == self.me);
        let offset = (deck.suit_of(card) + 4 - self.game.suit_at(self.orientation, self.me)) & 3;
        let suit = deck.suit[usize::from(deck.suit_of(card) & 3)];
        add(KIND + kind, 1.0);
        add(KIND_EARLY + kind, left);
        if wins {
            let odds = self.odds(value);
            let better = deck.better(value, self.trump, self.down) & mine;
            let worse = mine & !better & !equal;
            let able = |feature: usize| ABLE + feature;
            add(able(0), odds.aimed);
            add(able(1), odds.aimed * odds.aimed);
            add(able(2), odds.safe);
            add(able(3), odds.safe * odds.safe);
            add(able(4), odds.aimed * pot);
            add(able(5), odds.safe * pot);
            add(able(6), pot);
            add(able(7), odds.aimed * left);
            add(able(8), odds.aimed * boss);
            add(able(9 + better.count_ones().min(2) as usize), 1.0);
            add(able(12 + worse.count_ones().min(2) as usize), 1.0);
            add(able(15 + rivals), 1.0);
            add(able(19), f32::from(trump && suit & self.own_suit() != 0));
            add(able(20), f32::from(mine & !better & equal & !(1 << card) != 0));
            add(able(21), share(self.hand & suit, 8.0));
            add(able(22), next * f32::from(better == 0));
        } else {
            let mut blocked = 0.0;
            let mut spoiled = 0.0;
            for other in (0..self.game.players).filter(|&other| other != self.me) {
                let theirs = self.able(other) & self.unseen;
                let same = f32::from(theirs & equal != 0);
                blocked += same / theirs.count_ones().max(1) as f32;
                spoiled += same * f32::from(deck.better(value, self.trump, self.down) & theirs == 0);
            }
            let idle = |feature: usize| IDLE + feature;
            add(idle(0), f32::from(mine == 0));
            add(idle(1), pot);
            add(idle(2), blocked);
            add(idle(3), blocked * pot);
            add(idle(4), spoiled);
            add(idle(5), blocked * f32::from(mine == 0));
            add(idle(6 + rivals), 1.0);
            add(idle(10 + usize::from(offset)), 1.0);
            add(idle(14 + usize::from(offset)), next);
            add(idle(18), share(self.hand & suit, 8.0));
            add(idle(19), share(self.hand & equal, 4.0));
        }
    }

    /// Adds the features of the rules after a change without dice.
    fn rules(&self, add: &mut impl FnMut(usize, f32)) {
        let deck = &self.game.deck;
        let mine = self.hand & self.able(self.me);
        let plain = mine & !self.trumps();
        let best = if self.down { plain.trailing_zeros() } else { 63 - (plain | 1).leading_zeros() };
        let odds = if plain == 0 { Odds::default() } else { self.odds(deck.value_of(best as u8)) };
        let trumps = mine & self.trumps();
        let trump = if trumps == 0 { Odds::default() } else { self.odds(self.trump) };
        let top = odds.aimed.max(trump.aimed);
        let safe = odds.safe.max(trump.safe);
        let pot = f32::from(self.state.pot.min(4)) / 4.0;
        let left = self.left();
        let third = 2 * deck.values / 3;
        let high = deck.beyond(if self.down { deck.values - 1 - third } else { third }, self.down);
        let cards = 1.0 / self.hand.count_ones().max(1) as f32;
        let number = |cards: u64| cards.count_ones() as f32;
        let (mut theirs, mut all) = (0.0, 0.0);
        for other in (0..self.game.players).filter(|&other| other != self.me) {
            let able = self.able(other) & self.unseen;
            theirs += number(able);
            all += number(able & high);
        }
        let each = 1.0 / self.unseen.count_ones().max(1) as f32;
        let values = [
            odds.aimed,
            odds.safe,
            top,
            top * top,
            safe,
            top * pot,
            safe * pot,
            top * left,
            f32::from(mine == 0),
            f32::from(mine == 0) * pot,
            number(plain) * cards,
            number(plain) * cards * left,
            number(self.hand & high) * cards,
            theirs * each,
            all * each,
        ];
        for (feature, value) in values.into_iter().enumerate() {
            add(RULES + feature, value);
        }
    }

    /// Adds the features of a roll, which may make any other value trump.
    fn roll(&self, add: &mut impl FnMut(usize, f32)) {
        let deck = &self.game.deck;
        let suit = self.hand & self.own_suit();
        let plain = suit & !self.trumps();
        let best = if self.down { plain.trailing_zeros() } else { 63 - (plain | 1).leading_zeros() };
        let odds = if plain == 0 { Odds::default() } else { self.odds(deck.value_of(best as u8)) };
        let trumps = self.hand & self.trumps();
        let pot = f32::from(self.state.pot.min(4)) / 4.0;
        // Middle values are the most likely.
        let middle = deck.values / 2;
        let width = deck.values / 4;
        let centre = deck.beyond(middle - width, false) & deck.beyond(middle + width, true);
        let values = [
            odds.aimed,
            odds.safe,
            share(trumps, 4.0),
            f32::from(trumps != 0),
            share(self.unseen & self.trumps(), 4.0),
            share(self.hand & centre, 8.0),
            share(suit, 8.0),
            f32::from(plain == 0),
            pot,
        ];
        for (feature, value) in values.into_iter().enumerate() {
            add(ROLL + feature, value);
        }
    }
}
